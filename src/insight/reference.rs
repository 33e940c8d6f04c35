//! People whom the search did not choose, and whether they are counterexamples: what kinds of people are
//! measured on. The search goes where it finds something, so those it tested say little about the
//! others.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::findings::Findings;
use crate::model::meter::{Halt, Meter};
use crate::schema::Code;
use crate::search::random::{Stream, below};
use crate::search::tested::Slot;
use crate::telling;

use super::counterparts::all_scores;

/// Scores of real people that are looked at, at the most.
const MOST_SCORES: usize = 400_000;

/// People that the model is asked about, at the most.
const DRAWN: usize = 1500;

/// People whom the search tested, at the most, of either kind.
const TESTED: usize = 1000;

/// Where people come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The dataset.
    Dataset,
    /// The declared domain, drawn evenly.
    Domain,
    /// The search: those it tested.
    Search,
}

/// People, and who of them has a counterpart that is decided otherwise.
#[derive(Debug, Clone, Default)]
pub(super) struct Reference {
    /// Each with whether a counterpart is decided otherwise.
    pub(super) people: Vec<(Vec<Code>, bool)>,
}

impl Reference {
    /// How many have a counterpart that is decided otherwise.
    pub(super) fn discriminated(&self) -> usize {
        self.people.iter().filter(|(_, yes)| *yes).count()
    }

    /// The dataset's people, as far as the model was asked about them for the dataset rate; drawn
    /// evenly if they are very many.
    pub(super) fn of_dataset(findings: &Findings, people: &[Code]) -> Self {
        let (space, table) = (findings.space(), findings.table());
        let width = space.schema().width();
        let count = people.len() / width;
        let scores = count * space.combinations().len();
        let stride = scores.div_ceil(MOST_SCORES).max(1);
        // The rate of the dataset is measured first of all, so that its people are the first.
        let first = count.min(table.profiles()) as Slot;
        let mut slots: HashMap<&[u64], Slot, FxBuildHasher> = HashMap::default();
        slots.extend((0..first).map(|slot| (table.key(slot), slot)));
        let mut packed = vec![0; space.packing().words()];
        let known = people
            .chunks_exact(width)
            .step_by(stride)
            .filter_map(|real| {
                space.packing().pack(real, &mut packed);
                let slot = *slots.get(packed.as_slice())?;
                let own = space.combination_of(real);
                Some((real.to_vec(), table.discriminated(slot, own)))
            });
        Reference {
            people: known.collect(),
        }
    }

    /// People drawn evenly from the declared domain, as many as the rows allow.
    ///
    /// # Errors
    /// The time has passed, somebody ended the run, or the model failed.
    pub(super) fn of_domain(
        findings: &Findings,
        rows: u64,
        stream: &mut Stream,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Halt> {
        let space = findings.space();
        let count = DRAWN.min(rows as usize / space.combinations().len());
        let mut drawn = Vec::with_capacity(count);
        // Where drawing has found nobody once, it is not tried again: that would take long.
        while drawn.len() < count
            && let Some(person) = space.draw(stream)
        {
            drawn.push(person);
        }
        Self::judged(findings, drawn, meter)
    }

    /// People between those found and real ones: each attribute is that of the one or of the other. What
    /// makes them counterexamples or not is what they have from the found ones, not where the search
    /// went. `people` are the real ones; where there are none, anybody.
    ///
    /// # Errors
    /// The time has passed, somebody ended the run, or the model failed.
    pub(super) fn between(
        findings: &Findings,
        people: &[Code],
        rows: u64,
        stream: &mut Stream,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Halt> {
        let (space, table) = (findings.space(), findings.table());
        let width = space.schema().width();
        let count = DRAWN.min(rows as usize / space.combinations().len());
        let found = telling::drawn(findings, count);
        let real = (people.len() / width) as u64;
        let mut between = Vec::with_capacity(count);
        for &(slot, own) in found.iter().cycle().take(count) {
            let mut person = space.person(table.key(slot), own);
            let other = match real {
                0 => space.draw(stream).unwrap_or_else(|| person.clone()),
                real => people[below(stream, real) as usize * width..][..width].to_vec(),
            };
            for &attribute in space.movable() {
                if below(stream, 2) == 0 {
                    person[attribute] = other[attribute];
                }
            }
            if space.can_exist(&person) {
                between.push(person);
            }
        }
        Self::judged(findings, between, meter)
    }

    /// Asks the model about people and all their counterparts.
    fn judged(
        findings: &Findings,
        people: Vec<Vec<Code>>,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Halt> {
        let (space, sides) = (findings.space(), findings.table().sides());
        let scores = all_scores(space, &people, meter)?;
        let people = people.into_iter().zip(scores).map(|(person, scores)| {
            let own = scores[space.combination_of(&person)];
            let discriminated = scores.iter().any(|&other| sides.differ(own, other));
            (person, discriminated)
        });
        Ok(Reference {
            people: people.collect(),
        })
    }

    /// People whom the search tested: as many who are counterexamples as who are not, where there are.
    pub(super) fn of_search(findings: &Findings) -> Self {
        let (space, table) = (findings.space(), findings.table());
        let alike = || table.everyone().filter(|&(_, _, found)| !found);
        let alike = telling::drawn_of(
            table,
            alike().map(|(slot, combination, _)| (slot, combination)),
            (findings.tested() - findings.len()) as usize,
            TESTED,
        );
        let person =
            |(slot, combination), found| (space.person(table.key(slot), combination), found);
        let found = telling::drawn(findings, TESTED).into_iter();
        let found = found.map(|one| person(one, true));
        let alike = alike.into_iter().map(|one| person(one, false));
        Reference {
            people: found.chain(alike).collect(),
        }
    }
}
