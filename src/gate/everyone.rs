//! Looking at everyone in a benchmark's domain: whether that can be done, where it is kept how far it is,
//! and who is told.

use super::{GateError, Options};
use crate::benchmark::Benchmark;
use crate::dataset::Dataset;
use crate::fit;
use crate::model::OpenModel;
use crate::plan::BenchmarkPlan;
use crate::rates::{NotEveryone, Start, StateFile, everyone};
use crate::search::Progress;

/// Who is told what during a run, and who may end it.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Told how far the run is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Asked before every call whether to stop.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
    /// Told how looking at everyone begins.
    pub start: &'a (dyn Fn(Start) + Sync),
}

impl<'a> Watch<'a> {
    /// Nobody is told how looking at everyone begins.
    pub fn new(
        progress: &'a (dyn Fn(Progress) + Sync),
        interrupted: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Watch {
            progress,
            interrupted,
            start: &|_| {},
        }
    }
}

/// Whether everyone in the domain of a benchmark can be looked at.
///
/// # Errors
/// Why not.
pub(super) fn check_extent(benchmark: &Benchmark) -> Result<(), GateError> {
    let extent = everyone::extent(&benchmark.space);
    let allowed = extent.and_then(|extent| match benchmark.budget.max_queries {
        Some(most) if most < extent.rows => Err(NotEveryone::MaxQueries(most, extent.rows)),
        _ => Ok(()),
    });
    allowed.map_err(|why| GateError::NotEveryone {
        name: benchmark.name.clone(),
        help: why.help(),
        why,
    })
}

/// Where it is kept how far looking at everyone is, for exactly this model, domain and rule; nothing if
/// nobody asked for it.
///
/// # Errors
/// Not everyone can be looked at, or the model cannot be used.
pub(super) fn state_file(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
    model: &OpenModel,
    benchmark: &Benchmark,
) -> Result<Option<StateFile>, GateError> {
    if !options.exhaustive {
        return Ok(None);
    }
    check_extent(benchmark)?;
    let Some(folder) = &options.state else {
        return Ok(None);
    };
    let fingerprint = fit::fingerprint(plan, dataset, model, benchmark)?;
    Ok(Some(StateFile::new(folder, plan.name(), fingerprint)))
}
