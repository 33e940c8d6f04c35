//! Looking at everyone in the declared domain: the exact rate, and a proof where there is nobody.
//!
//! Profiles are walked over in their order, block after block, and nobody is kept: a domain of
//! thousands of millions takes time but no memory. What is counted is added up, so that it does not
//! depend on workers and batches, and how far the walk is fits into a small file ([`StateFile`]).

mod extent;
mod pairs;
mod profiles;
mod state;
mod tally;
mod widest;

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::findings::Counterexample;
use crate::model::ModelError;
use crate::model::meter::{Asker, Cut, Halt};
use crate::search::{Lockstep, Phase};

use super::{DomainRate, Share};
pub use extent::NotEveryone;
pub(crate) use extent::{Extent, extent};
pub(super) use pairs::clearest_first;
use profiles::Profiles;
use state::State;
pub(crate) use state::hash;
pub use state::{Start, StateFile};
use tally::{Judge, Scratch, Tally};
pub(super) use widest::{Found, Widest};

/// How long a portion of blocks should take: between two of them the state may be saved.
const PORTION: Duration = Duration::from_millis(200);

/// How often the state is saved.
const SAVED_EVERY: Duration = Duration::from_millis(500);

/// Where it is kept how far a walk is, and who is told how it begins.
#[derive(Clone, Copy)]
pub struct Keep<'k> {
    /// The file; nothing: a run that is ended begins anew.
    pub file: Option<&'k StateFile>,
    /// Told how the walk begins, and what becomes of the file.
    pub remark: &'k (dyn Fn(Start) + Sync),
}

impl Default for Keep<'_> {
    fn default() -> Self {
        Keep {
            file: None,
            remark: &|_| {},
        }
    }
}

/// What came of looking at everyone.
#[derive(Debug, Clone)]
pub(crate) enum Walked {
    /// All were looked at: the rate, and the clearest pairs.
    All(DomainRate, Vec<Counterexample>),
    /// Something ended it early.
    Part {
        /// People that were looked at, whether or not they can exist.
        looked_at: u64,
        /// All people.
        of: u64,
        /// What ended it.
        cut: Cut,
        /// Whether it is kept how far it came.
        kept: bool,
    },
}

/// Looks at everyone. With a file it goes on where a run that was ended has stopped.
///
/// # Errors
/// The model failed.
pub(crate) fn walk(
    search: &mut Lockstep<'_, '_>,
    extent: &Extent,
    confidence: f64,
    keep: &Keep<'_>,
) -> Result<Walked, ModelError> {
    let space = search.space;
    let sides = search.tested.sides().clone();
    let profiles = Profiles::new(space, extent);
    let judge = Judge::new(space, &profiles, &sides);
    let mut walk = Walk {
        judge: &judge,
        profiles: &profiles,
        state: State::default(),
    };
    if let Some(file) = keep.file {
        let (state, start) = file.load(profiles.count());
        walk.state = state;
        (keep.remark)(start);
        search
            .meter
            .count_besides(walk.state.queries, walk.state.settled);
    }
    match walk.run(search, keep) {
        Err(Halt::Model(error)) => Err(error),
        Err(Halt::Cut(cut)) => Ok(Walked::Part {
            looked_at: walk.state.done * profiles.each() as u64 * profiles.alike(),
            of: extent.people,
            cut,
            kept: keep.file.is_some_and(|file| file.save(&walk.state).is_ok()),
        }),
        Ok(()) => {
            if let Some(file) = keep.file {
                file.remove();
            }
            Ok(all(search, &profiles, &walk.state.tally, confidence))
        }
    }
}

/// The rate and the clearest pairs of everyone.
fn all(
    search: &Lockstep<'_, '_>,
    profiles: &Profiles<'_>,
    tally: &Tally,
    confidence: f64,
) -> Walked {
    let share = Share {
        discriminated: tally.discriminated,
        of: tally.people,
    };
    let rate = DomainRate {
        undecided: tally.undecided,
        ..DomainRate::exact(share, confidence)
    };
    let sides = search.tested.sides();
    let pairs = clearest_first(search.space, sides, &tally.widest, |found| {
        [found.own, found.other].map(|place| profiles.person(found.profile, place))
    });
    Walked::All(rate, pairs)
}

/// A walk over all profiles.
struct Walk<'w, 's> {
    judge: &'w Judge<'s>,
    profiles: &'w Profiles<'s>,
    state: State,
}

