//! Where a profile is kept, by its hash.
//!
//! Most looks are for somebody new. So a place is as small as can be and tells by itself, without a
//! second look elsewhere, that it is free or holds somebody else: it has the profile's slot in its
//! lower bits and a part of the hash in its upper ones.

use super::large::Items;
use super::tested::Slot;
use super::{near, shelf};

/// The place where a look ended, as far as places tell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Place(pub(super) u32);

/// A free place where a look ended in vain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Free(usize);

/// Open addressing with linear probing, at most a quarter full: the fuller it is, the less can be foreseen how
/// long a look takes.
#[derive(Debug, Clone)]
pub(super) struct Index {
    /// Zero if free, else a tag and the slot plus one.
    places: Items<u32>,
    /// So many bits say where a look begins, and so many are the slot's.
    bits: u32,
}

/// Of so many places one may be taken.
const PLACES_EACH: usize = 4;

/// A table has at least this many places: two to the power of it.
const LEAST_BITS: u32 = 6;

impl Index {
    pub(super) fn new() -> Self {
        Index::of(LEAST_BITS)
    }

    fn of(bits: u32) -> Self {
        Index {
            places: shelf::filled(0, 1 << bits),
            bits,
        }
    }

    /// Brings the place near where the look for a hash begins.
    #[inline]
    pub(super) fn bring(&self, hash: u64) {
        near::bring(&self.places, self.start(hash));
    }

    /// The place where the look for a hash ends as far as places tell: the first one that is free or has
    /// the same tag.
    #[inline]
    pub(super) fn likely(&self, hash: u64) -> Place {
        let mut at = self.start(hash);
        let mut place = self.places[at];
        while (place != 0) & (place >> self.bits != self.tag(hash)) {
            at = self.next(at);
            place = self.places[at];
        }
        Place(place)
    }

    /// Whose slot is at a place; the first one of all if it is free.
    #[inline]
    pub(super) fn slot_at(&self, Place(place): Place) -> Slot {
        (place & self.mask()).saturating_sub(1)
    }

    /// The slot with this hash for which `same` holds, or else the place where it would be.
    #[inline(always)]
    pub(super) fn look(&self, hash: u64, same: impl Fn(Slot) -> bool) -> Result<Slot, Free> {
        let mut at = self.start(hash);
        loop {
            let place = self.places[at];
            if place == 0 {
                return Err(Free(at));
            }
            if place >> self.bits == self.tag(hash) {
                let slot = (place & self.mask()) - 1;
                if same(slot) {
                    return Ok(slot);
                }
            }
            at = self.next(at);
        }
    }

    /// Adds a slot that is not there yet, at the place where the look for it ended.
    #[inline(always)]
    pub(super) fn put(&mut self, Free(at): Free, hash: u64, slot: Slot) {
        self.places[at] = self.tag(hash) << self.bits | (slot + 1);
    }

    fn insert(&mut self, hash: u64, slot: Slot) {
        let mut at = self.start(hash);
        while self.places[at] != 0 {
            at = self.next(at);
        }
        self.put(Free(at), hash, slot);
    }

    /// How many slots there may be.
    pub(super) fn room(&self) -> usize {
        self.places.len() / PLACES_EACH
    }

    /// Makes room for so many in all, and puts the slots in again.
    pub(super) fn rebuild(&mut self, room: usize, hashes: impl ExactSizeIterator<Item = u64>) {
        let room = PLACES_EACH * room.max(hashes.len() + 1);
        let bits = room.next_power_of_two().trailing_zeros().max(LEAST_BITS);
        *self = Index::of(bits);
        for (slot, hash) in hashes.enumerate() {
            self.insert(hash, slot as Slot);
        }
    }

    fn start(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.bits)) as usize
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & self.mask() as usize
    }

    fn tag(&self, hash: u64) -> u32 {
        hash as u32 >> self.bits
    }

    fn mask(&self) -> u32 {
        u32::MAX >> (u32::BITS - self.bits)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        shelf::give(&mut self.places);
    }
}
