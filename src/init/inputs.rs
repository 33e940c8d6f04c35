//! Models with several inputs, most of which are called like columns.

use crate::schema::Domain;

use super::layout::{Fit, Found, Slot, by_name, nearest, or_nearest, widths};
use super::matrix::{choices, label_candidates, without};
use super::names;
use super::table::Table;

/// Several inputs: most are called like columns.
pub(super) fn several(table: &Table, slots: &[Slot<'_>], asked: Option<usize>) -> Found {
    let mut fit = Fit::default();
    let mut lost = Vec::new();
    for slot in slots {
        let column = by_name(table, slot, slots).filter(|&position| Some(position) != asked);
        if !column.is_some_and(|position| named(table, slot, position, &mut fit)) {
            lost.push(slot);
        }
    }
    let shares_names = !fit.read.is_empty();
    lost.retain(|slot| !computed(table, slot, &mut fit));
    fit.read.sort_unstable();
    fit.read.dedup();
    let all: Vec<usize> = table.positions().collect();
    let free = without(&all, &fit.read);
    let fits = match lost.as_slice() {
        [] => vec![by_elimination(table, &free, asked, fit.clone())],
        [matrix] => choices(table, matrix, &free, asked)
            .into_iter()
            .map(|choice| choice.fit(table, matrix, fit.clone(), Some(&matrix.port.name)))
            .collect(),
        _ => Vec::new(),
    };
    let misfit = match (fits.is_empty(), lost.as_slice()) {
        (false, _) => None,
        (true, [matrix]) => Some(widths(table, matrix, &free, asked)),
        (true, _) => Some(no_columns(&lost)),
    };
    Found {
        fits: or_nearest(fits, || {
            let inputs = lost.iter().map(|slot| (slot.port.name.clone(), Vec::new()));
            let inputs = inputs.collect();
            let start = Fit { inputs, ..fit };
            nearest(table, asked, start, &free)
        }),
        misfit,
        named: true,
        shares_names: shares_names || lost.len() < slots.len(),
    }
}

fn no_columns(lost: &[&Slot<'_>]) -> String {
    let ports: Vec<String> = lost.iter().map(|slot| slot.port.to_string()).collect();
    format!(
        "the model has inputs that no column is called like: {}",
        ports.join(", ")
    )
}

/// The column that an input is called like goes into it, if it has the width for that.
fn named(table: &Table, slot: &Slot<'_>, position: usize, fit: &mut Fit) -> bool {
    let field = &table.fields[position];
    let size = field.domain.size() as usize;
    match slot.width.unwrap_or(1) {
        1 if field.is_words() && !slot.takes_words() => fit.coded.push(position),
        1 if field.is_number() && slot.takes_fractions() => fit.scalable.push(position),
        1 => {}
        width if width == size => fit.one_hot.push((position, false)),
        width if width + 1 == size => fit.one_hot.push((position, true)),
        _ => return false,
    }
    let name = &slot.port.name;
    if table.position(name).is_some_and(|own| own != position) {
        // By its name alone it would be given another column.
        fit.inputs.push((name.clone(), vec![position]));
    }
    fit.read.push(position);
    true
}

/// `is_male` and `has_gain`: inputs that say one thing about one column.
fn computed(table: &Table, slot: &Slot<'_>, fit: &mut Fit) -> bool {
    let words = names::words(&slot.port.name);
    let (Some(1) | None, [first, rest @ ..]) = (slot.width, words.as_slice()) else {
        return false;
    };
    let rest = rest.concat();
    let expression = match first.as_str() {
        "is" => is_value(table, &rest),
        "has" => has_some(table, &rest),
        _ => None,
    };
    let Some((position, expression)) = expression else {
        return false;
    };
    fit.read.push(position);
    fit.derived.push((slot.port.name.clone(), expression));
    true
}

/// `sex == "Male"`, if exactly one column has such a value.
fn is_value(table: &Table, wanted: &str) -> Option<(usize, String)> {
    let same = |name: &&String| names::words(name).concat() == wanted;
    let value = |position: usize| match &table.fields[position].domain {
        Domain::Categories(names) => names.iter().find(same).map(|name| (position, name)),
        _ => None,
    };
    let found: Vec<(usize, &String)> = table.positions().filter_map(value).collect();
    match found.as_slice() {
        [(position, name)] if !name.contains(['"', '\\']) => {
            let attribute = expressible(&table.fields[*position].name)?;
            Some((*position, format!("{attribute} == \"{name}\"")))
        }
        _ => None,
    }
}

/// `capital-gain > 0`, if exactly one column of numbers is called so.
fn has_some(table: &Table, wanted: &str) -> Option<(usize, String)> {
    let called = |&position: &usize| {
        let field = &table.fields[position];
        let words = names::words(&field.name);
        field.is_number() && (words.concat() == wanted || words.iter().any(|word| word == wanted))
    };
    let found: Vec<usize> = table.positions().filter(called).collect();
    match found.as_slice() {
        [position] => {
            let attribute = expressible(&table.fields[*position].name)?;
            Some((*position, format!("{attribute} > 0")))
        }
        _ => None,
    }
}

/// A name that an expression can write as it is.
fn expressible(name: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (starts && name.chars().all(plain)).then_some(name)
}

/// The label is what no input takes.
fn by_elimination(table: &Table, free: &[usize], asked: Option<usize>, start: Fit) -> Fit {
    let label = match (asked, free) {
        (Some(_), _) => asked,
        (None, [only]) if !names::is_not_read(&table.fields[*only].name) => Some(*only),
        (None, _) => label_candidates(table, free).first().copied().flatten(),
    };
    let ignore = without(free, &label.into_iter().collect::<Vec<_>>());
    Fit {
        label,
        ignore,
        ..start
    }
}
