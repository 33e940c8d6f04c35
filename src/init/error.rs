//! Why no spec can be proposed.

use std::path::PathBuf;

use crate::dataset::DatasetError;
use crate::model::ModelError;
use crate::snapshot::SnapshotError;
use crate::spec::SpecError;
use crate::spec::suggest::{closest, list};

/// Why no spec can be proposed.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub(crate) enum InitError {
    /// A file that was named cannot be read.
    #[error("cannot read the {what} {}: {why}", path.display())]
    #[diagnostic(
        code(fairgate::init::unreadable),
        help("the model comes first, then the CSV: fairgate init model.onnx people.csv")
    )]
    Unreadable {
        what: &'static str,
        path: PathBuf,
        why: String,
    },
    /// The CSV cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Dataset(#[from] DatasetError),
    /// The model cannot be used.
    #[error("{}", about(path, error))]
    #[diagnostic(forward(error))]
    Model { path: PathBuf, error: ModelError },
    /// The model is about no table.
    #[error("{}: {why}", path.display())]
    #[diagnostic(
        code(fairgate::init::no_table),
        help(
            "fairgate tests models of tables: each input has one row a person, [N] or [N, columns]. \
             Export the model so that it takes a person's attributes (images, texts and sequences \
             are none)"
        )
    )]
    NoTable { path: PathBuf, why: String },
    /// No input of the model is in the CSV.
    #[error(
        "the model and the CSV have nothing in common: the model's inputs are {inputs}; {} has the \
         columns {columns}",
        path.display()
    )]
    #[diagnostic(
        code(fairgate::init::nothing_shared),
        help(
            "name the CSV with the people that the model was made for; its header must name the inputs"
        )
    )]
    NothingShared {
        inputs: String,
        path: PathBuf,
        columns: String,
    },
    /// An argument names a column that is not there.
    #[error("{option} names `{name}`, which is no column of {}", path.display())]
    #[diagnostic(code(fairgate::init::no_such_column))]
    NoSuchColumn {
        option: &'static str,
        name: String,
        path: PathBuf,
        #[help]
        help: String,
    },
    /// An attribute is to be protected that the model is not given.
    #[error(
        "--protected names `{name}`, which the model is not given: changing it changes nothing"
    )]
    #[diagnostic(code(fairgate::init::not_read))]
    NotRead {
        name: String,
        #[help]
        help: String,
    },
    /// The environment is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Environment(#[from] SnapshotError),
    /// What was written cannot be read: a mistake of ours.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Spec(#[from] SpecError),
}

impl InitError {
    /// Whether the arguments are to blame.
    pub(crate) fn is_usage(&self) -> bool {
        matches!(
            self,
            InitError::NoSuchColumn { .. } | InitError::NotRead { .. } | InitError::Environment(_)
        )
    }

    /// An argument that names no column.
    pub(super) fn no_such_column(
        option: &'static str,
        name: &str,
        path: &std::path::Path,
        columns: &[String],
    ) -> Self {
        let columns = || columns.iter().map(String::as_str);
        InitError::NoSuchColumn {
            option,
            name: name.to_owned(),
            path: path.to_owned(),
            help: match closest(name, columns()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the columns are {}", list(columns(), "and")),
            },
        }
    }
}

fn about(path: &std::path::Path, error: &ModelError) -> String {
    let (sentence, path) = (error.to_string(), path.display().to_string());
    match sentence.contains(&path) {
        true => sentence,
        false => format!("{path}: {sentence}"),
    }
}
