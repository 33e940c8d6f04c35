//! Reading a file: row after row into columns, with all complaints at the end.

use super::distinct::Distinct;
use super::domain::{Cell, sorted};
use super::error::{DatasetError, Lines};
use super::feed::Feed;
use super::finish::Sayings;
use super::header::encoding_help;
use super::layout;
use super::records::Records;
use super::sample::Reservoir;
use super::{Dataset, NO_LABEL, header};
use crate::schema::{Code, Schema};
use crate::spec::{DEFAULT_SAMPLE, DatasetSpec};
use crate::words::grouped;

/// A label of more values than this is a number and not the name of a decision.
const MOST_LABELS: usize = 1 << 12;

/// Reads a whole file.
///
/// # Errors
/// The file cannot be read, or its rows do not fit: all of them are named.
pub(super) fn read(dataset: &DatasetSpec, path: &std::path::Path) -> Result<Dataset, DatasetError> {
    let mut records = Records::open(dataset, path)?;
    let names = header::columns(dataset, &mut records)?;
    let mut table = Table::new(dataset, &names);
    loop {
        match records.advance() {
            Ok(true) => table.push(&records),
            Ok(false) => break,
            Err(problem) => {
                table.sayings.complaints.add(problem, "");
                break;
            }
        }
    }
    table.finish()
}

/// The columns while the file is read.
struct Table<'a> {
    dataset: &'a DatasetSpec,
    names: &'a [String],
    columns: Vec<Feed<'a>>,
    label: Option<Label>,
    people: Reservoir,
    rows: u64,
    skipped: u64,
    /// Whether a missing value in some column leaves a person out.
    skips: bool,
    not_utf8: Lines,
    sayings: Sayings,
}

/// The label's column.
struct Label {
    column: usize,
    values: Option<Distinct>,
    /// The number of each kept person's value.
    kept: Vec<u32>,
}

impl<'a> Table<'a> {
    fn new(dataset: &'a DatasetSpec, names: &'a [String]) -> Self {
        let mut sayings = Sayings::default();
        let mut columns = Vec::new();
        for place in layout::places(names, dataset) {
            match Feed::new(place, dataset) {
                Ok(column) => columns.push(column),
                Err(problem) => sayings.complaints.extend([problem]),
            }
        }
        let label = dataset.label.as_ref();
        let label = label.and_then(|label| names.iter().position(|name| *name == label.value));
        let skips = columns.iter().any(Feed::skips);
        Table {
            dataset,
            names,
            columns,
            label: label.map(|column| Label {
                column,
                values: Some(Distinct::default()),
                kept: Vec::new(),
            }),
            people: Reservoir::new(dataset.sample.unwrap_or(DEFAULT_SAMPLE)),
            rows: 0,
            skipped: 0,
            skips,
            not_utf8: Lines::default(),
            sayings,
        }
    }

    fn push(&mut self, row: &Records) {
        self.rows += 1;
        if row.len() != self.names.len() {
            self.complain_ragged(row);
            return;
        }
        if self.skips && self.columns.iter().any(|column| column.is_skipped(row)) {
            self.skipped += 1;
            return;
        }
        let place = self.people.offer();
        let mut is_text = true;
        for column in &mut self.columns {
            match column.push(row, self.names, place) {
                Ok(text) => is_text &= text,
                Err(problem) => self.sayings.complaints.extend([problem]),
            }
        }
        if let Some(label) = &mut self.label {
            is_text &= label.push(row.value(label.column), place);
        }
        if !is_text {
            self.not_utf8.add(row.line);
        }
    }

    fn complain_ragged(&mut self, row: &Records) {
        let (line, fields, wants) = (row.line, row.len(), self.names.len());
        let help = match row.has_lines_in_quotes() {
            true => "it goes over several lines: is a quote not closed?",
            false => {
                "every line must have a field for each name in the header; a field with the \
                 delimiter in it stands in quotes"
            }
        };
        self.sayings.complaints.add(
            format!("line {line} has {fields} fields, the header has {wants}"),
            help,
        );
    }

