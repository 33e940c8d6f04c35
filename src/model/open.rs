//! Opening a model file in the runtime that was asked for, and connecting it to people.

use std::path::Path;
use std::sync::Arc;

use crate::decision::Rule;
use crate::encoding::Column;
use crate::schema::Schema;

use super::beside::Beside;
use super::canonical::Settled;
use super::connected::{Connected, ask};
use super::differentiated::{Opened, differentiated};
use super::embedded::Embedded;
use super::feed::{Feed, Layout, Misfit};
use super::onnxruntime::OnnxRuntime;
use super::reading::{Meaning, Reading};
use super::signature::{self, Port};
use super::tensor::{Answer, Engine};
use super::ties::Decided;
use super::{Device, DeviceChoice, Model, ModelError, RuntimeChoice, discovery};

/// A model file that is ready to be asked.
#[non_exhaustive]
pub struct OpenModel {
    /// The model.
    pub model: Box<dyn Model + Send>,
    /// What runs it: `onnxruntime 1.31.1` or `embedded`.
    pub runtime: String,
    /// Where it runs.
    pub device: Device,
    /// How its scores are decisions.
    pub rule: Rule,
    /// Its scores must lie between 0 and 1.
    pub probabilities: bool,
    /// What it calls its decisions, if it tells.
    pub decisions: Option<Vec<String>>,
    /// Attributes that it does not read.
    pub unread: Vec<usize>,
    /// Remarks for the report: why this runtime, why this device, what makes it slow.
    pub notes: Vec<String>,
    feed: Feed,
}

impl OpenModel {
    /// The names of the columns that the model eats, input by input.
    pub fn column_names(&self) -> Vec<String> {
        self.feed.column_names()
    }

    /// What the model eats for these search rows, as text: one list a row.
    pub(crate) fn cells(&self, rows: &[f32]) -> Vec<Vec<String>> {
        self.feed.cells(rows)
    }
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
    /// How many workers ask at the same time.
    pub workers: usize,
    /// How people become what the model eats, and what its answers mean.
    pub connection: &'a Connection<'a>,
}

/// How people become what a model eats, and what its answers mean.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Connection<'a> {
    /// The attributes of a person.
    pub schema: &'a Schema,
    /// How they become columns.
    pub columns: Vec<Column>,
    /// Which columns go into which input.
    pub layout: Layout,
    /// What the answers mean.
    pub meaning: Meaning,
    /// Search rows of people to learn from what the answers look like.
    pub trial: Vec<f32>,
    /// Whether the model is to be differentiated as well: white-box methods need its gradients.
    pub gradients: bool,
}

impl<'a> Connection<'a> {
    /// Attributes as they are, in their order; answers as the model gives them to `trial`.
    pub fn plain(schema: &'a Schema, trial: Vec<f32>) -> Self {
        let attributes = schema.attributes().iter().enumerate();
        let column = |(position, attribute): (usize, &crate::schema::Attribute)| {
            let cell = crate::encoding::natural(position, attribute);
            Column::new(attribute.name.clone(), Some(position), cell)
        };
        Connection {
            schema,
            columns: attributes.map(column).collect(),
            layout: Layout::default(),
            meaning: Meaning::default(),
            trial,
            gradients: false,
        }
    }

    fn feed(&self, ports: &[Port]) -> Result<Feed, ModelError> {
        Feed::new(ports, self.schema, &self.columns, &self.layout)
            .map_err(|Misfit { message, help, key }| ModelError::Misfit { message, help, key })
    }

    fn ask<E: Engine>(&self, engine: &E, feed: &Feed, output: usize) -> Result<Answer, ModelError> {
        let width = self.schema.width();
        ask(engine, feed, output, &self.trial, width)?.ok_or_else(|| ModelError::Answer {
            message: "there is nobody to try the model with".into(),
            help: None,
        })
    }
}

/// An engine that fits the people, with what was learnt about it.
pub(super) struct Fitted<E> {
    engine: Arc<E>,
    feed: Feed,
    output: usize,
    reading: Reading,
    /// Why another output is read than one might think.
    note: Option<String>,
}

impl<E: Engine> Fitted<E> {
    pub(super) fn new(engine: E, connection: &Connection<'_>) -> Result<Self, ModelError> {
        let feed = connection.feed(engine.inputs())?;
        let wanted = connection.meaning.output.as_deref();
        let output = signature::chosen_output(engine.outputs(), wanted)?;
        let answer = connection.ask(&engine, &feed, output)?;
        check_one_decision(&engine.outputs()[output], &answer)?;
        let mut fitted = Fitted {
            reading: Reading::learn(&answer, &connection.meaning)?,
            engine: Arc::new(engine),
            feed,
            output,
            note: None,
        };
        fitted.look_at_label(&answer, connection);
        Ok(fitted)
    }

