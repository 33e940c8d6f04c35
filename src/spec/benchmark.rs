//! `[benchmark.NAME]` and `[defaults]`: what is tested, and how hard.

use std::collections::BTreeMap;

use clap::ValueEnum;
use miette::SourceSpan;

use crate::schema::DEFAULT_COMBINATIONS;

use super::budget::Budget;
use super::dataset::DatasetSpec;
use super::entry::{Bounds, Entry};
use super::keys;
use super::limits::Limits;
use super::located::Located;
use super::model::ModelSpec;
use super::problem::SpecProblem;
use super::search::SearchSettings;
use super::suggest;
use super::table::Table;

/// The seed where a spec gives none.
pub const DEFAULT_SEED: u64 = 42;

/// The confidence where a spec gives none.
pub const DEFAULT_CONFIDENCE: f64 = 0.95;

/// One test case: a model, a dataset, the protected attributes, and how hard to look.
///
/// What a benchmark does not say itself, `[defaults]` says; what neither says has a default.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BenchmarkSpec {
    /// The name of the test.
    pub name: Located<String>,
    /// The key of the model in [`Spec::models`](super::Spec::models), where it always is.
    pub model: String,
    /// The key of the dataset in [`Spec::datasets`](super::Spec::datasets), where it always is.
    pub dataset: String,
    /// The attributes that must not decide: at least one, all different, none of them the label.
    /// Several mean all combinations of their values. That the dataset has them is not known
    /// before its header is read.
    pub protected: Vec<Located<String>>,
    /// Which values of a protected attribute are told apart, where not all are.
    pub groups: Vec<(Located<String>, Located<GroupsSpec>)>,
    /// Combinations of protected values that each person is tested with, at most. Default:
    /// [`DEFAULT_COMBINATIONS`]. Above it combinations are drawn, and the report says so.
    pub max_combinations: usize,
    /// Attributes that the search does not move. Default: none.
    pub frozen: Vec<Located<String>>,
    /// What holds for every person that can exist, besides what the dataset says. Default: none.
    pub constraints: Vec<Located<String>>,
    /// How far from a real person the search may go. Default: none, anywhere in the domain.
    pub realistic: Option<Realistic>,
    /// Where the random choices of the search start. Default: [`DEFAULT_SEED`]. No seed is better
    /// than another; change it to see how much a result owes to luck.
    pub seed: u64,
    /// What may be found at most.
    pub limits: Limits,
    /// Where `group-limits` stands, if the spec has any.
    pub group_limits_at: Option<SourceSpan>,
    /// How much the benchmark may cost.
    pub budget: Budget,
    /// How counterexamples are looked for.
    pub search: SearchSettings,
    /// What an inconclusive verdict does to the test. Default: `fail`.
    pub on_inconclusive: OnInconclusive,
    /// Whether the counterexamples are held against a snapshot. Default: `on`.
    pub snapshot: SnapshotMode,
    /// The confidence of the interval around the domain rate. Default: [`DEFAULT_CONFIDENCE`].
    /// Above 0 and below 1: near 1 the interval gets wide, near 0 it means little.
    pub confidence: f64,
}

/// Which values of a protected attribute are told apart.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GroupsSpec {
    /// Each of these numbers starts a new group.
    Bounds(Vec<f64>),
    /// Categories, group by group.
    Values(Vec<Vec<String>>),
    /// So many groups of about the same number of the dataset's people.
    Quantiles(usize),
    /// So many values, evenly spread over the domain.
    Grid(usize),
}

/// How far from a real person the search may go.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Realistic {
    /// Attributes that may differ from the real person's, at most.
    pub max_changed: usize,
    /// How far a number may be from the real person's, as a share of its domain.
    pub max_shift: f64,
}

impl Default for Realistic {
    fn default() -> Self {
        Realistic {
            max_changed: 3,
            max_shift: 0.1,
        }
    }
}

/// What an inconclusive verdict does to the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OnInconclusive {
    /// The test fails: what could not be told is not taken for good.
    #[default]
    Fail,
    /// The test passes, and the report says that it was inconclusive.
    Pass,
}

/// Whether the counterexamples found are held against a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum SnapshotMode {
    /// A changed snapshot fails the test; a missing one is offered for review.
    #[default]
    On,
    /// As `on`, and a missing one fails the test too.
    Required,
    /// There is no snapshot.
    Off,
}

const CONFIDENCE: Bounds = Bounds {
    words: "a number above 0 and below 1",
    hold: |confidence| confidence > 0.0 && confidence < 1.0,
    help: |_| Some("write 0.95 for 95 %".to_owned()),
};

const FINITE: Bounds = Bounds {
    words: "a number",
    hold: f64::is_finite,
    help: |_| None,
};

const SHARE: Bounds = Bounds {
    words: "a share from 0 to 1",
    hold: |share| (0.0..=1.0).contains(&share),
    help: |_| None,
};

/// The models and datasets that a benchmark can name.
pub(super) struct Known<'k> {
    pub(super) models: &'k BTreeMap<String, ModelSpec>,
    pub(super) datasets: &'k BTreeMap<String, DatasetSpec>,
}

