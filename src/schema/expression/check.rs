//! From a tree to steps: names are looked up, types are checked, and everything wrong is reported.

mod comparison;

use std::ops::Range;

use super::error::ExpressionError;
use super::evaluation::{Function, Step};
use super::names::{Kind, Names};
use super::tree::{Binary, Id, Node, NodeKind};
use super::words::{FUNCTIONS, written_text};
use crate::spec::suggest;

/// What an expression is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It holds for a person or it does not.
    Constraint,
    /// It is a number for each person.
    Number,
}

/// What the steps of an expression give for a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Number,
    Truth,
    /// An attribute that holds texts.
    TextAttribute(usize),
    /// A text in quotes.
    Text,
    /// Something wrong, which was reported already.
    Unknown,
}

impl Type {
    /// Whether it is compared by name.
    fn is_text(self) -> bool {
        matches!(self, Type::TextAttribute(_) | Type::Text)
    }

    /// The type in words.
    fn words(self) -> &'static str {
        match self {
            Type::Number => "a number",
            Type::Truth => "true or false",
            Type::TextAttribute(_) | Type::Text | Type::Unknown => "a text",
        }
    }
}

/// What a correct expression comes to.
pub(super) struct Checked {
    /// The steps that evaluate it.
    pub(super) steps: Vec<Step>,
    /// The places of the attributes it mentions, sorted and distinct.
    pub(super) attributes: Vec<usize>,
}

/// Checks the nodes of `text`, and turns them into steps.
///
/// # Errors
/// Everything wrong with names and types, in the order of the text.
pub(super) fn check(
    text: &str,
    nodes: &[Node],
    purpose: Purpose,
    names: &Names<'_>,
) -> Result<Checked, Vec<ExpressionError>> {
    let mut checker = Checker {
        text,
        nodes,
        names,
        types: Vec::with_capacity(nodes.len()),
        steps: Vec::with_capacity(nodes.len()),
        attributes: Vec::new(),
        errors: Vec::new(),
    };
    for node in nodes {
        let kind = checker.node(node);
        checker.types.push(kind);
    }
    checker.whole(purpose);
    checker.finish()
}

/// A tree on its way to steps, with what is known about the nodes so far.
struct Checker<'c> {
    text: &'c str,
    nodes: &'c [Node],
    names: &'c Names<'c>,
    types: Vec<Type>,
    steps: Vec<Step>,
    attributes: Vec<usize>,
    errors: Vec<ExpressionError>,
}

