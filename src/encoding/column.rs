//! One column of a model's input.

use crate::schema::{Attribute, Code, Domain};

use super::Derived;

/// How one number of the model's input is made from a person.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Cell {
    /// `offset + scale * code`.
    Line {
        /// The attribute's place.
        attribute: usize,
        /// The number of code 0.
        offset: f64,
        /// What each further code adds.
        scale: f64,
    },
    /// 1 if the attribute has this code, else 0.
    Is {
        /// The attribute's place.
        attribute: usize,
        /// The code.
        code: Code,
    },
    /// A number for each code.
    Look {
        /// The attribute's place.
        attribute: usize,
        /// The numbers, by code.
        numbers: Vec<f64>,
    },
    /// Computed from several attributes.
    Derived(Derived),
}

/// A named column of a model's input.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Column {
    /// Its name: the attribute's, or that of one value in a one-hot group.
    pub name: String,
    /// The attribute that it shows, if it shows one alone.
    pub attribute: Option<usize>,
    /// The attribute's name, if the column is one of its one-hot group.
    pub group: Option<String>,
    /// How it is made.
    pub cell: Cell,
}

/// An attribute given to the model as it is: numbers as themselves, categories as 0, 1, 2 ...
pub(crate) fn natural(position: usize, attribute: &Attribute) -> Cell {
    let (offset, scale) = match attribute.domain {
        Domain::Categories(_) => (0.0, 1.0),
        ref numbers => numbers.line().unwrap_or((0.0, 1.0)),
    };
    Cell::Line {
        attribute: position,
        offset,
        scale,
    }
}

impl Column {
    pub(crate) fn new(name: String, attribute: Option<usize>, cell: Cell) -> Self {
        Column {
            name,
            attribute,
            group: None,
            cell,
        }
    }

    /// Whether the column depends on the attribute at this place.
    pub(crate) fn shows(&self, attribute: usize) -> bool {
        match &self.cell {
            Cell::Derived(derived) => derived.reads(attribute),
            _ => self.attribute == Some(attribute),
        }
    }

    /// Whether the column is a search row's own number at `place`, where `base` stands for code 0.
    pub(crate) fn is_own(&self, place: usize, base: f32) -> bool {
        match self.cell {
            Cell::Line {
                attribute,
                offset,
                scale,
            } => attribute == place && offset == f64::from(base) && scale == 1.0,
            _ => false,
        }
    }

    /// Gives `put` the number of each row. `rows` are search rows of `width` numbers, and `bases`
    /// what each attribute has there for code 0.
    ///
    /// A probe may lie between two codes or outside the domain: a line goes on there, a lookup takes
    /// the nearest code.
    pub(crate) fn fill(
        &self,
        rows: &[f32],
        width: usize,
        bases: &[f32],
        mut put: impl FnMut(usize, f64),
    ) {
        let mut each = |attribute: usize, number: &dyn Fn(f64) -> f64| {
            let base = bases[attribute];
            for (place, row) in rows.chunks_exact(width).enumerate() {
                put(place, number(f64::from(row[attribute] - base)));
            }
        };
        match &self.cell {
            Cell::Line {
                attribute,
                offset,
                scale,
            } => each(*attribute, &|code| offset + scale * code),
            Cell::Is { attribute, code } => {
                let wanted = f64::from(*code);
                each(*attribute, &|code| {
                    f64::from(u8::from(code.round() == wanted))
                });
            }
            Cell::Look { attribute, numbers } => {
                let last = numbers.len().saturating_sub(1);
                each(*attribute, &|code| numbers[nearest(code, last)]);
            }
            Cell::Derived(derived) => {
                let mut person = vec![0; width];
                for (place, row) in rows.chunks_exact(width).enumerate() {
                    for (attribute, code) in person.iter_mut().enumerate() {
                        let at = f64::from(row[attribute] - bases[attribute]);
                        *code = nearest(at, derived.largest[attribute] as usize) as Code;
                    }
                    put(place, derived.number(&person));
                }
            }
        }
    }
}

/// The nearest code that there is.
pub(crate) fn nearest(code: f64, last: usize) -> usize {
    (code.round().max(0.0) as usize).min(last)
}
