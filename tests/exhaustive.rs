//! Looking at everyone in a domain, against brute force and against the table of everyone tested.
//!
//! Domains are small enough to look at everyone in other ways; `domain-sample = 1` makes them large.

#![allow(clippy::unwrap_used, reason = "a test")]

use fairgate::decision::{Rule, class_of, class_score};
use fairgate::model::from_fn;
use fairgate::schema::{Protection, Terms};
use fairgate::{
    Attribute, Benchmark, BenchmarkResult, Code, Cut, Domain, DomainRate, Keep, Model, Run, Schema,
    Space, Verdict,
};

/// 5 x 6 x 7 x 4 x 2 = 1,680 people.
const SIZES: [Code; 5] = [5, 6, 7, 4, 2];
const NAMES: [&str; 5] = ["income", "years", "age", "race", "sex"];

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

/// A rule with a model for it, and what brute force says of two scores: different decisions, the same,
/// or not to be told. No score lies near a boundary but those planted there.
struct Case {
    name: &'static str,
    rule: Rule,
    score: fn(&[f32]) -> f32,
    /// The decision of a score, if it is one.
    decision: fn(f32) -> Option<i64>,
}

/// Above it is yes; some are exactly at it.
fn threshold(row: &[f32]) -> f32 {
    let points = 2.0 * row[0] + row[1] - row[2] + 3.0 * row[4] - 1.5 * row[3];
    0.5 + points / 64.0
}

fn classes(row: &[f32]) -> f32 {
    let class = (row[0] + row[1] + row[4] * row[3] + (row[2] / 2.0).floor()) as usize % 3;
    let lead = if row[2] == 3.0 {
        0.0
    } else {
        0.1 + row[3] / 8.0
    };
    class_score(class, lead)
}

fn bands(row: &[f32]) -> f32 {
    3.0 * row[0] + 2.0 * row[1] + row[2] * (1.0 + row[4]) + row[3]
}

/// Whole and half numbers: some are exactly as far apart as is allowed.
fn numbers(row: &[f32]) -> f32 {
    20.0 + 3.0 * row[0] + row[1] * row[4] + 0.5 * row[2] * row[3]
}

fn cases() -> [Case; 4] {
    let band = |score: f32| match score {
        score if score == 8.0 || score == 16.0 => None,
        score => Some(i64::from(score > 8.0) + i64::from(score > 16.0)),
    };
    let class = |score: f32| {
        let (class, lead) = class_of(score);
        (lead > 0.01).then_some(class as i64)
    };
    [
        Case {
            name: "threshold",
            rule: Rule::Threshold(0.5),
            score: threshold,
            decision: |score| (score != 0.5).then_some(i64::from(score > 0.5)),
        },
        Case {
            name: "classes",
            rule: Rule::Classes(3),
            score: classes,
            decision: class,
        },
        Case {
            name: "bands",
            rule: Rule::Bands(vec![8.0, 16.0]),
            score: bands,
            decision: band,
        },
        Case {
            name: "tolerance",
            rule: Rule::Tolerance(4.0),
            score: numbers,
            // In halves: what is compared are numbers, not decisions.
            decision: |score| Some((score * 2.0) as i64),
        },
    ]
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

    /// Whether two people are decided differently, and whether that cannot be told.
    fn compare(&self, person: &[Code], other: &[Code]) -> (bool, bool) {
        let decision = |person| (self.decision)(self.score(person));
        match (decision(person), decision(other)) {
            (Some(own), Some(other)) if self.name == "tolerance" => {
                let apart = own.abs_diff(other);
                (apart > 8, apart == 8)
            }
            (Some(own), Some(other)) => (own != other, false),
            _ => (false, false),
        }
    }

    /// Brute force: people, those discriminated, and those undecided.
    fn truth(&self, setting: &Setting) -> [u64; 3] {
        let mut truth = [0; 3];
        for person in everyone().iter().filter(|p| (setting.possible)(p)) {
            let others = (setting.counterparts)(person).into_iter();
            let others: Vec<_> = others
                .filter(|other| (setting.possible)(other))
                .map(|other| self.compare(person, &other))
                .collect();
            let discriminated = others.iter().any(|&(differs, _)| differs);
            let nearly = !discriminated && others.iter().any(|&(_, nearly)| nearly);
            let undecided = (self.decision)(self.score(person)).is_none();
            truth[0] += 1;
            truth[1] += u64::from(discriminated);
            truth[2] += u64::from(undecided || nearly);
        }
        truth
    }
}

/// Who is protected, who can exist, and who is whose counterpart, in other words than the library's.
struct Setting {
    name: &'static str,
    space: Space,
    possible: fn(&[Code]) -> bool,
    counterparts: fn(&[Code]) -> Vec<Vec<Code>>,
}

