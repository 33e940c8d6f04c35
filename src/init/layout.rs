//! Which columns go into which input, as far as names and widths tell.

use crate::model::signature::{Dimension, Element, Kind, Port};
use crate::spec::suggest::list;

use super::inputs::several;
use super::matrix::{Words, choices, label_candidates, without};
use super::names;
use super::table::{Field, Table};

/// How numbers are scaled before the model gets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Scaling {
    /// As they are.
    #[default]
    None,
    /// Less the mean, over the standard deviation.
    Standard,
    /// From 0 to 1.
    Range,
}

/// One way in which people can be given to the model.
#[derive(Debug, Clone, Default)]
pub(super) struct Fit {
    /// The label.
    pub(super) label: Option<usize>,
    /// Columns that are neither the label nor given to the model.
    pub(super) ignore: Vec<usize>,
    /// Columns of the only input, in its order.
    pub(super) columns: Option<Vec<usize>>,
    /// Columns of inputs whose names do not tell.
    pub(super) inputs: Vec<(String, Vec<usize>)>,
    /// Columns that the model reads, in the order of the CSV.
    pub(super) read: Vec<usize>,
    /// Columns with one input column for each value, and whether the first value has none.
    pub(super) one_hot: Vec<(usize, bool)>,
    /// Inputs that are computed, each with its expression.
    pub(super) derived: Vec<(String, String)>,
    /// Numbers that may be scaled.
    pub(super) scalable: Vec<usize>,
    /// How they are scaled.
    pub(super) scaling: Scaling,
    /// Words that are given as codes, in sorted order.
    pub(super) coded: Vec<usize>,
}

/// What could be found out.
pub(super) struct Found {
    /// Ways that fit, the simplest first; if none fits, the nearest one.
    pub(super) fits: Vec<Fit>,
    /// Why none fits.
    pub(super) misfit: Option<String>,
    /// Whether the model names its inputs like columns.
    pub(super) named: bool,
    /// Whether any input could be matched at all.
    pub(super) shares_names: bool,
}

/// An input as far as its declaration goes.
pub(super) struct Slot<'p> {
    pub(super) port: &'p Port,
    element: &'p Element,
    /// Numbers a row; none where it is not declared.
    pub(super) width: Option<usize>,
}

impl<'p> Slot<'p> {
    fn of(port: &'p Port) -> Option<Self> {
        let Kind::Tensor { element, shape } = &port.kind else {
            return None;
        };
        let fixed = |dimension: &Dimension| match dimension {
            Dimension::Fixed(size) => Some(*size),
            Dimension::Free(_) => None,
        };
        let width = match shape.as_slice() {
            [] => None,
            [_] => Some(1),
            [_, width] => fixed(width),
            _ => return None,
        };
        Some(Slot {
            port,
            element,
            width,
        })
    }

    pub(super) fn takes_fractions(&self) -> bool {
        matches!(self.element, Element::Float | Element::Double)
    }

    pub(super) fn takes_words(&self) -> bool {
        *self.element == Element::Text
    }
}

/// Why no people can be given to these inputs, whatever the CSV.
pub(super) fn no_table(inputs: &[Port]) -> Option<String> {
    if inputs.is_empty() {
        return Some("the model has no input, so nothing about a person can change it".to_owned());
    }
    let other = inputs.iter().find(|port| Slot::of(port).is_none())?;
    Some(format!(
        "the model has an input that is no table of people ({other})"
    ))
}

/// How the columns of the CSV can be given to these inputs, which take tables.
pub(super) fn find(table: &Table, inputs: &[Port], asked: Option<usize>) -> Found {
    let slots: Vec<Slot<'_>> = inputs.iter().filter_map(Slot::of).collect();
    match slots.as_slice() {
        [only] if by_name(table, only, &slots).is_none() => one_matrix(table, only, asked),
        _ => several(table, &slots, asked),
    }
}

/// The column that an input is called like. Of `a-b` and `a_b` exporters call the first `a_b` and
/// the second `a_b1`; only where each is an input by its own name is `a_b` the second.
pub(super) fn by_name(table: &Table, slot: &Slot<'_>, slots: &[Slot<'_>]) -> Option<usize> {
    let name = &slot.port.name;
    let is_input = |field: &&Field| slots.iter().any(|slot| slot.port.name == field.name);
    let alike = |field: &&Field| names::alike(&field.name, name);
    let exactly = table.position(name);
    exactly
        .filter(|_| {
            table
                .fields
                .iter()
                .filter(alike)
                .all(|field| is_input(&field))
        })
        .or_else(|| table.fields.iter().position(|field| alike(&field)))
}

fn one_matrix(table: &Table, slot: &Slot<'_>, asked: Option<usize>) -> Found {
    let free: Vec<usize> = table.positions().collect();
    let choices = choices(table, slot, &free, asked);
    let fits: Vec<Fit> = choices
        .into_iter()
        .map(|choice| choice.fit(table, slot, Fit::default(), None))
        .collect();
    let misfit = fits.is_empty().then(|| widths(table, slot, &free, asked));
    Found {
        fits: or_nearest(fits, || nearest(table, asked, Fit::default(), &free)),
        misfit,
        named: false,
        shares_names: true,
    }
}

pub(super) fn or_nearest(fits: Vec<Fit>, nearest: impl FnOnce() -> Fit) -> Vec<Fit> {
    match fits.is_empty() {
        true => vec![nearest()],
        false => fits,
    }
}

/// What the free columns make, where that is not what the model wants.
pub(super) fn widths(
    table: &Table,
    slot: &Slot<'_>,
    free: &[usize],
    asked: Option<usize>,
) -> String {
    let label = asked.or_else(|| label_candidates(table, free).first().copied().flatten());
    let all: Vec<usize> = without(free, &label.into_iter().collect::<Vec<_>>());
    let besides = match label {
        Some(label) => format!(" besides `{}`", table.fields[label].name),
        None => String::new(),
    };
    let wants = slot
        .width
        .map_or_else(|| "?".to_owned(), |width| width.to_string());
    let one_hot = match Words::OneHot.width(table, &all) {
        width if width == all.len() => String::new(),
        width => format!("; with a column for each value of words they are {width}"),
    };
    let names = table.names(&all);
    format!(
        "the model's input `{}` wants {wants} columns, but the CSV has {}{besides}: {}{one_hot}",
        slot.port.name,
        all.len(),
        list(names.iter().map(String::as_str), "and")
    )
}

/// A start for somebody who mends the file: everything that is left, in the order of the CSV.
pub(super) fn nearest(table: &Table, asked: Option<usize>, start: Fit, free: &[usize]) -> Fit {
    let label = asked.or_else(|| label_candidates(table, free).first().copied().flatten());
    let left = without(free, &label.into_iter().collect::<Vec<_>>());
    let ignore: Vec<usize> = left
        .iter()
        .copied()
        .filter(|&position| names::is_not_read(&table.fields[position].name))
        .collect();
    let columns = without(&left, &ignore);
    let mut fit = Fit {
        label,
        ignore,
        ..start
    };
    let are = |wanted: fn(&Field) -> bool| {
        let columns = columns.iter().copied();
        columns.filter(move |&position| wanted(&table.fields[position]))
    };
    fit.scalable.extend(are(Field::is_number));
    fit.coded.extend(are(Field::is_words));
    fit.read.extend(&columns);
    fit.read.sort_unstable();
    match fit.inputs.as_mut_slice() {
        [] => fit.columns = Some(columns),
        [(_, of_input)] => *of_input = columns,
        _ => {}
    }
    fit
}
