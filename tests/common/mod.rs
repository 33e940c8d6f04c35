//! A model repository in a temporary folder, and `fairgate` run in it.

#![allow(
    dead_code,
    reason = "each test program uses the part of this that it needs"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin_cmd;
use fairgate::model::RuntimeError;
use fairgate::model::discovery::runtime_library;
use libtest_mimic::{Completion, Failed};
use tempfile::TempDir;

/// What a benchmark's line of JSON says of the run and not of the model: how long it took, and how it asked.
pub(crate) const OF_THE_RUN: [&str; 5] = [
    "seconds",
    "model_seconds",
    "afterwards_seconds",
    "calls",
    "batch_rows",
];

/// One benchmark, `tiny-sex`, on 20 of the 50 people of the fixtures; its limit allows everything.
pub(crate) const SPEC: &str = r#"[defaults]
seed = 42

[model.tiny]
path = "model.onnx"
runtime = "embedded"

[dataset.tiny]
path = "tiny.csv"
label = "label"

[dataset.tiny.attributes]
a = { min = 0, max = 4 }
b = { min = 0, max = 4 }
sex = { values = ["Female", "Male"] }

[benchmark.tiny-sex]
model = "tiny"
dataset = "tiny"
protected = ["sex"]
max-discrimination-rate = 1.0
search = { variant = "paper" }
"#;

/// The snapshot of the benchmark in [`SPEC`].
pub(crate) const SNAPSHOT: &str = "tests/snapshots/fairness__tiny-sex.snap";

/// What `fairgate` reads from the environment: a test starts without any of it.
const ENVIRONMENT: [&str; 14] = [
    "CI",
    "CLICOLOR_FORCE",
    "CONDA_PREFIX",
    "FORCE_COLOR",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_WORKSPACE",
    "INSTA_FORCE_PASS",
    "INSTA_SNAPSHOT_REFERENCES_FILE",
    "INSTA_UPDATE",
    "LD_LIBRARY_PATH",
    "ORT_DYLIB_PATH",
    "PYTHONHOME",
    "TF_BUILD",
    "VIRTUAL_ENV",
];

pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    project().join("fixtures/models").join(name)
}

/// Takes away whatever in the environment would change what `fairgate` does.
pub(crate) fn clean(command: &mut Command) {
    for variable in ENVIRONMENT {
        command.env_remove(variable);
    }
}

/// A model repository in a temporary folder.
pub(crate) struct Repo {
    folder: TempDir,
}

impl Repo {
    /// [`SPEC`] with one of the models of the fixtures.
    pub(crate) fn new(model: &str) -> Self {
        let repo = Repo::with_spec(SPEC);
        repo.model(model);
        fs::copy(fixture("tiny.csv"), repo.path("tiny.csv")).unwrap();
        repo
    }

    /// Nothing but a spec.
    pub(crate) fn with_spec(spec: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo { folder };
        repo.write("fairness.toml", spec);
        repo
    }

    /// The networks and datasets of the project, with a small budget.
    pub(crate) fn of_fixtures() -> Self {
        let spec = fs::read_to_string(project().join("fairness.toml")).unwrap();
        let fixtures = project().join("fixtures").display().to_string();
        let budget = "global-seeds = 1000, local-steps = 1000";
        assert!(
            spec.contains(budget),
            "the spec's budget is written otherwise"
        );
        Repo::with_spec(
            spec.replace(
                "\"fixtures/",
                &format!("\"{}/", fixtures.replace('\\', "/")),
            )
            .replace(budget, "global-seeds = 50, local-steps = 50"),
        )
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Puts another model of the fixtures in place.
    pub(crate) fn model(&self, name: &str) {
        fs::copy(fixture(&format!("{name}.onnx")), self.path("model.onnx")).unwrap();
    }

    /// Replaces a part of a file, which must be in it.
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no {from:?}:\n{text}");
        self.write(name, text.replacen(from, to, 1));
    }

    /// Replaces a part of the spec.
    pub(crate) fn spec(self, from: &str, to: &str) -> Self {
        self.edit("fairness.toml", from, to);
        self
    }

    /// Adds a line to the benchmark, which is the last table.
    pub(crate) fn benchmark(self, line: &str) -> Self {
        let text = format!("{}{line}\n", self.read("fairness.toml"));
        self.write("fairness.toml", text);
        self
    }

    /// Every file with its bytes.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    files.insert(path.clone(), Vec::new());
                    folders.push(path);
                } else {
                    files.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        files
    }

    /// `fairgate` in this folder, on a machine that has neither Python nor ONNX Runtime.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command: Command = Command::new(cargo_bin_cmd!("fairgate").get_program());
        clean(&mut command);
        command
            .current_dir(self.folder.path())
            .env("PATH", "")
            .env("HOME", self.folder.path())
            .args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    /// Runs with variables in the environment.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).envs(variables.iter().copied()))
    }

    /// The JSON line of the only benchmark.
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let ran = self.run(&[&["check", "--format", "json"], arguments].concat());
        assert_eq!(ran.stdout.lines().count(), 1, "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }
}

/// What a run said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        let started = Instant::now();
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().expect("the program starts");
        Ran {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8(stdout).expect("standard output is text"),
            stderr: String::from_utf8(stderr).expect("standard error is text"),
            took: started.elapsed(),
        }
    }

    /// Whether both the exit code and these phrases on standard output are there.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, phrases: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        for phrase in phrases {
            assert!(self.stdout.contains(phrase), "no {phrase:?} in {self:#?}");
        }
    }
}

/// Runs a trial's body, or shows the trial as ignored where there is no ONNX Runtime.
pub(crate) fn with_library(run: impl FnOnce() -> Result<(), Failed>) -> Result<Completion, Failed> {
    match runtime_library() {
        Ok(_) => run().map(|()| Completion::Completed),
        Err(error) if error.is_absence() => Ok(absent(&error)),
        Err(error) => Err(error.into()),
    }
}

/// Ignored, because there is no ONNX Runtime.
pub(crate) fn absent(error: &RuntimeError) -> Completion {
    let sentence = error.to_string();
    let (reason, _) = sentence.split_once(';').unwrap_or((&sentence, ""));
    Completion::ignored_with(reason)
}

/// Text without the line breaks and the margin that a terminal's width puts into it.
pub(crate) fn flat(text: &str) -> String {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == '│')
        .collect();
    let words = words.into_iter().filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
