//! The published artifact's models, seeds and counts, where the environment says where they are.
//!
//! `FAIRGATE_ORACLE` names a folder with `census.onnx`, `domains.json`, `seeds/C-a.csv` and so on. The
//! counts are the artifact's true ones: 30 seeds, 30 local steps, the paper's defaults.

#![allow(clippy::unwrap_used, reason = "a test")]

// The figures and the set-up are the benchmarks' own.
#[allow(dead_code, reason = "the benchmarks use more of it")]
#[path = "../benches/engine/oracle.rs"]
mod oracle;

use std::process::ExitCode;
use std::sync::Arc;

use fairgate::model::{OpenModel, RuntimeChoice};
use fairgate::ndarray::ArrayView2;
use fairgate::spec::Variant;
use fairgate::{BenchmarkResult, Run};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use oracle::{ARTIFACT, Oracle, Published};

/// The artifact's counts are of one run each; at this size they vary by 10 to 20 %.
const NOISE: f64 = 0.8;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let oracle = Oracle::from_environment().map(Arc::new);
    let trials = ARTIFACT.iter().flat_map(|entry| {
        [
            trial("paper", entry, oracle.clone(), compare_paper),
            trial("walk", entry, oracle.clone(), compare_walk),
        ]
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn trial(
    variant: &str,
    entry: &'static Published,
    oracle: Option<Arc<Oracle>>,
    compare: fn(&Oracle, &Published) -> Result<(), Failed>,
) -> Trial {
    let name = format!("{}-{variant}", entry.name);
    Trial::ignorable_test(name, move || match oracle {
        None => Ok(Completion::ignored_with("FAIRGATE_ORACLE names no folder")),
        Some(oracle) => compare(&oracle, entry).map(|()| Completion::Completed),
    })
    .with_kind("oracle")
}

/// The paper's steps find what the artifact's find: the global phase has no chance in it.
fn compare_paper(oracle: &Oracle, entry: &Published) -> Result<(), Failed> {
    let results = three_runs(oracle, entry, Variant::Paper)?;
    let (global, counterexamples) = entry.maft;
    for result in &results {
        let ours = result.global.found;
        if ours as u64 != global {
            return Err(format!("{ours} global finds, the artifact has {global}").into());
        }
    }
    at_least(&results, NOISE * counterexamples as f64)
}

/// Our own steps find at least as many as the best of the artifact's methods.
fn compare_walk(oracle: &Oracle, entry: &Published) -> Result<(), Failed> {
    let (_, best) = entry.best;
    at_least(&three_runs(oracle, entry, Variant::Walk)?, best as f64)
}

fn three_runs(
    oracle: &Oracle,
    entry: &Published,
    variant: Variant,
) -> Result<Vec<BenchmarkResult>, Failed> {
    let open = oracle.open_in(entry, RuntimeChoice::Auto, 1);
    (1..=3)
        .map(|seed| {
            let mut benchmark = oracle.small(entry, variant);
            benchmark.seed = seed;
            let result = benchmark.run(open.model.as_ref(), &Run::default());
            let result = result.map_err(|error| error.to_string())?;
            hold_alone(&result, &open)?;
            Ok(result)
        })
        .collect()
}

fn at_least(results: &[BenchmarkResult], wanted: f64) -> Result<(), Failed> {
    let found: u64 = results.iter().map(|result| result.counterexamples).sum();
    let mean = found as f64 / results.len() as f64;
    if mean < wanted {
        return Err(format!("{mean:.0} counterexamples, expected {wanted:.0}").into());
    }
    Ok(())
}

/// Every pair, each person in a call of its own: inside the domain, and decided differently.
fn hold_alone(result: &BenchmarkResult, open: &OpenModel) -> Result<(), Failed> {
    let schema = result.findings.space().schema();
    let score = |person: &[u32]| {
        let mut row = vec![0.0; schema.width()];
        schema.encode(person, &mut row);
        let row = ArrayView2::from_shape((1, schema.width()), &row).unwrap();
        open.model.scores(row).unwrap()[0]
    };
    for pair in result.findings.counterexamples() {
        let inside = schema
            .attributes()
            .iter()
            .zip(&pair.person)
            .all(|(attribute, &code)| u64::from(code) < attribute.domain.size());
        let (own, other) = (score(&pair.person), score(&pair.counterpart));
        if !inside || (own > 0.5) == (other > 0.5) {
            return Err(format!("{:?} does not hold: {own}, {other}", pair.person).into());
        }
    }
    Ok(())
}
