//! The space that a search walks in: the schema, seen from its protected attributes.

mod everyone;
mod groups;

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::expression::{Constraint, Constraints, Expression};
use super::{Attribute, Code, Domain, Packing, Protection, Schema};

/// Combinations of protected values that each person is tested with at the most, unless told
/// otherwise: each is a query.
pub const DEFAULT_COMBINATIONS: usize = 1000;

/// People that are drawn until one of them can exist.
const TRIES: usize = 10_000;

/// Larger domains than this are refused: codes are 32 bits wide and the model eats `f32`.
const LARGEST_DOMAIN: u64 = 1 << 24;

/// A schema with its protected attributes and all combinations of their values.
#[derive(Debug, Clone)]
pub struct Space {
    schema: Schema,
    protected: Vec<usize>,
    protections: Vec<Protection>,
    unprotected: Vec<usize>,
    movable: Vec<usize>,
    combinations: Vec<Vec<Code>>,
    /// How many combinations of groups there are; more than `combinations` if some were drawn.
    all_combinations: u64,
    /// The mixed-radix numbers of the combinations' groups, rising; empty if all are there.
    drawn: Vec<u64>,
    /// What a search row holds for the protected attributes of each combination.
    protected_values: Vec<f32>,
    packing: Packing,
    base: Vec<f32>,
    largest: Vec<Code>,
    constraints: Arc<Constraints>,
    /// Attributes whose values make no difference to anything.
    idle: Vec<usize>,
}

/// Why a schema cannot be searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// A protected attribute has a single value, so nobody has a counterpart.
    #[error("the protected attribute `{0}` has only one value, so nobody has a counterpart")]
    OneValue(String),
    /// All attributes are protected or have a single value, and so has every person.
    #[error("the protected attribute `{0}` has {1} groups; at least two are needed")]
    OneGroup(String, usize),
    /// The values of an attribute are too large.
    #[error(
        "`{0}` goes up to {1}, and a model that takes 32-bit floats cannot tell whole numbers above {LARGEST_DOMAIN} apart"
    )]
    ValuesTooLarge(String, u64),
    /// The domain of an attribute is too wide.
    #[error("the domain of `{0}` has {1} values; at most {LARGEST_DOMAIN} can be searched")]
    DomainTooLarge(String, u64),
    /// A constraint cannot be read.
    #[error("the constraint `{0}` cannot be read: {1}")]
    BadConstraint(String, String),
}

/// What a search may do besides moving every attribute that is not protected.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Terms {
    /// Combinations of protected values at the most; above that, so many are drawn.
    pub max_combinations: usize,
    /// The random seed for drawing them.
    pub seed: u64,
    /// The places of attributes that the search does not move.
    pub frozen: Vec<usize>,
    /// The places of attributes that the model does not read.
    pub unread: Vec<usize>,
    /// What holds for every person that can exist.
    pub(crate) constraints: Arc<Constraints>,
}

impl Terms {
    /// These terms with constraints for the people of `schema`, in the language of the spec.
    ///
    /// # Errors
    /// A constraint cannot be read.
    pub fn with_constraints(mut self, schema: &Schema, texts: &[&str]) -> Result<Self, SpaceError> {
        let (names, values) = (schema.names(), Arc::new(schema.values()));
        let attributes = schema.attributes().iter();
        let sizes: Vec<u64> = attributes.map(|a| a.domain.size()).collect();
        let read = |text: &&str| match Expression::constraint(text, &names) {
            Ok(expression) => Ok(Constraint::compile(expression, &sizes, &values)),
            Err(errors) => {
                let message = errors.first().map(ToString::to_string).unwrap_or_default();
                Err(SpaceError::BadConstraint((*text).to_owned(), message))
            }
        };
        let list = texts.iter().map(read).collect::<Result<_, _>>()?;
        self.constraints = Arc::new(Constraints::new(list));
        Ok(self)
    }
}

impl Default for Terms {
    fn default() -> Self {
        Terms {
            max_combinations: DEFAULT_COMBINATIONS,
            seed: 0,
            frozen: Vec::new(),
            unread: Vec::new(),
            constraints: Arc::default(),
        }
    }
}

