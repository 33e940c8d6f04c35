//! From tokens to a tree, by recursive descent: one function for each rank of operators.

mod slips;

use std::ops::Range;

use super::error::ExpressionError;
use super::lexer::{Token, TokenKind};
use super::tree::{Binary, Comparison, Id, Listed, Literal, Node, NodeKind};
use super::words::written_text;
use slips::{empty, help_for_word, too_deep, unclosed};

/// How deep parentheses and `if` may be nested: far more than anybody writes, and little enough
/// for the stack of a thread.
const DEEPEST: usize = 64;

/// What was read, or the slip that stopped it.
type Parsed<T> = Result<T, ExpressionError>;

/// The nodes of an expression, each after its parts; the last one is the whole.
///
/// # Errors
/// The first thing in the text that does not fit the grammar.
pub(super) fn parse(tokens: &[Token]) -> Parsed<Vec<Node>> {
    let mut parser = Parser {
        tokens,
        next: 0,
        depth: 0,
        nodes: Vec::new(),
    };
    if *parser.peek() == TokenKind::End {
        return Err(empty(parser.range()));
    }
    parser.expression()?;
    match parser.peek() {
        TokenKind::End => Ok(parser.nodes),
        _ => Err(parser.left_over()),
    }
}

/// Tokens on their way to a tree.
struct Parser<'t> {
    tokens: &'t [Token],
    next: usize,
    depth: usize,
    nodes: Vec<Node>,
}

