//! A shallow decision tree that tells two kinds of examples apart.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_trees::{DecisionTree, SplitQuality, TreeNode};
use ndarray_for_linfa::{Array1, Array2};

/// How many conditions a path has at the most.
const DEPTH: usize = 3;

/// A leaf has at least this part of all weight.
const LEAST_LEAF: f32 = 0.02;

/// A split must make the two kinds at least this much purer.
const LEAST_GAIN: f64 = 0.001;

/// Examples of each kind at the most. Weights stay exact in 32 bits, so that nothing depends on the
/// order in which they are added.
pub(super) const MOST_EXAMPLES: usize = 2000;

/// What each example of one kind weighs more. So many of them never add up to a whole number, as the
/// others do: equal weights would be told apart by the order of a hash table.
const NEVER_EQUAL: f32 = 1.0 / 4096.0;

/// One condition on the way to a node: a column's number is at most `at`, or above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub(super) column: usize,
    pub(super) at: f64,
    pub(super) above: bool,
}

/// The paths to all nodes of a tree that tells the examples apart, but for the root; from the root on,
/// the left ones first. Numbers are given column by column; both kinds weigh the same.
pub(super) fn paths(columns: &[Vec<f64>], kinds: &[bool]) -> Vec<Vec<Split>> {
    let (yes, no) = count(kinds);
    if yes == 0 || no == 0 || columns.is_empty() {
        return Vec::new();
    }
    let records = Array2::from_shape_fn((kinds.len(), columns.len()), |(row, column)| {
        columns[column][row]
    });
    let weights = weights(kinds, yes, no);
    let total: f32 = weights.iter().sum();
    let dataset = DatasetBase::new(records, Array1::from_vec(kinds.to_vec()))
        .with_weights(Array1::from_vec(weights));
    let tree = DecisionTree::params()
        .split_quality(SplitQuality::Gini)
        .max_depth(Some(DEPTH))
        .min_weight_leaf(LEAST_LEAF * total)
        .min_impurity_decrease(LEAST_GAIN)
        .fit(&dataset);
    let mut paths = Vec::new();
    if let Ok(tree) = tree {
        walk(tree.root_node(), &[], &mut paths);
    }
    paths
}

fn count(kinds: &[bool]) -> (usize, usize) {
    let yes = kinds.iter().filter(|kind| **kind).count();
    (yes, kinds.len() - yes)
}

/// The rarer kind weighs as much as the other one, as far as whole numbers allow.
fn weights(kinds: &[bool], yes: usize, no: usize) -> Vec<f32> {
    let (for_yes, for_no) = match yes < no {
        true => ((no / yes) as f32, 1.0),
        false => (1.0, (yes / no) as f32),
    };
    let weight = |&kind: &bool| if kind { for_yes + NEVER_EQUAL } else { for_no };
    kinds.iter().map(weight).collect()
}

fn walk(node: &TreeNode<f64, bool>, path: &[Split], paths: &mut Vec<Vec<Split>>) {
    if !path.is_empty() {
        paths.push(path.to_vec());
    }
    if node.is_leaf() {
        return;
    }
    let (column, at, _) = node.split();
    for (child, above) in node.children().into_iter().zip([false, true]) {
        if let Some(child) = child {
            let mut path = path.to_vec();
            path.push(Split { column, at, above });
            walk(child, &path, paths);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_two_kinds_apart_is_found_and_always_the_same() {
        let column = |value: fn(usize) -> usize| (0..2000).map(move |i| value(i) as f64);
        let columns: Vec<Vec<f64>> = vec![
            column(|i| i % 21).collect(),
            column(|i| i / 21 % 21).collect(),
            column(|i| i * i / 7 % 21).collect(),
        ];
        let kinds: Vec<bool> = (0..2000)
            .map(|row| columns[1][row] > 12.0 && columns[2][row] <= 4.0)
            .collect();
        let first = paths(&columns, &kinds);
        let takes = |path: &[Split], row: usize| {
            let side = |split: &Split| columns[split.column][row] > split.at;
            path.iter().all(|split| side(split) == split.above)
        };
        // All of the one kind, and few of the other.
        let tells_apart = |path: &Vec<Split>| {
            let count = |kind: bool| {
                let rows = (0..2000).filter(|&row| kinds[row] == kind);
                rows.filter(|&row| takes(path, row)).count()
            };
            let (yes, no) = super::count(&kinds);
            count(true) == yes && 20 * count(false) < no
        };
        assert!(first.iter().any(tells_apart), "{first:?}");
        for _ in 0..20 {
            assert_eq!(first, paths(&columns, &kinds));
        }
        assert_eq!(paths(&columns, &[true; 2000]), Vec::<Vec<Split>>::new());
    }
}
