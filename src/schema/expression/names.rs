//! What an expression may mention: attributes by name, and what kind of values they have.

use std::collections::BTreeMap;

use super::words::written_text;
use crate::spec::suggest;

/// How many names or values a help lists before it says "and so many more".
const LISTED: usize = 12;

/// What kind of values an attribute has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers, which can be reckoned with and have an order.
    Number,
    /// Categories, which are compared by name and have no order.
    Text {
        /// The name of each code.
        values: Vec<String>,
    },
    /// True or false. What [`Values`](super::Values) has for a code is 1 or 0.
    Truth,
}

/// The attributes that an expression may mention, in the order of a person's codes.
#[derive(Debug, Clone)]
pub(crate) struct Names<'a> {
    attributes: Vec<(&'a str, Kind)>,
    places: BTreeMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// These attributes, each with the kind of its values.
    pub(crate) fn new(attributes: impl IntoIterator<Item = (&'a str, Kind)>) -> Self {
        let attributes: Vec<_> = attributes.into_iter().collect();
        let mut places = BTreeMap::new();
        for (position, (name, _)) in attributes.iter().enumerate() {
            places.entry(*name).or_insert(position);
        }
        Names { attributes, places }
    }

    /// The place of the attribute with this name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The name of the attribute at a place.
    pub(super) fn name(&self, position: usize) -> &'a str {
        self.attributes[position].0
    }

    /// The kind of the attribute at a place.
    pub(super) fn kind(&self, position: usize) -> &Kind {
        &self.attributes[position].1
    }

    /// The categories of the attribute at a place; none where it holds no texts.
    pub(super) fn values(&self, position: usize) -> &[String] {
        match self.kind(position) {
            Kind::Text { values } => values,
            Kind::Number | Kind::Truth => &[],
        }
    }

    /// The length of the longest name in bytes.
    pub(super) fn longest(&self) -> usize {
        self.places.keys().map(|name| name.len()).max().unwrap_or(0)
    }

    /// How to mend a name that is none.
    pub(super) fn help_for_unknown(&self, name: &str) -> String {
        if let Some(owner) = self.owner(name) {
            let owner = self.name(owner);
            return format!(
                "a value of `{owner}` is written in quotes: {}",
                written_text(name)
            );
        }
        let known = self.attributes.iter().map(|(name, _)| *name);
        if let Some(meant) = suggest::closest(name, known.clone()) {
            return format!("did you mean `{meant}`?");
        }
        match self.attributes.len() {
            0 => "there are no attributes to mention".to_string(),
            _ => format!("the attributes are {}", listed(known)),
        }
    }

    /// The attribute that has this text among its values, if any has.
    fn owner(&self, text: &str) -> Option<usize> {
        (0..self.attributes.len()).find(|&place| self.values(place).iter().any(|v| v == text))
    }
}

/// How to mend a text that is none of these values.
pub(super) fn help_for_value(text: &str, values: &[String]) -> String {
    let known = values.iter().map(String::as_str);
    let all = match values.len() {
        0 => "it has no values".to_string(),
        _ => format!("its values are {}", listed(known.clone())),
    };
    match suggest::closest(text, known) {
        Some(meant) => format!("did you mean `{meant}`? {}", capital(&all)),
        None => all,
    }
}

/// The first few words in backticks, and how many more there are.
fn listed<'k>(words: impl Iterator<Item = &'k str> + Clone) -> String {
    let more = words.clone().count().saturating_sub(LISTED);
    if more == 0 {
        return suggest::list(words, "and");
    }
    let shown: Vec<String> = words.take(LISTED).map(|word| format!("`{word}`")).collect();
    format!("{} and {more} more", shown.join(", "))
}

/// A sentence with its first letter in upper case. Our own sentences begin with an ASCII letter.
fn capital(sentence: &str) -> String {
    let mut sentence = sentence.to_string();
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}
