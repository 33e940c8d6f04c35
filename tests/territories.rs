//! A search with many chains, which walk in territories of their own.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fairgate::model::from_fn;
use fairgate::spec::{Gradient, Variant};
use fairgate::{
    Attribute, Benchmark, BenchmarkResult, Code, Domain, Model, Run, Schema, Verdict, contents,
};
use ndarray::ArrayView1;

const SEEDS: usize = 300;

/// More than one turn of the paper's chains would hold.
const MANY_SEEDS: usize = 8000;

const STEPS: usize = 60;

/// Six attributes of twelve values and three groups: room enough for every chain.
fn schema() -> Schema {
    let attribute =
        |(name, max): (&str, i64)| Attribute::new(name, Domain::Integers { min: 0, max });
    let free = ["a", "b", "c", "d", "e", "f"].map(|name| (name, 11));
    Schema::new(
        free.into_iter()
            .chain([("race", 2)])
            .map(attribute)
            .collect(),
    )
}

/// A curved boundary that the group moves a little.
fn score(row: ArrayView1<'_, f32>) -> f32 {
    let curved = row[0] * row[1] / 12.0 - row[2] + 0.7 * row[3] - 0.5 * row[4];
    let shift = [0.0, 0.35, 0.8][row[6] as usize];
    1.0 / (1.0 + (-(curved + shift - 1.0) / 3.0).exp())
}

fn benchmark() -> Benchmark {
    from_seeds(SEEDS)
}

fn from_seeds(seeds: usize) -> Benchmark {
    let mut state = 1_u32;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    let people: Vec<Code> = (0..seeds)
        .flat_map(|_| [12, 12, 12, 12, 12, 12, 3])
        .map(&mut draw)
        .collect();
    let mut benchmark = Benchmark::new("territories", schema(), &["race"], people).unwrap();
    benchmark.budget.global_seeds = seeds;
    benchmark.budget.local_steps = STEPS;
    benchmark.budget.domain_sample = 1;
    benchmark
}

fn with_workers(
    benchmark: &Benchmark,
    model: &dyn Model,
    workers: usize,
    run: Run<'_>,
) -> BenchmarkResult {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
    let pool = pool.build().unwrap();
    let run = Run {
        workers: Some(&pool),
        ..run
    };
    benchmark.run(model, &run).unwrap()
}

/// All that a run says which does not depend on the clock.
fn said(result: &BenchmarkResult) -> (String, u64, u64, Vec<[u64; 2]>) {
    let counts = &result.counts;
    (
        contents(result),
        counts.queries,
        counts.iterations,
        result.progress.clone(),
    )
}

fn assert_true(result: &BenchmarkResult) {
    let decide = |person: &[Code]| {
        let row: Vec<f32> = person.iter().map(|&code| code as f32).collect();
        score(ArrayView1::from(&row)) > 0.5
    };
    let mut people = BTreeSet::new();
    for found in result.findings.counterexamples() {
        assert_ne!(
            decide(&found.person),
            decide(&found.counterpart),
            "{found:?}"
        );
        assert!(people.insert(found.person), "somebody was found twice");
    }
    assert_eq!(people.len() as u64, result.counterexamples);
}

#[test]
fn the_workers_and_the_batches_change_nothing() {
    let (benchmark, model) = (benchmark(), from_fn(score));
    let alone = benchmark.run(&model, &Run::default()).unwrap();
    assert!(alone.counterexamples > 10_000, "{}", alone.counterexamples);
    assert_true(&alone);
    for (workers, batch_rows) in [(1, 7), (2, 4096), (3, 64), (5, 4096)] {
        let run = Run {
            batch_rows,
            ..Run::default()
        };
        let result = with_workers(&benchmark, &model, workers, run);
        assert_eq!(said(&result), said(&alone), "{workers} workers");
    }
}

