//! Adding gradients to a model, if this build can.

use std::path::Path;

#[cfg(feature = "white-box")]
use super::autodiff::WhiteBox;
use super::feed::Feed;
use super::reading::Reading;
use super::signature::Port;
use super::tensor::Answer;
use super::{Model, ModelError};

/// What is known about a model from opening it.
#[cfg_attr(
    not(feature = "white-box"),
    allow(dead_code, reason = "nothing is differentiated")
)]
pub(super) struct Opened<'a> {
    /// The file.
    pub(super) path: &'a Path,
    /// The model's inputs, in the order of the feed.
    pub(super) inputs: &'a [Port],
    /// The output that is read.
    pub(super) output: &'a str,
    pub(super) feed: &'a Feed,
    pub(super) reading: &'a Reading,
    /// Search rows, and what the model answered to them.
    pub(super) trial: &'a [f32],
    pub(super) answer: &'a Answer,
    pub(super) width: usize,
}

/// A model with its gradients.
///
/// # Errors
/// The model cannot be differentiated, or this build cannot differentiate any.
#[cfg(feature = "white-box")]
pub(super) fn differentiated(
    model: Box<dyn Model + Send>,
    opened: &Opened<'_>,
) -> Result<Box<dyn Model + Send>, ModelError> {
    Ok(Box::new(WhiteBox::new(model, opened)?))
}

/// A model with its gradients, which this build does not make.
///
/// # Errors
/// Always.
#[cfg(not(feature = "white-box"))]
pub(super) fn differentiated(
    _: Box<dyn Model + Send>,
    _: &Opened<'_>,
) -> Result<Box<dyn Model + Send>, ModelError> {
    Err(ModelError::Answer {
        message: "this build of fairgate cannot differentiate models".into(),
        help: Some("build it with `--features white-box`".into()),
    })
}
