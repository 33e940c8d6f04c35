//! Attributes and their domains: what a person is made of.
//!
//! Inside fairgate a person is a row of codes: code 0 is the first value of the attribute's domain,
//! code 1 the second, and so on. [`Domain`] turns codes into the words people read and into the
//! numbers the model eats.

mod domain;
pub(crate) mod expression;
pub(crate) mod mined;
mod packing;
mod protection;
mod space;

pub use domain::Domain;
pub(crate) use domain::{decimal, truth};
use expression::{Column, Kind, Names, Values};
pub(crate) use packing::Field;
pub use packing::Packing;
pub use protection::Protection;
pub use space::{DEFAULT_COMBINATIONS, Space, SpaceError, Terms};

/// One value of an attribute, counted from the start of its domain.
pub type Code = u32;

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

    /// What expressions know of the attributes.
    pub(crate) fn names(&self) -> Names<'_> {
        let kind = |attribute: &Attribute| match &attribute.domain {
            Domain::Categories(names) => Kind::Text {
                values: names.clone(),
            },
            Domain::Truth => Kind::Truth,
            _ => Kind::Number,
        };
        let attributes = self.attributes.iter();
        Names::new(attributes.map(|attribute| (attribute.name.as_str(), kind(attribute))))
    }

    /// What the codes of the attributes stand for in expressions.
    pub(crate) fn values(&self) -> Values {
        let column = |attribute: &Attribute| match &attribute.domain {
            Domain::Categories(_) | Domain::Truth => Column::Codes,
            domain => domain.even(),
        };
        Values::new(self.attributes.iter().map(column).collect())
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
