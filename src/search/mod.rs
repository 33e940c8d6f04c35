//! MAFT: a black-box search for counterexamples by zero-order gradients, global then local.
//!
//! All seeds and all chains advance in lockstep: each step collects the rows of everyone into one
//! matrix and asks the model once. Nothing is asked twice: people that anyone has tested are kept
//! with the scores of all their combinations.

mod global;
mod gradient;
mod local;
pub(crate) mod random;
mod seeds;
pub(crate) mod tested;

use crate::model::ModelError;
use crate::model::meter::{Cut, Halt, Meter};
use crate::schema::{Code, Space};
use crate::spec::{Budget, SearchSettings};

use gradient::Estimator;
use random::{Purpose, stream};
use tested::{Slot, Tested};

/// Which part of the work is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Seeds walk towards the decision boundary.
    Global,
    /// Chains walk along it.
    Local,
    /// The dataset's own people are tested.
    Dataset,
    /// People drawn from the domain are tested.
    Domain,
}

/// How far a benchmark is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Progress {
    /// The part of the work.
    pub phase: Phase,
    /// Steps done in this phase.
    pub done: usize,
    /// Steps in this phase.
    pub of: usize,
    /// Distinct counterexamples found by the search so far.
    pub found: u64,
    /// Rows shown to the model so far.
    pub queries: u64,
}

/// What to search, and how hard.
pub(crate) struct Task<'a> {
    /// The space to search.
    pub space: &'a Space,
    /// The people to start from, one row after another.
    pub people: &'a [Code],
    /// The score above which the decision is class 1.
    pub threshold: f64,
    /// The benchmark's name: part of every random stream.
    pub benchmark: &'a str,
    /// The random seed.
    pub seed: u64,
    /// The parameters of the search.
    pub settings: &'a SearchSettings,
    /// How many seeds and steps.
    pub budget: &'a Budget,
}

/// What a search did; whom it met is in [`Lockstep::tested`].
#[derive(Debug, Clone)]
pub(crate) struct Walked {
    /// Seeds that the global phase started from.
    pub seeds: usize,
    /// Distinct people that the global phase found.
    pub global_found: usize,
    /// What ended the search early, if anything did.
    pub cut: Option<Cut>,
}

/// Runs MAFT: both phases, one after the other.
///
/// # Errors
/// The model failed. A spent budget is not an error: the outcome says so.
pub(crate) fn maft(search: &mut Lockstep<'_, '_>, task: &Task<'_>) -> Result<Walked, ModelError> {
    let mut stream = stream(task.seed, task.benchmark, Purpose::Seeds, 0);
    let wanted = task.budget.global_seeds;
    let seeds = seeds::draw(
        task.space,
        task.people,
        wanted,
        task.settings.clusters,
        &mut stream,
    );
    let mut finds = Vec::new();
    let ended = global::run(search, &seeds, &mut finds)
        .and_then(|()| local::run(search, &finds, task.budget.local_steps));
    let cut = match ended {
        Ok(()) => None,
        Err(Halt::Cut(cut)) => Some(cut),
        Err(Halt::Model(error)) => return Err(error),
    };
    search.forget_enlisted();
    Ok(Walked {
        seeds: seeds.len(),
        global_found: finds.len(),
        cut,
    })
}

/// The state that both phases share: who was tested, and who is waiting to be asked.
pub(crate) struct Lockstep<'s, 'm> {
    pub(crate) space: &'s Space,
    settings: &'s SearchSettings,
    pub(crate) benchmark: &'s str,
    pub(crate) seed: u64,
    estimator: Estimator<'s>,
    pub(crate) meter: &'s mut Meter<'m>,
    progress: &'s dyn Fn(Progress),
    pub(crate) tested: Tested,
    rows: Vec<f32>,
    packed: Vec<u64>,
    pub(crate) found: u64,
    pub(crate) iterations: u64,
}

impl<'s, 'm> Lockstep<'s, 'm> {
    pub(crate) fn new(
        task: &Task<'s>,
        meter: &'s mut Meter<'m>,
        progress: &'s dyn Fn(Progress),
    ) -> Self {
        let (space, settings) = (task.space, task.settings);
        Lockstep {
            space,
            settings,
            benchmark: task.benchmark,
            seed: task.seed,
            estimator: Estimator::new(
                space,
                task.threshold,
                settings.perturbation_size,
                settings.gradient,
            ),
            meter,
            progress,
            tested: Tested::new(space, task.threshold),
            rows: Vec::new(),
            packed: vec![0; space.packing().words()],
            found: 0,
            iterations: 0,
        }
    }

    pub(crate) fn tell(&self, phase: Phase, done: usize, of: usize) {
        let queries = self.meter.queries();
        (self.progress)(Progress {
            phase,
            done,
            of,
            found: self.found,
            queries,
        });
    }

    /// The profile of a person; if nobody has met it yet, it is asked with the next call.
    pub(crate) fn enlist(&mut self, person: &[Code]) -> Slot {
        self.space.packing().pack(person, &mut self.packed);
        let (slot, new) = self.tested.slot(&self.packed);
        if new {
            self.space.push_combinations(person, &mut self.rows);
        }
        slot
    }

    /// Asks for everyone who was enlisted, in one call.
    pub(crate) fn ask_enlisted(&mut self) -> Result<(), Halt> {
        if !self.rows.is_empty() {
            let scores = self.meter.ask(&self.rows)?;
            self.tested.fill(&scores);
            self.rows.clear();
        }
        Ok(())
    }

    /// Forgets whom the model was not asked about, because the budget ended first.
    pub(crate) fn forget_enlisted(&mut self) {
        self.rows.clear();
        self.tested.drop_unfilled();
    }

    /// Counts the person as tested, and as found if a counterpart is decided otherwise.
    fn meet(&mut self, slot: Slot, combination: usize) {
        if self.tested.meet(slot, combination) && self.tested.discriminated(slot, combination) {
            self.found += 1;
        }
    }

    /// A code moved by a step, clipped to the domain.
    fn moved(&self, attribute: usize, code: Code, step: i64) -> Code {
        let largest = i64::from(self.space.largest(attribute));
        (i64::from(code) + step).clamp(0, largest) as Code
    }
}
