//! A movable attribute, seen from chains that walk along it.

use crate::schema::{Code, Field, Space};

/// A movable attribute, as far as chains may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub(super) field: Field,
    pub(super) least: Code,
    pub(super) most: Code,
    /// What the model eats for its first code.
    base: f32,
}

impl Axis {
    /// One for each movable attribute, as far as the domain reaches.
    pub(super) fn all(space: &Space) -> Vec<Self> {
        let axis = |&attribute: &usize| Axis {
            field: space.packing().field(attribute),
            least: 0,
            most: space.largest(attribute),
            base: space.value(attribute, 0),
        };
        space.movable().iter().map(axis).collect()
    }

    pub(super) fn values(&self) -> f64 {
        f64::from(self.most - self.least) + 1.0
    }

    /// A code some steps away, clipped.
    #[inline]
    pub(super) fn moved(&self, code: Code, steps: i64) -> Code {
        (i64::from(code) + steps).clamp(i64::from(self.least), i64::from(self.most)) as Code
    }

    /// How many codes there are from one to the end of the way up or down.
    pub(super) fn room(&self, code: Code, direction: i64) -> i64 {
        match direction > 0 {
            true => i64::from(self.most) - i64::from(code),
            false => i64::from(code) - i64::from(self.least),
        }
    }

    /// The way that leads from a code away from the middle.
    #[inline]
    pub(super) fn outward(&self, code: Code) -> i64 {
        match 2 * u64::from(code) < u64::from(self.least) + u64::from(self.most) {
            true => -1,
            false => 1,
        }
    }

    /// What the model eats for a code.
    #[inline]
    pub(super) fn value(&self, code: Code) -> f32 {
        self.base + code as f32
    }
}
