//! What kind of person is discriminated: a few rules, from a shallow decision tree.
//!
//! The tree learns to tell people who have a counterpart with another decision from people who have
//! none: among real people, and among people between these and the found ones. The nodes are candidates;
//! the rules are those that hold for many of the found people and whose people are discriminated more
//! often than others whom the search did not choose, one after the other.

use crate::findings::Findings;
use crate::rates::Share;
use crate::schema::{Code, Domain, Field, Space};
use crate::stump::Example;
use crate::telling;

use super::reference::{Reference, Source};
use super::tree::{self, MOST_EXAMPLES, Split};

/// Rules at the most.
const MOST_RULES: usize = 3;

/// A rule covers at least this part of what was found and no rule before it covers.
const LEAST_COVERAGE: f64 = 0.05;

/// No condition names more values than this: longer lists are not read.
const MOST_NAMED: usize = 6;

/// A rule's people are at least so many times as often discriminated as all people.
const LEAST_LIFT: f64 = 1.3;

/// People who can be learned from, and who can say anything about a kind of person, at the least.
pub(super) const ENOUGH: usize = 20;

/// Found people whom rules are to cover.
const DRAWN: usize = 2000;

/// People of a reference by whom candidates are compared, at the most. What is chosen is then measured
/// on all of them.
const JUDGED: usize = 8192;

/// A rule that tells this part as much with a condition less is the better one.
const SHORTER: f64 = 0.97;

/// What each value more in a list leaves of what a rule tells.
const LISTED: f64 = 0.97;

/// Values are sorted by how often their people are discriminated, as if each had been seen this many
/// times more with the rate of all.
const CAUTION: f64 = 20.0;

/// What an attribute's values must be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Allowed {
    /// A number from the first to the last of these codes.
    From(Code, Code),
    /// One of the values, by their codes, for which this says yes.
    OneOf(Vec<bool>),
}

/// A condition on one attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Condition {
    /// The place of the attribute.
    pub attribute: usize,
    /// What its value must be.
    pub allowed: Allowed,
}

impl Condition {
    fn allows(&self, code: Code) -> bool {
        match &self.allowed {
            Allowed::From(first, last) => (*first..=*last).contains(&code),
            Allowed::OneOf(values) => values[code as usize],
        }
    }

    /// How many values are named to say it: those that are allowed or those that are not.
    fn values_named(&self) -> usize {
        match &self.allowed {
            Allowed::From(..) => 1,
            Allowed::OneOf(values) => {
                let allowed = values.iter().filter(|allowed| **allowed).count();
                allowed.min(values.len() - allowed)
            }
        }
    }

    /// Both this and the other condition on the same attribute.
    fn narrow(&mut self, other: &Allowed) {
        match (&mut self.allowed, other) {
            (Allowed::From(first, last), Allowed::From(from, to)) => {
                (*first, *last) = ((*first).max(*from), (*last).min(*to));
            }
            (Allowed::OneOf(own), Allowed::OneOf(other)) => {
                for (own, other) in own.iter_mut().zip(other) {
                    *own &= other;
                }
            }
            _ => {}
        }
    }
}

/// A kind of person: everyone for whom all conditions hold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Kind {
    /// What holds for them, one condition for an attribute.
    pub conditions: Vec<Condition>,
    /// Counterexamples of the search that are of this kind.
    pub found: u64,
    /// The same as a share of all counterexamples.
    pub coverage: f64,
    /// People of this kind among those of [`Kinds::source`], and how many of these have a counterpart
    /// with another decision.
    pub share: Share,
}

/// The kinds of people that are discriminated most.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Kinds {
    /// The kinds, the one that tells most first. None if nothing tells them apart.
    pub kinds: Vec<Kind>,
    /// Where the people come from whom they are measured on.
    pub source: Source,
    /// All people of the source, and how many of them have a counterpart with another decision.
    pub everyone: Share,
    /// Counterexamples of the search that are of any of these kinds.
    pub found: u64,
}

