//! `[model.NAME]`: a model under test.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::model::{DeviceChoice, RuntimeChoice};

use super::attribute::{self, EncodingSpec};
use super::entry::{Bounds, Entry};
use super::load::Base;
use super::located::Located;
use super::suggest;
use super::table::Table;

/// A model under test.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelSpec {
    /// The key by which benchmarks name the model.
    pub name: Located<String>,
    /// The ONNX file, already relative to the spec's folder. It need not exist yet.
    pub path: Located<PathBuf>,
    /// The runtime to use. Default: `auto`, ONNX Runtime if it is found, else the embedded one.
    pub runtime: RuntimeChoice,
    /// The device to use. Default: `auto`, CUDA if it is there, else the CPU.
    pub device: DeviceChoice,
    /// The model output that holds the score. Default: none, the model's own score output is
    /// found by its shape.
    pub output: Option<Located<String>>,
    /// What the scores are. Default: `auto`, told by their shape and their values.
    pub scores: Scores,
    /// The score above which the decision is class 1. Default: none, which later means 0.5.
    /// Any finite number is allowed; outside the range of the scores all people are decided alike
    /// and no counterexample can be found.
    pub threshold: Option<f64>,
    /// What the classes (or the bands of a number) are called in reports, such as
    /// `["<=50K", ">50K"]`. Default: none, what the model or the label calls them, or their numbers.
    pub decisions: Option<Located<Vec<String>>>,
    /// The decision that people hope for: one of the names. Default: none, the last of two.
    pub favourable: Option<Located<String>>,
    /// What a predicted number means.
    pub number: Option<NumberSpec>,
    /// The names of the columns of the model's only input, in its order. Default: none, the order
    /// of the CSV.
    pub columns: Option<Located<Vec<String>>>,
    /// The columns of each input, where names do not tell. Default: none.
    pub inputs: Vec<(Located<String>, Located<Vec<String>>)>,
    /// How attributes are given to this model, in place of what the dataset says.
    pub attributes: Vec<(Located<String>, Located<EncodingSpec>)>,
}

/// What a model's scores are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
#[non_exhaustive]
pub enum Scores {
    /// Told by their shape and their values.
    #[default]
    Auto,
    /// Probabilities from 0 to 1.
    Probability,
    /// Numbers that a sigmoid or a softmax would turn into probabilities; fairgate does it.
    Logit,
    /// The decisions themselves.
    Label,
    /// A predicted number; `tolerance` or `bands` says what is a different decision.
    Number,
}

/// When two predicted numbers are different decisions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NumberSpec {
    /// They differ by more than this.
    Tolerance(f64),
    /// They lie in different bands; each of these numbers, which rise, starts a new band.
    Bands(Vec<f64>),
}

const FINITE: Bounds = Bounds {
    words: "a finite number",
    hold: f64::is_finite,
    help: |_| None,
};

const TOLERANCE: Bounds = Bounds {
    words: "a number, at least 0",
    hold: |number| number >= 0.0,
    help: |_| None,
};

impl ModelSpec {
    pub(super) fn read(name: Located<String>, table: &Table<'_>, base: &Base) -> Self {
        let path = table
            .required("path", "add the ONNX file: path = \"model.onnx\"")
            .and_then(|entry| entry.text());
        ModelSpec {
            path: base.resolve(path, &name),
            name,
            runtime: table.word("runtime").unwrap_or_default(),
            device: table.word("device").unwrap_or_default(),
            output: table.text("output"),
            scores: table.word("scores").unwrap_or_default(),
            threshold: table.number("threshold", &FINITE),
            decisions: table.entry("decisions").and_then(|entry| names(&entry)),
            favourable: table.entry("favourable").and_then(|e| e.plain_value()),
            number: number(table),
            columns: table.entry("columns").and_then(|e| columns(&e)),
            inputs: inputs(table),
            attributes: attribute::of_model(table),
        }
        .checked(table)
    }

