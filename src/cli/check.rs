//! `fairgate check`: run the benchmarks and say whether they pass.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::progress::Bars;
use super::{CheckArguments, Format, exit_code, tell};
use crate::benchmark::Benchmark;
use crate::fit::MINED;
use crate::gate::{self, Checked, Datasets, GateError, Options};
use crate::plan::BenchmarkPlan;
use crate::report;
use crate::snapshot::Update;
use crate::spec::Spec;
use crate::words::grouped;

pub(super) fn run(arguments: &CheckArguments) -> u8 {
    let (spec, plans) = match arguments.selection.plans() {
        Ok(planned) => planned,
        Err(code) => return code,
    };
    let (options, side_by_side) = match options(arguments, &spec, plans.len()) {
        Ok(options) => options,
        Err(error) => {
            tell::problem(error);
            return exit_code::USAGE;
        }
    };
    if !crate::OPTIMISED {
        tell::remark(
            "fairgate: built without optimisation; `cargo run --release` is about ten times faster",
        );
    }
    let mut datasets = Datasets::default();
    let problems = rehearse(&plans, &mut datasets, &options);
    if !problems.is_empty() {
        // What is wrong in the spec comes first: mending it may mend the rest.
        let in_spec = problems.iter().any(GateError::is_about_the_spec);
        for problem in problems {
            tell::problem(problem);
        }
        return if in_spec {
            exit_code::USAGE
        } else {
            exit_code::UNUSABLE
        };
    }
    let tally = check_all(&plans, datasets, &options, side_by_side, arguments.format);
    if arguments.format == Format::Pretty {
        tell::result(&tally.summary());
    }
    tally.exit_code()
}

/// Benchmarks run side by side as far as there are jobs; what is left works inside each.
fn options(
    arguments: &CheckArguments,
    spec: &Spec,
    benchmarks: usize,
) -> Result<(Options, usize), crate::snapshot::SnapshotError> {
    let jobs = arguments.jobs.map_or_else(
        || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    );
    let side_by_side = jobs.min(benchmarks);
    let mut options = Options::new(spec.snapshots.clone())?;
    options.runtime = arguments.runtime;
    options.device = arguments.device;
    options.workers = jobs / side_by_side;
    options.batch_rows = arguments.batch_rows as usize;
    if arguments.accept {
        options.snapshots.update = Update::Always;
    }
    Ok((options, side_by_side))
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
    for note in &benchmark.notes {
        if note.starts_with(MINED) {
            tell::remark(&format!("{}: {note}", benchmark.name));
        }
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

/// How the benchmarks ended.
#[derive(Debug, Default)]
struct Tally {
    passed: u64,
    failed: u64,
    inconclusive: u64,
    unusable: u64,
}

impl Tally {
    fn count(&mut self, checked: &Checked) {
        if checked.problem.is_some() {
            self.unusable += 1;
        } else if checked.passes() {
            self.passed += 1;
        } else if checked.fails() {
            self.failed += 1;
        } else {
            self.inconclusive += 1;
        }
    }

    fn summary(&self) -> String {
        let part = |count: u64, word: &str| match count {
            0 => None,
            count => Some(format!("{} {word}", grouped(count))),
        };
        let parts: Vec<String> = [
            part(self.passed, "passed"),
            part(self.failed, "failed"),
            part(self.inconclusive, "inconclusive"),
            part(self.unusable, "could not be run"),
        ]
        .into_iter()
        .flatten()
        .collect();
        format!("\n{}\n", parts.join(", "))
    }

    fn exit_code(&self) -> u8 {
        match self {
            Tally { unusable: 1.., .. } => exit_code::UNUSABLE,
            Tally { failed: 1.., .. } => exit_code::FAIL,
            Tally {
                inconclusive: 1.., ..
            } => exit_code::INCONCLUSIVE,
            _ => exit_code::PASS,
        }
    }
}

fn check_all(
    plans: &[BenchmarkPlan],
    datasets: Datasets,
    options: &Options,
    side_by_side: usize,
    format: Format,
) -> Tally {
    let bars = Bars::new();
    let next = AtomicUsize::new(0);
    let shared = Mutex::new((datasets, Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..side_by_side {
            scope.spawn(|| {
                while let Some(plan) = plans.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ended = check_one(plan, &shared, options, &bars);
                    if let Ok(mut shared) = shared.lock() {
                        bars.suspend(|| conclude(ended, format, &mut shared.1));
                    }
                }
            });
        }
    });
    shared
        .into_inner()
        .map(|(_, tally)| tally)
        .unwrap_or_default()
}

fn check_one(
    plan: &BenchmarkPlan,
    shared: &Mutex<(Datasets, Tally)>,
    options: &Options,
    bars: &Bars,
) -> Result<Checked, GateError> {
    let dataset = {
        let mut shared = shared
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        shared.0.get(&plan.dataset)?
    };
    let bar = bars.start(plan.name());
    gate::check(
        plan,
        &dataset,
        options,
        &|progress| bar.show(progress),
        &|| false,
    )
}

/// Prints a result as soon as it is there, so that nothing is lost if a later one goes wrong.
fn conclude(ended: Result<Checked, GateError>, format: Format, tally: &mut Tally) {
    match ended {
        Ok(checked) => {
            tally.count(&checked);
            tell::result(&match format {
                Format::Json => format!("{}\n", report::json(&checked)),
                Format::Pretty => {
                    let terminal = console::Term::stdout();
                    let width = usize::from(terminal.size().1).clamp(60, 120);
                    report::pretty(&checked, console::colors_enabled(), width)
                }
            });
            if let Some(problem) = checked.problem.and_then(Arc::into_inner) {
                tell::problem(problem);
            }
        }
        Err(error) => {
            tally.unusable += 1;
            tell::problem(error);
        }
    }
}
