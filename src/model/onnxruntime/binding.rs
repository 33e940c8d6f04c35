//! Calls in memory that stays bound to a session: ONNX Runtime's I/O binding.
//!
//! For a device of its own the rows of a call lie in memory that the device reads by itself, and the scores
//! arrive in memory that is there already. Where such memory cannot be had this would only be one more copy,
//! and calls stay plain. So they do on the CPU, where a plain call takes the rows where they are, and is as
//! fast: there this runs only where a test asks for it. On a device it has not been run yet.

use ort::logging::LogLevel;
use ort::memory::{AllocationDevice, Allocator, AllocatorType, MemoryInfo, MemoryType};
use ort::session::{IoBinding, NoSelectedOutputs, RunOptions, Session};
use ort::value::Tensor as OwnedTensor;

use super::super::Device;
use super::super::runtime_error::RuntimeError;
use super::super::signature::{Element, Kind, Port};
use super::super::tensor::{Answer, Tensor, Values};
use super::answers::read;
use super::run_error;

/// How rows reach a session and scores come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// The session takes the rows where they are, and makes new memory for the scores.
    Plain,
    /// In memory that stays bound to the session.
    Bound,
}

impl Passing {
    /// What is worth it on a device.
    pub(super) fn on(device: Device) -> Self {
        match device {
            Device::Cpu => Passing::Plain,
            Device::Cuda => Passing::Bound,
        }
    }

    /// The memory that calls of a session need to be passed so, if they are and it can be had.
    pub(super) fn memory(
        self,
        session: &Session,
        device: Device,
        inputs: &[Port],
        outputs: &[Port],
    ) -> ort::Result<Option<Bound>> {
        match self {
            Passing::Plain => Ok(None),
            Passing::Bound => Bound::new(session, device, inputs, outputs),
        }
    }
}

