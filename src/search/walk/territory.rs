//! The domain divided among groups of chains, so that no two groups can ever meet.
//!
//! A group that walks in a territory of its own needs no other to know whom it may test, so groups walk
//! side by side without waiting for each other. What is found does not depend on how many workers
//! there are, because the division does not either.

use crate::schema::{Code, Space};
use crate::search::axis::Axis;

/// Territories at the most. More would do for more workers, and leave chains less room.
const MOST: usize = 4;

/// Chains that are worth a territory of their own.
const LEAST_CHAINS: usize = 64;

/// People in the domain for each test, at the least: where there are fewer, chains need all the room
/// that there is.
const LEAST_ROOM: f64 = 4.0;

/// A division that leaves one of two sides with a smaller share of the chains than this is none.
const LEAST_SHARE: f64 = 0.35;

/// A part of the domain, with the chains that start in it.
#[derive(Debug, Clone)]
pub(super) struct Territory {
    pub(super) axes: Vec<Axis>,
    /// The places of its chains among all.
    pub(super) chains: Vec<usize>,
}

impl Territory {
    /// The whole domain.
    pub(super) fn whole(space: &Space, chains: usize) -> Self {
        Territory {
            axes: Axis::all(space),
            chains: (0..chains).collect(),
        }
    }

    /// Whether a packed profile lies in it.
    pub(super) fn has(&self, key: &[u64]) -> bool {
        let mut axes = self.axes.iter();
        axes.all(|axis| (axis.least..=axis.most).contains(&axis.field.code(key)))
    }

    /// How many people may be tested in it.
    fn people(&self, space: &Space) -> f64 {
        let values = self.axes.iter().map(|axis| axis.values());
        values.product::<f64>() * space.combinations().len() as f64
    }

    /// Two parts with about as many chains each, if there are any.
    fn halves(&self, starts: &[&[u64]], steepness: &[f64]) -> Option<[Territory; 2]> {
        let steepest = steepness.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let cuts = steepness.iter().enumerate();
        let cuts = cuts.filter_map(|(index, own)| self.cut(index, starts, own / steepest));
        let best = cuts.min_by(|one, other| one.harm.total_cmp(&other.harm))?;
        let [mut below, mut above] = [self.clone(), self.clone()];
        below.axes[best.index].most = best.last;
        above.axes[best.index].least = best.last + 1;
        for part in [&mut below, &mut above] {
            let axis = part.axes[best.index];
            part.chains.retain(|&chain| {
                (axis.least..=axis.most).contains(&axis.field.code(starts[chain]))
            });
        }
        Some([below, above])
    }

    /// Where an attribute is best cut in two. It moves the scores so much, as a share of what the one does
    /// that moves them most.
    fn cut(&self, index: usize, starts: &[&[u64]], influence: f64) -> Option<Cut> {
        let axis = &self.axes[index];
        let codes = self.chains.iter();
        let mut codes: Vec<Code> = codes.map(|&chain| axis.field.code(starts[chain])).collect();
        codes.sort_unstable();
        // On either side of the code in the middle.
        let middle = *codes.get(codes.len() / 2)?;
        let lasts = [middle.checked_sub(1), Some(middle)].into_iter().flatten();
        let lasts = lasts.filter(|&last| last >= axis.least && last < axis.most);
        let share = |last: Code| {
            let below = codes.partition_point(|&code| code <= last);
            let below = below as f64 / codes.len() as f64;
            below.min(1.0 - below)
        };
        let last = lasts.max_by(|&one, &other| share(one).total_cmp(&share(other)))?;
        (share(last) >= LEAST_SHARE).then(|| Cut {
            index,
            last,
            harm: 0.5 - share(last) + 1.0 / axis.values() + (1.0 - influence),
        })
    }
}

/// A cut of an attribute in two: codes up to `last`, and those above.
struct Cut {
    index: usize,
    last: Code,
    /// How uneven the halves are; and how much room a chain loses that cannot cross: little where an
    /// attribute has many values, and where it moves the scores so much that a chain would seldom move
    /// it.
    harm: f64,
}

