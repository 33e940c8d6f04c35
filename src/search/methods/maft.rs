//! MAFT (Wang et al., ICSE 2024): a black-box search by zero-order gradients, global then local.

use crate::model::meter::Halt;
use crate::search::{Lockstep, Task, Walked, global, local, walk};
use crate::spec::Variant;

/// Runs both phases, one after the other, with the steps that the settings ask for.
pub(super) fn run(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
) -> Result<(), Halt> {
    phases(search, task, task.settings.variant, walked)
}

/// Runs both phases, one after the other.
pub(super) fn phases(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    variant: Variant,
    walked: &mut Walked,
) -> Result<(), Halt> {
    let seeds = search.take_seeds(task, walked);
    let mut finds = Vec::new();
    let steps = task.budget.local_steps;
    let ended = match variant {
        Variant::Paper => {
            global::run(search, &seeds, &mut finds).and_then(|()| local::run(search, &finds, steps))
        }
        Variant::Walk => walk::global::run(search, &seeds, &mut finds)
            .and_then(|()| walk::local::run(search, &finds, seeds.len(), steps)),
    };
    walked.global_found = finds.len();
    ended
}
