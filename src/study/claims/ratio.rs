//! How many times as many one method finds as another.

use crate::study::stats::{geometric_mean, interval};

use super::{FEWEST, Judgement, significant};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// A ratio over benchmarks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ratio {
    /// The geometric mean over the benchmarks.
    pub mean: f64,
    /// The interval that holds it with 95 % confidence.
    pub interval: [f64; 2],
    /// The ratio of the totals.
    pub totals: f64,
    /// Benchmarks that both found something in.
    pub benchmarks: usize,
}

impl Ratio {
    /// The ratio of two rows of figures, benchmark by benchmark. Benchmarks where either has nothing are
    /// in the totals alone. None where fewer than three are left.
    pub(super) fn new([one, other]: &[Vec<f64>; 2]) -> Option<Self> {
        let both = one.iter().zip(other);
        let ratios: Vec<f64> = both
            .filter(|&(&one, &other)| one > 0.0 && other > 0.0)
            .map(|(one, other)| one / other)
            .collect();
        let logarithms: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        let totals = one.iter().sum::<f64>() / other.iter().sum::<f64>();
        (ratios.len() >= FEWEST).then_some(())?;
        Some(Ratio {
            mean: geometric_mean(&ratios)?,
            interval: interval(&logarithms, CONFIDENCE)?.map(f64::exp),
            totals,
            benchmarks: ratios.len(),
        })
    }

    /// Whether what was measured is as much as what is claimed: the totals are; or there is more at
    /// all, and the claimed figure lies in the interval of the mean or below it.
    pub(super) fn is_at_least(&self, claimed: f64) -> Judgement {
        let in_interval = self.mean > 1.0 && self.interval[1] >= claimed;
        Judgement::when(self.totals >= claimed || in_interval)
    }

    /// The figures, as people read them.
    pub(super) fn words(&self) -> String {
        let [lower, upper] = self.interval;
        format!(
            "{} x (geometric mean of {} benchmarks, 95 % confidence: {} to {}; of the totals {} x)",
            significant(self.mean, 3),
            self.benchmarks,
            significant(lower, 3),
            significant(upper, 3),
            significant(self.totals, 3),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(one: [f64; 4], other: [f64; 4]) -> Option<Ratio> {
        Ratio::new(&[one.to_vec(), other.to_vec()])
    }

    #[test]
    fn a_ratio_is_that_of_the_benchmarks_and_of_the_totals() {
        let ratio = ratio([20.0, 400.0, 9.0, 5.0], [10.0, 100.0, 3.0, 0.0]).unwrap();
        assert_eq!(ratio.benchmarks, 3);
        assert!((ratio.mean - 24_f64.cbrt()).abs() < 1e-12, "{ratio:?}");
        assert!((ratio.totals - 434.0 / 113.0).abs() < 1e-12);
        assert!(ratio.interval[0] < ratio.mean && ratio.mean < ratio.interval[1]);
    }

    #[test]
    fn a_claim_below_the_interval_or_in_it_is_confirmed() {
        let ratio = ratio([10.0, 11.0, 10.5, 10.2], [1.0, 1.0, 1.0, 1.0]).unwrap();
        assert_eq!(ratio.is_at_least(2.0), Judgement::Confirmed);
        assert_eq!(ratio.is_at_least(10.4), Judgement::Confirmed);
        assert_eq!(ratio.is_at_least(14.69), Judgement::NotConfirmed);
    }

    #[test]
    fn fewer_are_not_more_however_wide_the_interval_is() {
        let ratio = ratio([0.7, 1.3, 0.9, 1.0], [1.0, 1.0, 1.0, 1.0]).unwrap();
        assert!(ratio.interval[1] > 1.05, "{ratio:?}");
        assert_eq!(ratio.is_at_least(1.05), Judgement::NotConfirmed);
    }

    #[test]
    fn two_benchmarks_are_no_sample() {
        assert_eq!(ratio([1.0, 2.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]), None);
    }
}
