//! How the groups of the dataset's people are decided about: the usual group metrics.

use maud::{Markup, html};
use serde_json::Value;

use super::bar::bar;
use super::scrolling;
use super::told::{Groups, Told, group_in_words, in_words};
use crate::verdict::percent;
use crate::words::grouped;

/// The section about groups.
pub(super) fn section(told: &Told) -> Markup {
    let Some(groups) = &told.groups else {
        return html! {};
    };
    html! {
        section {
            h3 { "Group metrics" }
            p.soft {
                "Averages over "
                @if let Some(of) = groups.of { (grouped(of)) " of " }
                "the dataset's people"
                @if let Some(favourable) = &groups.favourable { ", for the decision " q { (favourable) } }
                @if groups.assumed { " (assumed: it has the higher score; the spec does not say what people hope for)" }
                ". They do not show single people: gains and losses cancel out."
            }
            dl.facts {
                @for (name, value) in &groups.metrics {
                    div {
                        dt { (name.replace('_', " ")) }
                        dd { (metric(value)) (limit(groups.limits.get(name))) }
                    }
                }
            }
            @if !groups.by_group.is_empty() { (scrolling("Groups", &table(groups))) }
            @if groups.empty + groups.outside > 0 {
                p.soft {
                    "Left out: " (grouped(groups.empty)) " groups with nobody in the dataset, and "
                    (grouped(groups.outside)) " people who are in no group."
                }
            }
        }
    }
}

fn metric(value: &Value) -> String {
    match value {
        Value::Bool(true) => "holds".to_owned(),
        Value::Bool(false) => "does not hold".to_owned(),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), |number| format!("{number:.3}")),
        other => in_words(other),
    }
}

/// The limit, where there is one.
fn limit(limit: Option<&Value>) -> String {
    match limit {
        None | Some(Value::Null | Value::Bool(false)) => String::new(),
        Some(Value::Bool(true)) => ", must hold".to_owned(),
        Some(limit) => format!(", limit {}", metric(limit)),
    }
}

fn table(groups: &Groups) -> Markup {
    let labelled = groups
        .by_group
        .iter()
        .any(|one| one.true_positive_rate.is_some());
    let share = |share: Option<f64>| share.map_or_else(|| "unknown".to_owned(), percent);
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "group" }
                    th.number scope="col" { "people" }
                    th.number scope="col" { "favourable" }
                    th.number scope="col" { "rate" }
                    th scope="col" { span.hidden { "rate, drawn" } }
                    @if labelled {
                        th.number scope="col" { "true positive rate" }
                        th.number scope="col" { "of" }
                    }
                }
            }
            tbody {
                @for one in &groups.by_group {
                    tr {
                        th scope="row" { (group_in_words(&one.group)) }
                        td.number { (grouped(one.people)) }
                        td.number { (grouped(one.selected)) }
                        td.number { (share(one.rate)) }
                        td { (bar(one.rate.unwrap_or_default())) }
                        @if labelled {
                            td.number { (share(one.true_positive_rate)) }
                            td.number { (one.positives.map_or_else(String::new, grouped)) }
                        }
                    }
                }
            }
        }
    }
}