/// Whom a tree learns from.
pub(super) struct Schooling {
    /// The dataset's people.
    pub(super) dataset: Reference,
    /// People between the found and the real ones.
    pub(super) between: Reference,
    /// People of the domain, where the dataset hardly has a counterexample.
    pub(super) domain: Reference,
}

/// Finds the kinds among people whom the search did not choose; where these hardly have any
/// counterexample, among people whom it tested.
pub(super) fn kinds(findings: &Findings, schooling: Schooling) -> Kinds {
    let space = findings.space();
    let Schooling {
        dataset,
        between,
        domain,
    } = schooling;
    let (measured, source) = if dataset.discriminated() >= ENOUGH {
        (dataset, Source::Dataset)
    } else if domain.discriminated() >= ENOUGH {
        (domain, Source::Domain)
    } else {
        (Reference::of_search(findings), Source::Search)
    };
    let references = [&measured, &between];
    let candidates = references.into_iter().flat_map(|reference| {
        let examples = examples(reference);
        candidates(space, &examples)
    });
    let mut chosen = Chosen {
        findings,
        measured: &measured,
        judges: references.into_iter().filter_map(Judge::new).collect(),
        kinds: Vec::new(),
        found: 0,
    };
    chosen.choose(candidates.collect());
    Kinds {
        kinds: chosen.kinds,
        found: chosen.found,
        source,
        everyone: share(&measured, &[]),
    }
}

/// People of both kinds from a reference, evenly.
fn examples(reference: &Reference) -> Vec<Example> {
    let mut examples = Vec::new();
    for wanted in [true, false] {
        let these = || reference.people.iter().filter(|(_, kind)| *kind == wanted);
        let stride = these().count().div_ceil(MOST_EXAMPLES).max(1);
        examples.extend(these().step_by(stride).cloned());
    }
    examples
}

/// Everybody of a reference for whom these conditions hold.
fn share(reference: &Reference, conditions: &[Condition]) -> Share {
    share_of(reference.people.iter(), conditions)
}

fn share_of<'a>(people: impl Iterator<Item = &'a Example>, conditions: &[Condition]) -> Share {
    let mut share = Share::default();
    for (person, discriminated) in people {
        if holds(conditions, person) {
            share.of += 1;
            share.discriminated += u64::from(*discriminated);
        }
    }
    share
}

/// An attribute as a column of numbers: codes, or, for categories, their rank by how often people with
/// them are discriminated. With this order the best set of categories is a range.
struct Column {
    attribute: usize,
    /// The rank of each code; nothing for numbers, whose codes are ranks already.
    ranks: Option<Vec<Code>>,
}

impl Column {
    fn new(space: &Space, attribute: usize, examples: &[Example]) -> Self {
        let domain = &space.schema().attributes()[attribute].domain;
        let named = matches!(domain, Domain::Categories(_) | Domain::Truth);
        let ranks = named.then(|| {
            let mut counts = vec![(0.0, 0.0); domain.size() as usize];
            for (person, discriminated) in examples {
                let (yes, of) = &mut counts[person[attribute] as usize];
                *yes += f64::from(u8::from(*discriminated));
                *of += 1.0;
            }
            let all: f64 = counts.iter().map(|(yes, _)| yes).sum();
            let base = all / examples.len() as f64;
            let rate = |code: usize| (counts[code].0 + CAUTION * base) / (counts[code].1 + CAUTION);
            let mut order: Vec<usize> = (0..counts.len()).collect();
            order.sort_by(|&a, &b| rate(a).total_cmp(&rate(b)).then(a.cmp(&b)));
            let mut ranks = vec![0; order.len()];
            let values = order.len();
            for (place, code) in order.into_iter().enumerate() {
                ranks[code] = readable_rank(place, values) as Code;
            }
            ranks
        });
        Column { attribute, ranks }
    }

    /// What the tree is told of a code.
    fn rank(&self, code: Code) -> Code {
        match &self.ranks {
            Some(ranks) => ranks[code as usize],
            None => code,
        }
    }

