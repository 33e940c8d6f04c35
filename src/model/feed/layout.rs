//! Which column goes into which input: by the spec, by name, or in order.

use crate::encoding::Column;
use crate::schema::Schema;
use crate::spec::suggest;

use super::super::signature::{Dimension, Element, Kind, Port, joined};

/// Which columns go where, as far as the spec says it.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Layout {
    /// The columns of the only input, in its order.
    pub columns: Option<Vec<String>>,
    /// The columns of an input, by the input's name.
    pub inputs: Vec<(String, Vec<String>)>,
}

impl Layout {
    /// A layout of these columns and inputs.
    pub fn new(columns: Option<Vec<String>>, inputs: Vec<(String, Vec<String>)>) -> Self {
        Layout { columns, inputs }
    }
}

/// A key under the model that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Key {
    /// `columns`.
    Columns {
        /// Whether everything that it names is known.
        known: bool,
    },
    /// `inputs`, with a name that is not known.
    Inputs,
}

/// The columns and the model do not fit together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct Misfit {
    pub(in crate::model) message: String,
    pub(in crate::model) help: String,
    /// The key under the model that is to blame, if one is.
    pub(in crate::model) key: Option<Key>,
}

/// An input as far as its declaration goes.
pub(super) struct Slot<'p> {
    pub(super) port: &'p Port,
    pub(super) element: &'p Element,
    pub(super) flat: bool,
    pub(super) width: Option<usize>,
    pub(super) batch: Option<usize>,
}

/// Whether the input can take columns at all.
pub(super) fn slot(port: &Port) -> Result<Slot<'_>, Misfit> {
    let refuse = |why: &str, help: &str| {
        Err(Misfit {
            message: format!("the model has an input that {why}: {port}"),
            help: help.to_owned(),
            key: None,
        })
    };
    let Kind::Tensor { element, shape } = &port.kind else {
        return refuse(
            "is no tensor",
            "export the model with tensor inputs [N, columns]",
        );
    };
    if let Element::Other(name) = element {
        let why = format!("takes {name}");
        return refuse(
            &why,
            "fairgate gives float, double, int64, int32, bool and string",
        );
    }
    let (flat, batch, width) = match shape.as_slice() {
        [] => (false, None, None),
        [batch] => (true, batch.fixed(), Some(1)),
        [batch, width] => (false, batch.fixed(), width.fixed()),
        _ => {
            return refuse(
                "takes more than a table",
                "fairgate gives one row a person: [N], [N, 1] or [N, columns]",
            );
        }
    };
    if batch == Some(0) || width == Some(0) {
        return refuse("takes nothing", "export the model again");
    }
    Ok(Slot {
        port,
        element,
        flat,
        width,
        batch,
    })
}

/// The columns of a model's only input: all, in the order of the CSV or of the spec.
pub(super) fn for_only(
    slot: &Slot<'_>,
    schema: &Schema,
    columns: &[Column],
    layout: &Layout,
) -> Result<Vec<Column>, Misfit> {
    let chosen = match &layout.columns {
        Some(names) => named(names, columns, "`columns` under the model")?,
        None => columns.to_vec(),
    };
    let Some(wants) = slot.width.filter(|&wants| wants != chosen.len()) else {
        return Ok(chosen);
    };
    let attributes = schema.attributes().iter().map(|a| a.name.as_str());
    let made = if chosen.len() == schema.width() {
        format!("the dataset has {}", chosen.len())
    } else {
        format!(
            "the dataset's {} attributes make {}",
            schema.width(),
            chosen.len()
        )
    };
    Err(Misfit {
        message: format!(
            "the model wants {wants} columns a row ({}), but {made}: {}",
            slot.port,
            suggest::list(attributes, "and")
        ),
        help: if chosen.len() > wants {
            "name what the model does not read under the dataset (`label`, `ignore = [..]`), or the \
             model's columns in its order under the model: columns = [..]"
                .to_owned()
        } else {
            "say how attributes become columns (`one-hot = true` under an attribute, `derived` \
             columns under the dataset), or check that this is the dataset the model was trained on"
                .to_owned()
        },
        key: layout
            .columns
            .as_ref()
            .map(|_| Key::Columns { known: true }),
    })
}

