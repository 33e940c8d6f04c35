//! What the protected groups get, for the terminal and as JSON.

use serde::Serialize;
use serde_json::{Map, Value};

use super::json::value;
use super::text::BELOW;
use crate::gate::Checked;
use crate::rates::{Group, GroupMetrics};
use crate::schema::Space;
use crate::spec::GroupLimits;
use crate::verdict::{in_words, percent};
use crate::words::grouped;

/// Groups that are told one by one in the terminal, at the most.
const SHOWN: usize = 6;

/// The metrics in a few lines; none where the spec does not limit them.
pub(super) fn lines(checked: &Checked) -> Vec<String> {
    let limits = &checked.limits.groups;
    let Some(metrics) = checked
        .result
        .groups
        .as_ref()
        .filter(|_| !limits.is_empty())
    else {
        return Vec::new();
    };
    let space = checked.result.findings.space();
    let mut lines = metric_lines(metrics, limits);
    let assumed = match metrics.assumed {
        true => " (the one with the higher score; `favourable` under the model says otherwise)",
        false => "",
    };
    lines.push(format!(
        "{BELOW}of these get the decision {:?}{assumed}:",
        metrics.favourable
    ));
    lines.extend(group_lines(metrics, space));
    lines.extend(left_out(metrics));
    lines
}

/// The groups by their shares; of many the lowest and the highest.
fn group_lines(metrics: &GroupMetrics, space: &Space) -> Vec<String> {
    let mut groups: Vec<&Group> = metrics.groups.iter().collect();
    groups.sort_by(|one, other| one.rate().total_cmp(&other.rate()));
    let line = |group: &&Group| {
        let (rate, people) = (percent(group.rate()), grouped(group.people));
        format!("{rate:>17}  {} ({people} people)", in_words(space, group))
    };
    let more = groups.len().saturating_sub(SHOWN);
    if more == 0 {
        return groups.iter().map(line).collect();
    }
    let (lowest, highest) = (&groups[..SHOWN / 2], &groups[groups.len() - SHOWN / 2..]);
    let between = format!("{BELOW}{more} more between");
    let mut lines: Vec<String> = lowest.iter().map(line).collect();
    lines.push(between);
    lines.extend(highest.iter().map(line));
    lines
}

fn metric_lines(metrics: &GroupMetrics, limits: &GroupLimits) -> Vec<String> {
    let unknown = || "unknown".to_owned();
    let share = |value: Option<f64>| value.map_or_else(unknown, percent);
    let limit = |limit: Option<String>| limit.map_or_else(String::new, |l| format!(" (limit {l})"));
    let ratio = metrics.demographic_parity_ratio();
    let ratio = ratio.map_or_else(unknown, |ratio| format!("{ratio:.3}"));
    let rule = match (metrics.four_fifths(), limits.four_fifths) {
        (Some(true), _) => ", four-fifths rule kept",
        (Some(false), _) => ", four-fifths rule broken",
        (None, _) => "",
    };
    let mut lines = vec![format!(
        "groups   {:>8}  demographic parity difference{}; ratio {ratio}{}{rule}",
        share(metrics.demographic_parity_difference()),
        limit(limits.demographic_parity_difference.map(percent)),
        limit(limits.demographic_parity_ratio.map(|l| l.to_string()))
    )];
    if metrics.labelled {
        lines.push(format!(
            "         {:>8}  equal opportunity difference{}",
            share(metrics.equal_opportunity_difference()),
            limit(limits.equal_opportunity_difference.map(percent))
        ));
    }
    lines
}

/// Who is in none of the groups that are compared.
fn left_out(metrics: &GroupMetrics) -> Option<String> {
    let mut parts = Vec::new();
    if metrics.empty > 0 {
        let groups = if metrics.empty == 1 {
            "group has"
        } else {
            "groups have"
        };
        parts.push(format!(
            "{} {groups} nobody in the dataset",
            grouped(metrics.empty)
        ));
    }
    if metrics.outside > 0 {
        let people = if metrics.outside == 1 {
            "person is"
        } else {
            "people are"
        };
        parts.push(format!("{} {people} in no group", grouped(metrics.outside)));
    }
    (!parts.is_empty()).then(|| format!("{BELOW}left out: {}", parts.join("; ")))
}

/// The metrics as they stand in the JSON of a benchmark.
#[derive(Serialize)]
pub(super) struct GroupsLine<'a> {
    of: u64,
    favourable: &'a str,
    assumed: bool,
    metrics: MetricsLine,
    limits: LimitsLine,
    by_group: Vec<GroupLine>,
    empty: u64,
    outside: u64,
}

#[derive(Serialize)]
struct MetricsLine {
    demographic_parity_difference: Option<f64>,
    demographic_parity_ratio: Option<f64>,
    four_fifths: Option<bool>,
    equal_opportunity_difference: Option<f64>,
}

#[derive(Serialize)]
struct LimitsLine {
    demographic_parity_difference: Option<f64>,
    demographic_parity_ratio: Option<f64>,
    four_fifths: bool,
    equal_opportunity_difference: Option<f64>,
}

#[derive(Serialize)]
struct GroupLine {
    group: Map<String, Value>,
    people: u64,
    selected: u64,
    rate: f64,
    positives: Option<u64>,
    true_positive_rate: Option<f64>,
}

/// The metrics of a benchmark, if they are known.
pub(super) fn line(checked: &Checked) -> Option<GroupsLine<'_>> {
    let metrics = checked.result.groups.as_ref()?;
    let (space, limits) = (checked.result.findings.space(), &checked.limits.groups);
    let by_group = metrics.groups.iter().map(|group| GroupLine {
        group: named(space, group),
        people: group.people,
        selected: group.selected,
        rate: group.rate(),
        positives: metrics.labelled.then_some(group.positives),
        true_positive_rate: group.true_positive_rate(),
    });
    Some(GroupsLine {
        of: metrics.people(),
        favourable: &metrics.favourable,
        assumed: metrics.assumed,
        metrics: MetricsLine {
            demographic_parity_difference: metrics.demographic_parity_difference(),
            demographic_parity_ratio: metrics.demographic_parity_ratio(),
            four_fifths: metrics.four_fifths(),
            equal_opportunity_difference: metrics.equal_opportunity_difference(),
        },
        limits: LimitsLine {
            demographic_parity_difference: limits.demographic_parity_difference,
            demographic_parity_ratio: limits.demographic_parity_ratio,
            four_fifths: limits.four_fifths,
            equal_opportunity_difference: limits.equal_opportunity_difference,
        },
        by_group: by_group.collect(),
        empty: metrics.empty,
        outside: metrics.outside,
    })
}

/// The value of each protected attribute; words where a group has several.
fn named(space: &Space, group: &Group) -> Map<String, Value> {
    let words = space.group_words(&group.place).into_iter();
    let protections = space.protections().iter().zip(&group.place);
    words
        .zip(protections)
        .map(|((name, words), (protection, &place))| {
            let domain = &space.schema().attributes()[protection.position()].domain;
            let only = protection.only_code(place, domain);
            (
                name,
                only.map_or_else(|| words.into(), |code| value(domain, code)),
            )
        })
        .collect()
}
