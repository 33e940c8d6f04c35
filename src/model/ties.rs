//! Scores that are exactly at a boundary.
//!
//! Half of the trees of a forest say yes: such a score is no noise, and the rule says what it means.
//! The search takes everything that near to a boundary for undecided, so these scores are moved off
//! it, to the side on which they are decided. Where a second engine settles doubtful scores this is
//! not done: a network's score is at a boundary only because its last bits were rounded away.

use ndarray::ArrayView2;

use crate::decision::{Rule, class_of, class_score};

use super::canonical::UNDECIDED;
use super::{Model, ModelError};

/// A model whose ties are decided.
pub(super) struct Decided<M> {
    model: M,
    rule: Rule,
}

impl<M: Model> Decided<M> {
    /// The ties of this model are decided by this rule.
    pub(super) fn new(model: M, rule: Rule) -> Self {
        Decided { model, rule }
    }
}

impl<M: Model> Model for Decided<M> {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let mut scores = self.model.scores(rows)?;
        for score in &mut scores {
            *score = off_the_boundary(&self.rule, *score);
        }
        Ok(scores)
    }

    fn at_home(&self, work: &mut (dyn FnMut() + Send)) {
        self.model.at_home(work);
    }
}

/// A score that is not at a boundary; others stay as they are.
fn off_the_boundary(rule: &Rule, score: f32) -> f32 {
    let is_at = |boundary: &&f64| f64::from(score) == **boundary;
    match rule {
        Rule::Threshold(threshold) if is_at(&threshold) => score - beyond_noise(score),
        Rule::Bands(starts) if starts.iter().any(|start| is_at(&start)) => {
            score + beyond_noise(score)
        }
        // The first of the largest wins, as in every library.
        Rule::Classes(_) if class_of(score).1 == 0.0 => {
            class_score(class_of(score).0, beyond_noise(score))
        }
        _ => score,
    }
}

/// More than the noise at a score, which is wider for large numbers; as little as can be, since it
/// is shown.
fn beyond_noise(score: f32) -> f32 {
    4.0 * UNDECIDED as f32 * score.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::sides::Sides;

    #[test]
    fn a_score_that_is_the_boundary_itself_is_decided() {
        let decision = |rule: &Rule, score: f32| {
            let sides = Sides::new(rule);
            sides.side(off_the_boundary(rule, score)).decision()
        };
        for boundary in [0.5, 0.25, 0.0, -3.0, 17.0, 40_000.0] {
            let rule = Rule::Threshold(boundary);
            assert_eq!(decision(&rule, boundary as f32), Some(0), "{boundary}");
            let bands = Rule::Bands(vec![boundary, boundary + 100.0]);
            assert_eq!(decision(&bands, boundary as f32), Some(1), "{boundary}");
        }
        assert_eq!(decision(&Rule::Threshold(0.5), 0.500_000_06), None);
        // No score is 0.3: the nearest number is a little above or below.
        assert_eq!(decision(&Rule::Threshold(0.3), 0.3), None);
        for class in [0, 1, 9] {
            let level = class_score(class, 0.0);
            assert_eq!(decision(&Rule::Classes(10), level), Some(class));
        }
        assert_eq!(off_the_boundary(&Rule::Threshold(0.5), 0.7), 0.7);
        assert!(off_the_boundary(&Rule::Classes(3), f32::NAN).is_nan());
    }
}
