//! What kind of person is discriminated: a few rules, from a shallow decision tree.
//!
//! The tree learns to tell people who have a counterpart with another decision from people who have
//! none, among people whom the search did not choose. Its nodes are candidates; the rules are those
//! that hold for many of the ones and for few of the others, one after the other.

use crate::findings::Findings;
use crate::rates::Share;
use crate::schema::{Code, Domain, Space};

use super::reference::{Reference, Source};
use super::tree::{self, MOST_EXAMPLES, Split};

/// Rules at the most.
const MOST_RULES: usize = 3;

/// With so much of what was found covered, no more rules are looked for.
const COVERED: f64 = 0.9;

/// A rule covers at least this part of what was found.
const LEAST_COVERAGE: f64 = 0.03;

/// A rule's people are at least so many times as often discriminated as all people.
const LEAST_LIFT: f64 = 1.2;

/// Discriminated people that a tree can learn from, at the least.
pub(super) const ENOUGH: usize = 20;

/// Values are sorted by how often their people are discriminated, as if each had been seen this many
/// times more with the rate of all.
const CAUTION: f64 = 4.0;

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

/// Finds the kinds among people whom the search did not choose; where these hardly have any
/// counterexample, among people whom it tested.
pub(super) fn kinds(findings: &Findings, dataset: Reference, domain: Reference) -> Kinds {
    let space = findings.space();
    let [real, drawn] = [&dataset, &domain].map(Reference::discriminated);
    let (examples, measured, source) = if real + drawn < ENOUGH {
        let tested = Reference::of_search(findings);
        (examples(&[&tested]), tested, Source::Search)
    } else if real >= ENOUGH {
        (examples(&[&dataset, &domain]), dataset, Source::Dataset)
    } else {
        (examples(&[&dataset, &domain]), domain, Source::Domain)
    };
    let everyone = share(&measured, &[]);
    let mut chosen = Chosen {
        findings,
        measured: &measured,
        base: everyone.value().unwrap_or_default(),
        kinds: Vec::new(),
        found: 0,
    };
    let candidates = candidates(space, &examples);
    chosen.choose(examples, candidates);
    Kinds {
        kinds: chosen.kinds,
        found: chosen.found,
        source,
        everyone,
    }
}

/// A person, and whether a counterpart is decided otherwise.
type Example = (Vec<Code>, bool);

/// People of both kinds from all references, evenly and equally many from each, as far as there are.
fn examples(references: &[&Reference]) -> Vec<Example> {
    let most = MOST_EXAMPLES / references.len();
    let mut examples = Vec::new();
    for reference in references {
        for wanted in [true, false] {
            let these = || reference.people.iter().filter(|(_, kind)| *kind == wanted);
            let stride = these().count().div_ceil(most).max(1);
            examples.extend(these().step_by(stride).cloned());
        }
    }
    examples
}

/// Everybody of a reference for whom these conditions hold.
fn share(reference: &Reference, conditions: &[Condition]) -> Share {
    let mut share = Share::default();
    for (person, discriminated) in &reference.people {
        if conditions.iter().all(|c| c.allows(person[c.attribute])) {
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
    ranks: Option<Vec<usize>>,
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
            for (rank, code) in order.into_iter().enumerate() {
                ranks[code] = rank;
            }
            ranks
        });
        Column { attribute, ranks }
    }

    fn number(&self, code: Code) -> f64 {
        match &self.ranks {
            Some(ranks) => ranks[code as usize] as f64,
            None => f64::from(code),
        }
    }

    /// The condition that a split is.
    fn condition(&self, space: &Space, split: &Split) -> Condition {
        let largest = space.largest(self.attribute);
        let allowed = match &self.ranks {
            Some(_) => {
                let above = |code| self.number(code) > split.at;
                Allowed::OneOf((0..=largest).map(|c| above(c) == split.above).collect())
            }
            None if split.above => Allowed::From(split.at.floor() as Code + 1, largest),
            None => Allowed::From(0, split.at.floor() as Code),
        };
        Condition {
            attribute: self.attribute,
            allowed,
        }
    }
}

