//! Counterexamples as plain data.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::benchmark::Pair;
use crate::nearest::{Nearest, nearest};
use crate::schema::{Code, Space};
use crate::search::tested::{Slot, Tested};

/// People must differ in this many attributes to be shown beside each other.
const APART: usize = 2;

/// The widest gaps among which the most telling are chosen.
const CANDIDATES: usize = 20_000;

/// Counterexamples that are looked at where somebody waits for the end of the run.
const IN_A_HURRY: usize = 500_000;

/// A gap, a profile and a combination.
type Ranked = (Reverse<u32>, Slot, usize);

/// A person and a counterpart that get different decisions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Counterexample {
    /// The person, as codes.
    pub person: Vec<Code>,
    /// The counterpart: the same person with other protected values.
    pub counterpart: Vec<Code>,
    /// The scores of the person and of the counterpart.
    pub scores: [f32; 2],
    /// The decisions for the person and for the counterpart, as places among the decisions' names.
    pub decisions: [usize; 2],
    /// How far the person is from the nearest real one, where that was asked.
    pub nearest: Option<Nearest>,
}

impl Counterexample {
    /// A recorded pair, which the model has not been asked about.
    pub(crate) fn recorded(pair: Pair, near: impl Fn(&[Code]) -> Option<Nearest>) -> Self {
        Counterexample {
            nearest: near(&pair.person),
            person: pair.person,
            counterpart: pair.counterpart,
            scores: [f32::NAN; 2],
            decisions: [0; 2],
        }
    }

    /// How far apart the two scores are.
    pub fn gap(&self) -> f32 {
        (self.scores[0] - self.scores[1]).abs()
    }
}

/// Somebody whom the search tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TestedPerson {
    /// The person apart from protected attributes.
    pub(crate) profile: Slot,
    /// Which protected values the person has.
    pub(crate) combination: usize,
    /// Whether a counterpart is decided otherwise.
    pub(crate) found: bool,
}

/// Everything that a search found.
#[derive(Debug, Clone)]
pub struct Findings {
    space: Space,
    tested: Tested,
}

impl Findings {
    pub(crate) fn new(space: Space, tested: Tested) -> Self {
        Findings { space, tested }
    }

    /// The space that was searched.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// How many distinct people were tested.
    pub fn tested(&self) -> u64 {
        self.tested.tested()
    }

    /// How many distinct counterexamples there are.
    pub fn len(&self) -> u64 {
        self.tested.found().len() as u64
    }

    /// Whether no counterexample was found.
    pub fn is_empty(&self) -> bool {
        self.tested.found().is_empty()
    }

    /// How many people there are among the counterexamples, apart from protected attributes.
    pub fn people(&self) -> u64 {
        let mut found = vec![false; self.tested.profiles()];
        for (slot, _) in self.found() {
            found[slot as usize] = true;
        }
        found.into_iter().filter(|&found| found).count() as u64
    }

    /// Every counterexample, in the order in which the search met them. Each person is paired with
    /// the counterpart whose score is farthest away.
    pub fn counterexamples(&self) -> impl Iterator<Item = Counterexample> {
        self.found()
            .map(|(slot, combination)| self.counterexample(slot, combination))
    }

    /// At most so many of them, chosen evenly in the order in which the search met them. The finding
    /// at `place` among `most` is the one at `place * len / most` among all.
    pub(crate) fn evenly(&self, most: usize) -> impl Iterator<Item = Counterexample> {
        let found = self.tested.found();
        let most = most.min(found.len());
        (0..most).map(move |place| {
            let (slot, combination) = found[place * found.len() / most];
            self.counterexample(slot, combination as usize)
        })
    }

    /// The most telling counterexamples: the widest gaps between scores, among people who differ
    /// from each other. Which ones depends on what was found, not on the order of finding.
    pub fn most_telling(&self, most: usize) -> Vec<Counterexample> {
        self.most_telling_among(most, usize::MAX)
    }

