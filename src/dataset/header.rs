//! The header of a dataset: all that a plan needs.

use std::collections::BTreeSet;

use super::error::{Complaints, DatasetError, Problem, bad};
use super::layout;
use super::number::number;
use super::records::Records;
use crate::spec::DatasetSpec;

/// The header of a dataset: all that a plan needs.
#[derive(Debug, Clone)]
pub struct Header {
    /// The names of all columns, in order. Without a file: the attributes of the spec.
    pub columns: Vec<String>,
}

impl Header {
    /// Reads the first line only.
    ///
    /// # Errors
    /// The file cannot be read or has no header.
    pub fn read(dataset: &DatasetSpec) -> Result<Self, DatasetError> {
        let columns = match &dataset.path {
            Some(path) => columns(dataset, &mut Records::open(dataset, &path.value)?)?,
            None => declared(dataset),
        };
        Ok(Header { columns })
    }

    /// The names of the attributes in their order: every column but the label and those that the
    /// spec ignores or derives; the columns of a one-hot group are one attribute.
    pub fn attributes<'a>(&'a self, dataset: &'a DatasetSpec) -> impl Iterator<Item = &'a str> {
        let places = layout::places(&self.columns, dataset);
        places.into_iter().map(|place| place.name)
    }
}

fn declared(dataset: &DatasetSpec) -> Vec<String> {
    let names = dataset.attributes.iter();
    names.map(|(name, _)| name.value.clone()).collect()
}

/// The names in the first line.
///
/// # Errors
/// There is none, or it does not name each column.
pub(super) fn columns(
    dataset: &DatasetSpec,
    records: &mut Records,
) -> Result<Vec<String>, DatasetError> {
    let any = records.advance().map_err(|error| bad(dataset, error, ""))?;
    if !any {
        return Err(bad(dataset, "the file is empty", NAMES));
    }
    let mut columns = Vec::with_capacity(records.len());
    for index in 0..records.len() {
        match std::str::from_utf8(records.field(index)) {
            Ok("") => columns.push(unnamed(index)),
            Ok(name) => columns.push(name.to_owned()),
            Err(_) => return Err(not_utf8(dataset, records.line)),
        }
    }
    check(dataset, &columns, records.line)?;
    Ok(columns)
}

const NAMES: &str = "the first line must name the attributes, each once; the people follow";

fn not_utf8(dataset: &DatasetSpec, line: u64) -> DatasetError {
    bad(
        dataset,
        format!("line {line} is not UTF-8 text"),
        &encoding_help(dataset),
    )
}

/// How to mend text that is not UTF-8.
pub(super) fn encoding_help(dataset: &DatasetSpec) -> String {
    format!(
        "if the file is in Latin-1 (Windows-1252), write encoding = \"latin1\" under [dataset.{}]; \
         otherwise name its encoding, or save it in UTF-8",
        dataset.name.value
    )
}

fn check(dataset: &DatasetSpec, columns: &[String], line: u64) -> Result<(), DatasetError> {
    if columns.iter().all(|name| number(name).is_some()) {
        let problem =
            format!("line {line} has numbers where the names should be: there is no header");
        return Err(bad(dataset, problem, NAMES));
    }
    let mut complaints = Complaints::default();
    let mut seen = BTreeSet::new();
    for (index, column) in columns.iter().enumerate() {
        if *column == unnamed(index) && !is_ignored(dataset, column) {
            complaints.extend([no_name(dataset, index, line)]);
        } else if !seen.insert(column) {
            let help = format!(
                "{NAMES}. If line {line} is a person already, add a line of names before it"
            );
            complaints.add(
                format!("line {line}: there are two columns called `{column}`"),
                help,
            );
        }
    }
    if complaints.is_empty() {
        return Ok(());
    }
    Err(complaints.into_error(dataset))
}

/// What pandas calls a column without a name, such as the index that it writes itself.
pub(super) fn unnamed(index: usize) -> String {
    format!("Unnamed: {index}")
}

fn is_ignored(dataset: &DatasetSpec, column: &str) -> bool {
    dataset.ignore.iter().any(|name| name.value == column)
}

fn no_name(dataset: &DatasetSpec, index: usize, line: u64) -> Problem {
    let help = format!(
        "give it a name; or, if it is the index that pandas writes, leave it out with \
         ignore = [\"{}\"] under [dataset.{}]",
        unnamed(index),
        dataset.name.value
    );
    Problem::new(
        format!("line {line}: column {} has no name", index + 1),
        help,
    )
}
