//! Everyone in a table and in those that were made beside it, and how these become one.

use crate::search::index::Index;
use crate::search::marks::Mark;
use crate::search::shelf;

use super::{PART_BITS, Slot, Tested};

impl Tested {
    /// Everyone whom the search tested as profile and combination, with whether a counterpart is
    /// decided otherwise; profiles in the order in which they were met.
    pub(crate) fn everyone(&self) -> impl Iterator<Item = (Slot, usize, bool)> {
        let parts = std::iter::once(self).chain(&self.others);
        parts.enumerate().flat_map(|(part, table)| {
            let first = (part as Slot) << PART_BITS;
            let people = table.everyone_here();
            people.map(move |(slot, combination, found)| (first | slot, combination, found))
        })
    }

    /// How many profiles there are among those who were found.
    pub(crate) fn found_profiles(&self) -> u64 {
        let parts = std::iter::once(self).chain(&self.others);
        parts.map(Tested::found_here).sum()
    }

    fn found_here(&self) -> u64 {
        let slots = 0..self.profiles as Slot;
        let found = slots.filter(|&slot| self.marks.any(slot, Mark::Found));
        found.count() as u64
    }

    fn everyone_here(&self) -> impl Iterator<Item = (Slot, usize, bool)> {
        let slots = 0..self.profiles as Slot;
        slots.flat_map(move |slot| {
            let met = self.marks.of(slot, Mark::Met);
            met.map(move |combination| {
                let found = self.marks.has(slot, Mark::Found, combination);
                (slot, combination, found)
            })
        })
    }

    /// Takes over a profile from another table, with what is known of it.
    pub(crate) fn copy(&mut self, other: &Tested, slot: Slot) -> Slot {
        let copy = self.slot(other.key(slot));
        self.overwrite(copy, other, slot);
        copy
    }

    fn overwrite(&mut self, own: Slot, other: &Tested, slot: Slot) {
        self.marks.copy(own, &other.marks, slot);
        self.scores_mut(own).copy_from_slice(other.scores(slot));
    }

    /// Notes a find that another table has met.
    pub(crate) fn add_found(&mut self, slot: Slot, combination: u32) {
        self.found.push((slot, combination));
    }

    /// Makes room for so many finds more. Growing bit by bit would ask for new memory each time.
    pub(crate) fn expect_finds(&mut self, more: usize) {
        shelf::reserve(&mut self.found, more);
    }

    /// Takes everyone over from a table that began with copies of `copied` and the first `finds` finds.
    /// Nobody can be looked up from then on.
    pub(crate) fn absorb(&mut self, mut other: Tested, copied: &[Slot], finds: usize) {
        for (copy, &slot) in copied.iter().enumerate() {
            self.overwrite(slot, &other, copy as Slot);
            other.marks.clear(copy as Slot);
        }
        let first = (self.others.len() as Slot + 1) << PART_BITS;
        let own = |slot: Slot| copied.get(slot as usize).copied().unwrap_or(first | slot);
        let found = other.found[finds..].iter();
        self.found
            .extend(found.map(|&(slot, combination)| (own(slot), combination)));
        self.tested += other.tested;
        other.index = Index::new();
        shelf::give(&mut other.found);
        self.others.push(other);
    }
}
