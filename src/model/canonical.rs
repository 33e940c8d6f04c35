//! Scores that do not depend on the runtime, the batch size or the number of threads.
//!
//! Two CPU runtimes differ in a score's last bits, and a search of millions of steps follows such a
//! difference into another corner of the domain. So every score is rounded to a grid that is far
//! coarser than that noise ([`canonical`]) before anything is decided by it. A score within the noise
//! of a grid line could still round either way: those few rows are shown to a second engine as well,
//! always the same one, and its answer is taken ([`Settled`]). Where the sign of a tiny difference
//! decides, the second engine answers alone ([`Model::referee`]).

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use ndarray::{Array2, ArrayView2};

use crate::decision::class_of;

use super::{Model, ModelError};

/// The grid is this fine where scores are probabilities that are neither near 0 nor near 1.
const FINEST_UNIFORM: i32 = -15;

/// Nearer to 0 and 1 the grid keeps this many bits of the distance, down to the smallest scores.
const RELATIVE_BITS: i32 = 10;

/// A decision closer to the threshold than this is within numerical noise and counts as undecided.
pub const UNDECIDED: f64 = 1.0 / 65_536.0;

/// The noise that is assumed between two runtimes before any is measured.
const LEAST_NOISE: f32 = 1.0 / 2_097_152.0;

/// How many times the largest difference seen in calibration the noise is taken to be.
const SAFETY: f32 = 4.0;

/// Scores for which the grid is uniform.
const UNIFORM: RangeInclusive<f32> = 1.0 / 32.0..=31.0 / 32.0;

/// Rounds a score to the grid.
#[inline]
pub fn canonical(score: f32) -> f32 {
    // Most scores are here.
    if UNIFORM.contains(&score) {
        return uniform(score);
    }
    on_the_grid(score)
}

/// The same, for a score where the grid is uniform.
#[inline]
pub(crate) fn uniform(score: f32) -> f32 {
    // Both numbers keep whole steps exact.
    const STEPS: f32 = 32_768.0;
    const ROUNDER: f32 = 12_582_912.0;
    (score * STEPS + ROUNDER - ROUNDER) / STEPS
}

/// Whether the grid is uniform for all these scores. All are looked at, several at once.
#[inline]
pub(crate) fn are_uniform(scores: &[f32]) -> bool {
    let others = scores
        .iter()
        .map(|score| u32::from(!UNIFORM.contains(score)));
    others.sum::<u32>() == 0
}