    /// The condition that a split is.
    fn condition(&self, space: &Space, split: &Split) -> Condition {
        let largest = space.largest(self.attribute);
        let allowed = match &self.ranks {
            Some(_) => {
                let above = |code| self.rank(code) > split.at;
                Allowed::OneOf((0..=largest).map(|c| above(c) == split.above).collect())
            }
            None if split.above => Allowed::From(split.at + 1, largest),
            None => Allowed::From(0, split.at),
        };
        Condition {
            attribute: self.attribute,
            allowed,
        }
    }
}

/// Of many values only the first and the last few are told apart, so that a split names few of them.
fn readable_rank(place: usize, values: usize) -> usize {
    let last = values.saturating_sub(MOST_NAMED).max(MOST_NAMED);
    match place {
        place if place < last => place.min(MOST_NAMED),
        place => MOST_NAMED + 1 + place - last,
    }
}

/// The conditions of every node of a tree that was grown from the examples.
fn candidates(space: &Space, examples: &[Example]) -> Vec<Vec<Condition>> {
    let attributes = space.unprotected().iter();
    let varied = attributes.filter(|&&attribute| space.largest(attribute) > 0);
    let columns: Vec<Column> = varied
        .map(|&attribute| Column::new(space, attribute, examples))
        .collect();
    let ranked: Vec<Example> = examples
        .iter()
        .map(|(person, kind)| {
            let ranks = columns
                .iter()
                .map(|column| column.rank(person[column.attribute]));
            (ranks.collect(), *kind)
        })
        .collect();
    let conditions = |path: Vec<Split>| {
        let mut merged: Vec<Condition> = Vec::new();
        for split in path {
            let next = columns[split.column].condition(space, &split);
            let mut same = merged.iter_mut();
            match same.find(|condition| condition.attribute == next.attribute) {
                Some(condition) => condition.narrow(&next.allowed),
                None => merged.push(next),
            }
        }
        merged
    };
    let paths = tree::paths(&ranked).into_iter();
    paths.map(conditions).collect()
}

/// People whom the search did not choose say how much more often a kind is discriminated than all.
struct Judge<'a> {
    /// Those who are of no kind that was chosen.
    left: Vec<&'a Example>,
    base: f64,
}

impl<'a> Judge<'a> {
    /// Nobody if hardly anyone is discriminated: that says nothing.
    fn new(reference: &'a Reference) -> Option<Self> {
        let base = share(reference, &[]).value()?;
        let stride = reference.people.len().div_ceil(JUDGED).max(1);
        (reference.discriminated() >= ENOUGH).then(|| Judge {
            left: reference.people.iter().step_by(stride).collect(),
            base,
        })
    }

    /// How many times as often people of a kind, and of none before, are discriminated as all; nothing if
    /// there are hardly any.
    fn lift(&self, conditions: &[Condition]) -> Option<f64> {
        let share = share_of(self.left.iter().copied(), conditions);
        (share.of >= ENOUGH as u64).then(|| share.value().unwrap_or_default() / self.base)
    }
}

/// The kinds that are chosen, one after the other.
struct Chosen<'a> {
    findings: &'a Findings,
    measured: &'a Reference,
    judges: Vec<Judge<'a>>,
    kinds: Vec<Kind>,
    /// Counterexamples that are of any of them.
    found: u64,
}

