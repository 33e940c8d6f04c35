//! `fairgate study`: the paper's comparison on any spec.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::check::rehearse_all;
use super::ending::{fitted, terminal_width};
use super::interrupt::Interrupt;
use super::progress::Bars;
use super::{Engine, Selection, exit_code, tell};
use crate::gate::{Datasets, GateError, Options};
use crate::plan::BenchmarkPlan;
use crate::snapshot::{Rules, Update};
use crate::study::claims;
use crate::study::contender::{ALL, Contender};
use crate::study::gradients::{Comparing, Measured, measure};
use crate::study::notes;
use crate::study::plan::{Form, Planned, Question, runs};
use crate::study::prepared::Prepared;
use crate::study::record::Record;
use crate::study::report::{self, PAGE, Report};
use crate::study::results::Results;
use crate::study::run::{LeftOut, Making, StudyError, Told, make};

#[derive(Debug, Clone, Args)]
#[command(before_help = super::help::STUDY, after_help = super::help::STUDY_EXIT_CODES, help_template = super::help::TEMPLATE)]
pub(super) struct StudyArguments {
    #[command(flatten)]
    selection: Selection,
    /// The folder for runs, tables, figures and the report; a study that is there goes on
    #[arg(long, value_name = "FOLDER", default_value = "study")]
    output: PathBuf,
    /// A short form, for a first look: fewer rounds, seeds, steps and sizes
    #[arg(long)]
    quick: bool,
    /// Which research questions: 1 (perturbation size), 2 (methods), 3 (gradients)
    #[arg(long, value_name = "1,2,3", value_delimiter = ',', default_value = "1,2,3",
          value_parser = clap::value_parser!(u8).range(1..=3), hide_default_value = true)]
    questions: Vec<u8>,
    /// Which methods; all but maft-plain if nothing is said
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(ALL.map(|contender| contender.name)))]
    methods: Vec<String>,
    /// Runs of each with different random seeds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Seeds of the global phase
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: Option<u32>,
    /// Local steps from each find
    #[arg(long, value_name = "N")]
    steps: Option<u32>,
    #[command(flatten)]
    engine: Engine,
    /// Runs side by side; by default as many as there are processors. Counts do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

pub(super) fn run(arguments: &StudyArguments) -> u8 {
    match study(arguments) {
        Ok(code) | Err(code) => code,
    }
}

/// From the arguments to the report; the exit code either way.
fn study(arguments: &StudyArguments) -> Result<u8, u8> {
    let contenders = contenders(arguments)?;
    let (spec, plans) = arguments.selection.plans()?;
    let options = options(arguments, spec.snapshots.clone());
    if !crate::OPTIMISED {
        tell::remark(
            "fairgate: built without optimisation; `cargo run --release` is about ten times faster",
        );
    }
    // Before anything takes time: a folder that cannot be written is told at once.
    report::make_folder(&arguments.output).map_err(unusable)?;
    let mut record = Record::open(&arguments.output.join("runs.csv")).map_err(unusable)?;
    let bars = Bars::new();
    let interrupt = Interrupt::listen(bars.clone());
    let benchmarks = prepare(plans, &options, &interrupt)?;
    let work = Work {
        questions: questions(arguments),
        form: form(arguments),
        jobs: jobs(arguments),
        benchmarks,
        contenders,
        options,
    };
    let planned = work.planned();
    let outdated = record.others(&planned.iter().map(|run| &run.key).collect::<Vec<_>>());
    if outdated > 0 {
        tell::remark(&notes::outdated(outdated, &arguments.output));
    }
    let mut left_out = work.make(&planned, &mut record, &bars, &interrupt)?;
    let gradients = work.gradients(&interrupt, &mut left_out);
    if interrupt.asked() {
        let done = planned.iter().filter(|run| record.get(&run.key).is_some());
        tell::remark(&notes::stopped(done.count(), planned.len()));
        return Ok(exit_code::INCONCLUSIVE);
    }
    work.report(
        &planned,
        &record,
        gradients.as_ref(),
        &left_out,
        &arguments.output,
    )?;
    Ok(exit_code::PASS)
}

/// What a study is made of.
struct Work {
    questions: Vec<Question>,
    form: Form,
    jobs: usize,
    benchmarks: Vec<Prepared>,
    contenders: Vec<Contender>,
    options: Options,
}

impl Work {
    fn planned(&self) -> Vec<Planned> {
        let subjects: Vec<_> = self.benchmarks.iter().map(Prepared::subject).collect();
        runs(&subjects, &self.questions, &self.contenders, &self.form)
    }

    fn make(
        &self,
        planned: &[Planned],
        record: &mut Record,
        bars: &Bars,
        interrupt: &Interrupt,
    ) -> Result<Vec<LeftOut>, u8> {
        let done = planned.iter().filter(|run| record.get(&run.key).is_some());
        let bar = bars.runs(done.count(), planned.len());
        let made = make(
            planned,
            record,
            &Making {
                benchmarks: &self.benchmarks,
                options: &self.options,
                jobs: self.jobs,
                tell: &|told| match told {
                    Told::Begun(run) => bar.begun(&words(run)),
                    Told::Ended => bar.ended(),
                },
                interrupted: &|| interrupt.asked(),
            },
        );
        drop(bar);
        made.map_err(|error| match error {
            StudyError::Gate(error) => tell::gate_problem(error),
            StudyError::Record(error) => unusable(error),
        })
    }