/// Whether a call can be passed in bound memory. Words have no fixed size, maps are no tensors, and few
/// models are fed with numbers that are no floats: such calls stay plain.
pub(super) fn can_be_bound(inputs: &[Tensor<'_>], output: &Port) -> bool {
    inputs.iter().all(|input| floats(input).is_some()) && has_numbers(output)
}

/// The bound memory of one session.
pub(super) struct Bound {
    binding: IoBinding,
    options: RunOptions<NoSelectedOutputs>,
    inputs: Vec<BoundInput>,
    outputs: Vec<Port>,
    /// The output that is bound.
    output: Option<usize>,
    /// Where inputs are written and outputs are read.
    host: Allocator,
    device: Device,
}

/// An input with the memory that is bound to it.
struct BoundInput {
    name: String,
    memory: Option<OwnedTensor<f32>>,
}

impl Bound {
    /// Nothing is bound before the first call: the shapes are not known.
    fn new(
        session: &Session,
        device: Device,
        inputs: &[Port],
        outputs: &[Port],
    ) -> ort::Result<Option<Self>> {
        let host = match device {
            Device::Cpu => memory(session, AllocationDevice::CPU, MemoryType::Default)?,
            Device::Cuda => match pinned_memory(session) {
                Ok(pinned) => pinned,
                Err(_) => return Ok(None),
            },
        };
        let mut options = RunOptions::new()?;
        options.set_log_level(LogLevel::Fatal)?;
        let input = |port: &Port| BoundInput {
            name: port.name.clone(),
            memory: None,
        };
        Ok(Some(Bound {
            binding: session.create_binding()?,
            options,
            inputs: inputs.iter().map(input).collect(),
            outputs: outputs.to_vec(),
            output: None,
            host,
            device,
        }))
    }

    /// What the output at `output` says for `rows` rows.
    ///
    /// # Errors
    /// The session failed, or answered with something else than one answer a row.
    pub(super) fn answer(
        &mut self,
        session: &mut Session,
        inputs: &[Tensor<'_>],
        rows: usize,
        output: usize,
    ) -> Result<Answer, RuntimeError> {
        let bound = self.bind(inputs, output).map_err(run_error);
        let answer = bound.and_then(|()| {
            let outputs = session.run_binding_with_options(&self.binding, &self.options);
            read(&outputs.map_err(run_error)?[0], rows)
        });
        if answer.is_err() {
            // Nobody knows what a call that failed has left behind.
            self.unbind();
        }
        answer
    }

    /// Writes the inputs where the session reads them, and binds what is not bound yet.
    fn bind(&mut self, inputs: &[Tensor<'_>], output: usize) -> ort::Result<()> {
        let mut is_new = self.output != Some(output);
        let mut is_sent = false;
        for (bound, input) in self.inputs.iter_mut().zip(inputs) {
            let is_moved = bound.write(input, &self.host)?;
            is_new |= is_moved;
            // A session on the CPU reads this memory itself, and sees what is written there later on. A
            // device gets its copy at the moment of binding, and of nothing that is written afterwards.
            if is_moved || self.device != Device::Cpu {
                bound.bind_to(&mut self.binding)?;
                is_sent = true;
            }
        }
        if is_new {
            self.bind_output(output)?;
        }
        if is_sent {
            // A copy may still be on its way when binding returns, and nobody promises that the run waits
            // for it. On the CPU there is nothing to wait for. For the output the run waits by itself.
            self.binding.synchronize_inputs()?;
        }
        Ok(())
    }

    /// The memory that the next run makes for the output stays bound, with its shape: another shape would
    /// be an error, so for each new one the output is bound anew.
    fn bind_output(&mut self, output: usize) -> ort::Result<()> {
        self.binding.clear_outputs();
        self.output = None;
        let name = self.outputs[output].name.as_str();
        self.binding
            .bind_output_to_device(name, self.host.memory_info())?;
        self.output = Some(output);
        Ok(())
    }

    fn unbind(&mut self) {
        self.binding.clear();
        self.output = None;
        for input in &mut self.inputs {
            input.memory = None;
        }
    }
}

impl BoundInput {
    /// Writes a tensor into the memory of this input; whether that is other memory than before.
    ///
    /// The rows cannot be bound where they are, which would save this copy: `ort` makes a copy of borrowed
    /// memory as well before it binds it, and waits for itself forever on the way.
    fn write(&mut self, input: &Tensor<'_>, host: &Allocator) -> ort::Result<bool> {
        let is_moved = !self
            .memory
            .as_ref()
            .is_some_and(|memory| has_shape(memory, input));
        if is_moved {
            self.memory = Some(OwnedTensor::new(host, input.shape.clone())?);
        }
        if let (Some(memory), Some(values)) = (&mut self.memory, floats(input)) {
            let (_, place) = memory.try_extract_tensor_mut::<f32>()?;
            place.copy_from_slice(values);
        }
        Ok(is_moved)
    }

    fn bind_to(&self, binding: &mut IoBinding) -> ort::Result<()> {
        match &self.memory {
            Some(memory) => binding.bind_input(self.name.as_str(), memory),
            None => Ok(()),
        }
    }
}

fn memory(session: &Session, place: AllocationDevice, kind: MemoryType) -> ort::Result<Allocator> {
    let memory = MemoryInfo::new(place, 0, AllocatorType::Device, kind)?;
    Allocator::new(session, memory)
}

/// Memory that stays where it is, so that the device reads it without the processor's help.
///
/// # Errors
/// It cannot be had, or not be looked at: ONNX Runtime 1.23 and newer say that it is the device's, and
/// with the interface of 1.17, which is the oldest library that is supported, `ort` cannot ask further.
fn pinned_memory(session: &Session) -> ort::Result<Allocator> {
    let pinned = memory(session, AllocationDevice::CUDA_PINNED, MemoryType::CPUInput)?;
    OwnedTensor::<f32>::new(&pinned, [1_usize])?.try_extract_tensor::<f32>()?;
    Ok(pinned)
}

/// The numbers of a tensor of floats that has as many as its shape says.
fn floats<'t>(tensor: &'t Tensor<'_>) -> Option<&'t [f32]> {
    let size: usize = tensor.shape.iter().product();
    match &tensor.values {
        Values::Float(values) if values.len() == size => Some(values),
        _ => None,
    }
}

fn has_shape(memory: &OwnedTensor<f32>, tensor: &Tensor<'_>) -> bool {
    let sizes = memory.shape().iter();
    let sizes = sizes.map(|&size| usize::try_from(size).ok());
    sizes.eq(tensor.shape.iter().map(|&size| Some(size)))
}

/// Whether an output is a tensor of numbers that are read.
fn has_numbers(port: &Port) -> bool {
    match &port.kind {
        Kind::Tensor { element, .. } => !matches!(element, Element::Text | Element::Other(_)),
        Kind::Maps | Kind::Other(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn output(kind: Kind) -> Port {
        let name = "output".to_owned();
        Port { name, kind }
    }

    #[test]
    fn only_floats_that_fill_their_shape_are_bound() {
        let rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let tensor = |values, shape: &[usize]| Tensor {
            values,
            shape: shape.to_vec(),
        };
        let borrowed = || Values::Float(Cow::Borrowed(&rows[..]));
        assert_eq!(floats(&tensor(borrowed(), &[3, 2])), Some(&rows[..]));
        assert_eq!(floats(&tensor(borrowed(), &[6])), Some(&rows[..]));
        assert_eq!(floats(&tensor(borrowed(), &[4, 2])), None);
        assert_eq!(floats(&tensor(Values::Double(vec![1.0]), &[1])), None);
        assert_eq!(floats(&tensor(Values::Text(vec!["word"]), &[1])), None);
    }

    #[test]
    fn words_and_maps_are_not_bound() {
        let tensor = |element| Kind::Tensor {
            element,
            shape: Vec::new(),
        };
        assert!(has_numbers(&output(tensor(Element::Float))));
        assert!(has_numbers(&output(tensor(Element::Int64))));
        assert!(!has_numbers(&output(tensor(Element::Text))));
        assert!(!has_numbers(&output(tensor(Element::Other(
            "float16".into()
        )))));
        assert!(!has_numbers(&output(Kind::Maps)));
        assert!(!has_numbers(&output(Kind::Other("a sequence"))));
    }

    #[test]
    fn only_a_device_of_its_own_is_worth_it() {
        assert_eq!(Passing::on(Device::Cpu), Passing::Plain);
        assert_eq!(Passing::on(Device::Cuda), Passing::Bound);
    }
}
