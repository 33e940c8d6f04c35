//! Every search method, held to the same rules: what it finds is true, it keeps to its budget and
//! to people who can exist, and its results depend on nothing but spec, model and data.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fairgate::model::from_fn;
use fairgate::ndarray::ArrayView2;
use fairgate::schema::{Protection, Terms};
use fairgate::spec::{Method, Realistic};
use fairgate::{
    Attribute, Benchmark, BenchmarkResult, Code, Cut, Domain, Model, ModelError, Run, Schema,
    Space, Verdict,
};

/// The methods that need nothing but scores.
const METHODS: [Method; 6] = [
    Method::Maft,
    Method::MaftPlain,
    Method::Themis,
    Method::Aequitas,
    Method::Sg,
    Method::Random,
];

/// 20 x 20 x 4 x 2 x 3 = 9,600 people.
const SIZES: [Code; 5] = [20, 20, 4, 2, 3];
const NAMES: [&str; 5] = ["income", "years", "region", "sex", "race"];
const SEX: usize = 3;

fn schema() -> Schema {
    let attribute = |(name, size): (&&str, Code)| {
        let max = i64::from(size) - 1;
        Attribute::new(*name, Domain::Integers { min: 0, max })
    };
    Schema::new(NAMES.iter().zip(SIZES).map(attribute).collect())
}

/// People spread over the domain: every eleventh of a walk through it.
fn people() -> Vec<Code> {
    let person = |index: Code| SIZES.map(|size| (index * 7 + index / size) % size);
    (0..200).step_by(3).flat_map(person).collect()
}

fn benchmark(method: Method, seeds: usize, steps: usize) -> Benchmark {
    with_terms(method, seeds, steps, &Terms::default())
}

fn with_terms(method: Method, seeds: usize, steps: usize, terms: &Terms) -> Benchmark {
    let protections = vec![Protection::each(SEX, 2)];
    let space = Space::with_terms(schema(), protections, terms).unwrap();
    let mut benchmark = Benchmark::in_space("methods", space, people()).unwrap();
    benchmark.search.method = method;
    benchmark.search.explanation_rows = 200;
    benchmark.budget.global_seeds = seeds;
    benchmark.budget.local_steps = steps;
    // What the search asks is not known from the domain's rate already.
    benchmark.budget.domain_sample = 1;
    benchmark
}

/// Decides by sex where income and years make 18 or 19, and nowhere else.
fn planted(row: &[f32]) -> f32 {
    let logit = row[0] + row[1] - 2.0 * row[SEX] - 17.5;
    1.0 / (1.0 + (-logit).exp())
}

fn is_planted(person: &[Code]) -> bool {
    matches!(person[0] + person[1], 18 | 19)
}

fn model() -> impl Model {
    from_fn(|row| planted(row.as_slice().unwrap()))
}

fn run(benchmark: &Benchmark, model: &dyn Model) -> BenchmarkResult {
    benchmark.run(model, &Run::default()).unwrap()
}

fn found(result: &BenchmarkResult) -> BTreeSet<Vec<Code>> {
    let pairs = result.findings.counterexamples();
    pairs.map(|pair| pair.person).collect()
}

#[test]
fn every_method_finds_a_planted_bias_and_nothing_else() {
    for method in METHODS {
        let result = run(&benchmark(method, 60, 60), &model());
        assert_eq!(result.method, method);
        let found = found(&result);
        assert!(found.len() > 10, "{method}: {}", found.len());
        assert!(found.iter().all(|person| is_planted(person)), "{method}");
        assert_eq!(found.len() as u64, result.counterexamples);
        assert!(result.counterexamples <= result.tested, "{method}");
        assert!(result.global.found > 0, "{method}");
        assert_eq!(result.verdict, Verdict::Fail, "{method}");
    }
}

#[test]
fn every_method_finds_nothing_where_sex_is_not_read() {
    let blind = from_fn(|row| 1.0 / (1.0 + (-(row[0] + row[1] - 17.5)).exp()));
    for method in METHODS {
        let result = run(&benchmark(method, 60, 60), &blind);
        assert_eq!((result.counterexamples, result.global.found), (0, 0));
        assert_eq!(result.verdict, Verdict::Pass, "{method}: {}", result.reason);
        assert!(result.tested >= 60, "{method}: {}", result.tested);
        let words = "no counterexample found in";
        assert!(result.reason.starts_with(words), "{}", result.reason);
    }
}

#[test]
fn methods_that_are_guided_find_more_than_chance() {
    let share = |method| {
        let result = run(&benchmark(method, 100, 100), &model());
        result.counterexamples as f64 / result.tested as f64
    };
    let chance = share(Method::Random);
    assert!((chance - 0.0975).abs() < 0.02, "39 of 400: {chance}");
    assert!((share(Method::Themis) - chance).abs() < 0.02);
    for (method, times) in [
        (Method::Maft, 2.0),
        (Method::Aequitas, 2.0),
        (Method::Sg, 1.2),
    ] {
        let share = share(method);
        assert!(share > times * chance, "{method}: {share}");
    }
}

