//! The tensors of a batch: each input with the columns that go into it.

mod layout;

use std::borrow::Cow;

use crate::encoding::{Cell, Column};
use crate::schema::Schema;

use super::signature::{Element, Port};
use super::tensor::{Tensor, Values};
pub(super) use layout::Misfit;
pub use layout::{Key, Layout};
use layout::{Slot, for_only, for_several, slot, too_wide};

/// How a batch of search rows becomes a model's tensors.
#[derive(Debug, Clone)]
pub(super) struct Feed {
    inputs: Vec<InputFeed>,
    width: usize,
    bases: Vec<f32>,
    /// The rows are the model's only input as they are.
    direct: bool,
    /// Rows that each call must hold, where the model fixes it.
    pub(super) batch: Option<usize>,
    /// Attributes that no input takes.
    pub(super) unread: Vec<usize>,
}

#[derive(Debug, Clone)]
struct InputFeed {
    name: String,
    element: Element,
    /// Whether the input has a dimension for its columns, or is one column without.
    flat: bool,
    columns: Vec<Column>,
    /// The words of each code of each column, for an input of words.
    words: Vec<Vec<String>>,
}

/// How a column follows an attribute: by a line.
#[cfg(feature = "white-box")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slope {
    /// The attribute's place.
    pub(super) attribute: usize,
    /// What the column grows by as the attribute grows by one.
    pub(super) slope: f64,
}

impl Feed {
    /// Connects columns to inputs.
    ///
    /// # Errors
    /// What the model wants and what there is, if they do not fit.
    pub(super) fn new(
        ports: &[Port],
        schema: &Schema,
        columns: &[Column],
        layout: &Layout,
    ) -> Result<Self, Misfit> {
        let slots: Vec<Slot<'_>> = ports.iter().map(slot).collect::<Result<_, _>>()?;
        let chosen = match slots.as_slice() {
            [only] if layout.inputs.is_empty() => vec![for_only(only, schema, columns, layout)?],
            _ => for_several(&slots, columns, layout)?,
        };
        let read = |attribute: &usize| {
            let mut columns = chosen.iter().flatten();
            columns.any(|column| column.shows(*attribute))
        };
        let unread = (0..schema.width()).filter(|a| !read(a)).collect();
        let bases: Vec<f32> = schema
            .attributes()
            .iter()
            .map(|a| a.domain.base())
            .collect();
        let inputs = slots
            .iter()
            .zip(chosen)
            .map(|(slot, columns)| input(slot, columns, schema))
            .collect::<Result<Vec<_>, _>>()?;
        let direct = match inputs.as_slice() {
            [only] => is_direct(only, &bases),
            _ => false,
        };
        Ok(Feed {
            batch: slots.iter().find_map(|slot| slot.batch),
            width: schema.width(),
            inputs,
            bases,
            direct,
            unread,
        })
    }

    /// For each input, how its columns follow the attributes; nothing for those that jump.
    #[cfg(feature = "white-box")]
    pub(super) fn slopes(&self) -> Vec<Vec<Option<Slope>>> {
        let slope = |input: &InputFeed, column: &Column| match column.cell {
            _ if matches!(input.element, Element::Bool | Element::Text) => None,
            Cell::Line {
                attribute, scale, ..
            } => Some(Slope {
                attribute,
                slope: scale,
            }),
            _ => None,
        };
        let slopes = |input: &InputFeed| {
            let columns = input.columns.iter();
            columns.map(|column| slope(input, column)).collect()
        };
        self.inputs.iter().map(slopes).collect()
    }

    /// The attributes that reach the model in jumps.
    #[cfg(feature = "white-box")]
    pub(super) fn jumps(&self) -> Vec<usize> {
        let slopes = self.slopes();
        let columns = self.inputs.iter().zip(&slopes);
        let jumping: Vec<&Column> = columns
            .flat_map(|(input, slopes)| input.columns.iter().zip(slopes))
            .filter(|(_, slope)| slope.is_none())
            .map(|(column, _)| column)
            .collect();
        let jumps = |attribute: &usize| jumping.iter().any(|column| column.shows(*attribute));
        (0..self.width).filter(jumps).collect()
    }

