//! `fairgate check`: run the benchmarks and say whether they pass.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::ending::Endings;
use super::interrupt::Interrupt;
use super::progress::Bars;
use super::report::Report;
use super::{CheckArguments, tell};
use crate::benchmark::Benchmark;
use crate::gate::{self, Checked, Datasets, GateError, Options, Watch};
use crate::plan::BenchmarkPlan;
use crate::rates::Start;
use crate::snapshot::Update;

/// How often it is looked whether somebody asked to stop, while nothing runs yet.
const LOOKS_UP: Duration = Duration::from_millis(50);

/// Checks, and writes a page about it if there is somewhere to write it.
pub(super) fn run(arguments: &CheckArguments, page: Option<&Path>) -> u8 {
    let (spec, plans) = match arguments.selection.plans() {
        Ok(planned) => planned,
        Err(code) => return code,
    };
    let (mut options, side_by_side) = match arguments.running.options(&spec, plans.len()) {
        Ok(options) => options,
        Err(code) => return code,
    };
    options.exhaustive = arguments.exhaustive;
    options.state = Some(state_folder(&arguments.selection.spec));
    let report = match Report::prepare(page, &spec, &plans) {
        Ok(report) => report,
        Err(code) => return code,
    };
    if arguments.accept {
        options.snapshots.update = Update::Always;
    }
    if !crate::OPTIMISED {
        tell::remark(
            "fairgate: built without optimisation; `cargo run --release` is about ten times faster",
        );
    }
    let bars = Bars::new();
    let interrupt = Interrupt::listen(bars.clone());
    let endings = Endings::new(arguments.format, plans.len(), report);
    let plans: Arc<[BenchmarkPlan]> = plans.into();
    let file = &arguments.selection.spec;
    let Some((datasets, problems)) = rehearse_all(&plans, &options, &interrupt) else {
        return endings.finish(&plans, file);
    };
    if !problems.is_empty() {
        return tell::gate_problems(problems);
    }
    let endings = check_all(
        &plans,
        datasets,
        &options,
        side_by_side,
        endings,
        &bars.counting(plans.len()),
        &interrupt,
    );
    endings.finish(&plans, file)
}

/// Where it is kept how far an exhaustive run is: out of the way of everything that is committed.
fn state_folder(spec: &Path) -> PathBuf {
    let folder = spec.parent().unwrap_or(Path::new(""));
    folder.join("target").join("fairgate")
}

/// Rehearses on a thread of its own, which is left behind when somebody asks to stop: reading a
/// large file cannot be broken off, and nothing is lost yet. Nothing comes back then.
pub(super) fn rehearse_all(
    plans: &Arc<[BenchmarkPlan]>,
    options: &Options,
    interrupt: &Interrupt,
) -> Option<(Datasets, Vec<GateError>)> {
    let (sender, receiver) = mpsc::channel();
    let (plans, options) = (Arc::clone(plans), options.clone());
    let rehearsal = std::thread::spawn(move || {
        let mut datasets = Datasets::default();
        let problems = rehearse(&plans, &mut datasets, &options);
        // Nobody listens any more if the run was ended meanwhile.
        let _ = sender.send((datasets, problems));
    });
    loop {
        match receiver.recv_timeout(LOOKS_UP) {
            Ok(rehearsed) => return Some(rehearsed),
            Err(RecvTimeoutError::Timeout) if !interrupt.asked() => {}
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => match rehearsal.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return None,
            },
        }
    }
}

/// Reads every dataset, opens every model and asks it once, so that all that is wrong is said at once,
/// before anything runs or is written.
fn rehearse(plans: &[BenchmarkPlan], datasets: &mut Datasets, options: &Options) -> Vec<GateError> {
    let mut problems = Vec::new();
    // A model or a library that several benchmarks share is complained about once.
    let (mut bad_models, mut bad_datasets) = (BTreeSet::new(), BTreeSet::new());
    for plan in plans {
        let rehearsed = match datasets.get(&plan.dataset) {
            Ok(dataset) => gate::rehearse(plan, &dataset, options).map(|benchmark| {
                tell_what_was_mined(&benchmark);
                warn_of_memory(&benchmark);
            }),
            Err(error) => {
                if bad_datasets.insert(plan.dataset.name.value.clone()) {
                    problems.push(error.into());
                }
                gate::inspect_model(plan, options)
            }
        };
        if let Err(error) = rehearsed
            && bad_models.insert(error.to_string())
        {
            problems.push(error);
        }
    }
    problems
}

/// Says before it starts what was mined from the dataset: it decides who is tested.
fn tell_what_was_mined(benchmark: &Benchmark) {
    if let Some(note) = &benchmark.mined {
        tell::remark(&format!("{}: {note}", benchmark.name));
    }
}

/// Says before it starts that a search may need a lot of memory.
fn warn_of_memory(benchmark: &Benchmark) {
    const A_LOT: u64 = 2 << 30;
    let most = benchmark.memory_at_most();
    if most > A_LOT {
        tell::remark(&format!(
            "{}: may need up to {:.0} GB of memory for everyone it tests; fewer global-seeds or local-steps, or max-queries, need less",
            benchmark.name,
            most as f64 / f64::from(1 << 30)
        ));
    }
}

/// Runs the benchmarks side by side. None begins after somebody asked to stop.
fn check_all(
    plans: &[BenchmarkPlan],
    datasets: Datasets,
    options: &Options,
    side_by_side: usize,
    endings: Endings,
    bars: &Bars,
    interrupt: &Interrupt,
) -> Endings {
    let next = AtomicUsize::new(0);
    let (datasets, endings) = (Mutex::new(datasets), Mutex::new(endings));
    std::thread::scope(|scope| {
        for _ in 0..side_by_side {
            scope.spawn(|| {
                while !interrupt.asked() {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(plan) = plans.get(place) else {
                        break;
                    };
                    let ended = check_one(plan, &datasets, options, bars, interrupt);
                    let mut endings = endings.lock().unwrap_or_else(PoisonError::into_inner);
                    bars.suspend(|| endings.add(place, plan, ended));
                }
            });
        }
    });
    endings.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn check_one(
    plan: &BenchmarkPlan,
    datasets: &Mutex<Datasets>,
    options: &Options,
    bars: &Bars,
    interrupt: &Interrupt,
) -> Result<Checked, GateError> {
    let dataset = {
        let mut datasets = datasets.lock().unwrap_or_else(PoisonError::into_inner);
        datasets.get(&plan.dataset)?
    };
    let bar = bars.start(plan.name());
    let start = |start: Start| {
        if start != Start::Fresh {
            bars.suspend(|| tell::remark(&format!("{}: {start}", plan.name())));
        }
    };
    let watch = Watch {
        progress: &|progress| bar.show(progress),
        interrupted: &|| interrupt.asked(),
        start: &start,
    };
    gate::check_and_tell(plan, &dataset, options, &watch)
}
