//! The search against brute force, on domains small enough to look at everyone.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fairgate::model::from_fn;
use fairgate::spec::{Gradient, Variant};
use fairgate::{
    Attribute, Benchmark, BenchmarkResult, Code, Domain, Model, ModelError, Run, Schema, Verdict,
};
use ndarray::ArrayView2;

/// Five attributes, 7 x 7 x 4 x 2 x 3 = 1,176 people.
const SIZES: [Code; 5] = [7, 7, 4, 2, 3];
const NAMES: [&str; 5] = ["income", "years", "region", "sex", "race"];

fn schema() -> Schema {
    let attributes = NAMES.iter().zip(SIZES).map(|(name, size)| {
        Attribute::new(
            *name,
            Domain::Integers {
                min: 0,
                max: i64::from(size) - 1,
            },
        )
    });
    Schema::new(attributes.collect())
}

fn everyone() -> Vec<Vec<Code>> {
    let total: Code = SIZES.iter().product();
    (0..total)
        .map(|index| {
            let mut rest = index;
            SIZES
                .iter()
                .map(|size| {
                    let code = rest % size;
                    rest /= size;
                    code
                })
                .collect()
        })
        .collect()
}

/// A small network with weights drawn from `seed`; with `blind`, one that cannot see sex and race.
#[derive(Clone)]
struct Network {
    hidden: [[f32; 5]; 4],
    output: [f32; 4],
    bias: f32,
}

impl Network {
    fn new(seed: u32, blind: bool) -> Self {
        let mut state = seed.wrapping_mul(2_654_435_761) | 1;
        let mut weight = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state % 2000) as f32 / 1000.0 - 1.0
        };
        let mut hidden = [[0.0; 5]; 4];
        for unit in &mut hidden {
            for (place, cell) in unit.iter_mut().enumerate() {
                let drawn = weight();
                *cell = if blind && place >= 3 { 0.0 } else { drawn };
            }
        }
        let output = [weight(), weight(), weight(), weight()];
        Network {
            hidden,
            output,
            bias: weight(),
        }
    }

    fn score(&self, row: &[f32]) -> f32 {
        let unit = |weights: &[f32; 5]| {
            let sum: f32 = weights.iter().zip(row).map(|(w, x)| w * x).sum();
            sum.max(0.0)
        };
        let hidden: f32 = self
            .hidden
            .iter()
            .zip(self.output)
            .map(|(w, o)| unit(w) * o)
            .sum();
        1.0 / (1.0 + (-(hidden + self.bias)).exp())
    }
}

impl Model for Network {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        Ok(rows
            .rows()
            .into_iter()
            .map(|row| self.score(row.as_slice().unwrap()))
            .collect())
    }
}

fn row(person: &[Code]) -> Vec<f32> {
    person.iter().map(|&code| code as f32).collect()
}

/// Whether anyone who differs in the attributes at `protected` alone is decided otherwise.
fn discriminated(network: &Network, person: &[Code], protected: &[usize]) -> bool {
    let side = |person: &[Code]| {
        let score = f64::from(network.score(&row(person)));
        // As documented: closer to the threshold than this is noise and decides nothing.
        if (score - 0.5).abs() < 2.0_f64.powi(-16) {
            0
        } else if score > 0.5 {
            1
        } else {
            -1
        }
    };
    let own = side(person);
    let mut others = vec![person.to_vec()];
    for &place in protected {
        others = (0..SIZES[place])
            .flat_map(|code| {
                others.iter().cloned().map(move |mut other: Vec<Code>| {
                    other[place] = code;
                    other
                })
            })
            .collect();
    }
    others.iter().any(|other| own * side(other) < 0)
}

fn benchmark(protected: &[&str], people: &[Vec<Code>], seeds: usize, steps: usize) -> Benchmark {
    let people = people.concat();
    let mut benchmark = Benchmark::new("small", schema(), protected, people).unwrap();
    benchmark.budget.global_seeds = seeds;
    benchmark.budget.local_steps = steps;
    benchmark
}

/// Both ways of taking steps are held to the same rules.
const VARIANTS: [Variant; 2] = [Variant::Walk, Variant::Paper];

fn found(result: &BenchmarkResult) -> BTreeSet<Vec<Code>> {
    result
        .findings
        .counterexamples()
        .map(|pair| pair.person)
        .collect()
}

fn sample(stride: usize) -> Vec<Vec<Code>> {
    everyone().into_iter().step_by(stride).collect()
}

