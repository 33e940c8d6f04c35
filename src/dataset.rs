//! A dataset: a CSV file of people, read into codes, with line numbers in every complaint.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::schema::{Attribute, Code, Domain, Schema, whole_number};
use crate::spec::{AttributeSpec, DatasetSpec};

/// At most this many complaints are written out; the rest are counted.
const SHOWN: usize = 10;

/// Why a dataset cannot be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum DatasetError {
    /// The file cannot be read.
    #[error("cannot read the dataset {}: {why}", path.display())]
    #[diagnostic(
        code(fairgate::dataset::unreadable),
        help("correct `path` under [dataset.{name}]; it is relative to the spec")
    )]
    Unreadable {
        /// The dataset's name in the spec.
        name: String,
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The file is there but is not a table of people.
    #[error("the dataset {} cannot be used:\n{}", path.display(), listed(problems))]
    #[diagnostic(code(fairgate::dataset::bad_rows))]
    BadRows {
        /// The file.
        path: PathBuf,
        /// A sentence each.
        problems: Vec<String>,
        /// How to mend it.
        #[help]
        help: String,
    },
}

fn listed(problems: &[String]) -> String {
    let mut lines: Vec<String> = problems
        .iter()
        .take(SHOWN)
        .map(|problem| format!("  - {problem}"))
        .collect();
    if problems.len() > SHOWN {
        lines.push(format!("  - and {} more", problems.len() - SHOWN));
    }
    lines.join("\n")
}

/// The header of a dataset: all that a plan needs.
#[derive(Debug, Clone)]
pub struct Header {
    /// The names of all columns, in order.
    pub columns: Vec<String>,
}

impl Header {
    /// Reads the first line only.
    ///
    /// # Errors
    /// The file cannot be read or has no header.
    pub fn read(dataset: &DatasetSpec) -> Result<Self, DatasetError> {
        let mut reader = reader(dataset)?;
        let columns = header(&mut reader, dataset)?;
        Ok(Header { columns })
    }

    /// The names of the attributes: every column but the label.
    pub fn attributes<'a>(&'a self, dataset: &'a DatasetSpec) -> impl Iterator<Item = &'a str> {
        let label = dataset.label.as_ref().map(|label| label.value.as_str());
        self.columns
            .iter()
            .map(String::as_str)
            .filter(move |&column| Some(column) != label)
    }
}

/// A dataset in memory.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The attributes with their domains.
    pub schema: Schema,
    /// The codes of all people, one row after another.
    pub people: Vec<Code>,
    /// The label's distinct values in sorted order, if there is a label.
    pub labels: Option<Vec<String>>,
}

