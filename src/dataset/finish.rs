//! A column at the end of the file: its domain, and the codes of the people kept.

use std::collections::BTreeMap;

use super::column::{Column, Seen};
use super::distinct::{Distinct, MOST_TEXTS};
use super::domain::{
    Cell, Coded, Told, code, code_of_number, no_value, of_numbers, of_texts, others,
};
use super::error::{Complaints, Problem};
use super::missing::{needs_counts, note, stand_in};
use super::number::from_units;
use super::wide::{MISSING, WIDE, Wide};
use crate::schema::{Attribute, Code, Domain};
use crate::spec::{DomainSpec, MissingSpec};
use crate::words::grouped;

/// What came of a column: its attribute, and the code of each person kept.
pub(super) type Finished = (Attribute, Vec<Code>);

/// What there is to say about the columns.
#[derive(Debug, Default)]
pub(super) struct Sayings {
    /// Why the dataset cannot be used.
    pub(super) complaints: Complaints,
    /// What the report tells.
    pub(super) notes: Vec<String>,
    /// Attributes of which values were rounded: the name, how many, and the step.
    rounded: Vec<(String, u64, String)>,
}

impl Sayings {
    /// All notes. Of many attributes that were rounded, the first stands for all.
    pub(super) fn into_notes(mut self) -> Vec<String> {
        const EACH: usize = 3;
        let one = |(name, values, step): &(String, u64, String)| {
            format!(
                "{} values of `{name}` rounded to its step of {step}",
                grouped(*values)
            )
        };
        match self.rounded.as_slice() {
            [first, rest @ ..] if rest.len() >= EACH => self.notes.push(format!(
                "{}; likewise of {} more attributes",
                one(first),
                grouped(rest.len() as u64)
            )),
            few => self.notes.extend(few.iter().map(one)),
        }
        self.notes
    }
}

