//! Finds the ONNX Runtime shared library, and has it probed before anything runs in it.
//!
//! Nothing here names `ort`: handed a missing or old library, `ort` panics deep inside a call.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use super::RuntimeError;
use super::probe::{major_minor, open_file, open_library, question};

/// How long a Python interpreter may take to say where its packages are.
const PATIENCE: Duration = Duration::from_secs(5);

/// Prints the folder of the package `onnxruntime` without importing it, which would load the library
/// and take a second. The working directory is left out: a folder there is not an installed package.
const WHERE_IS_ONNXRUNTIME: &str = "\
import importlib.util, os, sys
sys.path = [place for place in sys.path if place]
spec = importlib.util.find_spec('onnxruntime')
if spec and spec.submodule_search_locations:
    sys.stdout.buffer.write(os.fsencode(list(spec.submodule_search_locations)[0]))
";

/// An ONNX Runtime shared library that was found and answers.
#[derive(Debug, Clone)]
pub struct RuntimeLibrary {
    path: PathBuf,
    place: Place,
    version: String,
}

impl RuntimeLibrary {
    pub(super) fn new(path: &Path, place: &Place, version: String) -> Self {
        RuntimeLibrary {
            path: path.to_path_buf(),
            place: place.clone(),
            version,
        }
    }

    /// The file, or its bare name where the system's loader found it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it was found.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The library's own version, such as `1.31.1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether the library is at least version `major.minor`.
    pub fn is_at_least(&self, major: u32, minor: u32) -> bool {
        major_minor(&self.version) >= (major, minor)
    }
}

/// Where a library was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// `ORT_DYLIB_PATH`.
    Named,
    /// The folder of the running program.
    BesideExecutable,
    /// The system's library path.
    LibraryPath,
    /// The Python environment that this variable names.
    Environment(&'static str),
    /// The package of this Python interpreter.
    Python(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Named => f.write_str("named by ORT_DYLIB_PATH"),
            Place::BesideExecutable => f.write_str("next to the program"),
            Place::LibraryPath => f.write_str("on the system's library path"),
            Place::Environment(variable) => write!(f, "in the Python environment {variable}"),
            Place::Python(interpreter) => write!(f, "in the packages of {interpreter}"),
        }
    }
}

/// The ONNX Runtime library of this process.
///
/// Looked for once: a process can load only one, so later calls give the first answer again.
///
/// # Errors
/// Where nothing was found or what was found cannot be used, with the places tried and the fix.
pub fn runtime_library() -> Result<&'static RuntimeLibrary, RuntimeError> {
    static FOUND: OnceLock<Result<RuntimeLibrary, RuntimeError>> = OnceLock::new();
    let found = FOUND.get_or_init(|| Surroundings::of_this_process().find());
    found.as_ref().map_err(Clone::clone)
}

/// Everything outside the program that says where the library may be, so that tests can say it too.
#[derive(Debug, Default)]
struct Surroundings {
    named: Option<PathBuf>,
    executable_dir: Option<PathBuf>,
    listed_dirs: Vec<PathBuf>,
    loader_names: Vec<String>,
    standard_dirs: Vec<PathBuf>,
    environments: Vec<(&'static str, PathBuf)>,
    interpreters: Vec<OsString>,
}

impl Surroundings {
    fn of_this_process() -> Self {
        let listed = if cfg!(target_os = "macos") {
            "DYLD_LIBRARY_PATH"
        } else {
            "LD_LIBRARY_PATH"
        };
        Surroundings {
            named: variable("ORT_DYLIB_PATH"),
            executable_dir: std::env::current_exe()
                .ok()
                .and_then(|program| program.parent().map(Path::to_path_buf)),
            listed_dirs: std::env::var_os(listed).map_or_else(Vec::new, |dirs| {
                std::env::split_paths(&dirs)
                    .filter(|dir| dir.is_absolute())
                    .collect()
            }),
            loader_names: loader_names(),
            standard_dirs: standard_dirs(),
            environments: ["VIRTUAL_ENV", "CONDA_PREFIX"]
                .into_iter()
                .filter_map(|name| Some((name, variable(name)?)))
                .collect(),
            interpreters: vec!["python3".into(), "python".into()],
        }
    }

