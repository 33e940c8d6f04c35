//! What the search finds: beside the artifact, at the paper's full budget, and how widely spread.

use fairgate::spec::Variant;
use fairgate::{Benchmark, BenchmarkResult};

use super::oracle::{ARTIFACT, Oracle, Published, quickest, until_verdict};
use super::table::{Cell, Table, decimal, geometric_mean, whole};

/// Runs with different random seeds that a mean is taken over.
const RANDOM_SEEDS: u64 = 3;

/// Runs of which the quickest counts.
const TIMES: usize = 3;

/// 30 seeds, 30 steps: the artifact's methods, `paper` and `walk`.
pub(crate) fn small(oracle: &Oracle) -> Vec<Table> {
    let [mut global, mut distinct] = small_tables();
    let mut ratios = [Vec::new(), Vec::new()];
    for entry in &ARTIFACT {
        let [paper, walk] =
            [Variant::Paper, Variant::Walk].map(|v| mean_of_small(oracle, entry, v));
        global.row(vec![
            entry.name.into(),
            whole(entry.maft.0),
            whole(entry.best.0),
            decimal(paper.0, 1),
            decimal(walk.0, 1),
        ]);
        let against = [paper.1 / entry.maft.1 as f64, walk.1 / entry.best.1 as f64];
        distinct.row(vec![
            entry.name.into(),
            whole(entry.maft.1),
            whole(entry.best.1),
            decimal(paper.1, 0),
            decimal(walk.1, 0),
            decimal(against[0], 2),
            decimal(against[1], 2),
        ]);
        for (ratios, ratio) in ratios.iter_mut().zip(against) {
            ratios.push(ratio);
        }
    }
    let least = ratios[1].iter().copied().fold(f64::INFINITY, f64::min);
    let [paper, walk] = ratios.map(|ratios| decimal(geometric_mean(&ratios), 2));
    distinct.sum_up("paper / MAFT, geometric mean", paper);
    distinct.sum_up("walk / best, geometric mean", walk);
    distinct.sum_up("walk / best, least", decimal(least, 2));
    vec![global, distinct]
}

fn small_tables() -> [Table; 2] {
    let global = Table::new(
        "Global finds, 30 seeds",
        &[
            "benchmark",
            "artifact's MAFT",
            "its best method",
            "paper",
            "walk",
        ],
    );
    let distinct = Table::new(
        "Distinct counterexamples, 30 seeds x 30 steps, mean of 3 random seeds",
        &[
            "benchmark",
            "artifact's MAFT",
            "its best method",
            "paper",
            "walk",
            "paper / MAFT",
            "walk / best",
        ],
    );
    [global, distinct]
}

/// Mean global finds and distinct counterexamples.
fn mean_of_small(oracle: &Oracle, entry: &Published, variant: Variant) -> (f64, f64) {
    let (mut global, mut distinct) = (0, 0);
    for seed in 1..=RANDOM_SEEDS {
        let mut benchmark = oracle.small(entry, variant);
        benchmark.seed = seed;
        let result = oracle.run(entry, &benchmark);
        global += result.global.found;
        distinct += result.counterexamples;
    }
    let mean = |sum: f64| sum / RANDOM_SEEDS as f64;
    (mean(global as f64), mean(distinct as f64))
}

/// The paper's full budget with one job.
pub(crate) fn full(oracle: &Oracle) -> Vec<Table> {
    [Variant::Paper, Variant::Walk]
        .into_iter()
        .flat_map(|variant| full_of(oracle, variant))
        .collect()
}

fn full_of(oracle: &Oracle, variant: Variant) -> [Table; 2] {
    let name = name_of(variant);
    let mut found = Table::new(
        format!("{name}: what 1000 seeds x 1000 steps find"),
        &[
            "benchmark",
            "distinct counterexamples",
            "prototype's",
            "ratio",
            "tested",
            "queries",
            "queries for each",
            "prototype's",
        ],
    );
    let mut time = Table::new(
        format!("{name}: the time until the verdict, one job, quickest of {TIMES}"),
        &[
            "benchmark",
            "seconds",
            "in the runtime",
            "wall / runtime",
            "outside it, ns a query",
            "seconds after the verdict",
            "counterexamples a second",
            "artifact's MAFT",
            "ratio",
        ],
    );
    let mut ratios = [Vec::new(), Vec::new()];
    for entry in &ARTIFACT {
        let benchmark = oracle.full(entry, variant);
        let result = quickest(TIMES, || oracle.run(entry, &benchmark));
        found.row(found_row(entry, variant, &result));
        time.row(time_row(entry, &result));
        let a_second = result.counterexamples as f64 / until_verdict(&result).0;
        ratios[0].push(a_second / entry.a_second.0);
        ratios[1].push(a_second / entry.a_second.1);
    }
    let [maft, fastest] = ratios.map(|ratios| decimal(geometric_mean(&ratios), 0));
    time.sum_up("times the artifact's MAFT, geometric mean", maft);
    time.sum_up(
        "times the artifact's fastest method on each, geometric mean",
        fastest,
    );
    [found, time]
}

fn found_row(entry: &Published, variant: Variant, result: &BenchmarkResult) -> Vec<Cell> {
    let (found, queries) = (result.counterexamples, result.counts.queries);
    let prototype = entry.prototype(variant);
    vec![
        entry.name.into(),
        whole(found),
        prototype.map_or(Cell::Nothing, |(theirs, _)| whole(theirs)),
        prototype.map_or(Cell::Nothing, |(theirs, _)| {
            decimal(found as f64 / theirs as f64, 2)
        }),
        whole(result.tested),
        whole(queries),
        decimal(queries as f64 / found as f64, 1),
        prototype.map_or(Cell::Nothing, |(_, each)| decimal(each, 1)),
    ]
}

