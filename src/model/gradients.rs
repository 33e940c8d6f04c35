//! What white-box methods ask of a model besides its scores: its gradients.

use ndarray::{Array2, ArrayView2};

use super::ModelError;

/// What is differentiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Objective {
    /// The score itself. Where classes are compared: by how much the row's own class leads.
    Score,
    /// The cross entropy of the model's own decision: minus the logarithm of its probability.
    Loss,
}

/// What was differentiated, for a batch of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Differential {
    /// The number of each row.
    pub values: Vec<f64>,
    /// How each row's number changes as each of its attributes grows by one.
    pub gradients: Array2<f64>,
}

/// A model that can be differentiated. Rows are those of [`Model`](super::Model).
pub trait Gradients: Sync {
    /// The numbers of `rows` and their gradients. The same row must get the same numbers whatever
    /// else is in the batch, and calls may come from several threads at once.
    ///
    /// # Errors
    /// Whatever keeps the model from being differentiated, as a sentence.
    fn differentiate(
        &self,
        rows: ArrayView2<'_, f32>,
        objective: Objective,
    ) -> Result<Differential, ModelError>;

    /// Attributes that reach the model in jumps, such as one-hot groups: they have no gradient.
    fn jumps(&self) -> &[usize] {
        &[]
    }

    /// Whether the decisions have probabilities, so that there is a loss.
    fn has_loss(&self) -> bool {
        true
    }
}
