//! What is wrong with an expression, where, and how to mend it.

use std::fmt;
use std::ops::Range;

/// One thing to mend in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionError {
    /// What is wrong, in one sentence.
    pub(crate) message: String,
    /// A few words for the place itself.
    pub(crate) label: String,
    /// How to mend it, where that is known.
    pub(crate) help: Option<String>,
    /// The place: bytes of the expression's text. Empty at the end of a text that breaks off.
    pub(crate) range: Range<usize>,
}

impl ExpressionError {
    /// An error without help.
    pub(super) fn new(
        range: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        ExpressionError {
            message: message.into(),
            label: label.into(),
            help: None,
            range,
        }
    }

    /// The same error with help.
    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        self.with_help_if_any(Some(help.into()))
    }

    /// The same error, with help where there is any.
    pub(super) fn with_help_if_any(self, help: Option<String>) -> Self {
        ExpressionError { help, ..self }
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for ExpressionError {}
