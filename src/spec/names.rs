//! Names of models, datasets and benchmarks.

use std::collections::BTreeMap;

use super::located::Located;
use super::problem::SpecProblem;
use super::problems::Problems;

/// Complains unless `name` is made of letters, digits and `-` only.
///
/// Names become parts of snapshot files and of test filters, so they have to be plain.
pub(super) fn check(kind: &'static str, name: &Located<String>, problems: &Problems) {
    let text = &name.value;
    if text.is_empty() || !text.chars().all(is_plain) {
        problems.push(SpecProblem::BadName {
            kind,
            name: text.clone(),
            help: mend(kind, text),
            at: name.span,
        });
    }
}

/// Complains about benchmarks whose names differ only in case.
///
/// Their snapshots would be one file where the disk does not tell upper case from lower.
pub(super) fn check_case<'n>(
    names: impl IntoIterator<Item = &'n Located<String>>,
    problems: &Problems,
) {
    let mut seen: BTreeMap<String, &Located<String>> = BTreeMap::new();
    for name in names {
        let lower = name.value.to_lowercase();
        let Some(earlier) = seen.get(&lower) else {
            seen.insert(lower, name);
            continue;
        };
        let (first, second) = in_file_order(earlier, name);
        problems.push(SpecProblem::NamesDifferInCase {
            first: first.value.clone(),
            second: second.value.clone(),
            first_at: first.span,
            at: second.span,
        });
    }
}

fn in_file_order<'n>(
    a: &'n Located<String>,
    b: &'n Located<String>,
) -> (&'n Located<String>, &'n Located<String>) {
    if a.span.offset() <= b.span.offset() {
        (a, b)
    } else {
        (b, a)
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-'
}

fn mend(kind: &str, name: &str) -> String {
    let words: Vec<&str> = name
        .split(|c| !is_plain(c))
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        format!("give the {kind} a name of letters, digits and `-`, such as `{kind}-1`")
    } else {
        format!("write [{kind}.{}]", words.join("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_name_is_mended_by_hyphens() {
        assert_eq!(
            mend("model", "census_sex v2"),
            "write [model.census-sex-v2]"
        );
        assert_eq!(mend("model", "größe"), "write [model.gr-e]");
        assert!(mend("model", "…").contains("`model-1`"));
    }

    #[test]
    fn plain_names_are_fine() {
        let problems = Problems::default();
        for name in ["a", "Census-sex-2", "0", "-"] {
            check("model", &Located::new(name.to_owned(), 0..1), &problems);
        }
        assert!(problems.into_file_order().is_empty());
    }
}
