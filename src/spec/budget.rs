//! `budget`: how much a benchmark may cost.

use std::time::Duration;

use super::duration;
use super::entry::Entry;
use super::table::Table;

/// How much a benchmark may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            global_seeds: 1000,
            local_steps: 1000,
            max_queries: None,
            time_limit: None,
            domain_sample: 10_000,
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
