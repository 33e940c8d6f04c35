//! The search for counterexamples: what its methods share, and the phases of MAFT.
//!
//! All seeds and all chains advance in lockstep: each step collects the rows of everyone into one
//! matrix and asks the model once. Nothing is asked twice: people that anyone has tested are kept
//! with the scores of all their combinations.

mod axis;
mod curve;
mod drawing;
pub(crate) mod fences;
mod first_order;
mod global;
mod gradient;
mod index;
mod large;
mod local;
mod marks;
mod methods;
mod near;
pub(crate) mod random;
mod rows;
mod seeds;
mod shelf;
pub(crate) mod sides;
pub(crate) mod tested;
mod walk;
mod wanted;
mod zero_order;

use crate::decision::Rule;
use crate::model::Objective;
use crate::model::meter::{Cut, Halt, Meter, Wanted};
use crate::schema::{Code, Space};
use crate::share::Share;
use crate::spec::{Budget, Gradient, Method, Realistic, SearchSettings, Variant};

use curve::Curve;
use fences::Fences;
use first_order::Differentiator;
use gradient::Gradients;
pub(crate) use local::SMALLEST_SALIENCE;
pub(crate) use methods::run;
use sides::Sides;
use tested::{Slot, Tested};
use zero_order::{Estimator, Probes};

/// Chains that are worth sharing out.
const WORTH_SHARING: usize = 128;

/// People that are tested in one go where a method has no number of its own: enough for full batches,
/// few enough to be interrupted.
const PORTION: usize = 8192;

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
    /// Everyone in the domain is tested.
    Everyone,
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
    /// Distinct counterexamples found so far: by the search, or among everyone.
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
    /// How scores are decisions.
    pub rule: &'a Rule,
    /// The benchmark's name: part of every random stream.
    pub benchmark: &'a str,
    /// The random seed.
    pub seed: u64,
    /// The parameters of the search.
    pub settings: &'a SearchSettings,
    /// How many seeds and steps.
    pub budget: &'a Budget,
    /// How far from real people the search may go.
    pub realistic: Option<Realistic>,
    /// How sure a method has to be that estimates a rate.
    pub confidence: f64,
}

/// A person that the global phase found: where a local chain starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Find {
    /// The person's profile.
    slot: Slot,
    /// The person's combination of protected values.
    combination: usize,
}

/// A person who was tested.
#[derive(Debug, Clone, Copy)]
struct Met {
    find: Find,
    /// Whether a counterpart is decided otherwise.
    discriminated: bool,
    /// Whether that was not known before.
    is_first_find: bool,
}

/// Adds a find that is not there yet: two seeds may come to the same person.
fn keep(finds: &mut Vec<Find>, find: Find) {
    if !finds.contains(&find) {
        finds.push(find);
    }
}

/// What a search did; whom it met is in [`Lockstep::tested`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Walked {
    /// Seeds that the global phase started from: people of the dataset, or drawn ones.
    pub seeds: usize,
    /// Distinct people that the global phase found.
    pub global_found: usize,
    /// What ended the search early, if anything did.
    pub cut: Option<Cut>,
    /// What the method says of everyone whom it may test, if it is one that does.
    pub estimate: Option<Estimate>,
}

/// A rate that a method estimated from people whom it drew.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate {
    /// The discriminated among those who were drawn, each as often as drawn.
    pub share: Share,
    /// The lower end of the interval, with the task's confidence.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// Whether the interval is as narrow as the settings want it.
    pub is_enough: bool,
}

impl Walked {
    /// A search that was ended before it began.
    pub(crate) fn interrupted() -> Self {
        Walked {
            cut: Some(Cut::Interrupted),
            ..Walked::default()
        }
    }
}

/// Gradients as the method wants them: the model's own, or estimates.
fn gradients<'s>(task: &Task<'s>) -> Gradients<'s> {
    let objective = match task.settings.method {
        Method::Adf => Objective::Loss,
        Method::Eidig => Objective::Score,
        _ => return zero_order_gradients(task),
    };
    let source = Differentiator::new(task.space, objective);
    Gradients::new(task.space, Sides::new(task.rule), Box::new(source))
}

