//! Counterexamples are made plain: as near to real people as they can come, within a budget, and without
//! a say in the verdict.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::Repo;
use fairgate::model::from_fn;
use fairgate::schema::{Protection, Terms};
use fairgate::{
    Attribute, Benchmark, BenchmarkResult, Code, Cut, Domain, Model, ModelError, Run, Schema,
    Space, Verdict,
};
use ndarray::{ArrayView1, ArrayView2};

/// Income and years from 0 to 20, four regions, sex.
fn schema() -> Schema {
    let range = |max| Domain::Integers { min: 0, max };
    let regions = ["north", "east", "south", "west"].map(str::to_owned);
    Schema::new(vec![
        Attribute::new("income", range(20)),
        Attribute::new("years", range(20)),
        Attribute::new("region", Domain::Categories(regions.to_vec())),
        Attribute::new("sex", range(1)),
    ])
}

/// Sex decides where the income is from 8 to 12, and nothing else does.
fn planted(row: ArrayView1<'_, f32>) -> f32 {
    let threshold = if row[3] > 0.5 { 7.5 } else { 12.5 };
    1.0 / (1.0 + (threshold - row[0]).exp())
}

/// Thirty people with these incomes, in turn.
fn people(incomes: &[Code]) -> Vec<Code> {
    let person = |index: usize| {
        let index = index as Code;
        let income = incomes[index as usize % incomes.len()];
        [income, index * 5 % 21, index % 4, index % 2]
    };
    (0..30).flat_map(person).collect()
}

fn benchmark(people: Vec<Code>) -> Benchmark {
    let mut benchmark = Benchmark::new("plain", schema(), &["sex"], people).unwrap();
    benchmark.budget.global_seeds = 20;
    benchmark.budget.local_steps = 50;
    benchmark.limits.search = Some(1.0);
    benchmark
}

fn run(benchmark: &Benchmark) -> BenchmarkResult {
    let result = benchmark.run(&from_fn(planted), &Run::default()).unwrap();
    for pair in &result.pairs {
        assert_eq!(pair.person[..3], pair.counterpart[..3]);
        assert_ne!(pair.person[3], pair.counterpart[3]);
        assert!(
            (8..=12).contains(&pair.person[0]),
            "no counterexample: {pair:?}"
        );
        let nearest = pair.nearest.as_ref().unwrap();
        assert!(Some(nearest.changed) <= pair.changed_before, "{pair:?}");
    }
    result
}

#[test]
fn where_a_real_person_is_a_counterexample_one_is_shown() {
    let result = run(&benchmark(people(&[2, 10, 18])));
    assert_eq!(result.pairs.len(), 10);
    let plain: Vec<_> = result.pairs.iter().filter(|pair| pair.shrunk).collect();
    assert!(plain.len() >= 5, "{plain:?}");
    for pair in plain {
        let nearest = pair.nearest.as_ref().unwrap();
        assert_eq!((nearest.changed, nearest.distance), (0, 0.0), "{pair:?}");
        assert_eq!(nearest.person[..3], pair.person[..3]);
    }
    let changed = |pair: &fairgate::Counterexample| pair.changed_before.unwrap();
    let before: usize = result.pairs.iter().map(changed).sum();
    assert!(before > 0, "there was nothing to do");
}

#[test]
fn where_none_is_only_what_must_differ_does_and_by_as_little_as_can_be() {
    let result = run(&benchmark(people(&[2, 3, 17])));
    let plain: Vec<_> = result.pairs.iter().filter(|pair| pair.shrunk).collect();
    assert!(plain.len() >= 5, "{plain:?}");
    for pair in plain {
        let nearest = pair.nearest.as_ref().unwrap();
        assert_eq!(nearest.changed, 1, "{pair:?}");
        assert_eq!(nearest.person[1..3], pair.person[1..3], "{pair:?}");
        let edge = if nearest.person[0] < 8 { 8 } else { 12 };
        assert_eq!(pair.person[0], edge, "{pair:?}");
    }
}

#[test]
fn no_two_are_alike_and_they_differ_from_each_other() {
    let result = run(&benchmark(people(&[2, 10, 18])));
    for (index, one) in result.pairs.iter().enumerate() {
        for other in &result.pairs[..index] {
            let apart = (0..3).filter(|&i| one.person[i] != other.person[i]);
            assert!(apart.count() > 0, "{one:?} {other:?}");
        }
    }
    let regions: std::collections::BTreeSet<Code> =
        result.pairs.iter().map(|pair| pair.person[2]).collect();
    assert_eq!(regions.len(), 4, "people from everywhere");
}

#[test]
fn a_small_budget_keeps_the_pairs_as_they_were_found() {
    let mut benchmark = benchmark(people(&[2, 10, 18]));
    benchmark.budget.domain_sample = 10;
    benchmark.budget.max_queries = Some(100_000);
    let ample = run(&benchmark);
    assert!(ample.pairs.iter().any(|pair| pair.shrunk));
    // A tenth of it is for all that comes after: less than it takes to try the neighbours of a single pair.
    benchmark.budget.max_queries = Some(400);
    let small = run(&benchmark);
    // A few are looked at however small the budget is.
    assert!(small.counts.afterwards < 60, "{:?}", small.counts);
    assert!(!small.pairs.is_empty() && small.counts.queries <= 400);
    for pair in small.pairs {
        let changed = pair.nearest.as_ref().map(|nearest| nearest.changed);
        assert_eq!(changed, pair.changed_before);
        assert_eq!(pair.shrunk, changed == Some(0));
    }
    // Enough for some, and never more than that.
    benchmark.budget.max_queries = Some(1500);
    let some = run(&benchmark);
    assert!(
        (1..=170).contains(&some.counts.afterwards),
        "{:?}",
        some.counts
    );
}

