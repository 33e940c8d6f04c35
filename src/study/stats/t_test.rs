//! t-tests: of two samples, of pairs, and the interval of a mean.

use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::{mean, variance};

/// What a t-test says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::study) struct TTest {
    /// How many standard errors the means lie apart.
    pub t: f64,
    /// Degrees of freedom.
    pub freedom: f64,
    /// How often chance alone gives a difference at least as large, either way.
    pub p: f64,
}

/// Welch's test whether two samples have the same mean; their variances may differ. None where there
/// are too few values, or where none varies.
pub(in crate::study) fn welch(one: &[f64], other: &[f64]) -> Option<TTest> {
    let [first, second] = [share_of_error(one)?, share_of_error(other)?];
    let error = first + second;
    let freedom = error.powi(2)
        / (first.powi(2) / (one.len() - 1) as f64 + second.powi(2) / (other.len() - 1) as f64);
    test((mean(one)? - mean(other)?) / error.sqrt(), freedom)
}

/// The test whether two samples of the same things differ: of the differences, thing by thing. None
/// where there are too few, or where all differences are the same.
pub(in crate::study) fn paired(one: &[f64], other: &[f64]) -> Option<TTest> {
    let differences: Vec<f64> = one
        .iter()
        .zip(other)
        .map(|(one, other)| one - other)
        .collect();
    let error = share_of_error(&differences)?.sqrt();
    test(mean(&differences)? / error, (differences.len() - 1) as f64)
}

/// The interval that holds the mean of what a sample was drawn from, with this confidence. None of
/// fewer than two values.
pub(in crate::study) fn interval(values: &[f64], confidence: f64) -> Option<[f64; 2]> {
    let (mean, error) = (mean(values)?, share_of_error(values)?.sqrt());
    let student = StudentsT::new(0.0, 1.0, (values.len() - 1) as f64).ok()?;
    let reach = error * student.inverse_cdf(0.5 + confidence / 2.0);
    Some([mean - reach, mean + reach])
}

/// The square of a mean's standard error.
fn share_of_error(values: &[f64]) -> Option<f64> {
    Some(variance(values)? / values.len() as f64)
}

fn test(t: f64, freedom: f64) -> Option<TTest> {
    if !t.is_finite() {
        return None;
    }
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let p = 2.0 * student.sf(t.abs());
    Some(TTest { t, freedom, p })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: [f64; 5] = [514.0, 498.0, 530.0, 505.0, 521.0];
    const OTHER: [f64; 5] = [394.0, 420.0, 377.0, 405.0, 399.0];
    const LIKE_ONE: [f64; 4] = [510.0, 519.0, 502.0, 533.0];

    fn close(test: Option<TTest>, expected: [f64; 3]) {
        let test = test.unwrap();
        for (measured, expected) in [test.t, test.freedom, test.p].into_iter().zip(expected) {
            assert!(
                (measured - expected).abs() <= 1e-6 * expected.abs(),
                "{test:?}, expected {expected}"
            );
        }
    }

    #[test]
    fn welch_gives_what_scipy_gives() {
        close(welch(&ONE, &OTHER), WELCH_APART);
        close(welch(&ONE, &LIKE_ONE), WELCH_ALIKE);
    }

    #[test]
    fn paired_gives_what_scipy_gives() {
        close(paired(&ONE, &OTHER), PAIRED);
    }

    #[test]
    fn an_interval_is_that_of_scipy() {
        let [lower, upper] = interval(&ONE, 0.95).unwrap();
        assert!((lower - INTERVAL[0]).abs() < 1e-6 && (upper - INTERVAL[1]).abs() < 1e-6);
    }

    #[test]
    fn what_cannot_be_tested_is_not() {
        assert_eq!(welch(&[1.0], &ONE), None);
        assert_eq!(welch(&[], &[]), None);
        assert_eq!(welch(&[2.0, 2.0], &[2.0, 2.0]), None);
        assert_eq!(paired(&ONE, &ONE), None);
        assert_eq!(interval(&[1.0], 0.95), None);
    }

    // scipy.stats.ttest_ind(.., equal_var=False), ttest_rel and ttest_1samp(..).confidence_interval(),
    // SciPy 1.17.1: statistic, degrees of freedom, p-value.
    const WELCH_APART: [f64; 3] = [
        12.705131010040823,
        7.656230272290676,
        2.0346606147794256e-06,
    ];
    const WELCH_ALIKE: [f64; 3] = [-0.2748892632482219, 6.404931114635601, 0.792055035409078];
    const PAIRED: [f64; 3] = [9.188310236311915, 4.0, 0.0007792371003776454];
    const INTERVAL: [f64; 2] = [497.87933728003213, 529.3206627199679];
}