fn with(person: &[Code], changes: &[(usize, Code)]) -> Vec<Code> {
    let mut other = person.to_vec();
    changes
        .iter()
        .for_each(|&(place, code)| other[place] = code);
    other
}

fn of_sex(person: &[Code]) -> Vec<Vec<Code>> {
    vec![with(person, &[(4, 1 - person[4])])]
}

fn of_race_and_sex(person: &[Code]) -> Vec<Vec<Code>> {
    let values = (0..4).flat_map(|race| [0, 1].map(|sex| [(3, race), (4, sex)]));
    let others = values.map(|values| with(person, &values));
    others.filter(|other| other != person).collect()
}

/// Ages 0 to 1, 2 to 4 and 5 to 6 are groups, and 1, 3 and 5 stand for them.
fn of_age_group(person: &[Code]) -> Vec<Vec<Code>> {
    let own = usize::from(person[2] > 1) + usize::from(person[2] > 4);
    let others = [1, 3, 5].into_iter().enumerate();
    let others = others.filter(|(group, _)| *group != own);
    others.map(|(_, age)| with(person, &[(2, age)])).collect()
}

/// Race 3 is in no group; 0 stands for itself, 2 for 1 and 2.
fn of_race_group(person: &[Code]) -> Vec<Vec<Code>> {
    let others: &[Code] = match person[3] {
        0 => &[2],
        3 => &[0, 2],
        _ => &[0],
    };
    let others = others.iter().map(|&race| with(person, &[(3, race)]));
    others.collect()
}

fn possible(person: &[Code]) -> bool {
    person[0] <= person[1] + 1
        && (person[2] != 0 || person[4] == 0)
        && !(person[3] == 2 && person[0] > 2)
}

const CONSTRAINTS: [&str; 3] = [
    "income <= years + 1",
    "if age == 0 then sex == 0",
    "not (race == 2 and income > 2)",
];

fn settings() -> Vec<Setting> {
    let each = |position: usize| Protection::each(position, u64::from(SIZES[position]));
    let ages = || {
        Protection::ranges(2, 7, &[2, 5], |first, end| {
            (first + end) / 2 - Code::from(first == 5)
        })
    };
    let races = || Protection::listed(3, 4, &[vec![0], vec![1, 2]], |codes| *codes.last().unwrap());
    let space = |protections: Vec<Protection>, terms: Terms| {
        Space::with_terms(schema(), protections, &terms).unwrap()
    };
    let constrained = || {
        Terms::default()
            .with_constraints(&schema(), &CONSTRAINTS)
            .unwrap()
    };
    let mut frozen = Terms::default();
    frozen.frozen = vec![0, 1];
    let anybody: fn(&[Code]) -> bool = |_| true;
    let setting = |name, space, possible, counterparts| Setting {
        name,
        space,
        possible,
        counterparts,
    };
    vec![
        setting(
            "one",
            space(vec![each(4)], Terms::default()),
            anybody,
            of_sex,
        ),
        setting("frozen", space(vec![each(4)], frozen), anybody, of_sex),
        setting(
            "two",
            space(vec![each(3), each(4)], Terms::default()),
            anybody,
            of_race_and_sex,
        ),
        setting(
            "constrained",
            space(vec![each(3), each(4)], constrained()),
            possible,
            of_race_and_sex,
        ),
        setting(
            "groups",
            space(vec![ages()], Terms::default()),
            anybody,
            of_age_group,
        ),
        setting(
            "constrained groups",
            space(vec![ages()], constrained()),
            possible,
            of_age_group,
        ),
        setting(
            "listed groups",
            space(vec![races()], constrained()),
            possible,
            of_race_group,
        ),
    ]
}

fn benchmark(case: &Case, setting: &Setting) -> Benchmark {
    let people: Vec<Code> = everyone()
        .into_iter()
        .filter(|person| (setting.possible)(person))
        .step_by(97)
        .flatten()
        .collect();
    let mut benchmark = Benchmark::in_space(case.name, setting.space.clone(), people).unwrap();
    benchmark.rule = case.rule.clone();
    benchmark.probabilities = false;
    benchmark.decisions = case.rule.default_names();
    benchmark.budget.global_seeds = 2;
    benchmark.budget.local_steps = 0;
    benchmark.limits.search = Some(1.0);
    benchmark
}

fn counted(rate: &DomainRate) -> [u64; 3] {
    [rate.share.of, rate.share.discriminated, rate.undecided]
}

