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

/// What the artifact found with a benchmark.
#[derive(Clone, Copy)]
struct Artifact {
    name: &'static str,
    model: &'static str,
    protected: &'static str,
    /// True global finds of its MAFT.
    global: usize,
    /// Valid distinct counterexamples of its MAFT.
    counterexamples: u64,
    /// The most that any of its methods found: MAFT, EIDIG, ADF or AEQUITAS.
    best: u64,
}

const fn artifact(
    name: &'static str,
    model: &'static str,
    protected: &'static str,
    global: usize,
    counterexamples: u64,
    best: u64,
) -> Artifact {
    Artifact {
        name,
        model,
        protected,
        global,
        counterexamples,
        best,
    }
}

const ARTIFACT: [Artifact; 8] = [
    artifact("C-a", "census", "age", 28, 514, 514),
    artifact("C-r", "census", "race", 18, 214, 214),
    artifact("C-g", "census", "sex", 13, 159, 159),
    artifact("G-g", "credit", "personstatussex", 10, 87, 111),
    artifact("G-a", "credit", "ageinyears", 23, 348, 374),
    artifact("H-a", "heart", "age", 5, 60, 79),
    artifact("H-g", "heart", "sex", 3, 32, 32),
    artifact("D-a", "diabetes", "age", 28, 610, 610),
];

/// The artifact's counts are of one run each; at this size they vary by 10 to 20 %.
const NOISE: f64 = 0.8;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = std::env::var_os("FAIRGATE_ORACLE").map(PathBuf::from);
    let trials = ARTIFACT.into_iter().flat_map(|artifact| {
        [
            trial("paper", artifact, folder.clone(), compare_paper),
            trial("walk", artifact, folder.clone(), compare_walk),
        ]
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn trial(
    variant: &str,
    artifact: Artifact,
    folder: Option<PathBuf>,
    compare: fn(&Path, Artifact) -> Result<(), Failed>,
) -> Trial {
    let name = format!("{}-{variant}", artifact.name);
    Trial::ignorable_test(name, move || match folder {
        None => Ok(Completion::ignored_with("FAIRGATE_ORACLE names no folder")),
        Some(folder) => compare(&folder, artifact).map(|()| Completion::Completed),
    })
    .with_kind("oracle")
}

/// The paper's steps find what the artifact's find: the global phase has no chance in it.
fn compare_paper(folder: &Path, artifact: Artifact) -> Result<(), Failed> {
    let results = three_runs(folder, artifact, "paper")?;
    for result in &results {
        let (ours, theirs) = (result.global.found, artifact.global);
        if ours != theirs {
            return Err(format!("{ours} global finds, the artifact has {theirs}").into());
        }
    }
    at_least(&results, NOISE * artifact.counterexamples as f64)
}

/// Our own steps find at least as many as the best of the artifact's methods.
fn compare_walk(folder: &Path, artifact: Artifact) -> Result<(), Failed> {
    at_least(&three_runs(folder, artifact, "walk")?, artifact.best as f64)
}

fn three_runs(
    folder: &Path,
    artifact: Artifact,
    variant: &str,
) -> Result<Vec<BenchmarkResult>, Failed> {
    (1..=3)
        .map(|seed| {
            let (benchmark, open) = prepare(folder, artifact, variant, seed);
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

fn prepare(folder: &Path, artifact: Artifact, variant: &str, seed: u64) -> (Benchmark, OpenModel) {
    let spec = spec(folder, artifact, variant);
    let plan = &fairgate::plan(&spec, &Filter::default()).unwrap()[0];
    let dataset = Dataset::load(&plan.dataset).unwrap();
    let (name, protected) = (artifact.name, [artifact.protected]);
    let mut benchmark = Benchmark::new(name, dataset.schema, &protected, dataset.people).unwrap();
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

fn spec(folder: &Path, artifact: Artifact, variant: &str) -> Spec {
    let Artifact {
        name,
        model,
        protected,
        ..
    } = artifact;
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
        search = {{ variant = "{variant}" }}
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
