//! What the CSV tells: columns with their domains, and the people in them.

use std::collections::BTreeSet;

use crate::dataset::{Dataset, DatasetError};
use crate::schema::{Attribute, Code, Domain, Schema};
use crate::spec::DatasetSpec;

/// People that a model is tried with.
const TRIED: usize = 2000;

/// One column of the CSV.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) domain: Domain,
    /// The code of each person.
    pub(super) codes: Vec<Code>,
    /// The codes that somebody has, rising.
    pub(super) values: Vec<Code>,
}

impl Field {
    /// Whether its values are words.
    pub(super) fn is_words(&self) -> bool {
        matches!(self.domain, Domain::Categories(_))
    }

    /// Whether its values are numbers that a model may want scaled.
    pub(super) fn is_number(&self) -> bool {
        matches!(
            self.domain,
            Domain::Integers { .. } | Domain::Decimals { .. }
        )
    }

    /// Whether its values are days.
    pub(super) fn is_date(&self) -> bool {
        matches!(self.domain, Domain::Dates { .. })
    }

    /// What a value is called.
    pub(super) fn text(&self, code: Code) -> String {
        self.domain.text(code).into_owned()
    }

    /// The names of all values that somebody has, in the order in which encoders number them.
    pub(super) fn texts(&self) -> Vec<String> {
        self.values.iter().map(|&code| self.text(code)).collect()
    }

    fn number(&self, code: Code) -> f64 {
        self.domain.number(code).unwrap_or(f64::from(code))
    }

    /// The numbers of everybody; codes for words.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.codes.iter().map(|&code| self.number(code)).collect()
    }

    /// The mean and the standard deviation, as scalers compute it.
    pub(super) fn mean_and_std(&self) -> (f64, f64) {
        let numbers = self.numbers();
        let count = numbers.len().max(1) as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|n| (n - mean) * (n - mean)).sum();
        (mean, (squares / count).sqrt())
    }

    /// The smallest and the largest number.
    pub(super) fn range(&self) -> (f64, f64) {
        let at = |code: Option<&Code>| code.map_or(0.0, |&code| self.number(code));
        (at(self.values.first()), at(self.values.last()))
    }
}

/// All columns of the CSV, the label among them.
pub(super) struct Table {
    pub(super) fields: Vec<Field>,
    pub(super) people: usize,
    /// The dataset without its people, to make others of.
    empty: Dataset,
}

impl Table {
    /// Reads the CSV; `dataset` declares nothing but its path.
    ///
    /// # Errors
    /// It cannot be used.
    pub(super) fn read(dataset: &DatasetSpec) -> Result<Self, DatasetError> {
        let mut all = Dataset::load(dataset)?;
        let width = all.schema.width();
        let field = |(position, attribute): (usize, &Attribute)| {
            let people = all.people.chunks_exact(width);
            let codes: Vec<Code> = people.map(|person| person[position]).collect();
            let values: BTreeSet<Code> = codes.iter().copied().collect();
            Field {
                name: attribute.name.clone(),
                domain: attribute.domain.clone(),
                values: values.into_iter().collect(),
                codes,
            }
        };
        let fields = all.schema.attributes().iter().enumerate();
        let fields = fields.map(field).collect();
        let people = all.len();
        // From here on everybody is in the fields.
        all.people = Vec::new();
        Ok(Table {
            fields,
            people,
            empty: all,
        })
    }

    /// The place of the column with exactly this name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The places of all columns.
    pub(super) fn positions(&self) -> std::ops::Range<usize> {
        0..self.fields.len()
    }

    /// The names of these columns.
    pub(super) fn names(&self, positions: &[usize]) -> Vec<String> {
        let name = |&position: &usize| self.fields[position].name.clone();
        positions.iter().map(name).collect()
    }

    /// Everybody as a dataset that has these attributes only.
    pub(super) fn part(&self, attributes: &[usize], label: Option<usize>) -> Dataset {
        self.dataset(attributes, label, 0..self.people)
    }

    /// Some people, evenly spaced, as such a dataset; and their places.
    pub(super) fn sample(
        &self,
        attributes: &[usize],
        label: Option<usize>,
    ) -> (Dataset, Vec<usize>) {
        let stride = self.people.div_ceil(TRIED).max(1);
        let people: Vec<usize> = (0..self.people).step_by(stride).collect();
        let dataset = self.dataset(attributes, label, people.iter().copied());
        (dataset, people)
    }

    fn dataset(
        &self,
        attributes: &[usize],
        label: Option<usize>,
        people: impl Iterator<Item = usize>,
    ) -> Dataset {
        let fields = || attributes.iter().map(|&position| &self.fields[position]);
        let schema = fields().map(|field| Attribute::new(&field.name, field.domain.clone()));
        let schema = Schema::new(schema.collect());
        let codes = people.flat_map(|person| fields().map(move |field| field.codes[person]));
        let people = codes.collect();
        let mut dataset = self.empty.clone();
        dataset.schema = schema;
        dataset.people = people;
        dataset.labels = label.map(|label| self.fields[label].texts());
        dataset
    }

    /// Columns of words that say nothing but what a column of numbers says as well, such as
    /// `education` beside `education-num`.
    pub(super) fn doubled(&self) -> Vec<usize> {
        let is_doubled = |&position: &usize| {
            let words = &self.fields[position];
            let same = |other: &Field| other.is_number() && one_to_one(words, other);
            words.is_words() && words.values.len() > 2 && self.fields.iter().any(same)
        };
        self.positions().filter(is_doubled).collect()
    }
}

/// Whether each value of one goes with exactly one value of the other.
fn one_to_one(one: &Field, other: &Field) -> bool {
    if one.values.len() != other.values.len() {
        return false;
    }
    let pairs: BTreeSet<(Code, Code)> = one
        .codes
        .iter()
        .copied()
        .zip(other.codes.iter().copied())
        .collect();
    pairs.len() == one.values.len()
}
