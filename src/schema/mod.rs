//! Attributes and their domains: what a person is made of.
//!
//! Inside fairgate a person is a row of codes: code 0 is the first value of the attribute's domain,
//! code 1 the second, and so on. [`Domain`] turns codes into the words people read and into the
//! numbers the model eats.

mod packing;
mod space;

use std::borrow::Cow;

pub use packing::Packing;
pub use space::{Space, SpaceError};

/// One value of an attribute, counted from the start of its domain.
pub type Code = u32;

/// The values that an attribute may take.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Domain {
    /// Every whole number from `min` to `max`, given to the model as it is.
    Integers {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// Categories by name, given to the model as 0, 1, 2 ... in this order.
    Categories(Vec<String>),
}

impl Domain {
    /// How many values there are.
    pub fn size(&self) -> u64 {
        match self {
            Domain::Integers { min, max } => max.abs_diff(*min).saturating_add(1),
            Domain::Categories(names) => names.len() as u64,
        }
    }

    /// The value in words.
    pub fn text(&self, code: Code) -> Cow<'_, str> {
        match self {
            Domain::Integers { min, .. } => Cow::Owned((min + i64::from(code)).to_string()),
            Domain::Categories(names) => Cow::Borrowed(&names[code as usize]),
        }
    }

    /// The code of a value in words, if it lies in the domain.
    pub fn code(&self, text: &str) -> Option<Code> {
        match self {
            Domain::Integers { min, max } => {
                let value = whole_number(text)?;
                (*min..=*max)
                    .contains(&value)
                    .then(|| value.abs_diff(*min) as Code)
            }
            Domain::Categories(names) => category_code(names, text),
        }
    }

    /// What the model eats for code 0; every further code is one more.
    pub(crate) fn base(&self) -> f32 {
        match self {
            Domain::Integers { min, .. } => *min as f32,
            Domain::Categories(_) => 0.0,
        }
    }

    /// The domain in words, for messages: `1 to 4` or `"Female", "Male"`.
    pub fn describe(&self) -> String {
        const SHOWN: usize = 8;
        match self {
            Domain::Integers { min, max } => format!("{min} to {max}"),
            Domain::Categories(names) => {
                let mut shown: Vec<String> = names
                    .iter()
                    .take(SHOWN)
                    .map(|name| format!("{name:?}"))
                    .collect();
                if names.len() > SHOWN {
                    shown.push(format!("and {} more", names.len() - SHOWN));
                }
                shown.join(", ")
            }
        }
    }
}

/// A whole number written as `3` or, as some tools write it, `3.0`.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| {
        let value: f64 = text.parse().ok()?;
        (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
    })
}

/// A dataset may hold the names or, where no name looks like a number, the codes themselves.
fn category_code(names: &[String], text: &str) -> Option<Code> {
    if let Some(position) = names.iter().position(|name| name == text) {
        return Some(position as Code);
    }
    if names.iter().any(|name| whole_number(name).is_some()) {
        return None;
    }
    let code = whole_number(text)?;
    usize::try_from(code)
        .ok()
        .filter(|&code| code < names.len())
        .map(|code| code as Code)
}

/// One input that a person has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attribute {
    /// Its name: the header of its column.
    pub name: String,
    /// The values it may take.
    pub domain: Domain,
}

impl Attribute {
    /// An attribute with its domain.
    pub fn new(name: impl Into<String>, domain: Domain) -> Self {
        Attribute {
            name: name.into(),
            domain,
        }
    }
}

/// The attributes of a person, in the model's input order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    attributes: Vec<Attribute>,
}

impl Schema {
    /// A schema of these attributes.
    pub fn new(attributes: Vec<Attribute>) -> Self {
        Schema { attributes }
    }

    /// The attributes, in the model's input order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// How many attributes a person has.
    pub fn width(&self) -> usize {
        self.attributes.len()
    }

    /// The place of the attribute with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.attributes
            .iter()
            .position(|attribute| attribute.name == name)
    }

    /// How many people the declared domain holds.
    pub fn people(&self) -> f64 {
        self.attributes
            .iter()
            .map(|attribute| attribute.domain.size() as f64)
            .product()
    }

    /// A person in attribute words.
    pub fn words(&self, person: &[Code]) -> Vec<(String, String)> {
        self.attributes
            .iter()
            .zip(person)
            .map(|(attribute, &code)| {
                (
                    attribute.name.clone(),
                    attribute.domain.text(code).into_owned(),
                )
            })
            .collect()
    }

    /// What the model eats for this person.
    pub fn encode(&self, person: &[Code], row: &mut [f32]) {
        for ((attribute, &code), cell) in self.attributes.iter().zip(person).zip(row) {
            *cell = attribute.domain.base() + code as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Domain {
        Domain::Categories(names.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn integers_are_read_with_and_without_a_decimal_point() {
        let domain = Domain::Integers { min: 1, max: 4 };
        assert_eq!(domain.code("1"), Some(0));
        assert_eq!(domain.code("4.0"), Some(3));
        assert_eq!(domain.code("5"), None);
        assert_eq!(domain.code("2.5"), None);
        assert_eq!(domain.code("NaN"), None);
    }

    #[test]
    fn categories_are_read_by_name_or_by_code() {
        let sex = names(&["Female", "Male"]);
        assert_eq!(sex.code("Male"), Some(1));
        assert_eq!(sex.code("1"), Some(1));
        assert_eq!(sex.code("2"), None);
        assert_eq!(sex.code("-1"), None);
    }

    #[test]
    fn codes_are_not_read_where_names_are_numbers() {
        let years = names(&["0", "5", "9"]);
        assert_eq!(years.code("5"), Some(1));
        assert_eq!(years.code("1"), None);
    }

    #[test]
    fn huge_ranges_do_not_overflow() {
        let domain = Domain::Integers {
            min: i64::MIN,
            max: i64::MAX,
        };
        assert_eq!(domain.size(), u64::MAX);
    }
}