impl Dataset {
    /// How many people there are.
    pub fn len(&self) -> usize {
        self.people.len() / self.schema.width().max(1)
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// Reads a dataset.
    ///
    /// # Errors
    /// The file cannot be read, or its rows do not fit the declared domains: all of them are named.
    pub fn load(dataset: &DatasetSpec) -> Result<Self, DatasetError> {
        let mut reader = reader(dataset)?;
        let columns = header(&mut reader, dataset)?;
        let mut table = Table::new(dataset, columns);
        let mut record = csv::StringRecord::new();
        loop {
            match reader.read_record(&mut record) {
                Ok(true) => table.push(&record),
                Ok(false) => break,
                Err(error) => {
                    table.problems.push(csv_problem(&error));
                    break;
                }
            }
        }
        table.finish(dataset)
    }
}

fn reader(dataset: &DatasetSpec) -> Result<csv::Reader<File>, DatasetError> {
    let path = &dataset.path.value;
    let unreadable = |why: String| DatasetError::Unreadable {
        name: dataset.name.value.clone(),
        path: path.clone(),
        why,
    };
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    let metadata = file
        .metadata()
        .map_err(|error| unreadable(error.to_string()))?;
    if metadata.is_dir() {
        return Err(unreadable("it is a folder".into()));
    }
    Ok(csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(file))
}

fn header(
    reader: &mut csv::Reader<File>,
    dataset: &DatasetSpec,
) -> Result<Vec<String>, DatasetError> {
    let headers = reader
        .headers()
        .map_err(|error| bad(&dataset.path.value, vec![csv_problem(&error)], SAVE_AS_UTF8))?;
    let columns: Vec<String> = headers.iter().map(ToOwned::to_owned).collect();
    let mut problems = Vec::new();
    if columns.is_empty() || columns == [""] {
        problems.push("the file is empty".to_owned());
    }
    let mut seen = BTreeSet::new();
    for (index, column) in columns.iter().enumerate() {
        if column.is_empty() && columns.len() > 1 {
            problems.push(format!("line 1: column {} has no name", index + 1));
        } else if !seen.insert(column) {
            problems.push(format!("line 1: there are two columns called `{column}`"));
        }
    }
    if problems.is_empty() {
        return Ok(columns);
    }
    let help = "the first line must name the attributes, each once, separated by commas";
    Err(bad(&dataset.path.value, problems, help))
}

const SAVE_AS_UTF8: &str =
    "save the file as comma-separated UTF-8 text with one row for each person";

fn bad(path: &Path, problems: Vec<String>, help: &str) -> DatasetError {
    DatasetError::BadRows {
        path: path.to_owned(),
        problems,
        help: help.to_owned(),
    }
}

fn csv_problem(error: &csv::Error) -> String {
    let line = error.position().map(csv::Position::line);
    match (error.kind(), line) {
        (
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            },
            Some(line),
        ) => {
            format!("line {line} has {len} fields, the header has {expected_len}")
        }
        (csv::ErrorKind::Utf8 { .. }, Some(line)) => format!("line {line} is not UTF-8 text"),
        (_, Some(line)) => format!("line {line}: {error}"),
        (_, None) => error.to_string(),
    }
}

/// One column while the file is read.
enum Column {
    Label(BTreeSet<String>),
    /// The spec says what the domain is.
    Declared {
        attribute: Attribute,
        codes: Vec<Code>,
    },
    /// The column tells by itself: distinct texts, numbered as they come.
    Free {
        name: String,
        bounds: (Option<i64>, Option<i64>),
        texts: BTreeMap<String, u32>,
        cells: Vec<u32>,
        lines: Vec<u64>,
    },
}

/// The columns while the file is read.
struct Table {
    columns: Vec<Column>,
    problems: Vec<String>,
    rows: usize,
}

impl Table {
    fn new(dataset: &DatasetSpec, names: Vec<String>) -> Self {
        let label = dataset.label.as_ref().map(|label| &label.value);
        let column = |name: String| {
            if Some(&name) == label {
                return Column::Label(BTreeSet::new());
            }
            let free = |bounds| Column::Free {
                name: name.clone(),
                bounds,
                texts: BTreeMap::new(),
                cells: Vec::new(),
                lines: Vec::new(),
            };
            let declare = |domain| Column::Declared {
                attribute: Attribute::new(name.clone(), domain),
                codes: Vec::new(),
            };
            let declared = dataset.attributes.iter().find(|(at, _)| at.value == name);
            match declared.map(|(_, declared)| &declared.value) {
                None => free((None, None)),
                Some(AttributeSpec::Values(values)) => declare(Domain::Categories(values.clone())),
                Some(AttributeSpec::Range {
                    min: Some(min),
                    max: Some(max),
                }) => declare(Domain::Integers {
                    min: *min,
                    max: *max,
                }),
                Some(AttributeSpec::Range { min, max }) => free((*min, *max)),
            }
        };
        Table {
            columns: names.into_iter().map(column).collect(),
            problems: Vec::new(),
            rows: 0,
        }
    }

    fn push(&mut self, record: &csv::StringRecord) {
        self.rows += 1;
        let line = record.position().map_or(0, csv::Position::line);
        for (column, cell) in self.columns.iter_mut().zip(record) {
            if let Err(problem) = column.push(cell, line) {
                self.problems.push(problem);
            }
        }
    }

