//! The gate: from a planned benchmark to its verdict and its snapshot, for `cargo test` and for the
//! command line alike.

mod everyone;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::benchmark::{Benchmark, BenchmarkError, Run};
use crate::dataset::{Dataset, DatasetError};
use crate::fit::{self, FitError};
use crate::model::meter::Cut;
use crate::model::{self, Device, DeviceChoice, ModelError, OpenModel, Opening, RuntimeChoice};
use crate::plan::BenchmarkPlan;
use crate::rates::{Keep, NotEveryone};
use crate::result::BenchmarkResult;
use crate::search::Progress;
use crate::snapshot::{Rules, Snapshot, SnapshotCheck, SnapshotError};
use crate::spec::{DatasetSpec, Limits, OnInconclusive};
use crate::verdict::Verdict;
pub use everyone::Watch;

/// How benchmarks are run. None of it changes what the search finds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The runtime, instead of the one that the spec names.
    pub runtime: Option<RuntimeChoice>,
    /// The device, instead of the one that the spec names.
    pub device: Option<DeviceChoice>,
    /// Workers for one benchmark; each has its own session.
    pub workers: usize,
    /// Rows a call to the model holds at the most. Default: [`Device::batch_rows`].
    pub batch_rows: Option<usize>,
    /// When snapshots are written.
    pub snapshots: Rules,
    /// The folder of the snapshots.
    pub folder: PathBuf,
    /// Look at everyone in the domain, however many there are: the domain rate is then exact. Default:
    /// no, only where the spec's `exhaustive` allows it.
    pub exhaustive: bool,
    /// The folder in which it is kept how far that is, so that a run that was ended goes on where it
    /// stopped. Default: none, it begins anew.
    pub state: Option<PathBuf>,
}

impl Options {
    /// The defaults, with snapshots in `folder` by the environment's rules.
    ///
    /// # Errors
    /// `INSTA_UPDATE` has an unknown value.
    pub fn new(folder: PathBuf) -> Result<Self, SnapshotError> {
        Ok(Options::with_rules(folder, Rules::from_environment()?))
    }

    /// The defaults, with snapshots in `folder` by these rules.
    pub(crate) fn with_rules(folder: PathBuf, snapshots: Rules) -> Self {
        Options {
            runtime: None,
            device: None,
            workers: 1,
            batch_rows: None,
            snapshots,
            folder,
            exhaustive: false,
            state: None,
        }
    }

    /// Rows a call to a model on this device holds at the most.
    pub(crate) fn batch_rows_on(&self, device: Device) -> usize {
        self.batch_rows.unwrap_or(device.batch_rows())
    }
}

/// Why a benchmark could not be run.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum GateError {
    /// The dataset cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Dataset(#[from] Arc<DatasetError>),
    /// The model cannot be used.
    #[error("{}", about(path, error))]
    #[diagnostic(forward(error))]
    Model {
        /// The model file.
        path: PathBuf,
        /// What is wrong.
        error: ModelError,
    },
    /// The attributes cannot be searched.
    #[error("[benchmark.{name}] cannot be run: {why}")]
    #[diagnostic(code(fairgate::gate::space))]
    Space {
        /// The benchmark.
        name: String,
        /// What is wrong.
        why: BenchmarkError,
        /// How to mend it.
        #[help]
        help: String,
    },
    /// The spec, the model and the dataset do not fit together.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Fit(Box<FitError>),
    /// Everyone is to be looked at, and cannot.
    #[error("[benchmark.{name}]: {why}")]
    #[diagnostic(code(fairgate::gate::exhaustive))]
    NotEveryone {
        /// The benchmark.
        name: String,
        /// Why not.
        why: NotEveryone,
        /// How to mend it.
        #[help]
        help: &'static str,
    },
}

impl GateError {
    /// Whether the spec is wrong, and not a model, a dataset or a runtime.
    pub fn is_about_the_spec(&self) -> bool {
        match self {
            GateError::Fit(problem) => !problem.is_about_the_model,
            GateError::NotEveryone { .. } => true,
            _ => false,
        }
    }
}

