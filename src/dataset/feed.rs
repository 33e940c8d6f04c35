//! From a record to the column of an attribute: one cell, or the cells of a one-hot group.

use super::column::Column;
use super::error::Problem;
use super::group::{Group, NoValue};
use super::layout::{Place, Source};
use super::records::Records;
use crate::spec::{DatasetSpec, MissingSpec};

/// A column, and where its values stand in a record.
#[derive(Debug)]
pub(super) struct Feed<'a> {
    source: Source,
    /// The column.
    pub(super) column: Column<'a>,
}

impl<'a> Feed<'a> {
    /// The column of an attribute.
    ///
    /// # Errors
    /// The values of a group are not as many as its columns.
    pub(super) fn new(place: Place<'a>, dataset: &'a DatasetSpec) -> Result<Self, Problem> {
        Ok(Feed {
            column: Column::new(&place, dataset)?,
            source: place.source,
        })
    }

    /// Whether a missing value leaves its person out.
    pub(super) fn skips(&self) -> bool {
        *self.column.policy == MissingSpec::Skip
    }

    /// Whether this person is to be left out.
    pub(super) fn is_skipped(&self, row: &Records) -> bool {
        self.skips()
            && match &self.source {
                Source::Column(index) => self.column.is_missing(row.value(*index)),
                Source::Group(group) => value(group, &self.column, row) == Err(NoValue::Missing),
            }
    }

    /// The value of a row; false if it is not UTF-8.
    pub(super) fn push(
        &mut self,
        row: &Records,
        names: &[String],
        place: Option<usize>,
    ) -> Result<bool, Problem> {
        let group = match &self.source {
            Source::Column(index) => {
                let cell = row.value(*index);
                return Ok(self.column.push(cell, row.line, place).is_ok());
            }
            Source::Group(group) => group,
        };
        let value = value(group, &self.column, row);
        let text = match value {
            Ok(value) => group.values[value].as_bytes(),
            Err(_) => b"",
        };
        if let Err(why) = value
            && why != NoValue::Missing
        {
            let problem = group.problem(self.column.name, names, &why);
            return Err(Problem::new(
                format!("line {}: {problem}", row.line),
                ONE_HOT,
            ));
        }
        Ok(self.column.push(text, row.line, place).is_ok())
    }
}

const ONE_HOT: &str = "exactly one column of a one-hot group is 1 and the others are 0; with \
                       drop-first = true none may be 1, too";

fn value(group: &Group, column: &Column<'_>, row: &Records) -> Result<usize, NoValue> {
    let cells = group.columns.iter().map(|&column| row.field(column));
    group.value(cells, |cell| column.is_missing(cell))
}
