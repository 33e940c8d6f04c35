//! What the search found over the queries it made.

use maud::{Markup, html};

use super::scrolling;
use super::told::Told;
use crate::words::grouped;

/// The height of the drawing in pixels, and how much of it is above and below the curve.
const HEIGHT: f64 = 220.0;
const ABOVE: f64 = 14.0;
const BELOW: f64 = 22.0;

/// The sides of the box that the curve is drawn in; it is stretched to the page.
const BOX: f64 = 1000.0;

/// The section about the course of the search.
pub(super) fn section(name: &str, told: &Told) -> Markup {
    let (Some(first), Some(last)) = (told.progress.first(), told.progress.last()) else {
        return html! {};
    };
    let (before, found) = (first[0], last[1]);
    if last[0] == before || found == 0 {
        return html! {};
    }
    // From the first query of the search on: those before measured the other rates.
    let search = told
        .progress
        .iter()
        .map(|[queries, found]| [queries - before.min(*queries), *found]);
    let search: Vec<[u64; 2]> = search.collect();
    html! {
        section {
            h3 { "Found over queries" }
            figure.curve {
                (drawing(name, &search))
                figcaption.soft {
                    (grouped(found)) " counterexamples in the search's " (grouped(last[0] - before))
                    " queries. " (grouped(before)) " queries before measured the other rates."
                }
            }
            details.aside {
                summary { "The curve as a table" }
                (scrolling("Found over queries as a table", &table(&search)))
            }
        }
    }
}

fn drawing(name: &str, points: &[[u64; 2]]) -> Markup {
    let [queries, found] = points.last().copied().unwrap_or_default();
    let top = marks(found).last().copied().unwrap_or(1).max(1);
    let top = if top < found { top + step(found) } else { top };
    let line = |points: &[[u64; 2]]| {
        let at = points.iter().map(|[x, y]| {
            let x = BOX * *x as f64 / queries.max(1) as f64;
            let y = BOX * (1.0 - *y as f64 / top as f64);
            format!("{x:.1},{y:.1}")
        });
        at.collect::<Vec<_>>().join(" ")
    };
    let inner = HEIGHT - ABOVE - BELOW;
    let level = |value: u64| ABOVE + inner * (1.0 - value as f64 / top as f64);
    let across = |value: u64| format!("{:.2}%", 100.0 * value as f64 / queries.max(1) as f64);
    let (title, words) = (format!("curve-{name}"), format!("curve-words-{name}"));
    let curve = line(points);
    html! {
        svg.chart role="img" aria-labelledby={ (title) " " (words) } width="100%" height=(HEIGHT) {
            title id=(title) { "Counterexamples found over queries" }
            desc id=(words) { (grouped(found)) " found in " (grouped(queries)) " queries." }
            @for value in marks(top) {
                line.grid x1="0" x2="100%" y1=(level(value)) y2=(level(value)) {}
            }
            svg x="0" y=(ABOVE) width="100%" height=(inner) viewBox="0 0 1000 1000"
                preserveAspectRatio="none" {
                polygon.area points={ "0,1000 " (curve) " 1000,1000" } {}
                polyline.line points=(curve) {}
            }
            @for value in marks(top).into_iter().filter(|value| *value > 0) {
                text x="2" y=(level(value) - 4.0) { (short(value)) }
            }
            @for value in marks(queries) {
                text x=(across(value)) y=(HEIGHT - 6.0) text-anchor=(anchor(value, queries)) {
                    (short(value)) @if value == 0 { " queries" }
                }
            }
        }
    }
}

/// Words at an end of the drawing stay inside it.
fn anchor(value: u64, last: u64) -> &'static str {
    match value as f64 / last.max(1) as f64 {
        share if share < 0.05 => "start",
        share if share > 0.95 => "end",
        _ => "middle",
    }
}

/// A round distance between marks, for about four of them up to `last`.
fn step(last: u64) -> u64 {
    let rough = (last as f64 / 4.0).max(1.0);
    let unit = 10_f64.powi(rough.log10().floor() as i32);
    let round = [1.0, 2.0, 5.0, 10.0];
    let factor = round.into_iter().find(|factor| factor * unit >= rough);
    (factor.unwrap_or(10.0) * unit) as u64
}

/// Round numbers from 0 to `last` at the most.
fn marks(last: u64) -> Vec<u64> {
    (0..=last).step_by(step(last) as usize).collect()
}

/// A count in little room: `250 k`, `1.5 M`.
fn short(count: u64) -> String {
    let in_units = |unit: f64, word: &str| {
        let number = (count as f64 / unit * 10.0).round() / 10.0;
        format!("{number} {word}")
    };
    match count {
        1_000_000.. => in_units(1e6, "M"),
        10_000.. => in_units(1e3, "k"),
        _ => grouped(count),
    }
}

fn table(points: &[[u64; 2]]) -> Markup {
    html! {
        table {
            thead { tr { th.number scope="col" { "queries" } th.number scope="col" { "found" } } }
            tbody {
                @for [queries, found] in points {
                    tr { td.number { (grouped(*queries)) } td.number { (grouped(*found)) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        assert_eq!(marks(0), [0]);
        assert_eq!(marks(3), [0, 1, 2, 3]);
        assert_eq!(marks(100), [0, 50, 100]);
        assert_eq!(marks(881_155), [0, 500_000]);
        assert_eq!(marks(450), [0, 200, 400]);
        for last in [1, 7, 99, 1234, 5_000_000, 987_654_321] {
            let marks = marks(last);
            assert!((2..=6).contains(&marks.len()), "{last}: {marks:?}");
        }
    }

    #[test]
    fn counts_in_little_room() {
        assert_eq!(short(950), "950");
        assert_eq!(short(9_500), "9,500");
        assert_eq!(short(250_000), "250 k");
        assert_eq!(short(1_500_000), "1.5 M");
    }
}
