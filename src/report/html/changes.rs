//! What changed since the last snapshot.

use maud::{Markup, html};

use super::three_decimals;
use super::told::{Changes, Gone, Told, Words, in_words};
use crate::words::grouped;

/// The section about the snapshot.
pub(super) fn section(told: &Told) -> Markup {
    html! {
        section.changes {
            h3 { "Since the last snapshot" }
            p {
                span.tag { "snapshot " (told.snapshot) }
                @if !told.snapshot_message.is_empty() { " " (told.snapshot_message) }
            }
            @match &told.changes {
                Some(changes) => (since(told, changes)),
                None => p.soft { (nothing_to_compare(told)) },
            }
        }
    }
}

fn nothing_to_compare(told: &Told) -> &'static str {
    match (told.snapshot.as_str(), told.snapshot_message.as_str()) {
        ("new", _) => "Nothing was recorded before this run.",
        ("off", "") => "This benchmark keeps no snapshot.",
        _ => "What is recorded was not compared.",
    }
}

fn since(told: &Told, changes: &Changes) -> Markup {
    let replayed = told.replay.still_there + told.replay.fixed;
    let new = changes.new.len();
    html! {
        dl.facts {
            div {
                dt { "counterexamples" }
                dd { (grouped(changes.recorded)) " recorded, " (grouped(told.counterexamples)) " now" }
            }
            @if replayed > 0 {
                div {
                    dt { "recorded pairs" }
                    dd { (told.replay.still_there) " still there, " (told.replay.fixed) " fixed" }
                }
            }
            div {
                dt { "most telling pairs" }
                dd {
                    (told.pairs.len().saturating_sub(new)) " as recorded, " (new) " new, "
                    (changes.gone.len()) " no longer among them"
                }
            }
        }
        @if !changes.gone.is_empty() {
            details {
                summary { "Recorded pairs that are no longer among the most telling (" (changes.gone.len()) ")" }
                ul.gone { @for pair in &changes.gone { (gone(pair)) } }
            }
        }
    }
}

fn gone(pair: &Gone) -> Markup {
    let state = match pair.still_there {
        Some(true) => "still there",
        Some(false) => "fixed",
        None => "not asked",
    };
    let [own, other] = pair.scores.map(three_decimals);
    html! {
        li {
            span.tag { (state) } " " (pair.flips) " (score " (own) " -> " (other) ")"
            br;
            span.soft { (same(&pair.person, &pair.counterpart)) }
        }
    }
}

/// What the two have in common.
fn same(person: &Words, counterpart: &Words) -> String {
    let same = person
        .iter()
        .filter(|(name, value)| counterpart.get(*name) == Some(*value))
        .map(|(name, value)| format!("{name} {}", in_words(value)));
    same.collect::<Vec<_>>().join(", ")
}
