//! Models in ONNX Runtime. The only file that names `ort`.
//!
//! One session for each worker, one thread in each session: the search keeps the cores busy by itself.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use ndarray::{Array2, ArrayView2, Axis};
use ort::environment::Environment;
use ort::ep::{CUDA, ExecutionProvider as _};
use ort::logging::LogLevel;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{HasSelectedOutputs, OutputSelector, RunOptions, Session, SessionInputValue};
use ort::value::{
    DynValue, Outlet, PrimitiveTensorElementType, Tensor, TensorElementType, TensorRef, ValueType,
};

use super::discovery::{RuntimeLibrary, runtime_library};
pub use super::runtime_error::RuntimeError;
use super::runtime_error::{plain, plain_io};
use super::signature::{self, Dimension, Element, Input, Kind, Port};
use super::{Device, DeviceChoice, Model, ModelError};

/// A session and what it is asked for; ONNX Runtime's `Run` is not safe from two threads at once.
struct Worker {
    session: Session,
    options: RunOptions<HasSelectedOutputs>,
}

/// A model that runs in ONNX Runtime.
pub struct OnnxRuntimeModel {
    workers: Vec<Mutex<Worker>>,
    input: Input,
    inputs: String,
    device: Device,
    runtime: String,
    note: Option<String>,
}

impl std::fmt::Debug for OnnxRuntimeModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxRuntimeModel")
            .field("inputs", &self.inputs)
            .field("device", &self.device)
            .field("runtime", &self.runtime)
            .field("workers", &self.workers.len())
            .finish()
    }
}

impl OnnxRuntimeModel {
    /// Loads the model at `path`, once for each of `workers` threads (at least once).
    ///
    /// `output` names the output that holds the score; without it the only output is taken, or the
    /// only float output that has one score or two probabilities a row.
    ///
    /// # Errors
    /// Where the library is missing or too old, the device is not there, or the model cannot be read
    /// or does not fit: one 2-D input of numbers, one score a row.
    pub fn open(
        path: &Path,
        device: DeviceChoice,
        workers: usize,
        output: Option<&str>,
    ) -> Result<Self, RuntimeError> {
        check_readable(path)?;
        let library = runtime_library()?;
        let opener = Opener {
            environment: environment(library)?,
            library,
            path,
        };
        let (first, device, device_note) = opener.first_session(device)?;
        let inputs: Vec<Port> = first.inputs().iter().map(port).collect();
        let outputs: Vec<Port> = first.outputs().iter().map(port).collect();
        let input = signature::sole_input(&inputs)?;
        let output = signature::chosen_output(&outputs, output)?;

        let mut sessions = vec![first];
        for _ in 1..workers {
            let session = opener.session(device);
            sessions.push(session.map_err(|error| opener.load_error(&error))?);
        }
        let workers = sessions
            .into_iter()
            .map(|session| worker(session, &output))
            .collect::<ort::Result<_>>()
            .map_err(|error| opener.load_error(&error))?;
        Ok(OnnxRuntimeModel {
            workers,
            note: joined_notes([device_note, input.batch.map(batch_note)]),
            input,
            inputs: signature::joined(&inputs),
            device,
            runtime: format!("onnxruntime {}", library.version()),
        })
    }

    /// The runtime with the library's own version: `onnxruntime 1.31.1`.
    pub fn runtime(&self) -> String {
        self.runtime.clone()
    }

    /// The device that the model runs on.
    pub fn device(&self) -> Device {
        self.device
    }

    /// What the user should know about how the model runs, such as why it is on the CPU.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// How many values a row has, where the model declares it.
    pub fn width(&self) -> Option<usize> {
        self.input.width
    }

    /// The model's input as it declares it: `input: float [N, 12]`.
    pub fn describe_inputs(&self) -> String {
        self.inputs.clone()
    }

