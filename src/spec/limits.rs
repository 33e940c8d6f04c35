//! `max-discrimination-rate` and `max-counterexamples`: what a benchmark may find at most.

use super::entry::Bounds;
use super::group_limits::GroupLimits;
use super::keys;
use super::table::Table;

/// The limit on the search rate where a spec gives no limit at all: 5 %.
pub const DEFAULT_SEARCH_LIMIT: f64 = 0.05;

/// What a benchmark may find and still pass. A rate that has no limit is only reported.
///
/// Rates are shares from 0 to 1. A limit of 0 allows no counterexample, a limit of 1 allows all.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Limit on the share of discriminatory instances among those the search tested. Default:
    /// [`DEFAULT_SEARCH_LIMIT`] if the spec gives no other limit, else none. This is the one that
    /// a plain number in `max-discrimination-rate` sets. The rate rises when the search gets
    /// better, so it compares models, not searches.
    pub search: Option<f64>,
    /// Limit on the share of the dataset's own people with a counterpart that is decided
    /// differently. Default: none.
    pub dataset: Option<f64>,
    /// Limit on the upper bound of the share among all people in the domain. Default: none. With
    /// a small sample even zero found is above a small limit: the verdict is then inconclusive.
    pub domain: Option<f64>,
    /// Limit on the number of distinct counterexamples. Default: none.
    pub max_counterexamples: Option<u64>,
    /// Limits on the metrics of the dataset's groups. Default: none.
    pub groups: GroupLimits,
    /// Whether the spec gives no limit, so that these are the built-in ones.
    pub is_default: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            search: Some(DEFAULT_SEARCH_LIMIT),
            is_default: true,
            ..Limits::NONE
        }
    }
}

pub(super) const RATE: Bounds = Bounds {
    words: "a number between 0 and 1",
    hold: |rate| (0.0..=1.0).contains(&rate),
    help: |rate| match rate {
        1.0..=100.0 => Some(format!("write {} for {rate} %", rate / 100.0)),
        _ => Some("write 0.05 for 5 %".to_owned()),
    },
};

impl Limits {
    pub(super) const NONE: Limits = Limits {
        search: None,
        dataset: None,
        domain: None,
        max_counterexamples: None,
        groups: GroupLimits::NONE,
        is_default: false,
    };

    /// These limits, with those of a benchmark's `table` in their stead where it has any.
    pub(super) fn overridden_by(self, table: &Table<'_>) -> Self {
        let limits = Limits {
            max_counterexamples: table
                .whole("max-counterexamples", 0)
                .or(self.max_counterexamples),
            groups: match table.table("group-limits") {
                None => self.groups,
                Some(groups) => self
                    .groups
                    .overridden_by(&groups.allow(&[keys::GROUP_LIMITS])),
            },
            ..self
        };
        match table.entry("max-discrimination-rate") {
            None => limits,
            Some(entry) if entry.is_table() => match entry.table() {
                Some(rates) => limits.with_rates(&rates.allow(&[keys::RATES])),
                None => limits,
            },
            Some(entry) => Limits {
                search: entry.number(&RATE).or(limits.search),
                ..limits
            },
        }
    }

    fn with_rates(self, rates: &Table<'_>) -> Self {
        Limits {
            search: rates.number("search", &RATE).or(self.search),
            dataset: rates.number("dataset", &RATE).or(self.dataset),
            domain: rates.number("domain", &RATE).or(self.domain),
            ..self
        }
    }

    /// These limits, or the built-in ones if there is none.
    pub(super) fn or_default(self) -> Self {
        if self == Limits::NONE {
            Limits::default()
        } else {
            self
        }
    }
}
