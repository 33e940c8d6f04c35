//! The zoo: models of real exporters, against what the exporting library itself decides.
//!
//! Every model runs in ONNX Runtime, and in the embedded engine where that can run it. Without ONNX
//! Runtime on this machine those trials show as ignored, with the reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use common::with_library;
use fairgate::model::RuntimeChoice;
use fairgate::{BenchmarkPlan, Dataset, Filter, Options, Spec};
use libtest_mimic::{Arguments, Failed, Trial};

/// What the embedded engine cannot run: tree ensembles, words, maps, doubles, and scikit-learn's own
/// operators.
const NOT_EMBEDDED: [&str; 12] = [
    "lightgbm",
    "sklearn-double",
    "sklearn-forest",
    "sklearn-hist-gradient-boosting",
    "sklearn-labels-only",
    "sklearn-logistic",
    "sklearn-mlp",
    "sklearn-pipeline",
    "sklearn-pipeline-forest",
    "sklearn-regression",
    "sklearn-three-classes",
    "xgboost",
];

/// Trees are flat steps: slopes say little.
const FORESTS: [&str; 3] = ["sklearn-forest", "xgboost", "lightgbm"];

fn main() -> ExitCode {
    let spec = Spec::load(folder().join("fairness.toml")).expect("the zoo's spec");
    let plans = fairgate::plan(&spec, &Filter::default()).expect("the zoo's plan");
    let mut trials = Vec::new();
    for plan in &plans {
        if FORESTS.contains(&plan.name()) {
            let plan = plan.clone();
            trials.push(Trial::ignorable_test(
                format!("{}_gives_more_to_the_walk_than_to_chance", plan.name()),
                move || with_library(|| beats_chance(&plan)),
            ));
        }
    }
    for plan in plans {
        let embedded = plan.clone();
        let checked = plan.clone();
        let name = plan.name().to_owned();
        trials.push(Trial::ignorable_test(
            format!("{name}_decides_in_onnxruntime_as_its_library_does"),
            move || with_library(|| same_decisions(&plan, RuntimeChoice::Onnxruntime)),
        ));
        trials.push(Trial::ignorable_test(
            format!("{name}_is_searched"),
            move || with_library(|| searched(&checked)),
        ));
        trials.push(Trial::test(
            format!("{name}_in_the_embedded_engine"),
            move || in_embedded_engine(&embedded),
        ));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zoo")
}

fn options(runtime: RuntimeChoice) -> Options {
    let mut options = Options::new(std::env::temp_dir()).expect("options");
    options.runtime = Some(runtime);
    options
}

/// What the exporting library predicted for the 1,000 people.
fn predictions(model: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder().join("predictions.csv")).unwrap();
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == model);
    let column = column.unwrap_or_else(|| panic!("no predictions of {model}"));
    let records = reader.records();
    records
        .map(|record| record.unwrap()[column].to_owned())
        .collect()
}

/// The band of the zoo's spec that a predicted number of hours lies in.
fn band(hours: &str) -> String {
    let hours: f64 = hours.parse().unwrap();
    let bands = ["below 35", "35 to 45", "45 and above"];
    bands[usize::from(hours >= 35.0) + usize::from(hours >= 45.0)].to_owned()
}

fn same_decisions(plan: &BenchmarkPlan, runtime: RuntimeChoice) -> Result<(), Failed> {
    let dataset = Dataset::load(&plan.dataset)?;
    let ours = fairgate::decide(plan, &dataset, &options(runtime))
        .map_err(|error| format!("{:?}", miette::Report::new(error)))?;
    let mut theirs = predictions(plan.name());
    if plan.name() == "sklearn-regression" {
        theirs = theirs.iter().map(|hours| band(hours)).collect();
    }
    let count = theirs.len();
    if count != 1000 || ours.len() != count {
        return Err(format!("{} decisions for {count} predictions", ours.len()).into());
    }
    let other = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    match other {
        None => Ok(()),
        Some(row) => {
            let different = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
            Err(format!(
                "{different} of {count} decisions differ, the first in row {row}: {} here, {} there",
                ours[row], theirs[row]
            )
            .into())
        }
    }
}

/// A whole benchmark runs: people are tested, and every pair it shows differs in sex alone.
fn searched(plan: &BenchmarkPlan) -> Result<(), Failed> {
    let dataset = Dataset::load(&plan.dataset)?;
    let options = options(RuntimeChoice::Onnxruntime);
    let checked = fairgate::check(plan, &dataset, &options, &|_| {}, &|| false)?;
    let result = &checked.result;
    if result.tested == 0 || result.counts.queries < 2 * result.tested.min(1) {
        return Err(format!("{} tested", result.tested).into());
    }
    let sex = dataset.schema.position("sex").unwrap();
    for pair in result.findings.most_telling(10) {
        let places = pair.person.iter().zip(&pair.counterpart).enumerate();
        let changed: Vec<usize> = places
            .filter(|(_, (a, b))| a != b)
            .map(|(at, _)| at)
            .collect();
        if changed != [sex] {
            return Err(format!("a pair differs in {changed:?}").into());
        }
    }
    Ok(())
}

/// The domain rate is what random search finds for each person it tests, so with the same queries it
/// would find that share of them.
fn beats_chance(plan: &BenchmarkPlan) -> Result<(), Failed> {
    let dataset = Dataset::load(&plan.dataset)?;
    let options = options(RuntimeChoice::Onnxruntime);
    let result = fairgate::check(plan, &dataset, &options, &|_| {}, &|| false)?.result;
    let rate = result.rates.domain.share.value().unwrap_or_default();
    let by_chance = rate * result.counts.queries as f64 / 2.0;
    if result.counterexamples as f64 > by_chance {
        return Ok(());
    }
    let found = result.counterexamples;
    Err(format!("{found} found, by chance it would be {by_chance:.0}").into())
}

fn in_embedded_engine(plan: &BenchmarkPlan) -> Result<(), Failed> {
    if !NOT_EMBEDDED.contains(&plan.name()) {
        return same_decisions(plan, RuntimeChoice::Embedded);
    }
    let dataset = Dataset::load(&plan.dataset)?;
    match fairgate::decide(plan, &dataset, &options(RuntimeChoice::Embedded)) {
        Ok(_) => Err("it runs: take it off the list".into()),
        Err(error) => {
            let sentence = error.to_string();
            let help = miette::Diagnostic::help(&error).map(|help| help.to_string());
            let help = help.unwrap_or_default();
            if sentence.contains("the embedded engine cannot run") && help.contains("onnxruntime") {
                Ok(())
            } else {
                Err(format!("{sentence}\n{help}").into())
            }
        }
    }
}
