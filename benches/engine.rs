//! What the search finds, what it costs, and how both compare with the published artifact.
//!
//! | command | what it does |
//! |---|---|
//! | `cargo bench` | prints every table and writes all of them to `target/bench/engine.json` |
//! | `cargo bench -- NAME` | only the sections whose names contain NAME, in the file as well |
//! | `cargo bench -- --short` | compares counts, queries and memory with `benches/baseline.json` |
//! | `cargo bench -- --short --write` | records the counts and queries anew |
//!
//! `FAIRGATE_ORACLE` names the folder with the artifact's models; sections that need it are skipped
//! without it.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark")]

#[path = "engine/costs.rs"]
mod costs;
#[path = "engine/finds.rs"]
mod finds;
#[path = "engine/memory.rs"]
mod memory;
#[path = "engine/onnx.rs"]
mod onnx;
#[path = "engine/oracle.rs"]
mod oracle;
#[path = "engine/outside.rs"]
mod outside;
#[path = "engine/short.rs"]
mod short;
#[path = "engine/table.rs"]
mod table;

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use oracle::Oracle;
use table::Table;

/// What a section needs and how its tables are made.
enum Measure {
    Alone(fn() -> Vec<Table>),
    WithOracle(fn(&Oracle) -> Vec<Table>),
}

const SECTIONS: [(&str, Measure); 9] = [
    ("finds", Measure::WithOracle(finds::small)),
    ("full", Measure::WithOracle(finds::full)),
    ("spread", Measure::WithOracle(finds::spread)),
    ("jobs", Measure::WithOracle(costs::jobs)),
    ("scaling", Measure::WithOracle(costs::scaling)),
    ("width", Measure::Alone(costs::width)),
    ("memory", Measure::WithOracle(memory::table)),
    ("large", Measure::Alone(outside::large_model)),
    ("list", Measure::Alone(outside::list)),
];

fn main() -> ExitCode {
    // Cargo adds `--bench` of its own.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [memory::CHILD, rest @ ..] => {
            memory::child(rest);
            ExitCode::SUCCESS
        }
        ["--short"] => short::compare(),
        ["--short", "--write"] => short::write(),
        names if names.iter().any(|name| name.starts_with('-')) => {
            println!("the options are --short, --short --write, and names of sections");
            ExitCode::FAILURE
        }
        names => tables(names),
    }
}

fn tables(names: &[&str]) -> ExitCode {
    let wanted =
        |section: &str| names.is_empty() || names.iter().any(|name| section.contains(name));
    let oracle = Oracle::from_environment();
    let mut written = Map::new();
    for (section, measure) in SECTIONS.iter().filter(|(section, _)| wanted(section)) {
        println!("\n## {section}");
        let tables = match (measure, &oracle) {
            (Measure::Alone(make), _) => make(),
            (Measure::WithOracle(make), Some(oracle)) => make(oracle),
            (Measure::WithOracle(_), None) => {
                println!("\nskipped: FAIRGATE_ORACLE names no folder with the artifact's models");
                continue;
            }
        };
        for table in &tables {
            print!("{}", table.markdown());
        }
        let tables: Vec<Value> = tables.iter().map(Table::json).collect();
        written.insert((*section).to_owned(), json!(tables));
    }
    if written.is_empty() {
        println!("\nnothing was measured");
        return ExitCode::SUCCESS;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench");
    std::fs::create_dir_all(&folder).unwrap();
    let text = serde_json::to_string_pretty(&written).unwrap() + "\n";
    std::fs::write(folder.join("engine.json"), text).unwrap();
    println!("\nwritten to target/bench/engine.json");
    ExitCode::SUCCESS
}
