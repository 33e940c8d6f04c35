//! The three rates, drawn on one scale and as a table.

use maud::{Markup, html};

use super::scrolling;
use super::told::{Rate, Told};
use crate::spec::Limits;
use crate::verdict::percent;
use crate::words::grouped;

/// Where the scale has a mark.
const MARKS: [f64; 8] = [0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0];

/// The section about the rates.
pub(super) fn section(name: &str, told: &Told, limits: &Limits) -> Markup {
    let rates = [
        ("search", &told.rates.search),
        ("dataset", &told.rates.dataset),
        ("domain", &told.rates.domain),
    ];
    html! {
        section {
            h3 { "Rates" }
            p {
                (grouped(told.counterexamples)) " counterexamples among "
                (grouped(told.tested)) " people tested by the search; "
                (grouped(told.people)) " people apart from protected attributes."
                @if let Some(most) = limits.max_counterexamples {
                    " At most " (grouped(most)) " counterexamples are allowed."
                }
            }
            (drawing(name, &rates))
            (scrolling("Rates as a table", &table(told, &rates)))
        }
    }
}

/// How far along the scale a rate stands. Rates are small and limits smaller, so the scale is that of
/// square roots: 1 % stands at a tenth, 25 % at the middle.
fn place(rate: f64) -> String {
    format!("{:.2}%", 100.0 * rate.clamp(0.0, 1.0).sqrt())
}

fn drawing(name: &str, rates: &[(&str, &Rate); 3]) -> Markup {
    let ids = (format!("rates-{name}"), format!("rates-words-{name}"));
    let words: Vec<String> = rates
        .iter()
        .map(|(name, rate)| in_a_sentence(name, rate))
        .collect();
    html! {
        figure.rates role="img" aria-labelledby=(ids.0) aria-describedby=(ids.1) {
            p.hidden id=(ids.0) { "The three rates with their limits, on one scale" }
            p.hidden id=(ids.1) { (words.join(" ")) }
            @for (name, rate) in rates {
                div.rate aria-hidden="true" {
                    span.label { (name) }
                    span.value { (rate.value.map_or_else(|| "unknown".to_owned(), percent)) }
                    (track(rate))
                }
            }
            div.scale aria-hidden="true" { (scale()) }
            p.legend aria-hidden="true" {
                span { (sample_of("dot")) " rate" }
                span { (sample_of("interval")) " confidence interval" }
                span { (sample_of("limit")) " limit" }
                span { "The scale is stretched near 0." }
            }
        }
    }
}

fn in_a_sentence(name: &str, rate: &Rate) -> String {
    let value = rate.value.map_or_else(|| "unknown".to_owned(), percent);
    let interval = match (rate.lower, rate.upper) {
        (Some(lower), Some(upper)) if !rate.exact => {
            format!(", between {} and {}", percent(lower), percent(upper))
        }
        _ => String::new(),
    };
    let limit = rate.limit.map_or_else(String::new, |limit| {
        format!(", with a limit of {}", percent(limit))
    });
    format!("The {name} rate is {value}{interval}{limit}.")
}

/// The line of one rate: where it is, its interval and its limit.
fn track(rate: &Rate) -> Markup {
    html! {
        svg.track width="100%" height="28" focusable="false" {
            @for mark in MARKS { line.grid x1=(place(mark)) x2=(place(mark)) y1="0" y2="28" {} }
            @if let (Some(lower), Some(upper)) = (rate.lower, rate.upper) {
                line.interval x1=(place(lower)) x2=(place(upper)) y1="14" y2="14" {}
            }
            @if let Some(limit) = rate.limit {
                line.limit x1=(place(limit)) x2=(place(limit)) y1="1" y2="27" {}
            }
            @if let Some(value) = rate.value { circle.dot cx=(place(value)) cy="14" r="5" {} }
        }
    }
}

fn scale() -> Markup {
    html! {
        svg width="100%" height="16" focusable="false" {
            @for mark in MARKS {
                text x=(place(mark)) y="12" text-anchor="middle" {
                    (format!("{} %", 100.0 * mark))
                }
            }
        }
    }
}

fn sample_of(what: &str) -> Markup {
    html! {
        svg.sample width="22" height="14" focusable="false" {
            @match what {
                "dot" => circle.dot cx="11" cy="7" r="5" {},
                "limit" => line.limit x1="11" x2="11" y1="0" y2="14" {},
                _ => line.interval x1="1" x2="21" y1="7" y2="7" {},
            }
        }
    }
}

fn table(told: &Told, rates: &[(&str, &Rate); 3]) -> Markup {
    let of = [
        Some(told.tested),
        told.rates.dataset.of,
        told.rates.domain.sampled,
    ];
    let among = [
        "people the search tested",
        "people of the dataset",
        "possible people",
    ];
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "rate" }
                    th.number scope="col" { "value" }
                    th scope="col" { "among" }
                    th scope="col" { "interval" }
                    th.number scope="col" { "limit" }
                }
            }
            tbody {
                @for (((name, rate), of), among) in rates.iter().zip(of).zip(among) {
                    tr {
                        th scope="row" { (name) }
                        td.number { (rate.value.map_or_else(|| "unknown".to_owned(), percent)) }
                        td { (grouped(of.unwrap_or_default())) " " (among) (all(rate)) }
                        td { (interval(rate)) }
                        td.number { (rate.limit.map_or_else(|| "none".to_owned(), percent)) }
                    }
                }
            }
        }
    }
}

/// How many people there are at all, where that is known.
fn all(rate: &Rate) -> String {
    match rate.people {
        Some(people) if people < 1e15 => format!(", of {}", grouped(people as u64)),
        Some(people) => format!(", of {people:.0e}"),
        None => String::new(),
    }
}

fn interval(rate: &Rate) -> String {
    match (rate.lower, rate.upper, rate.confidence) {
        _ if rate.exact => match rate.undecided {
            None | Some(0) => "exact: everyone in the domain was looked at".to_owned(),
            Some(undecided) => format!(
                "exact, but for {} within numerical noise of where decisions change",
                grouped(undecided)
            ),
        },
        (Some(lower), Some(upper), Some(confidence)) => format!(
            "{} to {} ({} % confidence)",
            percent(lower),
            percent(upper),
            (confidence * 1000.0).round() / 10.0
        ),
        _ => "exact".to_owned(),
    }
}
