//! What people read: in the terminal, and as the text of a failed test.

mod insight;
mod pair;

use std::fmt::Write as _;

use super::groups;
use crate::decision::Rule;
use crate::findings::Counterexample;
use crate::gate::Checked;
use crate::nearest::Nearest;
use crate::rates::Share;
use crate::result::BenchmarkResult;
use crate::schema::Space;
use crate::snapshot::SnapshotState;
use crate::spec::{Limits, Method};
use crate::verdict::{Verdict, counterexamples, interval, percent};
use crate::words::grouped;
use insight::Part;
use pair::pair_lines;

/// The width of the labels.
const LABEL: usize = 9;

/// The report of one benchmark. `colour` and `width` are the terminal's.
pub fn pretty(checked: &Checked, colour: bool, width: usize) -> String {
    let result = &checked.result;
    let mut text = String::new();
    let name = console::style(&result.name).bold().force_styling(colour);
    let _ = writeln!(
        text,
        "{} {name}  {}",
        mark(checked, colour),
        sentence(checked)
    );
    for line in rate_lines(checked) {
        let _ = writeln!(text, "     {line}");
    }
    text.push_str(&part_lines(insight::flips(result), "     ", width));
    if !checked.passes() {
        text.push_str(&part_lines(insight::details(result), "     ", width));
        text.push_str(&pair_lines(result, "     ", width));
    }
    let _ = writeln!(text, "     {}", snapshot_line(checked));
    let _ = writeln!(
        text,
        "     {} on {}, {} queries{}, {:.2} s ({:.2} s in the runtime)",
        result.runtime,
        result.device,
        grouped(result.counts.queries),
        by_method(result),
        result.seconds,
        result.counts.model_seconds
    );
    for note in &result.notes {
        let _ = writeln!(text, "     note: {note}");
    }
    text
}

/// The text of a failed test: what, how bad, for whom, and what to do.
pub fn failure(checked: &Checked) -> String {
    let result = &checked.result;
    let mut text = format!("{}\n", sentence(checked));
    for line in rate_lines(checked) {
        let _ = writeln!(text, "  {line}");
    }
    let parts = insight::flips(result).into_iter();
    let parts = parts.chain(insight::details(result));
    text.push_str(&part_lines(parts, "  ", 100));
    text.push_str(&pair_lines(result, "  ", 100));
    let _ = writeln!(text, "  {}", snapshot_line(checked));
    let _ = writeln!(
        text,
        "  ran in {} on {}{}",
        result.runtime,
        result.device,
        by_method(result)
    );
    for note in &result.notes {
        let _ = writeln!(text, "  note: {note}");
    }
    let _ = write!(
        text,
        "  see more: fairgate check --exact {} --format json",
        result.name
    );
    text
}

/// By which method the search went, where it is not the usual one.
fn by_method(result: &BenchmarkResult) -> String {
    match result.method {
        Method::Maft => String::new(),
        method => format!(" by {method}"),
    }
}

fn mark(checked: &Checked, colour: bool) -> String {
    let style = |text: &'static str| console::style(text).bold().force_styling(colour);
    let mark = match checked.result.verdict {
        Verdict::Fail => style("FAIL").red(),
        _ if checked.snapshot.fails => style("FAIL").red(),
        Verdict::Pass => style("PASS").green(),
        Verdict::Inconclusive => style("????").yellow(),
    };
    mark.to_string()
}

/// The verdict in one sentence.
pub(super) fn sentence(checked: &Checked) -> String {
    let result = &checked.result;
    let verdict = match result.verdict {
        Verdict::Pass => result.reason.clone(),
        verdict => format!("{verdict}: {}", result.reason),
    };
    if checked.snapshot.fails && result.verdict == Verdict::Pass {
        return format!("the limits hold ({verdict}), but the snapshot is not accepted");
    }
    verdict
}

fn rate_lines(checked: &Checked) -> Vec<String> {
    let (rates, limits) = (&checked.result.rates, &checked.limits);
    let value = |value: Option<f64>| value.map_or_else(|| "unknown".into(), percent);
    let mut lines = vec![
        format!(
            "search   {:>8}  {} among {} people tested{}",
            value(rates.search.value()),
            counterexamples(rates.search.discriminated),
            grouped(rates.search.of),
            search_limit(limits)
        ),
        dataset_line(&rates.dataset, limits),
        format!(
            "domain   {:>8}  {} of {} possible people; {}{}",
            value(rates.domain.share.value()),
            grouped(rates.domain.share.discriminated),
            grouped(rates.domain.share.of),
            interval(&rates.domain),
            limit(limits.domain)
        ),
    ];
    lines.extend(domain_words(checked).map(|words| format!("{BELOW}{words}")));
    lines.extend(groups::lines(checked));
    lines
}

/// What goes on below a rate begins where its words do.
pub(super) const BELOW: &str = "                   ";

