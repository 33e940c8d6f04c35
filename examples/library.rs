//! The gate as a library: load a spec, check one benchmark, use what was found as data.
//!
//! `cargo run --release --example library`

#![allow(clippy::print_stdout, reason = "an example")]

use std::collections::BTreeMap;

use fairgate::{Dataset, Filter, Options, Spec};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = Spec::load(concat!(env!("CARGO_MANIFEST_DIR"), "/fairness.toml"))?;
    let options = Options::new(spec.snapshots.clone())?;
    let filter = Filter {
        name: Some("heart-sex".into()),
        exact: true,
    };
    for mut plan in fairgate::plan(&spec, &filter)? {
        // A quick look: a small budget, and nothing to compare it with.
        plan.benchmark.budget.local_steps = 50;
        plan.benchmark.snapshot = fairgate::spec::SnapshotMode::Off;

        let dataset = Dataset::load(&plan.dataset)?;
        let checked = fairgate::check(&plan, &dataset, &options, &|_| {}, &|| false)?;
        let result = &checked.result;
        println!("{}: {}, {}", result.name, result.verdict, result.reason);

        // Findings are plain data. Who loses by the change of sex, and who gains?
        let mut directions: BTreeMap<String, u64> = BTreeMap::new();
        for pair in result.findings.counterexamples() {
            let flip = fairgate::flips(&pair, result.findings.space(), &result.decisions);
            *directions.entry(flip).or_default() += 1;
        }
        for (flip, count) in directions {
            println!("{count:>7}  {flip}");
        }
    }
    Ok(())
}
