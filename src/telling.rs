//! Which counterexamples are shown: telling ones that differ from each other. The choice depends on
//! what was found, not on when.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::findings::{Counterexample, Findings};
use crate::schema::{Code, Space};
use crate::search::tested::{Slot, Tested};

/// People must differ in this many attributes to be shown beside each other.
const APART: usize = 2;

/// The widest gaps among which the most telling are chosen.
const CANDIDATES: usize = 20_000;

/// Counterexamples that are made plain because their gap is wide, for each one that is shown.
const WIDE: usize = 1;

/// Those that are made plain because they lie far from all others, for each one that is shown.
const FAR: usize = 2;

/// Counterexamples drawn evenly, among which the far ones are looked for.
const DRAWN: usize = 512;

/// As many as are drawn at a time by those who look at what was found: whoever wants more draws anew.
pub(crate) const MOST_DRAWN: usize = 2000;

/// Pairs that are left to choose from once all are plain, for each one that is shown: the plainest.
const PLAINEST: usize = 2;

/// A gap, a profile and a combination.
type Ranked = (Reverse<u32>, Slot, usize);

/// The widest gaps between scores of the first `looked_at` counterexamples, among people who differ
/// from each other.
pub(crate) fn widest(findings: &Findings, most: usize, looked_at: usize) -> Vec<Counterexample> {
    let candidates = widest_gaps(findings, looked_at)
        .into_iter()
        .map(|(_, slot, combination)| findings.counterexample(slot, combination));
    first_apart(findings.space(), candidates, most)
}

/// The people with the widest gaps, the widest first.
fn widest_gaps(findings: &Findings, looked_at: usize) -> Vec<Ranked> {
    let table = findings.table();
    let gaps = match looked_at >= findings.found().len() {
        true => Cow::from(findings.gaps()),
        false => Cow::from(findings.first_gaps(looked_at)),
    };
    // The widest are enough to choose from, and sorting all would take long.
    let least = least_of_widest(&gaps);
    let found = findings.found().zip(gaps.iter());
    let wide = found.filter(|&(_, &gap)| gap.to_bits() >= least);
    let mut ranked: Vec<Ranked> = wide
        .map(|((slot, combination), &gap)| (Reverse(gap.to_bits()), slot, combination))
        .collect();
    let by_gap_then_person = |a: &Ranked, b: &Ranked| {
        let rank = |&(gap, slot, combination): &Ranked| (gap, table.key(slot), combination);
        rank(a).cmp(&rank(b))
    };
    // Many may be as wide as the least of them.
    if ranked.len() > CANDIDATES {
        ranked.select_nth_unstable_by(CANDIDATES, by_gap_then_person);
        ranked.truncate(CANDIDATES);
    }
    ranked.sort_unstable_by(by_gap_then_person);
    ranked
}

/// The least of the widest gaps, so many that all candidates are among them. Gaps are not negative, so their
/// bits sort as they do.
fn least_of_widest(gaps: &[f32]) -> u32 {
    let mut bits: Vec<u32> = gaps.iter().map(|gap| gap.to_bits()).collect();
    match bits.len().checked_sub(CANDIDATES) {
        None | Some(0) => 0,
        Some(others) => *bits.select_nth_unstable(others).1,
    }
}

/// The first candidates who differ from each other; if there are too few, the first of the others.
fn first_apart(
    space: &Space,
    candidates: impl Iterator<Item = Counterexample>,
    most: usize,
) -> Vec<Counterexample> {
    let mut chosen: Vec<Counterexample> = Vec::new();
    let mut left = Vec::new();
    for candidate in candidates {
        if chosen.len() == most {
            break;
        }
        let differs = |other| differing(space, other, &candidate) >= APART;
        if chosen.iter().all(differs) {
            chosen.push(candidate);
        } else if left.len() < most {
            left.push(candidate);
        }
    }
    let shown: BTreeSet<Vec<Code>> = chosen.iter().map(|c| c.person.clone()).collect();
    let fill = left
        .into_iter()
        .filter(|candidate| !shown.contains(&candidate.person));
    chosen.extend(fill.take(most - chosen.len()));
    chosen
}

/// In how many attributes two people differ, apart from the protected ones.
fn differing(space: &Space, one: &Counterexample, other: &Counterexample) -> usize {
    let differ = |&&attribute: &&usize| one.person[attribute] != other.person[attribute];
    space.unprotected().iter().filter(differ).count()
}

/// The pairs that are worth making plain, if `most` are to be shown: the widest gaps, and others from
/// everywhere.
pub(crate) fn worth_shrinking(findings: &Findings, most: usize) -> Vec<Counterexample> {
    let mut chosen = widest(findings, WIDE * most, usize::MAX);
    let drawn = drawn(findings, DRAWN).into_iter();
    let mut others: Vec<Counterexample> = drawn
        .map(|(slot, combination)| findings.counterexample(slot, combination))
        .collect();
    sort_by(&mut others, |pair| Reverse(pair.gap.to_bits()));
    let more = chosen.len() + FAR * most;
    spread(findings.space(), &mut chosen, others, more);
    chosen
}

