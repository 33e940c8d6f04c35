//! The keys of `fairness.toml`, table by table, and what to say about any other.

use super::suggest;

pub(super) const TOP: &[&str] = &["defaults", "model", "dataset", "benchmark"];

pub(super) const MODEL: &[&str] = &[
    "path",
    "runtime",
    "device",
    "output",
    "scores",
    "threshold",
    "decisions",
    "favourable",
    "tolerance",
    "bands",
    "columns",
    "inputs",
    "attributes",
];

pub(super) const DATASET: &[&str] = &[
    "path",
    "label",
    "favourable-label",
    "ignore",
    "delimiter",
    "encoding",
    "spaces",
    "missing",
    "missing-markers",
    "sample",
    "attributes",
    "derived",
    "constraints",
    "mine-constraints",
];

pub(super) const ATTRIBUTE: &[&str] = &["type", "min", "max", "step", "values", "missing"];

pub(super) const ENCODING: &[&str] = &["scale", "one-hot", "drop-first", "order", "codes", "bins"];

pub(super) const SCALE: &[&str] = &["mean", "std", "min", "max"];

pub(super) const DERIVED: &[&str] = &["expression", "scale"];

pub(super) const BENCHMARK: &[&str] = &[
    "model",
    "dataset",
    "protected",
    "groups",
    "max-combinations",
    "frozen",
    "constraints",
    "realistic",
    "seed",
    "max-discrimination-rate",
    "max-counterexamples",
    "group-limits",
    "budget",
    "search",
    "on-inconclusive",
    "snapshot",
    "confidence",
];

pub(super) const GROUPS: &[&str] = &["quantiles", "grid"];

pub(super) const REALISTIC: &[&str] = &["max-changed", "max-shift"];

/// What `[defaults]` may say besides everything in [`BENCHMARK`].
pub(super) const DEFAULTS_ONLY: &[&str] = &["snapshots"];

pub(super) const RATES: &[&str] = &["search", "dataset", "domain"];

pub(super) const GROUP_LIMITS: &[&str] = &[
    "demographic-parity-difference",
    "demographic-parity-ratio",
    "four-fifths",
    "equal-opportunity-difference",
];

pub(super) const BUDGET: &[&str] = &[
    "global-seeds",
    "local-steps",
    "max-queries",
    "time-limit",
    "domain-sample",
    "domain-precision",
    "domain-early-stop",
    "exhaustive",
];

pub(super) const SEARCH: &[&str] = &[
    "method",
    "variant",
    "gradient",
    "perturbation-size",
    "decay",
    "max-iter",
    "clusters",
    "update-interval",
    "global-step",
    "local-step",
    "error-bound",
    "explanation-rows",
];

/// Where each key is at home, for keys that were put into the wrong table.
const HOMES: &[(&[&str], &str)] = &[
    (TOP, "the top of the file, as a table of its own"),
    (BENCHMARK, "[benchmark.NAME] or [defaults]"),
    (DEFAULTS_ONLY, "[defaults]"),
    (BUDGET, "`budget = { ... }` of a benchmark or of [defaults]"),
    (SEARCH, "`search = { ... }` of a benchmark or of [defaults]"),
    (MODEL, "[model.NAME]"),
    (DATASET, "[dataset.NAME]"),
    (
        ATTRIBUTE,
        "[dataset.NAME.attributes], in the table of one attribute",
    ),
    (
        ENCODING,
        "[dataset.NAME.attributes] or [model.NAME.attributes], in the table of one attribute",
    ),
    (GROUP_LIMITS, "`group-limits = { ... }`"),
    (RATES, "`max-discrimination-rate = { ... }`"),
];

/// How to mend an unknown `key` in a table that allows `allowed`.
pub(super) fn help_for_unknown(key: &str, allowed: &[&str]) -> String {
    let home = HOMES.iter().find(|(keys, _)| keys.contains(&key));
    let meant = suggest::closest(key, allowed.iter().copied());
    match (home, meant) {
        (Some((_, home)), Some(meant)) => {
            format!("`{key}` belongs in {home}; or did you mean `{meant}`?")
        }
        (Some((_, home)), None) => format!("`{key}` belongs in {home}"),
        (None, Some(meant)) => format!("did you mean `{meant}`?"),
        (None, None) => {
            let keys = suggest::list(allowed.iter().copied(), "and");
            format!("the keys here are {keys}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_a_wrong_table_and_a_wild_guess() {
        assert_eq!(
            help_for_unknown("protcted", BENCHMARK),
            "did you mean `protected`?"
        );
        assert_eq!(
            help_for_unknown("global-seeds", BENCHMARK),
            "`global-seeds` belongs in `budget = { ... }` of a benchmark or of [defaults]"
        );
        assert_eq!(
            help_for_unknown("snapshots", BENCHMARK),
            "`snapshots` belongs in [defaults]; or did you mean `snapshot`?"
        );
        assert_eq!(
            help_for_unknown("colour", RATES),
            "the keys here are `search`, `dataset` and `domain`"
        );
    }
}
