//! Tables: printed as Markdown, written as JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};

/// One cell.
pub(crate) enum Cell {
    Text(String),
    /// A number and how many decimals are shown.
    Number(f64, usize),
    /// Nothing to compare with.
    Nothing,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

/// A whole number.
pub(crate) fn whole(number: impl TryInto<i64>) -> Cell {
    number
        .try_into()
        .map_or(Cell::Nothing, |number| Cell::Number(number as f64, 0))
}

/// A number with so many decimals.
pub(crate) fn decimal(number: f64, decimals: usize) -> Cell {
    Cell::Number(number, decimals)
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(number, decimals) => grouped(&format!("{number:.decimals$}")),
            Cell::Nothing => "-".to_owned(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Number(number, _) => json!(number),
            Cell::Nothing => Value::Null,
        }
    }
}

/// A comma after every third digit before the point.
fn grouped(number: &str) -> String {
    let (digits, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut shown = String::new();
    for (place, digit) in digits.char_indices() {
        let left = digits.len() - place;
        if place > 0 && left.is_multiple_of(3) && !shown.ends_with('-') {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown + rest
}

/// A heading, columns, rows, and sentences below them.
pub(crate) struct Table {
    heading: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
    /// Names and figures that hold for the table as a whole.
    summary: Vec<(String, Cell)>,
}

impl Table {
    pub(crate) fn new(heading: impl Into<String>, columns: &[&str]) -> Self {
        Table {
            heading: heading.into(),
            columns: columns.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
            summary: Vec::new(),
        }
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    pub(crate) fn sum_up(&mut self, name: impl Into<String>, cell: Cell) {
        self.summary.push((name.into(), cell));
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("\n{}\n\n", self.heading);
        let _ = writeln!(text, "| {} |", self.columns.join(" | "));
        let _ = writeln!(text, "|{}", "---|".repeat(self.columns.len()));
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(Cell::shown).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        if !self.summary.is_empty() {
            text.push('\n');
        }
        for (name, cell) in &self.summary {
            let _ = writeln!(text, "- {name}: {}", cell.shown());
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| pairs(self.columns.iter().zip(row)))
            .collect();
        let summary = pairs(self.summary.iter().map(|(name, cell)| (name, cell)));
        json!({ "heading": self.heading, "rows": rows, "summary": summary })
    }
}

fn pairs<'c>(cells: impl Iterator<Item = (&'c String, &'c Cell)>) -> Value {
    let cells = cells.map(|(name, cell)| (name.clone(), cell.value()));
    Value::Object(cells.collect::<Map<_, _>>())
}

/// The geometric mean: the right mean for ratios.
pub(crate) fn geometric_mean(ratios: &[f64]) -> f64 {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (logarithms / ratios.len() as f64).exp()
}
