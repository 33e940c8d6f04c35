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

/// How the columns of the CSV can be given to these inputs.
pub(super) fn find(table: &Table, inputs: &[Port], asked: Option<usize>) -> Found {
    let slots: Option<Vec<Slot<'_>>> = inputs.iter().map(Slot::of).collect();
    let Some(slots) = slots.filter(|slots| !slots.is_empty()) else {
        return Found {
            fits: vec![nearest(table, asked, Fit::default(), &[])],
            misfit: Some("the model has an input that is no table of people".to_owned()),
            named: false,
            shares_names: true,
        };
    };
    match slots.as_slice() {
        [only] if by_name(table, only).is_none() => one_matrix(table, only, asked),
        _ => several(table, &slots, asked),
    }
}

/// The column that an input is called like.
pub(super) fn by_name(table: &Table, slot: &Slot<'_>) -> Option<usize> {
    let same = |field: &Field| names::alike(&field.name, &slot.port.name);
    table.fields.iter().position(same)
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
