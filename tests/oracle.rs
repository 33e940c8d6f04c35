//! The published artifact's models, seeds and counts, where the environment says where they are.
//!
//! `FAIRGATE_ORACLE` names a folder with `census.onnx`, `domains.json`, `seeds/C-a.csv` and so on. The
//! counts are the artifact's true ones: 30 seeds, 30 local steps, the paper's defaults.

#![allow(clippy::unwrap_used, reason = "a test")]

// The figures and the set-up are the benchmarks' own.
#[allow(dead_code, reason = "the benchmarks use more of it")]
#[path = "../benches/engine/oracle.rs"]
mod oracle;
#[path = "common/oracle_trial.rs"]
mod oracle_trial;

use std::process::ExitCode;
use std::sync::Arc;

use fairgate::model::{OpenModel, RuntimeChoice};
use fairgate::ndarray::ArrayView2;
use fairgate::spec::{Method, Variant};
use fairgate::{Benchmark, BenchmarkResult, Run};
use libtest_mimic::{Arguments, Failed, Trial};

use oracle::{ARTIFACT, Oracle, Published};
use oracle_trial::trial;

/// The artifact's counts are of one run each; at this size they vary by 10 to 20 %.
const NOISE: f64 = 0.8;

/// What the artifact's AEQUITAS finds on the same benchmarks, from people that it draws: global finds
/// and distinct counterexamples.
const AEQUITAS: [(u64, u64); ARTIFACT.len()] = [
    (5, 59),
    (2, 32),
    (2, 21),
    (6, 85),
    (11, 162),
    (1, 18),
    (1, 19),
    (10, 220),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let oracle = Oracle::from_environment().map(Arc::new);
    let of_entry = |entry: &'static Published| {
        let (paper, walk) = (oracle.clone(), oracle.clone());
        [
            trial(format!("{}-paper", entry.name), paper, |oracle| {
                compare_paper(oracle, entry)
            }),
            trial(format!("{}-walk", entry.name), walk, |oracle| {
                compare_walk(oracle, entry)
            }),
        ]
    };
    let mut trials: Vec<Trial> = ARTIFACT.iter().flat_map(of_entry).collect();
    trials.push(trial("aequitas".into(), oracle.clone(), compare_aequitas));
    trials.push(trial("sg".into(), oracle, compare_sg));
    libtest_mimic::run(&arguments, trials).exit_code()
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

/// AEQUITAS finds about as many as the artifact's from each of its drawn people that is a find, and
/// stands to MAFT in about the same proportion. It starts from so few finds that a single benchmark
/// says little: they are added up.
fn compare_aequitas(oracle: &Oracle) -> Result<(), Failed> {
    let (mut found, mut starts, mut of_maft) = (0, 0, 0);
    for entry in &ARTIFACT {
        let results = runs_of(oracle, entry, |benchmark| {
            benchmark.search.method = Method::Aequitas;
        })?;
        found += results.iter().map(|r| r.counterexamples).sum::<u64>();
        starts += results.iter().map(|r| r.global.found as u64).sum::<u64>();
        let maft = three_runs(oracle, entry, Variant::Paper)?;
        of_maft += maft.iter().map(|r| r.counterexamples).sum::<u64>();
    }
    let (artifact_starts, artifact_found) =
        AEQUITAS.iter().fold((0, 0), |sum, &(starts, found)| {
            (sum.0 + starts, sum.1 + found)
        });
    let artifact_maft: u64 = ARTIFACT.iter().map(|entry| entry.maft.1).sum();
    let times = |[ours, of_ours]: [u64; 2], [its, of_its]: [u64; 2]| {
        (ours as f64 / of_ours as f64) / (its as f64 / of_its as f64)
    };
    let each = times([found, starts], [artifact_found, artifact_starts]);
    let to_maft = times([found, of_maft], [artifact_found, artifact_maft]);
    let message = format!(
        "{found} from {starts} finds in three runs, MAFT {of_maft}: {each:.2} and {to_maft:.2} times \
         the artifact's proportions"
    );
    match (0.8..1.25).contains(&each) && (0.6..1.4).contains(&to_maft) {
        true => Ok(()),
        false => Err(message.into()),
    }
}

/// SG explains some ten people by five thousand rows each: five finds in the artifact's run.
fn compare_sg(oracle: &Oracle) -> Result<(), Failed> {
    for (name, queries) in [("C-a", 60_051), ("G-a", 45_033)] {
        let results = runs_of(oracle, oracle::of_name(name), |benchmark| {
            benchmark.search.method = Method::Sg;
            (benchmark.budget.global_seeds, benchmark.budget.local_steps) = (10, 10);
            benchmark.budget.max_queries = Some(queries);
        })?;
        let tested: u64 = results.iter().map(|result| result.tested).sum();
        let found: u64 = results.iter().map(|result| result.counterexamples).sum();
        if !(24..=36).contains(&tested) || !(9..=24).contains(&found) {
            let message = format!("{name}: {found} found of {tested} in three runs");
            return Err(message.into());
        }
    }
    Ok(())
}

fn three_runs(
    oracle: &Oracle,
    entry: &Published,
    variant: Variant,
) -> Result<Vec<BenchmarkResult>, Failed> {
    runs_of(oracle, entry, |benchmark| {
        benchmark.search.variant = variant;
    })
}

fn runs_of(
    oracle: &Oracle,
    entry: &Published,
    set_up: impl Fn(&mut Benchmark),
) -> Result<Vec<BenchmarkResult>, Failed> {
    let open = oracle.open_in(entry, RuntimeChoice::Auto, 1);
    (1..=3)
        .map(|seed| {
            let mut benchmark = oracle.small(entry, Variant::Walk);
            set_up(&mut benchmark);
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
