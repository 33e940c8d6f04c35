//! Which columns make up a matrix: what is left out, how words become numbers, what the label is.

use super::layout::{Fit, Slot};
use super::names;
use super::table::{Field, Table};

/// Columns that may be left out to make a width fit, at the most.
const MOST_LEFT_OUT: usize = 8;

/// Ways to make a width fit that are tried, at the most.
const MOST_CHOICES: usize = 4;

/// How words become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// One column of codes.
    Codes,
    /// A column for each value.
    OneHot,
    /// A column for each value but the first.
    DropFirst,
    /// As [`Words::DropFirst`] where there are two values, else as [`Words::OneHot`].
    DropIfTwo,
}

impl Words {
    const ALL: [Words; 4] = [
        Words::Codes,
        Words::OneHot,
        Words::DropFirst,
        Words::DropIfTwo,
    ];

    /// How a column is given: nothing if it is one column, else whether its first value is dropped.
    fn one_hot(self, field: &Field) -> Option<bool> {
        if !field.is_words() {
            return None;
        }
        match self {
            Words::Codes => None,
            Words::OneHot => Some(false),
            Words::DropFirst => Some(true),
            Words::DropIfTwo => Some(field.domain.size() == 2),
        }
    }

    pub(super) fn width(self, table: &Table, columns: &[usize]) -> usize {
        let width = |&position: &usize| {
            let field = &table.fields[position];
            let size = field.domain.size() as usize;
            self.one_hot(field)
                .map_or(1, |drop_first| size - usize::from(drop_first))
        };
        columns.iter().map(width).sum()
    }
}

/// The columns of a matrix in the order of the CSV, and what is not in it.
pub(super) struct Choice {
    label: Option<usize>,
    ignore: Vec<usize>,
    columns: Vec<usize>,
    words: Words,
}

impl Choice {
    /// How far it is from everything as it is.
    fn oddness(&self) -> usize {
        let words = match self.words {
            Words::Codes | Words::OneHot => 0,
            Words::DropFirst => 1,
            Words::DropIfTwo => 2,
        };
        words + self.ignore.len()
    }

    /// This choice as a way to give people to the model, besides what `start` has already.
    pub(super) fn fit(
        self,
        table: &Table,
        slot: &Slot<'_>,
        start: Fit,
        input: Option<&str>,
    ) -> Fit {
        let mut fit = start;
        let field = |position: usize| &table.fields[position];
        for &position in &self.columns {
            fit.read.push(position);
            match self.words.one_hot(field(position)) {
                Some(drop_first) => fit.one_hot.push((position, drop_first)),
                None if field(position).is_words() && !slot.takes_words() => {
                    fit.coded.push(position);
                }
                None => {}
            }
            if field(position).is_number() && slot.takes_fractions() {
                fit.scalable.push(position);
            }
        }
        fit.read.sort_unstable();
        fit.label = self.label;
        fit.ignore = self.ignore;
        match input {
            Some(input) => fit.inputs.push((input.to_owned(), self.columns)),
            None => fit.columns = Some(self.columns),
        }
        fit
    }
}

