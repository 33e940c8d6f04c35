//! Expressions over attributes: constraints that a person must meet, and derived numbers.
//!
//! # The grammar
//!
//! ```text
//! not (relationship == "Husband" and sex == "Female")
//! if relationship == "Husband" then sex == "Male"       # or: A implies B
//! workclass in ["Private", "Never-worked"]              # or: not in [...]
//! age >= education-years + 5
//! 18 <= age <= 65
//! weight / (height * height) < 60
//! if age < 18 then 0 else round(log(income + 1))        # a derived number
//! ```
//!
//! | from weakest to strongest              |                                                          |
//! |----------------------------------------|----------------------------------------------------------|
//! | `if A then B`, `if A then x else y`    | without `else` it is `A implies B`                       |
//! | `A implies B`                          | `not A or B`                                             |
//! | `A or B`                               |                                                          |
//! | `A and B`                              |                                                          |
//! | `not A`                                |                                                          |
//! | `==` `!=` `<` `<=` `>` `>=` `in` `not in` | chains: `a < b <= c` is `a < b and b <= c`            |
//! | `x + y`, `x - y`                       |                                                          |
//! | `x * y`, `x / y`                       |                                                          |
//! | `-x`                                   |                                                          |
//! | `(...)`, `min(x, y, ...)`, `max(x, y, ...)`, `abs(x)`, `floor(x)`, `round(x)`, `log(x)`, `sqrt(x)` | `log` is the natural logarithm; `round` takes halves away from zero |
//!
//! - Values are numbers (`18`, `0.5`, `1e6`, `1_000`), texts (`"Private"` or `'Private'`) and `true`
//!   or `false`. Texts have no order. `\` before a quote or another `\` takes it as it is.
//! - Attributes are written as they are named, hyphens and all: `hours-per-week`. A name with spaces
//!   or other signs, or that is one of the words above, stands in backticks: `` `hours per week` ``.
//! - A hyphen is part of a name where that makes a name, otherwise a minus: `capital-gain-capital-loss`
//!   is a difference. With spaces around it, it is always a minus.
//! - Numbers are compared exactly. What does not exist, such as `log(-1)` or `0 / 0`, compares as
//!   false with everything, and only `!=` holds.
//! - A derived number may be a condition: it is 1 where the condition holds, and 0 elsewhere.
//!
//! # How it works
//!
//! ```text
//! text --lexer, words--> tokens --parser--> tree --check--> steps --evaluation--> number
//! ```
//!
//! The first slip of the grammar is reported alone; names and types are all reported at once.

mod check;
mod constraint;
mod error;
mod evaluation;
mod lexer;
mod logarithm;
mod names;
mod parser;
#[cfg(test)]
mod tests;
mod tree;
mod words;

pub(crate) use constraint::{Constraint, Constraints};
pub(crate) use error::ExpressionError;
pub(crate) use evaluation::{Column, Values};
pub(crate) use names::{Kind, Names};
pub(crate) use words::{written_name, written_text};

use super::Code;
use check::Purpose;
use evaluation::Program;

/// A correct expression, ready to be evaluated for people.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expression {
    text: String,
    attributes: Box<[usize]>,
    program: Program,
}

impl Expression {
    /// Reads a constraint: something that is true or false.
    ///
    /// # Errors
    /// The first slip of the grammar, or everything wrong with names and types.
    pub(crate) fn constraint(text: &str, names: &Names<'_>) -> Result<Self, Vec<ExpressionError>> {
        Self::read(text, names, Purpose::Constraint)
    }

    /// Reads a derived number. A condition gives 1 where it holds and 0 elsewhere.
    ///
    /// # Errors
    /// The first slip of the grammar, or everything wrong with names and types.
    pub(crate) fn number(text: &str, names: &Names<'_>) -> Result<Self, Vec<ExpressionError>> {
        Self::read(text, names, Purpose::Number)
    }

    /// Reads an expression for a purpose.
    fn read(text: &str, names: &Names<'_>, purpose: Purpose) -> Result<Self, Vec<ExpressionError>> {
        let tokens = lexer::tokens(text, names);
        let nodes = parser::parse(&tokens).map_err(|error| vec![error])?;
        let checked = check::check(text, &nodes, purpose, names)?;
        Ok(Expression {
            text: text.to_string(),
            attributes: checked.attributes.into(),
            program: Program::new(checked.steps),
        })
    }

    /// The places of the attributes it mentions, sorted and distinct.
    pub(crate) fn attributes(&self) -> &[usize] {
        &self.attributes
    }

    /// The expression as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds for a person.
    pub(crate) fn holds(&self, values: &Values, person: &[Code]) -> bool {
        self.value(values, person) != 0.0
    }

    /// The number it gives for a person; NaN where there is none.
    pub(crate) fn value(&self, values: &Values, person: &[Code]) -> f64 {
        self.program.run(values, person)
    }
}
