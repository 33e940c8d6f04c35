//! What a study says: tables, figures and claims, as one page, as Markdown and as CSV.

mod draw;
mod gradients;
mod html;
mod markdown;
mod methods;
mod sizes;
mod table;

use std::path::{Path, PathBuf};

use super::claims::Claim;
use super::figures::{Figure, FigureError};
use super::gradients::Measured;
use super::results::{About, Results};
use super::run::LeftOut;
use crate::whole_file;
use table::Table;

/// The page.
pub(crate) const PAGE: &str = "report.html";

/// Everything that a study says.
pub(crate) struct Report<'a> {
    /// The runs.
    pub results: &'a Results<'a>,
    /// What was measured of gradients, if it was.
    pub gradients: Option<&'a Measured>,
    /// The claims.
    pub claims: &'a [Claim],
    /// Who could not search what.
    pub left_out: &'a [LeftOut],
    /// Remarks: how large the study was, what was left out and how to have it.
    pub notes: &'a [String],
}

impl Report<'_> {
    /// All remarks, with who could not search what.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        let left_out = self.left_out.iter().map(|left| {
            format!(
                "{} was left out of {}: {}.",
                left.benchmark, left.method, left.why
            )
        });
        self.notes.iter().cloned().chain(left_out)
    }
}

/// A part of the report.
struct Section {
    /// The name by which Markdown is found again.
    name: &'static str,
    title: &'static str,
    tables: Vec<Table>,
    figures: Vec<Figure>,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub(crate) enum ReportError {
    /// A figure cannot be drawn.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Figure(#[from] FigureError),
    /// A file cannot be written.
    #[error("{} cannot be written: {why}", path.display())]
    #[diagnostic(help("make the folder writable, or choose another one with `--output`"))]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
}

/// Writes the report into a folder: the page, the Markdown, a CSV for each table, and the figures.
///
/// # Errors
/// See [`ReportError`].
pub(crate) fn write(report: &Report<'_>, folder: &Path) -> Result<(), ReportError> {
    let sections = sections(report)?;
    let (figures, tables) = (folder.join("figures"), folder.join("tables"));
    for section in &sections {
        for figure in &section.figures {
            write_file(
                &figures.join(format!("{}.svg", figure.name)),
                figure.svg.as_bytes(),
            )?;
            write_file(&figures.join(format!("{}.png", figure.name)), &figure.png)?;
        }
        for table in &section.tables {
            write_file(
                &tables.join(format!("{}.csv", table.name)),
                table.csv().as_bytes(),
            )?;
        }
    }
    let markdown = markdown::render(report, &sections);
    write_file(&folder.join("report.md"), markdown.as_bytes())?;
    write_file(
        &folder.join(PAGE),
        html::render(report, &sections).as_bytes(),
    )
}

/// A folder, made if it is not there.
///
/// # Errors
/// It cannot be made.
pub(crate) fn make_folder(path: &Path) -> Result<(), ReportError> {
    std::fs::create_dir_all(path).map_err(|why| unwritable(path, why))
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    whole_file::write(path, bytes).map_err(|why| unwritable(path, why))
}

fn unwritable(path: &Path, why: std::io::Error) -> ReportError {
    ReportError::Unwritable {
        path: path.to_owned(),
        why,
    }
}

fn sections(report: &Report<'_>) -> Result<Vec<Section>, FigureError> {
    let mut sections = vec![Section {
        name: "benchmarks",
        title: "What was tested",
        tables: vec![benchmarks(report.results.benchmarks)],
        figures: Vec::new(),
    }];
    sections.extend(sizes::section(report.results)?);
    sections.extend(methods::section(report.results)?);
    if let Some(measured) = report.gradients {
        sections.push(gradients::section(measured, report.results)?);
    }
    Ok(sections)
}

fn benchmarks(benchmarks: &[About]) -> Table {
    let head = [
        "benchmark",
        "model",
        "protected",
        "combinations",
        "attributes",
        "people",
    ];
    let mut table = Table::new("benchmarks", "The benchmarks", &head);
    for about in benchmarks {
        table.row([
            about.name.clone(),
            about.model.clone(),
            about.protected.join(" and "),
            about.combinations.to_string(),
            about.attributes.to_string(),
            crate::words::grouped(about.people as u64),
        ]);
    }
    table
}
