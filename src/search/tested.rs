//! Everyone the search has tested, with the scores that are known: asked once, kept.
//!
//! A *profile* is a person apart from the protected attributes. A person and all counterparts share
//! one profile, so one entry answers for all of them.

use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

use crate::model::{UNDECIDED, canonical};
use crate::schema::Space;

/// Room is made for at most this many profiles ahead; beyond that the table grows as it goes.
const MOST_RESERVED: usize = 1 << 21;

/// The place of a profile in [`Tested`].
pub(crate) type Slot = u32;

/// Which side of the threshold a score lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Clearly below: class 0.
    Below,
    /// Clearly above: class 1.
    Above,
    /// Within numerical noise of the threshold, or not known: evidence of nothing.
    Undecided,
}

impl Side {
    /// Whether two sides are different decisions.
    pub(crate) fn differs(self, other: Side) -> bool {
        matches!(
            (self, other),
            (Side::Above, Side::Below) | (Side::Below, Side::Above)
        )
    }
}

/// Where the threshold cuts the scores, the same in every runtime.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cuts {
    /// Scores from here on are above.
    above: f32,
    /// Scores up to here are below.
    below: f32,
}

impl Cuts {
    /// The cuts of a threshold. Canonical scores decide; they rise with the score, so the place
    /// where they cross can be found once and compared with from then on.
    pub(crate) fn new(threshold: f64) -> Self {
        let distance = |score: f32| f64::from(canonical(score)) - threshold;
        Cuts {
            above: first(|score| distance(score) > UNDECIDED),
            below: -first(|score| distance(-score) < -UNDECIDED),
        }
    }

    /// The side that a score lies on.
    pub(crate) fn side(self, score: f32) -> Side {
        if score >= self.above {
            Side::Above
        } else if score <= self.below {
            Side::Below
        } else {
            Side::Undecided
        }
    }
}

