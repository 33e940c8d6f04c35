//! Constraints made ready for millions of people: looked up where there are few combinations.

use std::sync::Arc;

use super::{Expression, Values};
use crate::schema::Code;

/// A constraint on attributes with no more combinations of values than this becomes a table.
const MOST_COMBINATIONS: u64 = 65_536;

/// A constraint that is ready to be asked.
#[derive(Debug, Clone)]
pub(crate) struct Constraint {
    expression: Expression,
    form: Form,
}

/// How a constraint is asked.
#[derive(Debug, Clone)]
enum Form {
    /// One bit for each combination of the values of its attributes.
    Table {
        /// The attributes with how far one code further moves the bit.
        strides: Box<[(usize, usize)]>,
        /// The bits.
        bits: Box<[u64]>,
    },
    /// The expression itself, evaluated each time.
    Expression(Arc<Values>),
}

impl Constraint {
    /// Makes a constraint ready. `sizes` has the size of the domain of each attribute.
    pub(crate) fn compile(expression: Expression, sizes: &[u64], values: &Arc<Values>) -> Self {
        let combinations = expression
            .attributes()
            .iter()
            .try_fold(1_u64, |product, &place| product.checked_mul(sizes[place]))
            .filter(|&product| product <= MOST_COMBINATIONS);
        let form = match combinations {
            Some(combinations) => table(&expression, combinations as usize, sizes, values),
            None => Form::Expression(Arc::clone(values)),
        };
        Constraint { expression, form }
    }

    /// Whether this person may be.
    pub(crate) fn holds(&self, person: &[Code]) -> bool {
        match &self.form {
            Form::Table { strides, bits } => {
                let bit = strides.iter().fold(0, |bit, &(place, stride)| {
                    bit + person[place] as usize * stride
                });
                bits[bit / 64] >> (bit % 64) & 1 == 1
            }
            Form::Expression(values) => self.expression.holds(values, person),
        }
    }

    /// The places of the attributes it mentions, sorted and distinct.
    pub(crate) fn attributes(&self) -> &[usize] {
        self.expression.attributes()
    }

    /// The constraint as it was written.
    pub(crate) fn text(&self) -> &str {
        self.expression.text()
    }
}

/// Asks the expression about every combination once.
fn table(expression: &Expression, combinations: usize, sizes: &[u64], values: &Values) -> Form {
    let mut strides = Vec::with_capacity(expression.attributes().len());
    let mut stride = 1;
    for &place in expression.attributes() {
        strides.push((place, stride));
        stride *= sizes[place] as usize;
    }
    let mut bits = vec![0_u64; combinations.div_ceil(64)];
    let mut person = vec![0; sizes.len()];
    for combination in 0..combinations {
        for &(place, stride) in &strides {
            person[place] = (combination / stride % sizes[place] as usize) as Code;
        }
        let holds = expression.holds(values, &person);
        bits[combination / 64] |= u64::from(holds) << (combination % 64);
    }
    Form::Table {
        strides: strides.into(),
        bits: bits.into(),
    }
}

/// All constraints of a dataset.
#[derive(Debug, Clone, Default)]
pub(crate) struct Constraints {
    list: Vec<Constraint>,
    /// For each attribute the constraints that mention it; shorter where the last ones are in none.
    touching: Vec<Vec<usize>>,
}

impl Constraints {
    /// These constraints, in the order in which they are reported.
    pub(crate) fn new(list: Vec<Constraint>) -> Self {
        let mut touching: Vec<Vec<usize>> = Vec::new();
        for (index, constraint) in list.iter().enumerate() {
            for &attribute in constraint.attributes() {
                if touching.len() <= attribute {
                    touching.resize_with(attribute + 1, Vec::new);
                }
                touching[attribute].push(index);
            }
        }
        Constraints { list, touching }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Constraint> {
        self.list.iter()
    }

    /// Whether a person meets all of them.
    pub(crate) fn hold(&self, person: &[Code]) -> bool {
        self.list.iter().all(|constraint| constraint.holds(person))
    }

    /// Those that a person breaks.
    pub(crate) fn broken(&self, person: &[Code]) -> impl Iterator<Item = &Constraint> {
        self.list
            .iter()
            .filter(|constraint| !constraint.holds(person))
    }

    /// Whether any of them mentions an attribute.
    pub(crate) fn mention(&self, attribute: usize) -> bool {
        self.touching(attribute).next().is_some()
    }

    /// Those that mention an attribute: all that can break when it alone changes.
    pub(super) fn touching(&self, attribute: usize) -> impl Iterator<Item = &Constraint> {
        let indices = self.touching.get(attribute).map_or(&[][..], Vec::as_slice);
        indices.iter().map(|&index| &self.list[index])
    }

    /// Whether a person who met all of them still does after `attribute` alone has changed.
    pub(crate) fn still_hold(&self, attribute: usize, person: &[Code]) -> bool {
        self.touching(attribute)
            .all(|constraint| constraint.holds(person))
    }
}