    fn answer(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, RuntimeError> {
        if rows.nrows() == 0 {
            return Ok(Vec::new());
        }
        self.check_width(rows.ncols())?;
        // Copies only what is not row-major already.
        let rows = rows.as_standard_layout();
        let mut worker = self.free_worker();
        match self.input.batch {
            None => self.run(&mut worker, rows.view()),
            Some(batch) => self.run_in_chunks(&mut worker, rows.view(), batch),
        }
    }

    fn check_width(&self, got: usize) -> Result<(), RuntimeError> {
        match self.input.width {
            Some(wants) if wants != got => Err(RuntimeError::Width {
                wants,
                got,
                inputs: self.inputs.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// The session of the calling worker, or another that is free, or a place in the queue.
    fn free_worker(&self) -> MutexGuard<'_, Worker> {
        let count = self.workers.len();
        let own = rayon::current_thread_index().unwrap_or(0) % count;
        for offset in 0..count {
            match self.workers[(own + offset) % count].try_lock() {
                Ok(worker) => return worker,
                // A panic elsewhere leaves no trace in a session: each run stands by itself.
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        let queued = self.workers[own].lock();
        queued.unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a model of a fixed batch size `batch` rows at a time, the last ones filled up.
    fn run_in_chunks(
        &self,
        worker: &mut Worker,
        rows: ArrayView2<'_, f32>,
        batch: usize,
    ) -> Result<Vec<f32>, RuntimeError> {
        let mut scores = Vec::with_capacity(rows.nrows() + batch);
        for chunk in rows.axis_chunks_iter(Axis(0), batch) {
            if chunk.nrows() == batch {
                scores.extend(self.run(worker, chunk)?);
            } else {
                let last = chunk.nrows() - 1;
                let filled = Array2::from_shape_fn((batch, chunk.ncols()), |(row, column)| {
                    chunk[[row.min(last), column]]
                });
                scores.extend(self.run(worker, filled.view())?);
            }
        }
        scores.truncate(rows.nrows());
        Ok(scores)
    }

    fn run(
        &self,
        worker: &mut Worker,
        rows: ArrayView2<'_, f32>,
    ) -> Result<Vec<f32>, RuntimeError> {
        let input = self.tensor(rows)?;
        let outputs = worker
            .session
            .run_with_options([input], &worker.options)
            .map_err(run_error)?;
        read_scores(&outputs[0], rows.nrows())
    }

    /// The rows as the tensor that the model takes; not copied where it takes `f32`.
    fn tensor<'r>(&self, rows: ArrayView2<'r, f32>) -> Result<SessionInputValue<'r>, RuntimeError> {
        Ok(match self.input.element {
            Element::Double => Tensor::from_array(rows.mapv(f64::from))
                .map_err(run_error)?
                .into(),
            Element::Int64 => {
                let whole = self.whole(rows, |value| value as i64, |whole| whole as f32)?;
                Tensor::from_array(whole).map_err(run_error)?.into()
            }
            Element::Int32 => {
                let whole = self.whole(rows, |value| value as i32, |whole| whole as f32)?;
                Tensor::from_array(whole).map_err(run_error)?.into()
            }
            _ => TensorRef::from_array_view(rows).map_err(run_error)?.into(),
        })
    }

    /// The rows as integers. A value that would change on the way is an error: the person shown to
    /// the model would be another than the one reported.
    fn whole<T: Copy>(
        &self,
        rows: ArrayView2<'_, f32>,
        to_whole: impl Fn(f32) -> T,
        back: impl Fn(T) -> f32,
    ) -> Result<Array2<T>, RuntimeError> {
        let lossy = rows.iter().find(|&&value| back(to_whole(value)) != value);
        match lossy {
            None => Ok(rows.mapv(to_whole)),
            Some(&value) => Err(RuntimeError::WholeNumbers {
                value,
                inputs: self.inputs.clone(),
            }),
        }
    }
}

impl Model for OnnxRuntimeModel {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        Ok(self.answer(rows)?)
    }
}

/// Opens sessions of one model file.
struct Opener<'a> {
    environment: &'static Environment,
    library: &'static RuntimeLibrary,
    path: &'a Path,
}

impl Opener<'_> {
    /// The first session, the device that it runs on, and why it is not the one hoped for.
    fn first_session(
        &self,
        choice: DeviceChoice,
    ) -> Result<(Session, Device, Option<String>), RuntimeError> {
        let cuda = match choice {
            DeviceChoice::Cpu => return Ok((self.cpu_session()?, Device::Cpu, None)),
            DeviceChoice::Auto | DeviceChoice::Cuda => self.cuda_session(),
        };
        let why = match cuda {
            Ok(session) => return Ok((session, Device::Cuda, None)),
            Err(why) => why,
        };
        // A model that loads nowhere is the model's fault, not CUDA's: this tells the two apart.
        let session = self.cpu_session()?;
        if choice == DeviceChoice::Cuda {
            let path = self.library.path().to_path_buf();
            return Err(RuntimeError::NoCuda { path, why });
        }
        let note = format!("{why}: running on the CPU");
        Ok((session, Device::Cpu, Some(note)))
    }

    fn cpu_session(&self) -> Result<Session, RuntimeError> {
        self.session(Device::Cpu)
            .map_err(|error| self.load_error(&error))
    }

    /// A session on CUDA, or why there is none. A library without CUDA is asked nothing more: it
    /// would complain on the terminal by itself.
    fn cuda_session(&self) -> Result<Session, String> {
        let version = self.library.version();
        if !CUDA::is_available().unwrap_or(false) {
            return Err(format!("ONNX Runtime {version} is built without CUDA"));
        }
        self.session(Device::Cuda).map_err(|error| {
            let why = plain(error.message());
            format!("ONNX Runtime {version} cannot use CUDA here ({why})")
        })
    }

    fn session(&self, device: Device) -> ort::Result<Session> {
        let mut builder = Session::builder(self.environment)?
            .with_log_level(LogLevel::Fatal)?
            // `All` and not a named level: old libraries do not know the newer ones.
            .with_optimization_level(GraphOptimizationLevel::All)?
            .with_parallel_execution(false)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?
            // A pattern is planned for each batch size, and batch sizes vary.
            .with_memory_pattern(false)?;
        if device == Device::Cuda {
            let mut cuda = CUDA::default();
            if self.library.is_at_least(1, 18) {
                // ONNX Runtime would round to 10 bits by default; scores near the threshold would flip.
                cuda = cuda.with_tf32(false);
            }
            builder = builder.with_execution_providers([cuda.build().error_on_failure()])?;
        }
        builder.commit_from_file(self.path)
    }

    fn load_error(&self, error: &ort::Error) -> RuntimeError {
        RuntimeError::Load {
            path: self.path.to_path_buf(),
            version: self.library.version().to_owned(),
            why: plain(error.message()),
        }
    }
}

/// `ort` allows one environment in a process; it stays until the process ends.
fn environment(library: &RuntimeLibrary) -> Result<&'static Environment, RuntimeError> {
    static ENVIRONMENT: OnceLock<Result<Environment, RuntimeError>> = OnceLock::new();
    let start = || {
        let refuse = |why: String| RuntimeError::Start {
            path: library.path().to_path_buf(),
            why,
        };
        let builder = ort::init_from(library.path()).map_err(|error| refuse(error.to_string()))?;
        let environment = builder
            .with_name("fairgate")
            .with_telemetry(false)
            // The library must not write to the user's terminal, whatever the variable ORT_LOG says:
            // what matters comes as an error.
            .with_logger(Arc::new(|_, _, _, _, _| {}))
            .build()
            .map_err(|error| refuse(plain(error.message())))?;
        // Nor need it call a logger that drops everything.
        environment.set_log_level(LogLevel::Fatal);
        Ok(environment)
    };
    ENVIRONMENT
        .get_or_init(start)
        .as_ref()
        .map_err(Clone::clone)
}

/// Finds out before `ort` does, in words for people.
fn check_readable(path: &Path) -> Result<(), RuntimeError> {
    let refuse = |why: String| RuntimeError::Unreadable {
        path: path.to_path_buf(),
        why,
    };
    let what = std::fs::metadata(path).map_err(|error| refuse(plain_io(&error)))?;
    if !what.is_file() {
        return Err(refuse(String::from("it is not a file")));
    }
    let opened = std::fs::File::open(path);
    opened.map(drop).map_err(|error| refuse(plain_io(&error)))
}

fn worker(session: Session, output: &str) -> ort::Result<Mutex<Worker>> {
    // Only the score is asked for: the nodes of the other outputs need not run.
    let selected = OutputSelector::no_default().with(output);
    let mut options = RunOptions::new()?;
    options.set_log_level(LogLevel::Fatal)?;
    let options = options.with_outputs(selected);
    Ok(Mutex::new(Worker { session, options }))
}

fn batch_note(batch: usize) -> String {
    let rows = if batch == 1 {
        "1 row".to_owned()
    } else {
        format!("{batch} rows")
    };
    format!(
        "the model takes exactly {rows} at a time, which is slow: export it with a free batch \
         dimension to run it in large batches"
    )
}

fn joined_notes(notes: [Option<String>; 2]) -> Option<String> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn port(outlet: &Outlet) -> Port {
    Port {
        name: outlet.name().to_owned(),
        kind: kind(outlet.dtype()),
    }
}

fn kind(declared: &ValueType) -> Kind {
    match declared {
        ValueType::Tensor {
            ty,
            shape,
            dimension_symbols,
        } => {
            let symbols = dimension_symbols.iter().map(String::as_str);
            let symbols = symbols.chain(std::iter::repeat(""));
            let dimensions = shape.iter().zip(symbols);
            Kind::Tensor {
                element: element(*ty),
                shape: dimensions
                    .map(|(&size, symbol)| {
                        usize::try_from(size)
                            .map_or_else(|_| Dimension::Free(symbol.to_owned()), Dimension::Fixed)
                    })
                    .collect(),
            }
        }
        ValueType::Sequence(inner) if matches!(**inner, ValueType::Map { .. }) => Kind::Maps,
        ValueType::Sequence(_) => Kind::Other("a sequence"),
        ValueType::Map { .. } => Kind::Other("a map"),
        ValueType::Optional(_) => Kind::Other("an optional value"),
    }
}

fn element(ty: TensorElementType) -> Element {
    match ty {
        TensorElementType::Float32 => Element::Float,
        TensorElementType::Float64 => Element::Double,
        TensorElementType::Int64 => Element::Int64,
        TensorElementType::Int32 => Element::Int32,
        TensorElementType::Bool => Element::Bool,
        TensorElementType::String => Element::Other("string".to_owned()),
        TensorElementType::Float16 => Element::Other("float16".to_owned()),
        other => Element::Other(other.to_string()),
    }
}

/// One score for each of `rows` rows: the only column, or the second of two (class 1).
fn read_scores(output: &DynValue, rows: usize) -> Result<Vec<f32>, RuntimeError> {
    let ValueType::Tensor { ty, shape, .. } = output.dtype() else {
        return Err(RuntimeError::Answer {
            rows,
            shape: String::from("no tensor"),
        });
    };
    let columns = signature::columns(shape, rows).ok_or_else(|| RuntimeError::Answer {
        rows,
        shape: signature::joined(shape),
    })?;
    match ty {
        TensorElementType::Float64 => last_column(output, columns, |value: f64| value as f32),
        TensorElementType::Int64 => last_column(output, columns, |value: i64| value as f32),
        TensorElementType::Int32 => last_column(output, columns, |value: i32| value as f32),
        TensorElementType::Bool => {
            last_column(output, columns, |value: bool| if value { 1.0 } else { 0.0 })
        }
        _ => last_column(output, columns, |value: f32| value),
    }
    .map_err(run_error)
}

fn last_column<T: PrimitiveTensorElementType + Copy>(
    output: &DynValue,
    columns: usize,
    score: impl Fn(T) -> f32,
) -> ort::Result<Vec<f32>> {
    let (_, values) = output.try_extract_tensor::<T>()?;
    let rows = values.chunks_exact(columns);
    Ok(rows.map(|row| score(row[columns - 1])).collect())
}

fn run_error(error: ort::Error) -> RuntimeError {
    RuntimeError::Run {
        why: plain(error.message()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_model_is_told_before_any_library_is_looked_for() {
        let path = Path::new("/no/such/model.onnx");
        let error = OnnxRuntimeModel::open(path, DeviceChoice::Cpu, 1, None).unwrap_err();
        let sentence = error.to_string();
        assert!(
            sentence.starts_with("cannot read the model file /no/such/model.onnx: "),
            "{sentence}"
        );
        assert!(!sentence.contains("os error"), "{sentence}");
    }

    #[test]
    fn a_folder_is_no_model() {
        let error = OnnxRuntimeModel::open(Path::new("."), DeviceChoice::Cpu, 1, None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot read the model file .: it is not a file"
        );
    }

    #[test]
    fn notes_are_joined() {
        assert_eq!(joined_notes([None, None]), None);
        let both = joined_notes([Some("a".into()), Some("b".into())]);
        assert_eq!(both.as_deref(), Some("a; b"));
    }
}
