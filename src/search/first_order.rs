//! First-order gradients: the model's own, by differentiating it.

use crate::model::Objective;
use crate::model::meter::{Halt, Meter, Wanted};
use crate::schema::Space;

use super::gradient::{Point, Precision, Slopes, push_rows};

/// A slope this many times smaller than the steepest one is rounding: which sign it has is chance.
const NOTHING: f64 = 1.0 / (1_u64 << 40) as f64;

/// Asks a model for its gradients.
pub(super) struct Differentiator<'a> {
    space: &'a Space,
    objective: Objective,
}

impl<'a> Differentiator<'a> {
    pub(super) fn new(space: &'a Space, objective: Objective) -> Self {
        Differentiator { space, objective }
    }

    /// The slopes of the movable attributes, without last bits, which are not the same on every
    /// machine.
    fn movable(&self, gradient: &[f64], sign: f64) -> impl Iterator<Item = f64> {
        let movable = self.space.movable().iter();
        let slopes: Vec<f64> = movable.map(|&attribute| gradient[attribute]).collect();
        let steepest = slopes
            .iter()
            .fold(0.0, |most: f64, slope| most.max(slope.abs()));
        slopes.into_iter().map(move |slope| {
            if slope.abs() <= steepest * NOTHING {
                0.0
            } else {
                sign * rounded(slope)
            }
        })
    }
}

/// Rounded to as many bits as a 32-bit float has, but for its range: a flat slope has a sign, too.
fn rounded(slope: f64) -> f64 {
    const DROPPED: u64 = (1 << 29) - 1;
    f64::from_bits(slope.to_bits().saturating_add(1 << 28) & !DROPPED)
}

impl Slopes for Differentiator<'_> {
    /// One call for all points. Slopes are real ones, whatever the precision that is asked for.
    fn slopes(
        &self,
        points: &[Point<'_>],
        _: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f64>, Halt> {
        let wanted = Wanted {
            items: points.len(),
            each: 1,
            make: &|items, rows| push_rows(&points[items], self.space, rows),
        };
        let gradients = meter.differentiate(&wanted, self.objective)?;
        let width = self.space.schema().width();
        // The confidence in a decision falls as its loss rises.
        let sign = match self.objective {
            Objective::Score => 1.0,
            Objective::Loss => -1.0,
        };
        let slopes = gradients.chunks_exact(width);
        Ok(slopes
            .flat_map(|gradient| self.movable(gradient, sign))
            .collect())
    }

    fn are_of_confidence(&self) -> bool {
        self.objective == Objective::Loss
    }
}
