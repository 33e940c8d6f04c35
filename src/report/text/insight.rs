//! What all counterexamples have in common, in a few lines.

use std::cmp::Reverse;

use crate::insight::{Direction, Favoured, Insight, Kind, Kinds, Source};
use crate::report::kinds::kind;
use crate::result::BenchmarkResult;
use crate::schema::{Code, Space};
use crate::verdict::percent;
use crate::words::grouped;

/// Groups that are named before the others are left out.
const GROUPS: usize = 4;

/// Directions that are named where no decision is the favourable one.
const DIRECTIONS: usize = 3;

/// Attributes that are named.
const HINGES: usize = 4;

/// An attribute that fewer flips hang on than this is not named.
const LEAST_HINGE: f64 = 0.05;

/// A label and what is said under it: lines of their own, to be wrapped.
pub(super) type Part = (&'static str, Vec<String>);

/// Which way the flips go: enough where a benchmark passes.
pub(super) fn flips(result: &BenchmarkResult) -> Option<Part> {
    let insight = result.insight.as_ref()?;
    let lines = match insight.favourable {
        Some(decision) if !insight.favoured.is_empty() => {
            vec![favoured(result, insight, decision)]
        }
        _ => {
            let most = insight.directions.iter().take(DIRECTIONS);
            most.map(|one| direction(result, one)).collect()
        }
    };
    (!lines.is_empty()).then_some(("flips", lines))
}

/// Everything else that somebody needs to know who has to mend the model.
pub(super) fn details(result: &BenchmarkResult) -> Vec<Part> {
    let Some(insight) = &result.insight else {
        return Vec::new();
    };
    let space = result.findings.space();
    let who = insight.kinds.kinds.iter();
    let who: Vec<String> = who
        .flat_map(|one| who_lines(space, &insight.kinds, one))
        .collect();
    let hang_on = hang_on(space, insight);
    let gap = insight.severity.gap.map(|gap| {
        format!(
            "{:.3} between the two scores in the median, {:.3} at the most",
            gap.median, gap.largest
        )
    });
    [
        ("who", who),
        ("hang on", hang_on.into_iter().collect()),
        ("gap", gap.into_iter().collect()),
    ]
    .into_iter()
    .filter(|(_, lines)| !lines.is_empty())
    .collect()
}

/// `sex: as Male 96.1 % of the people found get ">50K", as Female 3.9 %`.
fn favoured(result: &BenchmarkResult, insight: &Insight, decision: usize) -> String {
    let space = result.findings.space();
    let mut groups: Vec<&Favoured> = insight.favoured.iter().collect();
    // Exactly comparable, and the first of equals first.
    groups.sort_by_key(|group| Reverse(group.favourable * 1_000_000 / group.of.max(1)));
    let name = result.decisions.get(decision).map_or("", String::as_str);
    let attribute = attribute(space);
    let words = |index: usize, group: &Favoured| {
        let share = percent(group.share());
        let values = values(space, group.group);
        match index {
            0 => format!(
                "{attribute}as {values} {share} {} get {name:?}",
                of_found(insight, result)
            ),
            _ => format!("as {values} {share}"),
        }
    };
    let shown = |index: usize| groups.len() <= GROUPS + 1 || index < GROUPS - 1;
    let mut parts: Vec<String> = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        if shown(index) || index + 1 == groups.len() {
            parts.push(words(index, group));
        } else if index == GROUPS - 1 {
            parts.push("...".to_owned());
        }
    }
    parts.join(", ")
}

/// `sex: Female -> Male turns "no" into "yes" for 41.0 % of the people found`.
fn direction(result: &BenchmarkResult, direction: &Direction) -> String {
    let space = result.findings.space();
    let attribute = attribute(space);
    let [from, to] = [direction.from, direction.to].map(|group| values(space, group));
    let name = |decision: usize| result.decisions.get(decision);
    let share = percent(direction.share);
    let of = match &result.insight {
        Some(insight) => of_found(insight, result),
        None => String::new(),
    };
    match (name(direction.from_decision), name(direction.to_decision)) {
        (Some(own), Some(other)) => {
            format!("{attribute}{from} -> {to} turns {own:?} into {other:?} for {share} {of}")
        }
        _ => {
            let way = if direction.to_decision > direction.from_decision {
                "rises"
            } else {
                "falls"
            };
            format!("{attribute}{from} -> {to}: the number {way} for {share} {of}")
        }
    }
}

/// Whom a share is of.
fn of_found(insight: &Insight, result: &BenchmarkResult) -> String {
    match insight.looked_at == result.counterexamples {
        true => "of the people found".to_owned(),
        false => format!(
            "of {} people found, drawn evenly,",
            grouped(insight.looked_at)
        ),
    }
}

/// `sex: ` where this is the only protected attribute; the values say it where there are several.
fn attribute(space: &Space) -> String {
    match space.protected() {
        [only] => format!("{}: ", space.schema().attributes()[*only].name),
        _ => String::new(),
    }
}

/// The protected values of a combination: `Male`, or `sex Male, race Black` where there are several.
fn values(space: &Space, combination: usize) -> String {
    let codes = space
        .protected()
        .iter()
        .zip(&space.combinations()[combination]);
    let one = |(&position, &code): (&usize, &Code)| {
        let attribute = &space.schema().attributes()[position];
        match space.protected() {
            [_] => attribute.domain.text(code).into_owned(),
            _ => format!("{} {}", attribute.name, attribute.domain.text(code)),
        }
    };
    codes.map(one).collect::<Vec<_>>().join(", ")
}

/// A rule, and below it whom it covers.
fn who_lines(space: &Space, kinds: &Kinds, one: &Kind) -> [String; 2] {
    let like_this = match (one.share.value(), kinds.everyone.value()) {
        (Some(value), Some(all)) => {
            let whom = match kinds.source {
                Source::Dataset => "in the dataset",
                Source::Domain => "of all possible people, drawn evenly,",
                Source::Search => "of the people tested, drawn evenly,",
            };
            format!(
                "; {whom} {} of such people are counterexamples, {} of all",
                percent(value),
                percent(all)
            )
        }
        _ => String::new(),
    };
    [
        kind(space.schema(), &one.conditions),
        format!("  {} of the people found{like_this}", percent(one.coverage)),
    ]
}

/// `education-num 71 %, capital-gain 64 % (of flips vanish if only this changes)`.
fn hang_on(space: &Space, insight: &Insight) -> Option<String> {
    let named: Vec<String> = insight
        .hinges
        .iter()
        .take(HINGES)
        .filter(|hinge| hinge.share() >= LEAST_HINGE)
        .map(|hinge| {
            let name = &space.schema().attributes()[hinge.attribute].name;
            format!("{name} {:.0} %", hinge.share() * 100.0)
        })
        .collect();
    let sentence = "of flips vanish if only this changes";
    (!named.is_empty()).then(|| format!("{} ({sentence})", named.join(", ")))
}
