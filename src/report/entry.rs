//! One benchmark in the words that the reports over all benchmarks need.
//!
//! A [`Checked`] holds everyone that was tested. What is shown at the end of a run is kept here
//! instead, so that the memory of a benchmark is free again as soon as it has ended.

use std::fmt::Write as _;

use super::text::{failure, nearest_line, pretty, sentence};
use crate::findings::Counterexample;
use crate::gate::Checked;
use crate::model::meter::Cut;
use crate::schema::Space;
use crate::snapshot::{decision, flips};
use crate::verdict::{Verdict, percent};

/// Why a benchmark has not been run.
pub(crate) const NOT_RUN: &str = "not run: the run was interrupted before it began";

/// The width of the texts in reports that no terminal shows.
const WIDTH: usize = 100;

/// How a benchmark ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The limits hold, and so does the snapshot.
    Passed,
    /// It could not be told, and the spec lets that pass.
    Tolerated,
    /// A limit is exceeded.
    Failed,
    /// The limits hold, but the snapshot is not accepted.
    SnapshotChanged,
    /// It could not be told.
    Inconclusive,
    /// Something could not be used.
    Unusable,
    /// It was not begun.
    NotRun,
}

impl Ending {
    fn of(checked: &Checked) -> Self {
        match checked.result.verdict {
            _ if checked.problem.is_some() => Ending::Unusable,
            Verdict::Fail => Ending::Failed,
            Verdict::Inconclusive if checked.inconclusive() => Ending::Inconclusive,
            _ if checked.snapshot.fails => Ending::SnapshotChanged,
            Verdict::Inconclusive => Ending::Tolerated,
            Verdict::Pass => Ending::Passed,
        }
    }

    /// Whether the benchmark passes.
    pub(crate) fn passes(self) -> bool {
        matches!(self, Ending::Passed | Ending::Tolerated)
    }

    /// The word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Ending::Passed => "pass",
            Ending::Failed => "fail",
            Ending::Tolerated | Ending::Inconclusive => "inconclusive",
            Ending::SnapshotChanged => "snapshot not accepted",
            Ending::Unusable => "could not be run",
            Ending::NotRun => "not run",
        }
    }
}

/// A benchmark that has ended, or was not begun.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The benchmark.
    pub(crate) name: String,
    /// Its line in the spec.
    pub(crate) line: usize,
    /// How it ended.
    pub(crate) ending: Ending,
    /// Why, in one sentence.
    pub(super) sentence: String,
    /// All that there is to say, in several lines.
    pub(super) details: String,
    /// The report as it is printed for people.
    pub(super) output: String,
    /// The time it took.
    pub(super) seconds: f64,
    /// What was measured, if anything was.
    pub(super) measured: Option<Measured>,
}

/// What was measured, ready for the cells of a table.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    /// The rates of the search, the dataset and the domain, with their limits.
    pub(super) rates: [String; 3],
    /// Distinct counterexamples.
    pub(super) counterexamples: u64,
    /// How many are allowed.
    pub(super) max_counterexamples: Option<u64>,
    /// The most telling pair.
    pub(super) pair: Option<PairRows>,
    /// Whether somebody ended the run.
    pub(super) interrupted: bool,
}

/// A person and a counterpart, attribute by attribute.
#[derive(Debug, Clone)]
pub(super) struct PairRows {
    /// The pair in one line.
    pub(super) flips: String,
    /// What differs: attributes, decision and score, with both values.
    pub(super) differ: Vec<[String; 3]>,
    /// What stays the same, with its value.
    pub(super) same: Vec<[String; 2]>,
    /// The nearest real person.
    pub(super) nearest: Option<String>,
}

impl Entry {
    /// What to keep of a benchmark that has ended; it stands in `line` of the spec.
    pub(crate) fn of(checked: &Checked, line: usize) -> Self {
        let result = &checked.result;
        let problem = checked.problem.as_ref().map(ToString::to_string);
        let mut details = failure(checked);
        if let Some(problem) = &problem {
            let _ = write!(details, "\n{problem}");
        }
        Entry {
            name: result.name.clone(),
            line,
            ending: Ending::of(checked),
            sentence: problem.unwrap_or_else(|| sentence(checked)),
            details,
            output: pretty(checked, false, WIDTH),
            seconds: result.seconds,
            measured: Some(Measured::of(checked)),
        }
    }

    /// A benchmark that could not be run, and why.
    pub(crate) fn unusable(name: &str, line: usize, why: String) -> Self {
        Entry {
            details: why.clone(),
            sentence: why,
            ..Entry::without_result(name, line, Ending::Unusable)
        }
    }

    /// A benchmark that was not begun.
    pub(crate) fn not_run(name: &str, line: usize) -> Self {
        Entry {
            sentence: NOT_RUN.to_owned(),
            details: NOT_RUN.to_owned(),
            ..Entry::without_result(name, line, Ending::NotRun)
        }
    }

    fn without_result(name: &str, line: usize, ending: Ending) -> Self {
        Entry {
            name: name.to_owned(),
            line,
            ending,
            sentence: String::new(),
            details: String::new(),
            output: String::new(),
            seconds: 0.0,
            measured: None,
        }
    }
}

