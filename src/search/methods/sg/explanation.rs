//! Why the model decides as it does about somebody: the path of a decision tree that was grown on
//! people like those of the dataset and on what the model decides about them.

use super::path::Turn;
use crate::schema::{Code, Space};
use crate::search::random::{Purpose, Stream, below, stream};
use crate::search::sides::Sides;
use crate::stump::{Example, Splitting};

/// Any split that makes a node less mixed is one.
const SPLITTING: Splitting = Splitting {
    weights: [1.0, 1.0],
    least_side: 1.0,
    least_gain: 1e-6,
};

/// Where the people that explain somebody are drawn from.
pub(super) struct Neighbours<'a> {
    pub(super) space: &'a Space,
    /// The dataset's people, one row after another.
    pub(super) people: &'a [Code],
    /// How many are drawn.
    pub(super) count: usize,
    pub(super) seed: u64,
    pub(super) benchmark: &'a str,
}

impl Neighbours<'_> {
    /// The people that explain the `index`-th person: that person, and others whose attributes are
    /// drawn one by one from the dataset's. The same ones whenever they are asked for.
    pub(super) fn of<'p>(
        &'p self,
        index: u64,
        person: &'p [Code],
    ) -> impl Iterator<Item = Vec<Code>> + 'p {
        let mut stream = stream(self.seed, self.benchmark, Purpose::Neighbours, index);
        let others = (1..self.count).map(move |_| self.somebody(&mut stream));
        std::iter::once(person.to_vec()).chain(others)
    }

    fn somebody(&self, stream: &mut Stream) -> Vec<Code> {
        let width = self.space.schema().width();
        let rows = (self.people.len() / width) as u64;
        let code = |place| {
            let row = below(stream, rows) as usize;
            self.people[row * width + place]
        };
        (0..width).map(code).collect()
    }
}

/// The turns that lead a tree to where the first of these people is. The tree tells those who are
/// decided as the first one from all others.
///
/// Only this path of the tree is grown, turn by turn: each is the best split of the people who have
/// come so far.
pub(super) fn path(
    people: impl Iterator<Item = Vec<Code>>,
    scores: &[f32],
    sides: &Sides,
) -> Vec<Turn> {
    let own = scores.first().copied().unwrap_or(f32::NAN);
    let labels = scores.iter().map(|&score| sides.differ(own, score));
    let people: Vec<Example> = people.zip(labels).collect();
    let mut there: Vec<&Example> = people.iter().collect();
    let mut path = Vec::new();
    while let Some((attribute, at)) = SPLITTING.best(&there) {
        let before = there.len();
        let is_below = people[0].0[attribute] <= at;
        there.retain(|(person, _)| (person[attribute] <= at) == is_below);
        path.push(Turn {
            attribute,
            at,
            is_below,
            confidence: there.len() as f64 / before as f64,
        });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::Rule;
    use crate::schema::{Attribute, Domain, Schema};

    fn space() -> Space {
        let range = |max| Domain::Integers { min: 0, max };
        let attributes = ["a", "b", "sex"].map(|name| Attribute::new(name, range(9)));
        Space::new(Schema::new(attributes.to_vec()), &[2]).unwrap()
    }

    fn explain(person: &[Code], score: impl Fn(&[Code]) -> f32) -> Vec<Turn> {
        let space = space();
        let people: Vec<Code> = (0..10).flat_map(|a| [a, 9 - a, a % 10]).collect();
        let neighbours = Neighbours {
            space: &space,
            people: &people,
            count: 1000,
            seed: 1,
            benchmark: "x",
        };
        let scores: Vec<f32> = neighbours
            .of(7, person)
            .map(|other| score(&other))
            .collect();
        let sides = Sides::new(&Rule::Threshold(0.5));
        path(neighbours.of(7, person), &scores, &sides)
    }

    #[test]
    fn the_path_is_where_the_model_decides() {
        let rule = |person: &[Code]| f32::from(u8::from(person[0] > 4 && person[1] <= 2));
        let ways: Vec<_> = explain(&[8, 1, 0], rule).iter().map(Turn::way).collect();
        assert_eq!(ways, [(1, 2, true), (0, 4, false)]);
        let ways: Vec<_> = explain(&[8, 5, 0], rule).iter().map(Turn::way).collect();
        assert_eq!(
            ways,
            [(1, 2, false)],
            "all who come there are decided alike"
        );
    }

    #[test]
    fn confidence_is_the_share_of_those_who_take_a_turn() {
        let path = explain(&[8, 1, 0], |person| f32::from(u8::from(person[0] > 6)));
        assert_eq!(path.len(), 1);
        assert!((path[0].confidence - 0.3).abs() < 0.05, "{path:?}");
    }

    #[test]
    fn where_all_are_decided_alike_there_is_nothing_to_explain() {
        assert_eq!(explain(&[8, 1, 0], |_| 0.9), []);
    }
}
