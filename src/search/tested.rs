//! Everyone the search has tested, with the scores that are known: asked once, kept.
//!
//! A *profile* is a person apart from the protected attributes. A person and all counterparts share
//! one profile, so one entry answers for all of them.

mod decisions;
mod parts;

use crate::schema::Space;

pub(crate) use super::index::Place;
use super::index::{Free, Index};
use super::large::{Items, none, push};
use super::marks::{Mark, Marks};
use super::sides::Sides;
use super::wanted::{Change, Wanted, hash};
use super::{near, shelf};

/// Room is made for at most this many profiles ahead; beyond that the table grows as it goes.
const MOST_RESERVED: usize = 1 << 21;

/// The table is made longer by this many profiles at a time.
const AHEAD: usize = 256;

/// The score of somebody about whom the model was not asked. Not a number, so it is no decision.
pub(crate) const UNASKED: f32 = f32::from_bits(0x7fc0_0000);

/// The score of somebody about whom the model is being asked: not a number either, but another one.
pub(crate) const PENDING: f32 = f32::from_bits(0x7fc0_0001);

/// The place of a profile in [`Tested`]: in which of its parts, and where there.
pub(crate) type Slot = u32;

/// A counterexample: its profile and its combination.
pub(crate) type Found = (Slot, u32);

/// So many bits of a slot say where a profile is in its part.
const PART_BITS: u32 = 28;

/// What is known of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// The search has not tested this person.
    Nothing,
    /// Tested, and a counterpart is decided otherwise.
    Discriminated(Slot),
    /// Tested, and no counterpart is.
    Alike,
}

/// What a likely place shows of a person.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Glance {
    /// The person's profile, if it has been met.
    pub(crate) slot: Slot,
    /// Whether that is certain: nobody else has the same tag.
    pub(crate) is_sure: bool,
    /// Whether the search has tested this person.
    pub(crate) is_met: bool,
    /// Whether it has found that a counterpart is decided otherwise.
    pub(crate) is_found: bool,
}

impl From<Known> for Glance {
    fn from(known: Known) -> Self {
        let slot = match known {
            Known::Discriminated(slot) => slot,
            Known::Nothing | Known::Alike => 0,
        };
        Glance {
            slot,
            is_sure: true,
            is_met: known != Known::Nothing,
            is_found: matches!(known, Known::Discriminated(_)),
        }
    }
}

/// What a chain gets that wants to test somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Nobody has tested this person, and nobody else will.
    Granted(Slot),
    /// Tested, and a counterpart is decided otherwise.
    Discriminated(Slot),
    /// Tested, and no counterpart is; or being tested.
    Refused,
}

/// The table of tested profiles, in the order in which they were first met.
#[derive(Debug, Clone)]
pub(crate) struct Tested {
    sides: Sides,
    words: usize,
    combinations: usize,
    index: Index,
    /// How many profiles there are, and how many there may be before the table has to be made longer.
    profiles: usize,
    room: usize,
    /// The packed profiles, one after another; then room.
    keys: Items<u64>,
    marks: Marks,
    /// [`UNASKED`] where the model was not asked, and for profiles to come.
    scores: Items<f32>,
    tested: u64,
    found: Items<Found>,
    /// Tables that were made beside this one. Their people are part of it, and cannot be looked up.
    others: Vec<Tested>,
}

impl Tested {
    /// An empty table for a space and the sides that scores may lie on.
    pub(crate) fn new(space: &Space, sides: Sides) -> Self {
        Tested::of(space.packing().words(), space.combinations().len(), sides)
    }

    /// An empty table for the same people.
    pub(crate) fn empty(&self) -> Self {
        Tested::of(self.words, self.combinations, self.sides.clone())
    }

    fn of(words: usize, combinations: usize, sides: Sides) -> Self {
        Tested {
            sides,
            words,
            combinations,
            index: Index::new(),
            profiles: 0,
            room: 0,
            keys: none(),
            marks: Marks::new(combinations),
            scores: none(),
            tested: 0,
            found: none(),
            others: Vec::new(),
        }
    }