    fn checked(self, table: &Table<'_>) -> Self {
        let refuse = |key: &str, message: String, label: &str| {
            if let Some(entry) = table.entry(key) {
                entry.contradiction::<()>(message, label, None);
            }
        };
        if let (Some(favourable), Some(names)) = (&self.favourable, &self.decisions)
            && !names.value.contains(&favourable.value)
        {
            let list = suggest::list(names.value.iter().map(String::as_str), "and");
            let message = format!("no decision is called `{}`", favourable.value);
            refuse("favourable", message, &format!("the decisions are {list}"));
        }
        if self.number.is_some() && self.threshold.is_some() {
            let message = "a model has a `threshold` or predicts a number, not both".to_owned();
            refuse(
                "threshold",
                message,
                "remove this or `tolerance` and `bands`",
            );
        }
        if let (Some(NumberSpec::Bands(bands)), Some(names)) = (&self.number, &self.decisions)
            && names.value.len() != bands.len() + 1
        {
            let message = format!(
                "{} numbers make {} bands, but `decisions` has {} names",
                bands.len(),
                bands.len() + 1,
                names.value.len()
            );
            refuse(
                "decisions",
                message,
                "one name for each band, from the lowest up",
            );
        }
        if self.columns.is_some() && !self.inputs.is_empty() {
            let message = "`columns` and `inputs` both say what goes where".to_owned();
            refuse("columns", message, "for one input; `inputs` is for several");
        }
        self
    }
}

/// `tolerance` or `bands`.
fn number(table: &Table<'_>) -> Option<NumberSpec> {
    let tolerance = table.number("tolerance", &TOLERANCE);
    let bands = table.entry("bands");
    if let (Some(_), Some(bands)) = (tolerance, &bands) {
        let message = "a predicted number has a `tolerance` or `bands`, not both".to_owned();
        return bands.contradiction(message, "remove one of them", None);
    }
    if tolerance.is_some() {
        return tolerance.map(NumberSpec::Tolerance);
    }
    let entry = bands?;
    let numbers = entry.list("numbers that each start a new band")?;
    let numbers: Vec<f64> = numbers.iter().filter_map(|n| n.number(&FINITE)).collect();
    if numbers.is_empty() || !numbers.is_sorted_by(|a, b| a < b) {
        let help = "each number starts a new band: bands = [20.0, 40.0]";
        return entry.out_of_range("rising numbers", "not", Some(help.to_owned()));
    }
    Some(NumberSpec::Bands(numbers))
}

fn names(entry: &Entry<'_>) -> Option<Located<Vec<String>>> {
    let entries = entry.list("names")?;
    let names: Vec<_> = entries.iter().filter_map(Entry::text).collect();
    if entries.len() < 2 {
        let found = format!("a list of {}", entries.len());
        let help = "name class 0 and class 1: decisions = [\"refused\", \"granted\"]";
        return entry.out_of_range("a list of two names or more", &found, Some(help.to_owned()));
    }
    entry.problems().check_distinct(entry.what(), &names);
    let names = names.into_iter().map(|name| name.value).collect();
    Some(Located::new(names, entry.at()))
}

fn columns(entry: &Entry<'_>) -> Option<Located<Vec<String>>> {
    let entries = entry.list("attributes or columns")?;
    let names: Vec<_> = entries.iter().filter_map(Entry::text).collect();
    entry.problems().check_distinct(entry.what(), &names);
    let names = names.into_iter().map(|name| name.value).collect();
    Some(Located::new(names, entry.at()))
}

/// `inputs = { numbers = ["age", "hours"], sex = "sex" }`.
fn inputs(model: &Table<'_>) -> Vec<(Located<String>, Located<Vec<String>>)> {
    let Some(table) = model.table("inputs") else {
        return Vec::new();
    };
    let read = |entry: &Entry<'_>| {
        if entry.is_list() {
            return columns(entry);
        }
        let name = entry.text()?;
        Some(Located::new(vec![name.value], name.span))
    };
    let entries = table.in_file_order();
    entries
        .into_iter()
        .filter_map(|(name, entry)| Some((name, read(&entry)?)))
        .collect()
}
