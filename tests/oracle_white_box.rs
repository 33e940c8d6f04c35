//! ADF and EIDIG on the published artifact's models and seeds, where the environment says where they
//! are: `FAIRGATE_ORACLE`, as for `oracle.rs`.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/differences.rs"]
mod differences;
#[allow(dead_code, reason = "the benchmarks use more of it")]
#[path = "../benches/engine/oracle.rs"]
mod oracle;
#[path = "common/oracle_trial.rs"]
mod oracle_trial;

use std::process::ExitCode;
use std::sync::Arc;

use fairgate::model::Objective;
use fairgate::spec::{Method, Variant};
use fairgate::{BenchmarkResult, Run};
use libtest_mimic::{Arguments, Failed};

use oracle::{ARTIFACT, Oracle, Published};
use oracle_trial::trial;

/// The artifact's global finds and distinct counterexamples: 30 seeds, 30 local steps, one run.
const EIDIG: [(u64, u64); ARTIFACT.len()] = [
    (24, 394),
    (14, 186),
    (11, 104),
    (11, 111),
    (23, 341),
    (5, 65),
    (2, 19),
    (28, 589),
];
const ADF: [(u64, u64); ARTIFACT.len()] = [
    (19, 333),
    (7, 75),
    (10, 92),
    (12, 109),
    (23, 374),
    (6, 79),
    (3, 27),
    (28, 589),
];

/// Counts of single runs at this size vary by 10 to 20 %.
const NOISE: f64 = 0.2;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let oracle = Oracle::from_environment().map(Arc::new);
    let mut trials = Vec::new();
    for (method, figures) in [(Method::Eidig, EIDIG), (Method::Adf, ADF)] {
        for (entry, figures) in ARTIFACT.iter().zip(figures) {
            let name = format!("{}-{method}", entry.name);
            trials.push(trial(name, oracle.clone(), move |oracle| {
                compare_finds(oracle, entry, method, figures)
            }));
        }
        trials.push(trial(
            format!("proportion-{method}"),
            oracle.clone(),
            move |oracle| compare_proportion(oracle, method, figures),
        ));
    }
    for entry in ARTIFACT.iter().filter(|entry| entry.name.ends_with("-a")) {
        let name = format!("{}-gradients", entry.model);
        trials.push(trial(name, oracle.clone(), |oracle| {
            compare_gradients(oracle, entry)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The global phase has no chance in it, so it finds exactly what the artifact's finds; the local
/// phase finds about as many.
fn compare_finds(
    oracle: &Oracle,
    entry: &Published,
    method: Method,
    (global, counterexamples): (u64, u64),
) -> Result<(), Failed> {
    let results = three_runs(oracle, entry, method)?;
    for result in &results {
        let ours = result.global.found;
        if ours as u64 != global {
            return Err(format!("{ours} global finds, the artifact has {global}").into());
        }
    }
    let mean = mean(&results);
    let times = mean / counterexamples as f64;
    // One run of a benchmark with two or three finds says less than one with twenty.
    let allowed = NOISE + 1.0 / (global as f64).sqrt();
    if (times - 1.0).abs() > allowed {
        let message = format!("{mean:.0} counterexamples, the artifact has {counterexamples}");
        return Err(message.into());
    }
    Ok(())
}

/// Over all benchmarks, a method stands to MAFT as it does in the artifact.
fn compare_proportion(
    oracle: &Oracle,
    method: Method,
    figures: [(u64, u64); ARTIFACT.len()],
) -> Result<(), Failed> {
    let (mut ours, mut maft) = (0.0, 0.0);
    for entry in &ARTIFACT {
        ours += mean(&three_runs(oracle, entry, method)?);
        maft += mean(&three_runs(oracle, entry, Method::Maft)?);
    }
    let its: u64 = figures
        .iter()
        .map(|(_, counterexamples)| counterexamples)
        .sum();
    let its_maft: u64 = ARTIFACT.iter().map(|entry| entry.maft.1).sum();
    let times = (ours / maft) / (its as f64 / its_maft as f64);
    if (times - 1.0).abs() > NOISE / 2.0 {
        let message = format!(
            "{ours:.0} and {maft:.0} of MAFT, the artifact has {its} and {its_maft}: {times:.2} times \
             its proportion"
        );
        return Err(message.into());
    }
    Ok(())
}

fn compare_gradients(oracle: &Oracle, entry: &Published) -> Result<(), Failed> {
    let open = oracle.open_white_box(entry);
    let benchmark = oracle.full(entry, Variant::Paper);
    let schema = benchmark.space.schema();
    let mut rows = Vec::new();
    for person in benchmark.people.chunks_exact(schema.width()).take(200) {
        let mut row = vec![0.0; schema.width()];
        schema.encode(person, &mut row);
        rows.extend(row);
    }
    let gradients = open.model.gradients().unwrap();
    for objective in [Objective::Score, Objective::Loss] {
        let all = differences::compare(gradients, &rows, schema.width(), objective)?;
        if all.compared * 10 < all.slopes * 9 || all.steep * 10 < all.slopes {
            return Err(format!("{objective:?}: too few compared, {all:?}").into());
        }
    }
    Ok(())
}

fn mean(results: &[BenchmarkResult]) -> f64 {
    let found: u64 = results.iter().map(|result| result.counterexamples).sum();
    found as f64 / results.len() as f64
}

fn three_runs(
    oracle: &Oracle,
    entry: &Published,
    method: Method,
) -> Result<Vec<BenchmarkResult>, Failed> {
    let open = oracle.open_white_box(entry);
    (1..=3)
        .map(|seed| {
            let mut benchmark = oracle.small(entry, Variant::Paper);
            benchmark.search.method = method;
            benchmark.seed = seed;
            let result = benchmark.run(open.model.as_ref(), &Run::default());
            Ok(result.map_err(|error| error.to_string())?)
        })
        .collect()
}
