//! The command line: parse, call the library, exit code. One file a command.

mod check;
mod ending;
mod explain;
mod export;
mod generate;
mod help;
mod init;
mod interrupt;
mod list;
mod one;
mod progress;
mod report;
mod study;
mod tell;
mod wrap;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::gate::Options;
use crate::model::{DeviceChoice, RuntimeChoice};
use crate::plan::{BenchmarkPlan, Filter, plan};
use crate::spec::Spec;

/// The exit codes of `fairgate`.
pub mod exit_code {
    /// Every benchmark passes.
    pub const PASS: u8 = 0;
    /// A benchmark failed: a limit is exceeded, or a snapshot changed.
    pub const FAIL: u8 = 1;
    /// The spec or the arguments are wrong.
    pub const USAGE: u8 = 2;
    /// A model, a dataset or a runtime could not be used.
    pub const UNUSABLE: u8 = 3;
    /// Inconclusive, or nothing to run.
    pub const INCONCLUSIVE: u8 = 4;
}

/// A fairness gate: searches models for people who would be decided differently if only a
/// protected attribute changed.
#[derive(Debug, Parser)]
#[command(
    name = "fairgate",
    version,
    before_help = help::MAIN,
    after_help = help::EXIT_CODES,
    help_template = help::TEMPLATE,
    args_conflicts_with_subcommands = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    check: CheckArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the benchmarks and say whether they pass (the default)
    #[command(before_help = help::CHECK, after_help = help::EXIT_CODES, help_template = help::TEMPLATE)]
    Check(CheckArguments),
    /// Check, and write a page about it: one HTML file
    Report(report::ReportArguments),
    /// List the benchmarks without opening a model
    #[command(before_help = help::LIST, help_template = help::TEMPLATE)]
    List(ListArguments),
    /// Look at one counterexample closely
    Explain(explain::ExplainArguments),
    /// Write the found people as CSV
    Export(export::ExportArguments),
    /// Write a first spec from a model and a CSV
    Init(init::InitArguments),
    /// Repeat the paper's study: every method, every research question
    Study(study::StudyArguments),
    /// Print a script that completes the command line in a shell
    Completions(generate::CompletionsArguments),
    /// Print the manual page
    Man(generate::ManArguments),
    /// Print the JSON Schema of fairness.toml, for editors
    Schema(generate::SchemaArguments),
}

#[derive(Debug, Clone, Args)]
struct Selection {
    /// Only benchmarks whose names contain this
    #[arg(value_name = "NAME-FILTER")]
    filter: Option<String>,
    /// The name must be exactly NAME-FILTER
    #[arg(long, requires = "filter")]
    exact: bool,
    /// The spec
    #[arg(long, value_name = "FILE", default_value = "fairness.toml")]
    spec: PathBuf,
}

impl Selection {
    /// The spec and the benchmarks that are asked for; the exit code if there are none, and then
    /// why has been said.
    fn plans(&self) -> Result<(Spec, Vec<BenchmarkPlan>), u8> {
        let spec = Spec::load(&self.spec).map_err(tell::spec_problem)?;
        let filter = Filter {
            name: self.filter.clone(),
            exact: self.exact,
        };
        let plans = plan(&spec, &filter).map_err(tell::plan_problems)?;
        if plans.is_empty() {
            tell::remark(
                "nothing to run: no benchmark has such a name (`fairgate list` shows all)",
            );
            return Err(exit_code::INCONCLUSIVE);
        }
        Ok((spec, plans))
    }
}

#[derive(Debug, Clone, Args)]
struct CheckArguments {
    #[command(flatten)]
    selection: Selection,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    running: Running,
    /// Look at everyone in each declared domain, up to 10,000,000,000 people: the domain rate is then
    /// exact. Ended early, the same command goes on where it stopped (target/fairgate/ beside the spec)
    #[arg(long)]
    exhaustive: bool,
    /// Record what is found as the new snapshots, as `INSTA_UPDATE=always` does
    #[arg(long)]
    accept: bool,
}

/// What runs the models.
#[derive(Debug, Clone, Args)]
struct Engine {
    /// The runtime, instead of the one in the spec
    #[arg(long, value_enum)]
    runtime: Option<RuntimeChoice>,
    /// The device, instead of the one in the spec
    #[arg(long, value_enum)]
    device: Option<DeviceChoice>,
}

impl Engine {
    fn choose(&self, options: &mut Options) {
        options.runtime = self.runtime;
        options.device = self.device;
    }
}

/// How benchmarks are run, whatever comes of it.
#[derive(Debug, Clone, Args)]
struct Running {
    #[command(flatten)]
    engine: Engine,
    /// Workers; by default as many as there are processors. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Rows in a call to the model; by default 4096 on the CPU and 32768 on CUDA. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch_rows: Option<u32>,
}

