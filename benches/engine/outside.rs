//! A large model, and the command line.

use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

use fairgate::spec::Variant;
use fairgate::{Attribute, Benchmark, Domain, Run, Schema};

use super::onnx;
use super::oracle::{drawn_people, open_embedded};
use super::table::{Table, decimal, whole};

/// Attributes, three hidden layers and one output: ten million parameters.
const LAYERS: [usize; 5] = [12, 2232, 2232, 2232, 1];

/// Where the model takes long, nothing else may.
pub(crate) fn large_model() -> Vec<Table> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.onnx");
    let (file, parameters) = onnx::network(&LAYERS);
    std::fs::write(&path, file).unwrap();
    let mut table = Table::new(
        format!("A network of {parameters} parameters, 64 seeds x 20 steps, one job"),
        &[
            "variant",
            "queries",
            "distinct counterexamples",
            "seconds",
            "in the runtime",
            "wall / runtime",
        ],
    );
    for (variant, name) in [(Variant::Paper, "paper"), (Variant::Walk, "walk")] {
        let benchmark = large_benchmark(variant);
        let open = open_embedded(&path, 1);
        let result = benchmark.run(open.model.as_ref(), &Run::default()).unwrap();
        let (wall, runtime) = (result.seconds, result.counts.model_seconds);
        table.row(vec![
            name.into(),
            whole(result.counts.queries),
            whole(result.counterexamples),
            decimal(wall, 2),
            decimal(runtime, 2),
            decimal(wall / runtime, 4),
        ]);
    }
    vec![table]
}

fn large_benchmark(variant: Variant) -> Benchmark {
    // Around zero, so that random weights decide both ways.
    let attributes = (0..LAYERS[0]).map(|index| {
        let domain = Domain::Integers {
            min: -5,
            max: if index == 0 { -2 } else { 5 },
        };
        Attribute::new(format!("a{index}"), domain)
    });
    let schema = Schema::new(attributes.collect());
    let people = drawn_people(&schema, 64);
    let mut benchmark = Benchmark::new("large", schema, &["a0"], people).unwrap();
    benchmark.search.variant = variant;
    benchmark.budget.global_seeds = 64;
    benchmark.budget.local_steps = 20;
    benchmark.budget.domain_sample = 1;
    benchmark
}

/// `fairgate list` reads the spec and the first line of each dataset.
pub(crate) fn list() -> Vec<Table> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), "age,sex,income\n1,0,2\n").unwrap();
    let spec = folder.path().join("fairness.toml");
    std::fs::write(&spec, spec_of(100)).unwrap();
    let once = || {
        let started = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_fairgate"))
            .args(["list", "--spec"])
            .arg(&spec)
            .output()
            .unwrap();
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        let lines = String::from_utf8(output.stdout).unwrap().lines().count();
        assert!(
            output.status.success() && lines == 100,
            "the list is not there"
        );
        milliseconds
    };
    let best = (0..5).map(|_| once()).fold(f64::INFINITY, f64::min);
    let mut table = Table::new("The list, quickest of 5", &["benchmarks", "milliseconds"]);
    table.row(vec![whole(100), decimal(best, 1)]);
    vec![table]
}

fn spec_of(benchmarks: usize) -> String {
    let mut spec = "[model.m]\npath = \"m.onnx\"\n[dataset.people]\npath = \"people.csv\"\n\
                    [dataset.people.attributes]\nage = { min = 0, max = 9 }\n\
                    sex = { min = 0, max = 1 }\nincome = { min = 0, max = 9 }\n"
        .to_owned();
    for index in 0..benchmarks {
        let _ = write!(
            spec,
            "[benchmark.b{index}]\nmodel = \"m\"\ndataset = \"people\"\nprotected = [\"sex\"]\n\
             max-discrimination-rate = {{ dataset = 0.1, domain = 0.1 }}\n"
        );
    }
    spec
}