/// Zero-order gradients as the settings say.
fn zero_order_gradients<'s>(task: &Task<'s>) -> Gradients<'s> {
    let (space, settings) = (task.space, task.settings);
    let sides = Sides::new(task.rule);
    let kind = match settings.method {
        Method::MaftPlain => Gradient::Plain,
        _ => settings.gradient,
    };
    let probes = match settings.variant {
        Variant::Paper => Probes::Up,
        Variant::Walk => Probes::Inside,
    };
    let size = settings.perturbation_size;
    let estimator = Estimator::new(space, sides.clone(), size, kind, probes);
    Gradients::new(space, sides, Box::new(estimator))
}

/// The state that all phases share: who was tested, and who is waiting to be asked.
pub(crate) struct Lockstep<'s, 'm> {
    pub(crate) space: &'s Space,
    settings: &'s SearchSettings,
    pub(crate) benchmark: &'s str,
    pub(crate) seed: u64,
    gradients: Gradients<'s>,
    pub(crate) meter: &'s mut Meter<'m>,
    progress: &'s (dyn Fn(Progress) + Sync),
    pub(crate) tested: Tested,
    fences: Fences,
    /// Profiles before this one have been asked about.
    answered: usize,
    packed: Vec<u64>,
    iterations: u64,
    /// What the search found over its queries.
    pub(crate) curve: Curve,
}

impl<'s, 'm> Lockstep<'s, 'm> {
    pub(crate) fn new(
        task: &Task<'s>,
        meter: &'s mut Meter<'m>,
        progress: &'s (dyn Fn(Progress) + Sync),
    ) -> Self {
        let space = task.space;
        Lockstep {
            space,
            settings: task.settings,
            benchmark: task.benchmark,
            seed: task.seed,
            gradients: gradients(task),
            meter,
            progress,
            tested: Tested::new(space, Sides::new(task.rule)),
            fences: Fences::new(space, task.realistic),
            answered: 0,
            packed: vec![0; space.packing().words()],
            iterations: 0,
            curve: Curve::default(),
        }
    }

    /// The seeds that the task asks for. A search that stays near real people stays near these.
    fn take_seeds(&mut self, task: &Task<'_>, walked: &mut Walked) -> Vec<Vec<Code>> {
        let seeds = seeds::of(task);
        self.fences.set_starts(&seeds);
        walked.seeds = seeds.len();
        seeds
    }

    /// The steps that were taken, and everyone who was tested.
    pub(crate) fn end(self) -> (u64, Tested) {
        (self.iterations, self.tested)
    }

    /// Says how far the work is; what the search found until now is a point of its curve.
    pub(crate) fn tell(&mut self, phase: Phase, done: usize, of: usize) {
        self.tell_more(phase, done, of, self.tested.found().len());
    }

    /// The same, where not everybody who was found is in the table yet.
    fn tell_more(&mut self, phase: Phase, done: usize, of: usize, found: usize) {
        let found = found as u64;
        if matches!(phase, Phase::Global | Phase::Local) {
            self.curve.add(self.meter.queries(), found);
        }
        self.tell_found(phase, done, of, found);
    }

    /// Says how far the work is, where what is found is counted elsewhere.
    pub(crate) fn tell_found(&self, phase: Phase, done: usize, of: usize, found: u64) {
        let queries = self.meter.queries();
        (self.progress)(Progress {
            phase,
            done,
            of,
            found,
            queries,
        });
    }

    /// The profile of a person; if it is new, it is asked about with the next call.
    pub(crate) fn enlist(&mut self, person: &[Code]) -> Slot {
        self.space.packing().pack(person, &mut self.packed);
        self.tested.slot(&self.packed)
    }

