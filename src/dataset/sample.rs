//! A sample of a stream of people of unknown length: each has the same chance to be kept.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// Chooses at most so many of all people that it is offered.
///
/// This is the reservoir sampling of Vitter's Algorithm R, with whole numbers only and a generator
/// of one fixed seed: the same file gives the same people everywhere.
#[derive(Debug)]
pub(super) struct Reservoir {
    size: usize,
    offered: u64,
    random: Xoshiro256PlusPlus,
    /// Which of the people offered is in each place.
    holds: Vec<u64>,
}

impl Reservoir {
    /// A sample of at most `size` people.
    pub(super) fn new(size: usize) -> Self {
        Reservoir {
            size,
            offered: 0,
            random: Xoshiro256PlusPlus::from_seed(*b"fairgate keeps a sample of them."),
            holds: Vec::new(),
        }
    }

    /// The place of the next person, who takes it over from whom had it; none if not kept.
    pub(super) fn offer(&mut self) -> Option<usize> {
        let person = self.offered;
        self.offered += 1;
        if self.holds.len() < self.size {
            self.holds.push(person);
            return Some(self.holds.len() - 1);
        }
        let place = below(&mut self.random, self.offered) as usize;
        let held = self.holds.get_mut(place)?;
        *held = person;
        Some(place)
    }

    /// How many people there were.
    pub(super) fn offered(&self) -> u64 {
        self.offered
    }

    /// How many people are kept.
    pub(super) fn kept(&self) -> usize {
        self.holds.len()
    }

    /// The places in the order of the file.
    pub(super) fn in_file_order(&self) -> Vec<u32> {
        let mut places: Vec<u32> = (0..self.holds.len() as u32).collect();
        places.sort_unstable_by_key(|&place| self.holds[place as usize]);
        places
    }
}

/// A number from 0 up to but not including `below`; the bias is less than one in 2^40 for every
/// file that fits on a disk.
fn below(random: &mut Xoshiro256PlusPlus, below: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(below)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(size: usize, of: u64) -> Vec<u64> {
        let mut reservoir = Reservoir::new(size);
        for _ in 0..of {
            reservoir.offer();
        }
        let places = reservoir.in_file_order();
        places
            .iter()
            .map(|&place| reservoir.holds[place as usize])
            .collect()
    }

    #[test]
    fn the_sample_is_pinned() {
        // Snapshots of large datasets rest on these people.
        assert_eq!(kept(4, 1000), PINNED);
    }

    const PINNED: [u64; 4] = [261, 779, 793, 831];

    #[test]
    fn a_small_file_is_kept_whole_and_in_order() {
        assert_eq!(kept(10, 4), [0, 1, 2, 3]);
        assert_eq!(kept(4, 4), [0, 1, 2, 3]);
    }

    #[test]
    fn everyone_has_about_the_same_chance() {
        let people = kept(10_000, 100_000);
        assert_eq!(people.len(), 10_000);
        assert!(people.is_sorted());
        for tenth in 0..10 {
            let part = tenth * 10_000..(tenth + 1) * 10_000;
            let count = people
                .iter()
                .filter(|&person| part.contains(person))
                .count();
            assert!((850..1150).contains(&count), "{count} of {part:?}");
        }
    }
}