    fn find(&self) -> Result<RuntimeLibrary, RuntimeError> {
        if let Some(named) = &self.named {
            return self.open_named(named);
        }
        let mut search = Search::default();
        self.beside_executable(&mut search)
            .or_else(|| self.on_library_path(&mut search))
            .or_else(|| self.in_environments(&mut search))
            .or_else(|| self.in_packages(&mut search))
            .ok_or_else(|| search.into_error())
    }

    /// Somebody who names a library wants that one: there is no second choice.
    fn open_named(&self, named: &Path) -> Result<RuntimeLibrary, RuntimeError> {
        let beside = self.executable_dir.as_ref().map(|dir| dir.join(named));
        let path = match beside {
            Some(beside) if !named.is_file() && beside.is_file() => beside,
            // Without a folder in it, the loader would look for the name elsewhere.
            _ => std::path::absolute(named).unwrap_or_else(|_| named.to_path_buf()),
        };
        open_file(&path, &Place::Named)
    }

    fn beside_executable(&self, search: &mut Search) -> Option<RuntimeLibrary> {
        search.folder(self.executable_dir.as_deref()?, &Place::BesideExecutable)
    }

    fn on_library_path(&self, search: &mut Search) -> Option<RuntimeLibrary> {
        let place = Place::LibraryPath;
        let folders = |dirs: &[PathBuf], search: &mut Search| {
            dirs.iter().find_map(|dir| search.folder(dir, &place))
        };
        folders(&self.listed_dirs, search)
            .or_else(|| {
                let mut names = self.loader_names.iter();
                names.find_map(|name| search.loader(name))
            })
            .or_else(|| folders(&self.standard_dirs, search))
    }

    fn in_environments(&self, search: &mut Search) -> Option<RuntimeLibrary> {
        self.environments.iter().find_map(|(variable, prefix)| {
            let packages: Vec<PathBuf> = site_packages(prefix)
                .into_iter()
                .map(|site| site.join("onnxruntime"))
                .filter(|package| package.is_dir())
                .collect();
            if packages.is_empty() {
                let prefix = prefix.display();
                search.note(format!(
                    "{variable} ({prefix}): no Python package onnxruntime"
                ));
            }
            let place = Place::Environment(variable);
            packages
                .iter()
                .find_map(|package| search.package(package, &place))
        })
    }

    fn in_packages(&self, search: &mut Search) -> Option<RuntimeLibrary> {
        self.interpreters.iter().find_map(|interpreter| {
            let name = interpreter.to_string_lossy().into_owned();
            match package_of(interpreter, PATIENCE) {
                Ok(package) => search.package(&package, &Place::Python(name)),
                Err(why) => {
                    search.note(format!("{name} on the PATH: {why}"));
                    None
                }
            }
        })
    }
}

/// What a search has met so far.
#[derive(Debug, Default)]
struct Search {
    tried: Vec<String>,
    seen: BTreeSet<PathBuf>,
    /// The first library that was there and could not be used: mending it is the shortest way.
    rejected: Option<RuntimeError>,
}

impl Search {
    fn note(&mut self, line: String) {
        self.tried.push(line);
    }

    fn folder(&mut self, dir: &Path, place: &Place) -> Option<RuntimeLibrary> {
        let libraries = libraries_in(dir);
        if libraries.is_empty() {
            self.note(format!(
                "{} ({place}): no {}",
                dir.display(),
                library_name()
            ));
        }
        libraries.iter().find_map(|path| self.file(path, place))
    }

    fn file(&mut self, path: &Path, place: &Place) -> Option<RuntimeLibrary> {
        if !self.seen.insert(path.to_path_buf()) {
            return None;
        }
        match open_file(path, place) {
            Ok(library) => Some(library),
            Err(error) => {
                self.note(error.to_string());
                self.rejected.get_or_insert(error);
                None
            }
        }
    }

    /// Lets the system's loader find `name`; what it cannot open counts as not there.
    fn loader(&mut self, name: &str) -> Option<RuntimeLibrary> {
        let path = Path::new(name);
        let Ok(library) = open_library(path) else {
            self.note(format!(
                "{name} through the system's loader: not there, or it does not load"
            ));
            return None;
        };
        match question(library, path, &Place::LibraryPath) {
            Ok(library) => Some(library),
            Err(error) => {
                self.note(error.to_string());
                self.rejected.get_or_insert(error);
                None
            }
        }
    }

