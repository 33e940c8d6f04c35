//! Gradients: how the confidence in a decision changes with each attribute, wherever slopes come from.

use crate::model::canonical;
use crate::model::meter::{Halt, Meter};
use crate::schema::Space;

use super::sides::Sides;
use super::zero_order::Forward;

/// A person whose gradient is wanted, with the score that is already known.
pub(super) struct Point<'a> {
    /// The packed profile.
    pub profile: &'a [u64],
    /// The combination of protected values.
    pub combination: usize,
    /// The score of this very person.
    pub score: f32,
}

impl Point<'_> {
    /// Appends what the model eats for this person.
    pub(super) fn push_row(&self, space: &Space, rows: &mut Vec<f32>) {
        space.push_packed(self.profile, self.combination, rows);
    }
}

/// Appends what the model eats for these points.
pub(super) fn push_rows(points: &[Point<'_>], space: &Space, rows: &mut Vec<f32>) {
    for point in points {
        point.push_row(space, rows);
    }
}

/// Whether differences are taken between scores on the grid or between their last bits.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Precision {
    /// On the grid, which is enough for comparing.
    Canonical,
    /// The last bits, so that the sign counts even where the score hardly changes.
    Exact,
}

/// A source of slopes: an estimate from scores alone, or a model that can be differentiated.
pub(super) trait Slopes: Sync {
    /// For each point one number for each movable attribute: how the measured number itself (see
    /// [`Sides::measured`]) changes when the attribute grows by one, whatever the decision.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    fn slopes(
        &self,
        points: &[Point<'_>],
        precision: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f64>, Halt>;

    /// Whether the slopes are those of the confidence in the point's own decision already.
    fn are_of_confidence(&self) -> bool {
        false
    }

    /// How slopes are made of scores that whoever wants them asks for, if they can be.
    fn forward(&self) -> Option<Forward> {
        None
    }
}

/// Slopes, and the gradients that follow from them by the rule of decision.
pub(super) struct Gradients<'a> {
    movable: usize,
    sides: Sides,
    source: Box<dyn Slopes + 'a>,
}

impl<'a> Gradients<'a> {
    pub(super) fn new(space: &Space, sides: Sides, source: Box<dyn Slopes + 'a>) -> Self {
        Gradients {
            movable: space.movable().len(),
            sides,
            source,
        }
    }

    /// How gradients, but for their signs, are made of scores that whoever wants them asks for, if they can
    /// be.
    pub(super) fn forward(&self) -> Option<Forward> {
        let forward = self.source.forward();
        forward.filter(|_| !self.sides.pulls_apart())
    }

    /// The slopes as the source has them.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub(super) fn slopes(
        &self,
        points: &[Point<'_>],
        precision: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f64>, Halt> {
        self.source.slopes(points, precision, meter)
    }

    /// For each point one number for each movable attribute: how the confidence in the point's own
    /// decision changes when the attribute grows by one. Below the threshold the confidence falls as
    /// the score rises.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub(super) fn of(
        &self,
        points: &[Point<'_>],
        precision: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f64>, Halt> {
        let mut slopes = self.slopes(points, precision, meter)?;
        if self.source.are_of_confidence() {
            return Ok(slopes);
        }
        let movable = self.movable.max(1);
        for (slopes, point) in slopes.chunks_exact_mut(movable).zip(points) {
            if self.sides.falls(point.score) {
                slopes.iter_mut().for_each(|slope| *slope = -*slope);
            }
        }
        if self.sides.pulls_apart() {
            for (slopes, points) in slopes.chunks_exact_mut(2 * movable).zip(points.chunks(2)) {
                pull_apart(slopes, points);
            }
        }
        Ok(slopes)
    }
}

/// Two numbers differ the more the further they are pulled apart. The gradients of a person and of the
/// counterpart become one that both follow downhill: that of their closeness.
fn pull_apart(slopes: &mut [f64], points: &[Point<'_>]) {
    let [own_point, other_point] = points else {
        return;
    };
    let (own, other) = slopes.split_at_mut(slopes.len() / 2);
    let side = if canonical(own_point.score) >= canonical(other_point.score) {
        1.0
    } else {
        -1.0
    };
    for (own, other) in own.iter_mut().zip(other) {
        let closeness = side * (*other - *own);
        (*own, *other) = (closeness, closeness);
    }
}
