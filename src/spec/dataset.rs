//! `[dataset.NAME]`: the people a model is tested with, and what the CSV cannot tell about them.

use std::path::PathBuf;

use super::attribute::{self, AttributeSpec, MissingSpec, Scale};
use super::entry::Entry;
use super::keys;
use super::load::Base;
use super::located::Located;
use super::table::Table;

/// A dataset: a CSV file with a header of attribute names, or declared attributes alone.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DatasetSpec {
    /// The key by which benchmarks name the dataset.
    pub name: Located<String>,
    /// The CSV file, already relative to the spec's folder. It need not exist yet. Default: none,
    /// people are drawn from the declared domain of all attributes.
    pub path: Option<Located<PathBuf>>,
    /// The name in the header that is not an attribute but the outcome. Default: none.
    pub label: Option<Located<String>>,
    /// The value of the label that people hope for, as the file writes it. Default: none, the one that
    /// is called as the favourable decision is.
    pub favourable_label: Option<Located<String>>,
    /// Names in the header that the model does not read. Default: none.
    pub ignore: Vec<Located<String>>,
    /// What stands between two fields. Default: none, told from the header.
    pub delimiter: Option<u8>,
    /// The text encoding, such as `latin1`. Default: none, UTF-8 or what a byte order mark says.
    pub encoding: Option<Located<String>>,
    /// Whether words keep the spaces around them. Default: no.
    pub keep_spaces: bool,
    /// What to do with missing values. Default: reject, with their lines.
    pub missing: MissingSpec,
    /// What a missing value looks like, besides an empty field. Default: none, the usual ones.
    pub missing_markers: Option<Vec<String>>,
    /// People kept of a large file, drawn from all of it. Default: none, [`DEFAULT_SAMPLE`].
    pub sample: Option<usize>,
    /// What is said about attributes, in the order of the file.
    pub attributes: Vec<(Located<String>, Located<AttributeSpec>)>,
    /// Columns that are recomputed from attributes and not searched, in the order of the file.
    pub derived: Vec<(Located<String>, DerivedSpec)>,
    /// What holds for every person that can exist.
    pub constraints: Vec<Located<String>>,
    /// Whether pairs of values that never occur together are constraints too. Default: no.
    pub mine_constraints: bool,
}

/// What is done with spaces around words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Spaces {
    /// They are taken off.
    Trim,
    /// They are a part of the word, as for a model that was trained with them.
    Keep,
}

/// People kept in memory of a larger file, where the spec says nothing.
pub const DEFAULT_SAMPLE: usize = 1_000_000;

/// A column that is computed from attributes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DerivedSpec {
    /// How.
    pub expression: Located<String>,
    /// The result is scaled before the model sees it. Default: none.
    pub scale: Option<Scale>,
}

impl DatasetSpec {
    pub(super) fn read(name: Located<String>, table: &Table<'_>, base: &Base) -> Self {
        let has_path = table.has("path");
        if !has_path && !table.has("attributes") {
            table.missing(
                "path",
                "add the CSV file: path = \"people.csv\"; or declare every attribute under \
                 `attributes`, to draw people from the declared domain"
                    .to_owned(),
            );
        }
        DatasetSpec {
            path: has_path.then(|| base.resolve(table.text("path"), &name)),
            name,
            label: table.text("label"),
            favourable_label: favourable_label(table),
            ignore: table.texts("ignore", "column names").unwrap_or_default(),
            delimiter: table.entry("delimiter").and_then(|e| delimiter(&e)),
            encoding: table.entry("encoding").and_then(|e| text_encoding(&e)),
            keep_spaces: table.word("spaces") == Some(Spaces::Keep),
            missing: table
                .entry("missing")
                .and_then(|entry| dataset_missing(&entry))
                .unwrap_or(MissingSpec::Reject),
            missing_markers: table.entry("missing-markers").and_then(|entry| {
                let markers = entry.list("texts")?;
                let markers = markers.iter().filter_map(Entry::plain_value);
                Some(markers.map(|marker| marker.value).collect())
            }),
            sample: table.whole("sample", 1),
            attributes: attribute::of_dataset(table),
            derived: derived(table),
            constraints: table
                .texts("constraints", "constraints")
                .unwrap_or_default(),
            mine_constraints: table.truth("mine-constraints").unwrap_or(false),
        }
    }

    /// What is said about the attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&Located<AttributeSpec>> {
        let said = self.attributes.iter().find(|(at, _)| at.value == name);
        said.map(|(_, spec)| spec)
    }

    /// Where the people come from, for messages.
    pub fn source(&self) -> String {
        match &self.path {
            Some(path) => path.value.display().to_string(),
            None => format!("[dataset.{}]", self.name.value),
        }
    }
}

/// The favourable value of the label, which there must be.
fn favourable_label(table: &Table<'_>) -> Option<Located<String>> {
    let entry = table.entry("favourable-label")?;
    if !table.has("label") {
        let message = format!(
            "{} is a value of the label, but there is no label",
            entry.what()
        );
        let help = "name the label, too: label = \"income\"";
        return entry.contradiction(message, "of no label", Some(help.to_owned()));
    }
    entry.plain_value()
}

fn delimiter(entry: &Entry<'_>) -> Option<u8> {
    let text = entry.plain_value()?.value;
    match text.as_bytes() {
        b"\\t" | b"tab" => Some(b'\t'),
        [one] => Some(*one),
        _ => {
            let help =
                "write \",\", \";\", \"|\" or \"tab\"; without the key it is told from the header";
            entry.out_of_range("one character", &format!("{text:?}"), Some(help.to_owned()))
        }
    }
}

fn text_encoding(entry: &Entry<'_>) -> Option<Located<String>> {
    let name = entry.text()?;
    if encoding_rs::Encoding::for_label(name.value.as_bytes()).is_none() {
        let help = "write \"utf-8\", \"latin1\", \"windows-1252\" or \"utf-16le\"";
        let found = format!("`{}`", name.value);
        return entry.out_of_range("a text encoding", &found, Some(help.to_owned()));
    }
    Some(name)
}

fn dataset_missing(entry: &Entry<'_>) -> Option<MissingSpec> {
    match attribute::missing(entry)? {
        MissingSpec::Value(text) => {
            let help = "a value for one attribute goes into that attribute's table: \
                        workclass = { missing = \"Private\" }";
            let wanted = "\"reject\", \"skip\", \"most-frequent\" or \"median\"";
            entry.out_of_range(wanted, &format!("{text:?}"), Some(help.to_owned()))
        }
        kind => Some(kind),
    }
}

/// `name = "expression"`, or a table with the expression and a scale.
fn derived(dataset: &Table<'_>) -> Vec<(Located<String>, DerivedSpec)> {
    let Some(table) = dataset.table("derived") else {
        return Vec::new();
    };
    let read = |entry: &Entry<'_>| {
        if !entry.is_table() {
            return Some(DerivedSpec {
                expression: entry.text()?,
                scale: None,
            });
        }
        let table = entry.table()?.allow(&[keys::DERIVED]);
        let help = "add how it is computed: expression = \"capital-gain - capital-loss\"";
        Some(DerivedSpec {
            expression: table.required("expression", help)?.text()?,
            scale: table.table("scale").and_then(|t| attribute::scale(&t)),
        })
    };
    let columns = table.in_file_order();
    columns
        .into_iter()
        .filter_map(|(name, entry)| Some((name, read(&entry)?)))
        .collect()
}
