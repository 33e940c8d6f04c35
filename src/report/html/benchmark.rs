//! All about one benchmark.

use maud::{Markup, html};

use super::told::Told;
use super::{
    Part, changes, curve, directions, glance, groups, insight, kind, pairs, rates, scrolling, why,
};
use crate::report::entry::{Ending, Entry};
use crate::words::grouped;

/// The section of a benchmark.
pub(super) fn section(entry: &Entry, part: Option<&Part>) -> Markup {
    let heading = format!("heading-{}", entry.name);
    html! {
        section.benchmark id=(glance::anchor(&entry.name)) aria-labelledby=(heading) {
            h2 id=(heading) {
                (entry.name) " "
                span.badge.(kind(entry.ending)) { (entry.ending.word()) }
            }
            p.sentence { (why(entry)) }
            @if let Some(part) = part {
                @match &part.told {
                    Ok(told) => (measured(entry, part, told)),
                    Err(why) => p { "The results cannot be shown: " (why) },
                }
            }
        }
    }
}

fn measured(entry: &Entry, part: &Part, told: &Told) -> Markup {
    let name = entry.name.as_str();
    html! {
        @if entry.ending == Ending::SnapshotChanged || entry.ending == Ending::Unusable {
            p { "The limits: " (told.reason) "." }
        }
        (facts(part, told))
        @if !told.notes.is_empty() {
            ul.notes aria-label="Notes" { @for note in &told.notes { li { (note) } } }
        }
        (rates::section(name, told, &part.limits))
        (curve::section(name, told))
        (changes::section(told))
        (pairs::section(told))
        (insight::severity(told))
        (directions::section(told))
        (insight::rules(told))
        (insight::hinges(told))
        (insight::subgroups(told))
        (groups::section(told))
        (findings(name, part))
        (constraints(told))
    }
}

/// How it was run.
fn facts(part: &Part, told: &Told) -> Markup {
    let method = match &told.variant {
        Some(variant) => format!("{} ({variant})", told.method),
        None => told.method.clone(),
    };
    let decisions = match &told.favourable {
        Some(favourable) => format!("{} (hoped for: {favourable})", told.decisions.join(", ")),
        None => told.decisions.join(", "),
    };
    let facts = [
        ("protected", part.protected.join(" & ")),
        ("model", part.model.clone()),
        ("dataset", part.dataset.clone()),
        ("decisions", decisions),
        ("search", format!("{method}, seed {}", told.seed)),
        ("runtime", format!("{} on {}", told.runtime, told.device)),
        ("queries", queries(told)),
        (
            "time",
            format!(
                "{:.2} s, {:.2} s in the runtime{}",
                told.seconds,
                told.model_seconds,
                calls(told)
            ),
        ),
    ];
    html! {
        dl.facts {
            @for (name, fact) in facts.iter().filter(|(_, fact)| !fact.is_empty()) {
                div { dt { (name) } dd { (fact) } }
            }
        }
    }
}

fn calls(told: &Told) -> String {
    match (told.calls, told.batch_rows) {
        (Some(calls), Some(most)) => {
            let (calls, most) = (grouped(calls), grouped(most));
            format!(": {calls} calls of {most} rows at the most")
        }
        _ => String::new(),
    }
}

fn queries(told: &Told) -> String {
    let queries = grouped(told.queries);
    match told.afterwards {
        None | Some(0) => queries,
        Some(more) => format!(
            "{queries}, and {} once the verdict was known",
            grouped(more)
        ),
    }
}

/// Where the script puts the table of findings, and its data.
fn findings(name: &str, part: &Part) -> Markup {
    let table = &part.table;
    if table.shown == 0 {
        return html! {};
    }
    let (shown, total) = (grouped(table.shown as u64), grouped(table.total));
    let all = html! { code { "fairgate export " (name) } };
    html! {
        section.findings {
            h3 { "Findings" }
            p.soft {
                @if (table.shown as u64) < table.total {
                    (shown) " of " (total) " counterexamples, chosen evenly in the order in which the \
                     search met them. " (all) " gives all of them, by the same numbers."
                } @else {
                    "All " (total) " counterexamples. " (all) " gives them as CSV, by the same numbers."
                }
            }
            noscript { p { "Sorting and filtering need JavaScript, which is off: the table is left out." } }
            div.host data-benchmark=(name) {}
            script type="application/json" { (maud::PreEscaped(table.data())) }
        }
    }
}

fn constraints(told: &Told) -> Markup {
    if told.constraints.is_empty() {
        return html! {};
    }
    let list = html! {
        ul.constraints { @for constraint in &told.constraints { li { code { (constraint) } } } }
    };
    html! {
        details {
            summary { "What holds for everyone who was tested (" (told.constraints.len()) ")" }
            (scrolling("Constraints", &list))
        }
    }
}