/// Remembers every row it is shown, and how large the batches were.
#[derive(Default)]
struct Witness {
    shown: Mutex<Vec<Vec<Code>>>,
    calls: AtomicUsize,
}

impl Model for Witness {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let mut shown = self.shown.lock().unwrap();
        self.calls.fetch_add(1, Ordering::Relaxed);
        let rows = rows.rows();
        let scores = rows.into_iter().map(|row| {
            shown.push(row.iter().map(|&cell| cell as Code).collect());
            planted(row.as_slice().unwrap())
        });
        Ok(scores.collect())
    }
}

#[test]
fn nobody_is_asked_one_by_one() {
    for method in METHODS {
        let witness = Witness::default();
        let result = run(&benchmark(method, 400, 20), &witness);
        let calls = witness.calls.into_inner() as u64;
        assert_eq!(
            witness.shown.lock().unwrap().len() as u64,
            result.counts.queries + result.counts.afterwards
        );
        let rows = result.counts.queries / calls;
        assert!(rows >= 20, "{method}: {calls} calls, {rows} rows each");
    }
}

#[test]
fn maft_plain_finds_what_maft_finds_with_a_call_for_each_attribute() {
    let [one, other] = [Method::Maft, Method::MaftPlain].map(|method| {
        let witness = Witness::default();
        let result = run(&benchmark(method, 60, 60), &witness);
        (result, witness.calls.into_inner())
    });
    assert_eq!(found(&one.0), found(&other.0));
    assert_eq!(one.0.counts.queries, other.0.counts.queries);
    assert!(other.1 > one.1, "{} {}", one.1, other.1);
}

#[test]
fn people_who_cannot_exist_are_not_tested() {
    let schema = schema();
    let texts = ["income <= years + 5", "if region == 3 then sex == 1"];
    let terms = Terms::default().with_constraints(&schema, &texts).unwrap();
    let holds =
        |person: &[Code]| person[0] <= person[1] + 5 && (person[2] != 3 || person[SEX] == 1);
    for method in METHODS {
        let witness = Witness::default();
        let result = run(&with_terms(method, 100, 40, &terms), &witness);
        assert!(result.counterexamples > 10, "{method}");
        for pair in result.findings.counterexamples() {
            assert!(holds(&pair.person) && holds(&pair.counterpart), "{method}");
        }
        // Probes and explanations are no people.
        if matches!(method, Method::Themis | Method::Aequitas | Method::Random) {
            assert!(
                witness.shown.lock().unwrap().iter().all(|row| holds(row)),
                "{method}"
            );
        }
    }
}

#[test]
fn frozen_attributes_keep_the_values_of_real_people() {
    let mut terms = Terms::default();
    terms.frozen = vec![0, 2];
    let people = people();
    let real: BTreeSet<[Code; 2]> = people.chunks_exact(5).map(|row| [row[0], row[2]]).collect();
    for method in METHODS {
        let result = run(&with_terms(method, 67, 40, &terms), &model());
        let found = found(&result);
        assert!(found.len() > 5, "{method}: {}", found.len());
        let is_real = |person: &Vec<Code>| real.contains(&[person[0], person[2]]);
        assert!(found.iter().all(is_real), "{method}");
    }
}

#[test]
fn realistic_searches_stay_near_real_people() {
    let mut realistic = Realistic::default();
    (realistic.max_changed, realistic.max_shift) = (1, 0.1);
    let real: Vec<Vec<Code>> = people().chunks_exact(5).map(<[Code]>::to_vec).collect();
    let is_near = |person: &Vec<Code>| {
        real.iter().any(|other| {
            let shifts: Vec<Code> = (0..3).map(|at| person[at].abs_diff(other[at])).collect();
            // A tenth of 19 is one step; region has steps of one at the least.
            shifts.iter().filter(|&&shift| shift > 0).count() <= 1
                && shifts.iter().all(|&shift| shift <= 1)
        })
    };
    for method in METHODS {
        let mut benchmark = benchmark(method, 67, 40);
        benchmark.realistic = Some(realistic);
        let result = run(&benchmark, &model());
        let found = found(&result);
        assert!(!found.is_empty(), "{method}");
        assert!(found.iter().all(is_near), "{method}");
    }
}

#[test]
fn results_do_not_depend_on_batches_and_workers() {
    let mut terms = Terms::default();
    terms.frozen = vec![2];
    for method in METHODS {
        let run = |batch_rows: usize, workers: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build();
            let pool = pool.unwrap();
            let run = Run {
                batch_rows,
                workers: Some(&pool),
                ..Run::default()
            };
            let result = with_terms(method, 150, 30, &terms)
                .run(&model(), &run)
                .unwrap();
            let pairs: Vec<_> = result.findings.counterexamples().collect();
            (pairs, result.counts.queries, fairgate::contents(&result))
        };
        let first = run(4096, 1);
        assert!(first.0.len() > 10, "{method}");
        assert_eq!(first, run(17, 2), "{method}");
        assert_eq!(first, run(100_000, 3), "{method}");
    }
}

