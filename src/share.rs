//! A share of people, and the exact interval around it.

use statrs::distribution::{Beta, ContinuousCDF};

/// Discriminated people among those looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// People who have a counterpart with another decision.
    pub discriminated: u64,
    /// People looked at.
    pub of: u64,
}

impl Share {
    /// The rate; nothing if nobody was looked at.
    pub fn value(&self) -> Option<f64> {
        (self.of > 0).then(|| self.discriminated as f64 / self.of as f64)
    }
}

/// The exact (Clopper-Pearson) interval for a share.
pub fn clopper_pearson(share: Share, confidence: f64) -> (f64, f64) {
    let (found, of) = (share.discriminated as f64, share.of as f64);
    let tail = (1.0 - confidence) / 2.0;
    let lower = if share.discriminated == 0 {
        0.0
    } else {
        beta_quantile(found, of - found + 1.0, tail)
    };
    let upper = if share.discriminated >= share.of {
        1.0
    } else {
        beta_quantile(found + 1.0, of - found, 1.0 - tail)
    };
    (lower, upper)
}

fn beta_quantile(a: f64, b: f64, probability: f64) -> f64 {
    Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(probability))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(discriminated: u64, of: u64) -> (f64, f64) {
        clopper_pearson(Share { discriminated, of }, 0.95)
    }

    #[test]
    fn intervals_are_those_of_the_textbooks() {
        // R: binom.test(x, n)$conf.int
        for (found, of, lower, upper) in [
            (0, 10, 0.0, 0.308_497_1),
            (10, 10, 0.691_502_9, 1.0),
            (5, 100, 0.016_431_88, 0.112_834_9),
            (1, 1000, 0.000_025_317_48, 0.005_558_925),
        ] {
            let (low, high) = interval(found, of);
            assert!((low - lower).abs() < 1e-6, "{found}/{of}: {low}");
            assert!((high - upper).abs() < 1e-6, "{found}/{of}: {high}");
        }
    }

    #[test]
    fn zero_found_never_means_zero() {
        let (lower, upper) = interval(0, 10_000);
        assert_eq!(lower, 0.0);
        assert!(upper > 3e-4 && upper < 4e-4, "{upper}");
    }

    #[test]
    fn nobody_looked_at_says_nothing() {
        assert_eq!(interval(0, 0), (0.0, 1.0));
        assert_eq!(Share::default().value(), None);
    }
}
