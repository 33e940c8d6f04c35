//! Speaking: results on standard output, everything else on standard error.

use std::io::Write as _;

use miette::Diagnostic;

use super::exit_code;
use crate::gate::GateError;
use crate::plan::PlanError;
use crate::spec::SpecError;

/// Diagnostics look the same everywhere: no links, and words are not broken at their hyphens.
pub(super) fn set_up() {
    // Fails only if a handler is set already, which would be as good.
    let _ = miette::set_hook(Box::new(|_| {
        Box::new(
            miette::MietteHandlerOpts::new()
                .terminal_links(false)
                .word_splitter(textwrap::WordSplitter::NoHyphenation)
                .build(),
        )
    }));
}

/// A result. A reader who has gone away (`fairgate | head`) is no error.
pub(super) fn result(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
}

/// A fault of fairgate itself, where one was met. What follows from it (a thread that waited for another)
/// is not told.
pub(super) fn fault(fault: &std::panic::PanicHookInfo<'_>) {
    static FIRST: std::sync::Once = std::sync::Once::new();
    FIRST.call_once(|| {
        let place = fault.location().map(ToString::to_string);
        let what = fault.payload_as_str().unwrap_or("no words");
        remark(&format!(
            "fairgate has a fault and decided nothing. Please report it, with the command and this line:\n  \
             fairgate {} at {}: {what}",
            env!("CARGO_PKG_VERSION"),
            place.as_deref().unwrap_or("an unknown place"),
        ));
    });
}

/// A remark.
pub(super) fn remark(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Something to mend.
pub(super) fn problem(error: impl Diagnostic + Send + Sync + 'static) {
    remark(&format!("{:?}", miette::Report::new(error)));
}

/// Why there is no spec, and the exit code that follows: a spec without a benchmark is not wrong,
/// there is just nothing to run.
pub(super) fn spec_problem(error: SpecError) -> u8 {
    let code = if error.is_empty_plan() {
        exit_code::INCONCLUSIVE
    } else {
        exit_code::USAGE
    };
    problem(error);
    code
}

/// Everything that keeps the plan from being made, and the exit code that follows.
pub(super) fn plan_problems(error: PlanError) -> u8 {
    let code = if error.spec.is_some() {
        exit_code::USAGE
    } else {
        exit_code::UNUSABLE
    };
    if let Some(spec) = error.spec {
        problem(*spec);
    }
    for dataset in error.datasets {
        problem(dataset);
    }
    code
}

/// Why a benchmark could not be run, and the exit code that follows.
pub(super) fn gate_problem(error: GateError) -> u8 {
    gate_problems(vec![error])
}

/// The same for several. What is wrong in the spec decides: mending it may mend the rest.
pub(super) fn gate_problems(errors: Vec<GateError>) -> u8 {
    let in_spec = errors.iter().any(GateError::is_about_the_spec);
    for error in errors {
        problem(error);
    }
    match in_spec {
        true => exit_code::USAGE,
        false => exit_code::UNUSABLE,
    }
}
