//! The published artifact's models, seeds and counts, where the environment says where they are.
//!
//! `FAIRGATE_ORACLE` names a folder with `census.onnx`, `domains.json`, `seeds/C-a.csv` and so on. The
//! counts are the artifact's true ones: 30 seeds, 30 local steps, the paper's defaults.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fairgate::model::{DeviceChoice, OpenModel, Opening, RuntimeChoice, open};
use fairgate::{Benchmark, BenchmarkResult, Dataset, Filter, Run, Spec};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use ndarray::ArrayView2;

/// Benchmark, model, protected attribute, true global finds, valid distinct counterexamples.
const ARTIFACT: [(&str, &str, &str, usize, u64); 8] = [
    ("C-a", "census", "age", 28, 514),
    ("C-r", "census", "race", 18, 214),
    ("C-g", "census", "sex", 13, 159),
    ("G-g", "credit", "personstatussex", 10, 87),
    ("G-a", "credit", "ageinyears", 23, 348),
    ("H-a", "heart", "age", 5, 60),
    ("H-g", "heart", "sex", 3, 32),
    ("D-a", "diabetes", "age", 28, 610),
];

/// The artifact's counts are of one run each; at this size they vary by 10 to 20 %.
const NOISE: f64 = 0.8;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = std::env::var_os("FAIRGATE_ORACLE").map(PathBuf::from);
    let trials = ARTIFACT
        .iter()
        .map(|&(name, model, protected, global, counterexamples)| {
            let folder = folder.clone();
            Trial::ignorable_test(name, move || match folder {
                None => Ok(Completion::ignored_with("FAIRGATE_ORACLE names no folder")),
                Some(folder) => {
                    compare(&folder, name, model, protected, global, counterexamples)?;
                    Ok(Completion::Completed)
                }
            })
            .with_kind("oracle")
        });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn compare(
    folder: &Path,
    name: &str,
    model: &str,
    protected: &str,
    global: usize,
    counterexamples: u64,
) -> Result<(), Failed> {
    let mut found = 0;
    for seed in 1..=3 {
        let (benchmark, open) = prepare(folder, name, model, protected, seed);
        let result = benchmark
            .run(open.model.as_ref(), &Run::default())
            .map_err(|e| e.to_string())?;
        if result.global.found != global {
            let ours = result.global.found;
            return Err(format!("{ours} global finds, the artifact has {global}").into());
        }
        hold_alone(&result, &open)?;
        found += result.counterexamples;
    }
    let mean = found as f64 / 3.0;
    if mean < NOISE * counterexamples as f64 {
        return Err(
            format!("{mean:.0} counterexamples, the artifact has {counterexamples}").into(),
        );
    }
    Ok(())
}

fn prepare(
    folder: &Path,
    name: &str,
    model: &str,
    protected: &str,
    seed: u64,
) -> (Benchmark, OpenModel) {
    let spec = spec(folder, name, model, protected);
    let plan = &fairgate::plan(&spec, &Filter::default()).unwrap()[0];
    let dataset = Dataset::load(&plan.dataset).unwrap();
    let people = dataset.people;
    let mut benchmark = Benchmark::new(name, dataset.schema, &[protected], people).unwrap();
    benchmark.budget = plan.benchmark.budget;
    benchmark.search = plan.benchmark.search;
    benchmark.seed = seed;
    let open = open(&Opening {
        path: &plan.model.path.value,
        runtime: RuntimeChoice::Auto,
        device: DeviceChoice::Cpu,
        output: None,
        workers: 1,
    });
    (benchmark, open.unwrap())
}

fn spec(folder: &Path, name: &str, model: &str, protected: &str) -> Spec {
    let domains = std::fs::read_to_string(folder.join("domains.json")).unwrap();
    let domains: serde_json::Value = serde_json::from_str(&domains).unwrap();
    let attributes: Vec<String> = domains[model]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, domain)| {
            format!(
                "{name} = {{ min = {}, max = {} }}",
                domain["min"], domain["max"]
            )
        })
        .collect();
    let text = format!(
        r#"
        [model.{model}]
        path = "{model}.onnx"
        [dataset.seeds]
        path = "seeds/{name}.csv"
        [dataset.seeds.attributes]
        {}
        [benchmark.{name}]
        model = "{model}"
        dataset = "seeds"
        protected = ["{protected}"]
        budget = {{ global-seeds = 30, local-steps = 30, domain-sample = 100 }}
        search = {{ variant = "paper" }}
        "#,
        attributes.join("\n")
    );
    Spec::parse(&text, &folder.join("fairness.toml")).unwrap()
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
