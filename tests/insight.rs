//! What is said about all counterexamples, where the answer is known.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::collections::BTreeMap;

use common::Repo;
use fairgate::decision::{Rule, class_score};
use fairgate::insight::{Insight, Source};
use fairgate::model::from_fn;
use fairgate::{Attribute, Benchmark, BenchmarkResult, Code, Domain, Model, Run, Schema};
use ndarray::ArrayView1;

/// Income and years from 0 to 20, five regions, sex and three races.
fn schema() -> Schema {
    let range = |max| Domain::Integers { min: 0, max };
    let names = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned());
        Domain::Categories(names.collect())
    };
    let regions = ["north", "east", "south", "west", "centre"];
    Schema::new(vec![
        Attribute::new("income", range(20)),
        Attribute::new("years", range(20)),
        Attribute::new("region", names(&regions)),
        Attribute::new("sex", names(&["Female", "Male"])),
        Attribute::new("race", names(&["A", "B", "C"])),
    ])
}

/// Everybody who matters: one of two thousand people, all values alike often.
fn people() -> Vec<Code> {
    let person = |index: Code| {
        let mixed = index.wrapping_mul(2_654_435_761) >> 8;
        let digits = [21, 21, 5, 2, 3];
        digits.into_iter().scan(mixed, |rest, size| {
            let digit = *rest % size;
            *rest /= size;
            Some(digit)
        })
    };
    (0..2000).flat_map(person).collect()
}

fn benchmark(protected: &[&str], people: Vec<Code>) -> Benchmark {
    let mut benchmark = Benchmark::new("known", schema(), protected, people).unwrap();
    benchmark.budget.global_seeds = 300;
    benchmark.budget.local_steps = 60;
    benchmark
}

fn look(benchmark: &Benchmark, model: &dyn Model) -> (BenchmarkResult, Insight) {
    let result = benchmark.run(model, &Run::default()).unwrap();
    let insight = result.insight.clone().unwrap();
    (result, insight)
}

/// Men are favoured in the south and in the west, where the income is above 10. Nobody else matters.
fn planted(row: ArrayView1<'_, f32>) -> f32 {
    let there = row[0] > 10.5 && (row[2] == 2.0 || row[2] == 3.0);
    match (there, row[3] > 0.5) {
        (true, true) => 0.9,
        (true, false) => 0.2,
        _ => 0.3,
    }
}

#[test]
fn the_kind_of_person_is_found_and_measured() {
    let benchmark = benchmark(&["sex"], people());
    let (result, insight) = look(&benchmark, &from_fn(planted));
    let rule = &insight.kinds.kinds[0];
    let conditions: Vec<_> = rule.conditions.iter().map(|c| c.attribute).collect();
    assert_eq!(conditions, [0, 2], "{rule:?}");
    let words = fairgate_words(&result);
    assert_eq!(words, "income > 10 and region in {south, west}");
    assert_eq!((rule.coverage, rule.found), (1.0, result.counterexamples));
    assert_eq!(insight.kinds.kinds.len(), 1);
    assert_eq!(insight.kinds.source, Source::Dataset);
    let of = |hit: &dyn Fn(&[Code]) -> bool| {
        let people = benchmark.people.chunks_exact(5);
        people.filter(|person| hit(person)).count() as u64
    };
    let there = of(&|person| person[0] > 10 && [2, 3].contains(&person[2]));
    assert!(there > 100);
    assert_eq!((rule.share.of, rule.share.discriminated), (there, there));
    assert_eq!(insight.kinds.everyone.of, 2000);
    assert_eq!(insight.kinds.everyone.discriminated, there);
}

/// The first rule as the report says it.
fn fairgate_words(result: &BenchmarkResult) -> String {
    let names = ["north", "east", "south", "west", "centre"];
    let rule = &result.insight.as_ref().unwrap().kinds.kinds[0];
    let words = rule.conditions.iter().map(|condition| {
        let name = &result.findings.space().schema().attributes()[condition.attribute].name;
        match &condition.allowed {
            fairgate::insight::Allowed::From(first, _) => format!("{name} > {}", first - 1),
            fairgate::insight::Allowed::OneOf(values) => {
                let named = names.iter().zip(values).filter(|(_, yes)| **yes);
                let named: Vec<_> = named.map(|(name, _)| *name).collect();
                format!("{name} in {{{}}}", named.join(", "))
            }
            other => panic!("{other:?}"),
        }
    });
    words.collect::<Vec<_>>().join(" and ")
}

#[test]
fn the_direction_and_the_favoured_are_as_planted() {
    let (result, insight) = look(&benchmark(&["sex"], people()), &from_fn(planted));
    assert_eq!(insight.looked_at, result.counterexamples);
    assert_eq!(insight.favourable, Some(1));
    let favoured: Vec<_> = insight
        .favoured
        .iter()
        .map(|g| (g.group, g.share()))
        .collect();
    assert_eq!(favoured, [(0, 0.0), (1, 1.0)]);
    assert_eq!(insight.directions.len(), 2, "{:?}", insight.directions);
    let mut total = 0;
    for direction in &insight.directions {
        // From women to men the decision becomes better, the other way worse.
        assert_eq!(direction.from_decision, direction.from);
        assert_eq!(direction.to_decision, direction.to);
        total += direction.count;
    }
    assert_eq!(total, result.counterexamples);
    assert_eq!(insight.distinct_decisions, [(2, result.counterexamples)]);
}