#[test]
fn everything_found_is_true_and_rates_equal_brute_force() {
    let mut total = 0;
    for seed in 1..=12 {
        for (protected, places) in [
            (&["sex"][..], &[3][..]),
            (&["race"], &[4]),
            (&["sex", "race"], &[3, 4]),
        ] {
            let network = Network::new(seed, false);
            let people = sample(7);
            let mut benchmark = benchmark(protected, &people, 40, 60);
            benchmark.search.variant = VARIANTS[seed as usize % 2];
            let result = benchmark.run(&network, &Run::default()).unwrap();
            let truth = |people: &[Vec<Code>]| {
                people
                    .iter()
                    .filter(|p| discriminated(&network, p, places))
                    .count() as u64
            };
            assert_eq!(result.rates.dataset.discriminated, truth(&people));
            assert_eq!(result.rates.dataset.of, people.len() as u64);
            assert_eq!(result.rates.domain.share.discriminated, truth(&everyone()));
            assert!(result.rates.domain.exact);
            for pair in result.findings.counterexamples() {
                assert!(
                    pair.person
                        .iter()
                        .zip(SIZES)
                        .all(|(&code, size)| code < size)
                );
                let apart = (0..5).filter(|&i| pair.person[i] != pair.counterpart[i]);
                assert!(apart.clone().count() > 0);
                assert!(apart.into_iter().all(|i| places.contains(&i)));
                // Alone, without the rest of any batch.
                let [own, other] =
                    [&pair.person, &pair.counterpart].map(|p| network.score(&row(p)));
                assert!((own - 0.5) * (other - 0.5) < 0.0, "{own} {other}");
            }
            let distinct = found(&result);
            assert_eq!(distinct.len() as u64, result.counterexamples);
            assert!(result.counterexamples <= result.tested);
            total += result.counterexamples;
        }
    }
    assert!(total > 1000, "only {total} found");
}

#[test]
fn a_search_that_starts_everywhere_finds_everyone_there_is() {
    let network = Network::new(4, false);
    let truth = everyone()
        .iter()
        .filter(|p| discriminated(&network, p, &[4]))
        .count();
    assert!(truth > 20);
    for variant in VARIANTS {
        let mut benchmark = benchmark(&["race"], &everyone(), 2000, 200);
        benchmark.search.variant = variant;
        let result = benchmark.run(&network, &Run::default()).unwrap();
        assert_eq!(found(&result).len(), truth, "every person was a seed");
    }
}

#[test]
fn a_planted_bias_is_found_from_far_away() {
    // Discriminates against sex = 1 only where income + years is exactly 6.
    let model = from_fn(|row| {
        let logit = 2.0 * (row[0] + row[1] - 0.6 * row[3] - 5.5);
        1.0 / (1.0 + (-logit).exp())
    });
    let far: Vec<Vec<Code>> = vec![vec![0, 0, 1, 0, 2], vec![6, 6, 0, 1, 0]];
    for variant in VARIANTS {
        let mut benchmark = benchmark(&["sex"], &far, 10, 50);
        benchmark.search.variant = variant;
        let result = benchmark.run(&model, &Run::default()).unwrap();
        assert!(result.global.found > 0, "no seed reached the bias");
        for pair in result.findings.counterexamples() {
            assert_eq!(pair.person[0] + pair.person[1], 6);
        }
        assert_eq!(result.verdict, Verdict::Fail);
    }
}

#[test]
fn a_model_that_ignores_the_protected_attributes_yields_nothing() {
    for seed in 1..=5 {
        let network = Network::new(seed, true);
        let mut benchmark = benchmark(&["sex", "race"], &sample(3), 200, 100);
        benchmark.search.variant = VARIANTS[seed as usize % 2];
        let result = benchmark.run(&network, &Run::default()).unwrap();
        assert_eq!(
            (result.counterexamples, result.people, result.global.found),
            (0, 0, 0)
        );
        assert_eq!(result.rates.domain.share.discriminated, 0);
        assert_eq!(result.verdict, Verdict::Pass);
        let sentence = format!(
            "no counterexample found in {} queries",
            result.counts.queries
        );
        let reason = result.reason.replace(',', "");
        assert!(reason.starts_with(&sentence), "{reason}");
    }
}

/// Remembers every row it is shown.
struct Witness {
    network: Network,
    shown: Mutex<Vec<Vec<u32>>>,
}

impl Model for Witness {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let mut shown = self.shown.lock().unwrap();
        shown.extend(
            rows.rows()
                .into_iter()
                .map(|row| row.iter().map(|x| x.to_bits()).collect()),
        );
        self.network.scores(rows)
    }
}

#[test]
fn queries_are_what_the_model_was_shown_and_nobody_is_tested_twice() {
    for variant in VARIANTS {
        let witness = Witness {
            network: Network::new(3, false),
            shown: Mutex::default(),
        };
        let mut benchmark = benchmark(&["sex", "race"], &sample(9), 30, 40);
        benchmark.search.variant = variant;
        // Probes of half a step can be told from people, who have whole codes.
        benchmark.search.perturbation_size = 0.5;
        let result = benchmark.run(&witness, &Run::default()).unwrap();
        let shown = witness.shown.into_inner().unwrap();
        assert_eq!(result.counts.queries, shown.len() as u64);
        let whole = |row: &&Vec<u32>| row.iter().all(|bits| f32::from_bits(*bits).fract() == 0.0);
        let people: Vec<&Vec<u32>> = shown.iter().filter(whole).collect();
        let distinct: BTreeSet<&Vec<u32>> = people.iter().copied().collect();
        assert_eq!(people.len(), distinct.len(), "a person was shown twice");
        assert!(people.len() < shown.len(), "no gradient was asked for");
    }
}

