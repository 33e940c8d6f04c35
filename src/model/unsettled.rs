//! A model with the scores that ONNX Runtime gives, for tests of how it is called.

use super::onnxruntime::{OnnxRuntime, Passing};
use super::open::{Fitted, Opening};
use super::{Model, ModelError};

/// The model of a file in ONNX Runtime, whose calls are passed as `passing` says. Its scores are neither
/// rounded nor settled by a second engine, so that a difference in the last bit shows.
///
/// # Errors
/// As [`open`](super::open()).
pub fn unsettled(
    opening: &Opening<'_>,
    passing: Passing,
) -> Result<Box<dyn Model + Send>, ModelError> {
    let (path, device) = (opening.path, opening.device);
    let engine = OnnxRuntime::open(path, device, opening.workers, Some(passing))?;
    let fitted = Fitted::new(engine, opening.connection)?;
    Ok(Box::new(fitted.connected()))
}
