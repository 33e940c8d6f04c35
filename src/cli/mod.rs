//! The command line: parse, call the library, exit code. One file a command.

mod check;
mod ending;
mod init;
mod interrupt;
mod list;
mod progress;
mod tell;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::model::meter::BATCH_ROWS;
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

const EXAMPLES: &str = "\
Examples:
  fairgate                             check every benchmark of fairness.toml
  fairgate check census                check the benchmarks whose names contain `census`
  fairgate check --exact census-sex    check one benchmark
  fairgate check --format json         one JSON object a line, for other tools
  fairgate list                        the benchmarks, without running them
  fairgate init model.onnx people.csv  write a first fairness.toml

Exit codes:
  0  every benchmark passes
  1  a benchmark failed: a limit is exceeded, or a snapshot changed
  2  the spec or the arguments are wrong
  3  a model, a dataset or a runtime could not be used
  4  inconclusive, or nothing to run";

/// A fairness gate: searches models for people who would be decided differently if only a
/// protected attribute changed.
#[derive(Debug, Parser)]
#[command(name = "fairgate", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    check: CheckArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the benchmarks and say whether they pass (the default)
    #[command(after_help = EXAMPLES)]
    Check(CheckArguments),
    /// List the benchmarks without opening a model
    List(ListArguments),
    /// Write a first spec from a model and a CSV
    Init(init::InitArguments),
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
    /// The runtime, instead of the one in the spec
    #[arg(long, value_enum)]
    runtime: Option<RuntimeChoice>,
    /// The device, instead of the one in the spec
    #[arg(long, value_enum)]
    device: Option<DeviceChoice>,
    /// Workers; by default as many as there are processors. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Rows in a call to the model. Results do not depend on it
    #[arg(long, value_name = "N", default_value_t = BATCH_ROWS as u32,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch_rows: u32,
    /// Record what is found as the new snapshots, as `INSTA_UPDATE=always` does
    #[arg(long)]
    accept: bool,
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
    ExitCode::from(match cli.command {
        None => check::run(&cli.check),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::List(arguments)) => list::run(&arguments),
        Some(Command::Init(arguments)) => init::run(&arguments),
    })
}
