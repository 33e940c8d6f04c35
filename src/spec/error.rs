//! Why there is no [`Spec`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, NamedSource};
use thiserror::Error;

use super::load::Spec;
use super::problem::SpecProblem;

/// Why a `fairness.toml` could not be used.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum SpecError {
    /// There is no such file.
    #[error("there is no spec at {}", path.display())]
    #[diagnostic(
        code(fairgate::spec::not_found),
        help("`fairgate init MODEL CSV` writes a first one; or pass --spec FILE")
    )]
    NotFound {
        /// Where it was looked for.
        path: PathBuf,
    },

    /// The path leads to a folder.
    #[error("{} is a folder, not a spec", path.display())]
    #[diagnostic(
        code(fairgate::spec::folder),
        help("pass the file itself: --spec {}", path.join("fairness.toml").display())
    )]
    Folder {
        /// The folder.
        path: PathBuf,
    },

    /// The file is there but cannot be read.
    #[error("{} cannot be read", path.display())]
    #[diagnostic(
        code(fairgate::spec::unreadable),
        help("check that it is a plain file and that you may read it")
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },

    /// The file holds something other than text.
    #[error("{} is not UTF-8 text: line {line} cannot be read", path.display())]
    #[diagnostic(
        code(fairgate::spec::not_utf8),
        help("save it as UTF-8; some Windows programs write UTF-16 unless told otherwise")
    )]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line of the first byte that is not text.
        line: usize,
    },

    /// The file says things that cannot be; all of them are here.
    #[error("{} has {}", path.display(), count(problems.len()))]
    #[diagnostic(code(fairgate::spec))]
    Problems {
        /// The file.
        path: PathBuf,
        /// Its text, for the snippets under the problems.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// At least one problem, from the top of the file to its end.
        #[related]
        problems: Vec<SpecProblem>,
    },
}

impl SpecError {
    /// An error about `spec` from a later stage, with the looks of those found while reading it.
    pub fn new(spec: &Spec, problems: Vec<SpecProblem>) -> Self {
        SpecError::Problems {
            path: spec.path.clone(),
            text: spec.source(),
            problems,
        }
    }

    pub(super) fn problems_in(path: &Path, text: Arc<str>, problems: Vec<SpecProblem>) -> Self {
        SpecError::Problems {
            path: path.to_owned(),
            text: NamedSource::new(path.to_string_lossy(), text),
            problems,
        }
    }

    /// The problems in the file; none if the file could not even be read.
    pub fn problems(&self) -> &[SpecProblem] {
        match self {
            SpecError::Problems { problems, .. } => problems,
            _ => &[],
        }
    }

    /// Whether the only thing wrong is that there is no benchmark: nothing to run, rather than
    /// something to mend.
    pub fn is_empty_plan(&self) -> bool {
        let problems = self.problems();
        !problems.is_empty()
            && problems
                .iter()
                .all(|problem| matches!(problem, SpecProblem::Empty { .. }))
    }
}

fn count(problems: usize) -> String {
    match problems {
        1 => "1 problem".to_owned(),
        n => format!("{n} problems"),
    }
}
