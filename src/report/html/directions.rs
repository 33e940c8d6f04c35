//! From which protected value to which decisions flip, and whom that favours.

use maud::{Markup, html};

use super::bar::bar;
use super::scrolling;
use super::told::{Direction, Told, group_in_words, in_words};
use crate::verdict::percent;
use crate::words::grouped;

/// More values than this make no readable matrix.
const WIDEST: usize = 24;

/// Directions that are listed where there is no matrix.
const LISTED: usize = 50;

/// The section about directions.
pub(super) fn section(told: &Told) -> Markup {
    if told.directions.is_empty() && told.favoured.is_empty() {
        return html! {};
    }
    html! {
        section {
            h3 { "Directions" }
            @if !told.directions.is_empty() {
                p.soft {
                    "Everyone who was found, with every counterpart who is decided otherwise: how often \
                     a change from the value of the row to that of the column changes the decision."
                }
                (matrices(&told.directions))
            }
            @if !told.favoured.is_empty() { (favoured(told)) }
        }
    }
}

/// Values in the order in which they are met first.
fn each_once(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for value in values {
        if !once.contains(&value) {
            once.push(value);
        }
    }
    once
}

fn matrices(directions: &[Direction]) -> Markup {
    let from = directions.iter().map(|one| group_in_words(&one.from));
    let to = directions.iter().map(|one| group_in_words(&one.to));
    let mut values = each_once(from.chain(to));
    if values.len() > WIDEST {
        return list(directions);
    }
    values.sort();
    let flips = each_once(directions.iter().map(flip));
    let largest = directions.iter().map(|one| one.count).max().unwrap_or(1);
    html! {
        div.matrices {
            @for flip_of in &flips {
                @let those: Vec<&Direction> =
                    directions.iter().filter(|one| flip(one) == *flip_of).collect();
                (scrolling(&format!("From {flip_of}"), &matrix(flip_of, &values, &those, largest)))
            }
        }
    }
}

/// The two decisions: `no to yes`; nothing where two numbers are compared.
fn flip(direction: &Direction) -> String {
    let (from, to) = (&direction.from_decision, &direction.to_decision);
    match from.is_null() && to.is_null() {
        true => String::from("one number to another"),
        false => format!(
            "\u{201c}{}\u{201d} to \u{201c}{}\u{201d}",
            in_words(from),
            in_words(to)
        ),
    }
}

fn matrix(flip: &str, values: &[String], those: &[&Direction], largest: u64) -> Markup {
    let count = |from: &str, to: &str| {
        let is_it =
            |one: &&&Direction| group_in_words(&one.from) == from && group_in_words(&one.to) == to;
        those.iter().filter(is_it).map(|one| one.count).sum::<u64>()
    };
    html! {
        table.matrix {
            caption { "From " (flip) }
            thead {
                tr {
                    th scope="col" { "from \\ to" }
                    @for to in values { th scope="col" { (to) } }
                }
            }
            tbody {
                @for from in values {
                    tr {
                        th scope="row" { (from) }
                        @for to in values {
                            @let count = count(from, to);
                            @match from == to {
                                true => td.number.same { span.hidden { "the same" } },
                                false => td class={ "number heat-" (heat(count, largest)) } {
                                    (grouped(count))
                                },
                            }
                        }
                    }
                }
            }
        }
    }
}

/// From 0 to 8, by how much of the largest count it is.
fn heat(count: u64, largest: u64) -> u64 {
    (8.0 * count as f64 / largest.max(1) as f64).ceil() as u64
}

/// The most frequent directions, where there are too many values for a matrix.
fn list(directions: &[Direction]) -> Markup {
    let mut sorted: Vec<&Direction> = directions.iter().collect();
    sorted.sort_by_key(|one| std::cmp::Reverse(one.count));
    let table = html! {
        table {
            caption { "The most frequent of " (grouped(directions.len() as u64)) " directions" }
            thead {
                tr {
                    th scope="col" { "from" } th scope="col" { "to" } th scope="col" { "decision" }
                    th.number scope="col" { "count" }
                }
            }
            tbody {
                @for one in sorted.iter().take(LISTED) {
                    tr {
                        td { (group_in_words(&one.from)) }
                        td { (group_in_words(&one.to)) }
                        td { (flip(one)) }
                        td.number { (grouped(one.count)) }
                    }
                }
            }
        }
    };
    scrolling("Directions", &table)
}

fn favoured(told: &Told) -> Markup {
    let decision = told
        .favourable_decision
        .as_ref()
        .or(told.favourable.as_ref());
    let decision = decision.map_or_else(
        || "the favourable decision".to_owned(),
        |decision| format!("\u{201c}{decision}\u{201d}"),
    );
    let table = html! {
        table {
            caption { "How often each group gets " (decision) ", among those found" }
            thead {
                tr {
                    th scope="col" { "group" }
                    th.number scope="col" { "favourable" }
                    th.number scope="col" { "of" }
                    th.number scope="col" { "share" }
                    th scope="col" { span.hidden { "share, drawn" } }
                }
            }
            tbody {
                @for one in &told.favoured {
                    tr {
                        th scope="row" { (group_in_words(&one.group)) }
                        td.number { (grouped(one.favourable)) }
                        td.number { (grouped(one.of)) }
                        td.number { (one.share.map_or_else(|| "unknown".to_owned(), percent)) }
                        td { (bar(one.share.unwrap_or_default())) }
                    }
                }
            }
        }
    };
    scrolling("Whom the decisions favour", &table)
}
