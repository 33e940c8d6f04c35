//! Where gradients come from: the model itself, or two scores for each attribute.

use ndarray::ArrayView2;

use crate::model::meter::BATCH_ROWS;
use crate::model::{Gradients, Model, ModelError, Objective};

/// A way to take gradients, by the attributes that a search moves.
pub(super) trait Source {
    /// The gradients of rows that lie one after another: for each row a number for each attribute.
    ///
    /// # Errors
    /// The model failed.
    fn gradients(&self, rows: &[f32]) -> Result<Vec<f64>, ModelError>;
}

/// The attributes of a row, and those that are moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Width<'a> {
    /// How many numbers a row has.
    pub row: usize,
    /// The places of the attributes that a search moves.
    pub movable: &'a [usize],
}

impl Width<'_> {
    /// Rows that lie one after another, as the model takes them.
    pub(super) fn matrix<'r>(&self, rows: &'r [f32]) -> Result<ArrayView2<'r, f32>, ModelError> {
        let shape = (rows.len() / self.row.max(1), self.row);
        ArrayView2::from_shape(shape, rows).map_err(|error| ModelError::Answer {
            message: error.to_string(),
            help: None,
        })
    }
}

/// Real gradients: of the score (EIDIG) or of the loss (ADF).
pub(super) struct Real<'a> {
    /// The model.
    pub model: &'a dyn Gradients,
    /// What is differentiated.
    pub objective: Objective,
    /// The rows.
    pub width: Width<'a>,
}

impl Source for Real<'_> {
    fn gradients(&self, rows: &[f32]) -> Result<Vec<f64>, ModelError> {
        let rows = self.width.matrix(rows)?;
        let whole = self.model.differentiate(rows, self.objective)?.gradients;
        let moved = whole.rows().into_iter();
        let moved = moved.flat_map(|row| self.width.movable.iter().map(move |&place| row[place]));
        Ok(moved.collect())
    }
}

/// Estimated gradients: Algorithm 2 of the paper, or Algorithm 1 (plain).
pub(super) struct Estimated<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// How far an attribute is moved.
    pub size: f32,
    /// A call for each attribute, instead of one for all.
    pub plain: bool,
    /// The rows.
    pub width: Width<'a>,
}

impl Estimated<'_> {
    fn slope(&self, probed: f32, base: f32) -> f64 {
        (f64::from(probed) - f64::from(base)) / f64::from(self.size)
    }

    fn scores(&self, rows: &[f32]) -> Result<Vec<f32>, ModelError> {
        self.model.scores(self.width.matrix(rows)?)
    }

    fn at_once(&self, rows: &[f32]) -> Result<Vec<f64>, ModelError> {
        let (row, movable) = (self.width.row, self.width.movable);
        let mut probes = Vec::with_capacity(rows.len() * (movable.len() + 1));
        for person in rows.chunks_exact(row) {
            probes.extend_from_slice(person);
            for &place in movable {
                let start = probes.len();
                probes.extend_from_slice(person);
                probes[start + place] += self.size;
            }
        }
        let scores = self.scores(&probes)?;
        let people = scores.chunks_exact(movable.len() + 1);
        let slopes = people.flat_map(|scores| {
            let base = scores[0];
            scores[1..]
                .iter()
                .map(move |&probed| self.slope(probed, base))
        });
        Ok(slopes.collect())
    }

    fn one_after_another(&self, rows: &[f32]) -> Result<Vec<f64>, ModelError> {
        let (row, movable) = (self.width.row, self.width.movable);
        let bases = self.scores(rows)?;
        let mut gradients = vec![0.0; bases.len() * movable.len()];
        for (column, &place) in movable.iter().enumerate() {
            let mut probes = rows.to_vec();
            for person in probes.chunks_exact_mut(row) {
                person[place] += self.size;
            }
            for (person, (probed, base)) in self.scores(&probes)?.iter().zip(&bases).enumerate() {
                gradients[person * movable.len() + column] = self.slope(*probed, *base);
            }
        }
        Ok(gradients)
    }
}

impl Source for Estimated<'_> {
    fn gradients(&self, rows: &[f32]) -> Result<Vec<f64>, ModelError> {
        let people = (BATCH_ROWS / (self.width.movable.len() + 1)).max(1);
        let mut gradients = Vec::new();
        for rows in rows.chunks(people * self.width.row) {
            gradients.extend(match self.plain {
                true => self.one_after_another(rows)?,
                false => self.at_once(rows)?,
            });
        }
        Ok(gradients)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::from_fn;

    #[test]
    fn both_algorithms_give_the_same_numbers() {
        let model = from_fn(|row| 0.1 + 0.0625 * row[0] * row[0] + 0.125 * row[2]);
        let width = Width {
            row: 3,
            movable: &[0, 2],
        };
        let estimated = |plain| {
            let source = Estimated {
                model: &model,
                size: 1.0,
                plain,
                width,
            };
            source.gradients(&[1.0, 5.0, 1.0, 2.0, 5.0, 0.0]).unwrap()
        };
        let vectored = estimated(false);
        assert_eq!(vectored, estimated(true));
        for (slope, expected) in vectored
            .iter()
            .zip([3.0 * 0.0625, 0.125, 5.0 * 0.0625, 0.125])
        {
            assert!((slope - expected).abs() < 1e-6, "{vectored:?}");
        }
    }
}
