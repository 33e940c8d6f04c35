//! What all counterexamples have in common, as fields of the JSON object.

use serde::Serialize;
use serde_json::{Map, Value};

use super::value;
use crate::insight::{Allowed, Condition, Insight, Kinds, Source, Spread, Subgroup};
use crate::rates::Share;
use crate::report::kinds::{fewer, kind};
use crate::result::BenchmarkResult;
use crate::schema::{Code, Space};

/// The fields; they are left out where nothing was found or there was no time to look.
#[derive(Serialize)]
pub(super) struct InsightLine<'a> {
    severity: SeverityLine<'a>,
    looked_at: u64,
    directions: Vec<DirectionLine>,
    favourable_decision: Option<&'a str>,
    favoured: Vec<FavouredLine>,
    hinges: Vec<HingeLine<'a>>,
    rules: Vec<RuleLine>,
    rules_measured_on: MeasuredOn,
    subgroups: Vec<SubgroupLine<'a>>,
}

#[derive(Serialize)]
struct SeverityLine<'a> {
    gap: Option<SpreadLine>,
    boundary: Option<SpreadLine>,
    distinct_decisions: &'a [(usize, u64)],
}

#[derive(Serialize)]
struct SpreadLine {
    mean: f64,
    median: f64,
    p90: f64,
    largest: f64,
}

#[derive(Serialize)]
struct DirectionLine {
    from: Map<String, Value>,
    to: Map<String, Value>,
    from_decision: String,
    to_decision: String,
    count: u64,
    share: f64,
}

#[derive(Serialize)]
struct FavouredLine {
    group: Map<String, Value>,
    favourable: u64,
    of: u64,
    share: f64,
}

#[derive(Serialize)]
struct HingeLine<'a> {
    attribute: &'a str,
    share: f64,
    vanished: u64,
    of: u64,
}

#[derive(Serialize)]
struct RuleLine {
    text: String,
    conditions: Vec<ConditionLine>,
    found: u64,
    coverage: f64,
    tested: u64,
    discriminated: u64,
    precision: Option<f64>,
}

#[derive(Serialize)]
struct ConditionLine {
    attribute: String,
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<Value>,
}

/// The people whom `tested` and `precision` of the rules are counted over.
#[derive(Serialize)]
struct MeasuredOn {
    source: &'static str,
    tested: u64,
    discriminated: u64,
    share: Option<f64>,
    found: u64,
    coverage: f64,
}

#[derive(Serialize)]
struct SubgroupLine<'a> {
    attribute: &'a str,
    value: Value,
    tested: u64,
    found: u64,
    share: Option<f64>,
}

/// What there is to say about a result.
pub(super) fn insight(result: &BenchmarkResult) -> Option<InsightLine<'_>> {
    let insight = result.insight.as_ref()?;
    let space = result.findings.space();
    Some(InsightLine {
        severity: SeverityLine {
            gap: insight.severity.gap.map(spread),
            boundary: insight.severity.boundary.map(spread),
            distinct_decisions: &insight.distinct_decisions,
        },
        looked_at: insight.looked_at,
        directions: directions(result, insight),
        favourable_decision: insight
            .favourable
            .and_then(|decision| result.decisions.get(decision))
            .map(String::as_str),
        favoured: favoured(space, insight),
        hinges: hinges(space, insight),
        rules: rules(space, &insight.kinds),
        rules_measured_on: measured_on(result, &insight.kinds),
        subgroups: insight
            .subgroups
            .iter()
            .map(|s| subgroup(space, s))
            .collect(),
    })
}

fn spread(spread: Spread) -> SpreadLine {
    SpreadLine {
        mean: spread.mean,
        median: spread.median,
        p90: spread.p90,
        largest: spread.largest,
    }
}

/// The protected values of a combination by name.
fn group(space: &Space, combination: usize) -> Map<String, Value> {
    let codes = space
        .protected()
        .iter()
        .zip(&space.combinations()[combination]);
    let attribute = |(&position, &code): (&usize, &Code)| {
        let attribute = &space.schema().attributes()[position];
        (attribute.name.clone(), value(&attribute.domain, code))
    };
    codes.map(attribute).collect()
}

