//! Everyone the search has tested, with the scores of all their combinations: asked once, kept.
//!
//! A *profile* is a person apart from the protected attributes. A person and all counterparts share
//! one profile, so one entry answers for all of them.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::model::{UNDECIDED, canonical};
use crate::schema::Space;

/// The place of a profile in [`Tested`].
pub(crate) type Slot = u32;

/// Which side of the threshold a score lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Clearly below: class 0.
    Below,
    /// Clearly above: class 1.
    Above,
    /// Within numerical noise of the threshold: evidence of nothing.
    Undecided,
}

/// The side of the threshold that a score lies on, the same in every runtime.
pub(crate) fn side(score: f32, threshold: f64) -> Side {
    let distance = f64::from(canonical(score)) - threshold;
    if distance > UNDECIDED {
        Side::Above
    } else if distance < -UNDECIDED {
        Side::Below
    } else {
        Side::Undecided
    }
}

/// Whether two sides are different decisions.
pub(crate) fn differ(one: Side, other: Side) -> bool {
    matches!(
        (one, other),
        (Side::Above, Side::Below) | (Side::Below, Side::Above)
    )
}

/// The table of tested profiles, in the order in which they were first met.
#[derive(Debug, Clone)]
pub(crate) struct Tested {
    threshold: f64,
    words: usize,
    combinations: usize,
    table: HashTable<Slot>,
    keys: Vec<u64>,
    scores: Vec<f32>,
    /// One bit for each combination of each profile: this very person was tested by the search.
    met: Vec<u64>,
    met_words: usize,
}

impl Tested {
    /// An empty table for a space and a decision threshold.
    pub(crate) fn new(space: &Space, threshold: f64) -> Self {
        let combinations = space.combinations().len();
        Tested {
            threshold,
            words: space.packing().words(),
            combinations,
            table: HashTable::new(),
            keys: Vec::new(),
            scores: Vec::new(),
            met: Vec::new(),
            met_words: combinations.div_ceil(64),
        }
    }

    /// How many profiles are in the table.
    pub(crate) fn profiles(&self) -> usize {
        self.keys.len() / self.words
    }

    /// The profile of a packed person, and whether it is new. A new one has no scores yet.
    pub(crate) fn slot(&mut self, packed: &[u64]) -> (Slot, bool) {
        let (keys, words) = (&self.keys, self.words);
        let key = |slot: Slot| &keys[slot as usize * words..][..words];
        let entry = self.table.entry(
            hash(packed),
            |&slot| key(slot) == packed,
            |&slot| hash(key(slot)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => (*found.get(), false),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let slot = (self.keys.len() / self.words) as Slot;
                free.insert(slot);
                self.keys.extend_from_slice(packed);
                self.met.resize(self.met.len() + self.met_words, 0);
                (slot, true)
            }
        }
    }

    /// Fills in the scores of the profiles that have none, in the order in which they were added.
    pub(crate) fn fill(&mut self, scores: &[f32]) {
        self.scores.extend_from_slice(scores);
        debug_assert_eq!(self.scores.len(), self.profiles() * self.combinations);
    }

    /// Forgets the profiles that have no scores: the budget ended before the model was asked.
    pub(crate) fn drop_unfilled(&mut self) {
        let filled = self.scores.len() / self.combinations;
        self.table.retain(|slot| (*slot as usize) < filled);
        self.keys.truncate(filled * self.words);
        self.met.truncate(filled * self.met_words);
    }

    /// Notes that the search tested the person with this profile and combination. Says whether it
    /// is the first time.
    pub(crate) fn meet(&mut self, slot: Slot, combination: usize) -> bool {
        let word = &mut self.met[slot as usize * self.met_words + combination / 64];
        let bit = 1 << (combination % 64);
        let first = *word & bit == 0;
        *word |= bit;
        first
    }

    /// The scores of all combinations of a profile, as the model gave them.
    pub(crate) fn scores(&self, slot: Slot) -> &[f32] {
        &self.scores[slot as usize * self.combinations..][..self.combinations]
    }

    /// The side of one combination of a profile.
    pub(crate) fn side(&self, slot: Slot, combination: usize) -> Side {
        side(self.scores(slot)[combination], self.threshold)
    }

    /// Whether the person with this profile and combination has a counterpart decided otherwise.
    pub(crate) fn discriminated(&self, slot: Slot, combination: usize) -> bool {
        let own = self.side(slot, combination);
        self.scores(slot)
            .iter()
            .any(|&score| differ(own, side(score, self.threshold)))
    }

    /// The combinations that are decided otherwise than this one.
    pub(crate) fn other_decisions(
        &self,
        slot: Slot,
        combination: usize,
    ) -> impl Iterator<Item = usize> {
        let own = self.side(slot, combination);
        (0..self.combinations).filter(move |&other| differ(own, self.side(slot, other)))
    }

    /// The packed profile.
    pub(crate) fn key(&self, slot: Slot) -> &[u64] {
        &self.keys[slot as usize * self.words..][..self.words]
    }

    /// Every person tested, as profile and combination, in the order in which profiles were met.
    pub(crate) fn met(&self) -> impl Iterator<Item = (Slot, usize)> {
        (0..self.profiles() as Slot).flat_map(move |slot| {
            let bits = &self.met[slot as usize * self.met_words..][..self.met_words];
            (0..self.combinations)
                .filter(move |combination| bits[combination / 64] >> (combination % 64) & 1 == 1)
                .map(move |combination| (slot, combination))
        })
    }

    /// How many people were tested.
    pub(crate) fn tested(&self) -> u64 {
        self.met
            .iter()
            .map(|bits| u64::from(bits.count_ones()))
            .sum()
    }
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in words {
        hasher.write_u64(word);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Domain, Schema};

    fn space() -> Space {
        let range = |max| Domain::Integers { min: 0, max };
        let schema = Schema::new(vec![
            Attribute::new("a", range(9)),
            Attribute::new("sex", range(1)),
        ]);
        Space::new(schema, &[1]).unwrap()
    }

    #[test]
    fn a_profile_is_kept_once_and_people_are_counted_apart() {
        let mut tested = Tested::new(&space(), 0.5);
        let (slot, new) = tested.slot(&[3]);
        assert!(new);
        tested.fill(&[0.2, 0.8]);
        assert_eq!(tested.slot(&[3]), (slot, false));
        tested.meet(slot, 0);
        tested.meet(slot, 0);
        tested.meet(slot, 1);
        assert_eq!((tested.profiles(), tested.tested()), (1, 2));
        assert!(tested.discriminated(slot, 0));
        assert_eq!(tested.met().collect::<Vec<_>>(), [(0, 0), (0, 1)]);
    }

    #[test]
    fn what_was_not_answered_is_forgotten() {
        let mut tested = Tested::new(&space(), 0.5);
        tested.slot(&[1]);
        tested.fill(&[0.1, 0.1]);
        let (slot, _) = tested.slot(&[2]);
        tested.meet(slot, 0);
        tested.drop_unfilled();
        assert_eq!((tested.profiles(), tested.tested()), (1, 0));
        assert_eq!(tested.slot(&[2]), (1, true));
    }

    #[test]
    fn a_flip_within_noise_of_the_threshold_does_not_count() {
        assert!(!differ(side(0.5, 0.5), side(0.9, 0.5)));
        assert!(!differ(side(0.500_01, 0.5), side(0.1, 0.5)));
        assert!(differ(side(0.500_1, 0.5), side(0.499_9, 0.5)));
    }
}
