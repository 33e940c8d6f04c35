//! `cargo test`: one trial for each benchmark. The only file that names `libtest_mimic`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use miette::Diagnostic;

use crate::gate::{self, Datasets, Options};
use crate::plan::{BenchmarkPlan, Filter, PlanError, plan};
use crate::report;
use crate::spec::Spec;

/// Runs the benchmarks of `fairness.toml` beside the crate's `Cargo.toml` as tests.
///
/// In `Cargo.toml`:
/// ```toml
/// [[test]]
/// name = "fairness"
/// harness = false
/// ```
/// In `tests/fairness.rs`:
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     fairgate::harness!()
/// }
/// ```
/// Another spec: `fairgate::harness!("models/credit.toml")`, relative to the crate.
#[macro_export]
macro_rules! harness {
    () => {
        $crate::harness!("fairness.toml")
    };
    ($spec:expr) => {
        $crate::__private::harness(::core::env!("CARGO_MANIFEST_DIR"), $spec)
    };
}

/// The exit code of a failed test run, as cargo and nextest know it.
const TESTS_FAILED: u8 = 101;

/// See [`harness!`](crate::harness!).
pub fn run(folder: &str, spec: &str) -> ExitCode {
    let arguments = Arguments::from_args();
    match trials(&Path::new(folder).join(spec)) {
        Ok(trials) => {
            if !arguments.list && !crate::OPTIMISED {
                tell(UNOPTIMISED);
            }
            libtest_mimic::run(&arguments, trials).exit_code()
        }
        Err(message) => {
            tell(&message);
            ExitCode::from(TESTS_FAILED)
        }
    }
}

const UNOPTIMISED: &str = "fairgate: built without optimisation, so this run is about ten times slower than it could be; put `[profile.dev.package.\"*\"]` and `opt-level = 3` into Cargo.toml";

/// The one place where the harness speaks by itself: standard error, so that listings stay clean.
#[allow(
    clippy::print_stderr,
    reason = "a test harness has nobody else to tell it"
)]
fn tell(message: &str) {
    eprintln!("{message}");
}

fn trials(spec: &Path) -> Result<Vec<Trial>, String> {
    let spec = Spec::load(spec).map_err(|error| rendered(&error))?;
    let plans = plan(&spec, &Filter::default()).map_err(|error| all_rendered(&error))?;
    let mut options = Options::new(spec.snapshots.clone()).map_err(|error| rendered(&error))?;
    // Trials already run side by side, one thread each.
    options.workers = 1;
    let options = Arc::new(options);
    let datasets = Arc::new(Mutex::new(Datasets::default()));
    Ok(plans
        .into_iter()
        .map(|plan| {
            let (options, datasets) = (Arc::clone(&options), Arc::clone(&datasets));
            Trial::test(plan.name().to_owned(), move || {
                trial(&plan, &options, &datasets)
            })
            .with_kind("fairness")
        })
        .collect())
}

fn trial(
    plan: &BenchmarkPlan,
    options: &Options,
    datasets: &Mutex<Datasets>,
) -> Result<(), Failed> {
    let dataset = datasets
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&plan.dataset)
        .map_err(|error| rendered(error.as_ref()))?;
    let checked = gate::check(plan, &dataset, options, &|_| {}, &|| false)
        .map_err(|error| rendered(&error))?;
    match &checked.problem {
        _ if checked.passes() => Ok(()),
        None => Err(report::failure(&checked).into()),
        Some(problem) => {
            let problem = rendered(problem.as_ref());
            Err(format!("{}\n{problem}", report::failure(&checked)).into())
        }
    }
}

fn all_rendered(error: &PlanError) -> String {
    let spec = error.spec.iter().map(|error| rendered(error.as_ref()));
    spec.chain(error.datasets.iter().map(|error| rendered(error)))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A diagnostic as text, with its snippet and its help.
fn rendered(error: &dyn Diagnostic) -> String {
    let mut text = String::new();
    let handler =
        miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
    match handler.render_report(&mut text, error) {
        Ok(()) => text,
        Err(_) => error.to_string(),
    }
}
