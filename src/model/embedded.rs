//! The embedded engine: pure Rust, always there. The only file that names `rten`.

use std::path::Path;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Axis};
use rten::{DataType, LoadError, LoadErrorKind, NodeId, RunOptions, ThreadPool, Value, ValueType};
use rten_tensor::prelude::*;
use rten_tensor::{DynLayout, NdTensorView, TensorBase};

use super::signature::{self, Dimension, Element, Kind, Port};
use super::{Model, ModelError};

/// A model in the embedded engine, with one single-threaded pool for each worker.
pub struct EmbeddedModel {
    model: rten::Model,
    input: NodeId,
    output: NodeId,
    width: Option<usize>,
    fixed_batch: Option<usize>,
    pools: Vec<Arc<ThreadPool>>,
}

const GET_ONNX_RUNTIME: &str =
    "install ONNX Runtime, which runs every ONNX model: pip install onnxruntime";

impl EmbeddedModel {
    /// Opens a model for `workers` workers; `output` names the output to read if there are several.
    ///
    /// # Errors
    /// The file cannot be read, is not ONNX, or has parts that the embedded engine cannot run.
    pub fn open(path: &Path, output: Option<&str>, workers: usize) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|error| ModelError::unreadable(path, &error))?;
        // A damaged file must be a sentence; the reader may panic on bytes that no exporter writes.
        let loaded = std::panic::catch_unwind(|| rten::Model::load(bytes));
        let model = match loaded {
            Ok(Ok(model)) => model,
            Ok(Err(error)) => return Err(cannot_load(path, &error)),
            Err(_) => return Err(no_model(path, "the file is damaged")),
        };
        let inputs = ports(&model, model.input_ids());
        let input = signature::sole_input(&inputs)?;
        if input.element != Element::Float {
            let why = format!("its input is {}, not float", input.element);
            return Err(cannot_run(path, &why));
        }
        let outputs = ports(&model, model.output_ids());
        let name = signature::chosen_output(&outputs, output)?;
        let chosen = outputs
            .iter()
            .position(|port| port.name == name)
            .unwrap_or_default();
        Ok(EmbeddedModel {
            input: model.input_ids()[0],
            output: model.output_ids()[chosen],
            width: input.width,
            fixed_batch: input.batch,
            model,
            pools: (0..workers.max(1))
                .map(|_| Arc::new(ThreadPool::with_num_threads(1)))
                .collect(),
        })
    }

    /// How many attributes the model wants, if it says so.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// A remark for the report.
    pub fn note(&self) -> Option<String> {
        self.fixed_batch.map(|size| {
            format!("the model takes exactly {size} row(s) a call, which makes it slow; export it with a free batch size")
        })
    }

    fn run(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let rows = rows.as_standard_layout();
        let data = rows.as_slice().unwrap_or_default();
        let view = NdTensorView::from_data([rows.nrows(), rows.ncols()], data);
        let mut options = RunOptions::default();
        let worker = rayon::current_thread_index().unwrap_or(0) % self.pools.len();
        options.thread_pool = Some(Arc::clone(&self.pools[worker]));
        let inputs = vec![(self.input, view.as_dyn().into())];
        let mut outputs = self
            .model
            .run(inputs, &[self.output], Some(options))
            .map_err(|error| {
                answer(format!(
                    "the embedded engine could not run the model: {error}"
                ))
            })?;
        let value = outputs
            .pop()
            .ok_or_else(|| answer("the model gave no output"))?;
        scores_of(value, rows.nrows())
    }
}

impl Model for EmbeddedModel {
    /// In the engine's own pool: every call from outside would wake a thread and wait for it.
    fn at_home(&self, work: &mut (dyn FnMut() + Send)) {
        self.pools[0].run(work);
    }

    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let most = self.fixed_batch.unwrap_or(usize::MAX);
        let mut scores = Vec::with_capacity(rows.nrows());
        for chunk in rows.axis_chunks_iter(Axis(0), most.min(rows.nrows().max(1))) {
            // A single row takes another path through the engine, with other last bits; and a
            // fixed batch must be full. Both are mended by repeating the last row.
            let wanted = self.fixed_batch.unwrap_or(2).max(chunk.nrows());
            if chunk.nrows() == wanted {
                scores.extend(self.run(chunk)?);
            } else {
                let last = chunk.nrows() - 1;
                let padded = Array2::from_shape_fn((wanted, chunk.ncols()), |(row, column)| {
                    chunk[[row.min(last), column]]
                });
                scores.extend(self.run(padded.view())?.into_iter().take(chunk.nrows()));
            }
        }
        Ok(scores)
    }
}

