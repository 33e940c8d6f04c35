//! The records of a CSV file: its dialect, its lines, its fields.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use csv::{ByteRecord, ReaderBuilder, Terminator};

use super::error::{DatasetError, bad};
use super::file::{self, PIECE, Text};
use super::number::units;
use crate::spec::DatasetSpec;

/// Delimiters that are told from the header. The first wins where two make as many columns.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How much of a file is looked at, at the most, to tell its delimiter.
const HEADER: usize = 1 << 20;

/// A longer record is a mistake.
const LONGEST: usize = 1 << 26;

/// One record after another.
pub(super) struct Records {
    reader: csv::Reader<Box<dyn Read>>,
    record: ByteRecord,
    /// The line of the record.
    pub(super) line: u64,
    next_line: u64,
    /// Whether the record ended with a line in quotes, as it does if they are not closed.
    open: bool,
    /// The bytes of the record so far.
    bytes: Rc<Cell<usize>>,
    /// Words keep the spaces around them.
    keep_spaces: bool,
}

impl Records {
    /// Opens the file of a dataset and tells its dialect.
    ///
    /// # Errors
    /// It cannot be read, or is no CSV.
    pub(super) fn open(
        dataset: &DatasetSpec,
        path: &std::path::Path,
    ) -> Result<Self, DatasetError> {
        let mut text = file::open(dataset, path)?;
        let start = first_lines(&mut text).map_err(|error| unreadable(dataset, &error))?;
        check_line_ends(dataset, &start)?;
        let delimiter = match dataset.delimiter {
            Some(said) => said,
            None => told_delimiter(dataset, &start)?,
        };
        // A last line without its end gets one, so that every record ends with a line.
        let all = Cursor::new(start).chain(text).chain(&b"\n"[..]);
        let bytes = Rc::default();
        let all = Bounded {
            bytes: Rc::clone(&bytes),
            text: all,
        };
        Ok(Records {
            // With `\n` alone as the end of a record the lines can be counted; a `\r` before it is
            // trimmed away with the spaces.
            reader: ReaderBuilder::new()
                .delimiter(delimiter)
                .has_headers(false)
                .flexible(true)
                .terminator(Terminator::Any(b'\n'))
                .buffer_capacity(PIECE)
                .from_reader(Box::new(all)),
            record: ByteRecord::new(),
            line: 0,
            next_line: 1,
            open: false,
            bytes,
            keep_spaces: dataset.keep_spaces,
        })
    }

    /// Goes to the next record that is not blank; false at the end.
    ///
    /// # Errors
    /// The file cannot be read any further.
    pub(super) fn advance(&mut self) -> Result<bool, String> {
        while self.read()? {
            self.bytes.set(0);
            let next = self.reader.position().line();
            self.line = next - 1;
            if next > self.next_line + 1 {
                // Blank lines before it, or lines in quotes: the record starts before the latter.
                self.line -= self
                    .record
                    .as_slice()
                    .iter()
                    .filter(|b| **b == b'\n')
                    .count() as u64;
            }
            self.next_line = next;
            self.open = self.record.as_slice().ends_with(b"\n");
            if self.record.len() > 1 || !self.field(0).is_empty() {
                return Ok(true);
            }
        }
        match self.open {
            true => Err(format!("line {}: a quote is not closed", self.line + 1)),
            false => Ok(false),
        }
    }

