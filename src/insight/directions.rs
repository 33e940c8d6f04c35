//! Which way the flips go: from which protected values to which, and who is favoured.

use std::cmp::Reverse;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::search::sides::Sides;

use super::looked::Looked;

/// Combinations of which all pairs are counted in a table.
const FEW: usize = 64;

/// Directions that are kept at the most: with many protected values there are as many as pairs.
const KEPT: usize = 200;

/// How often people of one group would be decided otherwise in another one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Direction {
    /// The people's own combination of protected values, as a place among those of the space.
    pub from: usize,
    /// The counterparts' combination.
    pub to: usize,
    /// The people's decision, as a place among the decisions' names; where two numbers are compared, 0
    /// for the lower and 1 for the higher one.
    pub from_decision: usize,
    /// The counterparts' decision.
    pub to_decision: usize,
    /// People for whom it holds, among those looked at.
    pub count: u64,
    /// The same as a share of those looked at.
    pub share: f64,
}

/// How often a group gets the favourable decision among the people found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Favoured {
    /// The combination of protected values, as a place among those of the space.
    pub group: usize,
    /// People who get the favourable decision with these values.
    pub favourable: u64,
    /// People who were looked at with these values and get a clear decision.
    pub of: u64,
}

impl Favoured {
    /// The share of people who get the favourable decision.
    pub fn share(&self) -> f64 {
        self.favourable as f64 / self.of.max(1) as f64
    }
}

/// Each person with every counterpart that is decided otherwise, the most frequent direction first.
pub(super) fn directions(sides: &Sides, looked: &Looked<'_>) -> Vec<Direction> {
    let counts = match sides.are_two() && looked.combinations() <= FEW {
        true => counted_of_two(sides, looked),
        false => counted(sides, looked),
    };
    let mut ranked: Vec<_> = counts.into_iter().filter(|&(_, count)| count > 0).collect();
    // The order of a hash table is nobody's business.
    ranked.sort_unstable_by_key(|&(key, count)| (Reverse(count), key));
    ranked.truncate(KEPT);
    let direction = |(key, count): (Way, u64)| {
        let [from, to, from_decision, to_decision] = key.map(|part| part as usize);
        Direction {
            from,
            to,
            from_decision,
            to_decision,
            count,
            share: count as f64 / looked.people().max(1) as f64,
        }
    };
    ranked.into_iter().map(direction).collect()
}

/// From which combination to which, and from which decision to which.
type Way = [u32; 4];

/// Every way that somebody goes, and how often.
fn counted(sides: &Sides, looked: &Looked<'_>) -> Vec<(Way, u64)> {
    let mut counts: HashMap<Way, u64, FxBuildHasher> = HashMap::default();
    looked.each(|scores, from| {
        let own = scores[from];
        for (to, &other) in scores.iter().enumerate() {
            if !sides.differ(own, other) {
                continue;
            }
            let [own_side, other_side] = decisions(sides, [own, other]);
            let key = [from as u32, to as u32, own_side as u32, other_side as u32];
            *counts.entry(key).or_default() += 1;
        }
    });
    counts.into_iter().collect()
}

/// The same for two decisions and few combinations: all ways fit into a table.
fn counted_of_two(sides: &Sides, looked: &Looked<'_>) -> Vec<(Way, u64)> {
    let combinations = looked.combinations();
    let mut counts = vec![0; 2 * combinations * combinations];
    looked.each(|scores, from| {
        let side = sides.side(scores[from]);
        let row = side.decision().unwrap_or_default() * combinations + from;
        let ways = &mut counts[row * combinations..][..combinations];
        for (count, &other) in ways.iter_mut().zip(scores) {
            *count += u64::from(side.differs(sides.side(other)));
        }
    });
    let ways = counts.into_iter().enumerate();
    ways.map(|(place, count)| {
        let (row, to) = (place / combinations, place % combinations);
        let (decision, from) = (row / combinations, row % combinations);
        let way = [from, to, decision, 1 - decision];
        (way.map(|part| part as u32), count)
    })
    .collect()
}

fn decisions(sides: &Sides, [own, other]: [f32; 2]) -> [usize; 2] {
    match sides.pulls_apart() {
        true => [usize::from(own > other), usize::from(other > own)],
        false => [own, other].map(|score| sides.side(score).decision().unwrap_or_default()),
    }
}

/// How often each group gets the favourable decision, in the order of the combinations. Counterparts
/// who cannot exist or are undecided count for nothing.
pub(super) fn favoured(sides: &Sides, looked: &Looked<'_>, favourable: usize) -> Vec<Favoured> {
    let mut groups: Vec<Favoured> = (0..looked.combinations())
        .map(|group| Favoured {
            group,
            favourable: 0,
            of: 0,
        })
        .collect();
    looked.each(|scores, _| {
        for (group, &score) in groups.iter_mut().zip(scores) {
            if let Some(decision) = sides.side(score).decision() {
                group.of += 1;
                group.favourable += u64::from(decision == favourable);
            }
        }
    });
    groups.retain(|group| group.of > 0);
    groups
}

/// How many people get so many decisions over all protected values: `(2, 17)` for two decisions.
pub(super) fn distinct(sides: &Sides, looked: &Looked<'_>) -> Vec<(usize, u64)> {
    let mut counts: Vec<u64> = Vec::new();
    if sides.pulls_apart() {
        return Vec::new();
    }
    if sides.are_two() {
        return vec![(2, looked.people())];
    }
    looked.each(|scores, _| {
        let distinct = super::counterparts::distinct_decisions(sides, scores);
        counts.resize(counts.len().max(distinct + 1), 0);
        counts[distinct] += 1;
    });
    let counts = counts.into_iter().enumerate();
    counts.filter(|&(_, count)| count > 0).collect()
}
