//! The column of one attribute while the file is read: small, however long the file is.

use super::distinct::Distinct;
use super::error::{Lines, Problem};
use super::layout::{Place, Source};
use super::missing::{markers, needs_counts};
use super::number::units;
use super::wide::{MISSING, Tally, WIDE, Wide};
use crate::spec::{DatasetSpec, DomainSpec, MissingSpec};

/// The column of one attribute while the file is read.
#[derive(Debug)]
pub(super) struct Column<'a> {
    /// The attribute.
    pub(super) name: &'a str,
    /// What the spec says about its domain; a group's values.
    pub(super) domain: Option<DomainSpec>,
    /// What to do with missing values.
    pub(super) policy: &'a MissingSpec,
    /// Where values are missing.
    pub(super) missing: Lines,
    /// What has been seen.
    pub(super) seen: Seen,
    markers: Vec<Box<[u8]>>,
}

/// The values of all rows and of the people kept.
#[derive(Debug)]
pub(super) enum Seen {
    /// As distinct texts; a person has the number of one.
    Texts {
        /// The distinct texts.
        distinct: Distinct,
        /// One for each person kept.
        kept: Vec<u32>,
        /// Whether all are numbers, as far as it matters.
        numbers: bool,
    },
    /// As numbers in millionths, as there are very many.
    Numbers {
        /// What they are like.
        wide: Box<Wide>,
        /// One for each person kept.
        kept: Vec<i64>,
    },
    /// Too many different texts: nothing is kept of them.
    TooMany,
}

/// A cell that is not UTF-8 text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotUtf8;

impl<'a> Column<'a> {
    /// The column of an attribute.
    ///
    /// # Errors
    /// The values of a group are not as many as its columns.
    pub(super) fn new(place: &Place<'a>, dataset: &'a DatasetSpec) -> Result<Self, Problem> {
        let spec = place.spec;
        let mut domain = spec.and_then(|spec| spec.domain.clone());
        if let Source::Group(group) = &place.source {
            if group.wants() != group.values.len() {
                return Err(Problem::new(
                    format!(
                        "`{}` has {} values, but its columns are for {}",
                        place.name,
                        group.values.len(),
                        group.wants()
                    ),
                    "`one-hot` has one column for each of `values`; with drop-first = true the first \
                     value has none",
                ));
            }
            domain = Some(DomainSpec::Values(group.values.clone()));
        }
        let own = spec.and_then(|spec| spec.missing.as_ref());
        let number = matches!(
            domain,
            None | Some(DomainSpec::Range { .. } | DomainSpec::Decimals { .. })
        );
        Ok(Column {
            name: place.name,
            markers: markers(dataset, domain.as_ref()),
            domain,
            policy: own.unwrap_or(&dataset.missing),
            missing: Lines::default(),
            seen: Seen::Texts {
                distinct: Distinct::default(),
                kept: Vec::new(),
                numbers: number,
            },
        })
    }

    /// Whether a cell has no value.
    pub(super) fn is_missing(&self, cell: &[u8]) -> bool {
        let cell = cell.trim_ascii();
        cell.is_empty() || self.markers.iter().any(|marker| **marker == *cell)
    }

    /// The cell of a row; the row's place if it is kept.
    pub(super) fn push(
        &mut self,
        cell: &[u8],
        line: u64,
        place: Option<usize>,
    ) -> Result<(), NotUtf8> {
        match &mut self.seen {
            Seen::Texts { distinct, kept, .. } => {
                let Some((number, missing)) = distinct.count(cell) else {
                    return self.push_new(cell, line, place);
                };
                if missing {
                    self.missing.add(line);
                }
                put(kept, place, number);
                Ok(())
            }
            Seen::Numbers { .. } => {
                self.push_number(cell, line, place);
                Ok(())
            }
            Seen::TooMany => Ok(()),
        }
    }

    /// A text that was not seen before.
    fn push_new(&mut self, cell: &[u8], line: u64, place: Option<usize>) -> Result<(), NotUtf8> {
        let missing = self.is_missing(cell);
        let Seen::Texts {
            distinct,
            kept,
            numbers,
        } = &mut self.seen
        else {
            return Ok(());
        };
        if std::str::from_utf8(cell).is_err() {
            put(kept, place, 0);
            return Err(NotUtf8);
        }
        *numbers = *numbers && (missing || units(cell).is_some());
        put(kept, place, distinct.insert(cell, line, missing));
        if missing {
            self.missing.add(line);
        }
        if *numbers && distinct.len() > WIDE {
            self.widen();
        } else if distinct.too_many() {
            self.seen = Seen::TooMany;
        }
        Ok(())
    }

    /// From distinct texts to numbers.
    fn widen(&mut self) {
        let Seen::Texts { distinct, kept, .. } = &self.seen else {
            return;
        };
        let tally = needs_counts(self.policy).then(Tally::default);
        let mut wide = Box::new(Wide::new(tally));
        let mut numbers = Vec::with_capacity(distinct.len());
        for (text, entry) in distinct.iter() {
            let value = units(text.as_bytes()).filter(|_| !entry.missing);
            if let Some(value) = value {
                wide.add(value, text.as_bytes(), entry.line, entry.count);
            }
            numbers.push(value.unwrap_or(MISSING));
        }
        let number = |&text: &u32| numbers.get(text as usize).copied().unwrap_or(MISSING);
        self.seen = Seen::Numbers {
            kept: kept.iter().map(number).collect(),
            wide,
        };
    }

    fn push_number(&mut self, cell: &[u8], line: u64, place: Option<usize>) {
        let missing = self.is_missing(cell);
        let Seen::Numbers { wide, kept } = &mut self.seen else {
            return;
        };
        let value = units(cell).filter(|_| !missing);
        put(kept, place, value.unwrap_or(MISSING));
        match value {
            Some(value) => wide.add(value, cell, line, 1),
            None if missing => self.missing.add(line),
            None => {
                let odd = || (String::from_utf8_lossy(cell).into_owned(), line);
                wide.odd.get_or_insert_with(odd);
            }
        }
    }
}

/// Puts a value into the place of its person; places are filled one after another.
#[inline]
fn put<T>(kept: &mut Vec<T>, place: Option<usize>, value: T) {
    let Some(place) = place else {
        return;
    };
    match kept.get_mut(place) {
        Some(held) => *held = value,
        None => kept.push(value),
    }
}