impl Space {
    /// The space of `schema` with the attributes at `protected` protected, every value told apart.
    ///
    /// # Errors
    /// See [`SpaceError`].
    pub fn new(schema: Schema, protected: &[usize]) -> Result<Self, SpaceError> {
        let each = |&position: &usize| {
            let size = schema.attributes()[position].domain.size();
            check_size(&schema.attributes()[position])?;
            Ok(Protection::each(position, size))
        };
        let protections = protected.iter().map(each).collect::<Result<_, _>>()?;
        Self::with_terms(schema, protections, &Terms::default())
    }

    /// The space of `schema` with these attributes protected, on these terms.
    ///
    /// # Errors
    /// See [`SpaceError`].
    pub fn with_terms(
        schema: Schema,
        mut protections: Vec<Protection>,
        terms: &Terms,
    ) -> Result<Self, SpaceError> {
        protections.sort_by_key(|protection| protection.position);
        check(&schema, &protections)?;
        let protected: Vec<usize> = protections.iter().map(|p| p.position).collect();
        let others: Vec<usize> = (0..schema.width())
            .filter(|position| !protected.contains(position))
            .collect();
        let size = |position: &usize| schema.attributes()[*position].domain.size();
        let movable: Vec<usize> = others
            .iter()
            .copied()
            .filter(|position| size(position) > 1 && !terms.frozen.contains(position))
            .collect();
        let idle = others.iter().copied().filter(|position| {
            let unread = terms.unread.contains(position);
            unread && !terms.constraints.mention(*position)
        });
        let idle: Vec<usize> = idle.collect();
        let sizes = protections.iter().map(|p| p.representatives.len() as u64);
        let all_combinations = sizes.fold(1, u64::saturating_mul);
        let drawn = if all_combinations > terms.max_combinations as u64 {
            drawn_combinations(all_combinations, terms)
        } else {
            Vec::new()
        };
        let base: Vec<f32> = schema
            .attributes()
            .iter()
            .map(|a| a.domain.base())
            .collect();
        let combinations = combinations(&protections, all_combinations, &drawn);
        let value = |(&position, &code): (&usize, &Code)| base[position] + code as f32;
        Ok(Space {
            protected_values: combinations
                .iter()
                .flat_map(|codes| protected.iter().zip(codes).map(value))
                .collect(),
            combinations,
            all_combinations,
            drawn,
            movable,
            packing: Packing::new(&schema, &others),
            unprotected: others,
            base,
            largest: (0..schema.width())
                .map(|position| (size(&position) - 1) as Code)
                .collect(),
            constraints: Arc::clone(&terms.constraints),
            idle,
            protected,
            protections,
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

    /// The places of all other attributes, in ascending order.
    pub fn unprotected(&self) -> &[usize] {
        &self.unprotected
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

    /// What the model eats for a code of an attribute.
    pub fn value(&self, attribute: usize, code: Code) -> f32 {
        self.base[attribute] + code as f32
    }

    /// Whether there are people in the domain who cannot exist.
    pub(crate) fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    /// Whether the person with this packed profile and the protected values of a combination can exist.
    #[inline]
    pub(crate) fn can_exist_as(&self, profile: &[u64], combination: usize) -> bool {
        !self.is_constrained() || self.constraints_allow(profile, combination)
    }

    /// Apart from the question whether there are any: that one is asked millions of times.
    #[inline(never)]
    fn constraints_allow(&self, profile: &[u64], combination: usize) -> bool {
        self.constraints.hold(&self.person(profile, combination))
    }

    /// Whether such a person can exist.
    pub fn can_exist(&self, person: &[Code]) -> bool {
        self.constraints.is_empty() || self.constraints.hold(person)
    }

    /// Whether somebody who could exist still can after this attribute alone has changed.
    pub(crate) fn can_still_exist(&self, person: &[Code], attribute: usize) -> bool {
        self.constraints.still_hold(attribute, person)
    }

    /// Somebody who can exist, drawn uniformly; nobody if none is met in many tries.
    pub(crate) fn draw(&self, stream: &mut Xoshiro256PlusPlus) -> Option<Vec<Code>> {
        for _ in 0..TRIES {
            let code = |&largest: &Code| stream.random_range(0..u64::from(largest) + 1) as Code;
            let person: Vec<Code> = self.largest.iter().map(code).collect();
            if self.can_exist(&person) {
                return Some(person);
            }
        }
        None
    }

    /// The constraints that such a person breaks, in words.
    pub(crate) fn broken_constraints(&self, person: &[Code]) -> impl Iterator<Item = &str> {
        self.constraints.broken(person).map(Constraint::text)
    }

    /// What holds for every person that can exist, in words.
    pub fn constraints(&self) -> impl Iterator<Item = &str> {
        self.constraints.iter().map(Constraint::text)
    }

    /// How many combinations there are in all; more than [`Space::combinations`] if some were drawn.
    pub fn all_combinations(&self) -> u64 {
        self.all_combinations
    }

    /// Which combination this person's groups have; the nearest one if that one was not drawn.
    pub fn combination_of(&self, person: &[Code]) -> usize {
        match self.own_group(person) {
            Some(combination) => combination,
            None => self.nearest_combination(person),
        }
    }

    /// Whether this very person is one of its combinations, or only somebody of the same groups.
    pub fn is_combination(&self, person: &[Code]) -> bool {
        let of_all = self.drawn.is_empty() && self.protections.iter().all(Protection::is_each);
        of_all || {
            let combination = self.own_group(person);
            combination.is_some_and(|own| {
                let codes = self.protected.iter().zip(&self.combinations[own]);
                codes
                    .into_iter()
                    .all(|(&position, &code)| person[position] == code)
            })
        }
    }

    /// The combination of this person's groups, if it is one of those tested.
    pub(crate) fn own_group(&self, person: &[Code]) -> Option<usize> {
        let mut number = 0_u64;
        for protection in &self.protections {
            let group = protection.group_of(person[protection.position])? as u64;
            // Numbers too large to be held are never drawn.
            number = number.checked_mul(protection.representatives.len() as u64)?;
            number = number.checked_add(group)?;
        }
        if self.drawn.is_empty() {
            return Some(number as usize);
        }
        self.drawn.binary_search(&number).ok()
    }

    /// The combination with most of this person's groups, the first of several.
    fn nearest_combination(&self, person: &[Code]) -> usize {
        let shared = |combination: &Vec<Code>| {
            let both = self.protections.iter().zip(combination);
            let same = |(protection, code): &(&Protection, &Code)| {
                let own = protection.group_of(person[protection.position]);
                own.is_some() && own == protection.group_of(**code)
            };
            both.filter(same).count()
        };
        let best = self.combinations.iter().map(shared).max().unwrap_or(0);
        self.combinations
            .iter()
            .position(|combination| shared(combination) == best)
            .unwrap_or(0)
    }

    /// Gives a person the protected values of a combination.
    pub fn set_combination(&self, person: &mut [Code], combination: usize) {
        for (&position, &code) in self.protected.iter().zip(&self.combinations[combination]) {
            person[position] = code;
        }
    }

    /// The person with this packed profile and the protected values of a combination.
    pub fn person(&self, profile: &[u64], combination: usize) -> Vec<Code> {
        let mut person = vec![0; self.schema.width()];
        self.packing.unpack(profile, &mut person);
        self.set_combination(&mut person, combination);
        person
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
        self.packing.push_row(profile, &self.base, rows);
        self.protect(&mut rows[start..], combination);
    }

    /// Appends the row of a packed profile once for each of these combinations.
    pub fn push_combinations(
        &self,
        profile: &[u64],
        combinations: impl IntoIterator<Item = usize, IntoIter: ExactSizeIterator>,
        rows: &mut Vec<f32>,
    ) {
        let mut combinations = combinations.into_iter();
        let Some(first) = combinations.next() else {
            return;
        };
        let (start, width) = (rows.len(), self.schema.width());
        self.push_packed(profile, first, rows);
        self.push_again(combinations.len(), rows);
        let counterparts = rows[start + width..].chunks_exact_mut(width);
        for (row, combination) in counterparts.zip(combinations) {
            self.protect(row, combination);
        }
    }

    /// Appends the last row so many times more: twice as many with every copy, because a copy of a few
    /// cells takes no less time than one of many.
    fn push_again(&self, times: usize, rows: &mut Vec<f32>) {
        let start = rows.len() - self.schema.width();
        let all = start + (times + 1) * self.schema.width();
        while rows.len() < all {
            let end = rows.len().min(start + all - rows.len());
            rows.extend_from_within(start..end);
        }
    }

    /// Gives a row the protected values of a combination.
    #[inline]
    pub(crate) fn protect(&self, row: &mut [f32], combination: usize) {
        match self.protected.as_slice() {
            // One, as in most benchmarks: nothing to be counted.
            [position] => row[*position] = self.protected_values[combination],
            positions => {
                let values = &self.protected_values[combination * positions.len()..];
                for (&position, &value) in positions.iter().zip(values) {
                    row[position] = value;
                }
            }
        }
    }
}

fn check(schema: &Schema, protections: &[Protection]) -> Result<(), SpaceError> {
    schema.attributes().iter().try_for_each(check_size)?;
    for protection in protections {
        let attribute = &schema.attributes()[protection.position];
        if attribute.domain.size() < 2 {
            return Err(SpaceError::OneValue(attribute.name.clone()));
        }
        let groups = protection.representatives.len();
        if groups < 2 {
            return Err(SpaceError::OneGroup(attribute.name.clone(), groups));
        }
    }
    Ok(())
}

fn check_size(attribute: &Attribute) -> Result<(), SpaceError> {
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
    Ok(())
}

/// Some of the combinations, without repeats, rising.
fn drawn_combinations(all: u64, terms: &Terms) -> Vec<u64> {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(terms.seed);
    let mut drawn = BTreeSet::new();
    while drawn.len() < terms.max_combinations {
        drawn.insert(generator.random_range(0..all));
    }
    drawn.into_iter().collect()
}

/// The last attribute turns fastest, so that the index is the mixed-radix number of the groups.
fn combinations(protections: &[Protection], all: u64, drawn: &[u64]) -> Vec<Vec<Code>> {
    let of_number = |mut number: u64| {
        let mut codes = vec![0; protections.len()];
        for (code, protection) in codes.iter_mut().zip(protections).rev() {
            let groups = protection.representatives.len() as u64;
            *code = protection.representatives[(number % groups) as usize];
            number /= groups;
        }
        codes
    };
    if drawn.is_empty() {
        (0..all).map(of_number).collect()
    } else {
        drawn.iter().copied().map(of_number).collect()
    }
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
    fn above_the_cap_combinations_are_drawn_and_everyone_has_a_nearest_one() {
        let range = |max| Domain::Integers { min: 0, max };
        let attributes = ["a", "b", "c"].map(|name| Attribute::new(name, range(9)));
        let protections = vec![Protection::each(0, 10), Protection::each(1, 10)];
        let terms = Terms {
            max_combinations: 7,
            ..Terms::default()
        };
        let schema = Schema::new(attributes.to_vec());
        let space = Space::with_terms(schema, protections, &terms).unwrap();
        assert_eq!(
            (space.combinations().len(), space.all_combinations()),
            (7, 100)
        );
        for (index, codes) in space.combinations().iter().enumerate() {
            let person = [codes[0], codes[1], 5];
            assert_eq!(space.combination_of(&person), index);
            assert!(space.is_combination(&person));
        }
        let outside = (0..100).map(|n| [n / 10, n % 10, 0]);
        let outside: Vec<_> = outside
            .filter(|person| !space.is_combination(person))
            .collect();
        assert_eq!(outside.len(), 93);
        for person in outside {
            let nearest = &space.combinations()[space.combination_of(&person)];
            let shares = nearest[0] == person[0] || nearest[1] == person[1];
            let could = space
                .combinations()
                .iter()
                .any(|c| c[0] == person[0] || c[1] == person[1]);
            assert_eq!(shares, could);
        }
    }

    #[test]
    fn groups_are_told_apart_by_one_value_each() {
        let range = |max| Domain::Integers { min: 20, max };
        let schema = Schema::new(vec![
            Attribute::new("age", range(69)),
            Attribute::new("x", range(21)),
        ]);
        let ages = Protection::ranges(0, 50, &[10, 30], |first, end| (first + end) / 2);
        let space = Space::with_terms(schema, vec![ages], &Terms::default()).unwrap();
        assert_eq!(space.combinations(), [[5], [20], [40]]);
        assert_eq!(space.combination_of(&[12, 0]), 1);
        assert!(!space.is_combination(&[12, 0]) && space.is_combination(&[20, 0]));
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
