//! The three rates: of the search, of the dataset and of the declared domain.

use statrs::distribution::{Beta, ContinuousCDF};

use crate::model::ModelError;
use crate::model::meter::{Cut, Halt};
use crate::schema::Code;
use crate::search::random::{Purpose, stream};
use crate::search::{Lockstep, Phase};

/// Profiles that are asked in one go: enough for full batches, little enough to be interrupted.
const PORTION: usize = 8192;

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

/// The domain rate with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DomainRate {
    /// What was sampled.
    pub share: Share,
    /// Whether every person in the domain was looked at, so that the rate is exact.
    pub exact: bool,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end of the interval.
    pub upper: f64,
    /// The confidence of the interval.
    pub confidence: f64,
}

impl DomainRate {
    pub(crate) fn new(share: Share, exact: bool, confidence: f64) -> Self {
        let (lower, upper) = match share.value() {
            Some(value) if exact => (value, value),
            _ => clopper_pearson(share, confidence),
        };
        DomainRate {
            share,
            exact,
            lower,
            upper,
            confidence,
        }
    }
}

/// All three rates, never mixed up.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Rates {
    /// Distinct counterexamples among the distinct people that the search tested.
    pub search: Share,
    /// Counterexamples among the dataset's own people.
    pub dataset: Share,
    /// Counterexamples among all possible people in the declared domain.
    pub domain: DomainRate,
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

/// Looks at people one portion after another until all are done or the budget is spent. `person` says
/// whether there is such a person.
fn look(
    search: &mut Lockstep<'_, '_>,
    phase: Phase,
    total: usize,
    mut person: impl FnMut(usize, &mut Vec<Code>) -> bool,
) -> Result<(Share, Option<Cut>), ModelError> {
    let mut share = Share::default();
    let mut buffer = Vec::new();
    for start in (0..total).step_by(PORTION) {
        search.tell(phase, start, total);
        // People whose own protected values are none of the combinations are asked besides.
        let (mut met, mut outside, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for index in start..total.min(start + PORTION) {
            buffer.clear();
            if !person(index, &mut buffer) {
                continue;
            }
            let slot = search.enlist(&buffer);
            if search.space.is_combination(&buffer) {
                met.push((slot, search.space.combination_of(&buffer)));
            } else {
                outside.push((slot, search.space.own_group(&buffer)));
                search.space.push_row(&buffer, &mut rows);
            }
        }
        let asked = search.ask_enlisted();
        let scores = match asked.and_then(|()| search.meter.ask_rows(&rows)) {
            Ok(scores) => scores,
            Err(Halt::Cut(cut)) => {
                search.forget_enlisted();
                return Ok((share, Some(cut)));
            }
            Err(Halt::Model(error)) => return Err(error),
        };
        share.of += (met.len() + outside.len()) as u64;
        let found = met
            .iter()
            .filter(|(slot, own)| search.tested.discriminated(*slot, *own));
        let found_outside = outside
            .iter()
            .zip(scores)
            .filter(|((slot, group), score)| search.tested.differs_from(*slot, *group, *score));
        share.discriminated += (found.count() + found_outside.count()) as u64;
    }
    Ok((share, None))
}

/// The share of the dataset's own people who have a counterpart with another decision.
pub(crate) fn dataset(
    search: &mut Lockstep<'_, '_>,
    people: &[Code],
) -> Result<(Share, Option<Cut>), ModelError> {
    let space = search.space;
    let width = space.schema().width();
    let total = people.len() / width;
    look(search, Phase::Dataset, total, |index, person| {
        person.extend_from_slice(&people[index * width..][..width]);
        space.can_exist(person)
    })
}

/// The share of all possible people: every one if the domain is small, a uniform sample otherwise.
pub(crate) fn domain(
    search: &mut Lockstep<'_, '_>,
    sample: usize,
    confidence: f64,
) -> Result<(DomainRate, Option<Cut>), ModelError> {
    let sizes: Vec<u64> = search
        .space
        .schema()
        .attributes()
        .iter()
        .map(|a| a.domain.size())
        .collect();
    let space = search.space;
    let everyone = space.schema().people();
    if everyone <= sample as f64 {
        let (share, cut) = look(search, Phase::Domain, everyone as usize, |index, person| {
            enumerate(&sizes, index, person);
            space.can_exist(person)
        })?;
        return Ok((DomainRate::new(share, cut.is_none(), confidence), cut));
    }
    let mut stream = stream(search.seed, search.benchmark, Purpose::Domain, 0);
    // Where drawing has found nobody once, it is not tried again: that would take long.
    let mut nobody = false;
    let (share, cut) = look(search, Phase::Domain, sample, |_, person| {
        if nobody {
            return false;
        }
        match space.draw(&mut stream) {
            Some(drawn) => *person = drawn,
            None => nobody = true,
        }
        !nobody
    })?;
    Ok((DomainRate::new(share, false, confidence), cut))
}

fn enumerate(sizes: &[u64], mut index: usize, person: &mut Vec<Code>) {
    for &size in sizes {
        person.push((index as u64 % size) as Code);
        index /= size as usize;
    }
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