fn time_row(entry: &Published, result: &BenchmarkResult) -> Vec<Cell> {
    let (wall, runtime) = until_verdict(result);
    let a_second = result.counterexamples as f64 / wall;
    vec![
        entry.name.into(),
        decimal(wall, 2),
        decimal(runtime, 2),
        decimal(wall / runtime, 2),
        decimal((wall - runtime) * 1e9 / result.counts.queries as f64, 0),
        decimal(result.counts.afterwards_seconds, 2),
        decimal(a_second, 0),
        decimal(entry.a_second.0, 1),
        decimal(a_second / entry.a_second.0, 0),
    ]
}

fn name_of(variant: Variant) -> &'static str {
    match variant {
        Variant::Paper => "paper",
        _ => "walk",
    }
}

/// Whether the people whom `walk` finds lie as far apart as those whom `paper` finds.
pub(crate) fn spread(oracle: &Oracle) -> Vec<Table> {
    let small = spread_of("30 seeds x 30 steps", oracle, Oracle::small);
    let full = spread_of("1000 seeds x 1000 steps", oracle, Oracle::full);
    vec![small, full]
}

type Make = fn(&Oracle, &Published, Variant) -> Benchmark;

fn spread_of(budget: &str, oracle: &Oracle, make: Make) -> Table {
    let mut table = Table::new(
        format!(
            "Spread of the found people, {budget}, mean of {RANDOM_SEEDS} random seeds: paper, walk"
        ),
        &[
            "benchmark",
            "attributes that differ, share: paper",
            "walk",
            "sum of difference / range: paper",
            "walk",
            "distinct values: paper",
            "walk",
            "of",
        ],
    );
    let mut ratios = [Vec::new(), Vec::new(), Vec::new()];
    for entry in &ARTIFACT {
        let [paper, walk] = [Variant::Paper, Variant::Walk].map(|variant| {
            let results = (1..=RANDOM_SEEDS).map(|seed| {
                let mut benchmark = make(oracle, entry, variant);
                benchmark.seed = seed;
                oracle.run(entry, &benchmark)
            });
            Spread::mean(results)
        });
        table.row(vec![
            entry.name.into(),
            decimal(paper.differing, 3),
            decimal(walk.differing, 3),
            decimal(paper.distance, 2),
            decimal(walk.distance, 2),
            decimal(paper.values, 0),
            decimal(walk.values, 0),
            whole(paper.of),
        ]);
        ratios[0].push(walk.differing / paper.differing);
        ratios[1].push(walk.distance / paper.distance);
        ratios[2].push(walk.values / paper.values);
    }
    let names = [
        "attributes that differ",
        "sum of difference / range",
        "distinct values",
    ];
    for (name, ratios) in names.into_iter().zip(ratios) {
        let mean = decimal(geometric_mean(&ratios), 2);
        table.sum_up(format!("{name}, walk / paper, geometric mean"), mean);
    }
    table
}

/// How widely people are spread: means over all pairs of them, and how many values they have.
struct Spread {
    differing: f64,
    distance: f64,
    values: f64,
    of: u64,
}

impl Spread {
    /// Of the people that runs with different random seeds have found, the mean over the runs.
    fn mean(results: impl Iterator<Item = BenchmarkResult>) -> Self {
        let all: Vec<Self> = results.map(|result| Self::of(&result)).collect();
        let mean = |part: fn(&Self) -> f64| all.iter().map(part).sum::<f64>() / all.len() as f64;
        Spread {
            differing: mean(|spread| spread.differing),
            distance: mean(|spread| spread.distance),
            values: mean(|spread| spread.values),
            of: all[0].of,
        }
    }

    fn of(result: &BenchmarkResult) -> Self {
        let attributes = result.findings.space().schema().attributes();
        let sizes: Vec<u64> = attributes
            .iter()
            .map(|attribute| attribute.domain.size())
            .collect();
        let mut counts: Vec<Vec<u64>> = sizes.iter().map(|&size| vec![0; size as usize]).collect();
        for found in result.findings.counterexamples() {
            for (counts, &code) in counts.iter_mut().zip(&found.person) {
                counts[code as usize] += 1;
            }
        }
        let distances = counts.iter().map(|counts| mean_distances(counts));
        let (differing, distance): (Vec<f64>, Vec<f64>) = distances.unzip();
        let values = counts.iter().flatten().filter(|&&count| count > 0);
        Spread {
            differing: differing.iter().sum::<f64>() / sizes.len() as f64,
            distance: distance.iter().sum(),
            values: values.count() as f64,
            of: sizes.iter().sum(),
        }
    }
}

/// Over all pairs of people with these counts of an attribute's values: the share that differ in it, and the mean of
/// difference by range.
fn mean_distances(counts: &[u64]) -> (f64, f64) {
    let people = counts.iter().sum::<u64>() as f64;
    let pairs = (people * (people - 1.0) / 2.0).max(1.0);
    let (mut alike, mut steps, mut below) = (0.0, 0.0, 0.0);
    for &count in counts {
        let count = count as f64;
        alike += count * (count - 1.0) / 2.0;
        below += count;
        // So many pairs have this step to the next value between them.
        steps += below * (people - below);
    }
    let range = (counts.len() - 1).max(1) as f64;
    (1.0 - alike / pairs, steps / pairs / range)
}
