//! What came of everyone's test, in two bits for each person.
//!
//! Apart from all else that is known of a profile, and as small as can be: whether somebody was tested
//! is asked far more often than who they are.

use super::large::{Items, none};
use super::tested::Slot;
use super::{near, shelf};

/// What is marked of a person.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mark {
    /// The search tests or has tested this very person.
    Met,
    /// A counterpart is decided otherwise.
    Found,
}

/// The marks of all combinations of every profile.
#[derive(Debug, Clone)]
pub(super) struct Marks {
    bytes: Items<u8>,
    /// How many bytes a profile has.
    each: usize,
    /// From the first mark of a combination to the second: bytes, and places in a byte.
    apart: (usize, usize),
    combinations: usize,
}

impl Marks {
    pub(super) fn new(combinations: usize) -> Self {
        let bytes = combinations.div_ceil(8);
        // Both marks of a few combinations share a byte.
        let apart = if combinations <= 4 {
            (0, 4)
        } else {
            (bytes, 0)
        };
        Marks {
            bytes: none(),
            each: bytes + apart.0,
            apart,
            combinations,
        }
    }

    /// How many bytes a profile takes.
    pub(super) fn bytes_each(combinations: usize) -> usize {
        Marks::new(combinations).each
    }

    pub(super) fn reserve(&mut self, more: usize) {
        shelf::reserve(&mut self.bytes, more * self.each);
    }

    /// Adds profiles without any mark until there are so many.
    pub(super) fn extend(&mut self, profiles: usize) {
        self.bytes.resize(profiles * self.each, 0);
    }

    pub(super) fn truncate(&mut self, profiles: usize) {
        self.bytes.truncate(profiles * self.each);
    }

    /// The byte and the place in it of a person's mark.
    #[inline]
    fn place(&self, slot: Slot, mark: Mark, combination: usize) -> (usize, usize) {
        let (bytes, places) = self.apart;
        (
            slot as usize * self.each + mark as usize * bytes + combination / 8,
            mark as usize * places + combination % 8,
        )
    }

    /// Brings the marks of a profile near.
    #[inline]
    pub(super) fn bring(&self, slot: Slot) {
        near::bring(&self.bytes, slot as usize * self.each);
    }

    #[inline]
    pub(super) fn has(&self, slot: Slot, mark: Mark, combination: usize) -> bool {
        let (byte, place) = self.place(slot, mark, combination);
        self.bytes[byte] >> place & 1 == 1
    }

    #[inline]
    pub(super) fn set(&mut self, slot: Slot, mark: Mark, combination: usize) {
        let (byte, place) = self.place(slot, mark, combination);
        self.bytes[byte] |= 1 << place;
    }

    pub(super) fn unset(&mut self, slot: Slot, mark: Mark, combination: usize) {
        let (byte, place) = self.place(slot, mark, combination);
        self.bytes[byte] &= !(1 << place);
    }

    /// The combinations of a profile that have a mark, rising.
    pub(super) fn of(&self, slot: Slot, mark: Mark) -> impl Iterator<Item = usize> {
        (0..self.combinations).step_by(8).flat_map(move |first| {
            ones(u64::from(self.byte(slot, mark, first))).map(move |place| first + place)
        })
    }

    /// Whether any combination of a profile has a mark.
    pub(super) fn any(&self, slot: Slot, mark: Mark) -> bool {
        let mut firsts = (0..self.combinations).step_by(8);
        firsts.any(|first| self.byte(slot, mark, first) != 0)
    }

    /// The marks of a combination and of those after it in the same byte.
    #[inline]
    fn byte(&self, slot: Slot, mark: Mark, combination: usize) -> u8 {
        let (byte, place) = self.place(slot, mark, combination);
        let marks = self.bytes[byte] >> place;
        match self.apart {
            (0, places) => marks & ((1 << places) - 1),
            _ => marks,
        }
    }

    /// Marks a profile as another one is marked, of as many combinations.
    pub(super) fn copy(&mut self, own: Slot, others: &Marks, slot: Slot) {
        let [to, from] = [own, slot].map(|slot| slot as usize * self.each);
        self.bytes[to..][..self.each].copy_from_slice(&others.bytes[from..][..self.each]);
    }

    /// Takes away all marks of a profile.
    pub(super) fn clear(&mut self, slot: Slot) {
        self.bytes[slot as usize * self.each..][..self.each].fill(0);
    }
}

impl Drop for Marks {
    fn drop(&mut self) {
        shelf::give(&mut self.bytes);
    }
}

/// The places of the bits that are set, rising.
pub(super) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (place < 64).then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_any_number_of_combinations_keep_apart() {
        for combinations in [1, 2, 4, 5, 8, 9, 70] {
            let mut marks = Marks::new(combinations);
            marks.extend(3);
            for combination in (0..combinations).step_by(3) {
                marks.set(1, Mark::Met, combination);
            }
            marks.set(1, Mark::Found, combinations - 1);
            let met: Vec<usize> = marks.of(1, Mark::Met).collect();
            assert!(met.into_iter().eq((0..combinations).step_by(3)));
            assert!(marks.of(1, Mark::Found).eq([combinations - 1]));
            for mark in [Mark::Met, Mark::Found] {
                assert!(!marks.any(0, mark) && marks.any(1, mark) && !marks.any(2, mark));
            }
            marks.unset(1, Mark::Found, combinations - 1);
            assert!(!marks.any(1, Mark::Found) && marks.has(1, Mark::Met, 0));
        }
    }
}