/// The smallest number for which `holds` does, if it holds for every larger one.
fn first(holds: impl Fn(f32) -> bool) -> f32 {
    // The bits of floats sort as the floats do, once those of negative ones are turned round.
    let float = |order: i32| f32::from_bits((order ^ ((order >> 31) & i32::MAX)) as u32);
    let order = |float: f32| {
        let bits = float.to_bits() as i32;
        bits ^ ((bits >> 31) & i32::MAX)
    };
    let (mut low, mut high) = (order(f32::MIN), order(f32::MAX));
    while low < high {
        let middle = low + ((i64::from(high) - i64::from(low)) / 2) as i32;
        if holds(float(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    float(low)
}

/// The table of tested profiles, in the order in which they were first met.
#[derive(Debug, Clone)]
pub(crate) struct Tested {
    cuts: Cuts,
    words: usize,
    combinations: usize,
    /// Slots alone: looking for somebody new, the usual case, then touches little memory.
    table: HashTable<Slot>,
    keys: Vec<u64>,
    /// Not a number where the model was not asked.
    scores: Vec<f32>,
    /// One bit for each combination of each profile: this very person was tested by the search.
    met: Vec<u64>,
    met_words: usize,
    tested: u64,
    found: Vec<(Slot, u32)>,
}

impl Tested {
    /// An empty table for a space and a decision threshold.
    pub(crate) fn new(space: &Space, threshold: f64) -> Self {
        let combinations = space.combinations().len();
        Tested {
            cuts: Cuts::new(threshold),
            words: space.packing().words(),
            combinations,
            table: HashTable::new(),
            keys: Vec::new(),
            scores: Vec::new(),
            met: Vec::new(),
            met_words: combinations.div_ceil(64),
            tested: 0,
            found: Vec::new(),
        }
    }

    /// About how many bytes a profile takes: its key, scores, bits, and its places in the table and
    /// among the finds, with the room that growing vectors leave unused.
    pub(crate) fn bytes_each(space: &Space) -> usize {
        let combinations = space.combinations().len();
        let own = 8 * space.packing().words() + 4 * combinations + 8 * combinations.div_ceil(64);
        let (table, found) = (10, 8);
        (own + table + found) * 3 / 2
    }

    /// Makes room for so many profiles more.
    pub(crate) fn reserve(&mut self, more: usize) {
        let more = more.min(MOST_RESERVED);
        self.keys.reserve(more * self.words);
        self.scores.reserve(more * self.combinations);
        self.met.reserve(more * self.met_words);
        self.found.reserve(more);
        let (keys, words) = (&self.keys, self.words);
        self.table
            .reserve(more, |&slot| hash(key_of(keys, words, slot)));
    }

    /// How many profiles are in the table.
    pub(crate) fn profiles(&self) -> usize {
        self.keys.len() / self.words
    }

    /// The profile of a packed person with this [`hash`], if it is in the table.
    pub(crate) fn get_hashed(&self, hash: u64, packed: &[u64]) -> Option<Slot> {
        let (keys, words) = (&self.keys, self.words);
        self.table
            .find(hash, |&slot| same(key_of(keys, words, slot), packed))
            .copied()
    }

    /// The profile of a packed person, and whether it is new. A new one has no scores yet.
    pub(crate) fn slot(&mut self, packed: &[u64]) -> (Slot, bool) {
        self.slot_hashed(hash(packed), packed)
    }

    /// The same, for a hash that is known.
    pub(crate) fn slot_hashed(&mut self, hash_of_packed: u64, packed: &[u64]) -> (Slot, bool) {
        let (keys, words) = (&self.keys, self.words);
        let entry = self.table.entry(
            hash_of_packed,
            |&slot| same(key_of(keys, words, slot), packed),
            |&slot| hash(key_of(keys, words, slot)),
        );
        match entry {
            Entry::Occupied(found) => (*found.get(), false),
            Entry::Vacant(free) => {
                let slot = (self.keys.len() / self.words) as Slot;
                free.insert(slot);
                self.keys.extend_from_slice(packed);
                self.scores
                    .resize(self.scores.len() + self.combinations, f32::NAN);
                self.met.resize(self.met.len() + self.met_words, 0);
                (slot, true)
            }
        }
    }

    /// Forgets the profiles from `first` on: the budget ended before the model was asked.
    pub(crate) fn forget_from(&mut self, first: usize) {
        if first < self.profiles() {
            self.table.retain(|slot| (*slot as usize) < first);
            self.keys.truncate(first * self.words);
            self.scores.truncate(first * self.combinations);
            self.met.truncate(first * self.met_words);
        }
    }

    /// Notes that the search tested the person with this profile and combination, and whether a
    /// counterpart is decided otherwise. Says the latter.
    pub(crate) fn meet(&mut self, slot: Slot, combination: usize) -> bool {
        let discriminated = self.discriminated(slot, combination);
        let word = &mut self.met[slot as usize * self.met_words + combination / 64];
        let bit = 1 << (combination % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.tested += 1;
            if discriminated {
                self.found.push((slot, combination as u32));
            }
        }
        discriminated
    }

    /// Whether the search tested the person with this profile and combination.
    pub(crate) fn is_met(&self, slot: Slot, combination: usize) -> bool {
        self.met[slot as usize * self.met_words + combination / 64] >> (combination % 64) & 1 == 1
    }

    /// The scores of all combinations of a profile, as the model gave them.
    pub(crate) fn scores(&self, slot: Slot) -> &[f32] {
        &self.scores[slot as usize * self.combinations..][..self.combinations]
    }

    /// The same, to be filled in.
    pub(crate) fn scores_mut(&mut self, slot: Slot) -> &mut [f32] {
        &mut self.scores[slot as usize * self.combinations..][..self.combinations]
    }

    /// The side of one combination of a profile.
    pub(crate) fn side(&self, slot: Slot, combination: usize) -> Side {
        self.cuts.side(self.scores(slot)[combination])
    }

    /// Whether the person with this profile and combination has a counterpart decided otherwise.
    pub(crate) fn discriminated(&self, slot: Slot, combination: usize) -> bool {
        let scores = self.scores(slot);
        let own = self.cuts.side(scores[combination]);
        scores
            .iter()
            .any(|&score| own.differs(self.cuts.side(score)))
    }

    /// The combinations that are decided otherwise than this one.
    pub(crate) fn other_decisions(
        &self,
        slot: Slot,
        combination: usize,
    ) -> impl Iterator<Item = usize> {
        let own = self.side(slot, combination);
        (0..self.combinations).filter(move |&other| own.differs(self.side(slot, other)))
    }

    /// The counterpart that is decided otherwise most clearly; the person itself if there is none.
    pub(crate) fn clearest_other(&self, slot: Slot, combination: usize) -> usize {
        let gap = |other: usize| self.gap(slot, combination, other);
        self.other_decisions(slot, combination)
            .fold(combination, |best, other| {
                if gap(other) > gap(best) { other } else { best }
            })
    }

    /// How far the scores of two combinations lie apart, the same in every runtime.
    pub(crate) fn gap(&self, slot: Slot, one: usize, other: usize) -> f32 {
        let scores = self.scores(slot);
        (canonical(scores[one]) - canonical(scores[other])).abs()
    }

    /// The packed profile.
    pub(crate) fn key(&self, slot: Slot) -> &[u64] {
        key_of(&self.keys, self.words, slot)
    }

    /// Every counterexample as profile and combination, in the order in which they were met.
    pub(crate) fn found(&self) -> &[(Slot, u32)] {
        &self.found
    }

    /// How many people were tested.
    pub(crate) fn tested(&self) -> u64 {
        self.tested
    }
}

fn key_of(keys: &[u64], words: usize, slot: Slot) -> &[u64] {
    &keys[slot as usize * words..][..words]
}

/// Most keys have one word, for which a call to compare memory would take longer than comparing.
fn same(one: &[u64], other: &[u64]) -> bool {
    one[0] == other[0] && (one.len() == 1 || one == other)
}

/// The hash that the table goes by.
pub(crate) fn hash(words: &[u64]) -> u64 {
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
        tested.scores_mut(slot).copy_from_slice(&[0.2, 0.8]);
        assert_eq!(tested.slot(&[3]), (slot, false));
        let get = |key: u64| tested.get_hashed(hash(&[key]), &[key]);
        assert_eq!((get(3), get(4)), (Some(slot), None));
        assert!(tested.meet(slot, 0) && tested.meet(slot, 0) && tested.meet(slot, 1));
        assert_eq!((tested.profiles(), tested.tested()), (1, 2));
        assert_eq!(tested.found(), [(0, 0), (0, 1)]);
    }

    #[test]
    fn what_is_not_known_is_evidence_of_nothing() {
        let mut tested = Tested::new(&space(), 0.5);
        let (slot, _) = tested.slot(&[3]);
        tested.scores_mut(slot)[0] = 0.9;
        assert!(!tested.meet(slot, 0) && !tested.meet(slot, 1));
    }

    #[test]
    fn what_was_not_answered_is_forgotten() {
        let mut tested = Tested::new(&space(), 0.5);
        tested.slot(&[1]);
        tested.slot(&[2]);
        tested.forget_from(1);
        assert_eq!(tested.profiles(), 1);
        assert_eq!(tested.slot(&[2]), (1, true));
    }

    #[test]
    fn last_bits_do_not_choose_the_clearest_counterpart() {
        let race = Domain::Integers { min: 0, max: 2 };
        let schema = Schema::new(vec![Attribute::new("race", race)]);
        let mut tested = Tested::new(&Space::new(schema, &[0]).unwrap(), 0.5);
        let (slot, _) = tested.slot(&[0]);
        // Which of the two is higher is for the runtime's rounding to say.
        for noise in [[0.8, 0.800_000_1], [0.800_000_1, 0.8]] {
            tested.scores_mut(slot)[0] = 0.2;
            tested.scores_mut(slot)[1..].copy_from_slice(&noise);
            assert_eq!(tested.clearest_other(slot, 0), 1);
        }
        tested.scores_mut(slot)[2] = 0.9;
        assert_eq!(tested.clearest_other(slot, 0), 2);
    }

    #[test]
    fn a_flip_within_noise_of_the_threshold_does_not_count() {
        let cuts = Cuts::new(0.5);
        assert!(!cuts.side(0.5).differs(cuts.side(0.9)));
        assert!(!cuts.side(0.500_01).differs(cuts.side(0.1)));
        assert!(cuts.side(0.500_1).differs(cuts.side(0.499_9)));
        assert_eq!(cuts.side(f32::NAN), Side::Undecided);
    }

    #[test]
    fn the_cuts_are_where_canonical_scores_cross() {
        for threshold in [0.5, 0.3, 0.001, 0.0, -2.5, 17.0] {
            let cuts = Cuts::new(threshold);
            for step in -20_000..20_000 {
                let score = threshold as f32 + step as f32 * 1e-8;
                let distance = f64::from(canonical(score)) - threshold;
                let side = if distance > UNDECIDED {
                    Side::Above
                } else if distance < -UNDECIDED {
                    Side::Below
                } else {
                    Side::Undecided
                };
                assert_eq!(cuts.side(score), side, "{score} against {threshold}");
            }
        }
    }
}
