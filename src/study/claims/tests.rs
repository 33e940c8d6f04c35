//! Claims judged on made-up runs.

use super::*;
use crate::study::contender::{Contender, PAPER};
use crate::study::curve::Curve;
use crate::study::gradients::Similarity;
use crate::study::plan::{Form, Planned, Question, Subject, runs};
use crate::study::record::{Finished, Outcome, Record};
use crate::study::results::About;

const BENCHMARKS: [&str; 4] = ["w", "x", "y", "z"];

/// A study in which each run found what `found` says.
fn judged(methods: &[&str], found: impl Fn(&Planned) -> u64) -> Vec<Claim> {
    let folder = tempfile::tempdir().unwrap();
    let mut record = Record::open(&folder.path().join("runs.csv")).unwrap();
    let subjects = BENCHMARKS.map(|name| Subject {
        name,
        seed: 1,
        size: 1.0,
        fingerprint: "f",
    });
    let contenders: Vec<Contender> = methods
        .iter()
        .filter_map(|name| Contender::of_name(name))
        .collect();
    let form = Form::full();
    let planned = runs(
        &subjects,
        &[Question::One, Question::Two],
        &contenders,
        &form,
    );
    for run in &planned {
        let counterexamples = found(run);
        record
            .add(Finished {
                key: run.key.clone(),
                outcome: outcome(counterexamples),
            })
            .unwrap();
    }
    let about = about(BENCHMARKS);
    judge(
        &Results::new(&about, &contenders, &form, &planned, &record),
        None,
    )
}

/// Benchmarks, of which `z` has two protected attributes.
fn about<const N: usize>(names: [&str; N]) -> [About; N] {
    names.map(|name| About {
        name: name.into(),
        model: "m".into(),
        protected: vec!["sex".into(); if name == "z" { 2 } else { 1 }],
        combinations: 2,
        attributes: 3,
        people: 100,
    })
}

fn outcome(counterexamples: u64) -> Outcome {
    Outcome {
        counterexamples,
        tested: 2 * counterexamples + 10,
        iterations: 1,
        queries: 1000,
        seeds: 10,
        global_found: 5,
        capped: false,
        seconds: 1.0,
        model_seconds: 0.5,
        runtime: "embedded".into(),
        curve: Curve::default(),
    }
}

/// A little chance, the same each time.
fn noise(run: &Planned) -> u64 {
    let key = format!("{:?}", run.key);
    key.bytes().fold(7_u64, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(byte))
    }) % 20
}

#[track_caller]
fn claim<'c>(claims: &'c [Claim], part: &str) -> &'c Claim {
    let found = claims.iter().find(|claim| claim.text.contains(part));
    found.unwrap_or_else(|| panic!("no claim has {part:?}: {claims:#?}"))
}

#[test]
fn amounts_are_confirmed_where_they_are_reached() {
    let claims = judged(&[PAPER, "aequitas"], |run| match run.contender.name {
        PAPER => 15_000 + noise(run),
        _ => 1000 + noise(run),
    });
    let aequitas = claim(&claims, "14.69 times");
    assert_eq!(aequitas.judgement, Judgement::Confirmed, "{aequitas:?}");
    assert!(
        aequitas
            .measured
            .starts_with("14.8 x (geometric mean of 3 benchmarks"),
        "{aequitas:?}"
    );
    let adf = claim(&claims, "7.92 % more than ADF");
    assert_eq!(adf.judgement, Judgement::NotComparable);
    assert_eq!(adf.measured, "ADF took no part");
    assert_eq!(
        claim(&claims, "slower than AEQUITAS").judgement,
        Judgement::NotComparable
    );
    assert_eq!(
        claim(&claims, "several protected").judgement,
        Judgement::Confirmed
    );

    let claims = judged(&[PAPER, "aequitas"], |run| match run.contender.name {
        PAPER => 5_000 + noise(run),
        _ => 1000 + noise(run),
    });
    let aequitas = claim(&claims, "14.69 times");
    assert_eq!(aequitas.judgement, Judgement::NotConfirmed, "{aequitas:?}");
}

#[test]
fn sizes_are_stable_if_no_benchmark_says_otherwise() {
    let steady = judged(&[PAPER], |run| 1000 + noise(run));
    let stable = claim(&steady, "(1e-5, 10]");
    assert_eq!(stable.judgement, Judgement::Confirmed, "{stable:?}");
    assert!(
        stable.measured.ends_with("of 3 benchmarks: none differs"),
        "{stable:?}"
    );

    // One benchmark where ten is too much: lost among all together, seen by itself.
    let shaky = judged(&[PAPER], |run| {
        let ten = run.key.perturbation_size == 10.0 && run.key.benchmark == "y";
        let base = if run.key.benchmark == "w" {
            100_000
        } else {
            1000
        };
        base + noise(run) - if ten { 500 } else { 0 }
    });
    let stable = claim(&shaky, "(1e-5, 10]");
    assert_eq!(stable.judgement, Judgement::NotConfirmed, "{stable:?}");
    assert!(stable.measured.ends_with("1 differ: y"), "{stable:?}");
    assert!(stable.measured.contains("p = 1.0"), "{stable:?}");
}

#[test]
fn capped_runs_are_not_compared() {
    let claims = judged(&[PAPER, "sg"], |run| match run.contender.name {
        PAPER => 5000 + noise(run),
        _ => 1000 + noise(run),
    });
    assert_eq!(
        claim(&claims, "more than SG").judgement,
        Judgement::Confirmed
    );
}

#[test]
fn cosines_are_judged_by_the_majority() {
    let similarity = |benchmark: &str, cosine: f64| Similarity {
        benchmark: benchmark.into(),
        size: 1.0,
        gradient: vec![cosine; 3],
        direction: vec![0.5; 3],
        probability: Vec::new(),
        signs: 1.0,
    };
    let measured = Measured {
        similarities: vec![
            similarity("a", 0.9),
            similarity("b", 0.95),
            similarity("c", 0.7),
        ],
        ..Measured::default()
    };
    let claims = gradients::judge(Some(&measured), &about(["a", "b", "c"]));
    let judgements: Vec<Judgement> = claims.iter().map(|claim| claim.judgement).collect();
    assert_eq!(
        judgements,
        [
            Judgement::Confirmed,
            Judgement::NotConfirmed,
            Judgement::NotComparable
        ]
    );
    assert!(
        claims[0]
            .measured
            .starts_with("above 0.8 on 2 of 3 benchmarks"),
        "{claims:?}"
    );
}

#[test]
fn numbers_have_as_many_digits_as_they_need() {
    let digits = [0.043_21, 0.0, 1.234, 14.69, 123.4, 99_999.6].map(|value| significant(value, 3));
    assert_eq!(digits, ["0.0432", "0", "1.23", "14.7", "123", "100000"]);
    assert_eq!(p_value(0.000_01), "p < 0.0001");
    assert_eq!(p_value(0.0312), "p = 0.031");
}
