//! What is proposed to be tested: the protected attributes, and who cannot exist.

use crate::fit;
use crate::plan::{Filter, plan};
use crate::spec::suggest::list;
use crate::spec::{Located, Spec};

use super::draft::{Draft, Proposed};
use super::names::{self, Protected};
use super::table::Table;
use super::{InitError, Request, notes, write};

/// Constraints that are proposed, at the most.
const MOST_CONSTRAINTS: usize = 10;

/// Benchmarks for what is protected: what was said, or what names tell.
///
/// # Errors
/// An attribute was said that the model is not given.
pub(super) fn propose(draft: &mut Draft<'_>, asked: &[usize]) -> Result<Vec<Proposed>, InitError> {
    let (table, read) = (draft.table, &draft.fit.read);
    if let Some(&lost) = asked.iter().find(|asked| !read.contains(asked)) {
        let names = table.names(read);
        return Err(InitError::NotRead {
            name: table.fields[lost].name.clone(),
            help: format!(
                "it is given {}",
                list(names.iter().map(String::as_str), "and")
            ),
        });
    }
    let mut chosen: Vec<(usize, bool)> = asked.iter().map(|&a| (a, false)).collect();
    if chosen.is_empty() {
        chosen = by_name(table, read);
    }
    let named = !chosen.is_empty();
    if !named {
        chosen.extend(fewest_values(table, read).map(|attribute| (attribute, false)));
    }
    let proposal = |(attribute, commented): (usize, bool)| {
        let name = names::plain(&table.fields[attribute].name, "attribute");
        Proposed {
            name: format!("{}-{name}", draft.places.model),
            attribute,
            commented,
        }
    };
    let mut proposed: Vec<Proposed> = chosen.into_iter().map(proposal).collect();
    unique(&mut proposed);
    notes::benchmarks(draft, &proposed, named, !asked.is_empty());
    Ok(proposed)
}

/// Attributes that are protected by their names, and whether they are only proposed in a comment:
/// less clear names beside clear ones are.
fn by_name(table: &Table, read: &[usize]) -> Vec<(usize, bool)> {
    let of = |wanted: Protected| -> Vec<usize> {
        let kind = |attribute: &usize| names::protected(&table.fields[*attribute].name);
        let read = read.iter().copied();
        read.filter(|a| kind(a) == Some(wanted)).collect()
    };
    let (clear, perhaps) = (of(Protected::Clear), of(Protected::Perhaps));
    let commented = !clear.is_empty();
    let clear = clear.into_iter().map(|attribute| (attribute, false));
    let perhaps = perhaps.into_iter().map(|attribute| (attribute, commented));
    clear.chain(perhaps).collect()
}

/// The attribute with the fewest values, but two at least.
fn fewest_values(table: &Table, read: &[usize]) -> Option<usize> {
    let count = |attribute: &usize| table.fields[*attribute].values.len();
    let several = read
        .iter()
        .copied()
        .filter(|attribute| count(attribute) > 1);
    several.min_by_key(count)
}

/// Snapshots are files by these names, so case alone must not tell them apart.
fn unique(proposed: &mut [Proposed]) {
    for place in 1..proposed.len() {
        let (before, rest) = proposed.split_at_mut(place);
        let taken = |name: &str| before.iter().any(|b| b.name.eq_ignore_ascii_case(name));
        if taken(&rest[0].name) {
            rest[0].name = format!("{}-{}", rest[0].name, place + 1);
        }
    }
}

/// Pairs of values that nobody has, the most surprising first, without protected attributes.
pub(super) fn constraints(draft: &Draft<'_>, request: &Request) -> Vec<String> {
    let Ok(spec) = Spec::parse(&write::spec(draft), &request.output) else {
        return Vec::new();
    };
    let Some(mut plan) = plan(&spec, &Filter::default())
        .ok()
        .and_then(|plans| plans.into_iter().next())
    else {
        return Vec::new();
    };
    let protected = draft.benchmarks.iter().map(|proposed| proposed.attribute);
    // What a column that says the same as another never has is no news.
    let left_out = protected.chain(draft.table.doubled());
    plan.benchmark.protected = left_out
        .map(|attribute| Located::new(draft.table.fields[attribute].name.clone(), 0..0))
        .collect();
    let everybody = draft.table.part(&draft.fit.read, draft.fit.label);
    let mut mined = fit::mined_constraints(&plan, &everybody);
    mined.truncate(MOST_CONSTRAINTS);
    mined
}
