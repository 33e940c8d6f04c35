//! Real gradients by automatic differentiation of the same ONNX file, in double precision.
//!
//! The only folder that names `candle`. `file.rs` reads the graph, `operators/` knows the operators,
//! `network.rs` runs them, `target.rs` says which number is differentiated.

mod file;
mod network;
mod operators;
mod target;

use candle_core::{Device, Var};
use ndarray::{Array2, ArrayView2};

use super::differentiated::Opened;
use super::feed::{Feed, Slope};
use super::gradients::{Differential, Gradients, Objective};
use super::reading::Reading;
use super::tensor::{Answer, Tensor, Values};
use super::{Model, ModelError};
use network::Network;
use target::Target;

/// How far the differentiated network may be from the model, as a share of the number (at least 1).
const AGREEMENT: f64 = 1e-3;

/// What a method can be searched with that needs no gradients.
const OTHERWISE: &str = "search with a method that needs scores only, such as `maft`";

/// A model together with its network, which is differentiated.
pub(super) struct WhiteBox {
    model: Box<dyn Model + Send>,
    network: Network,
    feed: Feed,
    /// For each input, how its columns follow the attributes.
    slopes: Vec<Vec<Option<Slope>>>,
    jumps: Vec<usize>,
    target: Target,
    width: usize,
}

impl WhiteBox {
    /// Adds gradients to a model.
    ///
    /// # Errors
    /// The model has parts that cannot be differentiated, or answers with what has no gradient.
    pub(super) fn new(
        model: Box<dyn Model + Send>,
        opened: &Opened<'_>,
    ) -> Result<Self, ModelError> {
        let target = Target::new(opened.reading, opened.answer)?;
        let inputs: Vec<&str> = opened.inputs.iter().map(|port| &*port.name).collect();
        let network = Network::read(opened.path, &inputs, opened.output)?;
        let white_box = WhiteBox {
            model,
            network,
            slopes: opened.feed.slopes(),
            jumps: opened.feed.jumps(),
            feed: opened.feed.clone(),
            target,
            width: opened.width,
        };
        white_box.check(opened)?;
        Ok(white_box)
    }

    /// The network must answer as the model does, or its gradients are another model's.
    fn check(&self, opened: &Opened<'_>) -> Result<(), ModelError> {
        let expected = opened.reading.scores(opened.answer.clone())?;
        let differential = self.of_rows(opened.trial, Objective::Score)?;
        let own = differential.values.iter().zip(expected);
        let off = own.map(|(&own, score)| (own, f64::from(self.target.measured(score))));
        match off
            .filter(|(_, score)| !score.is_nan())
            .find(|(own, score)| (own - score).abs() > AGREEMENT * score.abs().max(1.0))
        {
            None => Ok(()),
            Some((own, score)) => Err(cannot(format!(
                "the model's gradients cannot be trusted: it gives {score} where its differentiated \
                 network gives {own}"
            ))),
        }
    }

    fn of_rows(&self, rows: &[f32], objective: Objective) -> Result<Differential, ModelError> {
        let count = rows.len() / self.width.max(1);
        let mut whole = Differential {
            values: Vec::with_capacity(count),
            gradients: Array2::zeros((count, self.width)),
        };
        let most = self.feed.batch.unwrap_or(count).max(1);
        for chunk in rows.chunks(most * self.width) {
            self.of_chunk(chunk, objective, &mut whole)?;
        }
        Ok(whole)
    }