/// The columns with these names; an attribute's name stands for all of its columns.
fn named(names: &[String], columns: &[Column], place: &str) -> Result<Vec<Column>, Misfit> {
    let mut chosen = Vec::new();
    for name in names {
        let found = matching(name, columns);
        if found.is_empty() {
            return Err(no_column(name, columns, place));
        }
        chosen.extend(found.into_iter().cloned());
    }
    Ok(chosen)
}

fn no_column(name: &str, columns: &[Column], place: &str) -> Misfit {
    let known = columns.iter().map(|column| column.name.as_str());
    Misfit {
        message: format!("{place} names `{name}`, which is no attribute and no column"),
        help: match suggest::closest(name, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", listed(columns)),
        },
        key: Some(if place.contains("inputs") {
            Key::Inputs
        } else {
            Key::Columns { known: false }
        }),
    }
}

/// The columns' names, one-hot groups by their attribute; the first ones of many.
fn listed(columns: &[Column]) -> String {
    const SHOWN: usize = 30;
    let mut names: Vec<&str> = Vec::new();
    for column in columns {
        let name = column.group.as_deref().unwrap_or(&column.name);
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match more {
        0 => suggest::list(names, "and"),
        more => format!("{} and {more} more", suggest::list(names, "and")),
    }
}

/// The columns that a name means: one column, or all of an attribute's. Exporters turn
/// `education-num` into `education_num`, so other characters than letters and digits are alike.
fn matching<'c>(name: &str, columns: &'c [Column]) -> Vec<&'c Column> {
    let same: [fn(&str, &str) -> bool; 3] = [
        |a, b| a == b,
        |a, b| plain(a) == plain(b),
        |a, b| plain(a).eq_ignore_ascii_case(&plain(b)),
    ];
    for same in same {
        if let Some(column) = columns.iter().find(|column| same(&column.name, name)) {
            return vec![column];
        }
        let of = |column: &&Column| column.group.as_ref().is_some_and(|g| same(g, name));
        let group: Vec<&Column> = columns.iter().filter(of).collect();
        if !group.is_empty() {
            return group;
        }
    }
    Vec::new()
}

fn plain(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect()
}

/// The columns of each input, by the names in the spec or by the inputs' own names.
pub(super) fn for_several(
    slots: &[Slot<'_>],
    columns: &[Column],
    layout: &Layout,
) -> Result<Vec<Vec<Column>>, Misfit> {
    for (name, _) in &layout.inputs {
        let known = || slots.iter().map(|slot| slot.port.name.as_str());
        if !known().any(|input| input == name) {
            return Err(Misfit {
                message: format!(
                    "`inputs` under the model names `{name}`, which is no input of it"
                ),
                help: match suggest::closest(name, known()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("the inputs are {}", suggest::list(known(), "and")),
                },
                key: Some(Key::Inputs),
            });
        }
    }
    let mut lost = Vec::new();
    let mut chosen = Vec::new();
    for slot in slots {
        let said = layout
            .inputs
            .iter()
            .find(|(name, _)| *name == slot.port.name);
        let found = match said {
            Some((name, names)) => named(names, columns, &format!("`{name}` under `inputs`"))?,
            None => matching(&slot.port.name, columns)
                .into_iter()
                .cloned()
                .collect(),
        };
        match slot.width {
            _ if found.is_empty() => lost.push(slot.port.clone()),
            Some(wants) if wants != found.len() => return Err(too_wide(slot, wants, &found)),
            _ => {}
        }
        chosen.push(found);
    }
    if lost.is_empty() {
        return Ok(chosen);
    }
    Err(Misfit {
        message: format!(
            "the model has inputs that no attribute is called like: {}; there are {}",
            joined(&lost),
            listed(columns)
        ),
        help: format!(
            "say what goes in under the model: inputs = {{ {} = [\"...\"] }}; or rename the \
             dataset's columns",
            lost[0].name
        ),
        key: None,
    })
}

pub(super) fn too_wide(slot: &Slot<'_>, wants: usize, found: &[Column]) -> Misfit {
    Misfit {
        message: format!(
            "the model's input {} takes {wants} columns, but gets {}: {}",
            slot.port,
            found.len(),
            listed(found)
        ),
        help: "say how the attribute becomes columns (`one-hot = true`, `codes`), or name the \
               columns under the model: inputs = { .. }"
            .to_owned(),
        key: None,
    }
}

impl Dimension {
    fn fixed(&self) -> Option<usize> {
        match self {
            Dimension::Fixed(size) => Some(*size),
            Dimension::Free(_) => None,
        }
    }
}
