//! `fairgate completions`, `man` and `schema`: what is made from the program itself.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::{Cli, exit_code, help, tell};
use crate::spec::json_schema;

#[derive(Debug, Clone, Args)]
#[command(before_help = help::COMPLETIONS, help_template = help::TEMPLATE)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Clone, Args)]
#[command(before_help = help::MAN, help_template = help::TEMPLATE)]
pub(super) struct ManArguments {
    /// The command that the page is about; without it, the program
    #[arg(value_parser = ["check", "report", "list", "explain", "export", "init", "study", "completions", "man", "schema"])]
    command: Option<String>,
}

#[derive(Debug, Clone, Args)]
#[command(before_help = help::SCHEMA, help_template = help::TEMPLATE)]
pub(super) struct SchemaArguments {}

pub(super) fn completions(arguments: &CompletionsArguments) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Cli::command(),
        "fairgate",
        &mut script,
    );
    tell::result(&String::from_utf8_lossy(&script));
    exit_code::PASS
}

pub(super) fn man(arguments: &ManArguments) -> u8 {
    let mut program = Cli::command();
    program.build();
    let wanted = arguments.command.as_deref();
    let command = wanted
        .and_then(|name| program.find_subcommand(name))
        .cloned();
    let page = page(command.unwrap_or(program));
    // Nothing but memory is written to.
    tell::result(&String::from_utf8_lossy(&page.unwrap_or_default()));
    exit_code::PASS
}

/// The page, with the examples before the options as in the help.
fn page(command: clap::Command) -> std::io::Result<Vec<u8>> {
    let examples = command.get_before_help().map(ToString::to_string);
    let (has_commands, has_version) = (command.has_subcommands(), command.get_version().is_some());
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if let Some(examples) = examples {
        examples_section(&examples).to_writer(&mut page)?;
    }
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    man.render_extra_section(&mut page)?;
    if has_version {
        man.render_version_section(&mut page)?;
    }
    Ok(page)
}

/// The examples line by line as they are, without the heading that the page has of its own.
fn examples_section(examples: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]);
    roff.control("nf", []);
    for line in examples.lines().filter(|line| *line != "Examples:") {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff
}

pub(super) fn schema(_: &SchemaArguments) -> u8 {
    tell::result(&json_schema());
    exit_code::PASS
}