#[test]
fn nobody_is_shown_twice_whoever_walks_where() {
    let shown = Mutex::new(Vec::new());
    let model = from_fn(|row| {
        let cells: Vec<u32> = row.iter().map(|cell| cell.to_bits()).collect();
        shown.lock().unwrap().push(cells);
        score(row)
    });
    let mut benchmark = benchmark();
    // Probes of half a step can be told from people, who have whole codes.
    benchmark.search.perturbation_size = 0.5;
    let result = benchmark.run(&model, &Run::default()).unwrap();
    let shown = shown.into_inner().unwrap();
    // What comes after the verdict may look at somebody again.
    let shown = &shown[..result.counts.queries as usize];
    let is_whole = |row: &&Vec<u32>| row.iter().all(|bits| f32::from_bits(*bits).fract() == 0.0);
    let people: Vec<_> = shown.iter().filter(is_whole).collect();
    let distinct: BTreeSet<_> = people.iter().collect();
    assert!(distinct.len() > 20_000);
    assert_eq!(people.len(), distinct.len(), "a person was shown twice");
}

#[test]
fn a_budget_that_ends_in_the_midst_is_spent_alike_by_any_number_of_workers() {
    let model = from_fn(score);
    for most in [5_000, 12_345, 40_000] {
        let mut benchmark = benchmark();
        benchmark.limits.search = Some(1.0);
        benchmark.budget.max_queries = Some(most);
        let alone = benchmark.run(&model, &Run::default()).unwrap();
        assert!(alone.counts.queries <= most);
        // No more is left than one call would have needed.
        assert!(alone.counts.queries + 2_000 > most * 9 / 10, "{most}");
        assert_eq!(alone.verdict, Verdict::Inconclusive, "{}", alone.reason);
        assert_true(&alone);
        for workers in [2, 3] {
            let result = with_workers(&benchmark, &model, workers, Run::default());
            assert_eq!(said(&result), said(&alone), "{most}, {workers} workers");
        }
    }
}

#[test]
fn an_interrupted_walk_keeps_what_is_true() {
    for (workers, most) in [(1, 30_000), (2, 30_000), (2, 31_111)] {
        let asked = AtomicUsize::new(0);
        let model = from_fn(|row| {
            asked.fetch_add(1, Ordering::Relaxed);
            score(row)
        });
        let interrupted = || asked.load(Ordering::Relaxed) > most;
        let run = Run {
            interrupted: &interrupted,
            batch_rows: 100,
            ..Run::default()
        };
        let result = with_workers(&benchmark(), &model, workers, run);
        assert!(result.cut.is_some() && result.counterexamples > 1_000);
        assert_true(&result);
        let asked = asked.into_inner() as u64;
        assert!(result.counts.queries <= asked && result.counts.queries + 2_000 > asked);
    }
}

#[test]
fn the_paper_s_chains_take_turns_and_nothing_depends_on_who_asks() {
    let (mut benchmark, model) = (from_seeds(MANY_SEEDS), from_fn(score));
    benchmark.search.variant = Variant::Paper;
    benchmark.budget.local_steps = 20;
    let whole = with_workers(&benchmark, &model, 1, Run::default());
    let chains = whole.global.found;
    assert!(chains > 1700, "{chains} chains");
    assert_true(&whole);
    // A budget that ends in the midst of the chains' steps.
    for max_queries in [None, Some(whole.counts.queries / 2)] {
        benchmark.budget.max_queries = max_queries;
        let first = with_workers(&benchmark, &model, 1, Run::default());
        assert!(first.counts.queries <= max_queries.unwrap_or(u64::MAX));
        for (workers, batch_rows) in [(2, 4096), (3, 700)] {
            let run = Run {
                batch_rows,
                ..Run::default()
            };
            let again = with_workers(&benchmark, &model, workers, run);
            assert_eq!(said(&first), said(&again), "{workers} workers");
        }
    }
    // A source of gradients that asks by itself leads to the same people.
    benchmark.budget.max_queries = None;
    benchmark.search.gradient = Gradient::Plain;
    let plain = with_workers(&benchmark, &model, 2, Run::default());
    assert_eq!(said(&whole), said(&plain));
}
