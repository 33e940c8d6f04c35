//! `fairgate export`: the found people as CSV.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::one::One;
use super::{exit_code, help, tell};
use crate::export::{Counterparts, Terms, Wanted, Who, export};
use crate::gate::Ran;
use crate::model::meter::Cut;
use crate::words::grouped;

#[derive(Debug, Clone, Args)]
#[command(before_help = help::EXPORT, after_help = help::EXPORT_EXIT_CODES, help_template = help::TEMPLATE)]
pub(super) struct ExportArguments {
    #[command(flatten)]
    one: One,
    /// The file to write; `-` prints it
    #[arg(long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Who is written
    #[arg(long, value_enum, default_value_t)]
    people: Who,
    /// Which counterparts are written below each person
    #[arg(long, value_enum, default_value_t)]
    counterparts: Counterparts,
    /// In whose terms people are written
    #[arg(long = "as", value_enum, default_value_t)]
    terms: Terms,
    /// No more people than this, in the order of finding
    #[arg(long, value_name = "N")]
    most: Option<u64>,
}

pub(super) fn run(arguments: &ExportArguments) -> u8 {
    let ran = match arguments.one.ready().and_then(|ready| ready.run()) {
        Ok(ran) => ran,
        Err(code) => return code,
    };
    let written = match write(arguments, &ran) {
        Ok(written) => written,
        // A reader who has gone away (`fairgate export x | head`) has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return exit_code::PASS,
        Err(error) => {
            let place = match prints(&arguments.output) {
                true => "standard output".into(),
                false => arguments.output.display().to_string(),
            };
            tell::remark(&format!("{place} cannot be written: {error}"));
            return exit_code::UNUSABLE;
        }
    };
    tell::remark(&told(arguments, &ran, written));
    match ran.result.cut {
        Some(Cut::Interrupted) => exit_code::INCONCLUSIVE,
        _ => exit_code::PASS,
    }
}

fn told(arguments: &ExportArguments, ran: &Ran, written: u64) -> String {
    let result = &ran.result;
    let (who, all) = match arguments.people {
        Who::Found => ("found", result.counterexamples),
        Who::Tested => ("tested", result.tested),
    };
    let interrupted = match result.cut {
        Some(Cut::Interrupted) => "; the run was interrupted",
        _ => "",
    };
    format!(
        "{}: {} of the {} people {who} in {} queries written{interrupted}",
        result.name,
        grouped(written),
        grouped(all),
        grouped(result.counts.queries)
    )
}

fn prints(output: &Path) -> bool {
    output == Path::new("-")
}

/// Into a file beside the one that is wanted first, so that nothing is lost or half written.
fn write(arguments: &ExportArguments, ran: &Ran) -> io::Result<u64> {
    let wanted = Wanted {
        who: arguments.people,
        counterparts: arguments.counterparts,
        terms: arguments.terms,
        most: arguments.most,
    };
    if prints(&arguments.output) {
        let out = BufWriter::new(io::stdout().lock());
        return Ok(export(&ran.result, &ran.model, wanted, out)?);
    }
    let mut beside = arguments.output.clone().into_os_string();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    let mut out = BufWriter::new(File::create(&beside)?);
    let written = export(&ran.result, &ran.model, wanted, &mut out);
    let written = written.map_err(io::Error::from);
    let written = written.and_then(|written| out.flush().map(|()| written));
    let written = written.and_then(|written| {
        std::fs::rename(&beside, &arguments.output)?;
        Ok(written)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