    /// The most telling of the first `looked_at` counterexamples.
    fn most_telling_among(&self, most: usize, looked_at: usize) -> Vec<Counterexample> {
        let mut ranked: Vec<_> = self
            .found()
            .take(looked_at)
            .map(|(slot, combination)| {
                let counterpart = self.tested.clearest_other(slot, combination);
                let gap = self.tested.gap(slot, combination, counterpart);
                // Gaps are not negative, so their bits sort as they do.
                (Reverse(gap.to_bits()), slot, combination)
            })
            .collect();
        let by_gap_then_person = |a: &Ranked, b: &Ranked| {
            let rank =
                |&(gap, slot, combination): &Ranked| (gap, self.tested.key(slot), combination);
            rank(a).cmp(&rank(b))
        };
        // The widest gaps are enough to choose from, and sorting all would take long.
        if ranked.len() > CANDIDATES {
            ranked.select_nth_unstable_by(CANDIDATES, by_gap_then_person);
            ranked.truncate(CANDIDATES);
        }
        ranked.sort_unstable_by(by_gap_then_person);
        let mut chosen: Vec<Counterexample> = Vec::new();
        let mut left = Vec::new();
        for (_, slot, combination) in ranked {
            if chosen.len() == most {
                break;
            }
            let candidate = self.counterexample(slot, combination);
            if chosen
                .iter()
                .all(|other| self.apart(other, &candidate) >= APART)
            {
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

    /// The same, each with the nearest of `people`. `hurry`, of a run that somebody ended, looks at
    /// some of the counterexamples only: ranking millions takes seconds, and what such a run found
    /// depends on the moment anyway.
    pub(crate) fn most_telling_near(
        &self,
        most: usize,
        people: &[Code],
        hurry: bool,
    ) -> Vec<Counterexample> {
        let looked_at = if hurry { IN_A_HURRY } else { usize::MAX };
        let mut telling = self.most_telling_among(most, looked_at);
        for pair in &mut telling {
            pair.nearest = nearest(&self.space, people, &pair.person);
        }
        telling
    }

    /// Everyone found, in the order in which the search met them.
    pub(crate) fn found_people(&self) -> impl Iterator<Item = TestedPerson> {
        self.found().map(|(profile, combination)| TestedPerson {
            profile,
            combination,
            found: true,
        })
    }

    /// Everyone whom the search tested, profile by profile in the order in which they were met.
    pub(crate) fn tested_people(&self) -> impl Iterator<Item = TestedPerson> {
        self.tested
            .everyone()
            .map(|(profile, combination, found)| TestedPerson {
                profile,
                combination,
                found,
            })
    }

    /// The combinations of a person that are known to be decided otherwise.
    pub(crate) fn differing(&self, person: TestedPerson) -> impl Iterator<Item = usize> {
        self.tested
            .other_decisions(person.profile, person.combination)
    }

    /// The combination that is decided otherwise most clearly, if one is.
    pub(crate) fn clearest(&self, person: TestedPerson) -> Option<usize> {
        let other = self
            .tested
            .clearest_other(person.profile, person.combination);
        (other != person.combination).then_some(other)
    }

    /// The score of a combination of a profile.
    pub(crate) fn score(&self, profile: Slot, combination: usize) -> f32 {
        let score = self.tested.scores(profile)[combination];
        self.tested.sides().shown(score)
    }

    /// The decision of a combination of a profile, as its place among the names.
    pub(crate) fn decision(&self, profile: Slot, combination: usize) -> Option<usize> {
        self.tested.side(profile, combination).decision()
    }

    /// The person with this profile and combination.
    pub(crate) fn person(&self, profile: Slot, combination: usize) -> Vec<Code> {
        self.space.person(self.tested.key(profile), combination)
    }

    fn found(&self) -> impl Iterator<Item = (Slot, usize)> {
        let found = self.tested.found().iter();
        found.map(|&(slot, combination)| (slot, combination as usize))
    }

    fn apart(&self, one: &Counterexample, other: &Counterexample) -> usize {
        let differ = |&&attribute: &&usize| one.person[attribute] != other.person[attribute];
        self.space.movable().iter().filter(differ).count()
    }

    fn counterexample(&self, slot: Slot, combination: usize) -> Counterexample {
        let other = self.tested.clearest_other(slot, combination);
        let scores = self.tested.scores(slot);
        let class = |combination| {
            let side = self.tested.side(slot, combination);
            side.decision().unwrap_or_default()
        };
        let shown = |combination: usize| self.tested.sides().shown(scores[combination]);
        Counterexample {
            person: self.person(slot, combination),
            counterpart: self.person(slot, other),
            scores: [shown(combination), shown(other)],
            decisions: [class(combination), class(other)],
            nearest: None,
        }
    }
}