    /// The tensors of these search rows.
    pub(super) fn tensors<'r>(&'r self, rows: &'r [f32]) -> Vec<Tensor<'r>> {
        let count = rows.len() / self.width.max(1);
        let tensor = |input: &'r InputFeed| Tensor {
            values: if self.direct {
                Values::Float(Cow::Borrowed(rows))
            } else {
                self.values(input, rows, count)
            },
            shape: if input.flat {
                vec![count]
            } else {
                vec![count, input.columns.len()]
            },
        };
        self.inputs.iter().map(tensor).collect()
    }

    /// The names of all columns, input by input. An input of one column has the model's own name for
    /// it; where two columns would have the same name, the input's stands in front.
    pub(super) fn column_names(&self) -> Vec<String> {
        let several = self.inputs.len() > 1;
        let names: Vec<(&str, &str)> = self
            .inputs
            .iter()
            .flat_map(|input| {
                let alone = several && input.columns.len() == 1;
                input.columns.iter().map(move |column| match alone {
                    true => (input.name.as_str(), input.name.as_str()),
                    false => (input.name.as_str(), column.name.as_str()),
                })
            })
            .collect();
        let is_twice = |name: &str| names.iter().filter(|(_, other)| *other == name).count() > 1;
        names
            .iter()
            .map(|(input, name)| match is_twice(name) {
                true => format!("{input}.{name}"),
                false => (*name).to_owned(),
            })
            .collect()
    }

    /// What the model eats for these search rows, as text: one list a row, in the order of the names.
    pub(super) fn cells(&self, rows: &[f32]) -> Vec<Vec<String>> {
        let count = rows.len() / self.width.max(1);
        let mut cells = vec![Vec::new(); count];
        for input in &self.inputs {
            let across = input.columns.len();
            for (place, cell) in self
                .values(input, rows, count)
                .texts()
                .into_iter()
                .enumerate()
            {
                cells[place / across.max(1)].push(cell);
            }
        }
        cells
    }

    fn values<'r>(&self, input: &'r InputFeed, rows: &[f32], count: usize) -> Values<'r> {
        match input.element {
            Element::Double => Values::Double(self.numbers(input, rows, count, |number| number)),
            Element::Int64 => {
                Values::Int64(self.numbers(input, rows, count, |number| number.round() as i64))
            }
            Element::Int32 => {
                Values::Int32(self.numbers(input, rows, count, |number| number.round() as i32))
            }
            Element::Bool => Values::Bool(self.numbers(input, rows, count, |number| number >= 0.5)),
            Element::Text => Values::Text(self.texts(input, rows, count)),
            Element::Float | Element::Other(_) => {
                let numbers = self.numbers(input, rows, count, |number| number as f32);
                Values::Float(Cow::Owned(numbers))
            }
        }
    }

    fn numbers<T: Copy + Default>(
        &self,
        input: &InputFeed,
        rows: &[f32],
        count: usize,
        cast: impl Fn(f64) -> T,
    ) -> Vec<T> {
        let across = input.columns.len();
        let mut values = vec![T::default(); count * across];
        for (place, column) in input.columns.iter().enumerate() {
            column.fill(rows, self.width, &self.bases, |row, number| {
                values[row * across + place] = cast(number);
            });
        }
        values
    }

    fn texts<'r>(&self, input: &'r InputFeed, rows: &[f32], count: usize) -> Vec<&'r str> {
        let mut texts = Vec::with_capacity(count * input.columns.len());
        for row in rows.chunks_exact(self.width) {
            for (column, words) in input.columns.iter().zip(&input.words) {
                let attribute = column.attribute.unwrap_or_default();
                let code = f64::from(row[attribute] - self.bases[attribute]);
                let last = words.len().saturating_sub(1);
                texts.push(words[crate::encoding::nearest(code, last)].as_str());
            }
        }
        texts
    }
}

fn is_direct(input: &InputFeed, bases: &[f32]) -> bool {
    input.element == Element::Float
        && !input.flat
        && input.columns.len() == bases.len()
        && input
            .columns
            .iter()
            .enumerate()
            .all(|(place, column)| column.is_own(place, bases[place]))
}

fn input(slot: &Slot<'_>, columns: Vec<Column>, schema: &Schema) -> Result<InputFeed, Misfit> {
    if slot.flat && columns.len() != 1 {
        return Err(too_wide(slot, 1, &columns));
    }
    let mut words = Vec::new();
    for column in &columns {
        match slot.element {
            Element::Text => words.push(words_of(slot, column, schema)?),
            Element::Int64 | Element::Int32 | Element::Bool => check_whole(slot, column)?,
            _ => {}
        }
    }
    Ok(InputFeed {
        name: slot.port.name.clone(),
        element: slot.element.clone(),
        flat: slot.flat,
        columns,
        words,
    })
}

/// The words of every code of a column's attribute.
fn words_of(slot: &Slot<'_>, column: &Column, schema: &Schema) -> Result<Vec<String>, Misfit> {
    const MOST: u64 = 1 << 20;
    let attribute = match (&column.cell, column.attribute) {
        (Cell::Line { .. }, Some(position)) => &schema.attributes()[position],
        _ => {
            return Err(Misfit {
                message: format!(
                    "the model's input {} takes words, but `{}` is made into numbers",
                    slot.port, column.name
                ),
                help: "leave out `one-hot`, `codes`, `bins` and `derived` for this input"
                    .to_owned(),
                key: None,
            });
        }
    };
    let size = attribute.domain.size();
    if size > MOST {
        return Err(Misfit {
            message: format!("`{}` has {size} values, too many for words", column.name),
            help: "say a smaller domain under the dataset's attributes".to_owned(),
            key: None,
        });
    }
    Ok((0..size as u32)
        .map(|code| attribute.domain.text(code).into_owned())
        .collect())
}

/// A number that would change on the way makes another person than the one reported.
fn check_whole(slot: &Slot<'_>, column: &Column) -> Result<(), Misfit> {
    let is_whole = |number: f64| number.fract() == 0.0;
    let fits = match &column.cell {
        Cell::Line { offset, scale, .. } => is_whole(*offset) && is_whole(*scale),
        Cell::Look { numbers, .. } => numbers.iter().copied().all(is_whole),
        Cell::Is { .. } | Cell::Derived(_) => true,
    };
    if fits {
        return Ok(());
    }
    Err(Misfit {
        message: format!(
            "the model takes whole numbers ({}), but `{}` has others",
            slot.port, column.name
        ),
        help: "give this attribute whole numbers, or export the model with a float input"
            .to_owned(),
        key: None,
    })
}
