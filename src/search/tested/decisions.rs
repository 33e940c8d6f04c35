//! What the scores of a profile decide: who differs from whom, and how clearly.

use crate::search::marks::ones;
use crate::search::sides::Side;

use super::{Slot, Tested};

impl Tested {
    /// The side of one combination of a profile.
    pub(crate) fn side(&self, slot: Slot, combination: usize) -> Side {
        self.sides.side(self.scores(slot)[combination])
    }

    /// Whether the person with this profile and combination has a counterpart decided otherwise.
    #[inline]
    pub(crate) fn discriminated(&self, slot: Slot, combination: usize) -> bool {
        let scores = self.scores(slot);
        self.sides.differs_from_any(scores[combination], scores)
    }

    /// Whether two combinations of a profile are decided differently.
    #[inline]
    pub(crate) fn differ(&self, slot: Slot, one: usize, other: usize) -> bool {
        let scores = self.scores(slot);
        self.sides.differ(scores[one], scores[other])
    }

    /// Whether a score is another decision than that of any combination of a profile but `own`.
    pub(crate) fn differs_from(&self, slot: Slot, own: Option<usize>, score: f32) -> bool {
        let others = self.scores(slot).iter().enumerate();
        others
            .filter(|(combination, _)| Some(*combination) != own)
            .any(|(_, &other)| self.sides.differ(score, other))
    }

    /// Whether numerical noise keeps a score from being another decision than that of any combination
    /// of a profile but `own`, or from being a decision at all.
    pub(crate) fn undecided(&self, slot: Slot, own: Option<usize>, score: f32) -> bool {
        let scores = self.scores(slot).iter().enumerate();
        let others = scores.filter(|(combination, _)| Some(*combination) != own);
        self.sides.undecided(score, others.map(|(_, &other)| other))
    }

    /// The combinations that are decided otherwise than this one.
    pub(crate) fn other_decisions(
        &self,
        slot: Slot,
        combination: usize,
    ) -> impl Iterator<Item = usize> {
        (0..self.combinations).filter(move |&other| self.differ(slot, combination, other))
    }

    /// One of the combinations that are decided otherwise than this one: of so many, `draw` says which.
    pub(crate) fn any_other(
        &self,
        slot: Slot,
        combination: usize,
        draw: impl FnOnce(usize) -> usize,
    ) -> Option<usize> {
        if self.combinations > 64 {
            let turn = draw(self.other_decisions(slot, combination).count());
            return self.other_decisions(slot, combination).nth(turn);
        }
        // A bit for each, because asking one after the other would take as many guesses.
        let scores = self.scores(slot);
        let own = scores[combination];
        let others = scores
            .iter()
            .enumerate()
            .fold(0, |others, (place, &score)| {
                others | u64::from(self.sides.differ(own, score)) << place
            });
        ones(others).nth(draw(others.count_ones() as usize))
    }

    /// The counterpart that is decided otherwise most clearly; the person itself if there is none.
    pub(crate) fn clearest_other(&self, slot: Slot, combination: usize) -> usize {
        let gap = |other: usize| self.gap(slot, combination, other);
        self.other_decisions(slot, combination)
            .fold(combination, |best, other| {
                if gap(other) > gap(best) { other } else { best }
            })
    }

    /// How far the score of a counterexample lies from that of the clearest counterpart.
    pub(crate) fn widest_gap(&self, slot: Slot, combination: usize) -> f32 {
        let scores = self.scores(slot);
        match self.sides.furthest(scores[combination], scores) {
            Some(other) => self.sides.gap(scores[combination], other),
            None => self.gap(slot, combination, self.clearest_other(slot, combination)),
        }
    }

    /// How far the scores of two combinations lie apart, the same in every runtime.
    pub(crate) fn gap(&self, slot: Slot, one: usize, other: usize) -> f32 {
        let scores = self.scores(slot);
        self.sides.gap(scores[one], scores[other])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::half;
    use super::*;
    use crate::schema::{Attribute, Domain, Schema, Space};

    #[test]
    fn any_of_the_other_decisions_can_be_drawn() {
        for combinations in [3, 64, 65, 200] {
            let mut tested = Tested::of(1, combinations, half());
            let slot = tested.slot(&[7]);
            for (place, score) in tested.scores_mut(slot).iter_mut().enumerate() {
                *score = if place % 3 == 1 { 0.9 } else { 0.1 };
            }
            let others: Vec<usize> = tested.other_decisions(slot, 0).collect();
            for (turn, &other) in others.iter().enumerate() {
                let draw = |count| {
                    assert_eq!(count, others.len());
                    turn
                };
                assert_eq!(tested.any_other(slot, 0, draw), Some(other));
            }
        }
    }

    #[test]
    fn the_widest_gap_is_that_to_the_clearest_counterpart() {
        let range = |max| Domain::Integers { min: 0, max };
        let ages = Attribute::new("age", range(3));
        let schema = Schema::new(vec![Attribute::new("a", range(9)), ages]);
        let mut tested = Tested::new(&Space::new(schema, &[1]).unwrap(), half());
        let unknown = f32::NAN;
        for (key, scores) in [
            [0.2, 0.8, 0.9, 0.1],
            [0.5, 0.7, unknown, 0.49],
            [unknown, 0.6, 0.3, 0.500_000_1],
        ]
        .into_iter()
        .enumerate()
        {
            let slot = tested.slot(&[key as u64]);
            tested.scores_mut(slot).copy_from_slice(&scores);
            for own in (0..4).filter(|&own| tested.discriminated(slot, own)) {
                let clearest = tested.clearest_other(slot, own);
                let gap = tested.gap(slot, own, clearest);
                assert_eq!(tested.widest_gap(slot, own), gap, "{scores:?} {own}");
                assert!(gap > 0.0);
            }
        }
    }

    #[test]
    fn last_bits_do_not_choose_the_clearest_counterpart() {
        let race = Domain::Integers { min: 0, max: 2 };
        let schema = Schema::new(vec![Attribute::new("race", race)]);
        let mut tested = Tested::new(&Space::new(schema, &[0]).unwrap(), half());
        let slot = tested.slot(&[0]);
        // Which of the two is higher is for the runtime's rounding to say.
        for noise in [[0.8, 0.800_000_1], [0.800_000_1, 0.8]] {
            tested.scores_mut(slot)[0] = 0.2;
            tested.scores_mut(slot)[1..].copy_from_slice(&noise);
            assert_eq!(tested.clearest_other(slot, 0), 1);
        }
        tested.scores_mut(slot)[2] = 0.9;
        assert_eq!(tested.clearest_other(slot, 0), 2);
    }
}