/// The same, for any number.
fn on_the_grid(score: f32) -> f32 {
    let score = f64::from(score);
    let probability = (0.0..=1.0).contains(&score);
    let distance = if probability {
        score.min(1.0 - score)
    } else {
        score.abs()
    };
    if distance == 0.0 {
        return score as f32;
    }
    let exponent = ((distance.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let spacing = if probability {
        (exponent - RELATIVE_BITS).min(FINEST_UNIFORM)
    } else {
        exponent.max(0) + FINEST_UNIFORM
    };
    // A power of two, so that dividing by it and multiplying with it are exact. Nothing is smaller
    // than 2^-149, and nothing larger than 2^128.
    let steps = score * power_of_two(-spacing);
    // Adding and taking away this number rounds to whole numbers, ties to even, without a call.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let rounded = if steps.abs() < 1e15 {
        steps + ROUNDER - ROUNDER
    } else {
        steps
    };
    (rounded * power_of_two(spacing)) as f32
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// A model whose doubtful scores are settled by a second engine.
pub(super) struct Settled<M, R> {
    model: M,
    referee: R,
    /// The bits of an `f32`: calibration may run beside other workers.
    noise: AtomicU32,
    settled: AtomicU64,
    /// Scores are those of [`class_of`].
    classes: bool,
}

impl<M: Model, R: Model> Settled<M, R> {
    /// `model` answers, `referee` settles what is doubtful.
    pub(super) fn new(model: M, referee: R, classes: bool) -> Self {
        Settled {
            classes,
            model,
            referee,
            noise: AtomicU32::new(LEAST_NOISE.to_bits()),
            settled: AtomicU64::new(0),
        }
    }

    fn doubtful(&self, score: f32) -> bool {
        let noise = f32::from_bits(self.noise.load(Ordering::Relaxed));
        // Where two classes are level, either may lead.
        canonical(score - noise) != canonical(score + noise)
            || self.classes && class_of(score).1 <= noise
    }
}

impl<M: Model, R: Model> Model for Settled<M, R> {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let mut scores = self.model.scores(rows)?;
        let doubtful: Vec<usize> = (0..scores.len())
            .filter(|&row| self.doubtful(scores[row]))
            .collect();
        if doubtful.is_empty() {
            return Ok(scores);
        }
        let mut asked = Array2::zeros((doubtful.len(), rows.ncols()));
        for (&row, mut copy) in doubtful.iter().zip(asked.rows_mut()) {
            copy.assign(&rows.row(row));
        }
        let settled = self.referee.scores(asked.view())?;
        for (row, score) in doubtful.into_iter().zip(settled) {
            scores[row] = score;
        }
        self.settled
            .fetch_add(asked.nrows() as u64, Ordering::Relaxed);
        Ok(scores)
    }

    /// Measures how far the two engines differ on these rows and widens the noise to match.
    fn calibrate(&self, rows: ArrayView2<'_, f32>) -> Result<(), ModelError> {
        let ours = self.model.scores(rows)?;
        let theirs = self.referee.scores(rows)?;
        self.settled
            .fetch_add(2 * rows.nrows() as u64, Ordering::Relaxed);
        let largest = ours
            .iter()
            .zip(&theirs)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0_f32, f32::max);
        let noise = LEAST_NOISE.max(largest * SAFETY);
        self.noise.fetch_max(noise.to_bits(), Ordering::Relaxed);
        Ok(())
    }

    fn at_home(&self, work: &mut (dyn FnMut() + Send)) {
        self.referee.at_home(work);
    }

    fn referee(&self) -> Option<&dyn Model> {
        Some(&self.referee)
    }

    fn settled(&self) -> u64 {
        self.settled.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_idempotent_and_monotone() {
        let mut last = f32::NEG_INFINITY;
        for step in 0..=2_000_000 {
            let score = step as f32 / 2_000_000.0;
            let rounded = canonical(score);
            assert_eq!(rounded, canonical(rounded), "{score}");
            assert!(rounded >= last, "{score}");
            assert!((rounded - score).abs() <= 1.6e-5, "{score}");
            last = rounded;
        }
    }

    #[test]
    fn the_short_way_to_the_grid_leads_to_the_same_place() {
        for bits in (0.02_f32.to_bits()..0.99_f32.to_bits()).step_by(7) {
            let score = f32::from_bits(bits);
            assert_eq!(canonical(score), on_the_grid(score), "{score}");
        }
    }

    #[test]
    fn one_score_elsewhere_is_noticed_among_many() {
        let mut scores = [0.5; 40];
        assert!(are_uniform(&scores));
        for (place, elsewhere) in [(0, 0.03), (17, 0.97), (39, f32::NAN)] {
            scores[place] = elsewhere;
            assert!(!are_uniform(&scores));
            scores[place] = 0.5;
        }
    }

    #[test]
    fn small_scores_keep_their_size() {
        for score in [1e-3_f32, 1e-6, 1e-12, 1e-30, 1e-42] {
            let relative = (canonical(score) - score).abs() / score;
            assert!(relative < 1e-3, "{score}: {relative}");
        }
    }

    #[test]
    fn any_number_is_rounded_without_a_panic() {
        assert_eq!(canonical(0.0), 0.0);
        assert_eq!(canonical(1.0), 1.0);
        assert_eq!(canonical(0.5), 0.5);
        assert!((canonical(-37.123) + 37.123).abs() < 1e-3);
        assert!(canonical(f32::NAN).is_nan());
        assert!(canonical(f32::INFINITY).is_infinite() || canonical(f32::INFINITY).is_nan());
    }

    #[test]
    fn an_engine_with_noise_gives_the_referee_s_scores() {
        let exact = |row: ndarray::ArrayView1<'_, f32>| 1.0 / (1.0 + (-row[0]).exp());
        let noisy = move |row: ndarray::ArrayView1<'_, f32>| {
            let wobble = if row[0].to_bits().is_multiple_of(2) {
                1.2e-7
            } else {
                -1.2e-7
            };
            (exact(row) + wobble).clamp(0.0, 1.0)
        };
        let settled = Settled::new(
            super::super::from_fn(noisy),
            super::super::from_fn(exact),
            false,
        );
        let rows = Array2::from_shape_fn((200_000, 1), |(i, _)| (i as f32 - 100_000.0) / 8_000.0);
        settled.calibrate(rows.view()).unwrap();
        let calibrated = settled.settled();
        let scores = settled.scores(rows.view()).unwrap();
        for (row, score) in rows.rows().into_iter().zip(scores) {
            assert_eq!(canonical(score), canonical(exact(row)), "{row}");
        }
        let asked_again = settled.settled() - calibrated;
        assert!(asked_again > 0 && asked_again < 200_000);
    }
}
