//! How many people are drawn, and when it may be looked whether they are enough, so that the interval
//! keeps its confidence.
//!
//! *Precision.* A first sample says roughly what the rate is; from it follows how many people a second,
//! fresh one needs. Only the second is reported. Its size does not depend on its own people, so its
//! interval has exactly the confidence of any sample of a fixed size.
//!
//! *Early stop.* Looking at an interval again and again until it lies on one side of the limit would
//! deceive: each look can err. So it is looked at fixed sizes only, and the error that the confidence
//! allows is divided among the looks, half of it to the last. All intervals together, and so the one that
//! is reported, hold with the confidence.

use super::{Share, clopper_pearson};

/// People of the first sample, by which the size of the second is chosen.
pub(super) const PILOT: usize = 1000;

/// The confidence with which the first sample bounds the rate. It decides how many people are drawn,
/// not what is reported of them.
const PILOT_CONFIDENCE: f64 = 0.999;

/// The sizes at which it is looked, as parts of the whole sample, and the part of the error that each
/// look may take. Looks at few people can tell only what is far from the limit, so they get little.
const LOOKS: [(usize, f64); 5] = [
    (16, 1.0 / 16.0),
    (8, 1.0 / 16.0),
    (4, 1.0 / 8.0),
    (2, 1.0 / 4.0),
    (1, 1.0 / 2.0),
];

/// A size at which it is looked at the interval, and the confidence that it then has by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Look {
    /// People drawn until then.
    pub(super) size: usize,
    /// The confidence of the interval at this look alone.
    pub(super) confidence: f64,
}

/// One look at the whole sample.
pub(super) fn once(size: usize, confidence: f64) -> Vec<Look> {
    vec![Look { size, confidence }]
}

/// Looks at fixed sizes, together with this confidence.
pub(super) fn looks(size: usize, confidence: f64) -> Vec<Look> {
    let error = 1.0 - confidence;
    let look = |(part, share): (usize, f64)| Look {
        size: size.div_ceil(part),
        confidence: 1.0 - error * share,
    };
    LOOKS.map(look).to_vec()
}

/// What a sample says that was looked at one or more times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Told {
    /// The people drawn.
    pub(super) share: Share,
    /// The lower end of the interval.
    pub(super) lower: f64,
    /// The upper end.
    pub(super) upper: f64,
}

/// Draws until the interval lies on one side of the limit, or until the last look. `draw` draws people
/// until there are so many and says what they are like; fewer than that end it.
///
/// # Errors
/// Those of `draw`.
pub(super) fn draw_until_certain<E>(
    looks: &[Look],
    limit: Option<f64>,
    mut draw: impl FnMut(usize) -> Result<Share, E>,
) -> Result<Told, E> {
    let mut told = Told {
        share: Share::default(),
        lower: 0.0,
        upper: 1.0,
    };
    for look in looks {
        let share = draw(look.size)?;
        let (lower, upper) = clopper_pearson(share, look.confidence);
        told = Told {
            share,
            lower,
            upper,
        };
        let certain = limit.is_some_and(|limit| upper <= limit || lower > limit);
        if certain || share.of < look.size as u64 {
            break;
        }
    }
    Ok(told)
}