#[test]
fn the_seed_changes_what_is_met() {
    for method in METHODS {
        let run = |seed| {
            let mut benchmark = benchmark(method, 30, 10);
            benchmark.seed = seed;
            found(&run(&benchmark, &model()))
        };
        assert_eq!(run(1), run(1), "{method}");
        assert_ne!(run(1), run(2), "{method}");
    }
}

#[test]
fn a_small_budget_is_kept_and_spent() {
    for method in METHODS {
        for most in [1, 10, 500, 1500] {
            let mut benchmark = benchmark(method, 1000, 1000);
            benchmark.limits.search = Some(1.0);
            benchmark.search.error_bound = 1e-4;
            benchmark.budget.max_queries = Some(most);
            let result = run(&benchmark, &model());
            let queries = result.counts.queries;
            assert!(queries <= most, "{method}: {queries} of {most}");
            assert_eq!(result.verdict, Verdict::Inconclusive, "{method}");
            assert!(result.reason.contains("max-queries"), "{}", result.reason);
            if most == 1500 && method != Method::Maft && method != Method::MaftPlain {
                assert!(queries > 1100, "{method}: {queries} of {most}");
                assert!(result.tested >= 5, "{method}");
            }
        }
    }
}

#[test]
fn an_interrupted_search_keeps_what_it_found() {
    for method in METHODS {
        let asked = AtomicUsize::new(0);
        let run = Run {
            interrupted: &|| asked.fetch_add(1, Ordering::Relaxed) > 22,
            batch_rows: 512,
            ..Run::default()
        };
        let mut benchmark = benchmark(method, 500, 5000);
        benchmark.search.error_bound = 1e-6;
        // Nobody is asked about before the search but those of the sample.
        benchmark.budget.exhaustive = 0;
        let result = benchmark.run(&model(), &run).unwrap();
        assert_eq!(result.cut, Some(Cut::Interrupted), "{method}");
        assert_ne!(result.verdict, Verdict::Pass, "{method}");
        let found = found(&result);
        assert!(found.iter().all(|person| is_planted(person)), "{method}");
        assert!(result.tested > 0, "{method}");
    }
}

#[test]
fn without_local_steps_there_is_the_global_phase_alone() {
    for method in METHODS {
        let result = run(&benchmark(method, 60, 0), &model());
        assert_eq!(
            result.global.found as u64, result.counterexamples,
            "{method}"
        );
        assert!(result.global.found > 0, "{method}");
    }
}

#[test]
fn where_nothing_can_be_moved_the_seeds_are_tested() {
    let sex = Attribute::new("sex", Domain::Integers { min: 0, max: 1 });
    let biased = from_fn(|row| 0.2 + 0.6 * row[0]);
    for method in METHODS {
        let schema = Schema::new(vec![sex.clone()]);
        let mut benchmark = Benchmark::new("alone", schema, &["sex"], vec![0, 1]).unwrap();
        benchmark.search.method = method;
        benchmark.budget.global_seeds = 20;
        let result = run(&benchmark, &biased);
        assert_eq!((result.tested, result.counterexamples), (2, 2), "{method}");
    }
}

#[test]
fn themis_stops_when_it_knows_enough_and_says_what() {
    let of = |error_bound: f64, model: &dyn Model| {
        let mut benchmark = benchmark(Method::Themis, 1000, 1000);
        benchmark.search.error_bound = error_bound;
        run(&benchmark, model)
    };
    let [rough, fine] = [0.05, 0.01].map(|bound| of(bound, &model()));
    assert!(rough.global.seeds < fine.global.seeds && fine.global.seeds < 100_000);
    let note = rough.notes.last().unwrap();
    assert!(
        note.starts_with("themis drew 512 people: with 95 % confidence "),
        "{note}"
    );
    // Nobody found is not nobody there.
    let blind = of(0.01, &from_fn(|_| 0.2));
    assert!(blind.global.seeds >= 256, "{}", blind.global.seeds);
    let note = blind.notes.last().unwrap();
    assert!(note.contains("confidence 0.0 % to 1."), "{note}");
    let mut short = benchmark(Method::Themis, 300, 0);
    short.search.error_bound = 0.001;
    let note = run(&short, &model()).notes.pop().unwrap();
    assert!(note.contains("wider than `error-bound` = 0.001"), "{note}");
}

#[test]
fn every_rule_of_decision_is_searched() {
    use fairgate::decision::Rule;
    // A number that sex adds to where income is high.
    let number = from_fn(|row| row[0] + if row[0] > 10.0 { 3.0 * row[SEX] } else { 0.0 });
    for rule in [Rule::Tolerance(2.0), Rule::Bands(vec![5.0, 12.5])] {
        for method in METHODS {
            let mut benchmark = benchmark(method, 60, 30);
            (benchmark.rule, benchmark.probabilities) = (rule.clone(), false);
            let result = run(&benchmark, &number);
            assert!(result.counterexamples > 5, "{method}: {rule:?}");
            let found = found(&result);
            assert!(
                found
                    .iter()
                    .all(|person| person[0] > 10 || person[SEX] == 1),
                "{method}"
            );
        }
    }
}
