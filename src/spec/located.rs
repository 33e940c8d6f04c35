//! A value and where it stands in `fairness.toml`.

use miette::SourceSpan;

/// A value of the spec together with its place in the file.
///
/// It is kept where a later stage may have to point at the line: the plan, for one, learns only
/// from the CSV header that a protected attribute does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// The bytes of `fairness.toml` that say it.
    pub span: SourceSpan,
}

impl<T> Located<T> {
    /// `value`, said at `span`.
    pub fn new(value: T, span: impl Into<SourceSpan>) -> Self {
        Located {
            value,
            span: span.into(),
        }
    }

    /// The same place with another value, made from this one.
    pub(super) fn map<U>(self, make: impl FnOnce(T) -> U) -> Located<U> {
        Located {
            value: make(self.value),
            span: self.span,
        }
    }
}
