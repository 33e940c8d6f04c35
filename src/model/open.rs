//! Opening a model file in the runtime that was asked for.

use std::path::Path;

use super::canonical::Settled;
use super::embedded::EmbeddedModel;
use super::onnxruntime::OnnxRuntimeModel;
use super::{Device, DeviceChoice, Model, ModelError, RuntimeChoice, discovery};

/// A model file that is ready to be asked.
pub struct OpenModel {
    /// The model.
    pub model: Box<dyn Model + Send>,
    /// What runs it: `onnxruntime 1.31.1` or `embedded`.
    pub runtime: String,
    /// Where it runs.
    pub device: Device,
    /// How many attributes it wants, if it says so.
    pub width: Option<usize>,
    /// Remarks for the report: why this runtime, why this device, what makes it slow.
    pub notes: Vec<String>,
}

/// How to open a model file.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// The file.
    pub path: &'a Path,
    /// The runtime that was asked for.
    pub runtime: RuntimeChoice,
    /// The device that was asked for.
    pub device: DeviceChoice,
    /// The output to read, if the model has several.
    pub output: Option<&'a str>,
    /// How many workers ask at the same time.
    pub workers: usize,
}

/// Opens a model file.
///
/// # Errors
/// The file or the runtime cannot be used; the message says what was tried and how to mend it.
pub fn open(opening: &Opening<'_>) -> Result<OpenModel, ModelError> {
    // Asked of the file itself first: a wrong path must not be blamed on a runtime.
    std::fs::File::open(opening.path)
        .and_then(|file| file.metadata())
        .and_then(|file| {
            if file.is_file() {
                Ok(())
            } else {
                Err(std::io::Error::other("it is not a file"))
            }
        })
        .map_err(|error| ModelError::unreadable(opening.path, &error))?;
    match opening.runtime {
        RuntimeChoice::Onnxruntime => open_onnxruntime(opening, Vec::new()),
        RuntimeChoice::Embedded => open_embedded(opening, Vec::new()),
        RuntimeChoice::Auto if opening.device == DeviceChoice::Cuda => {
            open_onnxruntime(opening, Vec::new())
        }
        RuntimeChoice::Auto => open_auto(opening),
    }
}

fn open_auto(opening: &Opening<'_>) -> Result<OpenModel, ModelError> {
    match discovery::runtime_library() {
        Ok(_) => open_onnxruntime(opening, Vec::new()),
        Err(missing) if missing.is_absence() => open_embedded(opening, Vec::new()),
        Err(broken) => Err(broken.into()),
    }
}

fn open_onnxruntime(
    opening: &Opening<'_>,
    mut notes: Vec<String>,
) -> Result<OpenModel, ModelError> {
    let model = OnnxRuntimeModel::open(
        opening.path,
        opening.device,
        opening.workers,
        opening.output,
    )?;
    notes.extend(model.note().map(ToOwned::to_owned));
    let (runtime, device, width) = (model.runtime(), model.device(), model.width());
    // CUDA's noise is far above a CPU's, so its scores are taken as they are.
    let referee = (device == Device::Cpu)
        .then(|| EmbeddedModel::open(opening.path, opening.output, opening.workers).ok())
        .flatten();
    let model: Box<dyn Model + Send> = match referee {
        Some(referee) => Box::new(Settled::new(model, referee)),
        None => Box::new(model),
    };
    Ok(OpenModel {
        model,
        runtime,
        device,
        width,
        notes,
    })
}

fn open_embedded(opening: &Opening<'_>, mut notes: Vec<String>) -> Result<OpenModel, ModelError> {
    if opening.device == DeviceChoice::Cuda {
        return Err(ModelError::Answer {
            message: "the embedded engine runs on the CPU only, but `device = \"cuda\"` is asked for".into(),
            help: Some("set `runtime = \"onnxruntime\"` and install onnxruntime-gpu, or set `device = \"auto\"`".into()),
        });
    }
    let model = EmbeddedModel::open(opening.path, opening.output, opening.workers)?;
    notes.extend(model.note());
    Ok(OpenModel {
        width: model.width(),
        model: Box::new(model),
        runtime: "embedded".into(),
        device: Device::Cpu,
        notes,
    })
}