/// Everyone, one after another, without the table.
fn streamed(benchmark: &Benchmark, model: &dyn Model, run: &Run<'_>) -> BenchmarkResult {
    let mut benchmark = benchmark.clone();
    benchmark.budget.domain_sample = 1;
    let result = benchmark.run(model, run).unwrap();
    assert!(result.rates.domain.exact);
    result
}

#[test]
fn everyone_is_counted_as_brute_force_does_and_as_the_table_does() {
    for case in cases() {
        for setting in settings() {
            let name = format!("{}, {}", case.name, setting.name);
            let truth = case.truth(&setting);
            assert!(truth[1] > 20 && truth[1] < truth[0], "{name}: {truth:?}");
            let benchmark = benchmark(&case, &setting);
            let table = benchmark.run(&case.model(), &Run::default()).unwrap();
            assert_eq!(counted(&table.rates.domain), truth, "{name}, by the table");
            let streamed = streamed(&benchmark, &case.model(), &Run::default());
            assert_eq!(counted(&streamed.rates.domain), truth, "{name}, streamed");
            assert_eq!(streamed.rates.domain.people, Some(truth[0]));
            for result in [&table, &streamed] {
                check_pairs(&case, &setting, result);
            }
        }
    }
}

/// The pairs that are shown are true, and none in the domain is clearer than the first.
fn check_pairs(case: &Case, setting: &Setting, result: &BenchmarkResult) {
    assert!(!result.domain_pairs.is_empty());
    for pair in &result.domain_pairs {
        assert!((setting.counterparts)(&pair.person).contains(&pair.counterpart));
        assert!((setting.possible)(&pair.person) && (setting.possible)(&pair.counterpart));
        assert!(case.compare(&pair.person, &pair.counterpart).0);
    }
    if case.name == "classes" {
        return;
    }
    let gap = |one: &[Code], other: &[Code]| (case.score(one) - case.score(other)).abs();
    let mut widest = 0.0_f32;
    for person in everyone().iter().filter(|p| (setting.possible)(p)) {
        for other in (setting.counterparts)(person) {
            if (setting.possible)(&other) && case.compare(person, &other).0 {
                widest = widest.max(gap(person, &other));
            }
        }
    }
    let first = &result.domain_pairs[0];
    assert!((gap(&first.person, &first.counterpart) - widest).abs() < 1e-3);
}

#[test]
fn workers_and_batches_change_nothing() {
    for case in cases() {
        for setting in settings() {
            let benchmark = benchmark(&case, &setting);
            let run = |batch_rows: usize, workers: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
                let pool = pool.build().unwrap();
                let run = Run {
                    batch_rows,
                    workers: Some(&pool),
                    ..Run::default()
                };
                let result = streamed(&benchmark, &case.model(), &run);
                (
                    counted(&result.rates.domain),
                    result.domain_pairs,
                    result.counts.queries,
                )
            };
            let first = run(4096, 1);
            for (batch_rows, workers) in [(1, 1), (13, 2), (100, 3)] {
                assert_eq!(first, run(batch_rows, workers), "{}", case.name);
            }
        }
    }
}

#[test]
fn attributes_that_the_model_does_not_read_are_counted_and_not_asked() {
    let case = &cases()[0];
    let score = case.score;
    let blind = from_fn(move |row| {
        let mut row = row.to_vec();
        row[2] = 0.0;
        score(&row)
    });
    let run = |unread: Vec<usize>, constraints: &[&str]| {
        let mut terms = Terms::default()
            .with_constraints(&schema(), constraints)
            .unwrap();
        terms.unread = unread;
        let space = Space::with_terms(schema(), vec![Protection::each(4, 2)], &terms).unwrap();
        let setting = Setting {
            name: "unread",
            space,
            possible: |_| true,
            counterparts: of_sex,
        };
        let result = streamed(&benchmark(case, &setting), &blind, &Run::default());
        (counted(&result.rates.domain), result.counts.queries)
    };
    let ((all, queries), (same, fewer)) = (run(vec![], &[]), run(vec![2], &[]));
    assert_eq!(all, same);
    assert_eq!(queries - fewer, 1680 - 1680 / 7);
    // Where a constraint is about it, it makes a difference.
    let (both, one) = (run(vec![], &["age > 2"]), run(vec![2], &["age > 2"]));
    assert_eq!(both, one);
    assert_eq!(one.0[0], 1680 / 7 * 4);
}

