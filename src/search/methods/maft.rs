//! MAFT (Wang et al., ICSE 2024): a black-box search by zero-order gradients, global then local.

use crate::model::meter::Halt;
use crate::search::{Lockstep, Task, Walked, global, local, seeds, walk};
use crate::spec::Variant;

/// Runs both phases, one after the other.
pub(super) fn run(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
) -> Result<(), Halt> {
    let seeds = seeds::of(task);
    walked.seeds = seeds.len();
    search.fences.set_starts(&seeds);
    let mut finds = Vec::new();
    let steps = task.budget.local_steps;
    let ended = match task.settings.variant {
        Variant::Paper => {
            global::run(search, &seeds, &mut finds).and_then(|()| local::run(search, &finds, steps))
        }
        Variant::Walk => walk::global::run(search, &seeds, &mut finds)
            .and_then(|()| walk::local::run(search, &finds, seeds.len(), steps)),
    };
    walked.global_found = finds.len();
    ended
}
