//! Which columns are attributes, and in which order.

use super::group::{self, Group};
use crate::spec::{AttributeSpec, DatasetSpec};

/// Where the value of an attribute stands in a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// In one column.
    Column(usize),
    /// In several, of which one is 1.
    Group(Group),
}

impl Source {
    /// The column, if it is one.
    pub(super) fn column(&self) -> Option<usize> {
        match self {
            Source::Column(index) => Some(*index),
            Source::Group(_) => None,
        }
    }
}

/// One attribute and where it stands.
#[derive(Debug)]
pub(super) struct Place<'a> {
    /// The attribute's name.
    pub(super) name: &'a str,
    /// Where its value stands.
    pub(super) source: Source,
    /// What the spec says about it.
    pub(super) spec: Option<&'a AttributeSpec>,
}

/// The attributes in the order of the columns; a group stands where its first column does.
pub(super) fn places<'a>(columns: &'a [String], dataset: &'a DatasetSpec) -> Vec<Place<'a>> {
    let groups: Vec<Place<'a>> = dataset
        .attributes
        .iter()
        .filter_map(|(name, spec)| {
            Some(Place {
                name: &name.value,
                source: Source::Group(group::find(&name.value, &spec.value, columns)?),
                spec: Some(&spec.value),
            })
        })
        .collect();
    let mut starts: Vec<Option<Place<'a>>> = columns.iter().map(|_| None).collect();
    let mut taken = vec![false; columns.len()];
    for place in groups {
        if let Source::Group(group) = &place.source {
            group
                .columns
                .iter()
                .for_each(|&column| taken[column] = true);
            let first = group.columns.iter().copied().min().unwrap_or_default();
            starts[first] = Some(place);
        }
    }
    let column = |(index, start): (usize, Option<Place<'a>>)| {
        let name = columns[index].as_str();
        start.or_else(|| {
            (!taken[index] && !is_left_out(name, dataset)).then(|| Place {
                name,
                source: Source::Column(index),
                spec: dataset.attribute(name).map(|spec| &spec.value),
            })
        })
    };
    starts.into_iter().enumerate().filter_map(column).collect()
}

/// Whether a column is no attribute: the label, ignored, or derived from attributes.
fn is_left_out(name: &str, dataset: &DatasetSpec) -> bool {
    let label = dataset.label.iter();
    let derived = dataset.derived.iter().map(|(name, _)| name);
    label
        .chain(&dataset.ignore)
        .chain(derived)
        .any(|left_out| left_out.value == name)
}
