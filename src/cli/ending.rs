//! How a run of all benchmarks is told: each as it ends or all at the end, and the exit code.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::report::Report;
use super::wrap::wrapped;
use super::{Format, exit_code, tell};
use crate::gate::{Checked, GateError};
use crate::plan::BenchmarkPlan;
use crate::report::{self, Entry, NOT_RUN, Tally};

/// The file that GitHub Actions shows on the page of a run.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// What has ended so far.
#[derive(Debug)]
pub(super) struct Endings {
    format: Format,
    started: Instant,
    /// By the place of the benchmark in the plan, so that reports do not depend on who was first.
    entries: Vec<Option<Entry>>,
    /// The page, if there is to be one.
    report: Option<Report>,
}

impl Endings {
    /// Nothing has ended yet of so many benchmarks.
    pub(super) fn new(format: Format, benchmarks: usize, report: Option<Report>) -> Self {
        Endings {
            format,
            started: Instant::now(),
            entries: vec![None; benchmarks],
            report,
        }
    }

    /// Keeps how a benchmark ended. What is printed one by one is printed now, so that nothing is
    /// lost if a later one goes wrong.
    pub(super) fn add(
        &mut self,
        place: usize,
        plan: &BenchmarkPlan,
        ended: Result<Checked, GateError>,
    ) {
        let entry = match ended {
            Ok(checked) => {
                let entry = Entry::of(&checked, plan.line());
                if let Some(report) = &mut self.report {
                    report.add(place, plan, &checked);
                }
                if let Some(text) = self.one(&checked) {
                    tell::result(&text);
                }
                if let Some(problem) = checked.problem.and_then(Arc::into_inner) {
                    tell::problem(problem);
                }
                entry
            }
            Err(error) => {
                let entry = Entry::unusable(plan.name(), plan.line(), error.to_string());
                tell::problem(error);
                entry
            }
        };
        if let Some(kept) = self.entries.get_mut(place) {
            *kept = Some(entry);
        }
    }

    fn one(&self, checked: &Checked) -> Option<String> {
        match self.format {
            Format::Json => Some(format!("{}\n", report::json(checked))),
            Format::Pretty => {
                let width = terminal_width();
                let colour = console::colors_enabled();
                let text = report::pretty(checked, colour, width);
                Some(fitted(text, width))
            }
            Format::Junit | Format::Github => None,
        }
    }

    /// Tells what is told at the end; benchmarks that did not end were not begun. Gives the exit
    /// code.
    pub(super) fn finish(self, plans: &[BenchmarkPlan], file: &Path) -> u8 {
        let entries: Vec<Entry> = self
            .entries
            .into_iter()
            .zip(plans)
            .map(|(entry, plan)| entry.unwrap_or_else(|| Entry::not_run(plan.name(), plan.line())))
            .collect();
        let tally = Tally::of(&entries);
        let spec = in_repository(file);
        tell::result(&match self.format {
            Format::Pretty => {
                let left = not_run(&entries, |name| format!("---- {name}  {NOT_RUN}\n"));
                fitted(format!("{left}\n{tally}\n"), terminal_width())
            }
            Format::Json => not_run(&entries, |name| format!("{}\n", report::json_not_run(name))),
            Format::Junit => report::junit(&entries, self.started.elapsed().as_secs_f64()),
            Format::Github => report::github(&entries, &spec),
        });
        write_summary(&report::markdown(&entries, &spec));
        let code = code(&tally);
        match self.report {
            Some(report) => report.write(file, entries, code),
            None => code,
        }
    }
}

/// The width of the terminal, as far as texts follow it.
pub(super) fn terminal_width() -> usize {
    usize::from(console::Term::stdout().size().1).clamp(60, 120)
}

/// The text as the terminal can show it; files and pipes get whole lines.
pub(super) fn fitted(text: String, width: usize) -> String {
    match console::Term::stdout().is_term() {
        true => wrapped(&text, width),
        false => text,
    }
}

fn not_run(entries: &[Entry], line: impl Fn(&str) -> String) -> String {
    let left = entries
        .iter()
        .filter(|entry| entry.ending == report::Ending::NotRun);
    left.map(|entry| line(&entry.name)).collect()
}

fn code(tally: &Tally) -> u8 {
    match tally {
        Tally { unusable: 1.., .. } => exit_code::UNUSABLE,
        Tally { failed: 1.., .. } => exit_code::FAIL,
        Tally {
            inconclusive: 1.., ..
        }
        | Tally { not_run: 1.., .. } => exit_code::INCONCLUSIVE,
        _ => exit_code::PASS,
    }
}

/// The spec's path as GitHub knows it: from the top of the repository, with slashes.
fn in_repository(spec: &Path) -> String {
    let below = std::env::var_os("GITHUB_WORKSPACE").and_then(|top| {
        let spec = std::path::absolute(spec).ok()?;
        spec.strip_prefix(top).ok().map(Path::to_owned)
    });
    let path: PathBuf = below.unwrap_or_else(|| spec.to_owned());
    let path = path.display().to_string().replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// Adds to the page of the CI run, where there is one. That it cannot be written decides nothing.
fn write_summary(text: &str) {
    let Some(file) = std::env::var_os(STEP_SUMMARY).filter(|file| !file.is_empty()) else {
        return;
    };
    let written = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&file)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(why) = written {
        let file = Path::new(&file).display();
        tell::remark(&format!(
            "fairgate: the summary could not be written to {file} ({STEP_SUMMARY}): {why}"
        ));
    }
}
