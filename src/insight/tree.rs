//! A shallow decision tree that tells two kinds of examples apart.

use crate::schema::Code;
use crate::stump::{Example, Splitting};

/// How many conditions a path has at the most.
const DEPTH: usize = 3;

/// A leaf has at least this part of all weight.
const LEAST_LEAF: f32 = 0.02;

/// A split must make the two kinds at least this much purer.
const LEAST_GAIN: f64 = 0.001;

/// Examples of each kind at the most: their weights stay exact.
pub(super) const MOST_EXAMPLES: usize = 2000;

/// One condition on the way to a node: a column's code is at most `at`, or above it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub(super) column: usize,
    pub(super) at: Code,
    pub(super) above: bool,
}

/// The paths to all nodes of a tree that tells the examples apart, but for the root; from the root on,
/// the lower ones first. Both kinds weigh the same.
pub(super) fn paths(examples: &[Example]) -> Vec<Vec<Split>> {
    let yes = examples.iter().filter(|(_, kind)| *kind).count();
    let no = examples.len() - yes;
    if yes == 0 || no == 0 {
        return Vec::new();
    }
    // The rarer kind weighs as much as the other one, as far as whole numbers allow.
    let weights = match yes < no {
        true => [1.0, (no / yes) as f32],
        false => [(yes / no) as f32, 1.0],
    };
    let total = weights[0] * no as f32 + weights[1] * yes as f32;
    let splitting = Splitting {
        weights,
        least_side: LEAST_LEAF * total,
        least_gain: LEAST_GAIN,
    };
    let mut paths = Vec::new();
    grow(
        &splitting,
        &examples.iter().collect::<Vec<_>>(),
        &[],
        &mut paths,
    );
    paths
}

fn grow(splitting: &Splitting, examples: &[&Example], path: &[Split], paths: &mut Vec<Vec<Split>>) {
    if !path.is_empty() {
        paths.push(path.to_vec());
    }
    if path.len() == DEPTH {
        return;
    }
    let Some((column, at)) = splitting.best(examples) else {
        return;
    };
    for above in [false, true] {
        let there: Vec<&Example> = examples
            .iter()
            .copied()
            .filter(|(codes, _)| (codes[column] > at) == above)
            .collect();
        let split = Split { column, at, above };
        grow(splitting, &there, &[path, &[split]].concat(), paths);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_two_kinds_apart_is_found() {
        let rows = (0..2000).map(|row| vec![row % 21, row / 21 % 21, row * row / 7 % 21]);
        let examples: Vec<Example> = rows
            .map(|codes| {
                let kind = codes[1] > 12 && codes[2] <= 4;
                (codes, kind)
            })
            .collect();
        let paths = paths(&examples);
        let way = |column, at, above| Split { column, at, above };
        let [high, low] = [way(1, 12, true), way(2, 4, false)];
        let exactly = |path: &Vec<Split>| *path == [high, low] || *path == [low, high];
        assert!(paths.iter().any(exactly), "{paths:?}");
    }

    #[test]
    fn where_all_are_of_one_kind_there_is_nothing_to_tell_apart() {
        let examples: Vec<Example> = (0..9).map(|code| (vec![code], true)).collect();
        assert_eq!(paths(&examples), Vec::<Vec<Split>>::new());
        assert_eq!(paths(&[]), Vec::<Vec<Split>>::new());
    }
}
