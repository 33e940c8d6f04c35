//! The report as one page that needs nothing else: no script, no network.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::table::Table;
use super::{Report, Section};
use crate::study::claims::{Claim, JUDGED_ON, Judgement};
use crate::study::figures::Figure;

const STYLE: &str = include_str!("style.css");

/// What browsers may load: nothing but what is in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The page.
pub(super) fn render(report: &Report<'_>, sections: &[Section]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Study" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#claims" { "To the claims" }
                header {
                    h1 { "The paper's study, repeated" }
                    p { (report.results.len()) " of " (report.results.planned) " runs on "
                        (report.results.benchmarks.len()) " benchmarks." }
                    nav aria-label="Parts" {
                        a href="#claims" { "Claims" }
                        @for section in sections { a href={ "#" (section.name) } { (section.title) } }
                    }
                }
                main {
                    (notes(report))
                    (claims(report.claims))
                    @for section in sections { (part(section)) }
                }
                footer {
                    p { "Claims are those of Wang et al., \u{201c}MAFT: Efficient Model-Agnostic Fairness Testing for Deep \
                         Neural Networks via Zero-Order Gradient Search\u{201d}, ICSE 2024. Every figure here can be worked \
                         out again from " code { "runs.csv" } "." }
                }
            }
        }
    };
    page.into_string()
}

fn notes(report: &Report<'_>) -> Markup {
    html! {
        ul.notes {
            @for note in report.remarks() { li { (words(&note)) } }
        }
    }
}

/// Text with what stands between backticks as code.
fn words(text: &str) -> Markup {
    html! {
        @for (place, part) in text.split('`').enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn claims(claims: &[Claim]) -> Markup {
    html! {
        section #claims {
            h2 { "The paper\u{2019}s claims" }
            div.wide tabindex="0" role="region" aria-label="Claims" {
                table {
                    thead { tr { th scope="col" { "the paper" } th scope="col" { "here" } th scope="col" { "measured" } } }
                    tbody {
                        @for claim in claims {
                            tr {
                                th scope="row" { (claim.text) }
                                td.judgement { span class=(class(claim.judgement)) { (claim.judgement) } }
                                td.words { (claim.measured) }
                            }
                        }
                    }
                }
            }
            p.note { (JUDGED_ON) }
        }
    }
}

fn class(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Confirmed => "yes",
        Judgement::NotConfirmed => "no",
        Judgement::NotComparable => "open",
    }
}

fn part(section: &Section) -> Markup {
    html! {
        section id=(section.name) {
            h2 { (section.title) }
            @for figure in &section.figures { (drawn(figure)) }
            @for table in &section.tables { (tabular(table)) }
        }
    }
}

fn drawn(figure: &Figure) -> Markup {
    html! {
        figure {
            div.wide tabindex="0" role="img" aria-label=(figure.caption) {
                (PreEscaped(&figure.svg))
            }
            figcaption { (figure.caption) }
        }
    }
}

fn tabular(table: &Table) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(table.caption) {
            table {
                caption { (table.caption) }
                thead { tr {
                    @for (place, name) in table.head.iter().enumerate() {
                        th.words[!is_number(table, place)] scope="col" { (name) }
                    }
                } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (place, cell) in row.iter().enumerate() {
                                @if place == 0 { th scope="row" { (cell) } }
                                @else { td.words[!is_number(table, place)] { (cell) } }
                            }
                        }
                    }
                }
            }
        }
        @for note in &table.notes { p.note { (words(note)) } }
    }
}

/// Whether a column has numbers, by its first cell.
fn is_number(table: &Table, place: usize) -> bool {
    let first = table.rows.first().and_then(|row| row.get(place));
    first.is_some_and(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_never_markup() {
        let mut table = Table::new("t", "<script>", &["a", "b"]);
        table.row(["<img onerror=x>".to_owned(), "12".to_owned()]);
        table.note("run `a < b` & more");
        let page = tabular(&table).into_string();
        assert!(
            !page.contains("<script>") && !page.contains("<img"),
            "{page}"
        );
        assert!(
            page.contains("run <code>a &lt; b</code> &amp; more"),
            "{page}"
        );
        assert!(is_number(&table, 1) && !is_number(&table, 0));
    }
}
