//! The most telling pairs, the person and the counterpart side by side.

use maud::{Markup, html};

use super::told::{Nearest, Pair, Told, Words, in_words};
use super::{scrolling, three_decimals};

/// Pairs that are unfolded at first.
const OPEN: usize = 1;

/// The section about the pairs.
pub(super) fn section(told: &Told) -> Markup {
    if told.pairs.is_empty() {
        return html! {};
    }
    let is_new = |place: usize| {
        let changes = told.changes.as_ref();
        changes.is_some_and(|changes| changes.new.contains(&place))
    };
    html! {
        section {
            h3 { "The most telling pairs" }
            p.soft {
                "The same person with other protected values, decided otherwise. What is changed is \
                 marked " (mark()) "; all else is the same."
            }
            @for (place, pair) in told.pairs.iter().enumerate() {
                details.pair open[place < OPEN] {
                    summary {
                        (pair.flips) " "
                        span.soft { (scores(pair)) }
                        @if is_new(place) { " " span.tag { "new since the snapshot" } }
                    }
                    (scrolling(&pair.flips, &table(pair)))
                    @for remark in remarks(pair) { p.soft { (remark) } }
                }
            }
        }
    }
}

/// `0.384 -> 0.659`, to tell pairs with the same flip apart.
fn scores(pair: &Pair) -> String {
    let [own, other] = pair.scores.map(three_decimals);
    format!("{own} -> {other}")
}

/// Colour, a sign and a word: not colour alone.
fn mark() -> Markup {
    html! { span.mark { "\u{2260} changed" } }
}

fn table(pair: &Pair) -> Markup {
    let flipped = |name: &&String| pair.person[*name] != pair.counterpart[*name];
    let names = || pair.person.keys();
    let nearest = pair.nearest.as_ref();
    html! {
        table.sides {
            thead {
                tr {
                    th scope="col" { "attribute" }
                    th scope="col" { "person" }
                    th scope="col" { "counterpart" }
                    @if nearest.is_some() { th scope="col" { "nearest real person" } }
                }
            }
            tbody {
                @for name in names().filter(flipped) { (row(name, pair, nearest, true)) }
                tr.decided {
                    th scope="row" { "decision" }
                    td { (pair.decisions[0]) }
                    td { (pair.decisions[1]) }
                    @if nearest.is_some() { td {} }
                }
                tr.decided {
                    th scope="row" { "score" }
                    td { (three_decimals(pair.scores[0])) }
                    td { (three_decimals(pair.scores[1])) }
                    @if nearest.is_some() { td {} }
                }
                @for name in names().filter(|name| !flipped(name)) {
                    (row(name, pair, nearest, false))
                }
            }
        }
    }
}

fn row(name: &str, pair: &Pair, nearest: Option<&Nearest>, flipped: bool) -> Markup {
    let value = |words: &Words| words.get(name).map(in_words).unwrap_or_default();
    let (own, other) = (value(&pair.person), value(&pair.counterpart));
    html! {
        tr.flipped[flipped] {
            th scope="row" { (name) @if flipped { " " (mark()) } }
            td { (own) }
            td { (other) }
            @if let Some(nearest) = nearest {
                @let real = value(&nearest.person);
                td.apart[real != own && !flipped] {
                    (real)
                    @if real != own && !flipped { span.hidden { " (differs)" } }
                }
            }
        }
    }
}

fn remarks(pair: &Pair) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(nearest) = &pair.nearest {
        remarks.push(match nearest.changed {
            0 => "A person of the dataset, apart from protected attributes.".to_owned(),
            1 => "The nearest person of the dataset differs in 1 attribute, in italics.".to_owned(),
            many => format!(
                "The nearest person of the dataset differs in {many} attributes, in italics."
            ),
        });
    }
    if let Some(gap) = pair.gap {
        remarks.push(format!("The scores are {} apart.", three_decimals(gap)));
    }
    if let Some([Some(own), Some(other)]) = pair.boundary {
        let (own, other) = (three_decimals(own), three_decimals(other));
        remarks.push(format!(
            "The person is {own} from the boundary between decisions, the counterpart {other}."
        ));
    }
    if let Some(decisions) = pair.distinct_decisions.filter(|decisions| *decisions > 2) {
        remarks.push(format!(
            "Over all protected values this person gets {decisions} different decisions."
        ));
    }
    if pair.shrunk == Some(false) {
        remarks.push("The budget ended before a plainer pair could be looked for.".to_owned());
    }
    remarks
}
