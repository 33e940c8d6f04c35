//! One JSON object for each benchmark: the fields that other tools read.

mod insight;

use serde::Serialize;
use serde_json::{Map, Value};

use super::entry::NOT_RUN;
use crate::gate::Checked;
use crate::rates::Share;
use crate::schema::{Code, Domain};
use crate::snapshot::{Changes, decision, flips};

use insight::{InsightLine, insight};

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    verdict: String,
    reason: &'a str,
    passes: bool,
    method: String,
    variant: Option<String>,
    seed: u64,
    runtime: &'a str,
    device: String,
    counterexamples: u64,
    people: u64,
    tested: u64,
    iterations: u64,
    queries: u64,
    calls: u64,
    batch_rows: usize,
    afterwards: u64,
    settled: u64,
    seconds: f64,
    model_seconds: f64,
    afterwards_seconds: f64,
    rates: RateLines,
    groups: Option<super::groups::GroupsLine<'a>>,
    global: GlobalLine,
    snapshot: String,
    snapshot_message: &'a str,
    replay: ReplayLine,
    changes: Option<ChangesLine<'a>>,
    progress: &'a [[u64; 2]],
    notes: &'a [String],
    decisions: &'a [String],
    favourable: Option<&'a str>,
    constraints: Vec<&'a str>,
    pairs: Vec<PairLine>,
    #[serde(flatten)]
    insight: Option<InsightLine<'a>>,
}

#[derive(Serialize)]
struct RateLines {
    search: SearchLine,
    dataset: DatasetLine,
    domain: DomainLine,
}

#[derive(Serialize)]
struct SearchLine {
    value: Option<f64>,
    limit: Option<f64>,
}

#[derive(Serialize)]
struct DatasetLine {
    value: Option<f64>,
    of: u64,
    limit: Option<f64>,
}

#[derive(Serialize)]
struct DomainLine {
    value: Option<f64>,
    lower: f64,
    upper: f64,
    confidence: f64,
    sampled: u64,
    exact: bool,
    people: Option<u64>,
    undecided: u64,
    limit: Option<f64>,
}

#[derive(Serialize)]
struct GlobalLine {
    seeds: usize,
    found: usize,
}

#[derive(Serialize)]
struct ReplayLine {
    still_there: usize,
    fixed: usize,
}

#[derive(Serialize)]
struct ChangesLine<'a> {
    recorded: u64,
    new: &'a [usize],
    gone: Vec<GoneLine<'a>>,
}

#[derive(Serialize)]
struct GoneLine<'a> {
    flips: &'a str,
    scores: [f64; 2],
    still_there: Option<bool>,
    person: &'a Map<String, Value>,
    counterpart: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct PairLine {
    flips: String,
    scores: [f32; 2],
    decisions: [String; 2],
    gap: f32,
    boundary: Option<[f32; 2]>,
    distinct_decisions: Option<usize>,
    shrunk: bool,
    changed_before: Option<usize>,
    person: Map<String, Value>,
    counterpart: Map<String, Value>,
    nearest: Option<NearestLine>,
}

#[derive(Serialize)]
struct NearestLine {
    changed: usize,
    distance: f64,
    person: Map<String, Value>,
}

