//! What is said about slips of the grammar.

use std::ops::Range;

use super::DEEPEST;
use crate::schema::expression::error::ExpressionError;
use crate::schema::expression::words::KEYWORDS;

/// Words that people bring from elsewhere, and ours for the same thing.
const FOREIGN: [(&str, &str); 5] = [
    ("is", "=="),
    ("equals", "=="),
    ("eq", "=="),
    ("xor", "!="),
    ("requires", "implies"),
];

/// What to write for a name where only an operator fits.
pub(super) fn help_for_word(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let ours = KEYWORDS
        .iter()
        .find(|keyword| **keyword == lower)
        .or_else(|| {
            let foreign = FOREIGN.iter().find(|(theirs, _)| *theirs == lower);
            foreign.map(|(_, ours)| ours)
        });
    Some(match ours {
        Some(ours) => format!("write `{ours}`"),
        None => "names with spaces are written in backticks, texts in quotes".to_string(),
    })
}

/// Something is open at the end of the text.
pub(super) fn unclosed(opener: &str, open: &Range<usize>) -> ExpressionError {
    let message = format!("this `{opener}` is never closed");
    ExpressionError::new(open.clone(), message, "opened here")
}

/// There is nothing but spaces.
pub(super) fn empty(range: Range<usize>) -> ExpressionError {
    ExpressionError::new(range, "there is no expression", "nothing in here")
        .with_help("write one such as `age >= 18`")
}

/// Parentheses in parentheses, too many of them.
pub(super) fn too_deep(range: Range<usize>) -> ExpressionError {
    let message = format!("this is nested more than {DEEPEST} levels deep");
    ExpressionError::new(range, message, "too deep")
        .with_help("write it with fewer parentheses, or as several constraints")
}
