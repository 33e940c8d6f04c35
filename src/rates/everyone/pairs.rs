//! The clearest pairs of a walk as counterexamples.

use crate::findings::Counterexample;
use crate::schema::{Code, Space};
use crate::search::sides::Sides;

use super::widest::{Found, Widest};

/// Pairs that are shown.
const SHOWN: usize = 10;

/// People must differ in this many attributes to be shown beside each other.
const APART: usize = 2;

/// Pairs as counterexamples, those first who differ from each other. `people` makes a person and a
/// counterpart.
pub(crate) fn clearest_first(
    space: &Space,
    sides: &Sides,
    widest: &Widest,
    people: impl Fn(&Found) -> [Vec<Code>; 2],
) -> Vec<Counterexample> {
    let pairs = widest.iter().map(|found| {
        let scores = found.scores.map(f32::from_bits);
        let [person, counterpart] = people(found);
        Counterexample::new(person, counterpart, scores, sides)
    });
    let apart = |one: &Counterexample, other: &Counterexample| {
        let differ = |&&attribute: &&usize| one.person[attribute] != other.person[attribute];
        space.movable().iter().filter(differ).count() >= APART
    };
    let (mut chosen, mut left): (Vec<Counterexample>, Vec<_>) = (Vec::new(), Vec::new());
    for pair in pairs {
        match chosen.iter().all(|other| apart(other, &pair)) {
            true => chosen.push(pair),
            false => left.push(pair),
        }
    }
    chosen.extend(left);
    chosen.truncate(SHOWN);
    chosen
}
