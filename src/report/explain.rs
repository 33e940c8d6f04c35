//! One counterexample for people: side by side, what lies between, and what around.

use std::fmt::Write as _;

use super::text::{nearest_line, scores, wrapped};
use crate::benchmark::Benchmark;
use crate::explain::{Around, Explanation, Stop};
use crate::schema::{Code, Domain, Space};
use crate::snapshot::{decision, flips};

/// Values that are named before they are only counted.
const NAMED: usize = 8;

/// Renders an explanation. `which` says which pair it is; `colour` and `width` are the terminal's.
pub(crate) fn explanation(
    explanation: &Explanation,
    benchmark: &Benchmark,
    which: &str,
    colour: bool,
    width: usize,
) -> String {
    let page = Page {
        explanation,
        space: &benchmark.space,
        decisions: &benchmark.decision_names(),
        colour,
        width,
    };
    let name = console::style(&benchmark.name).bold().force_styling(colour);
    let mut text = format!("{name}, {which}\n");
    let pair = &explanation.pair;
    let flip = flips(pair, page.space, page.decisions);
    match explanation.differs {
        true => {
            let _ = writeln!(text, "{flip}{}", scores(pair, &benchmark.rule));
        }
        false => text.push_str("No longer a counterexample: the two are decided alike now.\n"),
    }
    page.side_by_side(&mut text);
    page.path(&mut text);
    page.around(&mut text);
    text
}

struct Page<'a> {
    explanation: &'a Explanation,
    space: &'a Space,
    decisions: &'a [String],
    colour: bool,
    width: usize,
}

