//! Comparisons and lists: where texts meet the values of an attribute.

use std::ops::Range;

use super::{Checker, Type, unquoted};
use crate::schema::Code;
use crate::schema::expression::error::ExpressionError;
use crate::schema::expression::evaluation::Step;
use crate::schema::expression::names;
use crate::schema::expression::tree::{Binary, Comparison, Id, Listed, Literal, Node, NodeKind};
use crate::schema::expression::words::written_text;

impl Checker<'_> {
    /// A chain of comparisons.
    pub(super) fn compare(&mut self, operands: &[Id], comparisons: &[Comparison]) -> Type {
        let before = self.errors.len();
        let mut texts = 0;
        for (pair, &comparison) in operands.windows(2).zip(comparisons) {
            let (left, right) = (self.types[pair[0]], self.types[pair[1]]);
            if left == Type::Unknown || right == Type::Unknown {
                continue;
            }
            match (left.is_text(), right.is_text()) {
                (true, true) => {
                    self.compare_texts(pair[0], comparison, pair[1]);
                    texts += 1;
                }
                _ if left == right => self.compare_plain(pair, left, comparison),
                _ => self.mismatch(pair[0], pair[1]),
            }
        }
        if self.errors.len() > before || texts == comparisons.len() {
            // Each comparison of texts is a step of its own; all of them must hold.
            for _ in 1..texts {
                self.steps.push(Step::Binary(Binary::And));
            }
            return Type::Truth;
        }
        self.step(Step::Compare(comparisons.into()), Type::Truth)
    }

    /// Numbers can be compared in every way, truth values can only be the same or not.
    fn compare_plain(&mut self, pair: &[Id], kind: Type, comparison: Comparison) {
        if kind == Type::Truth && comparison.orders() {
            let symbol = comparison.symbol();
            let message = format!("`{symbol}` compares sizes, but true and false have none");
            let range = self.pair(pair[0], pair[1]);
            let error = ExpressionError::new(range, message, "both are true or false");
            self.error(error.with_help("compare them with `==` or `!=`"));
        }
    }

    /// A text compared with a text: at least one is an attribute.
    fn compare_texts(&mut self, left: Id, comparison: Comparison, right: Id) {
        let range = self.pair(left, right);
        if comparison.orders() {
            let symbol = comparison.symbol();
            let message = format!("`{symbol}` compares sizes, but texts have no order");
            let error = ExpressionError::new(range, message, "both are texts");
            self.error(error.with_help("compare texts with `==`, `!=` or `in [...]`"));
            return;
        }
        let step = match (self.types[left], self.types[right]) {
            (Type::TextAttribute(attribute), Type::Text) => self.is(attribute, right),
            (Type::Text, Type::TextAttribute(attribute)) => self.is(attribute, left),
            (Type::TextAttribute(left), Type::TextAttribute(right)) => {
                self.alike(left, right, range)
            }
            _ => {
                let message = "two texts are compared, but no attribute";
                let error = ExpressionError::new(range, message, "the same for everybody");
                self.error(error.with_help("the name of an attribute has no quotes around it"));
                None
            }
        };
        self.steps.extend(step);
        if comparison == Comparison::Unequal {
            self.steps.push(Step::Not);
        }
    }

    /// The attribute has the value that stands at `literal`.
    fn is(&mut self, attribute: usize, literal: Id) -> Option<Step> {
        let Node {
            kind: NodeKind::Text(text),
            range,
        } = &self.nodes[literal]
        else {
            return None;
        };
        let code = self.code(attribute, text, range)?;
        Some(Step::Is { attribute, code })
    }

    /// The code of a value, or an error that it is none.
    fn code(&mut self, attribute: usize, text: &str, range: &Range<usize>) -> Option<Code> {
        let values = self.names.values(attribute);
        if let Some(code) = values.iter().position(|value| value == text) {
            return Some(code as Code);
        }
        let help = names::help_for_value(text, values);
        let name = self.names.name(attribute);
        let message = format!("`{name}` has no value {}", written_text(text));
        let label = format!("not a value of `{name}`");
        self.error(ExpressionError::new(range.clone(), message, label).with_help(help));
        None
    }

    /// Two attributes have the same value by name, whatever its codes are.
    fn alike(&mut self, left: usize, right: usize, range: Range<usize>) -> Option<Step> {
        let values = self.names.values(left);
        let translation: Box<[Option<Code>]> = self
            .names
            .values(right)
            .iter()
            .map(|value| values.iter().position(|other| other == value))
            .map(|code| code.map(|code| code as Code))
            .collect();
        if translation.iter().all(Option::is_none) {
            let (left, right) = (self.names.name(left), self.names.name(right));
            let message = format!("`{left}` and `{right}` have no value in common");
            self.error(ExpressionError::new(range, message, "never the same"));
            return None;
        }
        Some(Step::Alike {
            left,
            right,
            translation,
        })
    }

    /// `in` and `not in`.
    pub(super) fn membership(&mut self, item: Id, list: &[Listed], negated: bool) -> Type {
        match self.types[item] {
            Type::TextAttribute(attribute) => self.among_texts(attribute, list),
            Type::Number => self.among_numbers(item, list),
            Type::Unknown => {}
            Type::Truth | Type::Text => {
                let subject = self.subject(item);
                let words = self.types[item].words();
                let message = format!("{subject} is {words}, which no list can hold");
                let range = self.nodes[item].range.clone();
                let error = ExpressionError::new(range, message, words);
                self.error(error.with_help("an attribute with numbers or texts goes before `in`"));
            }
        }
        if negated {
            self.steps.push(Step::Not);
        }
        Type::Truth
    }

    /// Whether an attribute has one of the listed values.
    fn among_texts(&mut self, attribute: usize, list: &[Listed]) {
        let mut codes = vec![false; self.names.values(attribute).len()];
        for entry in list {
            let code = match &entry.value {
                Literal::Text(text) => self.code(attribute, text, &entry.range),
                Literal::Number(_) => {
                    let name = self.names.name(attribute);
                    let message = format!("`{name}` is a text, but the list has a number");
                    let help = self.quotes(attribute, &entry.range);
                    let error = ExpressionError::new(entry.range.clone(), message, "a number");
                    self.error(error.with_help(help));
                    None
                }
            };
            if let Some(code) = code {
                codes[code as usize] = true;
            }
        }
        let codes = codes.into();
        self.steps.push(Step::IsOneOf { attribute, codes });
    }

    /// Whether a number is one of those listed.
    fn among_numbers(&mut self, item: Id, list: &[Listed]) {
        let mut numbers = Vec::with_capacity(list.len());
        for entry in list {
            match &entry.value {
                Literal::Number(number) => numbers.push(*number),
                Literal::Text(text) => {
                    let subject = self.subject(item);
                    let message = format!("{subject} is a number, but the list has a text");
                    let help = unquoted(text);
                    let error = ExpressionError::new(entry.range.clone(), message, "a text");
                    self.error(error.with_help_if_any(help));
                }
            }
        }
        self.steps.push(Step::Among(numbers.into()));
    }

    /// Two things of different types are compared.
    fn mismatch(&mut self, left: Id, right: Id) {
        let (one, other) = (self.types[left], self.types[right]);
        let message = format!(
            "{} is {}, but {} is {}",
            self.subject(left),
            one.words(),
            self.subject(right),
            other.words()
        );
        let help = self
            .help_to_compare(left, right)
            .or_else(|| self.help_to_compare(right, left));
        let error = ExpressionError::new(self.pair(left, right), message, "cannot be compared");
        self.error(error.with_help_if_any(help));
    }

    /// How to compare a text with something that is none.
    fn help_to_compare(&self, text: Id, other: Id) -> Option<String> {
        match (&self.nodes[text].kind, self.types[text], self.types[other]) {
            (NodeKind::Text(name), ..) if self.names.position(name).is_some() => {
                Some(format!("the attribute has no quotes around it: {name}"))
            }
            (NodeKind::Text(number), _, Type::Number) => unquoted(number),
            (NodeKind::Text(truth), _, Type::Truth) if ["true", "false"].contains(&&**truth) => {
                Some(format!("write it without quotes: {truth}"))
            }
            (_, Type::TextAttribute(attribute), Type::Number) => {
                Some(self.quotes(attribute, &self.nodes[other].range))
            }
            (_, Type::TextAttribute(attribute), _) => Some(self.example(attribute)),
            _ => None,
        }
    }

    /// How to compare an attribute that holds texts with the number at `range`.
    fn quotes(&self, attribute: usize, range: &Range<usize>) -> String {
        let number = &self.text[range.clone()];
        match self.names.values(attribute).iter().any(|v| v == number) {
            true => format!("write its values in quotes: {}", written_text(number)),
            false => self.example(attribute),
        }
    }

    /// From one operand to another.
    fn pair(&self, left: Id, right: Id) -> Range<usize> {
        self.nodes[left].range.start..self.nodes[right].range.end
    }
}