/// The conditions of every node of a tree that was grown from the examples.
fn candidates(space: &Space, examples: &[Example]) -> Vec<Vec<Condition>> {
    let attributes = space.unprotected().iter();
    let varied = attributes.filter(|&&attribute| space.largest(attribute) > 0);
    let columns: Vec<Column> = varied
        .map(|&attribute| Column::new(space, attribute, examples))
        .collect();
    let numbers: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let people = examples.iter();
            let codes = people.map(|(person, _)| person[column.attribute]);
            codes.map(|code| column.number(code)).collect()
        })
        .collect();
    let kinds: Vec<bool> = examples.iter().map(|(_, kind)| *kind).collect();
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
    let paths = tree::paths(&numbers, &kinds).into_iter();
    paths.map(conditions).collect()
}

/// The kinds that are chosen, one after the other.
struct Chosen<'a> {
    findings: &'a Findings,
    measured: &'a Reference,
    /// How often everybody of the reference is discriminated.
    base: f64,
    kinds: Vec<Kind>,
    /// Counterexamples that are of any of them.
    found: u64,
}

impl Chosen<'_> {
    /// Chooses candidates as long as they tell something about those who are left.
    fn choose(&mut self, mut examples: Vec<Example>, mut candidates: Vec<Vec<Condition>>) {
        let all = [true, false].map(|kind| examples.iter().filter(|e| e.1 == kind).count());
        let all_found = self.findings.len();
        while self.kinds.len() < MOST_RULES
            && (self.found as f64) < COVERED * all_found as f64
            && let Some(best) = take_best(&mut candidates, &examples, all)
        {
            let conditions = simplified(best, &examples, all);
            let share = share(self.measured, &conditions);
            let (found, new) = self.covered(&conditions);
            let telling = share
                .value()
                .is_none_or(|value| value >= LEAST_LIFT * self.base);
            if !telling || (new as f64) < LEAST_COVERAGE * all_found as f64 {
                continue;
            }
            examples.retain(|(person, _)| !holds(&conditions, person));
            self.found += new;
            self.kinds.push(Kind {
                conditions,
                found,
                coverage: found as f64 / all_found as f64,
                share,
            });
        }
    }

    /// How many counterexamples are of a kind, and how many of these of none chosen before.
    fn covered(&self, conditions: &[Condition]) -> (u64, u64) {
        let (table, packing) = (self.findings.table(), self.findings.space().packing());
        let (mut found, mut new) = (0, 0);
        for (slot, _) in self.findings.found() {
            let key = table.key(slot);
            let holds = |conditions: &[Condition]| {
                let mut all = conditions.iter();
                all.all(|condition| condition.allows(packing.code(key, condition.attribute)))
            };
            if holds(conditions) {
                found += 1;
                new += u64::from(!self.kinds.iter().any(|kind| holds(&kind.conditions)));
            }
        }
        (found, new)
    }
}

fn holds(conditions: &[Condition], person: &[Code]) -> bool {
    conditions.iter().all(|c| c.allows(person[c.attribute]))
}

/// How well conditions tell: the part of the discriminated examples for which they hold less the part
/// of the others.
fn worth(conditions: &[Condition], examples: &[Example], [yes, no]: [usize; 2]) -> f64 {
    let (mut held, mut others) = (0, 0);
    for (person, discriminated) in examples {
        if holds(conditions, person) {
            match discriminated {
                true => held += 1,
                false => others += 1,
            }
        }
    }
    f64::from(held) / yes.max(1) as f64 - f64::from(others) / no.max(1) as f64
}

/// Takes out the candidate that tells most, the first of several; nobody if none tells anything.
fn take_best(
    candidates: &mut Vec<Vec<Condition>>,
    examples: &[Example],
    all: [usize; 2],
) -> Option<Vec<Condition>> {
    let mut best = (0.0, None);
    for (place, candidate) in candidates.iter().enumerate() {
        let worth = worth(candidate, examples, all);
        if worth > best.0 {
            best = (worth, Some(place));
        }
    }
    best.1.map(|place| candidates.remove(place))
}

/// The same without conditions that tell nothing besides the others.
fn simplified(
    mut conditions: Vec<Condition>,
    examples: &[Example],
    all: [usize; 2],
) -> Vec<Condition> {
    let mut place = 0;
    while place < conditions.len() && conditions.len() > 1 {
        let mut fewer = conditions.clone();
        fewer.remove(place);
        if worth(&fewer, examples, all) >= worth(&conditions, examples, all) {
            conditions = fewer;
        } else {
            place += 1;
        }
    }
    conditions.sort_by_key(|condition| condition.attribute);
    conditions
}