impl Page<'_> {
    fn heading(&self, text: &mut String, heading: &str) {
        let heading = console::style(heading).bold().force_styling(self.colour);
        let _ = writeln!(text, "\n{heading}");
    }

    fn domain(&self, attribute: usize) -> &Domain {
        &self.space.schema().attributes()[attribute].domain
    }

    fn name(&self, attribute: usize) -> &str {
        &self.space.schema().attributes()[attribute].name
    }

    /// Attribute by attribute; `>` marks what flips the decision, `*` what no real person nearby has.
    fn side_by_side(&self, text: &mut String) {
        let pair = &self.explanation.pair;
        let nearest = pair.nearest.as_ref();
        self.heading(text, "Attribute by attribute");
        let mut rows = vec![self.row(
            " ",
            "",
            "person",
            "counterpart",
            nearest.map(|_| "nearest real one"),
        )];
        for attribute in 0..self.space.schema().width() {
            rows.push(self.attribute_row(attribute));
        }
        let [own, other] = [0, 1].map(|side| decision(pair, side, self.decisions));
        rows.push(self.row(" ", "decision", &own, &other, None));
        let [own, other] = pair.scores.map(|score| format!("{score:.3}"));
        rows.push(self.row(" ", "score", &own, &other, None));
        self.table(text, &rows);
        if let Some(nearest) = nearest {
            let line = nearest_line(nearest, pair, self.space);
            let _ = writeln!(text, "  {line}");
        }
    }

    /// Counterpart and real person only where they have another value.
    fn attribute_row(&self, attribute: usize) -> Vec<String> {
        let pair = &self.explanation.pair;
        let word = |person: &[Code]| self.domain(attribute).text(person[attribute]).into_owned();
        let other = |person: &[Code]| match person[attribute] == pair.person[attribute] {
            true => String::new(),
            false => word(person),
        };
        let counterpart = other(&pair.counterpart);
        let near = pair.nearest.as_ref().map(|near| other(&near.person));
        let protected = self.space.protected().contains(&attribute);
        let mark = match (&counterpart, &near) {
            (counterpart, _) if !counterpart.is_empty() => ">",
            (_, Some(near)) if !protected && !near.is_empty() => "*",
            _ => " ",
        };
        let (name, own) = (self.name(attribute), word(&pair.person));
        self.row(mark, name, &own, &counterpart, near.as_deref())
    }

    fn row(
        &self,
        mark: &str,
        name: &str,
        own: &str,
        other: &str,
        nearest: Option<&str>,
    ) -> Vec<String> {
        let cells = [mark, name, own, other].into_iter().chain(nearest);
        cells.map(str::to_owned).collect()
    }

    /// Columns as wide as they need; where the terminal is narrower, the widest give way.
    fn table(&self, text: &mut String, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let wide = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..columns).map(wide).collect();
        while widths.iter().sum::<usize>() + 2 * columns > self.width {
            match widths.iter_mut().max() {
                Some(widest) if *widest > 8 => *widest -= 1,
                _ => break,
            }
        }
        for row in rows {
            let cells = row.iter().zip(&widths);
            let line: Vec<String> = cells
                .map(|(cell, &width)| format!("{:width$}", shortened(cell, width)))
                .collect();
            let line = line.join("  ");
            let line = line.trim_end();
            let marked = row.first().is_some_and(|mark| mark == ">");
            let line = console::style(line)
                .force_styling(self.colour && marked)
                .red();
            let _ = writeln!(text, "{line}");
        }
    }

    /// The way from the person to the counterpart. Stops that only repeat the decision before them are
    /// left out where there are many.
    fn path(&self, text: &mut String) {
        let path = &self.explanation.path;
        self.heading(text, "From the person to the counterpart");
        let mut rows = Vec::new();
        for (place, stop) in path.iter().enumerate() {
            let changes = |other: Option<&Stop>| {
                other.is_none_or(|other| other.said.decision != stop.said.decision)
            };
            let before = place.checked_sub(1).and_then(|before| path.get(before));
            let turns = changes(before) || changes(path.get(place + 1));
            if turns || path.len() <= 2 * NAMED {
                rows.push(self.stop(stop));
            } else if rows
                .last()
                .is_none_or(|last: &Vec<String>| last[0] != "...")
            {
                rows.push(vec!["...".to_owned()]);
            }
        }
        let rows: Vec<Vec<String>> = rows
            .into_iter()
            .map(|row| std::iter::once(String::new()).chain(row).collect())
            .collect();
        self.table(text, &rows);
    }

    fn stop(&self, stop: &Stop) -> Vec<String> {
        let values: Vec<String> = self
            .space
            .protected()
            .iter()
            .map(|&attribute| {
                let word = self.domain(attribute).text(stop.person[attribute]);
                format!("{} {word}", self.name(attribute))
            })
            .collect();
        let decision = match stop.said.decision {
            Some(decision) => self.decisions.get(decision).cloned().unwrap_or_default(),
            None if self.decisions.is_empty() => String::new(),
            None => "too close to tell".to_owned(),
        };
        let impossible = match stop.impossible {
            true => "nobody can be like that",
            false => "",
        };
        vec![
            values.join(", "),
            decision,
            format!("{:.3}", stop.said.score),
            impossible.to_owned(),
        ]
    }

    fn around(&self, text: &mut String) {
        self.heading(text, "Nearby: both with another value of one attribute");
        let around = &self.explanation.around;
        let names = |kept: &dyn Fn(&Around) -> bool| -> Vec<&str> {
            let kept = around.iter().filter(|around| kept(around));
            kept.map(|around| self.name(around.attribute)).collect()
        };
        let always = names(&|around| around.alike.is_empty());
        let never = names(&|around| around.still.is_empty());
        for (names, what) in [(always, "differently"), (never, "alike")] {
            if !names.is_empty() {
                let line = format!(
                    "decided {what} with any other value of {}",
                    names.join(", ")
                );
                self.item(text, &line);
            }
        }
        for around in around {
            if around.still.is_empty() || around.alike.is_empty() {
                continue;
            }
            let of = around.still.len() + around.alike.len();
            let looked_at = if around.some {
                " that were looked at"
            } else {
                ""
            };
            self.item(
                text,
                &format!(
                    "{}: decided differently with {} of {of} other values{looked_at}: {}",
                    self.name(around.attribute),
                    around.still.len(),
                    self.named(around, &around.still)
                ),
            );
        }
    }

    /// A line that is broken where the terminal ends.
    fn item(&self, text: &mut String, line: &str) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let lines = wrapped(&words, "", self.width.saturating_sub(6));
        for (place, line) in lines.iter().enumerate() {
            let indent = if place == 0 { "  " } else { "      " };
            let _ = writeln!(text, "{indent}{line}");
        }
    }

    /// The values by name; numbers with nobody decided alike between them as a range.
    fn named(&self, around: &Around, codes: &[Code]) -> String {
        let domain = self.domain(around.attribute);
        let numbers = domain.number(0).is_some();
        let mut runs: Vec<(Code, Code)> = Vec::new();
        for &code in codes {
            let apart = |last: Code| {
                around
                    .alike
                    .iter()
                    .any(|alike| (last..code).contains(alike))
            };
            match runs.last_mut() {
                Some((_, last)) if numbers && !apart(*last) => *last = code,
                _ => runs.push((code, code)),
            }
        }
        let mut named: Vec<String> = runs
            .iter()
            .take(NAMED)
            .map(|&(first, last)| match first == last {
                true => domain.text(first).into_owned(),
                false => format!("{} to {}", domain.text(first), domain.text(last)),
            })
            .collect();
        if runs.len() > NAMED {
            named.push(format!("{} more", runs.len() - NAMED));
        }
        named.join(", ")
    }
}

/// A word, cut where it is too long.
fn shortened(word: &str, width: usize) -> String {
    if word.chars().count() <= width {
        return word.to_owned();
    }
    let kept: String = word.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}~")
}