impl Running {
    /// The options, and how many of the benchmarks run side by side: as far as there are jobs; what
    /// is left works inside each. The exit code if there are none, and then why has been said.
    fn options(&self, spec: &Spec, benchmarks: usize) -> Result<(Options, usize), u8> {
        let jobs = self.jobs.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            usize::from,
        );
        let side_by_side = jobs.min(benchmarks);
        let mut options = Options::new(spec.snapshots.clone()).map_err(|error| {
            tell::problem(error);
            exit_code::USAGE
        })?;
        self.engine.choose(&mut options);
        options.workers = jobs / side_by_side;
        options.batch_rows = self.batch_rows.map(|rows| rows as usize);
        Ok((options, side_by_side))
    }
}

#[derive(Debug, Clone, Args)]
struct ListArguments {
    #[command(flatten)]
    selection: Selection,
    /// How the list is printed
    #[arg(long, value_enum, default_value_t)]
    format: ListFormat,
    /// List the constraints that hold for each benchmark's people, mined ones among them
    #[arg(long)]
    constraints: bool,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Pretty,
    /// One JSON object a line
    Json,
    /// One JUnit document at the end, as CI systems read it
    Junit,
    /// Annotations for GitHub Actions at the end
    Github,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// For people
    #[default]
    Pretty,
    /// One JSON object a line
    Json,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    tell::set_up();
    std::panic::set_hook(Box::new(tell::fault));
    ExitCode::from(without_faults(|| run(cli)))
}

/// Whoever meets a fault of fairgate itself gets its sentence from the hook, and nothing is decided.
fn without_faults(run: impl FnOnce() -> u8) -> u8 {
    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    ran.unwrap_or(exit_code::INCONCLUSIVE)
}

fn run(cli: Cli) -> u8 {
    match cli.command {
        None => check::run(&cli.check, None),
        Some(Command::Check(arguments)) => check::run(&arguments, None),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::List(arguments)) => list::run(&arguments),
        Some(Command::Explain(arguments)) => explain::run(&arguments),
        Some(Command::Export(arguments)) => export::run(&arguments),
        Some(Command::Init(arguments)) => init::run(&arguments),
        Some(Command::Study(arguments)) => study::run(&arguments),
        Some(Command::Completions(arguments)) => generate::completions(&arguments),
        Some(Command::Man(arguments)) => generate::man(&arguments),
        Some(Command::Schema(arguments)) => generate::schema(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// The command of an example, without what it is for and where its output goes.
    fn words(line: &str) -> Option<Vec<&str>> {
        let line = line
            .strip_prefix("  ")
            .filter(|l| l.starts_with("fairgate"))?;
        let command = line.split("  ").next()?;
        let command = command.split(['>', '|']).next()?;
        Some(command.split_whitespace().collect())
    }

    #[test]
    fn a_fault_decides_nothing() {
        let fault = || -> u8 { Vec::<u8>::new()[std::hint::black_box(0)] };
        assert_eq!(without_faults(fault), exit_code::INCONCLUSIVE);
        assert_eq!(without_faults(|| exit_code::FAIL), exit_code::FAIL);
    }

    #[test]
    fn every_command_has_examples_that_parse_and_they_come_first() {
        let mut program = Cli::command();
        program.build();
        let commands = std::iter::once(&program).chain(program.get_subcommands());
        let commands: Vec<_> = commands
            .filter(|c| c.get_name() != "help")
            .cloned()
            .collect();
        assert!(commands.len() > 6, "{commands:?}");
        for mut command in commands {
            let help = command.render_long_help().to_string();
            let examples: Vec<Vec<&str>> = help.lines().filter_map(words).collect();
            assert!(!examples.is_empty(), "{help}");
            for example in examples {
                let parsed = Cli::try_parse_from(&example);
                let fine = match &parsed {
                    Ok(_) => true,
                    Err(error) => error.kind() == clap::error::ErrorKind::DisplayHelp,
                };
                assert!(fine, "{example:?}: {parsed:?}");
            }
            let place = |what: &str| help.find(what).unwrap_or_else(|| panic!("{what}: {help}"));
            assert!(place("Examples:") < place("Options:"), "{help}");
            assert!(place("Usage:") < place("Examples:"), "{help}");
        }
    }

    #[test]
    fn a_wrong_example_would_be_seen() {
        let example = words("  fairgate check --frobnicate  nothing").unwrap();
        assert_eq!(example, ["fairgate", "check", "--frobnicate"]);
        assert!(Cli::try_parse_from(example).is_err());
    }

    #[test]
    fn every_command_has_a_page() {
        let program = Cli::command();
        let pages = program.find_subcommand("man").unwrap().get_positionals();
        let argument = pages.into_iter().next().unwrap().get_possible_values();
        let pages: Vec<&str> = argument.iter().map(|value| value.get_name()).collect();
        let commands: Vec<&str> = program.get_subcommands().map(|c| c.get_name()).collect();
        assert_eq!(pages, commands);
    }
}