    /// A label beside the scores tells the names of the classes. Where it is not the class with the
    /// largest score, it decides: it is what the library's own `predict` gives.
    fn look_at_label(&mut self, scores: &Answer, connection: &Connection<'_>) {
        let outputs = self.engine.outputs();
        let Some(place) = signature::label_beside(outputs, self.output) else {
            return;
        };
        let Ok(labels) = connection.ask(&*self.engine, &self.feed, place) else {
            return;
        };
        let Some(beside) = Beside::new(scores, &labels) else {
            return;
        };
        let meaning = &connection.meaning;
        if beside.others > 0 && outputs.len() == 2 && meaning.leaves_the_label() {
            // In the order of the scores, which the spec's names have, too.
            let in_order = Meaning {
                decisions: Some(beside.names.clone()),
                ..meaning.clone()
            };
            if let Ok(reading) = Reading::learn(&labels, &in_order) {
                self.note = Some(beside.note(&outputs[place].name, &outputs[self.output].name));
                (self.reading, self.output) = (reading, place);
            }
        } else if self.reading.names.is_none() && beside.others == 0 {
            self.reading.names = Some(beside.names);
        }
    }

    /// The same file in another engine, read in the same way.
    fn second<F: Engine>(
        &self,
        engine: F,
        connection: &Connection<'_>,
        output: &str,
    ) -> Option<Connected<F>> {
        let feed = connection.feed(engine.inputs()).ok()?;
        let output = engine
            .outputs()
            .iter()
            .position(|port| port.name == output)?;
        let answer = connection.ask(&engine, &feed, output).ok()?;
        self.reading.scores(answer).ok()?;
        Some(Connected::new(
            Arc::new(engine),
            feed,
            output,
            self.reading.clone(),
        ))
    }

    pub(super) fn connected(&self) -> Connected<E> {
        Connected::new(
            Arc::clone(&self.engine),
            self.feed.clone(),
            self.output,
            self.reading.clone(),
        )
    }

    /// The model, with its gradients if they are wanted.
    fn with_gradients(
        &self,
        model: Box<dyn Model + Send>,
        opening: &Opening<'_>,
    ) -> Result<Box<dyn Model + Send>, ModelError> {
        let connection = opening.connection;
        if !connection.gradients {
            return Ok(model);
        }
        let opened = Opened {
            path: opening.path,
            inputs: self.engine.inputs(),
            output: &self.engine.outputs()[self.output].name,
            feed: &self.feed,
            reading: &self.reading,
            trial: &connection.trial,
            answer: &connection.ask(&*self.engine, &self.feed, self.output)?,
            width: connection.schema.width(),
        };
        differentiated(model, &opened)
    }

    fn opened(self, model: Box<dyn Model + Send>, runtime: String, device: Device) -> OpenModel {
        OpenModel {
            model,
            runtime,
            device,
            rule: self.reading.rule,
            probabilities: self.reading.probabilities,
            decisions: self.reading.names,
            unread: self.feed.unread.clone(),
            notes: (self.feed.batch.map(batch_note).into_iter())
                .chain(self.note)
                .collect(),
            feed: self.feed,
        }
    }
}

/// A model that decides several things at once has a column of labels for each of them. A single 1
/// among zeros is one decision: the class has the 1.
fn check_one_decision(output: &Port, answer: &Answer) -> Result<(), ModelError> {
    let Answer::Numbers { columns, values } = answer else {
        return Ok(());
    };
    let one_hot = |row: &[f32]| {
        row.iter().all(|&label| label == 0.0 || label == 1.0) && row.iter().sum::<f32>() == 1.0
    };
    if !signature::is_label(output) || values.chunks_exact(*columns).all(one_hot) {
        return Ok(());
    }
    Err(ModelError::Misfit {
        message: format!("the model decides {columns} things at once ({output})"),
        help: "fairgate tests one decision: export a model for each of them, or name an output \
               that has one: output = \"..\""
            .to_owned(),
        key: None,
    })
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

/// Opens a model file.
///
/// # Errors
/// The file or the runtime cannot be used, or the model does not fit the people; the message says
/// what was tried and how to mend it.
pub fn open(opening: &Opening<'_>) -> Result<OpenModel, ModelError> {
    check_file(opening.path)?;
    if uses_onnxruntime(opening.runtime, opening.device)? {
        open_onnxruntime(opening)
    } else {
        open_embedded(opening)
    }
}

/// Asked of the file itself first: a wrong path must not be blamed on a runtime.
fn check_file(path: &Path) -> Result<(), ModelError> {
    std::fs::File::open(path)
        .and_then(|file| file.metadata())
        .and_then(|file| {
            if file.is_file() {
                Ok(())
            } else {
                Err(std::io::Error::other("it is not a file"))
            }
        })
        .map_err(|error| ModelError::unreadable(path, &error))
}

/// What a model file takes and gives.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Signature {
    /// Its inputs.
    pub inputs: Vec<Port>,
    /// Its outputs.
    pub outputs: Vec<Port>,
}