/// The likeliest choices of label, of columns to leave out and of words that make the width fit. The
/// first label for which anything fits is taken.
pub(super) fn choices(
    table: &Table,
    slot: &Slot<'_>,
    free: &[usize],
    asked: Option<usize>,
) -> Vec<Choice> {
    let labels = match asked {
        Some(_) => vec![asked],
        None => label_candidates(table, free),
    };
    for label in labels {
        let all = without(free, &label.into_iter().collect::<Vec<_>>());
        let Some(width) = slot.width else {
            let ignore: Vec<usize> = droppable(table, &all)
                .into_iter()
                .filter(|&position| names::is_not_read(&table.fields[position].name))
                .collect();
            return vec![Choice {
                label,
                columns: without(&all, &ignore),
                ignore,
                words: Words::Codes,
            }];
        };
        let found = choices_of_width(table, &all, label, width);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn choices_of_width(
    table: &Table,
    all: &[usize],
    label: Option<usize>,
    width: usize,
) -> Vec<Choice> {
    let mut found = choices_without(table, all, label, width, &[]);
    if found.is_empty() {
        // Some train with the numbers alone.
        let is_words = |&position: &usize| table.fields[position].is_words();
        let words: Vec<usize> = all.iter().copied().filter(is_words).collect();
        found = choices_without(table, all, label, width, &words);
    }
    // Two values with one column less are the same, whichever rule is said to do it.
    found.dedup_by(|a, b| a.ignore == b.ignore && is_drop(a.words) && is_drop(b.words));
    found.sort_by_key(Choice::oddness);
    let least = found.first().map_or(0, Choice::oddness);
    found.retain(|choice| choice.oddness() <= least + 1);
    found.truncate(MOST_CHOICES);
    found
}

/// All ways to make the width fit in which these columns, and perhaps others, are left out.
fn choices_without(
    table: &Table,
    all: &[usize],
    label: Option<usize>,
    width: usize,
    left_out: &[usize],
) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    for more in subsets(&droppable(table, &without(all, left_out))) {
        let mut ignore = [left_out, &more].concat();
        ignore.sort_unstable();
        let columns = without(all, &ignore);
        for words in Words::ALL {
            let has_words = columns.iter().any(|&p| table.fields[p].is_words());
            if (words == Words::Codes || has_words) && words.width(table, &columns) == width {
                found.push(Choice {
                    label,
                    ignore: ignore.clone(),
                    columns: columns.clone(),
                    words,
                });
            }
        }
    }
    found
}

fn is_drop(words: Words) -> bool {
    matches!(words, Words::DropFirst | Words::DropIfTwo)
}

/// Columns that may be left out: what no model reads, dates, what is said twice, and
/// other labels.
fn droppable(table: &Table, all: &[usize]) -> Vec<usize> {
    let doubled = table.doubled();
    let may = |&position: &usize| {
        let name = &table.fields[position].name;
        let date = table.fields[position].is_date();
        date || names::is_not_read(name) || names::is_label(name) || doubled.contains(&position)
    };
    let mut droppable: Vec<usize> = all.iter().copied().filter(may).collect();
    droppable.truncate(MOST_LEFT_OUT);
    droppable
}

/// All subsets, the smallest first.
fn subsets(of: &[usize]) -> Vec<Vec<usize>> {
    let chosen = |bits: u32| {
        let bit = |(place, _): &(usize, &usize)| bits >> place & 1 == 1;
        of.iter().enumerate().filter(bit).map(|(_, &p)| p).collect()
    };
    let mut subsets: Vec<Vec<usize>> = (0..1_u32 << of.len()).map(chosen).collect();
    subsets.sort_by_key(Vec::len);
    subsets
}

pub(super) fn without(all: &[usize], some: &[usize]) -> Vec<usize> {
    let kept = all.iter().copied().filter(|p| !some.contains(p));
    kept.collect()
}

/// What the label may be, the likeliest first; last of all that there is none.
pub(super) fn label_candidates(table: &Table, free: &[usize]) -> Vec<Option<usize>> {
    let usual = |position: &&usize| names::is_label(&table.fields[**position].name);
    let ends = [free.last(), free.first()].into_iter().flatten();
    let mut candidates: Vec<Option<usize>> = ends.filter(usual).map(|&p| Some(p)).collect();
    candidates.extend(free.iter().rev().filter(usual).map(|&p| Some(p)));
    // A protected attribute, a date or the number of a row is the last column by chance.
    let plausible = |position: &&usize| {
        let field = &table.fields[**position];
        let name = &field.name;
        names::protected(name).is_none() && !names::is_not_read(name) && !field.is_date()
    };
    candidates.extend(free.last().filter(plausible).map(|&p| Some(p)));
    candidates.push(None);
    candidates
}
