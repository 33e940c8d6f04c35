//! Counterexamples as plain data.

use std::sync::OnceLock;

use crate::benchmark::Pair;
use crate::nearest::Nearest;
use crate::schema::{Code, Space};
use crate::search::sides::Sides;
use crate::search::tested::{Slot, Tested};
use crate::telling;

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
    /// How far apart the two scores are; where there are classes, by how much each of them leads,
    /// added up.
    pub gap: f32,
    /// How far each of the two scores is from the nearest decision boundary; the lead of a class. There
    /// is none where two numbers are compared.
    pub boundary: Option<[f32; 2]>,
    /// How many decisions this person gets over all protected values, where all of them were asked.
    pub distinct_decisions: Option<usize>,
    /// How far the person is from the nearest real one, where that was asked.
    pub nearest: Option<Nearest>,
    /// How many attributes differed from the nearest real person before the pair was made plainer.
    pub changed_before: Option<usize>,
    /// Whether the pair is as plain as it gets: no attribute can take the real person's value, and no
    /// number come nearer to it, without the two decisions becoming one.
    pub shrunk: bool,
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
            gap: f32::NAN,
            boundary: None,
            distinct_decisions: None,
            changed_before: None,
            shrunk: false,
        }
    }

    /// A pair with the scores that the model gave.
    pub(crate) fn new(
        person: Vec<Code>,
        counterpart: Vec<Code>,
        [own, other]: [f32; 2],
        sides: &Sides,
    ) -> Self {
        let decision = |score| sides.side(score).decision().unwrap_or_default();
        let boundary = sides.boundary(own).zip(sides.boundary(other));
        Counterexample {
            person,
            counterpart,
            scores: [own, other].map(|score| sides.shown(score)),
            decisions: [own, other].map(decision),
            gap: sides.gap(own, other),
            boundary: boundary.map(|(own, other)| [own, other]),
            distinct_decisions: None,
            nearest: None,
            changed_before: None,
            shrunk: false,
        }
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
    /// Of all that were found: several look at these, and going through millions takes long.
    gaps: OnceLock<Vec<f32>>,
    drawn: OnceLock<Vec<(Slot, usize)>>,
}

impl Findings {
    pub(crate) fn new(space: Space, tested: Tested) -> Self {
        Findings {
            space,
            tested,
            gaps: OnceLock::new(),
            drawn: OnceLock::new(),
        }
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
        self.tested.found_profiles()
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
        telling::widest(self, most, usize::MAX)
    }

    /// Everyone who was tested, with scores.
    pub(crate) fn table(&self) -> &Tested {
        &self.tested
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

    /// Every counterexample as profile and combination, in the order in which they were met.
    pub(crate) fn found(&self) -> impl ExactSizeIterator<Item = (Slot, usize)> {
        let found = self.tested.found().iter();
        found.map(|&(slot, combination)| (slot, combination as usize))
    }

    /// For every counterexample, in the same order, how far its score lies from that of the clearest
    /// counterpart.
    pub(crate) fn gaps(&self) -> &[f32] {
        self.gaps.get_or_init(|| self.first_gaps(usize::MAX))
    }

    /// The same for the first ones alone.
    pub(crate) fn first_gaps(&self, most: usize) -> Vec<f32> {
        let gap = |(slot, combination)| self.tested.widest_gap(slot, combination);
        self.found().take(most).map(gap).collect()
    }

    /// Counterexamples drawn evenly, as many as anybody looks at: any number of the first ones is drawn evenly,
    /// too.
    pub(crate) fn drawn(&self) -> &[(Slot, usize)] {
        self.drawn
            .get_or_init(|| telling::drawn_anew(self, telling::MOST_DRAWN))
    }

    pub(crate) fn counterexample(&self, slot: Slot, combination: usize) -> Counterexample {
        let (key, scores) = (self.tested.key(slot), self.tested.scores(slot));
        let other = self.tested.clearest_other(slot, combination);
        Counterexample::new(
            self.space.person(key, combination),
            self.space.person(key, other),
            [scores[combination], scores[other]],
            self.tested.sides(),
        )
    }
}
