//! `fairgate init`: write a first spec.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{exit_code, help, tell};
use crate::init::{self, InitError, Proposal, Rehearsal, Request};

/// Where a spec goes if nothing else is said.
const DEFAULT: &str = "fairness.toml";

#[derive(Debug, Clone, Args)]
#[command(before_help = help::INIT, after_help = help::INIT_EXIT_CODES, help_template = help::TEMPLATE)]
pub(super) struct InitArguments {
    /// The model, an ONNX file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// People that the model decides about, with a header
    #[arg(value_name = "CSV")]
    csv: PathBuf,
    /// The spec to write; `-` prints it
    #[arg(long, value_name = "FILE", default_value = DEFAULT)]
    output: PathBuf,
    /// The column that the model predicts; by default it is guessed
    #[arg(long, value_name = "NAME")]
    label: Option<String>,
    /// A protected attribute; may be given several times. By default names are looked for
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    protected: Vec<String>,
    /// Overwrite the spec if it is there
    #[arg(long)]
    force: bool,
}

impl InitArguments {
    fn prints(&self) -> bool {
        self.output == Path::new("-")
    }

    /// The file, which is not there yet if the spec is only printed.
    fn file(&self) -> &Path {
        match self.prints() {
            true => Path::new(DEFAULT),
            false => &self.output,
        }
    }
}

pub(super) fn run(arguments: &InitArguments) -> u8 {
    let file = arguments.file();
    if !arguments.prints() && !arguments.force && file.exists() {
        return refuse(Refused::Exists(file.to_owned()), exit_code::USAGE);
    }
    let proposal = init::propose(&Request {
        model: arguments.model.clone(),
        csv: arguments.csv.clone(),
        output: file.to_owned(),
        label: arguments.label.clone(),
        protected: arguments.protected.clone(),
    });
    let proposal = match proposal {
        Ok(proposal) => proposal,
        Err(error) => return fail(error),
    };
    if arguments.prints() {
        tell::result(&proposal.text);
    } else if let Err(why) = write(file, &proposal.text, arguments.force) {
        let why = why.to_string();
        let path = file.to_owned();
        return refuse(Refused::Unwritable { path, why }, exit_code::USAGE);
    }
    let said = spoken(arguments, &proposal);
    match arguments.prints() {
        true => tell::remark(said.trim_end()),
        false => tell::result(&said),
    }
    conclude(arguments, &proposal)
}

/// Without `--force` a file that has come into being meanwhile is kept as well.
fn write(file: &Path, text: &str, force: bool) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    options.open(file)?.write_all(text.as_bytes())
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
enum Refused {
    #[error("{} is already there", .0.display())]
    #[diagnostic(
        code(fairgate::init::exists),
        help("--force overwrites it, --output FILE writes another, --output - prints it")
    )]
    Exists(PathBuf),
    #[error("cannot write {}: {why}", path.display())]
    #[diagnostic(
        code(fairgate::init::unwritable),
        help("--output FILE writes elsewhere, --output - prints it")
    )]
    Unwritable { path: PathBuf, why: String },
}

fn refuse(refused: Refused, code: u8) -> u8 {
    tell::problem(refused);
    code
}

fn fail(error: InitError) -> u8 {
    let code = match error.is_usage() {
        true => exit_code::USAGE,
        false => exit_code::UNUSABLE,
    };
    tell::problem(error);
    code
}

/// What was written, what was guessed and what comes next.
fn spoken(arguments: &InitArguments, proposal: &Proposal) -> String {
    let file = arguments.file().display();
    let mut said = match arguments.prints() {
        true => format!("{}\n", proposal.summary),
        false => format!("wrote {file}: {}\n", proposal.summary),
    };
    if !proposal.guesses.is_empty() {
        said.push_str("\nguessed, so look at it (the file says where):\n");
        let options = textwrap::Options::new(100)
            .initial_indent("  - ")
            .subsequent_indent("    ")
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .break_words(false);
        for guess in &proposal.guesses {
            said.push_str(&textwrap::fill(guess, &options));
            said.push('\n');
        }
    }
    let spec = match arguments.file() == Path::new(DEFAULT) {
        true => String::new(),
        false => format!(" --spec {file}"),
    };
    let mend = proposal.misfit.is_some() || proposal.doubt.is_some();
    let next = match (mend, arguments.prints()) {
        (true, _) => format!("mend {file} where it says TO MEND, then: fairgate check{spec}"),
        (false, true) => format!("save it as {file}, then: fairgate check"),
        (false, false) => format!("fairgate check{spec}"),
    };
    said.push_str(&format!("\nnext: {next}\n"));
    said
}

/// Tries what was written, and says what is wrong with it.
fn conclude(arguments: &InitArguments, proposal: &Proposal) -> u8 {
    if let Some(misfit) = &proposal.misfit {
        return refused_model(&arguments.model, misfit);
    }
    let rehearsal = match init::rehearse(&proposal.text, arguments.file()) {
        Ok(rehearsal) => rehearsal,
        Err(error) => return fail(error),
    };
    match rehearsal {
        Rehearsal::Runs => {}
        Rehearsal::Spec(error) => {
            tell::problem(*error);
            return exit_code::UNUSABLE;
        }
        Rehearsal::Plan(error) => {
            tell::plan_problems(error);
            return exit_code::UNUSABLE;
        }
        Rehearsal::Gate(problems) => {
            for problem in problems {
                tell::problem(problem);
            }
            return exit_code::UNUSABLE;
        }
    }
    match &proposal.doubt {
        Some(doubt) => {
            tell::problem(Unsure(doubt.clone()));
            exit_code::INCONCLUSIVE
        }
        None => exit_code::PASS,
    }
}

/// The spec runs, but is probably wrong.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{0}")]
#[diagnostic(severity(warning), code(fairgate::init::doubt))]
struct Unsure(String);

/// The model takes something that the CSV does not have as it is.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{} cannot be given the CSV as it is: {why}", model.display())]
#[diagnostic(
    code(fairgate::init::misfit),
    help(
        "the file is written, so that you can mend it: say which columns the model takes \
         (`columns`, `ignore`) and how they are made (`one-hot`, `bins`, `scale`, `derived`). If the \
         label is not what the model predicts, try `--label NAME` first"
    )
)]
struct Misfit {
    model: PathBuf,
    why: String,
}

fn refused_model(model: &Path, why: &str) -> u8 {
    tell::problem(Misfit {
        model: model.to_owned(),
        why: why.to_owned(),
    });
    exit_code::UNUSABLE
}