    /// Tests these people in one call. Says for each whether a counterpart is decided otherwise.
    fn test<'p>(&mut self, people: impl Iterator<Item = &'p [Code]>) -> Result<Vec<Met>, Halt> {
        // Where everybody is known nobody is asked, and nothing else would end the search.
        self.meter.check_budget()?;
        let found = people.map(|person| {
            let combination = self.space.combination_of(person);
            let slot = self.enlist(person);
            Met {
                find: Find { slot, combination },
                discriminated: false,
                is_first_find: false,
            }
        });
        let mut met: Vec<Met> = found.collect();
        self.iterations += met.len() as u64;
        self.ask_enlisted()?;
        for met in &mut met {
            let before = self.tested.found().len();
            met.discriminated = self.tested.meet(met.find.slot, met.find.combination);
            met.is_first_find = self.tested.found().len() > before;
        }
        Ok(met)
    }

    /// How many people are tested in one go: no more than the rest of the budget is enough for, or
    /// it would be left unspent.
    fn portion(&self) -> usize {
        let combinations = self.space.combinations().len() as u64;
        let left = self
            .meter
            .left()
            .map_or(u64::MAX, |left| left / combinations);
        PORTION.min(left.max(1) as usize)
    }

    /// Whether the search has tested this very person.
    fn has_tested(&self, person: &[Code]) -> bool {
        let mut packed = vec![0; self.space.packing().words()];
        self.space.packing().pack(person, &mut packed);
        self.tested
            .has_met(&packed, self.space.combination_of(person))
    }

    /// Asks for all combinations of everyone who was enlisted, as far as they can exist, in one call.
    /// A counterpart who cannot exist is no evidence and keeps no score.
    pub(crate) fn ask_enlisted(&mut self) -> Result<(), Halt> {
        if self.space.is_constrained() {
            return self.ask_possible();
        }
        let (first, last) = (self.answered, self.tested.profiles());
        let (space, tested) = (self.space, &self.tested);
        let combinations = space.combinations().len();
        let scores = self.meter.ask(&Wanted {
            items: last - first,
            each: combinations,
            make: &|items, rows| {
                for item in items {
                    let profile = tested.key((first + item) as Slot);
                    space.push_combinations(profile, 0..combinations, rows);
                }
            },
        })?;
        self.note_answers(&scores);
        Ok(())
    }

    /// Takes the scores of all combinations of everyone who was enlisted.
    fn note_answers(&mut self, scores: &[f32]) {
        self.tested.set_scores_from(self.answered, scores);
        self.answered = self.tested.profiles();
    }

    fn ask_possible(&mut self) -> Result<(), Halt> {
        let (first, last) = (self.answered, self.tested.profiles());
        let combinations = self.space.combinations().len();
        let everyone = (first..last).flat_map(|slot| (0..combinations).map(move |c| (slot, c)));
        let possible: Vec<(Slot, usize)> = everyone
            .map(|(slot, combination)| (slot as Slot, combination))
            .filter(|&(slot, combination)| {
                self.space.can_exist_as(self.tested.key(slot), combination)
            })
            .collect();
        let (space, tested) = (self.space, &self.tested);
        let scores = self.meter.ask(&Wanted {
            items: possible.len(),
            each: 1,
            make: &|items, rows| {
                for &(slot, combination) in &possible[items] {
                    space.push_packed(tested.key(slot), combination, rows);
                }
            },
        })?;
        for ((slot, combination), score) in possible.into_iter().zip(scores) {
            self.tested.scores_mut(slot)[combination] = score;
        }
        self.answered = last;
        Ok(())
    }

    /// Forgets whom the model was not asked about, because the budget ended first.
    pub(crate) fn forget_enlisted(&mut self) {
        self.tested.forget_from(self.answered);
    }

    /// A code moved by a step, clipped to the domain.
    fn moved(&self, attribute: usize, code: Code, step: i64) -> Code {
        let largest = i64::from(self.space.largest(attribute));
        (i64::from(code) + step).clamp(0, largest) as Code
    }

    /// Hands the items out to the workers, a share to each. What is done with an item must not
    /// depend on the others.
    fn share_out<T: Send>(&self, items: &mut [T], act: impl Fn(&Self, &mut [T]) + Sync)
    where
        Self: Sync,
    {
        let crew = self.meter.crew();
        if items.len() < WORTH_SHARING || crew.workers() == 1 {
            act(self, items);
            return;
        }
        let share = items.len().div_ceil(crew.workers());
        crew.share_out(items.chunks_mut(share), |share| act(self, share));
    }
}
