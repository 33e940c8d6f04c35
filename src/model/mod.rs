//! What a model is to fairgate: something that gives each row of a batch one score.
//!
//! `onnxruntime/` is the only folder that names `ort`, `embedded.rs` the only one that names the
//! embedded engine, `autodiff/` the only one that names `candle`. Everything above this module sees the
//! [`Model`] trait and nothing else.

#[cfg(feature = "white-box")]
mod autodiff;
mod beside;
mod canonical;
mod connected;
mod cores;
pub mod crew;
mod differentiated;
pub mod discovery;
mod embedded;
mod feed;
mod gradients;
pub mod meter;
mod onnxruntime;
mod open;
mod probe;
mod reading;
mod runtime_error;
pub mod signature;
mod tensor;
mod ties;
mod unsettled;

use std::path::Path;

use ndarray::{ArrayView1, ArrayView2};

pub use canonical::{UNDECIDED, canonical};
pub(crate) use canonical::{are_uniform, uniform};
pub use feed::{Key, Layout};
pub use gradients::{Differential, Gradients, Objective};
#[doc(hidden)]
pub use onnxruntime::Passing;
pub use open::{Connection, OpenModel, Opening, Signature, inspect, open};
pub use reading::Meaning;
pub use runtime_error::RuntimeError;
#[doc(hidden)]
pub use unsettled::unsettled;

/// A model under test: a batch of rows in, one score a row out.
///
/// A row holds the person's attributes as numbers: an integer itself, for anything else its code, counted
/// from the start of its domain. The score is what the benchmark's [`Rule`](crate::decision::Rule) makes
/// decisions of: by default a probability, and the decision is "above the threshold".
///
/// Implement it for your own type to test a model that is not an ONNX file. The same row must get
/// the same score whatever else is in the batch, and calls may come from several threads at once.
pub trait Model: Sync {
    /// The scores of `rows`, in order, one for each row.
    ///
    /// # Errors
    /// Whatever keeps the model from answering, as a sentence for the person who runs the gate.
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError>;

    /// The model's gradients, if it can be differentiated. Only white-box methods ask for them.
    fn gradients(&self) -> Option<&dyn Gradients> {
        None
    }

    /// A look at some of the rows to come, before the search starts.
    ///
    /// # Errors
    /// As [`Model::scores`].
    #[doc(hidden)]
    fn calibrate(&self, _rows: ArrayView2<'_, f32>) -> Result<(), ModelError> {
        Ok(())
    }

    /// Does work on the thread where the model answers soonest.
    #[doc(hidden)]
    fn at_home(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// The engine whose last bits count, if it is not this model itself.
    #[doc(hidden)]
    fn referee(&self) -> Option<&dyn Model> {
        None
    }

    /// How many rows were shown besides those asked for: to learn the noise, and to a second engine
    /// because a score lay on a rounding edge.
    #[doc(hidden)]
    fn settled(&self) -> u64 {
        0
    }
}

/// A model made from a function of one row.
///
/// ```
/// use fairgate::Model;
/// let model = fairgate::model::from_fn(|row| if row[0] > 2.0 { 0.9 } else { 0.1 });
/// let rows = ndarray::array![[1.0], [3.0]];
/// assert_eq!(model.scores(rows.view()).unwrap(), [0.1, 0.9]);
/// ```
pub fn from_fn<F>(score: F) -> FromFn<F>
where
    F: Fn(ArrayView1<'_, f32>) -> f32 + Sync,
{
    FromFn(score)
}

/// See [`from_fn`].
pub struct FromFn<F>(F);

impl<F> Model for FromFn<F>
where
    F: Fn(ArrayView1<'_, f32>) -> f32 + Sync,
{
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        Ok(rows.rows().into_iter().map(&self.0).collect())
    }
}

/// Why a model could not be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum ModelError {
    /// The runtime is missing, too old, or cannot run the model.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Runtime(#[from] RuntimeError),
    /// The model and the people do not fit together.
    #[error("{message}")]
    #[diagnostic(code(fairgate::model::misfit))]
    Misfit {
        /// What the model wants and what there is.
        message: String,
        /// How to mend it.
        #[help]
        help: String,
        /// The key under the model that is to blame, if one is.
        key: Option<Key>,
    },
    /// The model cannot answer.
    #[error("{message}")]
    #[diagnostic(code(fairgate::model::answer))]
    Answer {
        /// What happened, as a sentence.
        message: String,
        /// How to mend it.
        #[help]
        help: Option<String>,
    },
}

impl ModelError {
    pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        ModelError::Answer {
            message: format!("cannot read the model file {}: {error}", path.display()),
            help: Some("correct `path` under the model; it is relative to the spec".into()),
        }
    }
}

/// Which runtime a model is to run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum RuntimeChoice {
    /// ONNX Runtime if it is found, the embedded engine otherwise.
    #[default]
    Auto,
    /// ONNX Runtime, or an error.
    Onnxruntime,
    /// The embedded engine.
    Embedded,
}

/// Which device a model is to run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum DeviceChoice {
    /// CUDA if the runtime has it and a device is there, the CPU otherwise.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// CUDA, or an error.
    Cuda,
}

/// The device that a model really runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU through CUDA.
    Cuda,
}

impl Device {
    /// Rows that a call to the model holds at the most unless told otherwise.
    pub fn batch_rows(self) -> usize {
        match self {
            Device::Cpu => meter::BATCH_ROWS,
            Device::Cuda => meter::DEVICE_BATCH_ROWS,
        }
    }

    /// How many of these workers may ask the model at a time. Where the device is not theirs, one call with all
    /// rows of a step is worth more than several small ones.
    pub fn workers(self, workers: usize) -> usize {
        match self {
            Device::Cpu => workers,
            Device::Cuda => 1,
        }
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
        })
    }
}