    fn package(&mut self, package: &Path, place: &Place) -> Option<RuntimeLibrary> {
        if !self.seen.insert(package.to_path_buf()) {
            return None;
        }
        let libraries = libraries_in(&package.join("capi"));
        if libraries.is_empty() {
            let error = RuntimeError::WheelWithoutLibrary {
                package: package.to_path_buf(),
                library: library_name(),
            };
            self.note(error.to_string());
            self.rejected.get_or_insert(error);
        }
        libraries.iter().find_map(|path| self.file(path, place))
    }

    fn into_error(self) -> RuntimeError {
        let tried = self.tried;
        self.rejected.unwrap_or(RuntimeError::NotFound { tried })
    }
}

/// An environment variable as a path; an empty one counts as not set.
fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
    Some(PathBuf::from(value))
}

/// The library's file name without a version: `libonnxruntime.so`, `onnxruntime.dll` ...
fn library_name() -> String {
    format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}")
}

fn loader_names() -> Vec<String> {
    let mut names = vec![library_name()];
    if cfg!(all(unix, not(target_os = "macos"))) {
        // Distributions put the plain name into their development package only.
        names.push(format!("{}.1", library_name()));
    }
    names
}

/// Folders where a library may lie under a versioned name, which the loader finds only if told it.
fn standard_dirs() -> Vec<PathBuf> {
    if cfg!(windows) {
        return Vec::new();
    }
    let multiarch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let all = [
        "/usr/local/lib",
        "/usr/local/lib64",
        "/opt/homebrew/lib",
        "/usr/lib",
        "/usr/lib64",
        &multiarch,
    ];
    let dirs = all.iter().map(PathBuf::from);
    dirs.filter(|dir| dir.is_dir()).collect()
}

/// The ONNX Runtime libraries in `dir`: the plain name first, then the newest version.
fn libraries_in(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries
        .filter_map(|entry| {
            let version = version_in_name(entry.file_name().to_str()?)?;
            Some((version, entry.path()))
        })
        .collect();
    found.sort_by_key(|(version, _)| (!version.is_empty(), Reverse(version.clone())));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The version in a library's file name, empty for the plain name, `None` for any other file.
fn version_in_name(file_name: &str) -> Option<Vec<u32>> {
    let plain = library_name();
    if file_name == plain {
        return Some(Vec::new());
    }
    let version = if cfg!(target_os = "macos") {
        let stem = file_name.strip_suffix(DLL_SUFFIX)?;
        stem.strip_prefix("libonnxruntime.")?
    } else {
        file_name.strip_prefix(&plain)?.strip_prefix('.')?
    };
    let numbers = version.split('.').map(|number| number.parse().ok());
    numbers.collect()
}

/// The folders of a Python environment that hold its packages.
fn site_packages(prefix: &Path) -> Vec<PathBuf> {
    if cfg!(windows) {
        return vec![prefix.join("Lib").join("site-packages")];
    }
    let mut found: Vec<PathBuf> = ["lib", "lib64"]
        .iter()
        .filter_map(|lib| std::fs::read_dir(prefix.join(lib)).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy());
            name.is_some_and(|name| name.starts_with("python3"))
        })
        .map(|python| python.join("site-packages"))
        .collect();
    found.sort();
    found
}

