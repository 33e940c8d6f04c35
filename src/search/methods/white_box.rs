//! ADF (Zhang et al., ICSE 2020) and EIDIG (Zhang et al., ISSTA 2021): the two phases that MAFT took
//! over from EIDIG, with the model's real gradients.
//!
//! EIDIG follows the gradient of the score, with momentum, and renews a chain's weights every few
//! steps. ADF follows the gradient of the loss, without momentum, and renews them at every step.

use crate::model::meter::Halt;
use crate::search::{Lockstep, Task, Walked, global, local, seeds};

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
    let ended = global::run(search, &seeds, &mut finds)
        .and_then(|()| local::run(search, &finds, task.budget.local_steps));
    walked.global_found = finds.len();
    ended
}