impl Measured {
    fn of(checked: &Checked) -> Self {
        let result = &checked.result;
        let (rates, limits) = (&result.rates, &checked.limits);
        let domain = &rates.domain;
        let interval = match domain.share.of {
            0 => None,
            _ if domain.exact => Some("exact".to_owned()),
            _ => Some(format!(
                "{} to {}",
                percent(domain.lower),
                percent(domain.upper)
            )),
        };
        Measured {
            rates: [
                rate(rates.search.value(), None, limits.search),
                rate(rates.dataset.value(), None, limits.dataset),
                rate(domain.share.value(), interval, limits.domain),
            ],
            counterexamples: result.counterexamples,
            max_counterexamples: limits.max_counterexamples,
            pair: result.shown_pairs().first().map(|pair| {
                let space = result.findings.space();
                PairRows::of(pair, space, &result.decisions)
            }),
            interrupted: result.cut == Some(Cut::Interrupted),
        }
    }
}

/// `8.9 % (8.4 % to 9.5 %, limit 10.0 %)`.
fn rate(value: Option<f64>, interval: Option<String>, limit: Option<f64>) -> String {
    let value = value.map_or_else(|| "unknown".to_owned(), percent);
    let limit = limit.map(|limit| format!("limit {}", percent(limit)));
    let more: Vec<String> = interval.into_iter().chain(limit).collect();
    match more.is_empty() {
        true => value,
        false => format!("{value} ({})", more.join(", ")),
    }
}

impl PairRows {
    fn of(pair: &Counterexample, space: &Space, decisions: &[String]) -> Self {
        let schema = space.schema();
        let (own, other) = (schema.words(&pair.person), schema.words(&pair.counterpart));
        let (mut differ, mut same) = (Vec::new(), Vec::new());
        for ((name, own), (_, other)) in own.into_iter().zip(other) {
            match own == other {
                true => same.push([name, own]),
                false => differ.push([name, own, other]),
            }
        }
        let [own, other] = [0, 1].map(|side| decision(pair, side, decisions));
        differ.push(["decision".to_owned(), own, other]);
        let [own, other] = pair.scores.map(|score| format!("{score:.3}"));
        differ.push(["score".to_owned(), own, other]);
        let nearest = pair.nearest.as_ref();
        PairRows {
            flips: flips(pair, space, decisions),
            differ,
            same,
            nearest: nearest.map(|nearest| nearest_line(nearest, pair, space)),
        }
    }
}

/// How many benchmarks ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Passed.
    pub(crate) passed: u64,
    /// A limit is exceeded or a snapshot changed.
    pub(crate) failed: u64,
    /// It could not be told.
    pub(crate) inconclusive: u64,
    /// Could not be run.
    pub(crate) unusable: u64,
    /// Not begun.
    pub(crate) not_run: u64,
}

impl Tally {
    /// The count of all entries.
    pub(crate) fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut tally = Tally::default();
        for entry in entries {
            let count = match entry.ending {
                Ending::Passed | Ending::Tolerated => &mut tally.passed,
                Ending::Failed | Ending::SnapshotChanged => &mut tally.failed,
                Ending::Inconclusive => &mut tally.inconclusive,
                Ending::Unusable => &mut tally.unusable,
                Ending::NotRun => &mut tally.not_run,
            };
            *count += 1;
        }
        tally
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.inconclusive, "inconclusive"),
            (self.unusable, "could not be run"),
            (self.not_run, "not run"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{} {word}", crate::words::grouped(count)))
            .collect();
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An entry with everything in it that a report could stumble over.
    pub(in crate::report) fn entry(name: &str, ending: Ending) -> Entry {
        let pair = PairRows {
            flips: "sex: Female -> Male flips \"<=50K\" to \">50K\"".to_owned(),
            differ: vec![["sex".into(), "Female".into(), "Male".into()]],
            same: vec![["job|title".into(), "*bold* <b>\n`tick`".into()]],
            nearest: Some("a person of the dataset".into()),
        };
        Entry {
            name: name.to_owned(),
            line: 12,
            ending,
            sentence: "fail: 100 %, a < b & \"c\"".to_owned(),
            details: "line 1: 100 %\r\nline 2, more\u{1b}[31m red\u{0} ]]>".to_owned(),
            output: "FAIL <x> & \u{8}y".to_owned(),
            seconds: 1.5,
            measured: Some(Measured {
                rates: ["80.4 %", "4.4 % (limit 1.0 %)", "8.9 %"].map(str::to_owned),
                counterexamples: 17_042,
                max_counterexamples: Some(3),
                pair: Some(pair),
                interrupted: false,
            }),
        }
    }

    #[test]
    fn a_tally_names_what_there_is() {
        let entries = [
            entry("a", Ending::Passed),
            entry("b", Ending::Tolerated),
            entry("c", Ending::SnapshotChanged),
            Entry::not_run("d", 1),
        ];
        let tally = Tally::of(&entries);
        assert_eq!(tally.to_string(), "2 passed, 1 failed, 1 not run");
    }
}
