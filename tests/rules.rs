//! Every rule of decision, and every bound on who may be tested, against brute force.
//!
//! Domains are small enough to look at everyone, and models are written so that no score lies near
//! where two decisions meet, unless it is planted there.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

use std::collections::BTreeSet;
use std::sync::Mutex;

use fairgate::decision::{Rule, class_of, class_score};
use fairgate::model::from_fn;
use fairgate::schema::{Protection, Terms};
use fairgate::spec::{Realistic, Variant};
use fairgate::{
    Attribute, Benchmark, BenchmarkResult, Code, Domain, Model, ModelError, Run, Schema, Space,
};
use ndarray::ArrayView2;

/// Five attributes, 9 x 9 x 5 x 3 x 2 = 2,430 people.
const SIZES: [Code; 5] = [9, 9, 5, 3, 2];
const NAMES: [&str; 5] = ["income", "years", "region", "race", "sex"];
const PROTECTED: [usize; 2] = [3, 4];

const VARIANTS: [Variant; 2] = [Variant::Walk, Variant::Paper];

fn schema() -> Schema {
    let attributes = NAMES.iter().zip(SIZES).map(|(name, size)| {
        let max = i64::from(size) - 1;
        Attribute::new(*name, Domain::Integers { min: 0, max })
    });
    Schema::new(attributes.collect())
}

fn everyone() -> Vec<Vec<Code>> {
    let mut people = vec![Vec::new()];
    for size in SIZES {
        let longer =
            |person: Vec<Code>| (0..size).map(move |code| [person.as_slice(), &[code]].concat());
        people = people.into_iter().flat_map(longer).collect();
    }
    people
}

fn sample(stride: usize) -> Vec<Vec<Code>> {
    everyone().into_iter().step_by(stride).collect()
}

/// A rule with a model for it, and when two of its scores differ, in other words than the search's.
struct Case {
    name: &'static str,
    rule: Rule,
    score: fn(&[f32]) -> f32,
    differ: fn(f32, f32) -> bool,
}

impl Case {
    fn score(&self, person: &[Code]) -> f32 {
        let row: Vec<f32> = person.iter().map(|&code| code as f32).collect();
        (self.score)(&row)
    }

    fn model(&self) -> impl Model {
        let score = self.score;
        from_fn(move |row| score(row.as_slice().unwrap()))
    }

    /// Whether a person is decided otherwise than somebody who can exist and has other protected values.
    fn discriminated(&self, person: &[Code], possible: impl Fn(&[Code]) -> bool) -> bool {
        let own = self.score(person);
        counterparts(person)
            .iter()
            .any(|other| possible(other) && (self.differ)(own, self.score(other)))
    }
}

fn counterparts(person: &[Code]) -> Vec<Vec<Code>> {
    let values = (0..SIZES[3]).flat_map(|race| (0..SIZES[4]).map(move |sex| [race, sex]));
    values
        .map(|[race, sex]| [&person[..3], &[race, sex]].concat())
        .filter(|other| other != person)
        .collect()
}

fn threshold(row: &[f32]) -> f32 {
    let logit = row[0] + 0.7 * row[1] - 0.4 * row[2] - 0.6 * row[3] * row[4] - 4.05;
    1.0 / (1.0 + (-logit).exp())
}

/// Five classes. In region 4 the first two are level, and in region 3 nearly so: nobody is decided
/// where they lead.
fn classes(row: &[f32]) -> f32 {
    let (income, years, region) = (row[0], row[1], row[2]);
    let bias = 0.9 * row[3] - 0.5 * row[4];
    let mut logits = [
        1.9 - 0.21 * income,
        0.31 * income - 0.37,
        0.23 * years + bias - 0.53,
        0.33 * region + 0.6 * row[4],
        0.17 * (income + years) - 0.8 * row[3] + 0.11,
    ];
    if region == 4.0 {
        logits[1] = logits[0];
    } else if region == 3.0 {
        logits[1] = logits[0] + 1e-6;
    }
    let total: f32 = logits.iter().map(|logit| logit.exp()).sum();
    let mut places = [0, 1, 2, 3, 4];
    places.sort_by(|&a: &usize, &b| logits[b].total_cmp(&logits[a]));
    let share = |place: usize| logits[places[place]].exp() / total;
    class_score(places[0], share(0) - share(1))
}

