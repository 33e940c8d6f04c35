//! The statistics of a study: means and quartiles, t-tests, analysis of variance.

mod anova;
mod t_test;

pub(super) use anova::{Anova, anova};
pub(super) use t_test::{TTest, interval, paired, welch};

/// A result that chance alone gives less often than this counts as a difference.
pub(super) const SIGNIFICANT: f64 = 0.05;

/// The mean; none of nothing.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The variance of a sample; none of fewer than two values.
fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() - 1) as f64)
}

/// The geometric mean of positive values; none of nothing, or where a value is not above zero.
pub(super) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    mean(&logarithms)
        .filter(|mean| mean.is_finite())
        .map(f64::exp)
}

/// The value below which a share of the sorted values lies, between neighbours in proportion: the
/// default of R and NumPy.
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    Some(sorted[below] + (sorted[above] - sorted[below]) * place.fract())
}

/// What a box plot shows: quartiles, whiskers up to one and a half boxes away, and whatever lies beyond.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spread {
    /// The first quartile, the median and the third quartile.
    pub quartiles: [f64; 3],
    /// The smallest and the largest value that are not outliers.
    pub whiskers: [f64; 2],
    /// Values beyond the whiskers, rising.
    pub outliers: Vec<f64>,
    /// The mean.
    pub mean: f64,
}

impl Spread {
    /// The spread of some values; none of nothing.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values)?;
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let [first, median, third] = [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share));
        let (first, third) = (first?, third?);
        let reach = 1.5 * (third - first);
        let inside = |value: &f64| (first - reach..=third + reach).contains(value);
        let (within, outliers): (Vec<f64>, Vec<f64>) =
            sorted.iter().partition(|value| inside(value));
        Some(Spread {
            quartiles: [first, median?, third],
            whiskers: [*within.first()?, *within.last()?],
            outliers,
            mean,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([1, 2, 4, 8, 16], [0, .25, .5, .75, .9, 1]), NumPy 2.4.6
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        let shares = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0];
        let expected = [1.0, 2.0, 4.0, 8.0, 12.8, 16.0];
        for (share, expected) in shares.into_iter().zip(expected) {
            let quantile = quantile(&values, share).unwrap();
            assert!((quantile - expected).abs() < 1e-12, "{share}: {quantile}");
        }
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_spread_leaves_outliers_out_of_the_whiskers() {
        let spread = Spread::of(&[5.0, 1.0, 3.0, 2.0, 4.0, 100.0]).unwrap();
        assert_eq!(spread.quartiles, [2.25, 3.5, 4.75]);
        assert_eq!(spread.whiskers, [1.0, 5.0]);
        assert_eq!(spread.outliers, [100.0]);
        assert!((spread.mean - 115.0 / 6.0).abs() < 1e-12);
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[7.0]).unwrap().whiskers, [7.0, 7.0]);
    }

    #[test]
    fn a_geometric_mean_needs_positive_values() {
        assert!((geometric_mean(&[1.0, 4.0, 16.0]).unwrap() - 4.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
        assert_eq!(geometric_mean(&[]), None);
    }
}