#[test]
fn flips_hang_on_what_they_hang_on() {
    let (_, insight) = look(&benchmark(&["sex"], people()), &from_fn(planted));
    let share = |attribute: usize| {
        let hinge = insight.hinges.iter().find(|h| h.attribute == attribute);
        hinge.map_or(0.0, |hinge| hinge.share())
    };
    // Three of five regions and eleven of twenty-one incomes lead out of it; all else changes nothing.
    assert!((share(2) - 0.75).abs() < 0.15, "{}", share(2));
    assert!((share(0) - 0.55).abs() < 0.15, "{}", share(0));
    assert_eq!((share(1), share(4)), (0.0, 0.0));
    assert_eq!(insight.hinges[0].attribute, 2);
}

#[test]
fn figures_are_those_of_the_findings() {
    let (result, insight) = look(&benchmark(&["sex"], people()), &from_fn(planted));
    let pairs: Vec<_> = result.findings.counterexamples().collect();
    let mut gaps: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.gap)).collect();
    gaps.sort_by(f64::total_cmp);
    let gap = insight.severity.gap.unwrap();
    assert!((gap.mean - gaps.iter().sum::<f64>() / gaps.len() as f64).abs() < 1e-9);
    assert_eq!(gap.median, gaps[gaps.len().div_ceil(2) - 1]);
    assert_eq!(gap.largest, *gaps.last().unwrap());
    let boundary = insight.severity.boundary.unwrap();
    assert!((boundary.largest - 0.4).abs() < 1e-4 && (gap.largest - 0.7).abs() < 1e-4);
    let mut found: BTreeMap<(usize, Code), u64> = BTreeMap::new();
    for pair in &pairs {
        for attribute in [2, 3] {
            *found
                .entry((attribute, pair.person[attribute]))
                .or_default() += 1;
        }
    }
    let mut seen = 0;
    for group in &insight.subgroups {
        if group.values[0] == group.values[1] && [2, 3].contains(&group.attribute) {
            let key = (group.attribute, group.values[0]);
            assert_eq!(
                group.share.discriminated,
                found.get(&key).copied().unwrap_or(0)
            );
            assert!(group.share.of >= group.share.discriminated);
            seen += 1;
        }
    }
    assert_eq!(seen, 7, "two sexes and five regions");
    for attribute in [0, 2, 3] {
        let groups = insight
            .subgroups
            .iter()
            .filter(|g| g.attribute == attribute);
        let tested: u64 = groups.map(|group| group.share.of).sum();
        assert_eq!(tested, result.tested, "everyone is in one subgroup");
    }
}

/// Three classes: above an income of 10 every race has its own.
fn by_race(row: ArrayView1<'_, f32>) -> f32 {
    match row[0] > 10.5 {
        true => class_score(row[4] as usize, 0.25),
        false => class_score(0, 0.5),
    }
}

#[test]
fn counterparts_that_the_search_left_out_are_asked_not_guessed() {
    let mut benchmark = benchmark(&["race"], people());
    benchmark.rule = Rule::Classes(3);
    benchmark.probabilities = false;
    benchmark.decisions = ["a", "b", "c"].map(str::to_owned).to_vec();
    let (result, insight) = look(&benchmark, &from_fn(by_race));
    assert!(insight.looked_at <= result.counterexamples);
    assert_eq!(insight.distinct_decisions, [(3, insight.looked_at)]);
    // Everybody has two counterparts, each with another decision.
    let total: u64 = insight.directions.iter().map(|d| d.count).sum();
    assert_eq!(total, 2 * insight.looked_at);
    for direction in &insight.directions {
        assert_eq!(direction.from_decision, direction.from, "{direction:?}");
        assert_eq!(direction.to_decision, direction.to, "{direction:?}");
    }
    assert_eq!((insight.favourable, insight.favoured.len()), (None, 0));
    for pair in &result.pairs {
        assert_eq!(pair.distinct_decisions, Some(3));
        assert!(
            (pair.gap - 0.5).abs() < 1e-3,
            "both classes lead by a quarter"
        );
    }
}

#[test]
fn a_favourable_decision_that_is_named_is_taken() {
    let mut benchmark = benchmark(&["race"], people());
    benchmark.rule = Rule::Classes(3);
    benchmark.probabilities = false;
    benchmark.decisions = ["a", "b", "c"].map(str::to_owned).to_vec();
    benchmark.favourable = Some("c".into());
    let (_, insight) = look(&benchmark, &from_fn(by_race));
    let favoured: Vec<_> = insight.favoured.iter().map(|g| g.share()).collect();
    assert_eq!(favoured, [0.0, 0.0, 1.0]);
}