#[test]
fn where_nobody_is_found_it_is_a_proof_and_says_who_is_undecided() {
    let case = &cases()[0];
    let setting = &settings()[0];
    let mut benchmark = benchmark(case, setting);
    benchmark.budget.domain_sample = 1;
    let run = |score: f32| {
        let model = from_fn(move |row| if row[0] == 3.0 { score } else { 0.9 });
        benchmark.run(&model, &Run::default()).unwrap()
    };
    let result = run(0.3);
    assert_eq!(result.verdict, Verdict::Pass);
    let proof = "no counterexample exists in the declared domain (all 1,680 people were looked at)";
    assert!(result.reason.ends_with(proof), "{}", result.reason);
    assert!(result.rates.domain.proves_none());
    let result = run(0.5);
    let undecided =
        ", but for 336 whose scores lie within numerical noise of where decisions change";
    let said = format!("{proof}{undecided}");
    assert!(result.reason.ends_with(&said), "{}", result.reason);
}

#[test]
fn what_the_search_misses_is_shown() {
    let case = &cases()[0];
    let mut benchmark = benchmark(case, &settings()[0]);
    // Far from everybody the search starts from.
    benchmark.people.truncate(5);
    benchmark.search.variant = fairgate::spec::Variant::Paper;
    let corner = |row: &[f32]| row[0] == 4.0 && row[1] == 5.0 && row[2] == 6.0;
    let model = from_fn(move |row| {
        let row = row.as_slice().unwrap();
        if corner(row) && row[4] == 1.0 {
            0.8
        } else {
            0.2
        }
    });
    for sample in [1, 10_000] {
        benchmark.budget.domain_sample = sample;
        let result = benchmark.run(&model, &Run::default()).unwrap();
        assert_eq!(result.counterexamples, 0);
        assert_eq!(counted(&result.rates.domain), [1680, 8, 0]);
        assert!(result.pairs.is_empty() && !result.shown_pairs().is_empty());
        let said = "but 8 of the domain's 1,680 people have one; within the limits";
        assert!(result.reason.ends_with(said), "{}", result.reason);
    }
}

#[test]
fn the_budget_is_kept_and_the_sample_stands_in() {
    let case = &cases()[0];
    let mut benchmark = benchmark(case, &settings()[0]);
    benchmark.budget.domain_sample = 100;
    let run = |benchmark: &Benchmark, run: &Run<'_>| benchmark.run(&case.model(), run).unwrap();
    benchmark.budget.exhaustive = 1679;
    let sampled = run(&benchmark, &Run::default());
    assert!(!sampled.rates.domain.exact);
    assert_eq!(sampled.rates.domain.people, Some(1680));
    benchmark.budget.exhaustive = 1680;
    let exact = run(&benchmark, &Run::default());
    let value = exact.rates.domain.share.value().unwrap();
    let interval = sampled.rates.domain.lower..=sampled.rates.domain.upper;
    assert!(exact.rates.domain.exact && interval.contains(&value));
    // Half of what may be asked is for the rates: too little for everyone.
    benchmark.budget.max_queries = Some(3400);
    let capped = run(&benchmark, &Run::default());
    assert!(!capped.rates.domain.exact && capped.cut.is_none());
    assert_eq!(capped.rates.domain.share, sampled.rates.domain.share);
    // On demand everyone is looked at however many there are.
    (benchmark.budget.max_queries, benchmark.budget.exhaustive) = (None, 0);
    let on_demand = Run {
        exhaustive: Some(Keep::default()),
        ..Run::default()
    };
    let demanded = run(&benchmark, &on_demand);
    assert_eq!(demanded.rates.domain, exact.rates.domain);
}

#[test]
fn somebody_may_end_it_and_the_sample_is_left() {
    let case = &cases()[0];
    let mut benchmark = benchmark(case, &settings()[0]);
    (benchmark.budget.domain_sample, benchmark.budget.exhaustive) = (100, 0);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let everyone = std::sync::atomic::AtomicBool::new(false);
    let run = Run {
        batch_rows: 8,
        exhaustive: Some(Keep::default()),
        progress: &|progress| {
            let walks = progress.phase == fairgate::Phase::Everyone;
            everyone.fetch_or(walks, std::sync::atomic::Ordering::Relaxed);
        },
        interrupted: &|| {
            let walks = everyone.load(std::sync::atomic::Ordering::Relaxed);
            walks && asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 10
        },
        ..Run::default()
    };
    let result = benchmark.run(&case.model(), &run).unwrap();
    assert_eq!(result.cut, Some(Cut::Interrupted));
    assert_eq!(
        (result.verdict, result.rates.domain.exact),
        (Verdict::Inconclusive, false)
    );
    assert_eq!(result.rates.domain.share.of, 100);
    let unfinished = result.unfinished.unwrap();
    assert!(unfinished.looked_at > 0 && unfinished.looked_at < unfinished.of);
    assert!(!unfinished.kept);
}