/// How many people give an interval that is no further than `precision` from its middle to its ends,
/// if the rate is anything that the first sample leaves possible.
pub(super) fn size_for(precision: f64, confidence: f64, pilot: Share) -> usize {
    let (lower, upper) = clopper_pearson(pilot, PILOT_CONFIDENCE);
    // The nearer to a half, the wider the interval.
    let rate = 0.5_f64.clamp(lower, upper);
    let enough = |size: usize| half_width(size, rate, confidence) <= precision;
    let mut most = 64;
    while !enough(most) {
        most *= 2;
    }
    let (mut low, mut high) = (most / 2, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match enough(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

/// Half of the width of the interval if so many people have this rate.
fn half_width(size: usize, rate: f64, confidence: f64) -> f64 {
    let share = Share {
        discriminated: (size as f64 * rate).round() as u64,
        of: size as u64,
    };
    let (lower, upper) = clopper_pearson(share, confidence);
    (upper - lower) / 2.0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::search::random::{Purpose, Stream, stream, unit};

    const CONFIDENCE: f64 = 0.9;
    const RUNS: u64 = 2000;

    /// People of whom each is discriminated with the same probability.
    struct Nature {
        rate: f64,
        share: Share,
        stream: Stream,
    }

    impl Nature {
        fn new(rate: f64, run: u64) -> Self {
            Nature {
                rate,
                share: Share::default(),
                stream: stream(7, "coverage", Purpose::Domain, run),
            }
        }

        fn draw(&mut self, until: usize) -> Result<Share, ()> {
            while self.share.of < until as u64 {
                let found = unit(&mut self.stream) < self.rate;
                self.share.discriminated += u64::from(found);
                self.share.of += 1;
            }
            Ok(self.share)
        }
    }

    /// How often the interval holds the rate, and how many people were drawn on average.
    fn coverage(rate: f64, looks: &[Look]) -> (f64, f64) {
        let (mut held, mut people) = (0, 0);
        for run in 0..RUNS {
            let mut nature = Nature::new(rate, run);
            let told = draw_until_certain(looks, Some(0.1), |size| nature.draw(size)).unwrap();
            held += u64::from(told.lower <= rate && rate <= told.upper);
            people += told.share.of;
        }
        (held as f64 / RUNS as f64, people as f64 / RUNS as f64)
    }

    #[test]
    fn stopping_early_keeps_the_confidence() {
        let looks = looks(800, CONFIDENCE);
        for rate in [0.0, 0.01, 0.05, 0.09, 0.1, 0.12, 0.2, 0.5] {
            let (held, _) = coverage(rate, &looks);
            assert!(held >= CONFIDENCE, "{rate}: {held}");
        }
        // What is far from the limit is seen soon, what is near it is not.
        assert_eq!(coverage(0.5, &looks).1, 50.0);
        assert!(coverage(0.1, &looks).1 > 750.0);
        // Without dividing the error the confidence would not be kept: this is what the test can see.
        let naive: Vec<Look> = looks
            .iter()
            .map(|look| Look {
                confidence: CONFIDENCE,
                ..*look
            })
            .collect();
        let (held, _) = coverage(0.1, &naive);
        assert!(held < CONFIDENCE - 0.03, "{held}");
    }

    #[test]
    fn the_errors_of_all_looks_add_up_to_that_of_the_confidence() {
        let looks = looks(10_000, 0.95);
        let error: f64 = looks.iter().map(|look| 1.0 - look.confidence).sum();
        assert!((error - 0.05).abs() < 1e-12);
        let sizes: Vec<usize> = looks.iter().map(|look| look.size).collect();
        assert_eq!(sizes, [625, 1250, 2500, 5000, 10_000]);
    }

    #[test]
    fn a_sample_of_the_chosen_size_is_as_precise_as_wanted_and_keeps_the_confidence() {
        let precision = 0.04;
        for rate in [0.005, 0.03, 0.2, 0.5] {
            let mut sizes = BTreeMap::new();
            let (mut held, mut precise) = (0, 0);
            for run in 0..RUNS {
                let pilot = Nature::new(rate, 2 * run).draw(200).unwrap();
                let size = *sizes
                    .entry(pilot.discriminated)
                    .or_insert_with(|| size_for(precision, CONFIDENCE, pilot));
                let mut nature = Nature::new(rate, 2 * run + 1);
                let looks = once(size, CONFIDENCE);
                let told = draw_until_certain(&looks, None, |size| nature.draw(size)).unwrap();
                held += u64::from(told.lower <= rate && rate <= told.upper);
                precise += u64::from(told.upper - told.lower <= 2.0 * precision * 1.05);
            }
            let share = |count: u64| count as f64 / RUNS as f64;
            assert!(share(held) >= CONFIDENCE, "{rate}: {}", share(held));
            assert!(share(precise) >= 0.99, "{rate}: {}", share(precise));
        }
    }

    #[test]
    fn sizes_are_those_of_the_textbooks() {
        // Nothing known: about 1 / precision^2 people for 95 %.
        let unknown = Share::default();
        let size = size_for(0.01, 0.95, unknown);
        assert!((9604..9804).contains(&size), "{size}");
        // None of 1000: at most 0.76 % with a confidence of 99.9 %.
        let rare = Share {
            discriminated: 0,
            of: 1000,
        };
        let size = size_for(0.01, 0.95, rare);
        assert!((200..500).contains(&size), "{size}");
    }
}
