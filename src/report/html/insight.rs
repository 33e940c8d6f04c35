//! What the findings have in common: how bad they are, rules, what they hang on, subgroups.

use maud::{Markup, html};

use super::bar::bar;
use super::told::{MeasuredOn, Rule, Spread, Told, in_words};
use super::{scrolling, three_decimals};
use crate::verdict::percent;
use crate::words::grouped;

/// How bad the counterexamples are.
pub(super) fn severity(told: &Told) -> Markup {
    let Some(severity) = &told.severity else {
        return html! {};
    };
    let spreads = [
        ("gap between the scores", &severity.gap),
        ("distance from the boundary", &severity.boundary),
    ];
    let spreads: Vec<(&str, &Spread)> = spreads
        .into_iter()
        .filter_map(|(name, spread)| spread.as_ref().map(|spread| (name, spread)))
        .collect();
    let decisions: Vec<String> = severity
        .distinct_decisions
        .iter()
        .map(|[decisions, count]| format!("{decisions} for {}", grouped(*count)))
        .collect();
    html! {
        section {
            h3 { "How bad" }
            @if !spreads.is_empty() { (scrolling("How bad, over all counterexamples", &spread_table(&spreads))) }
            @if let Some(looked_at) = told.looked_at.filter(|looked_at| *looked_at < told.counterexamples) {
                p.soft {
                    "Measured on " (grouped(looked_at)) " of the " (grouped(told.counterexamples))
                    " counterexamples, chosen evenly."
                }
            }
            // Two are what makes a counterexample; more than two is worth a word.
            @if severity.distinct_decisions.iter().any(|[decisions, _]| *decisions > 2) {
                p {
                    "Different decisions over all protected values: " (decisions.join(", "))
                    " of the counterexamples."
                }
            }
        }
    }
}

fn spread_table(spreads: &[(&str, &Spread)]) -> Markup {
    let number = |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), three_decimals);
    html! {
        table {
            caption { "Over all counterexamples" }
            thead {
                tr {
                    th scope="col" { "measure" }
                    @for name in ["mean", "median", "90 % are below", "largest"] {
                        th.number scope="col" { (name) }
                    }
                }
            }
            tbody {
                @for (name, spread) in spreads {
                    tr {
                        th scope="row" { (name) }
                        td.number { (number(spread.mean)) }
                        td.number { (number(spread.median)) }
                        td.number { (number(spread.p90)) }
                        td.number { (number(spread.largest)) }
                    }
                }
            }
        }
    }
}

/// Short rules that many counterexamples keep to.
pub(super) fn rules(told: &Told) -> Markup {
    if told.rules.is_empty() {
        return html! {};
    }
    html! {
        section {
            h3 { "Rules" }
            p.soft {
                "What kind of person is discriminated. Coverage: the share of all counterexamples that a \
                 rule holds for. Precision: the share of people with a counterpart who is decided \
                 otherwise, among those for whom it holds."
                @if let Some(on) = &told.rules_measured_on { " " (measured_on(on)) }
            }
            ol.rules {
                @for rule in &told.rules {
                    li {
                        p { (rule.text) }
                        dl {
                            div { dt { "coverage" } dd { (percent(rule.coverage)) " " (bar(rule.coverage)) } }
                            div { dt { "found" } dd { (grouped(rule.found)) } }
                            @if let Some(precision) = rule.precision {
                                div {
                                    dt { "precision" }
                                    dd { (percent(precision)) " " (bar(precision)) " " (counted(rule)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn measured_on(on: &MeasuredOn) -> String {
    let people = match on.source.as_str() {
        "dataset" => "people of the dataset",
        "domain" => "people drawn from the domain",
        _ => "people whom the search tested",
    };
    let all = on.share.map_or_else(String::new, |share| {
        format!(", of whom {} have one", percent(share))
    });
    format!("It is measured on {} {people}{all}.", grouped(on.tested))
}

/// `9 of 20`, where that is known.
fn counted(rule: &Rule) -> String {
    rule.discriminated
        .map_or_else(String::new, |discriminated| {
            format!("({} of {})", grouped(discriminated), grouped(rule.tested))
        })
}

/// The attributes that the flips hang on.
pub(super) fn hinges(told: &Told) -> Markup {
    if told.hinges.is_empty() {
        return html! {};
    }
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "attribute" }
                    th.number scope="col" { "share" }
                    th scope="col" { span.hidden { "share, drawn" } }
                    th.number scope="col" { "vanished" }
                    th.number scope="col" { "of" }
                }
            }
            tbody {
                @for hinge in &told.hinges {
                    tr {
                        th scope="row" { (hinge.attribute) }
                        td.number { (percent(hinge.share)) }
                        td { (bar(hinge.share)) }
                        td.number { (hinge.vanished.map_or_else(String::new, grouped)) }
                        td.number { (hinge.of.map_or_else(String::new, grouped)) }
                    }
                }
            }
        }
    };
    html! {
        section {
            h3 { "What the flips hang on" }
            p.soft {
                "How often a flip vanishes when this attribute alone has another real person's value."
            }
            (scrolling("Attributes that the flips hang on", &table))
        }
    }
}

/// The search rate of subgroups.
pub(super) fn subgroups(told: &Told) -> Markup {
    if told.subgroups.is_empty() {
        return html! {};
    }
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "attribute" }
                    th scope="col" { "value" }
                    th.number scope="col" { "found" }
                    th.number scope="col" { "tested" }
                    th.number scope="col" { "share" }
                    th scope="col" { span.hidden { "share, drawn" } }
                }
            }
            tbody {
                @for one in &told.subgroups {
                    tr {
                        th scope="row" { (one.attribute) }
                        td { (in_words(&one.value)) }
                        td.number { (grouped(one.found)) }
                        td.number { (grouped(one.tested)) }
                        td.number { (one.share.map_or_else(|| "unknown".to_owned(), percent)) }
                        td { (bar(one.share.unwrap_or_default())) }
                    }
                }
            }
        }
    };
    html! {
        section {
            h3 { "Subgroups" }
            p.soft { "Counterexamples among the people of each group whom the search tested." }
            details {
                summary { "Table of " (told.subgroups.len()) " subgroups" }
                (scrolling("Subgroups", &table))
            }
        }
    }
}