    fn read(&mut self) -> Result<bool, String> {
        let read = self.reader.read_byte_record(&mut self.record);
        read.map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => format!("after line {}: {error}", self.line),
            error => format!("after line {}: {error:?}", self.line),
        })
    }

    /// How many fields the record has.
    pub(super) fn len(&self) -> usize {
        self.record.len()
    }

    /// A field without the spaces around it.
    #[inline]
    pub(super) fn field(&self, index: usize) -> &[u8] {
        trimmed(self.record.get(index).unwrap_or_default())
    }

    /// A field as a value: words have the spaces around them, where the spec says so.
    #[inline]
    pub(super) fn value(&self, index: usize) -> &[u8] {
        match self.keep_spaces {
            true => self.words(index),
            false => self.field(index),
        }
    }

    /// A field with the spaces around it, unless it is a number or nothing. The end of the line is
    /// no part of it.
    pub(super) fn words(&self, index: usize) -> &[u8] {
        let field = self.field(index);
        if field.is_empty() || units(field).is_some() {
            return field;
        }
        let all = self.record.get(index).unwrap_or_default();
        match index + 1 == self.record.len() {
            true => all.strip_suffix(b"\r").unwrap_or(all),
            false => all,
        }
    }

    /// Whether a field goes over several lines, as after a quote that is not closed.
    pub(super) fn has_lines_in_quotes(&self) -> bool {
        self.record.as_slice().contains(&b'\n')
    }
}

/// A quote that is not closed makes one record of all that follows: it ends before the memory does.
struct Bounded<R> {
    text: R,
    bytes: Rc<Cell<usize>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer)?;
        self.bytes.set(self.bytes.get() + read);
        match self.bytes.get() > LONGEST {
            true => Err(io::Error::other(
                "a line that is longer than any person is: is a quote not closed?",
            )),
            false => Ok(read),
        }
    }
}

#[inline]
fn trimmed(field: &[u8]) -> &[u8] {
    match field {
        [first, .., last] if *first > b' ' && *last > b' ' => field,
        _ => field.trim_ascii(),
    }
}

/// The first line with something in it and the line after it, as far as a look at them is needed.
fn first_lines(text: &mut Text) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    while start.len() < HEADER {
        let read = text.take(PIECE as u64).read_to_end(&mut start)?;
        let lines = start.split(|byte| *byte == b'\n');
        let full = lines.filter(|line| !line.trim_ascii().is_empty()).count();
        if read == 0 || full > 2 {
            break;
        }
    }
    Ok(start)
}

fn unreadable(dataset: &DatasetSpec, error: &io::Error) -> DatasetError {
    DatasetError::Unreadable {
        name: dataset.name.value.clone(),
        path: dataset.source().into(),
        why: error.to_string(),
    }
}

fn check_line_ends(dataset: &DatasetSpec, start: &[u8]) -> Result<(), DatasetError> {
    if start.contains(&b'\n') || !start.trim_ascii().contains(&b'\r') {
        return Ok(());
    }
    let help = "save it with the line ends of Unix or Windows: tr '\\r' '\\n' < old.csv > new.csv";
    Err(bad(
        dataset,
        "its lines end with a carriage return alone",
        help,
    ))
}

fn told_delimiter(dataset: &DatasetSpec, start: &[u8]) -> Result<u8, DatasetError> {
    let mut lines = start
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    let header = lines.next().unwrap_or_default();
    let counts = DELIMITERS.map(|delimiter| outside_quotes(header, delimiter));
    let most = counts.into_iter().max().unwrap_or_default();
    if most == 0 && words(header) > 1 && lines.next().is_some_and(|next| words(next) > 1) {
        let help = "if one space stands between any two fields, write delimiter = \" \" under \
                    the dataset; otherwise save it with commas. The first line must name the \
                    attributes: add it if there is none";
        let problem = "line 1 has spaces between its fields, not `,`, `;`, `|` or tabs";
        return Err(bad(dataset, problem, help));
    }
    let told = DELIMITERS
        .iter()
        .zip(counts)
        .find(|(_, count)| *count == most);
    Ok(told.map_or(b',', |(delimiter, _)| *delimiter))
}

fn outside_quotes(line: &[u8], delimiter: u8) -> usize {
    let mut quoted = false;
    let mut count = 0;
    for &byte in line {
        quoted ^= byte == b'"';
        count += usize::from(byte == delimiter && !quoted);
    }
    count
}

/// The words of a line; a quoted line is one.
fn words(line: &[u8]) -> usize {
    if line.contains(&b'"') {
        return 1;
    }
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).count()
}