/// Asks a Python interpreter where its package `onnxruntime` lies, without importing it.
fn package_of(interpreter: &OsString, patience: Duration) -> Result<PathBuf, String> {
    let mut child = Command::new(interpreter)
        .args(["-c", WHERE_IS_ONNXRUNTIME])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| String::from("not there"))?;
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stdout) = child.stdout.take() {
        // In a thread of its own: a wrapper script may die and leave the pipe open in a grandchild.
        std::thread::spawn(move || {
            let mut answer = Vec::new();
            let _ = stdout.read_to_end(&mut answer);
            let _ = sender.send(answer);
        });
    }
    let answer = receiver.recv_timeout(patience);
    // Neither can fail in a way that matters: it has answered, or it is not wanted any more.
    let _ = child.kill();
    let _ = child.wait();
    let answer =
        answer.map_err(|_| format!("did not answer within {} seconds", patience.as_secs()))?;
    match String::from_utf8_lossy(&answer).trim() {
        "" => Err(String::from("no Python package onnxruntime")),
        package => Ok(PathBuf::from(package)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn nothing_anywhere_lists_every_place_tried() {
        let dir = tempfile::tempdir().unwrap();
        let surroundings = Surroundings {
            executable_dir: Some(dir.path().join("bin")),
            listed_dirs: vec![dir.path().join("lib")],
            loader_names: vec!["libno-such-onnxruntime.so".into()],
            environments: vec![("VIRTUAL_ENV", dir.path().join("venv"))],
            interpreters: vec!["no-such-python".into()],
            ..Surroundings::default()
        };
        let error = surroundings.find().unwrap_err();
        let RuntimeError::NotFound { tried } = &error else {
            panic!("{error}")
        };
        assert_eq!(tried.len(), 5, "{tried:?}");
        assert!(tried[0].contains("next to the program"), "{}", tried[0]);
        assert!(tried[2].contains("through the system's loader"));
        assert!(tried[3].contains("VIRTUAL_ENV") && tried[3].contains("no Python package"));
        assert!(tried[4].contains("no-such-python on the PATH: not there"));
    }

    #[test]
    fn a_wrong_named_path_is_an_error_at_once() {
        let surroundings = Surroundings {
            named: Some("/no/such/libonnxruntime.so".into()),
            interpreters: vec!["python3".into()],
            ..Surroundings::default()
        };
        let sentence = surroundings.find().unwrap_err().to_string();
        assert!(
            sentence.contains("/no/such/libonnxruntime.so"),
            "{sentence}"
        );
        assert!(sentence.contains("ORT_DYLIB_PATH"), "{sentence}");
        assert!(!sentence.contains("os error"), "{sentence}");
    }

    #[test]
    fn an_old_wheel_is_told_as_such() {
        let dir = tempfile::tempdir().unwrap();
        let capi = site_packages_of_a_test(dir.path()).join("onnxruntime/capi");
        write(&capi.join("libonnxruntime_providers_shared.so"), "");
        let surroundings = Surroundings {
            environments: vec![("VIRTUAL_ENV", dir.path().to_path_buf())],
            ..Surroundings::default()
        };
        let sentence = surroundings.find().unwrap_err().to_string();
        assert!(
            sentence.contains("found the Python package onnxruntime at"),
            "{sentence}"
        );
        assert!(sentence.contains("its wheel ships no"), "{sentence}");
    }

    #[test]
    fn a_broken_library_next_to_the_program_does_not_end_the_search() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir.path().join(library_name()), "broken");
        let mut search = Search::default();
        let found = search.folder(dir.path(), &Place::BesideExecutable);
        assert!(found.is_none());
        assert!(
            search
                .folder(&dir.path().join("lib"), &Place::LibraryPath)
                .is_none()
        );
        assert_eq!(search.tried.len(), 2);
        let error = search.into_error();
        assert!(
            matches!(error, RuntimeError::NotALibrary { .. }),
            "{error:?}"
        );
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    #[test]
    fn the_plain_name_comes_first_and_then_the_newest_version() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "libonnxruntime.so.1.9.0",
            "libonnxruntime.so.1.31.1",
            "libonnxruntime.so",
            "libonnxruntime.so.debug",
            "libonnxruntime_providers_shared.so",
        ] {
            write(&dir.path().join(name), "");
        }
        let names: Vec<String> = libraries_in(dir.path())
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(
            names,
            [
                "libonnxruntime.so",
                "libonnxruntime.so.1.31.1",
                "libonnxruntime.so.1.9.0"
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_python_that_hangs_is_given_up() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let python = dir.path().join("python3");
        // The grandchild keeps the pipe open after its parent is killed.
        write(&python, "#!/bin/sh\nsleep 4 &\nsleep 4\n");
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
        let start = std::time::Instant::now();
        let why = package_of(&python.into(), Duration::from_secs(1)).unwrap_err();
        assert_eq!(why, "did not answer within 1 seconds");
        assert!(start.elapsed() < Duration::from_secs(3));
    }

    fn site_packages_of_a_test(prefix: &Path) -> PathBuf {
        if cfg!(windows) {
            prefix.join("Lib/site-packages")
        } else {
            prefix.join("lib/python3.11/site-packages")
        }
    }
}