/// A benchmark in the making: the built-in defaults, then `[defaults]`, then the benchmark's own
/// table, each on top of the one before.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    model: Option<String>,
    dataset: Option<String>,
    protected: Option<Vec<Located<String>>>,
    groups: Vec<(Located<String>, Located<GroupsSpec>)>,
    max_combinations: usize,
    frozen: Vec<Located<String>>,
    constraints: Vec<Located<String>>,
    realistic: Option<Realistic>,
    seed: u64,
    limits: Limits,
    group_limits_at: Option<SourceSpan>,
    budget: Budget,
    search: SearchSettings,
    on_inconclusive: OnInconclusive,
    snapshot: SnapshotMode,
    confidence: f64,
}

impl Default for Draft {
    fn default() -> Self {
        Draft {
            model: None,
            dataset: None,
            protected: None,
            groups: Vec::new(),
            max_combinations: DEFAULT_COMBINATIONS,
            frozen: Vec::new(),
            constraints: Vec::new(),
            realistic: None,
            seed: DEFAULT_SEED,
            limits: Limits::NONE,
            group_limits_at: None,
            budget: Budget::default(),
            search: SearchSettings::default(),
            on_inconclusive: OnInconclusive::default(),
            snapshot: SnapshotMode::default(),
            confidence: DEFAULT_CONFIDENCE,
        }
    }
}

impl Draft {
    /// This draft, with what `table` says in its stead; `budget`, `search` and the rates key by
    /// key.
    pub(super) fn overridden_by(self, table: &Table<'_>, known: &Known<'_>) -> Self {
        // A value that is there but wrong leaves a placeholder, so that it is not missed as well.
        let model = table.entry("model");
        let model = model.map(|entry| reference(&entry, "model", known.models).unwrap_or_default());
        let dataset = table.entry("dataset");
        let dataset =
            dataset.map(|entry| reference(&entry, "dataset", known.datasets).unwrap_or_default());
        let protected = table.entry("protected");
        let protected = protected.map(|entry| protected_list(&entry).unwrap_or_default());
        let budget = table.table("budget").map(|t| t.allow(&[keys::BUDGET]));
        let search = table.table("search").map(|t| t.allow(&[keys::SEARCH]));
        Draft {
            model: model.or(self.model),
            dataset: dataset.or(self.dataset),
            protected: protected.or(self.protected),
            groups: table.table("groups").map_or(self.groups, |t| groups(&t)),
            max_combinations: table
                .whole("max-combinations", 2)
                .unwrap_or(self.max_combinations),
            frozen: table.texts("frozen", "attributes").unwrap_or(self.frozen),
            constraints: table
                .texts("constraints", "constraints")
                .unwrap_or(self.constraints),
            realistic: table
                .entry("realistic")
                .map_or(self.realistic, |entry| realistic(&entry)),
            seed: table.whole("seed", 0).unwrap_or(self.seed),
            limits: self.limits.overridden_by(table),
            group_limits_at: table
                .entry("group-limits")
                .map(|entry| entry.at())
                .or(self.group_limits_at),
            budget: budget.map_or(self.budget, |table| self.budget.overridden_by(&table)),
            search: search.map_or(self.search, |table| self.search.overridden_by(&table)),
            on_inconclusive: table
                .word("on-inconclusive")
                .unwrap_or(self.on_inconclusive),
            snapshot: table.word("snapshot").unwrap_or(self.snapshot),
            confidence: table
                .number("confidence", &CONFIDENCE)
                .unwrap_or(self.confidence),
        }
    }

    /// The benchmark of this draft, which was made from `table`.
    pub(super) fn finish(
        self,
        name: Located<String>,
        table: &Table<'_>,
        known: &Known<'_>,
    ) -> BenchmarkSpec {
        if self.model.is_none() {
            table.missing("model", help_for_missing("model", known.models));
        }
        if self.dataset.is_none() {
            table.missing("dataset", help_for_missing("dataset", known.datasets));
        }
        if self.protected.is_none() {
            let help = "name the attributes that must not decide: protected = [\"sex\"]";
            table.missing("protected", help.to_owned());
        }
        // A `search` that is no table has been complained about.
        let search = table.entry("search").filter(Entry::is_table);
        if let Some(search) = search.and_then(|entry| entry.table()) {
            self.search.check_read(&search);
        }
        let benchmark = BenchmarkSpec {
            name,
            model: self.model.unwrap_or_default(),
            dataset: self.dataset.unwrap_or_default(),
            protected: self.protected.unwrap_or_default(),
            groups: self.groups,
            max_combinations: self.max_combinations,
            frozen: self.frozen,
            constraints: self.constraints,
            realistic: self.realistic,
            seed: self.seed,
            limits: self.limits.or_default(),
            group_limits_at: self.group_limits_at,
            budget: self.budget,
            search: self.search,
            on_inconclusive: self.on_inconclusive,
            snapshot: self.snapshot,
            confidence: self.confidence,
        };
        check_label(&benchmark, table, known);
        benchmark
    }
}