impl Chosen<'_> {
    /// Chooses candidates as long as they tell something about those who are left.
    fn choose(&mut self, mut candidates: Vec<Vec<Condition>>) {
        let (space, table) = (self.findings.space(), self.findings.table());
        let drawn = telling::drawn(self.findings, DRAWN).into_iter();
        let mut left: Vec<Vec<Code>> = drawn
            .map(|(slot, own)| space.person(table.key(slot), own))
            .collect();
        let least = (left.len() as f64 * LEAST_COVERAGE).max(1.0);
        while self.kinds.len() < MOST_RULES
            && let Some(best) = self.take_best(&mut candidates, &left)
        {
            let conditions = self.simplified(best, &left);
            let before = left.len();
            let mut others = left.clone();
            others.retain(|person| !holds(&conditions, person));
            if ((before - others.len()) as f64) < least {
                continue;
            }
            left = others;
            for judge in &mut self.judges {
                judge.left.retain(|(person, _)| !holds(&conditions, person));
            }
            let (found, new) = self.covered(&conditions);
            self.found += new;
            self.kinds.push(Kind {
                share: share(self.measured, &conditions),
                conditions,
                found,
                coverage: found as f64 / self.findings.len() as f64,
            });
        }
    }

    /// Takes out the candidate that tells most, the first of several; nobody if none tells anything.
    fn take_best(
        &self,
        candidates: &mut Vec<Vec<Condition>>,
        left: &[Vec<Code>],
    ) -> Option<Vec<Condition>> {
        let mut best = (0.0, None);
        for (place, candidate) in candidates.iter().enumerate() {
            let worth = self.worth(candidate, left);
            if worth > best.0 {
                best = (worth, Some(place));
            }
        }
        best.1.map(|place| candidates.remove(place))
    }

    /// How well conditions tell: for how many of the found people that are left they hold, and how much
    /// more often people of this kind are discriminated than all, whoever is asked. Long lists of values
    /// tell less.
    fn worth(&self, conditions: &[Condition], left: &[Vec<Code>]) -> f64 {
        if conditions.iter().any(|c| c.values_named() > MOST_NAMED) {
            return 0.0;
        }
        let lifts = self
            .judges
            .iter()
            .filter_map(|judge| judge.lift(conditions));
        let lift = lifts.min_by(f64::total_cmp).unwrap_or_default();
        if lift < LEAST_LIFT {
            return 0.0;
        }
        let held = left.iter().filter(|person| holds(conditions, person));
        let values = conditions
            .iter()
            .map(Condition::values_named)
            .sum::<usize>();
        let listed = values.saturating_sub(conditions.len());
        held.count() as f64 * lift.ln() * LISTED.powi(listed as i32)
    }

    /// The same without conditions that tell hardly anything besides the others.
    fn simplified(&self, mut conditions: Vec<Condition>, left: &[Vec<Code>]) -> Vec<Condition> {
        let mut place = 0;
        while place < conditions.len() && conditions.len() > 1 {
            let mut fewer = conditions.clone();
            fewer.remove(place);
            if self.worth(&fewer, left) >= SHORTER * self.worth(&conditions, left) {
                conditions = fewer;
            } else {
                place += 1;
            }
        }
        conditions.sort_by_key(|condition| condition.attribute);
        conditions
    }

    /// How many counterexamples are of a kind, and how many of these of none chosen before.
    fn covered(&self, conditions: &[Condition]) -> (u64, u64) {
        let table = self.findings.table();
        let before: Vec<Tests<'_>> = self
            .kinds
            .iter()
            .map(|kind| self.tests(&kind.conditions))
            .collect();
        let tests = self.tests(conditions);
        let holds = |tests: &Tests<'_>, key: &[u64]| {
            let mut all = tests.iter();
            all.all(|(field, condition)| condition.allows(field.code(key)))
        };
        let (mut found, mut new) = (0, 0);
        for (slot, _) in self.findings.found() {
            let key = table.key(slot);
            if holds(&tests, key) {
                found += 1;
                new += u64::from(!before.iter().any(|tests| holds(tests, key)));
            }
        }
        (found, new)
    }

    fn tests<'c>(&self, conditions: &'c [Condition]) -> Tests<'c> {
        let packing = self.findings.space().packing();
        let conditions = conditions.iter();
        conditions
            .map(|condition| (packing.field(condition.attribute), condition))
            .collect()
    }
}

/// Conditions, and where to look for what they are about.
type Tests<'c> = Vec<(Field, &'c Condition)>;

fn holds(conditions: &[Condition], person: &[Code]) -> bool {
    let mut all = conditions.iter();
    all.all(|condition| condition.allows(person[condition.attribute]))
}
