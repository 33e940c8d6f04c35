//! The one question about one attribute that tells two kinds of people apart best.
//!
//! Decision trees are grown here question by question, and each question is asked of the crate's tree
//! with a single column that holds every code once, weighed by how many people have it. That is the
//! same as one tree for all: below its root, that tree passes over thresholds next to people who are
//! elsewhere. And it is much sooner done, since there are far fewer codes than people.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_trees::{DecisionTree, SplitQuality};
use ndarray_for_linfa::{Array1, Array2};

use crate::schema::Code;

/// A row of codes, and which of the two kinds it is.
pub(crate) type Example = (Vec<Code>, bool);

/// What a split must be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Splitting {
    /// What an example of each kind weighs, the kind `false` first. Sums must be exact in 32 bits, so
    /// that nothing depends on the order in which they are added.
    pub(crate) weights: [f32; 2],
    /// The weight that either side has at the least.
    pub(crate) least_side: f32,
    /// How much purer the two sides are at the least (Gini).
    pub(crate) least_gain: f64,
}

impl Splitting {
    /// The column and the largest code of the lower side; nothing if no split is good enough. Of
    /// several equally good ones the first.
    pub(crate) fn best(&self, examples: &[&Example]) -> Option<(usize, Code)> {
        let (first, kind) = examples.first()?;
        if examples.iter().all(|(_, other)| other == kind) {
            return None;
        }
        let mut best = (0.0, None);
        for column in 0..first.len() {
            if let Some((gain, at)) = self.of_column(examples, column)
                && gain > best.0
            {
                best = (gain, Some((column, at)));
            }
        }
        best.1
    }

    fn of_column(&self, examples: &[&Example], column: usize) -> Option<(f64, Code)> {
        let mut cells: Vec<(Code, bool)> = examples
            .iter()
            .map(|(codes, kind)| (codes[column], *kind))
            .collect();
        cells.sort_unstable();
        let alike: Vec<&[(Code, bool)]> = cells.chunk_by(|one, other| one == other).collect();
        let codes = Array2::from_shape_fn((alike.len(), 1), |(row, _)| f64::from(alike[row][0].0));
        let kinds: Array1<bool> = alike.iter().map(|cells| cells[0].1).collect();
        let weight =
            |cells: &&[(Code, bool)]| cells.len() as f32 * self.weights[usize::from(cells[0].1)];
        let weights: Array1<f32> = alike.iter().map(weight).collect();
        let tree = DecisionTree::params()
            .split_quality(SplitQuality::Gini)
            .max_depth(Some(1))
            .min_weight_split(2.0)
            .min_weight_leaf(self.least_side)
            .min_impurity_decrease(self.least_gain)
            .fit(&DatasetBase::new(codes, kinds).with_weights(weights))
            .ok()?;
        // Where both sides lean to the same kind the tree is pruned, but it still knows the split.
        let (_, at, gain) = tree.root_node().split();
        (gain > 0.0).then_some((gain, at as Code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(kind: impl Fn(&[Code]) -> bool) -> Vec<Example> {
        let rows = (0..2000).map(|row| vec![row % 21, row / 21 % 21, row * row / 7 % 21]);
        rows.map(|codes| {
            let kind = kind(&codes);
            (codes, kind)
        })
        .collect()
    }

    fn best(examples: &[Example], least_side: f32) -> Option<(usize, Code)> {
        let splitting = Splitting {
            weights: [1.0, 1.0],
            least_side,
            least_gain: 1e-6,
        };
        splitting.best(&examples.iter().collect::<Vec<_>>())
    }

    /// How mixed a side is, times its size.
    fn mixed(side: &[&Example]) -> f64 {
        let yes = side.iter().filter(|(_, kind)| *kind).count() as f64;
        let all = side.len() as f64;
        if all == 0.0 {
            0.0
        } else {
            2.0 * yes * (all - yes) / all
        }
    }

    #[test]
    fn the_split_is_the_best_of_all() {
        let examples = examples(|codes| codes[1] > 12 && codes[2] <= 4 || codes[0] == 3);
        let cost = |(column, at): (usize, Code)| {
            let (below, above): (Vec<_>, Vec<_>) =
                examples.iter().partition(|(codes, _)| codes[column] <= at);
            mixed(&below) + mixed(&above)
        };
        let all = (0..3).flat_map(|column| (0..20).map(move |at| (column, at)));
        let least = all.map(cost).fold(f64::INFINITY, f64::min);
        let chosen = best(&examples, 1.0).unwrap();
        assert!((cost(chosen) - least).abs() < 1e-3, "{chosen:?}");
    }

    #[test]
    fn no_side_is_too_small_and_where_all_are_alike_there_is_none() {
        let few = examples(|codes| codes[0] > 19);
        assert_eq!(best(&few, 1.0), Some((0, 19)));
        assert_ne!(best(&few, 100.0), Some((0, 19)));
        assert_eq!(best(&examples(|_| true), 1.0), None);
        assert_eq!(best(&[], 1.0), None);
    }
}
