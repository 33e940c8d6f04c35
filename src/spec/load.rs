//! The whole of a `fairness.toml`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{NamedSource, SourceSpan};

use super::benchmark::BenchmarkSpec;
use super::dataset::DatasetSpec;
use super::error::SpecError;
use super::located::Located;
use super::model::ModelSpec;
use super::problem::SpecProblem;
use super::validate;

/// A `fairness.toml` without a problem in it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Spec {
    /// The file.
    pub path: PathBuf,
    /// The folder of the file, which paths in it are relative to.
    pub folder: PathBuf,
    /// The models by name. They may be more than the benchmarks use.
    pub models: BTreeMap<String, ModelSpec>,
    /// The datasets by name. They may be more than the benchmarks use.
    pub datasets: BTreeMap<String, DatasetSpec>,
    /// The benchmarks, sorted by name; at least one.
    pub benchmarks: Vec<BenchmarkSpec>,
    /// The folder of the snapshots. Default: `tests/snapshots` beside the file.
    pub snapshots: PathBuf,
    pub(super) text: Arc<str>,
}

impl Spec {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read, or with every problem in it.
    pub fn load(path: impl AsRef<Path>) -> Result<Spec, SpecError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|cause| unreadable(path, cause))?;
        let text = String::from_utf8(bytes).map_err(|cause| not_text(path, &cause))?;
        Spec::parse(&text, path)
    }

    /// Reads `text` as if it were the file at `path`, which need not exist.
    ///
    /// # Errors
    /// With every problem in the text.
    pub fn parse(text: &str, path: &Path) -> Result<Spec, SpecError> {
        validate::spec(text, path)
            .map_err(|problems| SpecError::problems_in(path, text.into(), problems))
    }

    /// The text of the file with its name, for diagnostics that point into it.
    pub fn source(&self) -> NamedSource<Arc<str>> {
        NamedSource::new(self.path.to_string_lossy(), Arc::clone(&self.text))
    }

    /// An error from a later stage that points at `at`, with the looks of those found while
    /// reading. For several at once see [`SpecError::new`] and [`SpecProblem::Plan`].
    pub fn problem_at(
        &self,
        message: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
        at: SourceSpan,
    ) -> SpecError {
        let problem = SpecProblem::Plan {
            message: message.into(),
            label: label.into(),
            help,
            at,
        };
        SpecError::new(self, vec![problem])
    }
}

/// What paths in the file are relative to.
#[derive(Debug)]
pub(super) struct Base(PathBuf);

impl Base {
    pub(super) fn of(file: &Path) -> Self {
        Base(file.parent().map(Path::to_owned).unwrap_or_default())
    }

    /// The folder itself; `.` if the file's path has none.
    pub(super) fn folder(&self) -> PathBuf {
        if self.0.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            self.0.clone()
        }
    }

    pub(super) fn join(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// The path that the table `name` says, or a placeholder where it says none.
    pub(super) fn resolve(
        &self,
        path: Option<Located<String>>,
        name: &Located<String>,
    ) -> Located<PathBuf> {
        path.map_or_else(
            || Located::new(PathBuf::new(), name.span),
            |path| path.map(|path| self.join(&path)),
        )
    }
}

fn unreadable(path: &Path, cause: io::Error) -> SpecError {
    let path = path.to_owned();
    if cause.kind() == io::ErrorKind::NotFound {
        SpecError::NotFound { path }
    } else if path.is_dir() {
        SpecError::Folder { path }
    } else {
        SpecError::Unreadable { path, cause }
    }
}

fn not_text(path: &Path, cause: &std::string::FromUtf8Error) -> SpecError {
    let (good, _) = cause.as_bytes().split_at(cause.utf8_error().valid_up_to());
    SpecError::NotUtf8 {
        path: path.to_owned(),
        line: 1 + good.iter().filter(|byte| **byte == b'\n').count(),
    }
}
