//! Limits on the metrics of the dataset's groups.

use super::percent;
use crate::rates::{Extremes, FOUR_FIFTHS, Group, GroupMetrics};
use crate::schema::Space;
use crate::spec::GroupLimits;
use crate::words::grouped;

/// The limits that are exceeded, each in a sentence with the groups and how many people they have.
pub(super) fn exceeded(metrics: &GroupMetrics, limits: &GroupLimits, space: &Space) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(selection) = metrics.selection() {
        let (difference, ratio) = (selection.difference(), selection.ratio());
        let who = who(&selection, metrics, space, |group| group.people);
        if let Some(limit) = limits
            .demographic_parity_difference
            .filter(|l| difference > *l)
        {
            reasons.push(format!(
                "the demographic parity difference is {} ({who}), above the limit of {}",
                percent(difference),
                percent(limit)
            ));
        }
        let below = |limit: &f64| ratio.is_some_and(|ratio| ratio < *limit);
        let words = |ratio: Option<f64>| format!("{:.3}", ratio.unwrap_or(1.0));
        if let Some(limit) = limits.demographic_parity_ratio.filter(below) {
            reasons.push(format!(
                "the demographic parity ratio is {} ({who}), below the limit of {limit}",
                words(ratio)
            ));
        }
        if limits.four_fifths && below(&FOUR_FIFTHS) {
            reasons.push(format!(
                "the four-fifths rule is broken: the demographic parity ratio is {} ({who})",
                words(ratio)
            ));
        }
    }
    if let (Some(limit), Some(opportunity)) =
        (limits.equal_opportunity_difference, metrics.opportunity())
        && opportunity.difference() > limit
    {
        reasons.push(format!(
            "the equal opportunity difference is {} (of those with a favourable label {}), above the limit of {}",
            percent(opportunity.difference()),
            who(&opportunity, metrics, space, |group| group.positives),
            percent(limit)
        ));
    }
    reasons
}

/// Limits that there is nobody to hold against.
pub(super) fn unclear(metrics: Option<&GroupMetrics>, limits: &GroupLimits) -> Option<String> {
    if limits.is_empty() {
        return None;
    }
    let groups = metrics.map_or(0, |metrics| metrics.groups.len());
    if groups < 2 {
        let there = match groups {
            0 => "nobody",
            _ => "only one of the protected groups",
        };
        return Some(format!(
            "there is {there} in the dataset to hold `group-limits` against"
        ));
    }
    let rated = |metrics: &GroupMetrics| {
        let groups = metrics.groups.iter();
        groups.filter(|group| group.positives > 0).count()
    };
    let unknown = metrics.is_some_and(|metrics| rated(metrics) < 2);
    (limits.equal_opportunity_difference.is_some() && unknown).then(|| {
        "fewer than two groups have people whose label is the favourable one, so their opportunity \
         cannot be compared"
            .to_owned()
    })
}

/// `sex Male 26.0 % of 32,650, sex Female 7.1 % of 16,192 get ">50K"`.
fn who(
    extremes: &Extremes<'_>,
    metrics: &GroupMetrics,
    space: &Space,
    people: impl Fn(&Group) -> u64,
) -> String {
    let group = |(group, rate): (&Group, f64)| {
        let people = grouped(people(group));
        format!("{} {} of {people}", in_words(space, group), percent(rate))
    };
    format!(
        "{}, {} get {:?}",
        group(extremes.highest),
        group(extremes.lowest),
        metrics.favourable
    )
}

/// `sex Male, race Black`.
pub(crate) fn in_words(space: &Space, group: &Group) -> String {
    let words = space.group_words(&group.place).into_iter();
    let words: Vec<String> = words
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    words.join(" and ")
}
