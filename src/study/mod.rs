//! The paper's study on any spec: every method, every research question, with runs that are kept, so
//! that a study that was stopped goes on where it was.

pub(crate) mod claims;
pub(crate) mod contender;
mod curve;
mod figures;
pub(crate) mod gradients;
pub(crate) mod notes;
pub(crate) mod plan;
pub(crate) mod prepared;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod results;
pub(crate) mod run;
mod stats;
