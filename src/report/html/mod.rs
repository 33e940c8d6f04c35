//! One page about all benchmarks: a single HTML file that needs nothing else.
//!
//! Pure rendering from what `--format json` prints, the findings and the fingerprints of the files.
//! The page asks for no network, and its policy forbids it: styles and the script stand in the page
//! and are allowed by their hashes. Everything but the table of findings works without the script.

mod bar;
mod benchmark;
mod changes;
mod curve;
mod directions;
mod glance;
mod groups;
mod inputs;
mod insight;
mod pairs;
mod rates;
mod table;
mod told;

#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::table::Table;
use self::told::Told;
use super::entry::{Ending, Entry, Tally};
use super::json::json;
use crate::fingerprint::Fingerprint;
use crate::gate::Checked;
use crate::plan::BenchmarkPlan;
use crate::spec::Limits;

pub(crate) use self::inputs::Input;
pub(crate) use self::table::share;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What a page is about.
pub(crate) struct Page<'a> {
    /// Where the spec is.
    pub(crate) spec: &'a str,
    /// The spec as it was read.
    pub(crate) text: &'a str,
    /// When the run ended.
    pub(crate) made: &'a str,
    /// The models and datasets.
    pub(crate) inputs: &'a [Input],
    /// The benchmarks, in the order of the plan.
    pub(crate) benchmarks: &'a [(Entry, Option<Part>)],
}

/// What is kept of a benchmark for the page when it has ended.
#[derive(Debug)]
pub(crate) struct Part {
    model: String,
    dataset: String,
    protected: Vec<String>,
    limits: Limits,
    /// What was printed about it; why it cannot be read, if that should happen.
    told: Result<Told, String>,
    table: Table,
}

impl Part {
    /// Of a benchmark that has ended, with at most so many of its findings.
    pub(crate) fn of(plan: &BenchmarkPlan, checked: &Checked, most: usize) -> Self {
        Part {
            model: plan.benchmark.model.clone(),
            dataset: plan.benchmark.dataset.clone(),
            protected: plan.protected().into_iter().map(str::to_owned).collect(),
            limits: checked.limits,
            told: serde_json::from_str(&json(checked)).map_err(|error| error.to_string()),
            table: Table::of(checked, most),
        }
    }
}

/// The page.
pub(crate) fn html(page: &Page<'_>) -> String {
    let tally = Tally::of(page.benchmarks.iter().map(|(entry, _)| entry));
    let benchmarks = worst_first(page.benchmarks);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&tally))
            body {
                a.skip href="#results" { "Skip to the results" }
                (top(page, &tally))
                div.columns {
                    (glance::navigation(&benchmarks))
                    main #results tabindex="-1" {
                        (glance::verdicts(&benchmarks))
                        @for (entry, part) in &benchmarks {
                            (benchmark::section(entry, *part))
                        }
                        (inputs::section(page))
                    }
                }
                (foot())
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    document.into_string()
}

/// A benchmark as a page shows it.
type Shown<'a> = (&'a Entry, Option<&'a Part>);

/// What failed first, what passed last; otherwise in the order of the plan.
fn worst_first(benchmarks: &[(Entry, Option<Part>)]) -> Vec<Shown<'_>> {
    let shown = benchmarks.iter();
    let mut shown: Vec<Shown<'_>> = shown.map(|(entry, part)| (entry, part.as_ref())).collect();
    shown.sort_by_key(|(entry, _)| match entry.ending {
        Ending::Failed | Ending::SnapshotChanged | Ending::Unusable => 0,
        Ending::Inconclusive | Ending::NotRun => 1,
        Ending::Tolerated | Ending::Passed => 2,
    });
    shown
}

fn head(tally: &Tally) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy());
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            title { "Fairness report: " (tally.to_string()) }
            // Without one, a browser would ask the server of the page for an icon.
            link rel="icon" href="data:,";
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// Nothing is loaded from anywhere, and no other style or script can run.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(Fingerprint::of(text.as_bytes()).sha256);
    format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; \
         base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

fn top(page: &Page<'_>, tally: &Tally) -> Markup {
    let counts = [
        (tally.failed, "failed", "fail"),
        (tally.unusable, "could not be run", "fail"),
        (tally.inconclusive, "inconclusive", "unsure"),
        (tally.not_run, "not run", "unsure"),
        (tally.passed, "passed", "pass"),
    ];
    html! {
        header.top {
            h1 { "Fairness report" }
            ul.tally aria-label="Benchmarks by verdict" {
                @for (count, word, kind) in counts.into_iter().filter(|(count, ..)| *count > 0) {
                    li.badge.(kind) { (crate::words::grouped(count)) " " (word) }
                }
            }
            p.soft {
                code { (page.spec) } ", " (page.made) ", fairgate " (env!("CARGO_PKG_VERSION"))
            }
        }
    }
}

fn foot() -> Markup {
    html! {
        footer.foot {
            h2 { "What a result means" }
            p {
                "A counterexample is a person and a counterpart: the same person with another value of a \
                 protected attribute. All else is equal, and yet the model decides otherwise. It is a fact \
                 that anybody can check with two queries."
            }
            p {
                "The absence of counterexamples is not a proof: none was found in so many queries, and \
                 that is all it means. No report can say that the attributes are the right ones, that the \
                 labels are just, or that the model is good for its use."
            }
            p.soft { "Every figure here is printed by " code { "fairgate check --format json" } " as well." }
        }
    }
}

/// The colour of an ending. The word stands beside it everywhere.
fn kind(ending: Ending) -> &'static str {
    match ending {
        Ending::Passed => "pass",
        Ending::Failed | Ending::SnapshotChanged | Ending::Unusable => "fail",
        Ending::Tolerated | Ending::Inconclusive | Ending::NotRun => "unsure",
    }
}

/// Why a benchmark ended as it did, without the word that stands beside it.
fn why(entry: &Entry) -> &str {
    let word = entry.ending.word();
    let why = entry.sentence.strip_prefix(word);
    why.and_then(|why| why.strip_prefix(": "))
        .unwrap_or(&entry.sentence)
}

/// A wide thing that scrolls on its own, so that the page does not. It can be reached by keyboard.
fn scrolling(label: &str, inner: &Markup) -> Markup {
    html! {
        div.scroll role="group" aria-label=(label) tabindex="0" { (inner) }
    }
}

/// A number with three decimals, as scores are shown everywhere.
fn three_decimals(number: f64) -> String {
    format!("{number:.3}")
}