/// Counterexamples drawn evenly.
pub(crate) fn drawn(findings: &Findings, most: usize) -> Vec<(Slot, usize)> {
    match most <= MOST_DRAWN {
        true => findings.drawn().iter().take(most).copied().collect(),
        false => drawn_anew(findings, most),
    }
}

/// The same, without looking whether some were drawn before.
pub(crate) fn drawn_anew(findings: &Findings, most: usize) -> Vec<(Slot, usize)> {
    let found = findings.found();
    let count = found.len();
    drawn_of(findings.table(), found, count, most)
}

/// People drawn evenly from `count` of them: those with the smallest hashes, in the order of these.
pub(crate) fn drawn_of(
    table: &Tested,
    people: impl Iterator<Item = (Slot, usize)>,
    count: usize,
    most: usize,
) -> Vec<(Slot, usize)> {
    if most == 0 {
        return Vec::new();
    }
    // Twice as many as are wanted lie below this, so hardly ever too few.
    let below = match count > 4 * most {
        true => u64::MAX / count as u64 * 2 * most as u64,
        false => u64::MAX,
    };
    let hash = |slot, combination| table.hash(slot).rotate_left(combination as u32 % 64 * 7);
    let mut drawn: Vec<(u64, Slot, usize)> = people
        .map(|(slot, combination)| (hash(slot, combination), slot, combination))
        .filter(|&(hash, _, _)| hash <= below)
        .collect();
    drawn.sort_unstable_by(|&(a, slot, own), &(b, other_slot, other_own)| {
        let rank = |slot, combination| (table.key(slot), combination);
        a.cmp(&b)
            .then_with(|| rank(slot, own).cmp(&rank(other_slot, other_own)))
    });
    drawn.truncate(most);
    let drawn = drawn.into_iter();
    drawn
        .map(|(_, slot, combination)| (slot, combination))
        .collect()
}

/// The pairs to show, of those that were made plain: nobody twice, the plainest first, then always the
/// one who differs most from those before. Several pairs may have become the same plain one: if too few
/// are left, some are shown as they were found.
pub(crate) fn choose(
    space: &Space,
    mut plain: Vec<Counterexample>,
    mut as_found: Vec<Counterexample>,
    most: usize,
) -> Vec<Counterexample> {
    let plainness = |pair: &Counterexample| {
        let nearest = pair.nearest.as_ref();
        // Distances are not negative either.
        let plainness = nearest.map(|real| (real.changed, real.distance.to_bits()));
        (plainness, Reverse(pair.gap.to_bits()))
    };
    sort_by(&mut plain, plainness);
    let mut seen: Vec<Counterexample> = Vec::new();
    for pair in plain {
        if !seen.iter().any(|other| differing(space, other, &pair) == 0) {
            seen.push(pair);
        }
    }
    seen.truncate(PLAINEST * most);
    let mut chosen = Vec::new();
    spread(space, &mut chosen, seen, most);
    sort_by(&mut as_found, plainness);
    spread(space, &mut chosen, as_found, most);
    chosen
}

/// Adds to the chosen, until there are `most`, the candidate who differs most from all of them; an
/// attribute that had to be changed from a real person's weighs as much as one that differs. The first
/// of several. Nobody who differs from one of the chosen in nothing.
fn spread(
    space: &Space,
    chosen: &mut Vec<Counterexample>,
    candidates: Vec<Counterexample>,
    most: usize,
) {
    let changed = |pair: &Counterexample| pair.nearest.as_ref().map_or(0, |real| real.changed);
    let mut left: Vec<(usize, Counterexample)> = candidates
        .into_iter()
        .map(|pair| {
            let others = chosen.iter().map(|other| differing(space, &pair, other));
            (others.min().unwrap_or(space.schema().width()), pair)
        })
        .collect();
    while chosen.len() < most {
        left.retain(|(apart, _)| *apart > 0);
        let worth = |(apart, pair): &(usize, Counterexample)| *apart as i64 - changed(pair) as i64;
        let best = left.iter().map(worth).max();
        let Some(place) = left.iter().position(|one| Some(worth(one)) == best) else {
            return;
        };
        let (_, next) = left.remove(place);
        for (apart, pair) in &mut left {
            *apart = (*apart).min(differing(space, pair, &next));
        }
        chosen.push(next);
    }
}

/// Sorts by a rank, then by who the pair is.
fn sort_by<R: Ord>(pairs: &mut [Counterexample], rank: impl Fn(&Counterexample) -> R) {
    pairs.sort_by(|a, b| {
        let people = |pair: &Counterexample| (pair.person.clone(), pair.counterpart.clone());
        rank(a)
            .cmp(&rank(b))
            .then_with(|| people(a).cmp(&people(b)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_candidates_are_among_those_as_wide_as_the_least_of_them() {
        let many = CANDIDATES + 1000;
        let gaps: Vec<f32> = (0..many).map(|place| (place * 11 % many) as f32).collect();
        let least = f32::from_bits(least_of_widest(&gaps));
        assert_eq!(least, 1000.0);
        // As wide as each other: nobody is left out here, and who comes first is decided by who they are.
        assert_eq!(least_of_widest(&vec![0.5; many]), 0.5_f32.to_bits());
        for few in [0, 1, CANDIDATES] {
            assert_eq!(least_of_widest(&gaps[..few]), 0);
        }
    }
}