    /// The rows of one call; a model that takes a fixed number of rows gets the last one repeated.
    fn of_chunk(
        &self,
        chunk: &[f32],
        objective: Objective,
        whole: &mut Differential,
    ) -> Result<(), ModelError> {
        let (first, count) = (whole.values.len(), chunk.len() / self.width);
        let mut filled = chunk.to_vec();
        while filled.len() < self.feed.batch.unwrap_or(count) * self.width {
            filled.extend_from_slice(&chunk[chunk.len() - self.width..]);
        }
        let tensors = self.feed.tensors(&filled);
        let inputs: Vec<Var> = tensors.iter().map(variable).collect::<Result<_, _>>()?;
        let (values, gradients) = self.differentiated(&inputs, objective).map_err(failed)?;
        whole.values.extend(&values[..count]);
        for (slopes, gradients) in self.slopes.iter().zip(gradients) {
            let rows = gradients.chunks_exact(slopes.len().max(1)).take(count);
            for (row, gradients) in rows.enumerate() {
                for (slope, gradient) in slopes.iter().zip(gradients) {
                    if let Some(Slope { attribute, slope }) = slope {
                        whole.gradients[[first + row, *attribute]] += slope * gradient;
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of each row, and for each input its gradient, row after row.
    fn differentiated(
        &self,
        inputs: &[Var],
        objective: Objective,
    ) -> candle_core::Result<(Vec<f64>, Vec<Vec<f64>>)> {
        let output = self.network.run(inputs)?;
        let numbers = self.target.numbers(&output, objective)?;
        // Rows do not depend on each other, so the gradient of their sum is that of each.
        let gradients = numbers.sum_all()?.backward()?;
        let of_input = |input: &Var| match gradients.get(input) {
            Some(gradient) => gradient.flatten_all()?.to_vec1(),
            None => Ok(vec![0.0; input.elem_count()]),
        };
        let gradients = inputs.iter().map(of_input).collect::<Result<_, _>>()?;
        Ok((numbers.to_vec1()?, gradients))
    }
}

/// An input as a variable; whole numbers are numbers like any other here.
fn variable(tensor: &Tensor<'_>) -> Result<Var, ModelError> {
    let numbers: Vec<f64> = match &tensor.values {
        Values::Float(values) => values.iter().map(|&value| f64::from(value)).collect(),
        Values::Double(values) => values.clone(),
        Values::Int64(values) => values.iter().map(|&value| value as f64).collect(),
        Values::Int32(values) => values.iter().map(|&value| f64::from(value)).collect(),
        Values::Bool(values) => values.iter().map(|&value| f64::from(value)).collect(),
        Values::Text(_) => {
            return Err(cannot(
                "the model takes words, which have no gradient".to_owned(),
            ));
        }
    };
    Var::from_vec(numbers, tensor.shape.as_slice(), &Device::Cpu).map_err(failed)
}

/// The model has something that no gradient goes through.
fn cannot(message: String) -> ModelError {
    ModelError::Misfit {
        message,
        help: OTHERWISE.to_owned(),
        key: None,
    }
}

fn failed(error: candle_core::Error) -> ModelError {
    ModelError::Answer {
        message: format!("the model could not be differentiated: {error}"),
        help: Some(OTHERWISE.to_owned()),
    }
}

impl Gradients for WhiteBox {
    fn differentiate(
        &self,
        rows: ArrayView2<'_, f32>,
        objective: Objective,
    ) -> Result<Differential, ModelError> {
        let rows = rows.as_standard_layout();
        self.of_rows(rows.as_slice().unwrap_or_default(), objective)
    }

    fn jumps(&self) -> &[usize] {
        &self.jumps
    }

    fn has_loss(&self) -> bool {
        self.target.has_loss()
    }
}

impl Model for WhiteBox {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        self.model.scores(rows)
    }

    fn gradients(&self) -> Option<&dyn Gradients> {
        Some(self)
    }

    fn calibrate(&self, rows: ArrayView2<'_, f32>) -> Result<(), ModelError> {
        self.model.calibrate(rows)
    }

    fn at_home(&self, work: &mut (dyn FnMut() + Send)) {
        self.model.at_home(work);
    }

    fn referee(&self) -> Option<&dyn Model> {
        self.model.referee()
    }

    fn settled(&self) -> u64 {
        self.model.settled()
    }
}

#[cfg(test)]
mod tests;
