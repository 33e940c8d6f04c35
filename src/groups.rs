//! Groups of protected values, from what the spec says and the dataset has.

use crate::dataset::Dataset;
use crate::schema::{Attribute, Code, Domain, Protection};
use crate::spec::GroupsSpec;
use crate::spec::suggest::closest;

/// What is wrong with groups, and how to mend it.
type Problem = (String, String);

/// The groups of the attribute at `position`. Each is represented by the value that most of the
/// dataset's people in it have; by the middle one where nobody is in it.
pub(crate) fn protection(
    groups: &GroupsSpec,
    position: usize,
    dataset: &Dataset,
) -> Result<Protection, Problem> {
    let attribute = &dataset.schema.attributes()[position];
    let size = attribute.domain.size();
    let values = values_of(dataset, position);
    let commonest = |first: Code, end: Code| commonest(&values, first, end);
    match groups {
        GroupsSpec::Values(names) => listed(attribute, position, names, &values),
        _ if matches!(attribute.domain, Domain::Categories(_)) => Err((
            format!("`{}` has categories, which have no order", attribute.name),
            "list the groups' values: [[\"White\"], [\"Black\", \"Other\"]]".to_owned(),
        )),
        GroupsSpec::Bounds(bounds) => {
            let starts: Vec<Code> = bounds.iter().map(|&b| first_at(attribute, b)).collect();
            Ok(Protection::ranges(position, size, &starts, commonest))
        }
        GroupsSpec::Quantiles(count) => {
            if values.is_empty() {
                return Err((
                    format!("`{}` has no quantiles: there are no people", attribute.name),
                    "use { grid = 5 }, or numbers that each start a new group".to_owned(),
                ));
            }
            let starts: Vec<Code> = (1..*count)
                .map(|part| values[part * values.len() / count])
                .collect();
            let median = |first, end| median(&values, first, end);
            Ok(Protection::ranges(position, size, &starts, median))
        }
        GroupsSpec::Grid(count) => {
            let count = (*count as u64).min(size);
            let starts: Vec<Code> = (1..count)
                .map(|part| (part * size / count) as Code)
                .collect();
            // Evenly spread values, the first and the last of the domain among them.
            let spread = |first: Code, _| {
                let part = starts.partition_point(|&start| start <= first) as u64;
                (part * (size - 1) / (count - 1).max(1)) as Code
            };
            Ok(Protection::ranges(position, size, &starts, spread))
        }
    }
}

/// The codes that the dataset's people have, rising.
fn values_of(dataset: &Dataset, position: usize) -> Vec<Code> {
    let width = dataset.schema.width().max(1);
    let people = dataset.people.chunks_exact(width);
    let mut values: Vec<Code> = people.map(|person| person[position]).collect();
    values.sort_unstable();
    values
}

/// The first code whose number is at least `bound`.
fn first_at(attribute: &Attribute, bound: f64) -> Code {
    let (mut low, mut high) = (0, attribute.domain.size() as Code);
    while low < high {
        let middle = low + (high - low) / 2;
        match attribute.domain.number(middle) {
            Some(number) if number < bound => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}

/// Those of the rising `values` from `first` up to but not including `end`.
fn between(values: &[Code], first: Code, end: Code) -> &[Code] {
    let from = values.partition_point(|&value| value < first);
    let to = values.partition_point(|&value| value < end);
    &values[from..to]
}

/// The value that occurs most often, the smallest of several.
fn commonest(values: &[Code], first: Code, end: Code) -> Code {
    let mut best = (0, first + (end - first) / 2);
    for same in between(values, first, end).chunk_by(|a, b| a == b) {
        if same.len() > best.0 {
            best = (same.len(), same[0]);
        }
    }
    best.1
}

fn median(values: &[Code], first: Code, end: Code) -> Code {
    let values = between(values, first, end);
    match values.get(values.len() / 2) {
        Some(&median) => median,
        None => first + (end - first) / 2,
    }
}

fn listed(
    attribute: &Attribute,
    position: usize,
    names: &[Vec<String>],
    values: &[Code],
) -> Result<Protection, Problem> {
    let mut groups = Vec::new();
    let mut seen = Vec::new();
    for names in names {
        let mut group = Vec::new();
        for name in names {
            let Some(code) = attribute.domain.code(name) else {
                return Err(unknown(attribute, name));
            };
            if seen.contains(&code) {
                return Err((
                    format!("{name:?} is in two groups of `{}`", attribute.name),
                    "keep it in one of them".to_owned(),
                ));
            }
            seen.push(code);
            group.push(code);
        }
        if group.is_empty() {
            return Err((
                format!("`{}` has a group without a value", attribute.name),
                "remove the empty list".to_owned(),
            ));
        }
        groups.push(group);
    }
    let represent = |codes: &[Code]| {
        let count = |code: Code| between(values, code, code + 1).len();
        let most = codes.iter().map(|&code| count(code)).max();
        let best = codes.iter().find(|&&code| Some(count(code)) == most);
        best.copied().unwrap_or_default()
    };
    let size = attribute.domain.size();
    Ok(Protection::listed(position, size, &groups, represent))
}

fn unknown(attribute: &Attribute, name: &str) -> Problem {
    let meant = match &attribute.domain {
        Domain::Categories(names) => closest(name, names.iter().map(String::as_str)),
        _ => None,
    };
    let help = match meant {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => format!("the values are {}", attribute.domain.describe()),
    };
    (
        format!("{name:?} is no value of `{}`", attribute.name),
        help,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_and_the_median_of_a_range() {
        let values = [1, 1, 3, 3, 3, 8, 9];
        assert_eq!(commonest(&values, 0, 5), 3);
        assert_eq!(commonest(&values, 5, 10), 8);
        assert_eq!(commonest(&values, 4, 8), 6, "nobody: the middle");
        assert_eq!(median(&values, 0, 10), 3);
        assert_eq!(median(&values, 8, 10), 9);
    }
}
