//! Found people as CSV: to read, to count again, to train with.
//!
//! Every figure of a report can be computed again from these rows. What fairgate adds stands in front,
//! under names that begin with `fairgate_`; all else is what the dataset, or the model, has.

use std::io::Write;

use clap::ValueEnum;

use crate::findings::{Findings, TestedPerson};
use crate::model::OpenModel;
use crate::result::BenchmarkResult;
use crate::schema::Code;

/// Who is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Who {
    /// Everyone who was found to be decided differently
    #[default]
    Found,
    /// Everyone whom the search tested
    Tested,
}

/// Which counterparts are written below each person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Counterparts {
    /// The one that is decided differently most clearly
    #[default]
    Clearest,
    /// Every one that is known to be decided differently
    All,
    /// None
    None,
}

/// In whose terms people are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Terms {
    /// Attributes in words, as in the dataset
    #[default]
    Words,
    /// The columns of the model's inputs, as the model eats them
    Model,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Wanted {
    /// Who.
    pub who: Who,
    /// With which counterparts.
    pub counterparts: Counterparts,
    /// In whose terms.
    pub terms: Terms,
    /// No more people than this.
    pub most: Option<u64>,
}

/// What stands in front of each row.
const OWN: [&str; 5] = [
    "fairgate_number",
    "fairgate_role",
    "fairgate_found",
    "fairgate_score",
    "fairgate_decision",
];

/// People whose rows are made in one go.
const PORTION: usize = 1024;

/// Writes the people of a run on `model`. Says how many people there are among the rows,
/// counterparts not counted.
///
/// # Errors
/// Writing failed.
pub fn export(
    result: &BenchmarkResult,
    model: &OpenModel,
    wanted: Wanted,
    out: impl Write,
) -> Result<u64, csv::Error> {
    let exporter = Exporter {
        result,
        findings: &result.findings,
        model,
        wanted,
    };
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(exporter.header())?;
    let most = usize::try_from(wanted.most.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let mut people = exporter.people().take(most).enumerate();
    let mut written = 0;
    loop {
        let portion: Vec<_> = people.by_ref().take(PORTION).collect();
        if portion.is_empty() {
            break;
        }
        written += portion.len() as u64;
        exporter.write(&portion, &mut writer)?;
    }
    writer.flush()?;
    Ok(written)
}

/// A row to be written.
struct Row {
    number: usize,
    role: &'static str,
    found: bool,
    score: f32,
    decision: String,
    person: Vec<Code>,
}

struct Exporter<'a> {
    result: &'a BenchmarkResult,
    findings: &'a Findings,
    model: &'a OpenModel,
    wanted: Wanted,
}

impl Exporter<'_> {
    fn header(&self) -> Vec<String> {
        let attributes = self.findings.space().schema().attributes();
        let theirs: Vec<String> = match self.wanted.terms {
            Terms::Words => attributes.iter().map(|a| a.name.clone()).collect(),
            Terms::Model => self.model.column_names(),
        };
        OWN.map(str::to_owned).into_iter().chain(theirs).collect()
    }

    fn people(&self) -> Box<dyn Iterator<Item = TestedPerson> + '_> {
        match self.wanted.who {
            Who::Found => Box::new(self.findings.found_people()),
            Who::Tested => Box::new(self.findings.tested_people()),
        }
    }

    fn write<W: Write>(
        &self,
        people: &[(usize, TestedPerson)],
        writer: &mut csv::Writer<W>,
    ) -> Result<(), csv::Error> {
        let rows: Vec<Row> = people
            .iter()
            .flat_map(|&(place, person)| self.rows(place + 1, person))
            .collect();
        for (row, cells) in rows.iter().zip(self.cells(&rows)) {
            let own = [
                row.number.to_string(),
                row.role.to_owned(),
                row.found.to_string(),
                row.score.to_string(),
                row.decision.clone(),
            ];
            writer.write_record(own.into_iter().chain(cells))?;
        }
        Ok(())
    }

    /// The person, and below it the counterparts that are wanted.
    fn rows(&self, number: usize, person: TestedPerson) -> Vec<Row> {
        let others = match self.wanted.counterparts {
            Counterparts::None => Vec::new(),
            Counterparts::All => self.findings.differing(person).collect(),
            Counterparts::Clearest => self.findings.clearest(person).into_iter().collect(),
        };
        let row = |role, combination: usize| Row {
            number,
            role,
            found: person.found,
            score: self.findings.score(person.profile, combination),
            decision: self.decision(person, combination),
            person: self.findings.person(person.profile, combination),
        };
        let counterparts = others.into_iter().map(|other| row("counterpart", other));
        std::iter::once(row("person", person.combination))
            .chain(counterparts)
            .collect()
    }

    /// The decision's name; none within the noise of a boundary, nor where two numbers are compared.
    fn decision(&self, person: TestedPerson, combination: usize) -> String {
        let decision = self.findings.decision(person.profile, combination);
        let name = decision.and_then(|decision| self.result.decisions.get(decision));
        name.cloned().unwrap_or_default()
    }

    fn cells(&self, rows: &[Row]) -> Vec<Vec<String>> {
        let space = self.findings.space();
        let attributes = space.schema().attributes();
        match self.wanted.terms {
            Terms::Words => {
                let words = |row: &Row| {
                    let cells = attributes.iter().zip(&row.person);
                    cells
                        .map(|(attribute, &code)| attribute.domain.text(code).into_owned())
                        .collect()
                };
                rows.iter().map(words).collect()
            }
            Terms::Model => {
                let mut numbers = Vec::with_capacity(rows.len() * attributes.len());
                for row in rows {
                    space.push_row(&row.person, &mut numbers);
                }
                self.model.cells(&numbers)
            }
        }
    }
}