/// The sentence with the model's file in it, unless it is there already or is not to blame.
fn about(path: &Path, error: &ModelError) -> String {
    let (sentence, path) = (error.to_string(), path.display().to_string());
    let library = matches!(error, ModelError::Runtime(error) if error.is_about_the_library());
    if library || sentence.contains(&path) {
        sentence
    } else {
        format!("{path}: {sentence}")
    }
}

/// Datasets that were read, so that benchmarks which share one read it once.
#[derive(Debug, Default)]
pub struct Datasets {
    read: BTreeMap<String, Result<Arc<Dataset>, Arc<DatasetError>>>,
}

impl Datasets {
    /// The dataset, read now if it has not been.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn get(&mut self, dataset: &DatasetSpec) -> Result<Arc<Dataset>, Arc<DatasetError>> {
        self.read
            .entry(dataset.name.value.clone())
            .or_insert_with(|| Dataset::load(dataset).map(Arc::new).map_err(Arc::new))
            .clone()
    }
}

/// Opens the model of a plan, connected to the dataset's people.
///
/// # Errors
/// The model or the runtime cannot be used, or they do not fit together.
pub(crate) fn open_model(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
) -> Result<OpenModel, GateError> {
    fit::check_spaces(plan)?;
    let connection = fit::connection(plan, dataset)?;
    let opened = model::open(&Opening {
        path: &plan.model.path.value,
        runtime: options.runtime.unwrap_or(plan.model.runtime),
        device: options.device.unwrap_or(plan.model.device),
        workers: options.workers,
        connection: &connection,
    });
    opened.map_err(|error| fit::model_error(plan, error))
}

/// The model and the benchmark of a plan, fitted together.
///
/// # Errors
/// One of them cannot be used, or they do not fit together.
pub(crate) fn open(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
) -> Result<(OpenModel, Benchmark), GateError> {
    let model = open_model(plan, dataset, options)?;
    let benchmark = fit::benchmark(plan, dataset, &model)?;
    Ok((model, benchmark))
}

/// Whether a plan can be run, as far as can be told without running it.
///
/// # Errors
/// The model and the dataset do not fit together, or the model does not answer with scores.
pub(crate) fn rehearse(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
) -> Result<Benchmark, GateError> {
    let (model, benchmark) = open(plan, dataset, options)?;
    if options.exhaustive {
        everyone::check_extent(&benchmark)?;
    }
    benchmark
        .try_out(model.model.as_ref())
        .map_err(|error| fit::model_error(plan, error))?;
    Ok(benchmark)
}

/// What the model of a plan decides for each of the dataset's people, by name; a number in words
/// where two numbers are compared.
///
/// # Errors
/// The model cannot be used, or does not fit the dataset.
pub fn decide(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
) -> Result<Vec<String>, GateError> {
    let (model, benchmark) = open(plan, dataset, options)?;
    let scores = benchmark
        .scores(model.model.as_ref())
        .map_err(|error| fit::model_error(plan, error))?;
    let name = |score: f32| match benchmark.rule.decision(score) {
        Some(decision) => benchmark.decisions[decision].clone(),
        None => score.to_string(),
    };
    Ok(scores.into_iter().map(name).collect())
}

/// Whether the model of a plan can be opened, where there is nobody to try it with.
///
/// # Errors
/// It cannot.
pub(crate) fn inspect_model(plan: &BenchmarkPlan, options: &Options) -> Result<(), GateError> {
    let inspected = model::inspect(
        &plan.model.path.value,
        options.runtime.unwrap_or(plan.model.runtime),
        options.device.unwrap_or(plan.model.device),
    );
    inspected
        .map(drop)
        .map_err(|error| fit::model_error(plan, error))
}

/// A benchmark that has been run and checked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Checked {
    /// What was found and what the limits say.
    pub result: BenchmarkResult,
    /// What the snapshot says.
    pub snapshot: SnapshotCheck,
    /// Why the snapshot could not be read or written, if it could not.
    pub problem: Option<Arc<SnapshotError>>,
    /// The limits.
    pub limits: Limits,
    /// What an inconclusive verdict means.
    pub on_inconclusive: OnInconclusive,
}

impl Checked {
    /// Whether the benchmark passes: the limits and the snapshot, each on its own.
    pub fn passes(&self) -> bool {
        self.problem.is_none() && !self.fails() && !self.inconclusive()
    }

