//! How bad the counterexamples are: how far apart the scores lie, and how far from the boundary.

use crate::findings::Findings;

/// Four numbers that say how a quantity is spread over all counterexamples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// Half of all are this large or smaller.
    pub median: f64,
    /// Nine tenths are this large or smaller.
    pub p90: f64,
    /// The largest.
    pub largest: f64,
}

/// How bad the counterexamples are.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Severity {
    /// How far the scores of the person and of the counterpart lie apart, over all counterexamples.
    pub gap: Option<Spread>,
    /// How far the person's score lies from the decision boundary, over all counterexamples; nothing
    /// where there is no boundary.
    pub boundary: Option<Spread>,
}

impl Severity {
    pub(crate) fn of(findings: &Findings) -> Self {
        let table = findings.table();
        let boundary = |(slot, own): (_, usize)| table.sides().boundary(table.scores(slot)[own]);
        Severity {
            gap: Spread::of(findings.gaps().to_vec()),
            boundary: Spread::of(findings.found().filter_map(boundary).collect()),
        }
    }
}

impl Spread {
    /// Nothing if there are no values. Quantiles are values that occur.
    fn of(values: Vec<f32>) -> Option<Self> {
        let count = values.len();
        let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / count as f64;
        let largest = values.iter().copied().reduce(f32::max)?;
        let rank = |tenths: usize| (count * tenths).div_ceil(10) - 1;
        // Nothing here is negative, so the bits sort as the numbers do, and much sooner.
        let mut bits: Vec<u32> = values.into_iter().map(f32::to_bits).collect();
        let (below, p90, _) = bits.select_nth_unstable(rank(9));
        let p90 = *p90;
        let median = match rank(5) {
            place if place < below.len() => *below.select_nth_unstable(place).1,
            _ => p90,
        };
        Some(Spread {
            mean,
            median: f64::from(f32::from_bits(median)),
            p90: f64::from(f32::from_bits(p90)),
            largest: f64::from(largest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_occur() {
        let spread = Spread::of((1..=10).rev().map(|value| value as f32).collect()).unwrap();
        assert_eq!(
            (spread.median, spread.p90, spread.largest),
            (5.0, 9.0, 10.0)
        );
        assert_eq!(spread.mean, 5.5);
        let one = Spread::of(vec![0.25]).unwrap();
        assert_eq!(
            (one.mean, one.median, one.p90, one.largest),
            (0.25, 0.25, 0.25, 0.25)
        );
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
