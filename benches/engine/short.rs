//! The short form: on this repository's own models, and only on what is not noise.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fairgate::model::OpenModel;
use fairgate::spec::Variant;
use fairgate::{Benchmark, BenchmarkPlan, Dataset, Filter, Run, Spec};
use serde_json::{Map, Value, json};

use super::memory;
use super::oracle::open_embedded;
use super::table::{Cell, Table, decimal, whole};

const BENCHMARKS: [&str; 3] = ["census-sex", "credit-age", "heart-sex"];

/// Counts are the same in every run; other processors round last bits otherwise.
const TOLERANCE: f64 = 0.02;

/// Megabytes above the loaded model.
const MOST_MEMORY: f64 = 150.0;

/// What one short run found, and what it asked.
struct Measured {
    name: String,
    counterexamples: u64,
    queries: u64,
}

/// Compares with the baseline.
pub(crate) fn compare() -> ExitCode {
    let text = std::fs::read_to_string(baseline()).unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let mut problems = Vec::new();
    let mut table = Table::new(
        "100 seeds x 100 steps, against the baseline",
        &[
            "benchmark",
            "distinct counterexamples",
            "baseline",
            "queries",
            "baseline",
        ],
    );
    for now in measure_all() {
        let before = &recorded[&now.name];
        let [found, queries] = ["counterexamples", "queries"].map(|key| before[key].as_u64());
        table.row(vec![
            now.name.as_str().into(),
            whole(now.counterexamples),
            found.map_or(Cell::Nothing, whole),
            whole(now.queries),
            queries.map_or(Cell::Nothing, whole),
        ]);
        let (Some(found), Some(queries)) = (found, queries) else {
            problems.push(format!("the baseline does not have {}", now.name));
            continue;
        };
        problems.extend(worse(&now, found, queries));
    }
    print!("{}", table.markdown());
    problems.extend(too_much_memory());
    for problem in &problems {
        println!("\n{problem}");
    }
    if problems.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\nif the change is meant, run `cargo bench -- --short --write` and say why");
    ExitCode::FAILURE
}

fn worse(now: &Measured, found: u64, queries: u64) -> Vec<String> {
    let mut problems = Vec::new();
    let name = &now.name;
    if (now.counterexamples as f64) < (1.0 - TOLERANCE) * found as f64 {
        let now = now.counterexamples;
        problems.push(format!(
            "{name} finds {now} counterexamples, more than 2 % fewer than the baseline's {found}"
        ));
    }
    if now.queries as f64 > (1.0 + TOLERANCE) * queries as f64 {
        let now = now.queries;
        problems.push(format!(
            "{name} asks {now} queries, more than 2 % above the baseline's {queries}"
        ));
    }
    problems
}

fn too_much_memory() -> Option<String> {
    let mut table = Table::new(
        "Peak memory, census-age, 1000 seeds x 1000 steps, in MB above the loaded model",
        &["measured", "at most"],
    );
    let above =
        memory::measure("fixtures", "census-age", "walk").map(|peak| peak.peak - peak.loaded);
    let shown = above.map_or("not measured".into(), |above| decimal(above, 1));
    table.row(vec![shown, decimal(MOST_MEMORY, 0)]);
    print!("{}", table.markdown());
    let above = above.filter(|&above| above > MOST_MEMORY)?;
    Some(format!(
        "census-age takes {above:.1} MB above the loaded model, more than {MOST_MEMORY} MB"
    ))
}

/// Records the baseline anew.
pub(crate) fn write() -> ExitCode {
    let recorded: Map<String, Value> = measure_all()
        .into_iter()
        .map(|now| {
            let figures = json!({ "counterexamples": now.counterexamples, "queries": now.queries });
            (now.name, figures)
        })
        .collect();
    let text = serde_json::to_string_pretty(&recorded).unwrap() + "\n";
    std::fs::write(baseline(), text).unwrap();
    println!("written to benches/baseline.json");
    ExitCode::SUCCESS
}

fn measure_all() -> Vec<Measured> {
    let mut all = Vec::new();
    for name in BENCHMARKS {
        let plan = plan(name);
        let open = open(&plan);
        for (variant, variant_name) in [(Variant::Paper, "paper"), (Variant::Walk, "walk")] {
            let mut benchmark = full(&plan, variant);
            benchmark.budget.global_seeds = 100;
            benchmark.budget.local_steps = 100;
            let result = benchmark.run(open.model.as_ref(), &Run::default()).unwrap();
            all.push(Measured {
                name: format!("{name}, {variant_name}"),
                counterexamples: result.counterexamples,
                queries: result.counts.queries,
            });
        }
    }
    all
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn baseline() -> PathBuf {
    folder().join("benches/baseline.json")
}

/// A benchmark of this repository's gate.
pub(crate) fn plan(name: &str) -> BenchmarkPlan {
    let spec = Spec::load(folder().join("fairness.toml")).unwrap();
    let filter = Filter {
        name: Some(name.to_owned()),
        exact: true,
    };
    fairgate::plan(&spec, &filter).unwrap().remove(0)
}

pub(crate) fn open(plan: &BenchmarkPlan) -> OpenModel {
    open_embedded(&plan.model.path.value, 1)
}

/// The benchmark as the gate runs it, with another variant.
pub(crate) fn full(plan: &BenchmarkPlan, variant: Variant) -> Benchmark {
    let dataset = Dataset::load(&plan.dataset).unwrap();
    let (schema, people) = (dataset.schema, dataset.people);
    let mut benchmark = Benchmark::new(plan.name(), schema, &plan.protected(), people).unwrap();
    benchmark.budget = plan.benchmark.budget;
    benchmark.search = plan.benchmark.search;
    benchmark.seed = plan.benchmark.seed;
    benchmark.search.variant = variant;
    benchmark
}
