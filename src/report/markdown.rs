//! A summary in Markdown, for the page of a CI run.

use std::fmt::Write as _;

use super::entry::{Ending, Entry, Measured, PairRows, Tally};
use crate::words::grouped;

/// Benchmarks that are told about in detail, at the most: a page has an end.
const DETAILED: usize = 20;

/// Attributes of a pair that are shown, at the most.
const ATTRIBUTES: usize = 40;

/// A table of all benchmarks, then what failed, for whom, and what to do. `spec` is the spec's path.
pub(crate) fn markdown(entries: &[Entry], spec: &str) -> String {
    let mut text = format!(
        "## Fairness: {}\n\n\
         | benchmark | verdict | search | dataset | domain | counterexamples |\n\
         |---|---|---|---|---|---|\n",
        Tally::of(entries)
    );
    for entry in entries {
        text.push_str(&row(entry));
    }
    text.push('\n');
    let failed = || entries.iter().filter(|entry| !entry.ending.passes());
    for entry in failed().take(DETAILED) {
        text.push_str(&section(entry, spec));
    }
    let more = failed().count().saturating_sub(DETAILED);
    if more > 0 {
        let _ = writeln!(text, "{more} more did not pass: see the log.\n");
    }
    text
}

fn row(entry: &Entry) -> String {
    let mark = match entry.ending {
        Ending::Passed => "✅",
        Ending::Tolerated | Ending::Inconclusive => "❔",
        Ending::NotRun => "⏹️",
        Ending::Failed | Ending::SnapshotChanged | Ending::Unusable => "❌",
    };
    let unknown = || "-".to_owned();
    let cells = match &entry.measured {
        None => [unknown(), unknown(), unknown(), unknown()],
        Some(measured) => {
            let [search, dataset, domain] = measured.rates.clone();
            [search, dataset, domain, found(measured)]
        }
    };
    let verdict = format!("{mark} {}", entry.ending.word());
    let cells = cells.map(|text| cell(&text));
    format!(
        "| {} | {verdict} | {} |\n",
        cell(&entry.name),
        cells.join(" | ")
    )
}

fn found(measured: &Measured) -> String {
    let found = grouped(measured.counterexamples);
    match measured.max_counterexamples {
        None => found,
        Some(most) => format!("{found} (limit {})", grouped(most)),
    }
}

fn section(entry: &Entry, spec: &str) -> String {
    let mut text = format!("### {}: {}\n\n", cell(&entry.name), entry.ending.word());
    let _ = writeln!(text, "{}\n", cell(&entry.sentence));
    let pair = entry
        .measured
        .as_ref()
        .and_then(|found| found.pair.as_ref());
    if let Some(pair) = pair {
        text.push_str(&pair_table(pair));
    }
    let _ = writeln!(text, "**What to do:** {}\n", advice(entry, spec));
    text
}

fn pair_table(pair: &PairRows) -> String {
    let mut text = format!(
        "The most telling pair: {}\n\n| | person | counterpart |\n|---|---|---|\n",
        cell(&pair.flips)
    );
    for row in &pair.differ {
        let [name, own, other] = row.each_ref().map(|text| cell(text));
        let _ = writeln!(text, "| **{name}** | **{own}** | **{other}** |");
    }
    for row in pair.same.iter().take(ATTRIBUTES) {
        let [name, value] = row.each_ref().map(|text| cell(text));
        let _ = writeln!(text, "| {name} | {value} | {value} |");
    }
    let more = pair.same.len().saturating_sub(ATTRIBUTES);
    if more > 0 {
        let _ = writeln!(text, "| {more} more | ... | the same |");
    }
    text.push('\n');
    if let Some(nearest) = &pair.nearest {
        let _ = writeln!(text, "How real the person is: {}.\n", cell(nearest));
    }
    text
}

fn advice(entry: &Entry, spec: &str) -> String {
    let again = format!("fairgate check --spec {spec} --exact {}", entry.name);
    let interrupted = entry.measured.as_ref().is_some_and(|m| m.interrupted);
    match entry.ending {
        Ending::Failed => format!(
            "look at the pair: nothing but what is bold differs. If that must not decide, train the \
             model to depend less on it, and check again with {}. If the limit is not what you \
             want, change it in {}, line {}.",
            code(&again),
            code(spec),
            entry.line
        ),
        Ending::SnapshotChanged => format!(
            "the search finds something else than what is recorded. Look at it with {}. If it is to \
             stay, accept it with {} and commit the snapshot.",
            code(&again),
            code(&format!("{again} --accept"))
        ),
        Ending::Inconclusive if !interrupted => format!(
            "the sentence above says what would tell. The benchmark stands in {}, line {}.",
            code(spec),
            entry.line
        ),
        Ending::Inconclusive | Ending::NotRun => format!("run it again: {}", code(&again)),
        Ending::Unusable => format!("see the log, or run {}", code(&again)),
        Ending::Passed | Ending::Tolerated => "nothing.".to_owned(),
    }
}

/// A command or a path as it is. Backticks cannot be in it, since they would end it.
fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|c| *c != '`' && !c.is_control())
        .collect();
    format!("`{text}`")
}

/// Text as it is, on one line, whatever Markdown or HTML would make of it.
fn cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '@' | '!' | '$' => {
                safe.push('\\');
                safe.push(character);
            }
            control if control.is_control() => safe.push(' '),
            plain => safe.push(plain),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::entry;
    use super::*;

    #[test]
    fn a_row_for_each_and_a_section_for_what_failed() {
        let entries = [
            entry("good", Ending::Passed),
            entry("bad", Ending::Failed),
            Entry::not_run("later", 4),
        ];
        let text = markdown(&entries, "ci/fairness.toml");
        for part in [
            "## Fairness: 1 passed, 1 failed, 1 not run\n",
            "| good | ✅ pass | 80.4 % | 4.4 % (limit 1.0 %) | 8.9 % | 17,042 (limit 3) |\n",
            "| later | ⏹️ not run | - | - | - | - |\n",
            "### bad: fail\n",
            "| **sex** | **Female** | **Male** |\n",
            "`fairgate check --spec ci/fairness.toml --exact bad`",
            "change it in `ci/fairness.toml`, line 12",
            "### later: not run\n",
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
        assert!(!text.contains("### good"), "{text}");
    }

    #[test]
    fn values_cannot_break_the_tables() {
        let text = markdown(&[entry("bad", Ending::Failed)], "fairness.toml");
        let row = "| job\\|title | \\*bold\\* &lt;b&gt; \\`tick\\` |";
        assert!(text.contains(row), "{text}");
        let pipes = |line: &str| line.replace("\\|", "").matches('|').count();
        let rows = text.lines().filter(|line| line.starts_with('|'));
        assert!(rows.clone().count() > 5);
        for row in rows {
            assert!([4, 7].contains(&pipes(row)), "{row}");
        }
    }

    #[test]
    fn a_page_has_an_end() {
        let entries: Vec<Entry> = (0..25).map(|_| entry("bad", Ending::Failed)).collect();
        let text = markdown(&entries, "fairness.toml");
        assert_eq!(text.matches("### bad").count(), DETAILED);
        assert!(text.contains("5 more did not pass"), "{text}");
    }
}