impl Column<'_> {
    /// The attribute and the codes; none where there is a complaint.
    pub(super) fn finish(mut self, dataset: &str, sayings: &mut Sayings) -> Option<Finished> {
        self.reject_missing(dataset, &mut sayings.complaints);
        let seen = std::mem::replace(&mut self.seen, Seen::TooMany);
        let finished = match seen {
            Seen::Texts { distinct, kept, .. } => {
                self.finish_texts(dataset, &distinct, kept, sayings)
            }
            Seen::Numbers { wide, kept } => self.finish_numbers(dataset, &wide, kept, sayings),
            Seen::TooMany => Err(vec![self.too_many(dataset)]),
        };
        let complain = |problems| sayings.complaints.extend(problems);
        let (domain, codes) = finished.map_err(complain).ok()?;
        Some((Attribute::new(self.name, domain), codes))
    }

    fn reject_missing(&self, dataset: &str, complaints: &mut Complaints) {
        if *self.policy != MissingSpec::Reject || self.missing.count == 0 {
            return;
        }
        let help = format!(
            "fill the gaps; or say what becomes of missing values under [dataset.{dataset}]: \
             missing = \"skip\", \"most-frequent\" or \"median\", or for one attribute in its own \
             table; or declare `values` among which the text is"
        );
        let lines = self.missing.words();
        complaints.add(format!("`{}` is missing in {lines}", self.name), help);
    }

    fn too_many(&self, dataset: &str) -> Problem {
        let most = grouped(MOST_TEXTS as u64);
        let name = self.name;
        if self.domain.is_some() {
            return Problem::new(
                format!("`{name}` has more than {most} different texts, not what its domain says"),
                format!("mend the column, or its domain under [dataset.{dataset}.attributes]"),
            );
        }
        Problem::new(
            format!(
                "`{name}` has more than {most} different texts, as ids, names and free text have"
            ),
            format!("put it under `ignore` in [dataset.{dataset}]: a model cannot read it"),
        )
    }

    fn finish_texts(
        &self,
        dataset: &str,
        distinct: &Distinct,
        kept: Vec<u32>,
        sayings: &mut Sayings,
    ) -> Result<(Domain, Vec<Code>), Vec<Problem>> {
        let cells: Vec<Cell<'_>> = distinct
            .iter()
            .filter(|(_, entry)| !entry.missing)
            .map(|(text, entry)| Cell {
                text,
                line: entry.line,
                count: entry.count,
            })
            .collect();
        if cells.is_empty() && matches!(self.domain, None | Some(DomainSpec::OwnValues)) {
            return Err(vec![no_value(self.name)]);
        }
        let Told { domain, note } = of_texts(self.name, self.domain.as_ref(), &cells)?;
        sayings.notes.extend(note);
        let coded = self.coded(dataset, &domain, &cells)?;
        let mut counts = BTreeMap::new();
        for (cell, coded) in cells.iter().zip(&coded) {
            *counts.entry(coded.code).or_default() += cell.count;
        }
        let fill = self.fill(&domain, &counts, sayings)?;
        let mut present = coded.into_iter();
        let by_number: Vec<Coded> = distinct
            .iter()
            .map(|(_, entry)| match entry.missing {
                true => fill,
                false => present.next().unwrap_or_default(),
            })
            .collect();
        let of = |number: u32| by_number.get(number as usize).copied().unwrap_or_default();
        let codes = self.codes(&domain, kept.into_iter().map(of), sayings);
        Ok((domain, codes))
    }

    fn coded(
        &self,
        dataset: &str,
        domain: &Domain,
        cells: &[Cell<'_>],
    ) -> Result<Vec<Coded>, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut coded = Vec::with_capacity(cells.len());
        for cell in cells {
            match code(domain, cell.text) {
                Some(code) => coded.push(code),
                None => problems.push(self.outside(dataset, domain, cell)),
            }
        }
        match problems.is_empty() {
            true => Ok(coded),
            false => Err(problems),
        }
    }

    fn outside(&self, dataset: &str, domain: &Domain, cell: &Cell<'_>) -> Problem {
        let Cell { text, line, count } = cell;
        Problem::new(
            format!(
                "line {line}: `{}` is {text:?}, which is outside its domain ({}){}",
                self.name,
                domain.describe(),
                others(*count)
            ),
            format!("mend these rows, or widen the domains under [dataset.{dataset}.attributes]"),
        )
    }

    fn finish_numbers(
        &self,
        dataset: &str,
        wide: &Wide,
        kept: Vec<i64>,
        sayings: &mut Sayings,
    ) -> Result<(Domain, Vec<Code>), Vec<Problem>> {
        let span = wide.span();
        self.check_odd(wide, span.fraction.as_ref())?;
        let told = of_numbers(self.name, self.domain.as_ref(), Some(&span));
        let Told { domain, note } = told.map_err(|problem| vec![problem])?;
        sayings.notes.extend(note);
        for (units, line) in wide.ends() {
            let value = from_units(units);
            if code_of_number(&domain, value).is_none() {
                let text = value.normalize().to_string();
                let (text, count) = (text.as_str(), 1);
                return Err(vec![self.outside(
                    dataset,
                    &domain,
                    &Cell { text, line, count },
                )]);
            }
        }
        let of = |units: i64| code_of_number(&domain, from_units(units)).unwrap_or_default();
        let mut counts = BTreeMap::new();
        for (units, count) in wide.tally.iter().flat_map(|tally| tally.iter()) {
            *counts.entry(of(units).code).or_default() += count;
        }
        let fill = self.fill(&domain, &counts, sayings)?;
        let coded = kept.into_iter().map(|units| match units {
            MISSING => fill,
            _ => of(units),
        });
        let codes = self.codes(&domain, coded, sayings);
        Ok((domain, codes))
    }

    /// A word, or decimals where whole numbers are declared, among very many numbers.
    fn check_odd(&self, wide: &Wide, fraction: Option<&(String, u64)>) -> Result<(), Vec<Problem>> {
        let name = self.name;
        let whole = matches!(self.domain, Some(DomainSpec::Range { .. }));
        let fraction = fraction.filter(|_| whole);
        let problem = match (&wide.odd, fraction) {
            (Some((text, line)), _) => Problem::new(
                format!(
                    "line {line}: `{name}` is {text:?}, but the lines before have more than {} different numbers",
                    grouped(WIDE as u64)
                ),
                "mend these lines; a text that stands for a missing value goes into \
                 `missing-markers`, and a column of ids under `ignore`",
            ),
            (None, Some((text, line))) => Problem::new(
                format!("line {line}: `{name}` is {text:?}, not a whole number"),
                "numbers with decimals have a `step`, or `type = \"decimal\"`",
            ),
            (None, None) => return Ok(()),
        };
        Err(vec![problem])
    }

    /// What stands for a missing value, told in a note where there is one.
    fn fill(
        &self,
        domain: &Domain,
        counts: &BTreeMap<Code, u64>,
        sayings: &mut Sayings,
    ) -> Result<Coded, Vec<Problem>> {
        let code = stand_in(self.name, self.policy, domain, counts);
        let code = code.map_err(|problem| vec![problem])?;
        let count = self.missing.count;
        match code {
            Some(code) if count > 0 => {
                let said = note(self.name, count, self.policy, domain, code);
                sayings.notes.push(said);
            }
            None if count > 0 && needs_counts(self.policy) => {
                return Err(vec![no_value(self.name)]);
            }
            _ => {}
        }
        let code = code.unwrap_or_default();
        Ok(Coded {
            code,
            rounded: false,
        })
    }

    /// The codes of the people kept; how many values were rounded is told in a note.
    fn codes(
        &self,
        domain: &Domain,
        coded: impl Iterator<Item = Coded>,
        sayings: &mut Sayings,
    ) -> Vec<Code> {
        let mut rounded = 0;
        let codes = coded
            .map(|coded| {
                rounded += u64::from(coded.rounded);
                coded.code
            })
            .collect();
        if let (Domain::Decimals { step, .. }, true) = (domain, rounded > 0) {
            let step = step.to_string();
            sayings.rounded.push((self.name.to_owned(), rounded, step));
        }
        codes
    }
}
