//! Models in ONNX Runtime. The only folder that names `ort`.
//!
//! One session for each worker, one thread in each session: the search keeps the cores busy by itself.

mod answers;
mod binding;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use ort::environment::Environment;
use ort::ep::{CUDA, ExecutionProvider as _};
use ort::logging::LogLevel;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{HasSelectedOutputs, OutputSelector, RunOptions, Session, SessionInputValue};
use ort::value::{Outlet, Tensor as OwnedTensor, TensorElementType, TensorRef, ValueType};

use super::discovery::{RuntimeLibrary, runtime_library};
use super::runtime_error::{RuntimeError, plain};
use super::signature::{Dimension, Element, Kind, Port};
use super::tensor::{Answer, Engine, Tensor, Values};
use super::{Device, DeviceChoice, ModelError};
use answers::read;
pub use binding::Passing;
use binding::{Bound, can_be_bound};

/// A session and what it is asked for; ONNX Runtime's `Run` is not safe from two threads at once.
struct Worker {
    session: Session,
    /// For each output one that selects it: the nodes of the others need not run.
    options: Vec<RunOptions<HasSelectedOutputs>>,
    /// The memory that is bound to the session, if calls are passed in such.
    bound: Option<Bound>,
}

/// A model that runs in ONNX Runtime.
pub(super) struct OnnxRuntime {
    workers: Vec<Mutex<Worker>>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    device: Device,
    runtime: String,
    note: Option<String>,
}

impl OnnxRuntime {
    /// Loads the model at `path`, once for each of `workers` threads (at least once); on a device of its own once.
    /// Calls are passed as asked for, or as is best on the device.
    ///
    /// # Errors
    /// Where the library is missing or too old, the device is not there, or the model cannot be read.
    pub(super) fn open(
        path: &Path,
        device: DeviceChoice,
        workers: usize,
        passing: Option<Passing>,
    ) -> Result<Self, RuntimeError> {
        let library = runtime_library()?;
        let opener = Opener {
            environment: environment(library)?,
            library,
            path,
        };
        let (first, device, note) = opener.first_session(device)?;
        let inputs: Vec<Port> = first.inputs().iter().map(port).collect();
        let outputs: Vec<Port> = first.outputs().iter().map(port).collect();

        let mut sessions = vec![first];
        for _ in 1..device.workers(workers) {
            let session = opener.session(device);
            sessions.push(session.map_err(|error| opener.load_error(&error))?);
        }
        let passing = passing.unwrap_or_else(|| Passing::on(device));
        let bound = |session: &Session| passing.memory(session, device, &inputs, &outputs);
        let workers = sessions
            .into_iter()
            .map(|session| worker(bound(&session)?, session, &outputs))
            .collect::<ort::Result<_>>()
            .map_err(|error| opener.load_error(&error))?;
        Ok(OnnxRuntime {
            workers,
            inputs,
            outputs,
            device,
            note,
            runtime: format!("onnxruntime {}", library.version()),
        })
    }

    /// The runtime with the library's own version: `onnxruntime 1.31.1`.
    pub(super) fn runtime(&self) -> String {
        self.runtime.clone()
    }

    /// The device that the model runs on.
    pub(super) fn device(&self) -> Device {
        self.device
    }

    /// Why the model is not on the device that was hoped for.
    pub(super) fn note(&self) -> Option<String> {
        self.note.clone()
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

    fn answer(
        &self,
        inputs: &[Tensor<'_>],
        rows: usize,
        output: usize,
    ) -> Result<Answer, RuntimeError> {
        let mut worker = self.free_worker();
        let Worker {
            session,
            options,
            bound,
        } = &mut *worker;
        if let Some(bound) = bound
            && can_be_bound(inputs, &self.outputs[output])
        {
            return bound.answer(session, inputs, rows, output);
        }
        let values = inputs.iter().map(value).collect::<ort::Result<Vec<_>>>();
        let values = values.map_err(run_error)?;
        let outputs = session
            .run_with_options(values.as_slice(), &options[output])
            .map_err(run_error)?;
        read(&outputs[0], rows)
    }
}

impl Engine for OnnxRuntime {
    fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    fn run(&self, inputs: &[Tensor<'_>], rows: usize, output: usize) -> Result<Answer, ModelError> {
        Ok(self.answer(inputs, rows, output)?)
    }
}

/// A tensor as ONNX Runtime takes it; floats are not copied.
fn value<'t>(tensor: &'t Tensor<'_>) -> ort::Result<SessionInputValue<'t>> {
    let shape = tensor.shape.clone();
    Ok(match &tensor.values {
        Values::Float(values) => TensorRef::from_array_view((shape, &**values))?.into(),
        Values::Double(values) => TensorRef::from_array_view((shape, &**values))?.into(),
        Values::Int64(values) => TensorRef::from_array_view((shape, &**values))?.into(),
        Values::Int32(values) => TensorRef::from_array_view((shape, &**values))?.into(),
        Values::Bool(values) => TensorRef::from_array_view((shape, &**values))?.into(),
        Values::Text(values) => {
            let words: Vec<String> = values.iter().map(ToString::to_string).collect();
            OwnedTensor::from_string_array((shape, words.as_slice()))?.into()
        }
    })
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

fn worker(bound: Option<Bound>, session: Session, outputs: &[Port]) -> ort::Result<Mutex<Worker>> {
    let selecting = |output: &Port| {
        let selected = OutputSelector::no_default().with(&output.name);
        let mut options = RunOptions::new()?;
        options.set_log_level(LogLevel::Fatal)?;
        Ok(options.with_outputs(selected))
    };
    let options = outputs
        .iter()
        .map(selecting)
        .collect::<ort::Result<Vec<_>>>()?;
    Ok(Mutex::new(Worker {
        session,
        options,
        bound,
    }))
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
        TensorElementType::String => Element::Text,
        TensorElementType::Float16 => Element::Other("float16".to_owned()),
        other => Element::Other(other.to_string()),
    }
}

fn run_error(error: ort::Error) -> RuntimeError {
    RuntimeError::Run {
        why: plain(error.message()),
    }
}