#[test]
fn all_rows_of_a_step_are_in_one_call_if_it_may_hold_them() {
    struct Counted(Network, AtomicU64);
    impl Model for Counted {
        fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.scores(rows)
        }
    }
    for variant in VARIANTS {
        let calls = |batch_rows| {
            let model = Counted(Network::new(4, false), AtomicU64::new(0));
            let mut benchmark = benchmark(&["race"], &sample(5), 1000, 30);
            benchmark.search.variant = variant;
            let run = Run {
                batch_rows,
                ..Run::default()
            };
            let counts = benchmark.run(&model, &run).unwrap().counts;
            assert_eq!(
                (counts.calls, counts.batch_rows),
                (model.1.into_inner(), batch_rows)
            );
            counts.calls
        };
        let [few, many] = [100_000, 64].map(calls);
        assert!(few < 30 && many > 100, "{variant}: {few} and {many}");
    }
}

#[test]
fn results_do_not_depend_on_batches_workers_or_the_kind_of_gradient() {
    let network = Network::new(4, false);
    let run = |variant: Variant, batch_rows: usize, workers: usize, kind: Gradient| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(workers)
            .build()
            .unwrap();
        let mut benchmark = benchmark(&["race"], &sample(5), 50, 50);
        benchmark.search.gradient = kind;
        benchmark.search.variant = variant;
        let run = Run {
            batch_rows,
            workers: Some(&pool),
            ..Run::default()
        };
        let result = benchmark.run(&network, &run).unwrap();
        let pairs: Vec<_> = result.findings.counterexamples().collect();
        (pairs, result.counts.queries, fairgate::contents(&result))
    };
    for variant in VARIANTS {
        let first = run(variant, 4096, 1, Gradient::Vectored);
        assert!(first.0.len() > 10);
        for (batch_rows, workers) in [(1, 1), (7, 2), (64, 3), (100_000, 2)] {
            assert_eq!(first, run(variant, batch_rows, workers, Gradient::Vectored));
        }
        assert_eq!(first, run(variant, 64, 1, Gradient::Plain));
    }
}

#[test]
fn the_seed_changes_the_walk_and_nothing_else_does() {
    let network = Network::new(4, false);
    let run = |variant, seed| {
        let mut benchmark = benchmark(&["race"], &sample(40), 30, 2);
        benchmark.search.variant = variant;
        benchmark.seed = seed;
        found(&benchmark.run(&network, &Run::default()).unwrap())
    };
    for variant in VARIANTS {
        assert_eq!(run(variant, 1), run(variant, 1));
        assert_ne!(run(variant, 1), run(variant, 2));
    }
}

#[test]
fn a_small_budget_is_kept_and_said_to_be_too_small() {
    let network = Network::new(4, false);
    for most in [1, 10, 500, 3000] {
        let mut benchmark = benchmark(&["race"], &sample(2), 100, 1000);
        benchmark.limits.search = Some(1.0);
        benchmark.budget.max_queries = Some(most);
        let result = benchmark.run(&network, &Run::default()).unwrap();
        assert!(result.counts.queries <= most);
        assert_eq!(result.verdict, Verdict::Inconclusive, "{}", result.reason);
        assert!(result.reason.contains("max-queries"), "{}", result.reason);
    }
}

#[test]
fn without_people_seeds_are_drawn_from_the_domain() {
    let mut benchmark = benchmark(&["sex"], &[], 10, 10);
    benchmark.limits.search = Some(1.0);
    let run = || benchmark.run(&Network::new(1, false), &Run::default());
    let result = run().unwrap();
    assert_eq!(result.global.seeds, 10);
    assert!(result.tested >= 10);
    assert_eq!(result.rates.dataset.value(), None);
    assert_eq!(result.tested, run().unwrap().tested);
}

#[test]
fn the_memory_a_search_may_need_is_known_before_it_starts() {
    let mut small = benchmark(&["sex"], &everyone(), 10_000, 10_000);
    assert!(small.memory_at_most() < 1 << 20, "only 1,176 people exist");
    let digit = |i| Attribute::new(format!("a{i}"), Domain::Integers { min: 0, max: 9 });
    let schema = Schema::new((0..20).map(digit).collect());
    let mut wide = Benchmark::new("wide", schema, &["a0"], vec![0; 20 * 10_000]).unwrap();
    wide.budget = small.budget;
    assert!(wide.memory_at_most() > 2 << 30);
    wide.budget.max_queries = Some(1_000_000);
    assert!(wide.memory_at_most() < 1 << 30);
    small.budget.local_steps = 0;
    assert_eq!(small.memory_at_most(), 0);
}