    /// The third question: alone on the machine, because it is about milliseconds.
    fn gradients(&self, interrupt: &Interrupt, left_out: &mut Vec<LeftOut>) -> Option<Measured> {
        if !self.questions.contains(&Question::Three) {
            return None;
        }
        let comparing = Comparing {
            people: self.form.people,
            options: &self.options,
            interrupted: &|| interrupt.asked(),
        };
        measure(&self.benchmarks, &comparing, left_out)
    }

    fn report(
        &self,
        planned: &[Planned],
        record: &Record,
        gradients: Option<&Measured>,
        left_out: &[LeftOut],
        folder: &Path,
    ) -> Result<(), u8> {
        let about: Vec<_> = self.benchmarks.iter().map(Prepared::about).collect();
        let results = Results::new(&about, &self.contenders, &self.form, planned, record);
        let claims = claims::judge(&results, gradients);
        let notes = notes::notes(&results, &self.questions, self.jobs);
        let report = Report {
            results: &results,
            gradients,
            claims: &claims,
            left_out,
            notes: &notes,
        };
        report::write(&report, folder).map_err(unusable)?;
        tell::result(&fitted(summary(&report, folder), terminal_width()));
        Ok(())
    }
}

/// What is told at the end.
fn summary(report: &Report<'_>, folder: &Path) -> String {
    let mut text = String::new();
    for claim in report.claims {
        text.push_str(&format!(
            "{}: {}\n    {}\n",
            claim.judgement, claim.text, claim.measured
        ));
    }
    text.push('\n');
    for note in report.remarks() {
        text.push_str(&format!("- {note}\n"));
    }
    text.push_str(&format!("\nwrote {}\n", folder.join(PAGE).display()));
    text
}

fn words(run: &Planned) -> String {
    format!(
        "RQ{} {} {}, round {}",
        run.key.question, run.key.benchmark, run.contender.title, run.key.round
    )
}

fn prepare(
    plans: Vec<BenchmarkPlan>,
    options: &Options,
    interrupt: &Interrupt,
) -> Result<Vec<Prepared>, u8> {
    let plans: Arc<[BenchmarkPlan]> = plans.into();
    let Some((mut datasets, problems)) = rehearse_all(&plans, options, interrupt) else {
        return Err(exit_code::INCONCLUSIVE);
    };
    if !problems.is_empty() {
        return Err(tell::gate_problems(problems));
    }
    let prepared = plans.iter().map(|plan| match interrupt.asked() {
        true => Err(exit_code::INCONCLUSIVE),
        false => one(plan, &mut datasets, options).map_err(tell::gate_problem),
    });
    prepared.collect()
}

fn one(
    plan: &BenchmarkPlan,
    datasets: &mut Datasets,
    options: &Options,
) -> Result<Prepared, GateError> {
    let dataset = datasets.get(&plan.dataset)?;
    Prepared::new(plan, dataset, options)
}

/// Everyone who is asked for, in the order of figures.
fn contenders(arguments: &StudyArguments) -> Result<Vec<Contender>, u8> {
    let asked = |contender: &Contender| match arguments.methods.is_empty() {
        true => contender.is_usual() && contender.is_available(),
        false => arguments.methods.iter().any(|name| name == contender.name),
    };
    let contenders: Vec<Contender> = ALL.into_iter().filter(asked).collect();
    let missing: Vec<&str> = contenders
        .iter()
        .filter(|contender| !contender.is_available())
        .map(|contender| contender.name)
        .collect();
    if missing.is_empty() {
        return Ok(contenders);
    }
    tell::remark(&notes::unavailable(&missing));
    Err(exit_code::USAGE)
}

fn questions(arguments: &StudyArguments) -> Vec<Question> {
    [Question::One, Question::Two, Question::Three]
        .into_iter()
        .filter(|&question| arguments.questions.contains(&(question as u8)))
        .collect()
}

fn form(arguments: &StudyArguments) -> Form {
    let mut form = match arguments.quick {
        true => Form::quick(),
        false => Form::full(),
    };
    for extent in [&mut form.one, &mut form.two] {
        extent.rounds = arguments.rounds.map_or(extent.rounds, usize::from);
        extent.seeds = arguments.seeds.map_or(extent.seeds, |seeds| seeds as usize);
        extent.steps = arguments.steps.map_or(extent.steps, |steps| steps as usize);
    }
    form
}

fn jobs(arguments: &StudyArguments) -> usize {
    arguments.jobs.map_or_else(
        || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    )
}

/// A study knows no snapshots; each run has one worker.
fn options(arguments: &StudyArguments, folder: PathBuf) -> Options {
    let rules = Rules {
        update: Update::No,
        ci: true,
        force_pass: false,
    };
    let mut options = Options::with_rules(folder, rules);
    arguments.engine.choose(&mut options);
    options
}

fn unusable(error: impl miette::Diagnostic + Send + Sync + 'static) -> u8 {
    tell::problem(error);
    exit_code::UNUSABLE
}
