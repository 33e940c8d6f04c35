//! What tells one benchmark's counts from another's: the model, what it is given, who can exist, and
//! when decisions differ.

use std::fmt::Write as _;

use crate::benchmark::Benchmark;
use crate::dataset::Dataset;
use crate::gate::GateError;
use crate::model::{ModelError, OpenModel, canonical};
use crate::plan::BenchmarkPlan;
use crate::rates::everyone::hash;

use super::{connection, model_error};

/// A short text that is another one whenever looking at everyone may count otherwise.
///
/// # Errors
/// The model cannot be read or does not answer.
pub(crate) fn fingerprint(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    model: &OpenModel,
    benchmark: &Benchmark,
) -> Result<String, GateError> {
    let path = &plan.model.path.value;
    let file = std::fs::read(path)
        .map_err(|error| model_error(plan, ModelError::unreadable(path, &error)))?;
    let mut words = env!("CARGO_PKG_VERSION").to_owned();
    let connection = connection(plan, dataset)?;
    let space = &benchmark.space;
    let constraints: Vec<&str> = space.constraints().collect();
    let _ = write!(
        words,
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {} {}",
        space.schema(),
        space.protections(),
        constraints,
        benchmark.rule,
        connection.columns,
        connection.layout,
        connection.meaning,
        model.unread,
        model.runtime,
        model.device,
    );
    // Weights may lie in files of their own: the scores of people tell those apart.
    let scores = benchmark
        .scores(model.model.as_ref())
        .map_err(|error| model_error(plan, error))?;
    let scores: Vec<u8> = scores
        .into_iter()
        .flat_map(|score| canonical(score).to_bits().to_le_bytes())
        .collect();
    let parts = [file.as_slice(), words.as_bytes(), &scores];
    Ok(format!("{:032x}", hash(parts)))
}
