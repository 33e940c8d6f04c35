//! Which number is differentiated: the score that is read from a model's output, or the loss.

use candle_core::{D, Device, Result, Tensor};

use super::operators::{sigmoid, softmax};
use super::{Answer, ModelError, OTHERWISE, Objective, Reading};
use crate::decision::{Rule, class_of};
use crate::model::reading::{Kind, Link};

/// How a model's output becomes the number that is differentiated.
pub(super) struct Target {
    pick: Pick,
    link: Link,
    /// The probability above which the decision is the second one, if there are probabilities of two.
    threshold: Option<f64>,
}

#[derive(Clone, Copy)]
enum Pick {
    Column(usize),
    /// The lead of the largest.
    Largest,
}

impl Target {
    /// The same number as is read from `answer`.
    ///
    /// # Errors
    /// The answer is a label, which has no gradient.
    pub(super) fn new(reading: &Reading, answer: &Answer) -> std::result::Result<Self, ModelError> {
        let (pick, link) = match &reading.kind {
            Kind::Column { column, link } => (Pick::Column(*column), *link),
            Kind::Largest { link } => (Pick::Largest, *link),
            Kind::Whole(_) | Kind::Words(_) => return Err(only_labels()),
        };
        let values = match answer {
            Answer::Numbers { values, .. } | Answer::Named { values, .. } => values,
            Answer::Whole(_) | Answer::Words(_) => return Err(only_labels()),
        };
        // A threshold may be said for scores of any kind: those that lie there are probabilities.
        let probable = link != Link::None || values.iter().all(|value| (0.0..=1.0).contains(value));
        let threshold = match reading.rule {
            Rule::Threshold(threshold) if probable => Some(threshold),
            _ => None,
        };
        Ok(Target {
            pick,
            link,
            threshold,
        })
    }

    pub(super) fn has_loss(&self) -> bool {
        self.threshold.is_some() || matches!(self.pick, Pick::Largest)
    }

    /// The number in a score, as [`Target::numbers`] gives it.
    pub(super) fn measured(&self, score: f32) -> f32 {
        match self.pick {
            Pick::Column(_) => score,
            Pick::Largest => class_of(score).1,
        }
    }

    /// One number a row.
    pub(super) fn numbers(&self, output: &Tensor, objective: Objective) -> Result<Tensor> {
        let rows = output.dims().first().copied().unwrap_or(1);
        let output = output.reshape((rows, ()))?;
        let columns = match self.link {
            Link::None => output,
            Link::Sigmoid => sigmoid(&output)?,
            Link::Softmax => softmax(&output, 1)?,
        };
        match (self.pick, objective) {
            (Pick::Column(column), Objective::Score) => columns.get_on_dim(D::Minus1, column),
            (Pick::Column(column), Objective::Loss) => {
                self.loss(&columns.get_on_dim(D::Minus1, column)?)
            }
            (Pick::Largest, Objective::Score) => lead(&columns, -1.0),
            (Pick::Largest, Objective::Loss) => lead(&columns, 0.0)?.log()?.neg(),
        }
    }

    /// The cross entropy of the decision that the model takes itself.
    fn loss(&self, probability: &Tensor) -> Result<Tensor> {
        let Some(threshold) = self.threshold else {
            candle_core::bail!("scores that are no probabilities have no loss")
        };
        let other = (1.0 - probability)?;
        let own = probability.gt(threshold)?.where_cond(probability, &other)?;
        own.log()?.neg()
    }
}

/// The largest number of each row, plus the next one times `next`.
fn lead(columns: &Tensor, next: f64) -> Result<Tensor> {
    let rows: Vec<Vec<f64>> = columns.to_vec2()?;
    let mut weights = Vec::with_capacity(columns.elem_count());
    for row in &rows {
        let largest = |left_out: Option<usize>| {
            let others = (0..row.len()).filter(|&at| Some(at) != left_out);
            others.fold(None, |best: Option<usize>, at| match best {
                Some(best) if row[best] >= row[at] => Some(best),
                _ => Some(at),
            })
        };
        let first = largest(None);
        let second = largest(first);
        weights.extend((0..row.len()).map(|at| match Some(at) {
            at if at == first => 1.0,
            at if at == second => next,
            _ => 0.0,
        }));
    }
    let weights = Tensor::from_vec(weights, columns.dims(), &Device::Cpu)?;
    (columns * weights)?.sum(D::Minus1)
}

fn only_labels() -> ModelError {
    ModelError::Misfit {
        message: "the model answers with labels, which have no gradient".to_owned(),
        help: format!("name the output that holds the scores: output = \"..\"; or {OTHERWISE}"),
        key: None,
    }
}