    /// Whether a limit is exceeded or the snapshot changed.
    pub fn fails(&self) -> bool {
        self.result.verdict == Verdict::Fail || self.snapshot.fails
    }

    /// Whether it could not be told and the spec does not let that pass. What the spec lets pass is
    /// a small budget, not a run that somebody ended.
    pub fn inconclusive(&self) -> bool {
        self.result.verdict == Verdict::Inconclusive
            && (self.on_inconclusive == OnInconclusive::Fail
                || self.result.cut == Some(Cut::Interrupted))
    }
}

/// A benchmark that has been run, and what it ran on.
#[non_exhaustive]
pub struct Ran {
    /// What was found and what the limits say.
    pub result: BenchmarkResult,
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The model.
    pub model: OpenModel,
}

/// Runs one benchmark: recorded pairs first, then the search. Nothing is written.
///
/// # Errors
/// The model or the dataset cannot be used.
pub fn run(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
    progress: &(dyn Fn(Progress) + Sync),
    interrupted: &(dyn Fn() -> bool + Sync),
) -> Result<Ran, GateError> {
    run_and_tell(plan, dataset, options, &Watch::new(progress, interrupted))
}

fn run_and_tell(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Ran, GateError> {
    let (model, benchmark) = open(plan, dataset, options)?;
    let file = everyone::state_file(plan, dataset, options, &model, &benchmark)?;
    let (recorded, lost) = snapshot_of(plan, options).recorded_pairs(&benchmark.space);
    let workers = worker_pool(model.device.workers(options.workers));
    let run = Run {
        batch_rows: options.batch_rows_on(model.device),
        workers: workers.as_ref(),
        recorded: &recorded,
        progress: watch.progress,
        interrupted: watch.interrupted,
        exhaustive: options.exhaustive.then_some(Keep {
            file: file.as_ref(),
            remark: watch.start,
        }),
    };
    let mut result = benchmark
        .run(model.model.as_ref(), &run)
        .map_err(|error| fit::model_error(plan, error))?;
    result.runtime.clone_from(&model.runtime);
    result.device = model.device;
    result.notes.extend(model.notes.iter().cloned());
    if lost > 0 {
        result.notes.push(format!(
            "recorded pairs with attributes or values that no longer exist: {lost}"
        ));
    }
    if result.cut == Some(Cut::Interrupted) {
        let note = "the run was interrupted: this is what was found until then";
        result.notes.push(note.into());
    }
    Ok(Ran {
        result,
        benchmark,
        model,
    })
}

/// Runs one benchmark and makes the two checks: the limits, and the snapshot.
///
/// # Errors
/// The model or the dataset cannot be used.
pub fn check(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
    progress: &(dyn Fn(Progress) + Sync),
    interrupted: &(dyn Fn() -> bool + Sync),
) -> Result<Checked, GateError> {
    check_and_tell(plan, dataset, options, &Watch::new(progress, interrupted))
}

/// The same, and it is told how looking at everyone begins.
///
/// # Errors
/// As [`check`].
pub fn check_and_tell(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Checked, GateError> {
    let Ran { result, .. } = run_and_tell(plan, dataset, options, watch)?;
    let checked = snapshot_of(plan, options).check(&result, options.snapshots);
    let (snapshot, problem) = match checked {
        Ok(snapshot) => (snapshot, None),
        Err(error) => (SnapshotCheck::unusable(), Some(error)),
    };
    Ok(Checked {
        problem: problem.map(Arc::new),
        result,
        snapshot,
        limits: plan.benchmark.limits,
        on_inconclusive: plan.benchmark.on_inconclusive,
    })
}

/// The snapshot of a plan's benchmark.
pub(crate) fn snapshot_of(plan: &BenchmarkPlan, options: &Options) -> Snapshot {
    Snapshot::new(&options.folder, plan.name(), plan.benchmark.snapshot)
}

/// No pool for one worker: the benchmark's own thread does the work.
fn worker_pool(workers: usize) -> Option<rayon::ThreadPool> {
    (workers > 1)
        .then(|| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(workers)
                .build()
                .ok()
        })
        .flatten()
}
