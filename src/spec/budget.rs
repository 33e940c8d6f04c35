//! `budget`: how much a benchmark may cost.

use std::time::Duration;

use super::duration;
use super::entry::{Bounds, Entry};
use super::table::Table;

const PRECISION: Bounds = Bounds {
    words: "a number from 0.001 to 0.5",
    hold: |precision| (0.001..=0.5).contains(&precision),
    help: |precision| match precision > 0.0 && precision < 0.001 {
        true => {
            Some("that takes millions of people: fairgate check --exhaustive is exact".to_owned())
        }
        false => Some("write 0.01 for one per cent up and down".to_owned()),
    },
};

/// How much a benchmark may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Budget {
    /// People the global phase starts from. Default: 1000, as in the paper; at least 1. Where the
    /// dataset has fewer people, all are taken.
    pub global_seeds: usize,
    /// Steps the local phase walks from each find of the global phase. Default: 1000, as in the
    /// paper. With 0 only the global phase runs.
    pub local_steps: usize,
    /// Rows that may be shown to the model. Default: none, no cap; at least 1. When they run out
    /// before the search ends, the verdict may be inconclusive.
    pub max_queries: Option<u64>,
    /// Time the search may take, such as `"30s"`. Default: none. Results then depend on the
    /// machine, so a search that is cut short by it can only fail or be inconclusive.
    pub time_limit: Option<Duration>,
    /// People drawn from the domain to estimate the domain rate. Default: 10 000; at least 1. If
    /// none of n has a counterexample, the rate may still be as high as about 3/n.
    pub domain_sample: usize,
    /// How far the ends of the domain rate's interval may be from its middle; so many people are drawn
    /// as that takes, and `domain_sample` is not looked at. Default: none.
    pub domain_precision: Option<f64>,
    /// Draw no more people once the interval lies on one side of the domain's limit. The error that
    /// the confidence allows is divided among five looks, so that the interval keeps it; in return it
    /// is a little wider. Default: no.
    pub domain_early_stop: bool,
    /// People that a domain may have so that everyone in it is looked at without being asked for, which
    /// makes the domain rate exact. Default: 1 000 000; with 0 a domain of more than `domain_sample`
    /// people is never looked at as a whole.
    pub exhaustive: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            global_seeds: 1000,
            local_steps: 1000,
            max_queries: None,
            time_limit: None,
            domain_sample: 10_000,
            domain_precision: None,
            domain_early_stop: false,
            exhaustive: 1_000_000,
        }
    }
}

impl Budget {
    /// The people that a search tests at the most: all seeds, and a chain of steps from each.
    pub(crate) fn people(&self) -> usize {
        let chains = self.global_seeds.saturating_mul(self.local_steps);
        self.global_seeds.saturating_add(chains)
    }

    /// This budget, with what `table` says in its stead.
    pub(super) fn overridden_by(self, table: &Table<'_>) -> Self {
        Budget {
            global_seeds: table.whole("global-seeds", 1).unwrap_or(self.global_seeds),
            local_steps: table.whole("local-steps", 0).unwrap_or(self.local_steps),
            max_queries: table.whole("max-queries", 1).or(self.max_queries),
            time_limit: table
                .entry("time-limit")
                .and_then(|entry| time(&entry))
                .or(self.time_limit),
            domain_sample: table
                .whole("domain-sample", 1)
                .unwrap_or(self.domain_sample),
            domain_precision: table
                .number("domain-precision", &PRECISION)
                .or(self.domain_precision),
            domain_early_stop: table
                .truth("domain-early-stop")
                .unwrap_or(self.domain_early_stop),
            exhaustive: table.whole("exhaustive", 0).unwrap_or(self.exhaustive),
        }
    }
}

fn time(entry: &Entry<'_>) -> Option<Duration> {
    let help = Some("write \"500ms\", \"30s\", \"2m\" or \"1h\"".to_owned());
    let wanted = "a time above zero with its unit";
    let text = entry.text_for(wanted, help.clone())?.value;
    match duration::parse(&text) {
        Some(time) if !time.is_zero() => Some(time),
        _ => entry.out_of_range(wanted, &format!("{text:?}"), help),
    }
}
