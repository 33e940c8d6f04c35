//! What the parser makes of an expression: a list of nodes, each after its own parts.
//!
//! A list, not boxes in boxes: passes over it are plain loops, so a long expression cannot overflow
//! the stack. The order is the one in which a stack machine evaluates.

use std::ops::Range;

/// The place of a node in the list.
pub(super) type Id = usize;

/// A part of an expression with its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// What it is.
    pub(super) kind: NodeKind,
    /// Its bytes in the text.
    pub(super) range: Range<usize>,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NodeKind {
    /// A number.
    Number(f64),
    /// A text in quotes.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// The name of an attribute, known or not.
    Name(String),
    /// `-a`
    Negate(Id),
    /// `not a`
    Not(Id),
    /// `a + b`, `a and b` and so on; comparisons are apart, since they form chains.
    Binary(Binary, Id, Id),
    /// `a < b <= c`: one comparison fewer than operands.
    Compare(Vec<Id>, Vec<Comparison>),
    /// `a in [1, 2]`, and whether it is `not in`.
    In(Id, Vec<Listed>, bool),
    /// `if a then b else c`; without `else` it holds where `a` does not.
    If(Id, Id, Option<Id>),
    /// `min(a, b)`: the name and its place, and the arguments.
    Call(String, Range<usize>, Vec<Id>),
}

/// An entry of the list behind `in`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    /// Its value.
    pub(super) value: Literal,
    /// Its bytes in the text.
    pub(super) range: Range<usize>,
}

/// A value written out.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    /// A number.
    Number(f64),
    /// A text in quotes.
    Text(String),
}

/// An operator with a left and a right side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `and`
    And,
    /// `or`
    Or,
    /// `implies`
    Implies,
}

impl Binary {
    /// The operator as it is written.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::And => "and",
            Binary::Or => "or",
            Binary::Implies => "implies",
        }
    }

    /// Whether both sides are truth values; otherwise both are numbers.
    pub(super) fn joins_truths(self) -> bool {
        matches!(self, Binary::And | Binary::Or | Binary::Implies)
    }
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// The comparison that is written like this.
    pub(super) fn of(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "==" => Comparison::Equal,
            "!=" => Comparison::Unequal,
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            _ => return None,
        })
    }

    /// The comparison as it is written.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Unequal => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
        }
    }

    /// Whether it needs values that have an order.
    pub(super) fn orders(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::Unequal)
    }
}
