//! `fairgate explain`: one counterexample, looked at closely.

use clap::Args;

use super::one::{One, Ready};
use super::{exit_code, help, tell};
use crate::benchmark::Benchmark;
use crate::explain::explain;
use crate::findings::Counterexample;
use crate::fit;
use crate::gate::{self, Ran};
use crate::model::OpenModel;
use crate::nearest::Crowd;
use crate::report;
use crate::words::grouped;

#[derive(Debug, Clone, Args)]
#[command(before_help = help::EXPLAIN, after_help = help::EXPLAIN_EXIT_CODES, help_template = help::TEMPLATE)]
pub(super) struct ExplainArguments {
    #[command(flatten)]
    one: One,
    /// Which of the pairs that `fairgate check` shows and records: 1 is the first
    #[arg(value_name = "K", default_value = "1", value_parser = number)]
    pair: usize,
    /// The pairs of the snapshot instead, as the model decides them now; without a search
    #[arg(long)]
    recorded: bool,
}

/// `2`, or `#2`, which a shell has to be given in quotes.
fn number(text: &str) -> Result<usize, String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    match digits.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("pairs are counted 1, 2, 3".to_owned()),
    }
}

pub(super) fn run(arguments: &ExplainArguments) -> u8 {
    match explained(arguments) {
        Ok(text) => {
            tell::result(&text);
            exit_code::PASS
        }
        Err(code) => code,
    }
}

fn explained(arguments: &ExplainArguments) -> Result<String, u8> {
    let ready = arguments.one.ready()?;
    let (model, benchmark, pairs) = match arguments.recorded {
        true => recorded(&ready)?,
        false => found(&ready)?,
    };
    let Some(pair) = pairs.get(arguments.pair - 1) else {
        tell::remark(&format!(
            "there is no pair {}: {} has {}",
            arguments.pair,
            benchmark.name,
            pairs.len()
        ));
        return Err(exit_code::USAGE);
    };
    let explanation = explain(&benchmark, model.model.as_ref(), pair)
        .map_err(|error| tell::gate_problem(fit::model_error(&ready.plan, error)))?;
    let what = match arguments.recorded {
        true => "recorded pair",
        false => "pair",
    };
    let terminal = console::Term::stdout();
    Ok(report::explanation(
        &explanation,
        &benchmark,
        &format!("{what} {} of {}", arguments.pair, pairs.len()),
        console::colors_enabled(),
        usize::from(terminal.size().1).clamp(60, 120),
    ))
}

type Explained = (OpenModel, Benchmark, Vec<Counterexample>);

/// The pairs that a run finds.
fn found(ready: &Ready) -> Result<Explained, u8> {
    let Ran {
        result,
        benchmark,
        model,
    } = ready.run()?;
    if result.pairs.is_empty() {
        tell::remark(&format!(
            "{}: no counterexample found in {} queries, so there is none to explain",
            result.name,
            grouped(result.counts.queries)
        ));
        return Err(exit_code::INCONCLUSIVE);
    }
    Ok((model, benchmark, result.pairs))
}

/// The pairs of the snapshot.
fn recorded(ready: &Ready) -> Result<Explained, u8> {
    let (model, benchmark) = ready.open()?;
    let snapshot = gate::snapshot_of(&ready.plan, &ready.options);
    let (pairs, _) = snapshot.recorded_pairs(&benchmark.space);
    if pairs.is_empty() {
        tell::remark(&format!(
            "{}: no pair is recorded that fits the model's attributes; without --recorded the pairs \
             of a new run are explained",
            benchmark.name
        ));
        return Err(exit_code::INCONCLUSIVE);
    }
    let crowd = Crowd::new(&benchmark.space, &benchmark.people);
    let near = |person: &[_]| crowd.nearest(person, 1, |_| true).pop();
    let pairs = pairs
        .into_iter()
        .map(|pair| Counterexample::recorded(pair, near))
        .collect();
    Ok((model, benchmark, pairs))
}
