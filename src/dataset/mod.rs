//! A dataset: a CSV file of people, read into codes, with line numbers in every complaint.
//!
//! A file is read once, from start to end, and never held in memory. A column is a table of its
//! distinct texts; a person kept is a row of their numbers. Only at the end, when all rows have
//! been seen, is each column's domain known, and numbers become codes.

mod column;
mod declared;
mod distinct;
mod domain;
mod error;
mod feed;
mod file;
mod finish;
mod grid;
mod group;
mod header;
mod layout;
mod missing;
mod number;
mod recent;
mod records;
mod sample;
mod spaces;
mod survey;
mod table;
mod wide;

pub use error::DatasetError;
pub use header::Header;
pub(crate) use spaces::spaced_words;
pub(crate) use survey::Survey;

use crate::schema::{Code, Schema};
use crate::spec::{AttributeSpec, DatasetSpec};

/// The label of a person who has none.
pub const NO_LABEL: u32 = u32::MAX;

/// A dataset in memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Dataset {
    /// The attributes with their domains.
    pub schema: Schema,
    /// The codes of the people kept, one row after another, in the order of the file.
    pub people: Vec<Code>,
    /// The label's distinct values in sorted order, if there is a label and it names decisions.
    pub labels: Option<Vec<String>>,
    /// For each of the people kept the place of the label among `labels`, [`NO_LABEL`] where the field
    /// is empty; nothing where there is no label.
    pub label_of: Vec<u32>,
    /// People in the file: those kept, those not drawn into the sample, and those left out as a
    /// value is missing.
    pub rows: u64,
    /// Sentences for the report: what was sampled, left out, filled in or rounded.
    pub notes: Vec<String>,
}

impl Dataset {
    /// How many people are kept.
    pub fn len(&self) -> usize {
        self.people.len() / self.schema.width().max(1)
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// Reads a dataset. Without a file it has the declared attributes and nobody.
    ///
    /// # Errors
    /// The file cannot be read, or its rows do not fit the declared domains: all of them are named.
    pub fn load(dataset: &DatasetSpec) -> Result<Self, DatasetError> {
        if let Some(path) = &dataset.path {
            return table::read(dataset, &path.value);
        }
        let names = Header::read(dataset)?.columns;
        Ok(Dataset {
            schema: declared::schema(dataset, &names)?,
            people: Vec::new(),
            labels: None,
            label_of: Vec::new(),
            rows: 0,
            notes: Vec::new(),
        })
    }
}

/// The names of the columns that an attribute's one-hot group has in a CSV, if it can have one.
pub(crate) fn group_columns(name: &str, spec: &AttributeSpec) -> Option<Vec<String>> {
    group::names(name, spec)
}
