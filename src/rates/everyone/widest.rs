//! The pairs with the widest gaps between their scores, of all that were met.

use serde::{Deserialize, Serialize};

/// Pairs that are kept.
const KEPT: usize = 32;

/// A person and a counterpart of a profile who are decided differently.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The bits of the gap between the scores, which sort as gaps do.
    pub(crate) gap: u32,
    /// The number of the profile.
    pub(crate) profile: u64,
    /// The person's place in the profile.
    pub(crate) own: usize,
    /// The counterpart's.
    pub(crate) other: usize,
    /// The bits of their scores.
    pub(crate) scores: [u32; 2],
}

impl Found {
    /// Wide gaps come first, then low numbers: what is kept does not depend on who was met first.
    fn rank(&self) -> (std::cmp::Reverse<u32>, u64) {
        (std::cmp::Reverse(self.gap), self.profile)
    }
}

/// The widest pairs, the widest first; one of a profile at the most.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Widest(Vec<Found>);

impl Widest {
    /// Whether a pair of this profile with this gap, or a narrower one, would be kept.
    pub(crate) fn has_room_for(&self, gap: f32, profile: u64) -> bool {
        let room = self.0.len() < KEPT;
        room || self
            .0
            .last()
            .is_some_and(|last| (std::cmp::Reverse(gap.to_bits()), profile) < last.rank())
    }

    /// Keeps a pair if it is one of the widest.
    pub(crate) fn offer(&mut self, found: Found) {
        let place = self.0.partition_point(|kept| kept.rank() < found.rank());
        if place < KEPT {
            self.0.insert(place, found);
            self.0.truncate(KEPT);
        }
    }

    /// Keeps the widest of both.
    pub(crate) fn merge(&mut self, other: Widest) {
        for found in other.0 {
            self.offer(found);
        }
    }

    /// The pairs, the widest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Found> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_does_not_depend_on_the_order() {
        let found = |profile: u64| Found {
            gap: ((profile * 37 % 50) as f32 / 50.0).to_bits(),
            profile,
            own: 0,
            other: 1,
            scores: [0; 2],
        };
        let mut rising = Widest::default();
        (0..200).for_each(|profile| rising.offer(found(profile)));
        let mut merged = Widest::default();
        for part in [100..200, 0..50, 50..100] {
            let mut falling = Widest::default();
            part.rev().for_each(|profile| falling.offer(found(profile)));
            merged.merge(falling);
        }
        assert_eq!(rising, merged);
        let gaps: Vec<u32> = merged.iter().map(|found| found.gap).collect();
        assert_eq!(gaps.len(), KEPT);
        assert!(gaps.is_sorted_by(|a, b| a >= b) && gaps[0] == 0.98_f32.to_bits());
        assert!(merged.has_room_for(0.99, 900) && !merged.has_room_for(0.1, 0));
    }
}