#[test]
fn where_numbers_are_compared_directions_are_lower_and_higher() {
    let mut benchmark = benchmark(&["sex"], people());
    benchmark.rule = Rule::Tolerance(1.0);
    benchmark.probabilities = false;
    let model = from_fn(|row| row[0] + 3.0 * row[3]);
    let (result, insight) = look(&benchmark, &model);
    assert!(
        insight
            .directions
            .iter()
            .all(|d| (d.from, d.to) == (d.from_decision, d.to_decision))
    );
    assert_eq!(insight.severity.boundary, None);
    assert_eq!(insight.distinct_decisions, []);
    assert!(
        result
            .pairs
            .iter()
            .all(|pair| pair.boundary.is_none() && pair.distinct_decisions.is_none())
    );
}

#[test]
fn without_people_of_its_own_a_rule_is_measured_on_the_domain_or_the_search() {
    let (_, insight) = look(&benchmark(&["sex"], Vec::new()), &from_fn(planted));
    assert_eq!(insight.kinds.source, Source::Domain);
    assert_eq!(insight.kinds.kinds[0].coverage, 1.0);
    // So rare that neither has enough: one income and one number of years.
    let rare = |row: ArrayView1<'_, f32>| {
        let away = (row[0] - 13.0).abs() + (row[1] - 7.0).abs();
        let score = 0.49 - 0.02 * away + 0.02 * row[3];
        score.clamp(0.0, 1.0)
    };
    let mut rare_people = people();
    for person in rare_people.chunks_exact_mut(5) {
        person[1] = person[1].max(9);
    }
    let (result, insight) = look(&benchmark(&["sex"], rare_people), &from_fn(rare));
    assert_eq!(insight.kinds.source, Source::Search);
    for pair in result.findings.counterexamples() {
        assert_eq!(pair.person[..2], [13, 7]);
    }
}

#[test]
fn what_is_said_does_not_depend_on_batches_or_workers() {
    let benchmark = benchmark(&["sex", "race"], people());
    let model = from_fn(|row| planted(row) + 0.3 * (row[4] - 1.0) * f32::from(row[0] < 8.0));
    let run = |batch_rows: usize, workers: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(workers)
            .build()
            .unwrap();
        let run = Run {
            batch_rows,
            workers: Some(&pool),
            ..Run::default()
        };
        let result = benchmark.run(&model, &run).unwrap();
        (
            result.insight.unwrap(),
            result.pairs,
            result.counts.afterwards,
        )
    };
    let first = run(4096, 1);
    assert!(first.0.looked_at > 0 && !first.0.directions.is_empty());
    for (batch_rows, workers) in [(4096, 1), (7, 2), (64, 3)] {
        assert_eq!(first, run(batch_rows, workers));
    }
}

#[test]
fn a_failing_benchmark_says_which_way_for_whom_and_why() {
    let repo = Repo::of_fixtures();
    repo.edit(
        "fairness.toml",
        "dataset = 0.05, domain = 0.1 }",
        "dataset = 0.01 }",
    );
    let ran = repo.run(&["check", "--exact", "census-sex"]);
    let phrases = [
        "     flips    sex: as Male ",
        " % of the people found get \">50K\", as Female",
        "     who      ",
        " of the people found; in the dataset ",
        "     hang on  ",
        "     gap      ",
        "         * sex       ",
        "           decision  ",
        "a person of the dataset",
    ];
    ran.says(1, &phrases);
    let told = ran.stdout.lines().position(|line| line.contains("* sex"));
    assert!(told.unwrap() < 25, "{}", ran.stdout);
}

#[test]
fn json_says_it_in_the_agreed_fields() {
    let line = Repo::new("planted").json(&[]);
    for field in [
        "severity",
        "directions",
        "favoured",
        "subgroups",
        "rules",
        "hinges",
    ] {
        assert!(!line[field].is_null(), "{field}: {line}");
    }
    for field in ["mean", "median", "p90", "largest"] {
        assert!(line["severity"]["gap"][field].is_number(), "{line}");
        assert!(line["severity"]["boundary"][field].is_number(), "{line}");
    }
    assert_eq!(line["favourable_decision"], "yes");
    assert_eq!(line["favoured"][1]["group"]["sex"], "Male");
    assert_eq!(line["favoured"][1]["share"], 1.0);
    let direction = &line["directions"][0];
    for field in [
        "from",
        "to",
        "from_decision",
        "to_decision",
        "count",
        "share",
    ] {
        assert!(!direction[field].is_null(), "{field}: {line}");
    }
    let pair = &line["pairs"][0];
    for field in [
        "gap",
        "boundary",
        "distinct_decisions",
        "shrunk",
        "changed_before",
    ] {
        assert!(!pair[field].is_null(), "{field}: {line}");
    }
    // Nothing was found, so there is nothing to say.
    let none = Repo::new("ignores-sex").json(&[]);
    assert!(none.get("severity").is_none(), "{none}");
}
