//! What goes into an engine and what comes out of it: plain data, no runtime is named here.

use std::borrow::Cow;

use super::ModelError;
use super::signature::Port;

/// The numbers or words of one input.
#[derive(Debug)]
pub(super) enum Values<'r> {
    Float(Cow<'r, [f32]>),
    Double(Vec<f64>),
    Int64(Vec<i64>),
    Int32(Vec<i32>),
    Bool(Vec<bool>),
    Text(Vec<&'r str>),
}

impl Values<'_> {
    /// Every value as text.
    pub(super) fn texts(&self) -> Vec<String> {
        fn all<T: ToString>(values: &[T]) -> Vec<String> {
            values.iter().map(T::to_string).collect()
        }
        match self {
            Values::Float(values) => all(values),
            Values::Double(values) => all(values),
            Values::Int64(values) => all(values),
            Values::Int32(values) => all(values),
            Values::Bool(values) => all(values),
            Values::Text(values) => all(values),
        }
    }
}

/// One input: values, row after row, and their shape.
#[derive(Debug)]
pub(super) struct Tensor<'r> {
    pub(super) values: Values<'r>,
    pub(super) shape: Vec<usize>,
}

/// What an output says about each row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// So many numbers a row.
    Numbers { columns: usize, values: Vec<f32> },
    /// A whole number a row: the class, or one that stands for it.
    Whole(Vec<i64>),
    /// A word a row: the class.
    Words(Vec<String>),
    /// A number for each class by name, and these names.
    Named {
        classes: Vec<String>,
        values: Vec<f32>,
    },
}

impl Answer {
    /// This answer without all rows after the first `rows`.
    pub(super) fn truncated(mut self, rows: usize) -> Self {
        match &mut self {
            Answer::Numbers { columns, values } => values.truncate(rows * *columns),
            Answer::Whole(labels) => labels.truncate(rows),
            Answer::Words(labels) => labels.truncate(rows),
            Answer::Named { classes, values } => values.truncate(rows * classes.len()),
        }
        self
    }

    /// This answer with the rows of another behind it, of the same kind.
    pub(super) fn extended(mut self, other: Answer) -> Self {
        match (&mut self, other) {
            (Answer::Numbers { values, .. }, Answer::Numbers { values: more, .. })
            | (Answer::Named { values, .. }, Answer::Named { values: more, .. }) => {
                values.extend(more);
            }
            (Answer::Whole(labels), Answer::Whole(more)) => labels.extend(more),
            (Answer::Words(labels), Answer::Words(more)) => labels.extend(more),
            _ => {}
        }
        self
    }
}

/// Something that runs a model file: tensors in, one output out.
pub(super) trait Engine: Send + Sync {
    /// The inputs, in the order in which [`Engine::run`] takes them.
    fn inputs(&self) -> &[Port];

    /// The outputs.
    fn outputs(&self) -> &[Port];

    /// What the output at `output` says for `rows` rows.
    ///
    /// # Errors
    /// The model failed, or answered with something else than one answer a row.
    fn run(&self, inputs: &[Tensor<'_>], rows: usize, output: usize) -> Result<Answer, ModelError>;

    /// Rows that a call must hold at the least, so that every row gets the same last bits.
    fn least_rows(&self) -> usize {
        1
    }

    /// Does work on the thread where the engine answers soonest.
    fn at_home(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
}