/// A model that counts what it is shown, and does something when it is shown so many rows.
struct After<F> {
    rows: u64,
    shown: AtomicU64,
    then: F,
}

impl<F: Fn() + Send + Sync> Model for After<F> {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let count = rows.nrows() as u64;
        let before = self.shown.fetch_add(count, Ordering::Relaxed);
        if before < self.rows && before + count >= self.rows {
            (self.then)();
        }
        from_fn(planted).scores(rows)
    }
}

#[test]
fn rows_shown_afterwards_are_counted_apart() {
    let model = After {
        rows: u64::MAX,
        shown: AtomicU64::new(0),
        then: || {},
    };
    let result = benchmark(people(&[2, 10, 18]))
        .run(&model, &Run::default())
        .unwrap();
    assert!(result.counts.afterwards > 0);
    let shown = model.shown.into_inner();
    assert_eq!(result.counts.queries + result.counts.afterwards, shown);
    let queries = result.counts.queries.to_string();
    assert!(result.reason.replace(',', "").contains(&queries));
}

#[test]
fn somebody_who_ends_the_run_gets_the_pairs_as_they_are() {
    let benchmark = benchmark(people(&[2, 10, 18]));
    let whole = run(&benchmark);
    let model = After {
        rows: u64::MAX,
        shown: AtomicU64::new(0),
        then: || {},
    };
    let interrupted = || model.shown.load(Ordering::Relaxed) >= whole.counts.queries;
    let result = benchmark
        .run(
            &model,
            &Run {
                interrupted: &interrupted,
                ..Run::default()
            },
        )
        .unwrap();
    assert_eq!(result.counterexamples, whole.counterexamples);
    assert_eq!(result.cut, Some(Cut::Interrupted));
    assert_eq!(result.verdict, Verdict::Inconclusive);
    assert_eq!(result.pairs.len(), 10);
    for pair in &result.pairs {
        let changed = pair.nearest.as_ref().map(|nearest| nearest.changed);
        assert_eq!(changed, pair.changed_before);
    }
}

#[test]
fn time_that_runs_out_changes_neither_the_verdict_nor_what_was_found() {
    let mut benchmark = benchmark(people(&[2, 10, 18]));
    let whole = run(&benchmark);
    let limit = Duration::from_secs(2);
    benchmark.budget.time_limit = Some(limit);
    let model = After {
        rows: whole.counts.queries,
        shown: AtomicU64::new(0),
        then: || std::thread::sleep(limit),
    };
    let result = benchmark.run(&model, &Run::default()).unwrap();
    assert_eq!((result.verdict, result.cut), (whole.verdict, None));
    assert_eq!(result.reason, whole.reason);
    assert_eq!(result.pairs_cut, Some(Cut::TimeLimit(limit)));
    assert_eq!(result.pairs.len(), 10);
}

#[test]
fn plain_people_can_exist_and_keep_what_is_frozen() {
    let schema = schema();
    let mut terms = Terms::default();
    terms.frozen = vec![2];
    // Nobody of the south has an income that real people have.
    let terms = terms
        .with_constraints(&schema, &["region != \"south\" or income != 10"])
        .unwrap();
    let space = Space::with_terms(schema, vec![Protection::each(3, 2)], &terms).unwrap();
    let real: Vec<Code> = people(&[2, 10, 18]);
    let real: Vec<Code> = real
        .chunks_exact(4)
        .filter(|person| space.can_exist(person))
        .flatten()
        .copied()
        .collect();
    let mut benchmark = Benchmark::in_space("plain", space.clone(), real).unwrap();
    benchmark.budget.global_seeds = 30;
    benchmark.budget.local_steps = 50;
    let result = run(&benchmark);
    let south: Vec<_> = result.pairs.iter().filter(|p| p.person[2] == 2).collect();
    assert!(!south.is_empty());
    for pair in &result.pairs {
        assert!(space.can_exist(&pair.person) && space.can_exist(&pair.counterpart));
    }
    for pair in south {
        assert_ne!(pair.person[0], 10);
    }
}

#[test]
fn recorded_pairs_are_near_real_people_and_still_there_when_replayed() {
    let repo = Repo::of_fixtures();
    for name in ["census-sex", "credit-age", "heart-sex"] {
        let line = repo.json(&["--exact", name, "--accept"]);
        let pairs = line["pairs"].as_array().unwrap();
        assert_eq!(pairs.len(), 10, "{name}");
        let sum = |of: &dyn Fn(&serde_json::Value) -> u64| pairs.iter().map(of).sum::<u64>();
        let before = sum(&|pair| pair["changed_before"].as_u64().unwrap());
        let after = sum(&|pair| pair["nearest"]["changed"].as_u64().unwrap());
        assert!(after * 3 < before, "{name}: {before} -> {after}");
        let again = repo.json(&["--exact", name, "--jobs", "2", "--batch-rows", "17"]);
        assert_eq!(again["snapshot"], "matched", "{name}");
        assert_eq!(again["replay"]["still_there"], 10, "{name}");
        assert_eq!(again["pairs"], line["pairs"], "{name}");
    }
}