fn classes_differ(one: f32, other: f32) -> bool {
    let ((class, lead), (other_class, other_lead)) = (class_of(one), class_of(other));
    for lead in [lead, other_lead] {
        assert!(!(2e-6..2e-4).contains(&lead), "a tie by chance: {lead}");
    }
    class != other_class && lead > 1e-4 && other_lead > 1e-4
}

/// Three bands; some people lie exactly where one begins, which is nowhere.
fn bands(row: &[f32]) -> f32 {
    let bias = if row[0] > 4.0 {
        4.0 * row[4]
    } else {
        -3.0 * row[3]
    };
    3.0 * row[0] + 2.0 * row[1] + row[2] + bias
}

fn bands_differ(one: f32, other: f32) -> bool {
    let band = |score: f32| match score {
        score if score == 15.0 || score == 30.0 => None,
        score => Some(usize::from(score > 15.0) + usize::from(score > 30.0)),
    };
    matches!((band(one), band(other)), (Some(one), Some(other)) if one != other)
}

/// The longer somebody has worked the more sex counts, and race does, too, for a middling income.
fn tolerance(row: &[f32]) -> f32 {
    let planted = (2.0..6.0).contains(&row[0]);
    let bias = 0.71 * row[1] * row[4] + if planted { 0.8 * row[3] } else { 0.0 };
    20.0 + 3.0 * row[0] + 2.0 * row[1] - row[2] + bias
}

fn tolerance_differ(one: f32, other: f32) -> bool {
    (one - other).abs() > 4.0
}

fn cases() -> [Case; 4] {
    [
        Case {
            name: "threshold",
            rule: Rule::Threshold(0.5),
            score: threshold,
            differ: |one, other| (one - 0.5) * (other - 0.5) < 0.0,
        },
        Case {
            name: "classes",
            rule: Rule::Classes(5),
            score: classes,
            differ: classes_differ,
        },
        Case {
            name: "bands",
            rule: Rule::Bands(vec![15.0, 30.0]),
            score: bands,
            differ: bands_differ,
        },
        Case {
            name: "tolerance",
            rule: Rule::Tolerance(4.0),
            score: tolerance,
            differ: tolerance_differ,
        },
    ]
}

fn benchmark(case: &Case, space: Space, people: &[Vec<Code>], variant: Variant) -> Benchmark {
    let mut benchmark = Benchmark::in_space(case.name, space, people.concat()).unwrap();
    benchmark.rule = case.rule.clone();
    benchmark.probabilities = false;
    benchmark.search.variant = variant;
    benchmark.budget.global_seeds = 100;
    benchmark.budget.local_steps = 200;
    benchmark
}

fn space(terms: &Terms) -> Space {
    let each = |position: usize| Protection::each(position, u64::from(SIZES[position]));
    Space::with_terms(schema(), PROTECTED.map(each).to_vec(), terms).unwrap()
}

fn found(result: &BenchmarkResult) -> BTreeSet<Vec<Code>> {
    let pairs = result.findings.counterexamples();
    pairs.map(|pair| pair.person).collect()
}

/// Every pair is what it claims to be: other protected values, nothing else, another decision.
fn check_pairs(case: &Case, result: &BenchmarkResult) {
    for pair in result.findings.counterexamples() {
        assert!(
            pair.person
                .iter()
                .zip(SIZES)
                .all(|(&code, size)| code < size)
        );
        assert!(counterparts(&pair.person).contains(&pair.counterpart));
        let [own, other] = [&pair.person, &pair.counterpart].map(|person| case.score(person));
        assert!(
            (case.differ)(own, other),
            "{}: {own} and {other}",
            case.name
        );
    }
    assert_eq!(found(result).len() as u64, result.counterexamples);
    assert!(result.counterexamples <= result.tested);
}

#[test]
fn under_every_rule_findings_are_true_and_rates_equal_brute_force() {
    for case in cases() {
        let truth = |people: &[Vec<Code>]| {
            let found = people.iter().filter(|p| case.discriminated(p, |_| true));
            found.count() as u64
        };
        let (people, all) = (sample(7), truth(&everyone()));
        assert!((200..2000).contains(&all), "{}: {all}", case.name);
        for variant in VARIANTS {
            let benchmark = benchmark(&case, space(&Terms::default()), &people, variant);
            let result = benchmark.run(&case.model(), &Run::default()).unwrap();
            check_pairs(&case, &result);
            let rates = &result.rates;
            assert_eq!(rates.dataset.discriminated, truth(&people), "{}", case.name);
            assert_eq!(rates.dataset.of, people.len() as u64);
            assert_eq!(rates.domain.share.discriminated, all, "{}", case.name);
            assert_eq!(rates.domain.share.of, 2430);
            assert!(rates.domain.exact);
        }
    }
}