    /// About how many bytes a profile takes: its key, marks, scores, and its places in the index and
    /// among the finds, with the room that growing vectors leave unused.
    pub(crate) fn bytes_each(space: &Space) -> usize {
        let combinations = space.combinations().len();
        let words = space.packing().words();
        let own = 8 * words + Marks::bytes_each(combinations) + 4 * combinations;
        let (index, found) = (20, 8);
        (own + index + found) * 3 / 2
    }

    /// Makes room for so many profiles more.
    pub(crate) fn reserve(&mut self, more: usize) {
        let more = more.min(MOST_RESERVED) + AHEAD;
        shelf::reserve(&mut self.keys, more * self.words);
        self.marks.reserve(more);
        shelf::reserve(&mut self.scores, more * self.combinations);
        shelf::reserve(&mut self.found, more);
        self.rebuild_index(self.profiles + more);
    }

    /// Hardly ever, so it must not weigh on where somebody is looked for.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        if self.index.room() <= self.profiles {
            self.rebuild_index(2 * self.profiles);
        }
        self.room = self.index.room().min(self.profiles + AHEAD);
        self.keys.resize(self.room * self.words, 0);
        self.marks.extend(self.room);
        self.scores.resize(self.room * self.combinations, UNASKED);
    }

    fn rebuild_index(&mut self, room: usize) {
        // The index is made anew before there are so many.
        assert!(
            self.profiles < 1 << PART_BITS,
            "more than 268 million people were tested"
        );
        let keys = &self.keys[..self.profiles * self.words];
        let hashes = keys.chunks_exact(self.words).map(hash);
        self.index.rebuild(room, hashes);
    }

    /// How many profiles are in the table, not counting those that were made beside it.
    pub(crate) fn profiles(&self) -> usize {
        self.profiles
    }

    /// Brings the place near where the look for a profile begins.
    #[inline]
    pub(crate) fn bring_place(&self, change: Change) {
        self.index.bring(change.hash);
    }

    /// Brings what is known of the profile at a place near: who it is, and what came of it.
    #[inline]
    pub(crate) fn bring_profile(&self, place: Place) {
        let slot = self.index.slot_at(place);
        near::bring(&self.keys, slot as usize * self.words);
        self.marks.bring(slot);
    }

    /// The place where the look for a profile ends, unless somebody else has the same tag.
    #[inline]
    pub(crate) fn likely(&self, change: Change) -> Place {
        self.index.likely(change.hash)
    }

    /// What a likely place shows of the person with this profile and combination, without a branch that
    /// depends on it. Somebody must be in the table.
    #[inline]
    pub(crate) fn glance(&self, wanted: &Wanted<'_>, likely: Place, combination: usize) -> Glance {
        let slot = self.index.slot_at(likely);
        let is_free = likely.0 == 0;
        let is_it = !is_free & wanted.is(self.key_here(slot));
        let has = |mark| is_it & self.marks.has(slot, mark, combination);
        let (is_met, is_found) = (has(Mark::Met), has(Mark::Found));
        Glance {
            slot,
            is_sure: is_it | is_free,
            is_met,
            is_found,
        }
    }

    /// What is known of the person with this profile and combination.
    pub(crate) fn known(&self, wanted: &Wanted<'_>, combination: usize) -> Known {
        let same = |slot| wanted.is(self.key_here(slot));
        match self.index.look(wanted.change.hash, same) {
            Ok(slot) if self.marks.has(slot, Mark::Met, combination) => {
                if self.marks.has(slot, Mark::Found, combination) {
                    Known::Discriminated(slot)
                } else {
                    Known::Alike
                }
            }
            _ => Known::Nothing,
        }
    }

    /// Whether the search has tested the person with this packed profile and combination.
    pub(crate) fn has_met(&self, packed: &[u64], combination: usize) -> bool {
        let wanted = Wanted::unchanged(packed);
        self.known(&wanted, combination) != Known::Nothing
    }

    /// Asks to test the person with this profile and combination. Whoever is granted it says what came
    /// of it, by [`Tested::meet_claimed`] or [`Tested::release`].
    pub(crate) fn claim(&mut self, wanted: &Wanted<'_>, combination: usize) -> Claim {
        let slot = match self.look(wanted) {
            Ok(slot) if self.marks.has(slot, Mark::Found, combination) => {
                return Claim::Discriminated(slot);
            }
            Ok(slot) if self.marks.has(slot, Mark::Met, combination) => return Claim::Refused,
            Ok(slot) => slot,
            Err(free) => self.add(wanted, free),
        };
        self.marks.set(slot, Mark::Met, combination);
        Claim::Granted(slot)
    }

    /// Gives up a claim: the person is not tested after all.
    pub(crate) fn release(&mut self, slot: Slot, combination: usize) {
        self.marks.unset(slot, Mark::Met, combination);
    }

    /// Brings the scores of the profile at a place near.
    #[inline]
    pub(crate) fn bring_scores(&self, place: Place) {
        let slot = self.index.slot_at(place);
        near::bring(&self.scores, slot as usize * self.combinations);
    }

    /// The profile of a packed person. A new one has no scores yet.
    pub(crate) fn slot(&mut self, packed: &[u64]) -> Slot {
        self.slot_of(&Wanted::unchanged(packed))
    }

    /// The same, for a person who is packed but for a change.
    pub(crate) fn slot_of(&mut self, wanted: &Wanted<'_>) -> Slot {
        match self.look(wanted) {
            Ok(slot) => slot,
            Err(free) => self.add(wanted, free),
        }
    }

    /// The profile of a person who is packed but for a change, or the place where it would be.
    ///
    /// Always in place, as is adding somebody: most keys have one word, for which little is left of either, and
    /// a call's way in and out is a good part of that.
    #[inline(always)]
    fn look(&mut self, wanted: &Wanted<'_>) -> Result<Slot, Free> {
        if self.profiles == self.room {
            self.make_room();
        }
        let same = |slot| wanted.is(self.key_here(slot));
        self.index.look(wanted.change.hash, same)
    }

    #[inline(always)]
    fn add(&mut self, wanted: &Wanted<'_>, free: Free) -> Slot {
        let slot = self.profiles as Slot;
        let Change { word, value, hash } = wanted.change;
        self.index.put(free, hash, slot);
        match wanted.key {
            [_] => self.keys[self.profiles] = value,
            words => {
                let own = &mut self.keys[self.profiles * self.words..][..self.words];
                own.copy_from_slice(words);
                own[word] = value;
            }
        }
        self.profiles += 1;
        slot
    }

    /// Forgets the profiles from `first` on: the budget ended before the model was asked.
    pub(crate) fn forget_from(&mut self, first: usize) {
        if first < self.profiles {
            self.truncate(first);
            self.rebuild_index(first);
        }
    }

    /// The same at the end of the search. Nobody is looked up any more, and putting millions into an
    /// index again would keep somebody waiting who ended the run.
    pub(crate) fn close(&mut self, first: usize) {
        if first < self.profiles {
            self.truncate(first);
        }
        self.index = Index::new();
    }

    fn truncate(&mut self, profiles: usize) {
        self.profiles = profiles;
        self.room = profiles;
        self.keys.truncate(profiles * self.words);
        self.marks.truncate(profiles);
        self.scores.truncate(profiles * self.combinations);
    }

    /// Notes that the search tested the person with this profile and combination, and whether a
    /// counterpart is decided otherwise. Says the latter.
    #[inline]
    pub(crate) fn meet(&mut self, slot: Slot, combination: usize) -> bool {
        if self.marks.has(slot, Mark::Met, combination) {
            return self.marks.has(slot, Mark::Found, combination);
        }
        let discriminated = self.discriminated(slot, combination);
        self.meet_seen(slot, combination, discriminated);
        discriminated
    }

    /// Notes that the search tested the person, where it is known whether a counterpart is decided otherwise.
    #[inline]
    pub(crate) fn meet_seen(&mut self, slot: Slot, combination: usize, discriminated: bool) {
        if !self.marks.has(slot, Mark::Met, combination) {
            self.marks.set(slot, Mark::Met, combination);
            self.meet_claimed(slot, combination, discriminated);
        }
    }

    /// Notes what came of a claim.
    pub(crate) fn meet_claimed(&mut self, slot: Slot, combination: usize, discriminated: bool) {
        self.tested += 1;
        if discriminated {
            self.marks.set(slot, Mark::Found, combination);
            push(&mut self.found, (slot, combination as u32));
        }
    }

    /// The scores of all combinations of a profile, as the model gave them.
    #[inline]
    pub(crate) fn scores(&self, slot: Slot) -> &[f32] {
        let (part, place) = self.part_of(slot);
        part.scores_here(place as Slot)
    }

    /// The part of the table that has a profile, and its place there.
    #[inline]
    fn part_of(&self, slot: Slot) -> (&Tested, usize) {
        match (slot >> PART_BITS) as usize {
            0 => (self, slot as usize),
            part => (
                &self.others[part - 1],
                (slot & ((1 << PART_BITS) - 1)) as usize,
            ),
        }
    }

    /// The same, if the profile is not in a table that was made beside this one.
    #[inline]
    pub(crate) fn scores_here(&self, slot: Slot) -> &[f32] {
        &self.scores[slot as usize * self.combinations..][..self.combinations]
    }

    /// The same, to be filled in.
    #[inline]
    pub(crate) fn scores_mut(&mut self, slot: Slot) -> &mut [f32] {
        &mut self.scores[slot as usize * self.combinations..][..self.combinations]
    }

    /// Where the score of a combination of a profile is kept, for [`Tested::set_score`].
    #[inline]
    pub(crate) fn place_of_score(&self, slot: Slot, combination: usize) -> usize {
        slot as usize * self.combinations + combination
    }

    /// Whether the model was not asked for a score, and is not being asked.
    #[inline]
    pub(crate) fn is_unasked(&self, place: usize) -> bool {
        self.scores[place].to_bits() == UNASKED.to_bits()
    }

    #[inline]
    pub(crate) fn set_score(&mut self, place: usize, score: f32) {
        self.scores[place] = score;
    }

    /// Notes the scores of all combinations of the profiles from `first` on.
    pub(crate) fn set_scores_from(&mut self, first: usize, scores: &[f32]) {
        self.scores[first * self.combinations..][..scores.len()].copy_from_slice(scores);
    }

    /// The sides that scores may lie on.
    pub(crate) fn sides(&self) -> &Sides {
        &self.sides
    }

    /// The packed profile, if it is not in a table that was made beside this one.
    #[inline]
    fn key_here(&self, slot: Slot) -> &[u64] {
        &self.keys[slot as usize * self.words..][..self.words]
    }

    /// The packed profile.
    pub(crate) fn key(&self, slot: Slot) -> &[u64] {
        let (part, place) = self.part_of(slot);
        part.key_here(place as Slot)
    }

    /// A number that depends on the profile alone and has nothing to do with who it is.
    pub(crate) fn hash(&self, slot: Slot) -> u64 {
        hash(self.key(slot))
    }

    /// Every counterexample as profile and combination, in the order in which they were met.
    pub(crate) fn found(&self) -> &[Found] {
        &self.found
    }

    /// How many people were tested.
    pub(crate) fn tested(&self) -> u64 {
        self.tested
    }
}

