//! The space that a search walks in: the schema, seen from its protected attributes.

use super::{Code, Domain, Packing, Schema};

/// More combinations of protected values than this are refused: each is a query for each person.
const MOST_COMBINATIONS: u64 = 10_000;

/// Larger domains than this are refused: codes are 32 bits wide and the model eats `f32`.
const LARGEST_DOMAIN: u64 = 1 << 24;

/// A schema with its protected attributes and all combinations of their values.
#[derive(Debug, Clone)]
pub struct Space {
    schema: Schema,
    protected: Vec<usize>,
    movable: Vec<usize>,
    combinations: Vec<Vec<Code>>,
    packing: Packing,
    base: Vec<f32>,
    largest: Vec<Code>,
    movable_largest: Vec<Code>,
}

/// Why a schema cannot be searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// A protected attribute has a single value, so nobody has a counterpart.
    #[error("the protected attribute `{0}` has only one value, so nobody has a counterpart")]
    OneValue(String),
    /// Too many combinations of protected values.
    #[error(
        "the protected attributes have {0} combinations of values; at most {MOST_COMBINATIONS} can be tested"
    )]
    TooManyCombinations(u64),
    /// The values of an attribute are too large.
    #[error(
        "`{0}` goes up to {1}, and a model that takes 32-bit floats cannot tell whole numbers above {LARGEST_DOMAIN} apart"
    )]
    ValuesTooLarge(String, u64),
    /// The domain of an attribute is too wide.
    #[error("the domain of `{0}` has {1} values; at most {LARGEST_DOMAIN} can be searched")]
    DomainTooLarge(String, u64),
}

impl Space {
    /// The space of `schema` with the attributes at `protected` protected.
    ///
    /// # Errors
    /// See [`SpaceError`].
    pub fn new(schema: Schema, protected: &[usize]) -> Result<Self, SpaceError> {
        let mut protected = protected.to_vec();
        protected.sort_unstable();
        check_sizes(&schema, &protected)?;
        let others: Vec<usize> = (0..schema.width())
            .filter(|position| !protected.contains(position))
            .collect();
        let size = |position: &usize| schema.attributes()[*position].domain.size();
        let movable: Vec<usize> = others
            .iter()
            .copied()
            .filter(|position| size(position) > 1)
            .collect();
        Ok(Space {
            movable_largest: movable
                .iter()
                .map(|position| (size(position) - 1) as Code)
                .collect(),
            combinations: all_combinations(protected.iter().map(size)),
            movable,
            packing: Packing::new(&schema, &others),
            base: schema
                .attributes()
                .iter()
                .map(|a| a.domain.base())
                .collect(),
            largest: (0..schema.width())
                .map(|position| (size(&position) - 1) as Code)
                .collect(),
            protected,
            schema,
        })
    }

    /// The attributes of a person.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The places of the protected attributes, in ascending order.
    pub fn protected(&self) -> &[usize] {
        &self.protected
    }

    /// The places of the attributes that the search may move: not protected, more than one value.
    pub fn movable(&self) -> &[usize] {
        &self.movable
    }

    /// Every combination of protected values. A person is one of its own combinations.
    pub fn combinations(&self) -> &[Vec<Code>] {
        &self.combinations
    }

    /// The packing of a person apart from the protected attributes.
    pub fn packing(&self) -> &Packing {
        &self.packing
    }

    /// The last code of an attribute's domain.
    pub fn largest(&self, attribute: usize) -> Code {
        self.largest[attribute]
    }

    /// The last codes of the movable attributes' domains, in their order.
    pub(crate) fn movable_largest(&self) -> &[Code] {
        &self.movable_largest
    }

    /// What the model eats for a code of an attribute.
    pub fn value(&self, attribute: usize, code: Code) -> f32 {
        self.base[attribute] + code as f32
    }

    /// Which combination of protected values this person has.
    pub fn combination_of(&self, person: &[Code]) -> usize {
        self.protected.iter().fold(0, |index, &position| {
            index * (self.largest[position] as usize + 1) + person[position] as usize
        })
    }

    /// Gives a person the protected values of a combination.
    pub fn set_combination(&self, person: &mut [Code], combination: usize) {
        for (&position, &code) in self.protected.iter().zip(&self.combinations[combination]) {
            person[position] = code;
        }
    }

    /// Appends what the model eats for this person.
    pub fn push_row(&self, person: &[Code], rows: &mut Vec<f32>) {
        rows.extend(
            self.base
                .iter()
                .zip(person)
                .map(|(base, &code)| base + code as f32),
        );
    }

