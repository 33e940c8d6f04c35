//! The three rates: of the search, of the dataset and of the declared domain.

use crate::model::ModelError;
use crate::model::meter::{Cut, Halt};
use crate::schema::Code;
use crate::search::random::{Purpose, stream};
use crate::search::{Lockstep, Phase};
pub use crate::share::{Share, clopper_pearson};

/// Profiles that are asked in one go: enough for full batches, little enough to be interrupted.
const PORTION: usize = 8192;

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