impl Drop for Tested {
    fn drop(&mut self) {
        shelf::give(&mut self.keys);
        shelf::give(&mut self.scores);
        shelf::give(&mut self.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Domain, Schema};
    use crate::search::wanted::sum;

    pub(super) fn half() -> Sides {
        Sides::new(&crate::decision::Rule::Threshold(0.5))
    }

    fn space() -> Space {
        let range = |max| Domain::Integers { min: 0, max };
        let schema = Schema::new(vec![
            Attribute::new("a", range(9)),
            Attribute::new("sex", range(1)),
        ]);
        Space::new(schema, &[1]).unwrap()
    }

    /// What is known of the person with this key and the first combination.
    fn known(tested: &Tested, key: u64) -> Known {
        let wanted = [key];
        let wanted = Wanted::unchanged(&wanted);
        tested.known(&wanted, 0)
    }

    #[test]
    fn a_sure_glance_sees_what_a_look_finds() {
        let mut tested = Tested::new(&space(), half());
        for key in 0..3000 {
            let slot = tested.slot(&[3 * key]);
            let other = if key % 2 == 0 { 0.8 } else { 0.1 };
            tested.scores_mut(slot).copy_from_slice(&[0.2, other]);
            tested.meet(slot, (key % 5).min(1) as usize);
        }
        let mut sure = 0;
        for key in 0..9000 {
            let wanted = [key];
            let wanted = Wanted::unchanged(&wanted);
            let place = tested.likely(wanted.change);
            let seen = tested.glance(&wanted, place, 0);
            let expected = Glance::from(known(&tested, key));
            if seen.is_sure {
                sure += 1;
                let said = (seen.is_met, seen.is_found);
                assert_eq!(said, (expected.is_met, expected.is_found), "{key}");
            }
            if seen.is_sure && seen.is_found {
                assert_eq!(seen.slot, expected.slot);
            }
        }
        assert!(sure > 8900, "{sure}");
    }

    #[test]
    fn a_profile_is_kept_once_and_people_are_counted_apart() {
        let mut tested = Tested::new(&space(), half());
        let slot = tested.slot(&[3]);
        tested.scores_mut(slot).copy_from_slice(&[0.2, 0.8]);
        assert_eq!((tested.slot(&[3]), tested.profiles()), (slot, 1));
        assert_eq!(known(&tested, 3), Known::Nothing);
        assert!(tested.meet(slot, 0) && tested.meet(slot, 0) && tested.meet(slot, 1));
        assert_eq!(known(&tested, 3), Known::Discriminated(slot));
        assert_eq!(known(&tested, 4), Known::Nothing);
        assert_eq!((tested.profiles(), tested.tested()), (1, 2));
        assert_eq!(tested.found(), [(0, 0), (0, 1)]);
    }

    #[test]
    fn everyone_is_found_again_as_the_table_grows() {
        let range = Domain::Integers {
            min: 0,
            max: 1 << 20,
        };
        let attributes = ["a", "b", "c", "d"].map(|name| Attribute::new(name, range.clone()));
        let sex = Attribute::new("sex", Domain::Integers { min: 0, max: 1 });
        let schema = Schema::new(attributes.into_iter().chain([sex]).collect());
        let mut tested = Tested::new(&Space::new(schema, &[4]).unwrap(), half());
        for round in 0..2 {
            for person in 0..5000_u64 {
                let [first, second] = [person % 70, person / 70];
                let key = [first, 9];
                let change = Change::new(&key, sum(&key), 1, second);
                let slot = tested.slot_of(&Wanted { key: &key, change });
                assert_eq!(u64::from(slot), person, "round {round}");
                let mut made = key;
                assert_eq!(change.make(&mut made, sum(&key)), sum(&[first, second]));
                assert_eq!(tested.slot(&made), slot);
            }
        }
        assert_eq!(tested.profiles(), 5000);
    }

    #[test]
    fn what_is_not_known_is_evidence_of_nothing() {
        let mut tested = Tested::new(&space(), half());
        let slot = tested.slot(&[3]);
        tested.scores_mut(slot)[0] = 0.9;
        assert!(!tested.meet(slot, 0) && !tested.meet(slot, 1));
    }

    #[test]
    fn a_score_that_is_being_asked_for_is_no_decision() {
        let mut tested = Tested::new(&space(), half());
        let slot = tested.slot(&[1]);
        let place = tested.place_of_score(slot, 1);
        assert!(tested.is_unasked(place));
        tested.scores_mut(slot)[0] = 0.2;
        tested.set_score(place, PENDING);
        assert!(!tested.is_unasked(place) && !tested.discriminated(slot, 0));
        assert_eq!(tested.clearest_other(slot, 0), 0);
        tested.set_score(place, 0.8);
        assert!(tested.discriminated(slot, 0));
    }

    #[test]
    fn what_was_not_answered_is_forgotten() {
        let mut tested = Tested::new(&space(), half());
        tested.slot(&[1]);
        tested.slot(&[2]);
        tested.forget_from(1);
        assert_eq!(tested.profiles(), 1);
        assert_eq!((tested.slot(&[1]), tested.slot(&[2])), (0, 1));
    }
}
