//! `[dataset.NAME]`: the people a model is tested with, and what the CSV cannot tell about them.

use std::path::PathBuf;

use super::entry::Entry;
use super::keys;
use super::load::Base;
use super::located::Located;
use super::problem::SpecProblem;
use super::table::Table;

/// A dataset: a CSV file with a header of attribute names.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DatasetSpec {
    /// The key by which benchmarks name the dataset.
    pub name: Located<String>,
    /// The CSV file, already relative to the spec's folder. It need not exist yet.
    pub path: Located<PathBuf>,
    /// The name in the header that is not an attribute but the outcome. Default: none, every
    /// name in the header is an attribute the model reads.
    pub label: Option<Located<String>>,
    /// What is said about attributes, in the order of the file. Default: nothing; the domain of
    /// an attribute is then what its values in the CSV span.
    pub attributes: Vec<(Located<String>, Located<AttributeSpec>)>,
}

/// The domain of one attribute, where the spec says it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttributeSpec {
    /// Integer codes.
    Range {
        /// The smallest code. Default: none, the smallest in the CSV.
        min: Option<i64>,
        /// The largest code, never below `min`. Default: none, the largest in the CSV.
        max: Option<i64>,
    },
    /// Categories, given to the model as 0, 1 ... in this order. At least one, all different.
    Values(Vec<String>),
}

impl DatasetSpec {
    pub(super) fn read(name: Located<String>, table: &Table<'_>, base: &Base) -> Self {
        let path = table
            .required("path", "add the CSV file: path = \"people.csv\"")
            .and_then(|entry| entry.text());
        DatasetSpec {
            path: base.resolve(path, &name),
            name,
            label: table.text("label"),
            attributes: attributes(table),
        }
    }
}

fn attributes(dataset: &Table<'_>) -> Vec<(Located<String>, Located<AttributeSpec>)> {
    let Some(table) = dataset.table("attributes") else {
        return Vec::new();
    };
    let mut attributes = Vec::new();
    for (name, entry) in table.in_file_order() {
        if let Some(spec) = attribute(&name.value, &entry) {
            attributes.push((name, Located::new(spec, entry.at())));
        }
    }
    attributes
}

fn attribute(name: &str, entry: &Entry<'_>) -> Option<AttributeSpec> {
    let table = entry.table()?.allow(&[keys::ATTRIBUTE]);
    let (attribute, at) = (name.to_owned(), entry.at());
    let has_range = table.has("min") || table.has("max");
    let problem = match (has_range, table.has("values")) {
        (true, false) => return range(attribute, entry, &table),
        (false, true) => return table.entry("values").and_then(|list| values(&list)),
        (true, true) => SpecProblem::RangeAndValues { attribute, at },
        (false, false) if table.is_empty() => SpecProblem::AttributeSaysNothing { attribute, at },
        // Only unknown keys: they have been complained about.
        (false, false) => return None,
    };
    entry.problems().push(problem);
    None
}

fn range(attribute: String, entry: &Entry<'_>, table: &Table<'_>) -> Option<AttributeSpec> {
    let min = table.whole("min", i128::MIN);
    let max = table.whole("max", i128::MIN);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        entry.problems().push(SpecProblem::MinAboveMax {
            attribute,
            min,
            max,
            at: entry.at(),
        });
    }
    Some(AttributeSpec::Range { min, max })
}

fn values(list: &Entry<'_>) -> Option<AttributeSpec> {
    let entries = list.list("values")?;
    let values: Vec<_> = entries.iter().filter_map(Entry::plain_value).collect();
    if entries.is_empty() {
        list.problems().push(SpecProblem::EmptyList {
            what: list.what().to_owned(),
            help: "name the categories in the order of their codes 0, 1 ...".to_owned(),
            at: list.at(),
        });
    }
    list.problems().check_distinct(list.what(), &values);
    let values = values.into_iter().map(|value| value.value).collect();
    Some(AttributeSpec::Values(values))
}