fn directions(result: &BenchmarkResult, insight: &Insight) -> Vec<DirectionLine> {
    let space = result.findings.space();
    let all = insight.directions.iter();
    all.map(|direction| DirectionLine {
        from: group(space, direction.from),
        to: group(space, direction.to),
        from_decision: decision(result, direction.from_decision),
        to_decision: decision(result, direction.to_decision),
        count: direction.count,
        share: direction.share,
    })
    .collect()
}

/// A decision by name; where two numbers are compared, which of them it is.
fn decision(result: &BenchmarkResult, decision: usize) -> String {
    match result.decisions.get(decision) {
        Some(name) => name.clone(),
        None => ["lower", "higher"][decision.min(1)].to_owned(),
    }
}

fn favoured(space: &Space, insight: &Insight) -> Vec<FavouredLine> {
    let all = insight.favoured.iter();
    all.map(|favoured| FavouredLine {
        group: group(space, favoured.group),
        favourable: favoured.favourable,
        of: favoured.of,
        share: favoured.share(),
    })
    .collect()
}

fn hinges<'a>(space: &'a Space, insight: &Insight) -> Vec<HingeLine<'a>> {
    let all = insight.hinges.iter();
    all.map(|hinge| HingeLine {
        attribute: &space.schema().attributes()[hinge.attribute].name,
        share: hinge.share(),
        vanished: hinge.vanished,
        of: hinge.of,
    })
    .collect()
}

fn rules(space: &Space, kinds: &Kinds) -> Vec<RuleLine> {
    let all = kinds.kinds.iter();
    all.map(|rule| RuleLine {
        text: kind(space.schema(), &rule.conditions),
        conditions: rule
            .conditions
            .iter()
            .flat_map(|condition| conditions(space, condition))
            .collect(),
        found: rule.found,
        coverage: rule.coverage,
        tested: rule.share.of,
        discriminated: rule.share.discriminated,
        precision: rule.share.value(),
    })
    .collect()
}

/// A range that has two ends is two conditions.
fn conditions(space: &Space, condition: &Condition) -> Vec<ConditionLine> {
    let attribute = &space.schema().attributes()[condition.attribute];
    let value = |code: Code| value(&attribute.domain, code);
    let line = |op, values, number| ConditionLine {
        attribute: attribute.name.clone(),
        op,
        values,
        number,
    };
    match &condition.allowed {
        Allowed::OneOf(values) => {
            let (allowed, codes) = fewer(values);
            let op = if allowed { "in" } else { "not in" };
            vec![line(op, Some(codes.into_iter().map(value).collect()), None)]
        }
        Allowed::From(first, last) => {
            let least = (*first > 0).then(|| line(">", None, Some(value(first - 1))));
            let most = *last < space.largest(condition.attribute);
            let most = most.then(|| line("<=", None, Some(value(*last))));
            least.into_iter().chain(most).collect()
        }
    }
}

fn measured_on(result: &BenchmarkResult, kinds: &Kinds) -> MeasuredOn {
    let Share { discriminated, of } = kinds.everyone;
    MeasuredOn {
        source: match kinds.source {
            Source::Dataset => "dataset",
            Source::Domain => "domain",
            Source::Search => "search",
        },
        tested: of,
        discriminated,
        share: kinds.everyone.value(),
        found: kinds.found,
        coverage: kinds.found as f64 / result.counterexamples.max(1) as f64,
    }
}

/// A range of values is written as `30 to 39`.
fn subgroup<'a>(space: &'a Space, subgroup: &Subgroup) -> SubgroupLine<'a> {
    let attribute = &space.schema().attributes()[subgroup.attribute];
    let [first, last] = subgroup.values;
    let text = |code| attribute.domain.text(code);
    SubgroupLine {
        attribute: &attribute.name,
        value: match first == last {
            true => value(&attribute.domain, first),
            false => format!("{} to {}", text(first), text(last)).into(),
        },
        tested: subgroup.share.of,
        found: subgroup.share.discriminated,
        share: subgroup.share.value(),
    }
}
