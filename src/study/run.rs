//! The runs of a study: several side by side, each by itself on one worker.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::benchmark::{Benchmark, Run};
use crate::fit;
use crate::gate::{GateError, Options};
use crate::model::OpenModel;
use crate::model::meter::Cut;

use super::curve::Curve;
use super::plan::{Planned, Question};
use super::prepared::Prepared;
use super::record::{Finished, Outcome, Record, RecordError};

/// What keeps a study from going on.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub(crate) enum StudyError {
    /// A run could not be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Gate(#[from] GateError),
    /// What was found could not be kept.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Record(#[from] RecordError),
}

/// A contender that cannot search a benchmark, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeftOut {
    /// The contender's title.
    pub method: String,
    /// The benchmark.
    pub benchmark: String,
    /// Why, as a sentence.
    pub why: String,
}

/// How the runs are made.
pub(crate) struct Making<'a> {
    /// The benchmarks.
    pub benchmarks: &'a [Prepared],
    /// How models are opened.
    pub options: &'a Options,
    /// Runs side by side.
    pub jobs: usize,
    /// Told when a run begins, and when it has ended.
    pub tell: &'a (dyn Fn(Told<'_>) + Sync),
    /// Asked all the time whether to stop.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
}

/// What is told of a run.
pub(crate) enum Told<'a> {
    /// It begins.
    Begun(&'a Planned),
    /// It has ended.
    Ended,
}

/// Makes all runs that the record does not have yet, each kept as soon as it ends. An interruption is
/// no error: the runs that it broke off are made anew next time.
///
/// # Errors
/// The first trouble; runs that had ended by then are kept.
pub(crate) fn make(
    runs: &[Planned],
    record: &mut Record,
    making: &Making<'_>,
) -> Result<Vec<LeftOut>, StudyError> {
    let todo: Vec<&Planned> = runs
        .iter()
        .filter(|run| record.get(&run.key).is_none())
        .collect();
    let shared = Mutex::new(Shared {
        record,
        left_out: Vec::new(),
        trouble: None,
    });
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..making.jobs.clamp(1, todo.len().max(1)) {
            scope.spawn(|| work(&todo, &next, making, &shared));
        }
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match shared.trouble {
        Some(trouble) => Err(trouble),
        None => {
            let mut left_out = shared.left_out;
            left_out.sort();
            left_out.dedup();
            Ok(left_out)
        }
    }
}

struct Shared<'a> {
    record: &'a mut Record,
    left_out: Vec<LeftOut>,
    trouble: Option<StudyError>,
}

impl Shared<'_> {
    fn keep(&mut self, run: &Planned, made: Made) {
        let kept = match made {
            Made::Outcome(outcome) => self
                .record
                .add(Finished {
                    key: run.key.clone(),
                    outcome,
                })
                .map_err(StudyError::from),
            Made::Impossible(why) => {
                self.left_out.push(LeftOut {
                    method: run.contender.title.to_owned(),
                    benchmark: run.key.benchmark.clone(),
                    why,
                });
                Ok(())
            }
            Made::Interrupted => Ok(()),
            Made::Trouble(error) => Err(error.into()),
        };
        if let Err(trouble) = kept {
            self.trouble.get_or_insert(trouble);
        }
    }
}

/// One worker: takes the next run until there is none, and keeps a model open for as long as runs need it.
fn work(todo: &[&Planned], next: &AtomicUsize, making: &Making<'_>, shared: &Mutex<Shared<'_>>) {
    let mut open: Option<Open> = None;
    while !(making.interrupted)() {
        let Some(run) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else {
            return;
        };
        (making.tell)(Told::Begun(run));
        let made = match open.take().filter(|open| open.serves(run)) {
            Some(open) => Ok(open),
            None => Open::new(run, making),
        };
        let made = made.map(|opened| {
            let made = run_one(
                run,
                &making.benchmarks[run.benchmark],
                &opened.model,
                making,
            );
            open = Some(opened);
            made
        });
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.keep(run, made.unwrap_or_else(|made| made));
        if shared.trouble.is_some() {
            return;
        }
        (making.tell)(Told::Ended);
    }
}

/// A model that is open, and what for.
struct Open {
    benchmark: usize,
    with_gradients: bool,
    model: OpenModel,
}

impl Open {
    fn new(run: &Planned, making: &Making<'_>) -> Result<Self, Made> {
        let prepared = &making.benchmarks[run.benchmark];
        let with_gradients = run.contender.needs_gradients();
        let opened = prepared.open(Some(run.contender), making.options);
        let model = opened.map_err(|error| match with_gradients {
            true => Made::Impossible(error.to_string()),
            false => Made::Trouble(error),
        })?;
        Ok(Open {
            benchmark: run.benchmark,
            with_gradients,
            model,
        })
    }

    fn serves(&self, run: &Planned) -> bool {
        (self.benchmark, self.with_gradients) == (run.benchmark, run.contender.needs_gradients())
    }
}

enum Made {
    Outcome(Outcome),
    /// The method cannot search this benchmark.
    Impossible(String),
    Interrupted,
    Trouble(GateError),
}

fn run_one(run: &Planned, prepared: &Prepared, model: &OpenModel, making: &Making<'_>) -> Made {
    let benchmark = set_up(run, prepared);
    let curve = Mutex::new(Curve::default());
    let wanted = run.key.question == Question::Two as u8;
    let searched = benchmark.search(
        model.model.as_ref(),
        &Run {
            batch_rows: making.options.batch_rows_on(model.device),
            progress: &|progress| {
                if wanted {
                    let mut curve = curve.lock().unwrap_or_else(PoisonError::into_inner);
                    curve.reach(progress.queries, progress.found);
                }
            },
            interrupted: making.interrupted,
            ..Run::default()
        },
    );
    let searched = match searched {
        Ok(searched) => searched,
        Err(error) => return Made::Trouble(fit::model_error(&prepared.plan, error)),
    };
    if searched.cut == Some(Cut::Interrupted) {
        return Made::Interrupted;
    }
    let mut curve = curve.into_inner().unwrap_or_else(PoisonError::into_inner);
    if wanted {
        curve.end(searched.queries, searched.counterexamples);
    }
    Made::Outcome(Outcome {
        counterexamples: searched.counterexamples,
        tested: searched.tested,
        iterations: searched.iterations,
        queries: searched.queries,
        seeds: searched.seeds,
        global_found: searched.global_found,
        capped: searched.cut.is_some(),
        seconds: searched.seconds,
        model_seconds: searched.model_seconds,
        runtime: model.runtime.clone(),
        curve,
    })
}

/// The benchmark with the run's method, seed and budget.
fn set_up(run: &Planned, prepared: &Prepared) -> Benchmark {
    let key = &run.key;
    let mut benchmark = prepared.benchmark.clone();
    benchmark.search = run
        .contender
        .settings(benchmark.search, key.perturbation_size);
    benchmark.seed = key.seed;
    benchmark.budget.global_seeds = key.global_seeds;
    benchmark.budget.local_steps = key.local_steps;
    benchmark.budget.max_queries = key.max_queries;
    benchmark.budget.time_limit = None;
    benchmark
}
