//! Peak memory above the loaded model: in a process of its own, since a peak never goes down.

use std::process::Command;

use fairgate::spec::Variant;
use fairgate::{Benchmark, Run};

use super::oracle::{Oracle, of_name};
use super::short;
use super::table::{Cell, Table, decimal};

/// The argument that makes this binary measure itself.
pub(crate) const CHILD: &str = "--memory-child";

/// The artifact's models at the paper's full budget.
pub(crate) fn table(_: &Oracle) -> Vec<Table> {
    let mut table = Table::new(
        "Peak resident memory, 1000 seeds x 1000 steps, one job, in MB",
        &[
            "benchmark",
            "variant",
            "with the model loaded",
            "peak",
            "above",
        ],
    );
    for benchmark in ["C-a", "G-a"] {
        for variant in ["paper", "walk"] {
            let mut cells: Vec<Cell> = vec![benchmark.into(), variant.into()];
            match measure("oracle", benchmark, variant) {
                Some(Peak { loaded, peak }) => {
                    cells.extend([loaded, peak, peak - loaded].map(|size| decimal(size, 1)));
                }
                None => cells.extend(["not measured"; 3].map(Cell::from)),
            }
            table.row(cells);
        }
    }
    vec![table]
}

/// Megabytes.
pub(crate) struct Peak {
    pub(crate) loaded: f64,
    pub(crate) peak: f64,
}

/// Runs a benchmark in a child process. Nothing where the system does not tell.
pub(crate) fn measure(models: &str, benchmark: &str, variant: &str) -> Option<Peak> {
    let binary = std::env::current_exe().unwrap();
    let output = Command::new(binary)
        .args([CHILD, models, benchmark, variant])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "the child failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let mut sizes = text.lines().map(|line| line.parse().ok());
    let (loaded, peak) = (sizes.next()??, sizes.next()??);
    Some(Peak { loaded, peak })
}

/// What the child does: prints its memory with the model loaded, and its peak at the end.
pub(crate) fn child(arguments: &[&str]) {
    let [models, benchmark, variant] = arguments else {
        return;
    };
    let variant = match *variant {
        "paper" => Variant::Paper,
        _ => Variant::Walk,
    };
    // The model first: the dataset counts as part of the search.
    let (open, make): (_, Box<dyn Fn() -> Benchmark>) = if *models == "oracle" {
        let oracle = Oracle::from_environment().unwrap();
        let entry = of_name(benchmark);
        let open = oracle.open(entry, 1);
        (open, Box::new(move || oracle.full(entry, variant)))
    } else {
        let plan = short::plan(benchmark);
        (
            short::open(&plan),
            Box::new(move || short::full(&plan, variant)),
        )
    };
    let loaded = status("VmRSS:");
    let result = make().run(open.model.as_ref(), &Run::default()).unwrap();
    let peak = status("VmHWM:");
    assert!(result.tested > 0, "nobody was tested");
    for size in [loaded, peak] {
        println!(
            "{}",
            size.map_or("not measured".into(), |size| size.to_string())
        );
    }
}

/// A size from the system's status file, in megabytes.
fn status(field: &str) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: f64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