impl Walk<'_, '_> {
    fn run(&mut self, search: &mut Lockstep<'_, '_>, keep: &Keep<'_>) -> Result<(), Halt> {
        let block = (search.meter.batch_rows() / self.profiles.each()).max(1) as u64;
        let mut blocks = search.meter.crew().workers() as u64;
        let (mut saved, mut is_told) = (Instant::now(), false);
        let people = self.profiles.each() as u64 * self.profiles.alike();
        while self.state.done < self.profiles.count() {
            let total = self.profiles.count() * people;
            let found = self.state.tally.discriminated;
            search.tell_found(
                Phase::Everyone,
                (self.state.done * people) as usize,
                total as usize,
                found,
            );
            let started = Instant::now();
            self.portion(search, block, blocks)?;
            // What is slow is interrupted in time, and what is quick is not kept waiting.
            match started.elapsed() {
                took if took < PORTION / 2 => blocks = (blocks * 2).min(1 << 14),
                took if took > PORTION * 2 => blocks = (blocks / 2).max(1),
                _ => {}
            }
            if let Some(file) = keep.file.filter(|_| saved.elapsed() > SAVED_EVERY) {
                saved = Instant::now();
                if file.save(&self.state).is_err() && !std::mem::replace(&mut is_told, true) {
                    (keep.remark)(Start::NotKept);
                }
            }
        }
        Ok(())
    }

    /// Looks at the next blocks of profiles.
    fn portion(
        &mut self,
        search: &mut Lockstep<'_, '_>,
        block: u64,
        blocks: u64,
    ) -> Result<(), Halt> {
        let first = self.state.done;
        let end = self.profiles.count().min(first + block * blocks);
        let blocks = (end - first).div_ceil(block) as usize;
        let rows_at_most = (end - first) * self.profiles.each() as u64;
        let (queries, settled) = (search.meter.queries(), search.meter.settled());
        let known = &self.state.tally.widest;
        let tallies = search
            .meter
            .work_through(blocks, rows_at_most, &|place, asker| {
                let start = first + place as u64 * block;
                self.look_at(start..end.min(start + block), known, asker)
            })?;
        for tally in tallies {
            self.state.tally.add(tally);
        }
        self.state.done = end;
        self.state.queries += search.meter.queries() - queries;
        self.state.settled += search.meter.settled() - settled;
        Ok(())
    }

    /// Looks at the people of a block of profiles.
    fn look_at(
        &self,
        numbers: Range<u64>,
        known: &Widest,
        asker: &mut Asker<'_>,
    ) -> Result<Tally, Halt> {
        let mut possible = Vec::new();
        self.profiles
            .push_rows(numbers.clone(), &mut possible, &mut asker.rows);
        let scores = asker.ask()?;
        let mut tally = Tally::default();
        match possible.is_empty() {
            true => self.count_all(numbers, &scores, known, &mut tally),
            false => self.count_possible(numbers, &possible, &scores, known, &mut tally),
        }
        Ok(tally)
    }

    /// Counts people of whom everyone can exist.
    fn count_all(&self, numbers: Range<u64>, scores: &[f32], known: &Widest, tally: &mut Tally) {
        let (each, mut scratch) = (self.profiles.each(), Scratch::default());
        for (profile, scores) in numbers.zip(scores.chunks_exact(each)) {
            match self.judge.all_alike(scores) {
                true => self.judge.count_alike(each, tally),
                false => self
                    .judge
                    .count(profile, scores, &mut scratch, known, tally),
            }
        }
    }

    /// Counts those who can exist, who alone have scores.
    fn count_possible(
        &self,
        numbers: Range<u64>,
        possible: &[bool],
        mut scores: &[f32],
        known: &Widest,
        tally: &mut Tally,
    ) {
        let (each, mut scratch) = (self.profiles.each(), Scratch::default());
        let mut all = vec![f32::NAN; each];
        for (profile, possible) in numbers.zip(possible.chunks_exact(each)) {
            let people = possible.iter().filter(|&&possible| possible).count();
            let (own, others) = scores.split_at(people);
            scores = others;
            if self.judge.all_alike(own) {
                self.judge.count_alike(people, tally);
                continue;
            }
            let mut own = own.iter().copied();
            for (score, &possible) in all.iter_mut().zip(possible) {
                *score = possible.then(|| own.next()).flatten().unwrap_or(f32::NAN);
            }
            self.judge.count(profile, &all, &mut scratch, known, tally);
        }
    }
}
