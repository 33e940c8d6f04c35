//! Which worker walks with which parties of chains.

use std::cmp::Reverse;

/// Which worker walks with which party.
///
/// They stay together as long as it is not unfair: what is known of a party lies in the cache of the worker's core.
#[derive(Default)]
pub(super) struct Owners(Vec<usize>);

/// Owners change where the most that one of them has would be less by more than one part of so many.
const UNFAIR: usize = 32;

impl Owners {
    /// Parties with so many chains get other owners where those that they have are unfair, or none yet.
    pub(super) fn keep_fair(&mut self, chains: &[usize], workers: usize) {
        let anew = Owners::fair(chains, workers);
        let (most, least) = (self.most(chains, workers), anew.most(chains, workers));
        if self.0.is_empty() || most > least + least / UNFAIR {
            *self = anew;
        }
    }

    /// What each worker owns.
    pub(super) fn shares<T>(
        &self,
        parties: impl Iterator<Item = T>,
        workers: usize,
    ) -> Vec<Vec<T>> {
        let mut shares: Vec<Vec<T>> = (0..workers).map(|_| Vec::new()).collect();
        for (party, &owner) in parties.zip(&self.0) {
            shares[owner].push(party);
        }
        shares
    }

    /// The owners of parties with so many chains: the largest first, each to whoever has fewest.
    fn fair(chains: &[usize], workers: usize) -> Self {
        let mut parties: Vec<usize> = (0..chains.len()).collect();
        parties.sort_by_key(|&party| Reverse(chains[party]));
        let (mut owners, mut loads) = (vec![0; chains.len()], vec![0; workers]);
        for party in parties {
            let fewest = (0..workers).min_by_key(|&worker| loads[worker]);
            owners[party] = fewest.unwrap_or_default();
            loads[owners[party]] += chains[party];
        }
        Owners(owners)
    }

    /// The most chains that one of them has.
    fn most(&self, chains: &[usize], workers: usize) -> usize {
        let mut loads = vec![0; workers];
        for (&owner, chains) in self.0.iter().zip(chains) {
            loads[owner] += chains;
        }
        loads.into_iter().max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_parties_go_to_whoever_has_fewest_chains() {
        let chains = [264, 229, 236, 271];
        let owners = Owners::fair(&chains, 2);
        assert_eq!(owners.0, [1, 0, 1, 0]);
        assert_eq!(owners.most(&chains, 2), 500);
        assert_eq!(Owners::fair(&chains, 3).most(&chains, 3), 465);
    }

    #[test]
    fn parties_stay_with_their_owners_while_that_is_fair() {
        let mut owners = Owners::default();
        owners.keep_fair(&[264, 229, 236, 271], 2);
        // Others would have fewer by two, and then by half as many again.
        owners.keep_fair(&[266, 229, 229, 268], 2);
        assert_eq!(owners.0, [1, 0, 1, 0]);
        owners.keep_fair(&[300, 100, 300, 100], 2);
        assert_eq!(owners.0, [0, 0, 1, 1]);
    }
}