/// Opens a model file only to see what it takes and gives.
///
/// # Errors
/// The file or the runtime cannot be used.
pub fn inspect(
    path: &Path,
    runtime: RuntimeChoice,
    device: DeviceChoice,
) -> Result<Signature, ModelError> {
    check_file(path)?;
    let of = |engine: &dyn Engine| Signature {
        inputs: engine.inputs().to_vec(),
        outputs: engine.outputs().to_vec(),
    };
    if uses_onnxruntime(runtime, device)? {
        Ok(of(&OnnxRuntime::open(path, device, 1, None)?))
    } else {
        Ok(of(&Embedded::open(path, 1)?))
    }
}

/// Which runtime a choice means on this machine.
fn uses_onnxruntime(runtime: RuntimeChoice, device: DeviceChoice) -> Result<bool, ModelError> {
    match runtime {
        RuntimeChoice::Onnxruntime => Ok(true),
        RuntimeChoice::Embedded => Ok(false),
        RuntimeChoice::Auto if device == DeviceChoice::Cuda => Ok(true),
        RuntimeChoice::Auto => match discovery::runtime_library() {
            Ok(_) => Ok(true),
            Err(missing) if missing.is_absence() => Ok(false),
            Err(broken) => Err(broken.into()),
        },
    }
}

fn open_onnxruntime(opening: &Opening<'_>) -> Result<OpenModel, ModelError> {
    let engine = OnnxRuntime::open(opening.path, opening.device, opening.workers, None)?;
    let (runtime, device, note) = (engine.runtime(), engine.device(), engine.note());
    let fitted = Fitted::new(engine, opening.connection)?;
    let output = fitted.engine.outputs()[fitted.output].name.clone();
    // CUDA's noise is far above a CPU's, so its scores are taken as they are.
    let referee = (device == Device::Cpu)
        .then(|| Embedded::open(opening.path, opening.workers).ok())
        .flatten()
        .and_then(|second| fitted.second(second, opening.connection, &output));
    let rule = fitted.reading.rule.clone();
    let model: Box<dyn Model + Send> = match referee {
        Some(referee) => {
            let classes = matches!(rule, Rule::Classes(_));
            Box::new(Settled::new(fitted.connected(), referee, classes))
        }
        None => Box::new(Decided::new(fitted.connected(), rule)),
    };
    let model = fitted.with_gradients(model, opening)?;
    let mut opened = fitted.opened(model, runtime, device);
    opened.notes.splice(0..0, note);
    Ok(opened)
}

fn open_embedded(opening: &Opening<'_>) -> Result<OpenModel, ModelError> {
    if opening.device == DeviceChoice::Cuda {
        return Err(ModelError::Answer {
            message: "the embedded engine runs on the CPU only, but `device = \"cuda\"` is asked for".into(),
            help: Some("set `runtime = \"onnxruntime\"` and install onnxruntime-gpu, or set `device = \"auto\"`".into()),
        });
    }
    let engine = Embedded::open(opening.path, opening.workers)?;
    let fitted = Fitted::new(engine, opening.connection)?;
    let model = fitted.with_gradients(Box::new(fitted.connected()), opening)?;
    Ok(fitted.opened(model, "embedded".into(), Device::Cpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_model_file_is_told_before_any_library_is_looked_for() {
        let missing = check_file(Path::new("/no/such/model.onnx")).unwrap_err();
        let sentence = missing.to_string();
        let start = "cannot read the model file /no/such/model.onnx: ";
        assert!(sentence.starts_with(start), "{sentence}");
        let folder = check_file(Path::new(".")).unwrap_err();
        assert_eq!(
            folder.to_string(),
            "cannot read the model file .: it is not a file"
        );
    }
}