/// The benchmark as one line of JSON, without the line end.
pub fn json(checked: &Checked) -> String {
    let result = &checked.result;
    let value = |share: Share| share.value();
    let (rates, limits) = (&result.rates, &checked.limits);
    let line = Line {
        name: &result.name,
        verdict: result.verdict.to_string(),
        reason: &result.reason,
        passes: checked.passes(),
        method: result.method.to_string(),
        variant: result.variant.map(|variant| variant.to_string()),
        seed: result.seed,
        runtime: &result.runtime,
        device: result.device.to_string(),
        counterexamples: result.counterexamples,
        people: result.people,
        tested: result.tested,
        iterations: result.counts.iterations,
        queries: result.counts.queries,
        calls: result.counts.calls,
        batch_rows: result.counts.batch_rows,
        afterwards: result.counts.afterwards,
        settled: result.counts.settled,
        seconds: result.seconds,
        model_seconds: result.counts.model_seconds,
        afterwards_seconds: result.counts.afterwards_seconds,
        rates: RateLines {
            search: SearchLine {
                value: value(rates.search),
                limit: limits.search,
            },
            dataset: DatasetLine {
                value: value(rates.dataset),
                of: rates.dataset.of,
                limit: limits.dataset,
            },
            domain: DomainLine {
                value: value(rates.domain.share),
                lower: rates.domain.lower,
                upper: rates.domain.upper,
                confidence: rates.domain.confidence,
                sampled: rates.domain.share.of,
                exact: rates.domain.exact,
                people: rates.domain.people,
                undecided: rates.domain.undecided,
                limit: limits.domain,
            },
        },
        groups: super::groups::line(checked),
        global: GlobalLine {
            seeds: result.global.seeds,
            found: result.global.found,
        },
        snapshot: checked.snapshot.state.to_string(),
        snapshot_message: &checked.snapshot.message,
        replay: ReplayLine {
            still_there: result.replay.still_there,
            fixed: result.replay.fixed,
        },
        changes: checked.snapshot.changes.as_ref().map(changes),
        progress: &result.progress,
        notes: &result.notes,
        decisions: &result.decisions,
        favourable: result.favourable.as_deref(),
        constraints: result.findings.space().constraints().collect(),
        pairs: pairs(checked),
        insight: insight(result),
    };
    // A tree of strings, numbers and lists always has a JSON form.
    serde_json::to_string(&line).unwrap_or_default()
}

#[derive(Serialize)]
struct NotRunLine<'a> {
    name: &'a str,
    verdict: &'static str,
    reason: &'static str,
    passes: bool,
}

/// A benchmark that was not begun, as one line of JSON without the line end.
pub(crate) fn json_not_run(name: &str) -> String {
    let line = NotRunLine {
        name,
        verdict: "not-run",
        reason: NOT_RUN,
        passes: false,
    };
    serde_json::to_string(&line).unwrap_or_default()
}

fn changes(changes: &Changes) -> ChangesLine<'_> {
    let gone = changes.gone.iter().map(|pair| GoneLine {
        flips: &pair.flips,
        scores: pair.scores,
        still_there: pair.still_there,
        person: &pair.person,
        counterpart: &pair.counterpart,
    });
    ChangesLine {
        recorded: changes.recorded,
        new: &changes.new,
        gone: gone.collect(),
    }
}

fn pairs(checked: &Checked) -> Vec<PairLine> {
    let result = &checked.result;
    let space = result.findings.space();
    let words = |person: &[Code]| {
        let attributes = space.schema().attributes().iter().zip(person);
        attributes
            .map(|(attribute, &code)| (attribute.name.clone(), value(&attribute.domain, code)))
            .collect()
    };
    let pair = |pair: &crate::findings::Counterexample| PairLine {
        flips: flips(pair, space, &result.decisions),
        scores: pair.scores,
        decisions: [0, 1].map(|side| decision(pair, side, &result.decisions)),
        gap: pair.gap,
        boundary: pair.boundary,
        distinct_decisions: pair.distinct_decisions,
        shrunk: pair.shrunk,
        changed_before: pair.changed_before,
        person: words(&pair.person),
        counterpart: words(&pair.counterpart),
        nearest: pair.nearest.as_ref().map(|nearest| NearestLine {
            changed: nearest.changed,
            distance: nearest.distance,
            person: words(&nearest.person),
        }),
    };
    result.shown_pairs().iter().map(pair).collect()
}

/// Numbers as numbers, truth values as such, categories and dates by name.
pub(super) fn value(domain: &Domain, code: Code) -> Value {
    match domain {
        Domain::Integers { min, .. } => (min + i64::from(code)).into(),
        Domain::Decimals { .. } => domain.number(code).into(),
        Domain::Truth => (code == 1).into(),
        Domain::Categories(_) | Domain::Dates { .. } => domain.text(code).into_owned().into(),
    }
}
