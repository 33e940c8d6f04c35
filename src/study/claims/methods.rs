//! What the paper claims of the methods (RQ2).

use crate::study::contender::{PAPER, title};
use crate::study::plan::Question;
use crate::study::results::{About, Metric, Results, Which};
use crate::study::stats::{SIGNIFICANT, mean, paired, welch};

use super::ratio::Ratio;
use super::{Claim, Judgement, p_value};

/// A claim that MAFT finds so many times as many as another method.
const COUNTS: [(&str, &str, f64); 3] = [
    (
        "aequitas",
        "MAFT finds 14.69 times as many counterexamples as AEQUITAS",
        14.6942,
    ),
    ("adf", "MAFT finds 7.92 % more than ADF", 1.0792),
    ("eidig", "MAFT finds 5.58 % more than EIDIG", 1.0558),
];

/// The same, in a second.
const SPEEDS: [(&str, &str); 3] = [
    (
        "aequitas",
        "MAFT is 28.41 % slower than AEQUITAS, in counterexamples a second",
    ),
    ("adf", "MAFT is 70.77 % faster than ADF"),
    ("eidig", "MAFT is 15.91 % slower than EIDIG"),
];

pub(super) fn judge(results: &Results<'_>) -> Vec<Claim> {
    if !results.has(Question::Two) {
        return Vec::new();
    }
    let counts = COUNTS.map(|(method, text, claimed)| count(results, method, text, claimed));
    let speeds = SPEEDS.map(|(method, text)| speed(results, method, text));
    let mut claims: Vec<Claim> = counts.into_iter().chain(speeds).collect();
    claims.push(alike(results));
    claims
}

/// The claim about several protected attributes.
pub(super) fn judge_several(results: &Results<'_>) -> Option<Claim> {
    results.has(Question::Two).then(|| intersectional(results))
}

fn of(method: &str) -> Which<'_> {
    Which::method(Question::Two, method)
}

fn count(results: &Results<'_>, method: &str, text: &'static str, claimed: f64) -> Claim {
    match Ratio::new(&results.pairs(of(PAPER), of(method), Metric::Count)) {
        Some(ratio) => Claim {
            text,
            judgement: ratio.is_at_least(claimed),
            measured: ratio.words(),
        },
        None => missing(results, method, text),
    }
}

/// Seconds here are of another machine, and of calls with the rows of all seeds in them.
fn speed(results: &Results<'_>, method: &str, text: &'static str) -> Claim {
    match Ratio::new(&results.pairs(of(PAPER), of(method), Metric::PerSecond)) {
        Some(ratio) => Claim {
            text,
            judgement: Judgement::NotComparable,
            measured: format!(
                "{}; the paper's methods ask for one person at a time, these for all at once",
                ratio.words()
            ),
        },
        None => missing(results, method, text),
    }
}

fn missing(results: &Results<'_>, method: &str, text: &'static str) -> Claim {
    let took_part = results
        .contenders
        .iter()
        .any(|contender| contender.name == method);
    Claim {
        text,
        judgement: Judgement::NotComparable,
        measured: match took_part {
            true => "there are too few benchmarks in which both found anybody".into(),
            false => format!("{} took no part", title(method)),
        },
    }
}

/// No significant difference in what MAFT, EIDIG and ADF find.
fn alike(results: &Results<'_>) -> Claim {
    let text = "what MAFT, EIDIG and ADF find does not differ significantly (t-tests)";
    let pairs = [(PAPER, "eidig"), (PAPER, "adf"), ("eidig", "adf")];
    let mut words = Vec::new();
    let mut differing = Vec::new();
    for (one, other) in pairs {
        let [first, second] = results.pairs(of(one), of(other), Metric::Count);
        let (Some(whole), Some(pairwise)) = (welch(&first, &second), paired(&first, &second))
        else {
            continue;
        };
        differing.push(whole.p < SIGNIFICANT || pairwise.p < SIGNIFICANT);
        words.push(format!(
            "{} and {}: {}, benchmark by benchmark {}",
            title(one),
            title(other),
            p_value(whole.p),
            p_value(pairwise.p)
        ));
    }
    if words.len() < pairs.len() {
        return Claim {
            text,
            judgement: Judgement::NotComparable,
            measured: "not all three took part".into(),
        };
    }
    Claim {
        text,
        judgement: Judgement::when(!differing.contains(&true)),
        measured: words.join("; "),
    }
}

/// The methods that MAFT is claimed to be ahead of.
const PUBLISHED: [&str; 4] = ["eidig", "adf", "aequitas", "sg"];

/// MAFT ahead of all published methods where several attributes are protected at once.
fn intersectional(results: &Results<'_>) -> Claim {
    let several = results.benchmarks.iter();
    let several: Vec<&About> = several.filter(|about| about.protected.len() > 1).collect();
    let others = results.contenders.iter().map(|contender| contender.name);
    let others: Vec<&str> = others.filter(|name| PUBLISHED.contains(name)).collect();
    let text = "MAFT finds more than the other methods with several protected attributes, too";
    if several.is_empty() || others.is_empty() {
        return Claim {
            text,
            judgement: Judgement::NotComparable,
            measured: "no benchmark has several protected attributes, or no other method took part"
                .into(),
        };
    }
    let ahead = several
        .iter()
        .filter(|about| is_ahead(results, about, &others));
    let ahead = ahead.count();
    let titles: Vec<&str> = others.iter().map(|other| title(other)).collect();
    Claim {
        text,
        judgement: Judgement::when(ahead == several.len()),
        measured: format!(
            "MAFT finds the most in {ahead} of {} such benchmarks, against {}",
            several.len(),
            titles.join(", ")
        ),
    }
}

/// Whether MAFT finds more than each of the others in a benchmark.
fn is_ahead(results: &Results<'_>, about: &About, others: &[&str]) -> bool {
    let found = |method: &str| {
        let counts = results.values(of(method).on(&about.name), Metric::Count);
        mean(&counts).unwrap_or_default()
    };
    let paper = found(PAPER);
    others.iter().all(|other| paper > found(other))
}