    /// Appends the row of a packed profile with the protected values of a combination.
    pub fn push_packed(&self, profile: &[u64], combination: usize, rows: &mut Vec<f32>) {
        let start = rows.len();
        rows.resize(start + self.schema.width(), 0.0);
        let row = &mut rows[start..];
        self.packing.decode(profile, &self.base, row);
        self.protect(row, combination);
    }

    /// Appends the row of a packed profile once for each of these combinations.
    pub fn push_combinations(
        &self,
        profile: &[u64],
        combinations: impl IntoIterator<Item = usize>,
        rows: &mut Vec<f32>,
    ) {
        let mut combinations = combinations.into_iter();
        let Some(first) = combinations.next() else {
            return;
        };
        self.push_packed(profile, first, rows);
        for combination in combinations {
            self.push_counterpart(combination, rows);
        }
    }

    /// Appends the last row again, with the protected values of a combination.
    pub fn push_counterpart(&self, combination: usize, rows: &mut Vec<f32>) {
        let start = rows.len();
        rows.extend_from_within(start - self.schema.width()..);
        self.protect(&mut rows[start..], combination);
    }

    fn protect(&self, row: &mut [f32], combination: usize) {
        for (&position, &code) in self.protected.iter().zip(&self.combinations[combination]) {
            row[position] = self.value(position, code);
        }
    }
}

fn check_sizes(schema: &Schema, protected: &[usize]) -> Result<(), SpaceError> {
    for attribute in schema.attributes() {
        let size = attribute.domain.size();
        if size > LARGEST_DOMAIN {
            return Err(SpaceError::DomainTooLarge(attribute.name.clone(), size));
        }
        if let Domain::Integers { min, max } = attribute.domain {
            let largest = min.unsigned_abs().max(max.unsigned_abs());
            if largest > LARGEST_DOMAIN {
                return Err(SpaceError::ValuesTooLarge(attribute.name.clone(), largest));
            }
        }
    }
    let mut combinations = 1_u64;
    for &position in protected {
        let attribute = &schema.attributes()[position];
        if attribute.domain.size() < 2 {
            return Err(SpaceError::OneValue(attribute.name.clone()));
        }
        combinations = combinations.saturating_mul(attribute.domain.size());
    }
    if combinations > MOST_COMBINATIONS {
        return Err(SpaceError::TooManyCombinations(combinations));
    }
    Ok(())
}

/// The last attribute turns fastest, so that the index is the mixed-radix number of the codes.
fn all_combinations(sizes: impl Iterator<Item = u64>) -> Vec<Vec<Code>> {
    sizes.fold(vec![Vec::new()], |combinations, size| {
        let mut longer = Vec::with_capacity(combinations.len() * size as usize);
        for combination in combinations {
            for code in 0..size as Code {
                let mut next = combination.clone();
                next.push(code);
                longer.push(next);
            }
        }
        longer
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Attribute, Domain};
    use super::*;

    fn space(protected: &[usize]) -> Space {
        let range = |min, max| Domain::Integers { min, max };
        let schema = Schema::new(vec![
            Attribute::new("age", range(1, 4)),
            Attribute::new("hours", range(10, 12)),
            Attribute::new("sex", range(0, 1)),
        ]);
        Space::new(schema, protected).unwrap()
    }

    #[test]
    fn combinations_and_their_indices_agree() {
        let space = space(&[2, 0]);
        assert_eq!(space.combinations().len(), 8);
        for index in 0..8 {
            let mut person = vec![0, 1, 0];
            space.set_combination(&mut person, index);
            assert_eq!(space.combination_of(&person), index);
            assert_eq!(person[1], 1);
        }
    }

    #[test]
    fn rows_are_what_the_model_eats() {
        let space = space(&[2]);
        let mut packed = vec![0; space.packing().words()];
        space.packing().pack(&[3, 0, 1], &mut packed);
        let mut rows = Vec::new();
        space.push_combinations(&packed, [0, 1], &mut rows);
        assert_eq!(rows, [4.0, 10.0, 0.0, 4.0, 10.0, 1.0]);
    }

    #[test]
    fn a_protected_attribute_needs_two_values() {
        let schema = Schema::new(vec![Attribute::new(
            "sex",
            Domain::Integers { min: 1, max: 1 },
        )]);
        assert_eq!(
            Space::new(schema, &[0]).unwrap_err(),
            SpaceError::OneValue("sex".into())
        );
    }
}