impl Checker<'_> {
    /// The steps, unless something was wrong.
    fn finish(mut self) -> Result<Checked, Vec<ExpressionError>> {
        if !self.errors.is_empty() {
            self.errors.sort_by_key(|error| error.range.start);
            return Err(self.errors);
        }
        self.attributes.sort_unstable();
        self.attributes.dedup();
        Ok(Checked {
            steps: self.steps,
            attributes: self.attributes,
        })
    }

    /// The type of a node whose parts are done. Texts make no step: what compares them does.
    fn node(&mut self, node: &Node) -> Type {
        match &node.kind {
            NodeKind::Number(number) => self.step(Step::Number(*number), Type::Number),
            NodeKind::Truth(truth) => {
                self.step(Step::Number(f64::from(u8::from(*truth))), Type::Truth)
            }
            NodeKind::Text(_) => Type::Text,
            NodeKind::Name(name) => self.name(name, &node.range),
            NodeKind::Negate(part) => {
                self.number(*part, "`-`");
                self.step(Step::Negate, Type::Number)
            }
            NodeKind::Not(part) => {
                self.truth(*part, "`not`");
                self.step(Step::Not, Type::Truth)
            }
            NodeKind::Binary(operator, left, right) => self.binary(*operator, *left, *right),
            NodeKind::Compare(operands, comparisons) => self.compare(operands, comparisons),
            NodeKind::In(item, list, negated) => self.membership(*item, list, *negated),
            NodeKind::If(condition, then, otherwise) => self.choice(*condition, *then, *otherwise),
            NodeKind::Call(name, place, arguments) => {
                self.call(name, place, arguments, &node.range)
            }
        }
    }

    /// Adds a step that gives this type.
    fn step(&mut self, step: Step, kind: Type) -> Type {
        self.steps.push(step);
        kind
    }

    /// Adds an error; what follows from it is not reported again.
    fn error(&mut self, error: ExpressionError) -> Type {
        self.errors.push(error);
        Type::Unknown
    }

    /// An attribute.
    fn name(&mut self, name: &str, range: &Range<usize>) -> Type {
        let Some(position) = self.names.position(name) else {
            let mut help = self.names.help_for_unknown(name);
            if name.contains('-') && !help.starts_with("did") && !help.starts_with("a value") {
                help.push_str("; a minus is clearest with spaces around it");
            }
            let message = format!("there is no attribute `{name}`");
            let error = ExpressionError::new(range.clone(), message, "not an attribute");
            return self.error(error.with_help(help));
        };
        self.attributes.push(position);
        match self.names.kind(position) {
            Kind::Number => self.step(Step::Attribute(position), Type::Number),
            Kind::Truth => self.step(Step::Attribute(position), Type::Truth),
            Kind::Text { .. } => Type::TextAttribute(position),
        }
    }

    /// An operator between two numbers or two truth values.
    fn binary(&mut self, operator: Binary, left: Id, right: Id) -> Type {
        let what = format!("`{}`", operator.symbol());
        for side in [left, right] {
            match operator.joins_truths() {
                true => self.truth(side, &what),
                false => self.number(side, &what),
            }
        }
        match operator.joins_truths() {
            true => self.step(Step::Binary(operator), Type::Truth),
            false => self.step(Step::Binary(operator), Type::Number),
        }
    }

    /// `if a then b`, which is `a implies b`, or `if a then b else c`, which may be a number.
    fn choice(&mut self, condition: Id, then: Id, otherwise: Option<Id>) -> Type {
        self.truth(condition, "`if`");
        let Some(otherwise) = otherwise else {
            if self.types[then] == Type::Number {
                return self.needs_else(then);
            }
            self.truth(then, "`then` without `else`");
            return self.step(Step::Binary(Binary::Implies), Type::Truth);
        };
        if self.types[then] == Type::Truth || self.types[otherwise] == Type::Truth {
            self.truth(then, "`then` beside a truth value");
            self.truth(otherwise, "`else` beside a truth value");
            return self.step(Step::Choose, Type::Truth);
        }
        self.number(then, "`then`");
        self.number(otherwise, "`else`");
        self.step(Step::Choose, Type::Number)
    }

    /// A number without a number for the other case.
    fn needs_else(&mut self, then: Id) -> Type {
        let range = self.nodes[then].range.clone();
        let message = "an `if` that gives a number needs an `else`";
        let error = ExpressionError::new(range, message, "a number");
        self.error(error.with_help("say which number it is otherwise: `if ... then 1 else 0`"))
    }

    /// A function with its arguments.
    fn call(
        &mut self,
        name: &str,
        place: &Range<usize>,
        arguments: &[Id],
        range: &Range<usize>,
    ) -> Type {
        let Some(function) = Function::of(name) else {
            return self.no_function(name, place);
        };
        for &argument in arguments {
            self.number(argument, &format!("`{name}`"));
        }
        if !function.takes(arguments.len()) {
            let wanted = match function.takes(2) {
                true => "at least one number",
                false => "one number",
            };
            let message = format!("`{name}` takes {wanted}, but has {}", arguments.len());
            let label = format!("{wanted} belongs in here");
            return self.error(ExpressionError::new(range.clone(), message, label));
        }
        self.step(Step::Call(function, arguments.len()), Type::Number)
    }

    /// A name before parentheses that is no function.
    fn no_function(&mut self, name: &str, place: &Range<usize>) -> Type {
        let message = match self.names.position(name) {
            Some(_) => format!("`{name}` is an attribute, not a function"),
            None => format!("there is no function `{name}`"),
        };
        let help = match suggest::closest(name, FUNCTIONS) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the functions are {}", suggest::list(FUNCTIONS, "and")),
        };
        let error = ExpressionError::new(place.clone(), message, "not a function");
        self.error(error.with_help(help))
    }

    /// Reports a node that should be a number and is not; `what` needs it.
    fn number(&mut self, id: Id, what: &str) {
        let kind = self.types[id];
        if matches!(kind, Type::Number | Type::Unknown) {
            return;
        }
        let help = match &self.nodes[id].kind {
            _ if kind == Type::Truth => Some("write `if ... then 1 else 0` to count it".into()),
            NodeKind::Text(name) if self.names.position(name).is_some() => {
                Some(format!("the attribute has no quotes around it: {name}"))
            }
            NodeKind::Text(text) => unquoted(text),
            _ => None,
        };
        self.wrong(id, &format!("{what} takes numbers"), help);
    }

    /// Reports a node that should be true or false and is not; `what` needs it.
    fn truth(&mut self, id: Id, what: &str) {
        let help = match self.types[id] {
            Type::Truth | Type::Unknown => return,
            Type::Number => Some("compare it with something, as in `age >= 18`".to_string()),
            Type::TextAttribute(attribute) => Some(self.example(attribute)),
            Type::Text => None,
        };
        self.wrong(id, &format!("{what} takes what is true or false"), help);
    }

    /// Reports a node that breaks a rule by its type.
    fn wrong(&mut self, id: Id, rule: &str, help: Option<String>) {
        let words = self.types[id].words();
        let message = format!("{rule}, but {} is {words}", self.subject(id));
        let error = ExpressionError::new(self.nodes[id].range.clone(), message, words);
        self.error(error.with_help_if_any(help));
    }

    /// The last node is the whole expression.
    fn whole(&mut self, purpose: Purpose) {
        let Some(last) = self.nodes.len().checked_sub(1) else {
            return;
        };
        match (purpose, self.types[last]) {
            (Purpose::Constraint, _) => self.truth(last, "a constraint"),
            (Purpose::Number, Type::Truth) => {}
            (Purpose::Number, _) => self.number(last, "a derived column"),
        }
        if purpose == Purpose::Constraint && self.errors.is_empty() && self.attributes.is_empty() {
            let range = self.nodes[last].range.clone();
            let message = "this constraint mentions no attribute";
            let error = ExpressionError::new(range, message, "the same for everybody");
            self.error(error);
        }
    }

    /// How an attribute that holds texts is compared.
    fn example(&self, attribute: usize) -> String {
        let name = super::written_name(self.names.name(attribute));
        match self.names.values(attribute).first() {
            Some(value) => format!(
                "compare it with one of its values: {name} == {}",
                written_text(value)
            ),
            None => "it has no values to compare it with".to_string(),
        }
    }

    /// What to call a node in a sentence.
    fn subject(&self, id: Id) -> String {
        const LONGEST: usize = 40;
        let node = &self.nodes[id];
        let written = &self.text[node.range.clone()];
        match &node.kind {
            NodeKind::Name(name) => format!("`{name}`"),
            NodeKind::Text(text) if text.len() <= LONGEST => written_text(text),
            NodeKind::Number(_) => written.to_string(),
            _ if written.len() <= LONGEST => format!("`{written}`"),
            _ => "this".to_string(),
        }
    }
}

/// How to write a number that stands in quotes, if it is one.
fn unquoted(text: &str) -> Option<String> {
    let number: f64 = text.parse().ok()?;
    number
        .is_finite()
        .then(|| format!("a number has no quotes around it: {text}"))
}