impl Parser<'_> {
    /// The next token.
    fn token(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    /// What the next token is.
    fn peek(&self) -> &TokenKind {
        self.token().map_or(&TokenKind::End, |token| &token.kind)
    }

    /// Where the next token stands.
    fn range(&self) -> Range<usize> {
        self.token().map_or(0..0, |token| token.range.clone())
    }

    /// From `start` to the end of what was read last.
    fn since(&self, start: usize) -> Range<usize> {
        let last = self.next.checked_sub(1).and_then(|i| self.tokens.get(i));
        start..last.map_or(start, |token| token.range.end)
    }

    /// Moves on, if the next token is this one.
    fn eat(&mut self, fixed: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Fixed(next) if *next == fixed);
        self.next += usize::from(found);
        found
    }

    /// Moves past every one of these, and says where they begin.
    fn eat_all(&mut self, fixed: &str) -> Vec<usize> {
        let mut starts = vec![self.range().start];
        while self.eat(fixed) {
            starts.push(self.range().start);
        }
        // The last one is where something else begins.
        starts.pop();
        starts
    }

    /// Moves past a token that must be there.
    fn need(&mut self, fixed: &'static str) -> Parsed<()> {
        if self.eat(fixed) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{fixed}`")))
        }
    }

    /// Adds a node whose parts are there already.
    fn push(&mut self, kind: NodeKind, range: Range<usize>) -> Id {
        self.nodes.push(Node { kind, range });
        self.nodes.len() - 1
    }

    /// `if a then b else c`, or whatever binds more tightly.
    fn expression(&mut self) -> Parsed<Id> {
        if self.depth == DEEPEST {
            return Err(too_deep(self.range()));
        }
        self.depth += 1;
        let start = self.range().start;
        let id = if self.eat("if") {
            self.condition(start)?
        } else {
            self.implication()?
        };
        self.depth -= 1;
        Ok(id)
    }

    /// What follows after `if`, which stands at `start`.
    fn condition(&mut self, start: usize) -> Parsed<Id> {
        let condition = self.expression()?;
        self.need("then")?;
        let then = self.expression()?;
        let otherwise = match self.eat("else") {
            true => Some(self.expression()?),
            false => None,
        };
        let range = self.since(start);
        Ok(self.push(NodeKind::If(condition, then, otherwise), range))
    }

    /// `a implies b`, or whatever binds more tightly.
    fn implication(&mut self) -> Parsed<Id> {
        let start = self.range().start;
        let left = self.left_to_right(&[Binary::Or], Self::conjunction)?;
        if !self.eat("implies") {
            return Ok(left);
        }
        // To the right: `a implies b implies c` says what follows from a and b.
        let right = self.expression()?;
        let range = self.since(start);
        Ok(self.push(NodeKind::Binary(Binary::Implies, left, right), range))
    }

    /// `a and b`, or whatever binds more tightly.
    fn conjunction(&mut self) -> Parsed<Id> {
        self.left_to_right(&[Binary::And], Self::negation)
    }

    /// `not a`, or whatever binds more tightly.
    fn negation(&mut self) -> Parsed<Id> {
        let starts = self.eat_all("not");
        let mut id = self.comparison()?;
        for start in starts.into_iter().rev() {
            let range = self.since(start);
            id = self.push(NodeKind::Not(id), range);
        }
        Ok(id)
    }

    /// `a < b <= c`, `a in [...]`, or whatever binds more tightly.
    fn comparison(&mut self) -> Parsed<Id> {
        let start = self.range().start;
        let first = self.sum()?;
        if let Some(negated) = self.membership() {
            let list = self.list()?;
            let range = self.since(start);
            return Ok(self.push(NodeKind::In(first, list, negated), range));
        }
        let (mut operands, mut comparisons) = (vec![first], Vec::new());
        while let TokenKind::Fixed(symbol) = self.peek()
            && let Some(comparison) = Comparison::of(symbol)
        {
            self.next += 1;
            comparisons.push(comparison);
            operands.push(self.sum()?);
        }
        if comparisons.is_empty() {
            return Ok(first);
        }
        let range = self.since(start);
        Ok(self.push(NodeKind::Compare(operands, comparisons), range))
    }

    /// Moves past `in` or `not in`, and says which; nothing where neither stands.
    fn membership(&mut self) -> Option<bool> {
        if self.eat("in") {
            return Some(false);
        }
        let after = self.tokens.get(self.next + 1).map(|token| &token.kind);
        if after != Some(&TokenKind::Fixed("in")) || !self.eat("not") {
            return None;
        }
        self.eat("in").then_some(true)
    }

    /// The list after `in`.
    fn list(&mut self) -> Parsed<Vec<Listed>> {
        let open = self.range();
        if !self.eat("[") {
            let help = "list the values: `in [\"a\", \"b\"]`";
            return Err(self.expected("`[`").with_help_if_any(Some(help.into())));
        }
        let mut list = Vec::new();
        while !self.eat("]") {
            list.push(self.listed(&open)?);
            if !self.eat(",") {
                self.close("]", &open)?;
                break;
            }
        }
        match list.is_empty() {
            true => Err(ExpressionError::new(
                self.since(open.start),
                "this list is empty",
                "nothing in here",
            )),
            false => Ok(list),
        }
    }

    /// An entry of the list that opens at `open`.
    fn listed(&mut self, open: &Range<usize>) -> Parsed<Listed> {
        let start = self.range().start;
        let minus = self.eat("-");
        let value = match self.peek() {
            TokenKind::Number(number) if minus => Literal::Number(-number),
            TokenKind::Number(number) => Literal::Number(*number),
            TokenKind::Text(text) if !minus => Literal::Text(text.clone()),
            TokenKind::End => return Err(unclosed("[", open)),
            TokenKind::Name(name) => {
                let help = format!("write a text in quotes: {}", written_text(name));
                return Err(self
                    .expected("a number or a text in quotes")
                    .with_help(help));
            }
            _ => return Err(self.expected("a number or a text in quotes")),
        };
        self.next += 1;
        let range = self.since(start);
        Ok(Listed { value, range })
    }

    /// `a + b - c`, or whatever binds more tightly.
    fn sum(&mut self) -> Parsed<Id> {
        self.left_to_right(&[Binary::Add, Binary::Subtract], Self::product)
    }

    /// `a * b / c`, or whatever binds more tightly.
    fn product(&mut self) -> Parsed<Id> {
        self.left_to_right(&[Binary::Multiply, Binary::Divide], Self::negative)
    }

    /// Operators of one rank, taken from left to right, with `part` between them.
    fn left_to_right(
        &mut self,
        operators: &[Binary],
        part: fn(&mut Self) -> Parsed<Id>,
    ) -> Parsed<Id> {
        let start = self.range().start;
        let mut left = part(self)?;
        while let Some(&operator) = operators.iter().find(|next| self.eat(next.symbol())) {
            let right = part(self)?;
            let range = self.since(start);
            left = self.push(NodeKind::Binary(operator, left, right), range);
        }
        Ok(left)
    }

    /// `-a`, or whatever binds more tightly.
    fn negative(&mut self) -> Parsed<Id> {
        let starts = self.eat_all("-");
        let mut id = self.value()?;
        for start in starts.into_iter().rev() {
            let range = self.since(start);
            id = match self.nodes.get_mut(id) {
                Some(Node {
                    kind: NodeKind::Number(number),
                    range: place,
                }) => {
                    *number = -*number;
                    *place = range;
                    id
                }
                _ => self.push(NodeKind::Negate(id), range),
            };
        }
        Ok(id)
    }

    /// A value, a name, a function or something in parentheses.
    fn value(&mut self) -> Parsed<Id> {
        let range = self.range();
        let kind = match self.peek() {
            TokenKind::Number(number) => NodeKind::Number(*number),
            TokenKind::Text(text) => NodeKind::Text(text.clone()),
            TokenKind::Fixed("true") => NodeKind::Truth(true),
            TokenKind::Fixed("false") => NodeKind::Truth(false),
            TokenKind::Fixed("(") => return self.parenthesis(),
            TokenKind::Name(name) => {
                let name = name.clone();
                self.next += 1;
                return self.name(name, range);
            }
            _ => return Err(self.expected("a value")),
        };
        self.next += 1;
        Ok(self.push(kind, range))
    }

    /// An expression in parentheses.
    fn parenthesis(&mut self) -> Parsed<Id> {
        let open = self.range();
        self.need("(")?;
        let id = self.expression()?;
        self.close(")", &open)?;
        Ok(id)
    }

    /// A name that was just read: an attribute, or a function with its arguments.
    fn name(&mut self, name: String, place: Range<usize>) -> Parsed<Id> {
        let open = self.range();
        if !self.eat("(") {
            return Ok(self.push(NodeKind::Name(name), place));
        }
        let mut arguments = Vec::new();
        while !self.eat(")") {
            arguments.push(self.expression()?);
            if !self.eat(",") {
                self.close(")", &open)?;
                break;
            }
        }
        let range = self.since(place.start);
        Ok(self.push(NodeKind::Call(name, place, arguments), range))
    }

    /// The closing partner of what was opened at `open`.
    fn close(&mut self, partner: &'static str, open: &Range<usize>) -> Parsed<()> {
        if self.eat(partner) {
            return Ok(());
        }
        match self.peek() {
            TokenKind::End => Err(unclosed(if partner == ")" { "(" } else { "[" }, open)),
            _ => Err(self.left_over()),
        }
    }

    /// Something else stands where `wanted` belongs.
    fn expected(&self, wanted: &str) -> ExpressionError {
        let found = match self.peek() {
            TokenKind::Trouble(trouble) => return trouble.clone(),
            TokenKind::End => "the text ends".to_string(),
            TokenKind::Fixed(fixed) => format!("`{fixed}` stands there"),
            TokenKind::Name(name) => format!("`{name}` stands there"),
            TokenKind::Number(_) => "a number stands there".to_string(),
            TokenKind::Text(_) => "a text stands there".to_string(),
        };
        let message = format!("{wanted} belongs here, but {found}");
        let label = format!("{wanted} belongs here");
        let error = ExpressionError::new(self.range(), message, label);
        match self.peek() {
            TokenKind::Fixed("if") => error.with_help("put `if ... then ...` in parentheses"),
            _ => error,
        }
    }

    /// Something stands behind an expression that was complete without it.
    fn left_over(&self) -> ExpressionError {
        let error = self.expected("an operator such as `and` or `<=`");
        match self.peek() {
            TokenKind::Name(name) => error.with_help_if_any(help_for_word(name)),
            TokenKind::Fixed(")" | "]") => error.with_help("nothing is open that this could close"),
            TokenKind::Fixed("in") => {
                error.with_help("put the comparison before it in parentheses")
            }
            TokenKind::Fixed("then" | "else") => error.with_help("`if` must stand before it"),
            _ => error,
        }
    }
}
