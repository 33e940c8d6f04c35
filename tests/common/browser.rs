//! A real browser, driven through its DevTools protocol: messages of JSON over two pipes, each ended
//! by a zero byte.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use base64::Engine as _;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long an answer may take before the browser counts as lost.
const PATIENCE: Duration = Duration::from_secs(120);

/// The names that Chromium is installed under.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Where Chromium is on this machine, if it is: `FAIRGATE_CHROMIUM`, or the search path.
pub(crate) fn chromium() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("FAIRGATE_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES.iter().find_map(|name| {
        let places = folders.iter().map(|folder| folder.join(name));
        places.into_iter().find(|place| place.is_file())
    })
}

/// A running browser.
pub(crate) struct Browser {
    program: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    sent: u64,
    // Dropped last: the browser writes into it until it has ended.
    _profile: TempDir,
}

impl Browser {
    /// Starts the browser without a window.
    pub(crate) fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The protocol goes over descriptors 3 and 4, which only a shell can set.
        let mut program = Command::new("/bin/sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Chromium starts");
        let (sender, answers) = channel();
        let output = program.stdout.take().unwrap();
        std::thread::spawn(move || read(output, &sender));
        Browser {
            input: program.stdin.take().unwrap(),
            program,
            answers,
            sent: 0,
            _profile: profile,
        }
    }

    /// A new page without anything in it.
    pub(crate) fn tab(&mut self) -> Tab<'_> {
        let mut events = VecDeque::new();
        let made = self.call(
            None,
            "Target.createTarget",
            json!({ "url": "about:blank" }),
            &mut events,
        );
        let target = made["targetId"].as_str().unwrap().to_owned();
        let attach = json!({ "targetId": target, "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", attach, &mut events);
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let mut tab = Tab {
            browser: self,
            target,
            session,
            events,
        };
        for part in ["Page", "Runtime", "Log", "Network"] {
            tab.call(&format!("{part}.enable"), json!({}));
        }
        tab.size(1280, 900);
        tab
    }

    fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
        events: &mut VecDeque<Value>,
    ) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.input
            .write_all(format!("{message}\0").as_bytes())
            .and_then(|()| self.input.flush())
            .expect("Chromium listens");
        loop {
            let answer = self.answers.recv_timeout(PATIENCE);
            let mut answer = answer.unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] != self.sent {
                events.push_back(answer);
            } else if answer["error"].is_null() {
                return answer["result"].take();
            } else {
                panic!("{method}: {}", answer["error"]);
            }
        }
    }
}

fn read(output: ChildStdout, answers: &Sender<Value>) {
    let mut output = BufReader::new(output);
    loop {
        let mut message = Vec::new();
        match output.read_until(0, &mut message) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        message.pop();
        let answer = serde_json::from_slice(&message).unwrap_or_default();
        if answers.send(answer).is_err() {
            return;
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self
            .input
            .write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let _ = self.input.flush();
        for _ in 0..50 {
            if self.program.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A page in the browser.
pub(crate) struct Tab<'b> {
    browser: &'b mut Browser,
    target: String,
    session: String,
    events: VecDeque<Value>,
}

impl Tab<'_> {
    /// A command of the protocol.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        let session = Some(self.session.as_str());
        self.browser
            .call(session, method, parameters, &mut self.events)
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path) {
        let url = format!("file://{}", file.display());
        let opened = self.call("Page.navigate", json!({ "url": url }));
        assert!(opened["errorText"].is_null(), "{opened}");
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'");
    }

    /// What a JavaScript expression gives.
    #[track_caller]
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
        });
        let mut answer = self.call("Runtime.evaluate", parameters);
        let problem = &answer["exceptionDetails"];
        assert!(problem.is_null(), "{expression}: {problem}");
        answer["result"]["value"].take()
    }

    /// Waits until a JavaScript expression is true.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        for _ in 0..400 {
            if self.evaluate(expression) == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("never: {expression}");
    }

    /// The size of the window in pixels.
    pub(crate) fn size(&mut self, width: u32, height: u32) {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// `light` or `dark`.
    pub(crate) fn scheme(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Presses a key: `Tab`, `Enter`, `ArrowDown`, or a letter.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, None),
            "Enter" => (13, Some("\r")),
            "Space" => (32, Some(" ")),
            "ArrowDown" => (40, None),
            letter => (0, Some(letter)),
        };
        let name = if key == "Space" { " " } else { key };
        let mut down = json!({
            "type": "keyDown", "key": name, "code": key, "windowsVirtualKeyCode": code,
        });
        if let Some(text) = text {
            down["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", down);
        let up =
            json!({ "type": "keyUp", "key": name, "code": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up);
    }

    /// The page on paper, as a PDF.
    pub(crate) fn pdf(&mut self) -> Vec<u8> {
        let printed = self.call("Page.printToPDF", json!({ "printBackground": true }));
        decode(&printed["data"])
    }

    /// Everything of this kind that has happened so far: `Network.requestWillBeSent`.
    pub(crate) fn events(&mut self, method: &str) -> Vec<Value> {
        // What happened before an answer has been told before it.
        self.evaluate("0");
        let events = self.events.iter();
        let those = events.filter(|event| event["method"] == method);
        those.map(|event| event["params"].clone()).collect()
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let close = json!({ "targetId": self.target });
            let mut events = VecDeque::new();
            self.browser
                .call(None, "Target.closeTarget", close, &mut events);
        }
    }
}

fn decode(base64: &Value) -> Vec<u8> {
    let engine = base64::engine::general_purpose::STANDARD;
    engine.decode(base64.as_str().unwrap_or_default()).unwrap()
}