    fn finish(mut self, dataset: &DatasetSpec) -> Result<Dataset, DatasetError> {
        if self.rows == 0 && self.problems.is_empty() {
            self.problems
                .push("the file has a header but nobody in it".into());
        }
        let mut attributes = Vec::new();
        let mut codes = Vec::new();
        let mut labels = None;
        for column in self.columns {
            match column.finish() {
                Ok(Finished::Label(values)) => labels = Some(values),
                Ok(Finished::Attribute(attribute, column)) => {
                    attributes.push(attribute);
                    codes.push(column);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
        if !self.problems.is_empty() {
            let help = format!(
                "mend these rows, or widen the domains under [dataset.{}.attributes]",
                dataset.name.value
            );
            return Err(bad(&dataset.path.value, self.problems, &help));
        }
        let people = (0..self.rows)
            .flat_map(|row| codes.iter().map(move |codes| codes[row]))
            .collect();
        Ok(Dataset {
            schema: Schema::new(attributes),
            people,
            labels,
        })
    }
}

enum Finished {
    Label(Vec<String>),
    Attribute(Attribute, Vec<Code>),
}

impl Column {
    fn push(&mut self, cell: &str, line: u64) -> Result<(), String> {
        match self {
            Column::Label(values) => {
                if !values.contains(cell) {
                    values.insert(cell.to_owned());
                }
                Ok(())
            }
            Column::Declared { attribute, codes } => {
                let code = attribute.domain.code(cell);
                codes.push(code.unwrap_or_default());
                code.map(|_| ())
                    .ok_or_else(|| outside(attribute, cell, line))
            }
            Column::Free {
                name,
                texts,
                cells,
                lines,
                ..
            } => {
                if cell.is_empty() {
                    return Err(format!("line {line}: `{name}` is empty"));
                }
                let next = texts.len() as u32;
                let number = match texts.get(cell) {
                    Some(number) => *number,
                    None => {
                        texts.insert(cell.to_owned(), next);
                        lines.push(line);
                        next
                    }
                };
                cells.push(number);
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<Finished, String> {
        match self {
            Column::Label(values) => Ok(Finished::Label(values.into_iter().collect())),
            Column::Declared { attribute, codes } => Ok(Finished::Attribute(attribute, codes)),
            Column::Free {
                name,
                bounds,
                texts,
                cells,
                lines,
            } => {
                let domain = free_domain(&name, bounds, &texts, &lines)?;
                let attribute = Attribute::new(name, domain);
                let mut code_of = vec![0; texts.len()];
                for (text, &number) in &texts {
                    code_of[number as usize] = attribute
                        .domain
                        .code(text)
                        .ok_or_else(|| outside(&attribute, text, lines[number as usize]))?;
                }
                let codes = cells
                    .into_iter()
                    .map(|number| code_of[number as usize])
                    .collect();
                Ok(Finished::Attribute(attribute, codes))
            }
        }
    }
}

fn outside(attribute: &Attribute, cell: &str, line: u64) -> String {
    let name = &attribute.name;
    if cell.is_empty() {
        return format!("line {line}: `{name}` is empty");
    }
    let domain = attribute.domain.describe();
    format!("line {line}: `{name}` is {cell:?}, which is outside its domain ({domain})")
}

/// Whole numbers are their own range; words are categories in sorted order, as scikit-learn and
/// pandas number them.
fn free_domain(
    name: &str,
    (min, max): (Option<i64>, Option<i64>),
    texts: &BTreeMap<String, u32>,
    lines: &[u64],
) -> Result<Domain, String> {
    let numbers: Option<Vec<i64>> = texts.keys().map(|text| whole_number(text)).collect();
    let declared = min.is_some() || max.is_some();
    match numbers {
        Some(numbers) => {
            let lowest = numbers.iter().copied().min().unwrap_or_default();
            let highest = numbers.iter().copied().max().unwrap_or_default();
            let (min, max) = (min.unwrap_or(lowest), max.unwrap_or(highest));
            if min > max {
                return Err(format!("`{name}` has no value between {min} and {max}"));
            }
            Ok(Domain::Integers { min, max })
        }
        None => {
            let odd = texts.iter().find(|(text, _)| whole_number(text).is_none());
            let all_numbers = texts.keys().all(|text| text.parse::<f64>().is_ok());
            match odd {
                Some((text, &number)) if declared || all_numbers => Err(format!(
                    "line {}: `{name}` is {text:?}, not a whole number",
                    lines[number as usize]
                )),
                _ => Ok(Domain::Categories(texts.keys().cloned().collect())),
            }
        }
    }
}
