//! The embedded engine: pure Rust, always there. The only file that names `rten`.

use std::path::Path;
use std::sync::Arc;

use rten::{
    DataType, LoadError, LoadErrorKind, NodeId, RunOptions, ThreadPool, Value, ValueOrView,
    ValueType,
};
use rten_tensor::prelude::*;
use rten_tensor::{DynLayout, TensorBase, TensorView};

use super::ModelError;
use super::runtime_error::WEIGHTS_ELSEWHERE;
use super::signature::{self, Dimension, Element, Kind, Port};
use super::tensor::{Answer, Engine, Tensor, Values};

/// A model in the embedded engine, with a pool of as many threads as there are workers.
pub(super) struct Embedded {
    model: rten::Model,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    pool: Arc<ThreadPool>,
}

const GET_ONNX_RUNTIME: &str =
    "install ONNX Runtime, which runs every ONNX model: pip install onnxruntime";

impl Embedded {
    /// Opens a model for `workers` workers.
    ///
    /// # Errors
    /// The file cannot be read, is not ONNX, or has parts that the embedded engine cannot run.
    pub(super) fn open(path: &Path, workers: usize) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|error| ModelError::unreadable(path, &error))?;
        // A damaged file must be a sentence; the reader may panic on bytes that no exporter writes.
        let loaded = std::panic::catch_unwind(|| load(bytes, path));
        let model = match loaded {
            Ok(Ok(model)) => model,
            Ok(Err(error)) => return Err(cannot_load(path, &error)),
            Err(_) => return Err(no_model(path, "the file is damaged")),
        };
        let inputs = ports(&model, model.input_ids());
        let odd = inputs.iter().find(|port| {
            matches!(&port.kind, Kind::Tensor { element, .. }
                if !matches!(element, Element::Float | Element::Int32))
        });
        if let Some(odd) = odd {
            return Err(cannot_run(path, &format!("it has the input {odd}")));
        }
        Ok(Embedded {
            inputs,
            outputs: ports(&model, model.output_ids()),
            model,
            pool: Arc::new(ThreadPool::with_num_threads(workers.max(1))),
        })
    }
}

/// A model is read from its bytes, whatever its file is called. One with weights in a file of their
/// own needs its place as well.
fn load(bytes: Vec<u8>, path: &Path) -> Result<rten::Model, LoadError> {
    let loaded = rten::Model::load(bytes);
    match (&loaded, std::path::absolute(path)) {
        (Err(error), Ok(path)) if is_about_weights(error) => rten::Model::load_file(path),
        _ => loaded,
    }
}

fn is_about_weights(error: &LoadError) -> bool {
    error.to_string().contains("external data")
}

impl Engine for Embedded {
    fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    fn run(&self, inputs: &[Tensor<'_>], rows: usize, output: usize) -> Result<Answer, ModelError> {
        let ids = self.model.input_ids().iter().copied();
        let inputs = ids
            .zip(inputs)
            .map(|(id, tensor)| Ok((id, view(tensor)?)))
            .collect::<Result<Vec<_>, ModelError>>()?;
        let mut options = RunOptions::default();
        options.thread_pool = Some(Arc::clone(&self.pool));
        let output = self.model.output_ids()[output];
        let outputs = self.model.run(inputs, &[output], Some(options));
        let mut outputs = outputs.map_err(|error| {
            answer(format!(
                "the embedded engine could not run the model: {error}"
            ))
        })?;
        let value = outputs
            .pop()
            .ok_or_else(|| answer("the model gave no output"))?;
        read(value, rows)
    }

    /// A single row takes another path through the engine, with other last bits.
    fn least_rows(&self) -> usize {
        2
    }

    /// In the engine's own pool: every call from outside would wake a thread and wait for it.
    fn at_home(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.run(work);
    }
}

fn view<'t>(tensor: &'t Tensor<'_>) -> Result<ValueOrView<'t>, ModelError> {
    let shape = tensor.shape.as_slice();
    match &tensor.values {
        Values::Float(values) => Ok(TensorView::from_data(shape, &**values).into()),
        Values::Int32(values) => Ok(TensorView::from_data(shape, &**values).into()),
        _ => Err(answer(
            "the embedded engine takes floats and 32-bit integers only",
        )),
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

fn read(value: Value, rows: usize) -> Result<Answer, ModelError> {
    match value {
        Value::FloatTensor(tensor) => {
            let columns = columns(&tensor, rows)?;
            let values = tensor.into_data();
            Ok(Answer::Numbers { columns, values })
        }
        Value::Int32Tensor(tensor) => labels(&tensor, rows),
        Value::Int8Tensor(tensor) => labels(&tensor, rows),
        Value::UInt8Tensor(tensor) => labels(&tensor, rows),
        _ => Err(answer("the model's output is not a tensor of numbers")),
    }
}

fn labels<T: Copy + Into<i64>>(
    tensor: &TensorBase<Vec<T>, DynLayout>,
    rows: usize,
) -> Result<Answer, ModelError> {
    let values = tensor.iter().map(|&label| label.into());
    match columns(tensor, rows)? {
        1 => Ok(Answer::Whole(values.collect())),
        columns => {
            let values = values.map(|value: i64| value as f32).collect();
            Ok(Answer::Numbers { columns, values })
        }
    }
}

fn columns<T>(tensor: &TensorBase<Vec<T>, DynLayout>, rows: usize) -> Result<usize, ModelError> {
    let shape: Vec<i64> = tensor.shape().iter().map(|&size| size as i64).collect();
    signature::columns(&shape, rows).ok_or_else(|| ModelError::Answer {
        message: format!("the model's output has shape {shape:?} for {rows} rows"),
        help: Some(
            "fairgate reads one row for each person: select another output with \
             `output = \"...\"` under the model"
                .into(),
        ),
    })
}

/// Bytes that are no model are no better off in another runtime; parts that this one lacks are.
fn cannot_load(path: &Path, error: &LoadError) -> ModelError {
    match error.kind() {
        LoadErrorKind::ParseError | LoadErrorKind::UnknownFileType => {
            no_model(path, &error.to_string())
        }
        _ if is_about_weights(error) => ModelError::Answer {
            message: format!("cannot load the model {}: {error}", path.display()),
            help: Some(WEIGHTS_ELSEWHERE.into()),
        },
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
