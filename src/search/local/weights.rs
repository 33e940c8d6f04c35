//! How likely a chain of the paper's local phase is to move each attribute.

use crate::search::near;

/// Keeps the reciprocal of a zero gradient finite.
pub(crate) const SMALLEST_SALIENCE: f64 = 1e-6;

/// Sums that are compared in one go.
const BLOCK: usize = 4;

/// The weights of all movable attributes.
pub(super) struct Weights {
    /// Running sums, filled up to whole blocks with numbers that nothing reaches.
    sums: Vec<f64>,
    attributes: usize,
    total: f64,
}

impl Weights {
    /// Room for the weights of so many attributes.
    pub(super) fn with_capacity(attributes: usize) -> Self {
        Weights {
            sums: Vec::with_capacity(attributes.next_multiple_of(BLOCK)),
            attributes: 0,
            total: 0.0,
        }
    }

    /// Whether there are none yet.
    pub(super) fn is_empty(&self) -> bool {
        self.attributes == 0
    }

    /// Takes new weights, of how steep the scores are in each attribute: one that hardly moves the score is
    /// likely to be picked.
    pub(super) fn set(&mut self, set_steepness: impl FnOnce(&mut Vec<f64>)) {
        let sums = &mut self.sums;
        set_steepness(sums);
        // Apart from adding up, because several are divided at once.
        for steep in sums.iter_mut() {
            *steep = 1.0 / (*steep + SMALLEST_SALIENCE);
        }
        self.total = 0.0;
        for weight in sums.iter_mut() {
            self.total += *weight;
            *weight = self.total;
        }
        self.attributes = sums.len();
        sums.resize(sums.len().next_multiple_of(BLOCK), f64::INFINITY);
    }

    /// Brings the weights near.
    #[inline]
    pub(super) fn bring(&self) {
        near::bring_all(&self.sums);
    }

    /// The attribute that a number in [0, 1) picks.
    #[inline]
    pub(super) fn pick(&self, drawn: f64) -> usize {
        let drawn = drawn * self.total;
        let blocks = self.sums.as_chunks::<BLOCK>().0;
        // Counted in numbers as wide as the sums are: others would have to be made narrower first.
        let passed = blocks.iter().flatten().map(|&sum| u64::from(sum <= drawn));
        // The product may be rounded up to the total.
        (passed.sum::<u64>() as usize).min(self.attributes.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_attributes_are_picked_more_often() {
        for attributes in [1, 3, 4, 5, 11] {
            let mut weights = Weights::with_capacity(attributes);
            assert!(weights.is_empty());
            // Each weighs half as much as the one before.
            weights.set(|steepness| {
                steepness.extend((0..attributes).map(|place| f64::from(1_u32 << place)));
            });
            let mut picked = vec![0; attributes];
            for place in 0..100_000 {
                picked[weights.pick(f64::from(place) / 100_000.0)] += 1;
            }
            for pair in picked.windows(2) {
                let ratio = f64::from(pair[0]) / f64::from(pair[1]);
                assert!((1.6..2.4).contains(&ratio), "{picked:?}");
            }
            assert_eq!(weights.pick(1.0), attributes - 1);
        }
    }
}
