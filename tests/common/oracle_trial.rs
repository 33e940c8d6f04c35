//! A comparison with the published artifact as a test: ignored, with the reason, where it is not there.

use std::sync::Arc;

use libtest_mimic::{Completion, Failed, Trial};

use crate::oracle::Oracle;

pub(crate) fn trial(
    name: String,
    oracle: Option<Arc<Oracle>>,
    compare: impl FnOnce(&Oracle) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || match oracle {
        None => Ok(Completion::ignored_with("FAIRGATE_ORACLE names no folder")),
        Some(oracle) => compare(&oracle).map(|()| Completion::Completed),
    })
    .with_kind("oracle")
}
