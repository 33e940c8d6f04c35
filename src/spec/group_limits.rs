//! `group-limits`: how far the protected groups of the dataset's people may be apart.

use super::limits::RATE;
use super::table::Table;

/// How far the groups may be apart. A metric that has no limit is only reported.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct GroupLimits {
    /// Limit on the largest difference between the shares of two groups that get the favourable
    /// decision; 0 allows none. Default: none.
    pub demographic_parity_difference: Option<f64>,
    /// The least that the smallest such share may be of the largest; 1 allows no difference. Default:
    /// none.
    pub demographic_parity_ratio: Option<f64>,
    /// The smallest share must be at least four fifths of the largest. Default: no.
    pub four_fifths: bool,
    /// Limit on the largest difference between the shares of two groups among people whose label is
    /// the favourable one. Default: none.
    pub equal_opportunity_difference: Option<f64>,
}

impl GroupLimits {
    pub(super) const NONE: GroupLimits = GroupLimits {
        demographic_parity_difference: None,
        demographic_parity_ratio: None,
        four_fifths: false,
        equal_opportunity_difference: None,
    };

    /// These limits, with what `table` says in their stead.
    pub(super) fn overridden_by(self, table: &Table<'_>) -> Self {
        let number = |key, before: Option<f64>| table.number(key, &RATE).or(before);
        GroupLimits {
            demographic_parity_difference: number(
                "demographic-parity-difference",
                self.demographic_parity_difference,
            ),
            demographic_parity_ratio: number(
                "demographic-parity-ratio",
                self.demographic_parity_ratio,
            ),
            four_fifths: table.truth("four-fifths").unwrap_or(self.four_fifths),
            equal_opportunity_difference: number(
                "equal-opportunity-difference",
                self.equal_opportunity_difference,
            ),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == GroupLimits::NONE
    }
}