/// What the domain rate leaves out, and, where somebody has to decide what to do, what it means.
fn domain_words(checked: &Checked) -> impl Iterator<Item = String> {
    let domain = &checked.result.rates.domain;
    let undecided = (domain.exact && domain.undecided > 0).then(|| {
        format!(
            "{} of them lie within numerical noise of where decisions change and are not decided",
            grouped(domain.undecided)
        )
    });
    let meaning = (!checked.passes() && domain.share.of > 0).then(|| {
        "all people that the attributes allow count alike here, whether or not there are such people"
            .to_owned()
    });
    undecided.into_iter().chain(meaning)
}

fn dataset_line(dataset: &Share, limits: &Limits) -> String {
    match dataset.value() {
        None => format!(
            "dataset   unknown  none of the dataset's people was looked at{}",
            limit(limits.dataset)
        ),
        Some(value) => format!(
            "dataset  {:>8}  {} of the dataset's {} people{}",
            percent(value),
            grouped(dataset.discriminated),
            grouped(dataset.of),
            limit(limits.dataset)
        ),
    }
}

fn limit(limit: Option<f64>) -> String {
    limit.map_or_else(String::new, |limit| format!(" (limit {})", percent(limit)))
}

fn search_limit(limits: &Limits) -> String {
    match limits.search {
        Some(search) if limits.is_default => format!(" (default limit {})", percent(search)),
        search => limit(search),
    }
}

/// Labelled lines, wrapped; what belongs to a line stands further in.
fn part_lines(parts: impl IntoIterator<Item = Part>, indent: &str, width: usize) -> String {
    let mut text = String::new();
    for (label, lines) in parts {
        let mut label = label;
        for line in lines {
            let further = line.len() - line.trim_start().len();
            let inner = width.saturating_sub(indent.len() + LABEL + further).max(40);
            // A number and its per cent sign stay together.
            let together = line.trim_start().replace(" %", "\u{a0}%");
            for line in textwrap::wrap(&together, inner) {
                let line = line.replace('\u{a0}', " ");
                let _ = writeln!(text, "{indent}{label:<LABEL$}{:further$}{line}", "");
                label = "";
            }
        }
    }
    text
}

/// The scores behind the decisions. Where numbers are compared they are the decisions themselves.
pub(super) fn scores(pair: &Counterexample, rule: &Rule) -> String {
    let [own, other] = pair.scores;
    match rule {
        Rule::Threshold(_) => format!(" (score {own:.3} -> {other:.3})"),
        Rule::Bands(_) => format!(" ({own:.3} -> {other:.3})"),
        Rule::Classes(_) => format!(" (ahead by {own:.3} -> {other:.3})"),
        Rule::Tolerance(tolerance) => {
            let apart = (own - other).abs();
            format!(", by {apart:.3} (tolerance {tolerance})")
        }
    }
}

/// The protected attributes in which the person differs from the real one.
fn protected(nearest: &Nearest, pair: &Counterexample, space: &Space) -> String {
    let positions = space.protected().iter();
    let differ = positions.filter(|&&at| nearest.person[at] != pair.person[at]);
    let names = differ.map(|&at| space.schema().attributes()[at].name.as_str());
    names.collect::<Vec<_>>().join(" and ")
}

/// How far the person is from a real one, and in what.
pub(super) fn nearest_line(nearest: &Nearest, pair: &Counterexample, space: &Space) -> String {
    let attributes = space.schema().attributes();
    let changes: Vec<String> = (0..attributes.len())
        .filter(|position| !space.protected().contains(position))
        .filter(|&position| nearest.person[position] != pair.person[position])
        .map(|position| {
            let domain = &attributes[position].domain;
            let real = domain.text(nearest.person[position]);
            format!("{} {real}", attributes[position].name)
        })
        .collect();
    match changes.len() {
        0 if nearest.person == pair.person => "a person of the dataset".to_owned(),
        0 => format!(
            "a person of the dataset, but for {}",
            protected(nearest, pair, space)
        ),
        1..=3 => format!(
            "nearest in the dataset: the same with {}",
            changes.join(", ")
        ),
        count => format!("nearest in the dataset: {count} attributes differ"),
    }
}

/// Words in lines; each but the last is followed by `end`.
pub(super) fn wrapped(words: &[String], end: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let end = if index + 1 < words.len() { end } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() + 2 <= width => {
                let _ = write!(line, " {word}{end}");
            }
            _ => lines.push(format!("{word}{end}")),
        }
    }
    lines
}

fn snapshot_line(checked: &Checked) -> String {
    let replay = &checked.result.replay;
    let snapshot = &checked.snapshot;
    let replayed = match replay.still_there + replay.fixed {
        0 => String::new(),
        all if snapshot.state == SnapshotState::Matched => {
            format!(
                " ({} of {all} recorded pairs still there)",
                replay.still_there
            )
        }
        _ => String::new(),
    };
    let message = match snapshot.message.as_str() {
        "" => String::new(),
        message => format!(": {message}"),
    };
    format!("snapshot {}{replayed}{message}", snapshot.state)
}