fn ports(model: &rten::Model, ids: &[NodeId]) -> Vec<Port> {
    ids.iter()
        .map(|&id| {
            let info = model.node_info(id);
            let info = info.as_ref();
            Port {
                name: info
                    .and_then(|info| info.name())
                    .unwrap_or_default()
                    .to_owned(),
                kind: Kind::Tensor {
                    element: element(info.and_then(|info| info.dtype())),
                    shape: info
                        .and_then(|info| info.shape())
                        .unwrap_or_default()
                        .into_iter()
                        .map(dimension)
                        .collect(),
                },
            }
        })
        .collect()
}

/// A type that the file does not tell is taken to be float, which is what networks give.
fn element(kind: Option<ValueType>) -> Element {
    match kind {
        None | Some(ValueType::Tensor(DataType::Float)) => Element::Float,
        Some(ValueType::Tensor(DataType::Int32)) => Element::Int32,
        Some(other) => Element::Other(format!("{other:?}").to_lowercase()),
    }
}

fn dimension(dimension: rten::Dimension) -> Dimension {
    match dimension {
        rten::Dimension::Fixed(size) => Dimension::Fixed(size),
        rten::Dimension::Symbolic(name) => Dimension::Free(name),
    }
}

fn scores_of(value: Value, rows: usize) -> Result<Vec<f32>, ModelError> {
    match value {
        Value::FloatTensor(tensor) => favourable(&tensor, rows, |score| score),
        Value::Int32Tensor(tensor) => favourable(&tensor, rows, |label| label as f32),
        Value::Int8Tensor(tensor) => favourable(&tensor, rows, f32::from),
        Value::UInt8Tensor(tensor) => favourable(&tensor, rows, f32::from),
        _ => Err(answer("the model's output is not a tensor of numbers")),
    }
}

/// The score column: the only one, or the second of two (the probability of class 1).
fn favourable<T: Copy>(
    tensor: &TensorBase<Vec<T>, DynLayout>,
    rows: usize,
    score: impl Fn(T) -> f32,
) -> Result<Vec<f32>, ModelError> {
    let shape: Vec<i64> = tensor.shape().iter().map(|&size| size as i64).collect();
    match signature::columns(&shape, rows) {
        Some(each) => {
            Ok(tensor.iter().skip(each - 1).step_by(each).map(|&value| score(value)).collect())
        }
        None => Err(ModelError::Answer {
            message: format!(
                "the model's output has shape {shape:?} for {rows} rows; fairgate reads [N], [N, 1] or [N, 2]"
            ),
            help: Some("select the output that holds the probability of the favourable class: `output = \"...\"` under the model".into()),
        }),
    }
}

/// Bytes that are no model are no better off in another runtime; parts that this one lacks are.
fn cannot_load(path: &Path, error: &LoadError) -> ModelError {
    match error.kind() {
        LoadErrorKind::ParseError | LoadErrorKind::UnknownFileType => {
            no_model(path, &error.to_string())
        }
        _ => cannot_run(path, &error.to_string()),
    }
}

fn no_model(path: &Path, why: &str) -> ModelError {
    ModelError::Answer {
        message: format!("{} cannot be read as an ONNX model: {why}", path.display()),
        help: Some(
            "check that the file is an ONNX model: not a Git LFS pointer, not cut off".into(),
        ),
    }
}

fn cannot_run(path: &Path, why: &str) -> ModelError {
    ModelError::Answer {
        message: format!(
            "the embedded engine cannot run the model {}: {why}",
            path.display()
        ),
        help: Some(GET_ONNX_RUNTIME.into()),
    }
}

fn answer(message: impl Into<String>) -> ModelError {
    ModelError::Answer {
        message: message.into(),
        help: None,
    }
}
