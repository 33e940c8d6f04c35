//! ADF (Zhang et al., ICSE 2020) and EIDIG (Zhang et al., ISSTA 2021): the two phases that MAFT took
//! over from EIDIG, with the model's real gradients.
//!
//! EIDIG follows the gradient of the score, with momentum, and renews a chain's weights every few
//! steps. ADF follows the gradient of the loss, without momentum, and renews them at every step.

use super::maft;
use crate::model::meter::Halt;
use crate::search::{Lockstep, Task, Walked};
use crate::spec::Variant;

/// Runs both phases with the paper's steps: where the slopes come from is the search's own.
pub(super) fn run(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
) -> Result<(), Halt> {
    maft::phases(search, task, Variant::Paper, walked)
}
