//! The search methods: one file each, all with the same budget, the same batches and the same
//! findings.

mod aequitas;
mod maft;
mod random;
mod sg;
mod themis;
mod white_box;

use crate::model::ModelError;
use crate::model::meter::Halt;
use crate::spec::Method;

use super::{Lockstep, Task, Walked};

/// Runs the method that the task asks for.
///
/// # Errors
/// The model failed. A spent budget is not an error: the outcome says so.
pub(crate) fn run(search: &mut Lockstep<'_, '_>, task: &Task<'_>) -> Result<Walked, ModelError> {
    let mut walked = Walked::default();
    let ended = match task.settings.method {
        Method::Maft | Method::MaftPlain => maft::run(search, task, &mut walked),
        Method::Themis => themis::run(search, task, &mut walked),
        Method::Aequitas => aequitas::run(search, task, &mut walked),
        Method::Sg => sg::run(search, task, &mut walked),
        Method::Adf | Method::Eidig => white_box::run(search, task, &mut walked),
        Method::Random => random::run(search, task, &mut walked),
    };
    match ended {
        Ok(()) => {}
        Err(Halt::Cut(cut)) => walked.cut = Some(cut),
        Err(Halt::Model(error)) => return Err(error),
    }
    search.tested.close(search.answered);
    Ok(walked)
}