/// Divides the domain among chains that start at these packed profiles and test so many people in all.
/// For each movable attribute `steepness` says how much it moves the scores.
pub(super) fn divide(
    space: &Space,
    starts: &[&[u64]],
    steepness: &[f64],
    tests: usize,
) -> Vec<Territory> {
    let whole = Territory::whole(space, starts.len());
    let has_room = whole.people(space) >= LEAST_ROOM * tests as f64;
    let mut territories = vec![whole];
    if !has_room {
        return territories;
    }
    while 2 * territories.len() <= MOST && starts.len() >= 2 * territories.len() * LEAST_CHAINS {
        let halves = territories
            .iter()
            .map(|part| part.halves(starts, steepness));
        let Some(halves) = halves.collect::<Option<Vec<_>>>() else {
            break;
        };
        territories = halves.into_iter().flatten().collect();
    }
    territories
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Domain, Schema};
    use crate::search::random::{Purpose, below, stream};

    /// The last attribute is the protected one.
    fn space(sizes: &[i64]) -> Space {
        let attribute = |(place, &size): (usize, &i64)| {
            let range = Domain::Integers {
                min: 0,
                max: size - 1,
            };
            Attribute::new(format!("a{place}"), range)
        };
        let schema = Schema::new(sizes.iter().enumerate().map(attribute).collect());
        Space::new(schema, &[sizes.len() - 1]).unwrap()
    }

    fn drawn(space: &Space, people: usize) -> Vec<Vec<u64>> {
        let mut stream = stream(1, "territories", Purpose::Drawn, 0);
        let mut key = |_| {
            let attributes = space.schema().attributes().iter();
            let person: Vec<Code> = attributes
                .map(|attribute| below(&mut stream, attribute.domain.size()) as Code)
                .collect();
            let mut key = vec![0; space.packing().words()];
            space.packing().pack(&person, &mut key);
            key
        };
        (0..people).map(&mut key).collect()
    }

    fn divided(space: &Space, chains: usize, tests: usize) -> Vec<Territory> {
        let starts = drawn(space, chains);
        let starts: Vec<&[u64]> = starts.iter().map(Vec::as_slice).collect();
        divide(space, &starts, &vec![1.0; space.movable().len()], tests)
    }

    #[test]
    fn everybody_is_in_one_territory_and_every_chain_starts_in_its_own() {
        let space = space(&[40, 2, 30, 9, 9, 5, 2]);
        let territories = divided(&space, 1000, 100_000);
        assert_eq!(territories.len(), MOST);
        for person in drawn(&space, 2000) {
            let owners = territories.iter().filter(|part| part.has(&person));
            assert_eq!(owners.count(), 1);
        }
        let starts = drawn(&space, 1000);
        let mut chains: Vec<usize> = Vec::new();
        for part in &territories {
            assert!(part.chains.iter().all(|&chain| part.has(&starts[chain])));
            assert!((200..300).contains(&part.chains.len()));
            chains.extend(&part.chains);
        }
        chains.sort_unstable();
        assert!(chains.into_iter().eq(0..1000));
    }

    #[test]
    fn few_chains_and_small_domains_are_left_whole() {
        let large = [40, 2, 30, 9, 9, 5, 2];
        assert_eq!(divided(&space(&large), 100, 1000).len(), 1);
        assert_eq!(divided(&space(&large), 200, 1000).len(), 2);
        assert_eq!(divided(&space(&[40, 30, 2]), 1000, 1000).len(), 1);
        // Nothing can be cut.
        assert_eq!(divided(&space(&[1, 1, 2]), 1000, 0).len(), 1);
    }

    fn ends(territories: &[Territory], index: usize) -> Vec<(Code, Code)> {
        let axes = territories.iter().map(|part| part.axes[index]);
        axes.map(|axis| (axis.least, axis.most)).collect()
    }

    #[test]
    fn attributes_with_many_values_are_cut_first() {
        let territories = divided(&space(&[2, 2, 2, 60, 2, 2, 2]), 200, 100);
        let [below, above] = ends(&territories, 3)[..] else {
            unreachable!("{territories:?}");
        };
        assert_eq!((below.0, above.1), (0, 59));
        assert_eq!(below.1 + 1, above.0);
        assert!((20..40).contains(&below.1));
    }

    #[test]
    fn so_are_those_that_chains_seldom_move() {
        let space = space(&[20, 20, 20, 20, 2]);
        let starts = drawn(&space, 200);
        let starts: Vec<&[u64]> = starts.iter().map(Vec::as_slice).collect();
        let territories = divide(&space, &starts, &[0.1, 0.2, 0.9, 0.3], 100);
        assert_eq!(ends(&territories, 1), [(0, 19), (0, 19)]);
        assert_ne!(ends(&territories, 2), [(0, 19), (0, 19)]);
    }
}
