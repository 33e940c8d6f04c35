//! The three rates: of the search, of the dataset and of the declared domain.
//!
//! The dataset's rate and a sample of the domain go through the table of everyone tested ([`look`]),
//! so that the search asks nothing again. Looking at everyone in the domain keeps nobody
//! ([`everyone`]).

mod domain;
pub(crate) mod everyone;
pub(crate) mod groups;
mod look;
mod sample;
mod sampling;

pub use crate::share::{Share, clopper_pearson};
pub use domain::Unfinished;
pub(crate) use domain::{Domain, Wanted, domain, everyone_in};
pub use everyone::{Keep, NotEveryone, Start, StateFile};
pub use groups::{Extremes, FOUR_FIFTHS, Group, GroupMetrics};
pub(crate) use look::dataset;

/// The domain rate with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DomainRate {
    /// The people who were looked at.
    pub share: Share,
    /// Whether every person in the domain was looked at, so that the rate is exact.
    pub exact: bool,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end of the interval.
    pub upper: f64,
    /// The confidence of the interval.
    pub confidence: f64,
    /// Those of them whose score lies within numerical noise of where decisions change: they are
    /// decided by nothing and are evidence of nothing.
    pub undecided: u64,
    /// How many people the domain has; nothing if that is not known, because constraints say who can
    /// exist and not everyone was looked at.
    pub people: Option<u64>,
    /// Whether everyone was compared with all counterparts, and not with some that were drawn.
    pub all_counterparts: bool,
}

impl DomainRate {
    /// The rate of people drawn at random.
    pub(crate) fn sampled(share: Share, confidence: f64) -> Self {
        let (lower, upper) = clopper_pearson(share, confidence);
        DomainRate {
            share,
            exact: false,
            lower,
            upper,
            confidence,
            undecided: 0,
            people: None,
            all_counterparts: true,
        }
    }

    /// The rate of everyone.
    pub(crate) fn exact(share: Share, confidence: f64) -> Self {
        let value = share.value();
        DomainRate {
            exact: value.is_some(),
            lower: value.unwrap_or(0.0),
            upper: value.unwrap_or(1.0),
            people: Some(share.of),
            ..DomainRate::sampled(share, confidence)
        }
    }

    /// Whether it is proven that nobody in the domain has a counterpart with another decision: each
    /// was compared with all counterparts, and all were decided.
    pub fn proves_none(&self) -> bool {
        self.exact && self.share.discriminated == 0 && self.all_counterparts
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