/// The name of a model or a dataset, which has to be one of `known`.
fn reference<T>(
    entry: &Entry<'_>,
    kind: &'static str,
    known: &BTreeMap<String, T>,
) -> Option<String> {
    let name = entry.text()?;
    if !known.contains_key(&name.value) {
        entry.problems().push(SpecProblem::UnknownReference {
            what: entry.what().to_owned(),
            kind,
            help: help_for_unknown(kind, &name.value, known),
            name: name.value,
            at: name.span,
        });
        return None;
    }
    Some(name.value)
}

fn help_for_unknown<T>(kind: &str, name: &str, known: &BTreeMap<String, T>) -> String {
    let names = known.keys().map(String::as_str);
    if known.is_empty() {
        return format!("the file has no {kind} yet: add [{kind}.{name}] with its path");
    }
    let list = suggest::list(names.clone(), "and");
    match suggest::closest(name, names) {
        Some(meant) if known.len() == 1 => format!("did you mean `{meant}`?"),
        Some(meant) => format!("did you mean `{meant}`? The file has {list}"),
        None => format!("the file has {list}"),
    }
}

fn help_for_missing<T>(kind: &str, known: &BTreeMap<String, T>) -> String {
    match known.keys().next() {
        Some(name) => format!("add it here or under [defaults]: {kind} = \"{name}\""),
        None => format!("add a table [{kind}.NAME] with its path, and here {kind} = \"NAME\""),
    }
}

fn protected_list(entry: &Entry<'_>) -> Option<Vec<Located<String>>> {
    let entries = entry.list("attributes")?;
    let names: Vec<_> = entries.iter().filter_map(Entry::text).collect();
    if entries.is_empty() {
        entry.problems().push(SpecProblem::EmptyList {
            what: entry.what().to_owned(),
            help: "name at least one attribute that must not decide: [\"sex\"]".to_owned(),
            at: entry.at(),
        });
    }
    entry.problems().check_distinct(entry.what(), &names);
    Some(names)
}

fn groups(table: &Table<'_>) -> Vec<(Located<String>, Located<GroupsSpec>)> {
    let entries = table.in_file_order();
    entries
        .into_iter()
        .filter_map(|(name, entry)| {
            let groups = Located::new(attribute_groups(&entry)?, entry.at());
            Some((name, groups))
        })
        .collect()
}

/// `[26, 46, 66]`, `[["White"], ["Black", "Other"]]`, `{ quantiles = 5 }` or `{ grid = 10 }`.
fn attribute_groups(entry: &Entry<'_>) -> Option<GroupsSpec> {
    if entry.is_table() {
        let table = entry.table()?.allow(&[keys::GROUPS]);
        let (quantiles, grid) = (table.whole("quantiles", 2), table.whole("grid", 2));
        return match (quantiles, grid) {
            (Some(count), None) => Some(GroupsSpec::Quantiles(count)),
            (None, Some(count)) => Some(GroupsSpec::Grid(count)),
            _ => {
                let message = format!("{} needs `quantiles` or `grid`", entry.what());
                let help = "write { quantiles = 5 } or { grid = 5 }";
                entry.contradiction(message, "one of the two", Some(help.to_owned()))
            }
        };
    }
    let entries = entry.list("numbers or of lists of values")?;
    if entries.iter().all(Entry::is_list) && !entries.is_empty() {
        let group = |entry: &Entry<'_>| {
            let values = entry.list("values")?;
            let values = values.iter().filter_map(Entry::plain_value);
            Some(values.map(|value| value.value).collect())
        };
        return Some(GroupsSpec::Values(
            entries.iter().filter_map(group).collect(),
        ));
    }
    let bounds: Vec<f64> = entries.iter().filter_map(|e| e.number(&FINITE)).collect();
    if bounds.is_empty() || !bounds.is_sorted_by(|a, b| a < b) {
        let help = "each number starts a new group: [26, 46, 66]";
        return entry.out_of_range("rising numbers", "not", Some(help.to_owned()));
    }
    Some(GroupsSpec::Bounds(bounds))
}

/// `true`, `false`, or a table that says how near.
fn realistic(entry: &Entry<'_>) -> Option<Realistic> {
    if !entry.is_table() {
        return entry.truth()?.then(Realistic::default);
    }
    let table = entry.table()?.allow(&[keys::REALISTIC]);
    let default = Realistic::default();
    Some(Realistic {
        max_changed: table.whole("max-changed", 1).unwrap_or(default.max_changed),
        max_shift: table
            .number("max-shift", &SHARE)
            .unwrap_or(default.max_shift),
    })
}

fn check_label(benchmark: &BenchmarkSpec, table: &Table<'_>, known: &Known<'_>) {
    let dataset = known.datasets.get(&benchmark.dataset);
    let Some(label) = dataset.and_then(|dataset| dataset.label.as_ref()) else {
        return;
    };
    let protected = benchmark.protected.iter();
    for attribute in protected.filter(|attribute| attribute.value == label.value) {
        table.problems().push(SpecProblem::ProtectedLabel {
            benchmark: benchmark.name.value.clone(),
            attribute: attribute.value.clone(),
            at: attribute.span,
            label_at: label.span,
        });
    }
}