    fn finish(mut self) -> Result<Dataset, DatasetError> {
        self.complain_about_all();
        let name = &self.dataset.name.value;
        let width = self.columns.len();
        let order = self.people.in_file_order();
        let mut attributes = Vec::with_capacity(width);
        // Column by column, so that a person is in memory twice for one column only.
        let mut people: Vec<Code> = vec![0; order.len() * width];
        for (index, column) in self.columns.into_iter().enumerate() {
            let Some((attribute, codes)) = column.column.finish(name, &mut self.sayings) else {
                continue;
            };
            attributes.push(attribute);
            for (person, &place) in people.chunks_exact_mut(width).zip(&order) {
                person[index] = codes.get(place as usize).copied().unwrap_or_default();
            }
        }
        if !self.sayings.complaints.is_empty() {
            return Err(self.sayings.complaints.into_error(self.dataset));
        }
        let (labels, label_of) = self.label.and_then(|label| label.finish(&order)).unzip();
        Ok(Dataset {
            schema: Schema::new(attributes),
            people,
            labels,
            label_of: label_of.unwrap_or_default(),
            rows: self.rows,
            notes: self.sayings.into_notes(),
        })
    }

    /// What is to be said about the file as a whole.
    fn complain_about_all(&mut self) {
        let complaints = &mut self.sayings.complaints;
        if self.not_utf8.count > 0 {
            let problem = match self.not_utf8.count {
                1 => format!("{} is not UTF-8 text", self.not_utf8.words()),
                _ => format!("not UTF-8 text: {}", self.not_utf8.words()),
            };
            complaints.add(problem, encoding_help(self.dataset));
        }
        if self.rows == 0 && complaints.is_empty() {
            complaints.add("the file has a header but nobody in it", "add people to it");
        } else if self.people.kept() == 0 && complaints.is_empty() {
            let problem = "everybody is left out, as a value is missing in every line";
            complaints.add(problem, "put columns that say little under `ignore`, or say something else than missing = \"skip\"");
        }
        if self.columns.is_empty() && complaints.is_empty() {
            complaints.add("no column is an attribute", "take a name out of `ignore`");
        }
        if self.skipped > 0 {
            self.sayings.notes.push(format!(
                "{} of {} people left out, as a value is missing",
                grouped(self.skipped),
                grouped(self.rows)
            ));
        }
        if self.people.offered() > self.people.kept() as u64 {
            self.sayings.notes.push(format!(
                "sampled {} of {} people",
                grouped(self.people.kept() as u64),
                grouped(self.people.offered())
            ));
        }
    }
}

impl Label {
    /// The label of a row, whose person is kept at `place`; false if it is not UTF-8.
    fn push(&mut self, cell: &[u8], place: Option<usize>) -> bool {
        let Some(values) = &mut self.values else {
            return true;
        };
        let number = match cell.is_empty() {
            true => NO_LABEL,
            false => match values.count(cell) {
                Some((number, _)) => number,
                None if std::str::from_utf8(cell).is_err() => return false,
                None => values.insert(cell, 0, false),
            },
        };
        if values.len() > MOST_LABELS {
            (self.values, self.kept) = (None, Vec::new());
        } else if let Some(place) = place {
            let room = self.kept.len().max(place + 1);
            self.kept.resize(room, NO_LABEL);
            self.kept[place] = number;
        }
        true
    }

    /// The values, and which of them each kept person has, in this order.
    fn finish(self, order: &[u32]) -> Option<(Vec<String>, Vec<u32>)> {
        let values = self.values?;
        let cells: Vec<Cell<'_>> = values
            .iter()
            .map(|(text, entry)| Cell {
                text,
                line: entry.line,
                count: entry.count,
            })
            .collect();
        let labels = sorted(&cells);
        let place = |cell: &Cell<'_>| labels.iter().position(|label| label == cell.text);
        let places: Vec<Option<usize>> = cells.iter().map(place).collect();
        let label_of = |&person: &u32| {
            let number = self.kept.get(person as usize).copied().unwrap_or(NO_LABEL);
            let place = places.get(number as usize).copied().flatten();
            place.map_or(NO_LABEL, |place| place as u32)
        };
        let label_of = order.iter().map(label_of).collect();
        Some((labels, label_of))
    }
}
