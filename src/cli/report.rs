//! `fairgate report`: check, and write a page about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::{CheckArguments, check, exit_code, help, tell};
use crate::fingerprint::Fingerprint;
use crate::gate::Checked;
use crate::plan::BenchmarkPlan;
use crate::report::{Entry, Input, Page, Part, html, share};
use crate::spec::Spec;
use crate::whole_file;

#[derive(Debug, Clone, Args)]
#[command(before_help = help::REPORT, after_help = help::EXIT_CODES, help_template = help::TEMPLATE)]
pub(super) struct ReportArguments {
    #[command(flatten)]
    check: CheckArguments,
    /// The page to write, one HTML file
    #[arg(long, value_name = "FILE", default_value = "fairness-report.html")]
    output: PathBuf,
}

pub(super) fn run(arguments: &ReportArguments) -> u8 {
    check::run(&arguments.check, Some(&arguments.output))
}

/// The page that is written at the end of a run.
#[derive(Debug)]
pub(super) struct Report {
    output: PathBuf,
    text: Arc<str>,
    inputs: Vec<Input>,
    /// By the place of the benchmark in the plan.
    parts: Vec<Option<Part>>,
}

impl Report {
    /// Finds out, before anything runs, whether the page can be written, if there is to be one, and
    /// what the models and datasets are. Gives the exit code if it cannot, and then why has been said.
    pub(super) fn prepare(
        output: Option<&Path>,
        spec: &Spec,
        plans: &[BenchmarkPlan],
    ) -> Result<Option<Self>, u8> {
        let Some(output) = output else {
            return Ok(None);
        };
        if let Err(why) = whole_file::rehearse(output) {
            tell::problem(Unwritable::new(output, &why));
            return Err(exit_code::USAGE);
        }
        Ok(Some(Report {
            output: output.to_owned(),
            text: Arc::clone(spec.source().inner()),
            inputs: inputs(plans),
            parts: plans.iter().map(|_| None).collect(),
        }))
    }

    /// Keeps what the page needs of a benchmark that has ended.
    pub(super) fn add(&mut self, place: usize, plan: &BenchmarkPlan, checked: &Checked) {
        let most = share(self.parts.len());
        if let Some(part) = self.parts.get_mut(place) {
            *part = Some(Part::of(plan, checked, most));
        }
    }

    /// Writes the page and says where it is. Gives the exit code: that of the run, unless the run
    /// passed and the page could not be written.
    pub(super) fn write(self, spec: &Path, entries: Vec<Entry>, code: u8) -> u8 {
        let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
        let benchmarks: Vec<(Entry, Option<Part>)> = entries.into_iter().zip(self.parts).collect();
        let page = html(&Page {
            spec: &spec.display().to_string(),
            text: &self.text,
            made: &now.to_string(),
            inputs: &self.inputs,
            benchmarks: &benchmarks,
        });
        match whole_file::write(&self.output, page.as_bytes()) {
            Ok(()) => {
                tell::remark(&format!("the report is in {}", self.output.display()));
                code
            }
            Err(why) => {
                tell::problem(Unwritable::new(&self.output, &why));
                match code {
                    exit_code::PASS => exit_code::UNUSABLE,
                    code => code,
                }
            }
        }
    }
}

/// The files that the plans name, each once, in their order.
fn inputs(plans: &[BenchmarkPlan]) -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    let mut add = |kind: &'static str, name: &str, path: &Path| {
        if inputs
            .iter()
            .any(|input| input.kind == kind && input.name == name)
        {
            return;
        }
        inputs.push(Input {
            kind,
            name: name.to_owned(),
            path: path.display().to_string(),
            // What cannot be read is complained about by those who need it.
            fingerprint: Fingerprint::of_file(path).ok(),
        });
    };
    for plan in plans {
        add("model", &plan.model.name.value, &plan.model.path.value);
        if let Some(path) = &plan.dataset.path {
            add("dataset", &plan.dataset.name.value, &path.value);
        }
    }
    inputs
}

/// The page cannot be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("cannot write the report {}: {why}", path.display())]
#[diagnostic(
    code(fairgate::report::unwritable),
    help("--output FILE writes it elsewhere")
)]
struct Unwritable {
    path: PathBuf,
    why: String,
}

impl Unwritable {
    fn new(path: &Path, why: &std::io::Error) -> Self {
        Unwritable {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}
