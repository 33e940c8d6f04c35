//! Values that are missing: what they look like, and what stands for them.

use std::collections::BTreeMap;

use super::domain::code;
use super::error::Problem;
use crate::schema::{Code, Domain};
use crate::spec::{DatasetSpec, DomainSpec, MissingSpec};
use crate::words::grouped;

/// What a missing value looks like, where the spec does not say it. An empty field always is one.
pub(super) const MARKERS: [&str; 8] = ["?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"];

/// The texts that stand for a missing value of an attribute: not those that are its values.
pub(super) fn markers(dataset: &DatasetSpec, domain: Option<&DomainSpec>) -> Vec<Box<[u8]>> {
    let said = dataset.missing_markers.as_ref();
    let all: Vec<&str> = match said {
        Some(said) => said.iter().map(|marker| marker.trim()).collect(),
        None => MARKERS.to_vec(),
    };
    let is_value = |marker: &str| match domain {
        Some(DomainSpec::Values(values)) => values.iter().any(|value| value == marker),
        _ => false,
    };
    all.into_iter()
        .filter(|marker| !is_value(marker))
        .map(|marker| marker.as_bytes().into())
        .collect()
}

/// Whether what stands for a missing value depends on how often the others occur.
pub(super) fn needs_counts(policy: &MissingSpec) -> bool {
    matches!(policy, MissingSpec::MostFrequent | MissingSpec::Median)
}

/// The code that stands for missing values, from how often each code occurs; none where missing
/// values are rejected or their people left out, and where there is nothing to choose from.
///
/// # Errors
/// The value that the spec says is not in the domain.
pub(super) fn stand_in(
    name: &str,
    policy: &MissingSpec,
    domain: &Domain,
    counts: &BTreeMap<Code, u64>,
) -> Result<Option<Code>, Problem> {
    Ok(match policy {
        MissingSpec::Reject | MissingSpec::Skip => None,
        MissingSpec::MostFrequent => most_frequent(counts),
        MissingSpec::Median if matches!(domain, Domain::Categories(_)) => most_frequent(counts),
        MissingSpec::Median => median(counts),
        MissingSpec::Value(text) => match code(domain, text) {
            Some(coded) => Some(coded.code),
            None => {
                let sentence = format!(
                    "`{name}` has missing = {text:?}, which is outside its domain ({})",
                    domain.describe()
                );
                let help = "say one of its values, or \"reject\", \"skip\", \"most-frequent\" or \"median\"";
                return Err(Problem::new(sentence, help));
            }
        },
    })
}

/// The first of those that occur most often.
fn most_frequent(counts: &BTreeMap<Code, u64>) -> Option<Code> {
    let first_of_most = |best: Option<(Code, u64)>, (&code, &count): (&Code, &u64)| match best {
        Some((_, most)) if most >= count => best,
        _ => Some((code, count)),
    };
    counts
        .iter()
        .fold(None, first_of_most)
        .map(|(code, _)| code)
}

/// The lower one of two in the middle: a value that somebody has.
fn median(counts: &BTreeMap<Code, u64>) -> Option<Code> {
    let half = counts.values().sum::<u64>().div_ceil(2);
    let mut below = 0;
    counts.iter().find_map(|(&code, &count)| {
        below += count;
        (below >= half).then_some(code)
    })
}

/// What is said about values that were missing.
pub(super) fn note(
    name: &str,
    count: u64,
    policy: &MissingSpec,
    domain: &Domain,
    code: Code,
) -> String {
    let how = match policy {
        MissingSpec::Median if !matches!(domain, Domain::Categories(_)) => " (the median)",
        MissingSpec::Value(_) => "",
        _ => " (the most frequent)",
    };
    let values = if count == 1 { "value" } else { "values" };
    format!(
        "{} missing {values} of `{name}` taken as {:?}{how}",
        grouped(count),
        domain.text(code)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[u64]) -> BTreeMap<Code, u64> {
        let counts = counts.iter().enumerate();
        counts.map(|(code, &count)| (code as Code, count)).collect()
    }

    #[test]
    fn the_first_of_the_most_frequent_wins() {
        assert_eq!(most_frequent(&counts(&[1, 3, 3, 2])), Some(1));
        assert_eq!(most_frequent(&counts(&[])), None);
    }

    #[test]
    fn the_median_is_a_value_that_somebody_has() {
        assert_eq!(median(&counts(&[1, 1, 1])), Some(1));
        assert_eq!(median(&counts(&[2, 0, 0, 2])), Some(0));
        assert_eq!(median(&counts(&[1, 0, 0, 2])), Some(3));
        assert_eq!(median(&counts(&[])), None);
    }

    #[test]
    fn a_category_has_its_most_frequent_value_as_median() {
        let domain = Domain::Categories(vec!["a".into(), "b".into(), "c".into()]);
        let counts = counts(&[2, 1, 2]);
        let stand_in = |policy| stand_in("x", &policy, &domain, &counts);
        assert_eq!(stand_in(MissingSpec::Median), Ok(Some(0)));
        assert_eq!(stand_in(MissingSpec::Value("c".into())), Ok(Some(2)));
        assert_eq!(stand_in(MissingSpec::Skip), Ok(None));
        let wrong = stand_in(MissingSpec::Value("d".into())).unwrap_err();
        assert!(wrong.sentence.contains("missing = \"d\", which is outside"));
    }
}