/// Everyone in `truth` whom steps in one attribute lead to from somebody who was found.
fn reachable(found: &BTreeSet<Vec<Code>>, truth: &BTreeSet<Vec<Code>>) -> BTreeSet<Vec<Code>> {
    let mut reached = found.clone();
    let mut left: Vec<Vec<Code>> = found.iter().cloned().collect();
    while let Some(person) = left.pop() {
        for (place, step) in [(0, 1), (1, 1), (2, 1), (0, -1), (1, -1), (2, -1)] {
            let mut next = person.clone();
            next[place] = next[place].wrapping_add_signed(step);
            if truth.contains(&next) && reached.insert(next.clone()) {
                left.push(next);
            }
        }
    }
    reached
}

#[test]
fn under_every_rule_the_search_finds_nearly_everyone() {
    for case in cases() {
        for (terms, exists) in [
            (Terms::default(), (|_| true) as fn(&[Code]) -> bool),
            (constrained(), possible),
        ] {
            let people = everyone().into_iter().filter(|p| exists(p));
            let truth = people.filter(|p| case.discriminated(p, exists));
            let truth: BTreeSet<Vec<Code>> = truth.collect();
            // What no step leads to from any find, only another seed would show.
            for (variant, least, least_reachable) in
                [(Variant::Walk, 0.85, 0.98), (Variant::Paper, 0.6, 0.85)]
            {
                let mut benchmark = benchmark(&case, space(&terms), &sample(17), variant);
                benchmark.budget.global_seeds = 150;
                benchmark.budget.local_steps = 1000;
                let result = benchmark.run(&case.model(), &Run::default()).unwrap();
                let found = found(&result);
                let share = found.len() as f64 / truth.len() as f64;
                let reachable = reachable(&found, &truth).len();
                eprintln!(
                    "{} {variant:?}: {share:.3} of {}, {} of {reachable} reachable, {} queries",
                    case.name,
                    truth.len(),
                    found.len(),
                    result.counts.queries
                );
                assert!(share >= least, "{} {variant:?}: {share}", case.name);
                let share = found.len() as f64 / reachable as f64;
                assert!(
                    share >= least_reachable,
                    "{} {variant:?}: {share}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn everyone_who_is_a_seed_is_judged_under_every_rule() {
    for case in cases() {
        let truth = everyone()
            .into_iter()
            .filter(|p| case.discriminated(p, |_| true));
        let truth: BTreeSet<Vec<Code>> = truth.collect();
        for variant in VARIANTS {
            let mut benchmark = benchmark(&case, space(&Terms::default()), &everyone(), variant);
            benchmark.budget.global_seeds = 5000;
            let result = benchmark.run(&case.model(), &Run::default()).unwrap();
            assert_eq!(found(&result), truth, "{} {variant:?}", case.name);
        }
    }
}

#[test]
fn from_far_away_the_search_walks_to_where_decisions_differ() {
    // Nobody among the seeds is discriminated; gradients lead there.
    for case in cases() {
        let innocent = everyone()
            .into_iter()
            .filter(|p| !case.discriminated(p, |_| true));
        let seeds: Vec<Vec<Code>> = innocent.step_by(101).collect();
        for variant in VARIANTS {
            let benchmark = benchmark(&case, space(&Terms::default()), &seeds, variant);
            let result = benchmark.run(&case.model(), &Run::default()).unwrap();
            eprintln!(
                "{} {variant:?}: {} of {} seeds",
                case.name,
                result.global.found,
                seeds.len()
            );
            assert!(result.global.found > 0, "{} {variant:?}", case.name);
        }
    }
}

#[test]
fn a_model_that_is_blind_to_protected_values_is_fair_under_every_rule() {
    for case in cases() {
        let score = case.score;
        let model = from_fn(move |row| {
            let mut row = row.to_vec();
            row[3..].fill(0.0);
            score(&row)
        });
        for variant in VARIANTS {
            let benchmark = benchmark(&case, space(&Terms::default()), &sample(11), variant);
            let result = benchmark.run(&model, &Run::default()).unwrap();
            assert_eq!(result.counterexamples, 0, "{}", case.name);
            assert_eq!(result.rates.domain.share.discriminated, 0);
        }
    }
}

/// Remembers every row it is shown.
struct Witness<M> {
    model: M,
    shown: Mutex<Vec<Vec<f32>>>,
}

impl<M: Model> Model for Witness<M> {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let mut shown = self.shown.lock().unwrap();
        shown.extend(rows.rows().into_iter().map(|row| row.to_vec()));
        self.model.scores(rows)
    }
}

const CONSTRAINTS: [&str; 3] = [
    "income <= years + 4",
    "if region == 0 then sex == 0",
    "not (race == 2 and income > 5)",
];

/// The same in other words.
fn possible(person: &[Code]) -> bool {
    person[0] <= person[1] + 4
        && (person[2] != 0 || person[4] == 0)
        && !(person[3] == 2 && person[0] > 5)
}

fn constrained() -> Terms {
    let terms = Terms::default();
    terms.with_constraints(&schema(), &CONSTRAINTS).unwrap()
}

#[test]
fn people_who_cannot_exist_are_neither_asked_nor_reported_nor_counted() {
    for case in cases() {
        let truth = |people: &[Vec<Code>]| {
            let exist = people.iter().filter(|person| possible(person));
            let found = exist.clone().filter(|p| case.discriminated(p, possible));
            [found.count() as u64, exist.count() as u64]
        };
        let people = sample(7);
        for variant in VARIANTS {
            let mut benchmark = benchmark(&case, space(&constrained()), &people, variant);
            // Probes of half a step can be told from people, who have whole codes.
            benchmark.search.perturbation_size = 0.5;
            let witness = Witness {
                model: case.model(),
                shown: Mutex::default(),
            };
            let result = benchmark.run(&witness, &Run::default()).unwrap();
            let shown = witness.shown.into_inner().unwrap();
            let whole = shown
                .iter()
                .filter(|row| row.iter().all(|x| x.fract() == 0.0));
            for row in whole.clone() {
                let person: Vec<Code> = row.iter().map(|&value| value as Code).collect();
                assert!(possible(&person), "{} was shown {person:?}", case.name);
            }
            assert!(whole.count() < shown.len(), "there were probes");
            assert!(result.counterexamples > 0, "{} {variant:?}", case.name);
            check_pairs(&case, &result);
            for pair in result.findings.counterexamples() {
                assert!(possible(&pair.person) && possible(&pair.counterpart));
            }
            let (dataset, domain) = (result.rates.dataset, result.rates.domain);
            assert_eq!([dataset.discriminated, dataset.of], truth(&people));
            assert_eq!(
                [domain.share.discriminated, domain.share.of],
                truth(&everyone())
            );
            assert!(domain.exact);
        }
    }
}

#[test]
fn a_constraint_that_cannot_be_read_says_why() {
    let error = Terms::default().with_constraints(&schema(), &["incme > 3"]);
    let said = error.unwrap_err().to_string();
    assert!(said.contains("`incme > 3` cannot be read"), "{said}");
}

#[test]
fn results_do_not_depend_on_workers_and_batches_under_any_rule_or_bound() {
    let mut terms = constrained();
    terms.frozen = vec![2];
    for case in cases() {
        for variant in VARIANTS {
            let mut benchmark = benchmark(&case, space(&terms), &sample(23), variant);
            benchmark.realistic = Some(near(2, 0.3));
            let run = |batch_rows: usize, workers: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
                let pool = pool.build().unwrap();
                let run = Run {
                    batch_rows,
                    workers: Some(&pool),
                    ..Run::default()
                };
                let result = benchmark.run(&case.model(), &run).unwrap();
                let pairs: Vec<_> = result.findings.counterexamples().collect();
                (pairs, result.counts.queries, fairgate::contents(&result))
            };
            let first = run(4096, 1);
            assert!(!first.0.is_empty(), "{} {variant:?}", case.name);
            for (batch_rows, workers) in [(1, 1), (13, 2), (100_000, 2)] {
                assert_eq!(first, run(batch_rows, workers), "{}", case.name);
            }
        }
    }
}

fn near(max_changed: usize, max_shift: f64) -> Realistic {
    let mut realistic = Realistic::default();
    (realistic.max_changed, realistic.max_shift) = (max_changed, max_shift);
    realistic
}

#[test]
fn realistic_counterexamples_are_near_a_real_person() {
    let real = sample(67);
    let (most, share) = (2, 0.26);
    let is_near = |person: &[Code], real: &Vec<Code>| {
        let changed = (0..3).filter(|&i| person[i] != real[i]);
        let shift = |i: usize| f64::from(person[i].abs_diff(real[i])) / f64::from(SIZES[i] - 1);
        changed.clone().count() <= most && changed.into_iter().all(|i| shift(i) <= share)
    };
    for case in cases() {
        for variant in VARIANTS {
            for terms in [Terms::default(), constrained()] {
                let mut benchmark = benchmark(&case, space(&terms), &real, variant);
                let free = benchmark.run(&case.model(), &Run::default()).unwrap();
                benchmark.realistic = Some(near(most, share));
                let result = benchmark.run(&case.model(), &Run::default()).unwrap();
                assert!(!result.findings.is_empty(), "{} {variant:?}", case.name);
                check_pairs(&case, &result);
                for person in found(&result) {
                    let close = real.iter().any(|real| is_near(&person, real));
                    assert!(close, "{} {variant:?}: {person:?}", case.name);
                }
                let near = distance(&found(&result), &real);
                let far = distance(&found(&free), &real);
                assert!(near < far, "{}: {near} and {far}", case.name);
            }
        }
    }
}

/// The mean over people of the distance to the nearest real one.
fn distance(people: &BTreeSet<Vec<Code>>, real: &[Vec<Code>]) -> f64 {
    let to = |person: &Vec<Code>, real: &Vec<Code>| -> f64 {
        let shift = |i: usize| f64::from(person[i].abs_diff(real[i])) / f64::from(SIZES[i] - 1);
        (0..3).map(shift).sum()
    };
    let nearest = |person| {
        real.iter()
            .map(|real| to(person, real))
            .fold(f64::MAX, f64::min)
    };
    people.iter().map(nearest).sum::<f64>() / people.len().max(1) as f64
}

#[test]
fn frozen_attributes_keep_the_values_of_the_seeds() {
    let mut terms = Terms::default();
    terms.frozen = vec![1];
    let seeds: Vec<Vec<Code>> = sample(13);
    let seeds: Vec<Vec<Code>> = seeds
        .into_iter()
        .filter(|p| [3, 6].contains(&p[1]))
        .collect();
    for case in cases() {
        for variant in VARIANTS {
            let benchmark = benchmark(&case, space(&terms), &seeds, variant);
            let result = benchmark.run(&case.model(), &Run::default()).unwrap();
            assert!(!result.findings.is_empty(), "{} {variant:?}", case.name);
            check_pairs(&case, &result);
            assert!(found(&result).iter().all(|p| [3, 6].contains(&p[1])));
        }
    }
}

/// Whom a person is compared with: one for each combination of groups but the person's own.
fn others(person: &[Code], groups: &[Vec<(Vec<Code>, Code)>; 2]) -> Vec<Vec<Code>> {
    let mut others = Vec::new();
    for (races, race) in &groups[0] {
        for (sexes, sex) in &groups[1] {
            if !(races.contains(&person[3]) && sexes.contains(&person[4])) {
                others.push([&person[..3], &[*race, *sex]].concat());
            }
        }
    }
    others
}

#[test]
fn people_are_compared_with_the_representatives_of_other_groups() {
    // Race 1 is in no group, in one of the two cases; groups are given by their values.
    let sexes = vec![(vec![0], 0), (vec![1], 1)];
    let listed = [vec![(vec![0], 0), (vec![2], 2)], sexes.clone()];
    let ranges = [vec![(vec![0, 1], 1), (vec![2], 2)], sexes];
    for (groups, race) in [
        (
            listed,
            Protection::listed(3, 3, &[vec![0], vec![2]], |codes| codes[0]),
        ),
        (ranges, Protection::ranges(3, 3, &[2], |_, end| end - 1)),
    ] {
        for case in cases() {
            let truth = |people: &[Vec<Code>]| {
                let unfair = |person: &&Vec<Code>| {
                    let own = case.score(person);
                    let others = others(person, &groups);
                    others
                        .iter()
                        .any(|other| (case.differ)(own, case.score(other)))
                };
                people.iter().filter(unfair).count() as u64
            };
            for variant in VARIANTS {
                let protections = vec![race.clone(), Protection::each(4, 2)];
                let space = Space::with_terms(schema(), protections, &Terms::default()).unwrap();
                let benchmark = benchmark(&case, space, &sample(7), variant);
                let result = benchmark.run(&case.model(), &Run::default()).unwrap();
                assert_eq!(result.rates.dataset.discriminated, truth(&sample(7)));
                assert_eq!(result.rates.domain.share.discriminated, truth(&everyone()));
                assert!(!result.findings.is_empty());
                check_pairs(&case, &result);
                for pair in result.findings.counterexamples() {
                    assert!(others(&pair.person, &groups).contains(&pair.counterpart));
                }
            }
        }
    }
}

#[test]
fn drawn_combinations_are_the_only_counterparts() {
    let mut terms = Terms::default();
    terms.max_combinations = 4;
    for case in cases() {
        let space = space(&terms);
        assert_eq!(
            (space.combinations().len(), space.all_combinations()),
            (4, 6)
        );
        let others = |person: &[Code]| -> Vec<Vec<Code>> {
            let drawn = space.combinations().iter();
            let all = drawn.map(|drawn| [&person[..3], drawn.as_slice()].concat());
            all.filter(|other| other != person).collect()
        };
        let truth = |people: &[Vec<Code>]| {
            let unfair = |person: &&Vec<Code>| {
                let own = case.score(person);
                others(person)
                    .iter()
                    .any(|other| (case.differ)(own, case.score(other)))
            };
            people.iter().filter(unfair).count() as u64
        };
        for variant in VARIANTS {
            let benchmark = benchmark(&case, space.clone(), &sample(7), variant);
            let result = benchmark.run(&case.model(), &Run::default()).unwrap();
            assert_eq!(result.rates.dataset.discriminated, truth(&sample(7)));
            assert_eq!(result.rates.domain.share.discriminated, truth(&everyone()));
            assert!(!result.findings.is_empty());
            check_pairs(&case, &result);
            for pair in result.findings.counterexamples() {
                assert!(others(&pair.person).contains(&pair.counterpart));
            }
            let again = benchmark.run(&case.model(), &Run::default()).unwrap();
            assert_eq!(found(&result), found(&again));
        }
    }
}

#[test]
fn a_group_whose_representative_cannot_exist_is_never_asked_about() {
    // The second group of race is represented by 2, which excludes high incomes.
    let race = Protection::ranges(3, 3, &[1], |_, end| end - 1);
    let protections = vec![race, Protection::each(4, 2)];
    let space = Space::with_terms(schema(), protections, &constrained()).unwrap();
    for case in cases() {
        for variant in VARIANTS {
            let mut benchmark = benchmark(&case, space.clone(), &sample(7), variant);
            benchmark.search.perturbation_size = 0.5;
            let witness = Witness {
                model: case.model(),
                shown: Mutex::default(),
            };
            let result = benchmark.run(&witness, &Run::default()).unwrap();
            for row in witness.shown.into_inner().unwrap() {
                if row.iter().all(|x| x.fract() == 0.0) {
                    let person: Vec<Code> = row.iter().map(|&value| value as Code).collect();
                    assert!(possible(&person), "{person:?}");
                }
            }
            assert!(!result.findings.is_empty());
            for pair in result.findings.counterexamples() {
                assert!(possible(&pair.person) && possible(&pair.counterpart));
            }
        }
    }
}

#[test]
fn large_numbers_differ_by_what_they_are_not_by_how_they_are_rounded() {
    // Prices around five million, which are kept in steps of 128: 90 apart is not more than 100.
    let price = |row: &[f32]| 5_000_000.0 + 37.0 * row[0] + 11.0 * row[1] + 90.0 * row[4];
    let model = from_fn(move |row| price(row.as_slice().unwrap()));
    let case = &cases()[3];
    for variant in VARIANTS {
        let mut benchmark = benchmark(case, space(&Terms::default()), &sample(7), variant);
        benchmark.rule = Rule::Tolerance(100.0);
        let result = benchmark.run(&model, &Run::default()).unwrap();
        assert_eq!(result.counterexamples, 0);
        assert_eq!(result.rates.domain.share.discriminated, 0);
    }
}

/// Numbers that look random, the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }
}

/// A forest: flat steps, so that nearly every gradient is zero.
struct Forest {
    trees: Vec<Vec<(usize, f32)>>,
    leaves: Vec<Vec<f32>>,
    depth: usize,
}

/// Twelve attributes; the last two are sex and race.
const WIDE: [Code; 12] = [100, 16, 50, 8, 5, 40, 100, 10, 7, 15, 2, 5];

impl Forest {
    /// One split in `seldom` looks at sex or race.
    fn new(seed: u64, trees: usize, depth: usize, seldom: u64) -> Self {
        let dice = &mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let split = |dice: &mut Dice| {
            let protected = dice.below(seldom) == 0;
            let attribute = match protected {
                true => 10 + dice.below(2) as usize,
                false => dice.below(10) as usize,
            };
            let cut = dice.below(u64::from(WIDE[attribute]) - 1) as f32 + 0.5;
            (attribute, cut)
        };
        let leaf = |dice: &mut Dice| dice.below(2001) as f32 / 1000.0 - 1.0;
        let nodes = (1 << depth) - 1;
        Forest {
            trees: (0..trees)
                .map(|_| (0..nodes).map(|_| split(dice)).collect())
                .collect(),
            leaves: (0..trees)
                .map(|_| (0..=nodes).map(|_| leaf(dice)).collect())
                .collect(),
            depth,
        }
    }

    fn score(&self, row: &[f32]) -> f32 {
        let votes = self.trees.iter().zip(&self.leaves).map(|(tree, leaves)| {
            let mut node = 0;
            for _ in 0..self.depth {
                let (attribute, cut) = tree[node];
                node = 2 * node + 1 + usize::from(row[attribute] > cut);
            }
            leaves[node - tree.len()]
        });
        let sum: f32 = votes.sum::<f32>() - 2.0;
        1.0 / (1.0 + (-sum).exp())
    }
}

fn wide_schema() -> Schema {
    let attribute = |(place, size): (usize, Code)| {
        let max = i64::from(size) - 1;
        Attribute::new(format!("a{place}"), Domain::Integers { min: 0, max })
    };
    Schema::new(WIDE.into_iter().enumerate().map(attribute).collect())
}

/// People drawn from the domain and tested with all combinations, as long as the queries last. How
/// many distinct ones are counterexamples.
fn random_search(forest: &Forest, places: &[usize], queries: u64) -> u64 {
    let dice = &mut Dice(77);
    let combinations: Code = places.iter().map(|&place| WIDE[place]).product();
    let mut found = BTreeSet::new();
    for _ in 0..queries / u64::from(combinations) {
        let person: Vec<Code> = WIDE
            .iter()
            .map(|&size| dice.below(size.into()) as Code)
            .collect();
        let decided = |person: &[Code]| {
            let row: Vec<f32> = person.iter().map(|&code| code as f32).collect();
            forest.score(&row) > 0.5
        };
        let own = decided(&person);
        let differs = (0..combinations).any(|number| {
            let (mut other, mut rest) = (person.clone(), number);
            for &place in places {
                other[place] = rest % WIDE[place];
                rest /= WIDE[place];
            }
            decided(&other) != own
        });
        if differs {
            found.insert(person);
        }
    }
    found.len() as u64
}

#[test]
fn among_trees_the_walk_finds_more_than_random_search() {
    for (seed, trees, depth, seldom) in [
        (1, 10, 4, 40),
        (2, 30, 6, 100),
        (3, 60, 7, 200),
        (4, 100, 5, 60),
        (5, 5, 6, 60),
        (6, 20, 8, 2000),
        (8, 50, 6, 3000),
        (9, 10, 8, 1000),
    ] {
        let forest = Forest::new(seed, trees, depth, seldom);
        let model = from_fn(|row| forest.score(row.as_slice().unwrap()));
        for (protected, places) in [(&["a10"][..], &[10][..]), (&["a10", "a11"], &[10, 11])] {
            for (seeds, steps) in [(30, 30), (200, 200)] {
                let mut benchmark =
                    Benchmark::new("trees", wide_schema(), protected, Vec::new()).unwrap();
                benchmark.budget.global_seeds = seeds;
                benchmark.budget.local_steps = steps;
                benchmark.budget.domain_sample = 1;
                let result = benchmark.run(&model, &Run::default()).unwrap();
                let (walk, queries) = (result.counterexamples, result.counts.queries);
                let random = random_search(&forest, places, queries);
                eprintln!(
                    "forest {seed}, {protected:?}, {seeds} x {steps}: walk {walk}, random {random}, \
                     {queries} queries, {} of {seeds} seeds",
                    result.global.found
                );
                // A few may be luck.
                assert!(walk >= random || random < 5, "{walk} and {random}");
            }
        }
    }
}
