//! One-way analysis of variance.

use statrs::distribution::{ContinuousCDF as _, FisherSnedecor};

use super::mean;

/// What an analysis of variance says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::study) struct Anova {
    /// How much more the groups' means vary than their values make likely.
    pub f: f64,
    /// Degrees of freedom between the groups and within them.
    pub freedom: [usize; 2],
    /// How often chance alone gives groups at least as different.
    pub p: f64,
}

/// Whether all groups have the same mean. None where there are fewer than two groups, or where
/// nothing varies within them.
pub(in crate::study) fn anova(groups: &[&[f64]]) -> Option<Anova> {
    let values: usize = groups.iter().map(|group| group.len()).sum();
    let freedom = [
        groups.len().checked_sub(1).filter(|&between| between > 0)?,
        values
            .checked_sub(groups.len())
            .filter(|&within| within > 0)?,
    ];
    let overall = groups.iter().flat_map(|group| group.iter()).sum::<f64>() / values as f64;
    let (mut between, mut within) = (0.0, 0.0);
    for group in groups {
        let mean = mean(group)?;
        between += group.len() as f64 * (mean - overall).powi(2);
        within += group
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
    }
    let f = (between / freedom[0] as f64) / (within / freedom[1] as f64);
    if !f.is_finite() {
        return None;
    }
    let fisher = FisherSnedecor::new(freedom[0] as f64, freedom[1] as f64).ok()?;
    Some(Anova {
        f,
        freedom,
        p: fisher.sf(f),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: [&[f64]; 3] = [
        &[514.0, 498.0, 530.0, 505.0, 521.0],
        &[510.0, 519.0, 502.0, 533.0],
        &[540.0, 522.0, 551.0, 530.0, 561.0, 538.0],
    ];

    fn close(anova: Option<Anova>, f: f64, freedom: [usize; 2], p: f64) {
        let anova = anova.unwrap();
        assert_eq!(anova.freedom, freedom);
        assert!((anova.f - f).abs() <= 1e-6 * f, "{anova:?}");
        assert!((anova.p - p).abs() <= 1e-6 * p, "{anova:?}");
    }

    #[test]
    fn gives_what_scipy_gives() {
        // scipy.stats.f_oneway of GROUPS, and of the first two; SciPy 1.17.1
        close(
            anova(&GROUPS),
            6.621698346087384,
            [2, 12],
            0.011539864871556586,
        );
        close(
            anova(&GROUPS[..2]),
            0.07650273224043717,
            [1, 7],
            0.7900827524417909,
        );
    }

    #[test]
    fn what_cannot_be_analysed_is_not() {
        assert_eq!(anova(&[]), None);
        assert_eq!(anova(&[&[1.0, 2.0]]), None);
        assert_eq!(anova(&[&[1.0], &[2.0]]), None);
        assert_eq!(anova(&[&[1.0, 2.0], &[]]), None);
        assert_eq!(anova(&[&[1.0, 1.0], &[2.0, 2.0]]), None);
    }
}
