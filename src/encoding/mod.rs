//! From a person to the numbers (or words) that a model eats.
//!
//! The search walks in attribute space. A search row holds one number for each attribute: the code,
//! counted from the start of the domain (integers: the integer itself). A [`Column`] says how one
//! number of the model's input is made from such a row.

mod column;

pub use column::{Cell, Column};
pub(crate) use column::{natural, nearest};

use std::sync::Arc;

use crate::schema::expression::{Expression, Values};
use crate::schema::{Attribute, Code, Domain, Schema};
use crate::spec::{EncodingSpec, Scale};

/// Why an attribute cannot be given to the model as the spec says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadEncoding {
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
}

fn bad<T>(message: String, help: impl Into<String>) -> Result<T, BadEncoding> {
    Err(BadEncoding {
        message,
        help: help.into(),
    })
}

/// A column that is computed from attributes.
#[derive(Debug, Clone)]
pub struct Derived {
    expression: Expression,
    values: Arc<Values>,
    /// The last code of each attribute: probes may lie outside the domain.
    largest: Vec<Code>,
    scale: Option<Scale>,
}

impl Derived {
    pub(crate) fn new(
        expression: Expression,
        values: Arc<Values>,
        schema: &Schema,
        scale: Option<Scale>,
    ) -> Self {
        let largest = |attribute: &Attribute| (attribute.domain.size() - 1) as Code;
        Derived {
            expression,
            values,
            largest: schema.attributes().iter().map(largest).collect(),
            scale,
        }
    }

    /// Whether the attribute at this place matters.
    pub(crate) fn reads(&self, attribute: usize) -> bool {
        self.expression.attributes().contains(&attribute)
    }

    fn number(&self, person: &[Code]) -> f64 {
        scaled(self.expression.value(&self.values, person), self.scale)
    }
}

fn scaled(number: f64, scale: Option<Scale>) -> f64 {
    scale.map_or(number, |scale| (number - scale.minus) / scale.over)
}

/// The columns of all attributes, each given to the model as its encoding says.
///
/// # Errors
/// Every encoding that its attribute cannot have.
pub(crate) fn columns(
    schema: &Schema,
    encoding_of: impl Fn(&str) -> EncodingSpec,
) -> Result<Vec<Column>, Vec<(String, BadEncoding)>> {
    let mut columns = Vec::new();
    let mut problems = Vec::new();
    for (position, attribute) in schema.attributes().iter().enumerate() {
        match of_attribute(position, attribute, &encoding_of(&attribute.name)) {
            Ok(made) => columns.extend(made),
            Err(problem) => problems.push((attribute.name.clone(), problem)),
        }
    }
    if problems.is_empty() {
        Ok(columns)
    } else {
        Err(problems)
    }
}

/// The columns of one attribute.
fn of_attribute(
    position: usize,
    attribute: &Attribute,
    spec: &EncodingSpec,
) -> Result<Vec<Column>, BadEncoding> {
    let order = spec.order.as_ref().map(|order| order.value.as_slice());
    let order = order.map(|order| ordered(attribute, order)).transpose()?;
    if let Some(one_hot) = &spec.one_hot {
        let names = one_hot.value.columns.as_deref();
        return group(position, attribute, order, names, one_hot.value.drop_first);
    }
    let cell = if let Some(order) = order {
        let mut numbers = vec![0.0; order.len()];
        for (place, &code) in order.iter().enumerate() {
            numbers[code as usize] = scaled(place as f64, spec.scale);
        }
        Cell::Look {
            attribute: position,
            numbers,
        }
    } else if let Some(codes) = &spec.codes {
        coded(position, attribute, &codes.value, spec.scale)?
    } else if let Some(starts) = &spec.bins {
        binned(position, attribute, &starts.value, spec.scale)?
    } else {
        line(position, attribute, spec.scale)?
    };
    Ok(vec![Column::new(
        attribute.name.clone(),
        Some(position),
        cell,
    )])
}

fn line(position: usize, attribute: &Attribute, scale: Option<Scale>) -> Result<Cell, BadEncoding> {
    let own = natural(position, attribute);
    let Some(scale) = scale else {
        return Ok(own);
    };
    match (own, attribute.domain.line()) {
        (
            Cell::Line {
                attribute,
                offset,
                scale: step,
            },
            Some(_),
        ) => Ok(Cell::Line {
            attribute,
            offset: (offset - scale.minus) / scale.over,
            scale: step / scale.over,
        }),
        _ => bad(
            format!(
                "`{}` has categories, which cannot be scaled",
                attribute.name
            ),
            "leave out `scale`, or give each category a number with `codes`",
        ),
    }
}

/// The codes of an attribute in the model's own order.
fn ordered(attribute: &Attribute, order: &[String]) -> Result<Vec<Code>, BadEncoding> {
    let mut codes = Vec::with_capacity(order.len());
    for value in order {
        match attribute.domain.code(value) {
            Some(code) => codes.push(code),
            None => {
                return bad(
                    format!(
                        "`order` names {value:?}, which is no value of `{}`",
                        attribute.name
                    ),
                    format!("the values are {}", attribute.domain.describe()),
                );
            }
        }
    }
    let lost = (0..attribute.domain.size() as Code).find(|code| !codes.contains(code));
    if let Some(lost) = lost {
        let value = attribute.domain.text(lost);
        return bad(
            format!(
                "`order` leaves out {value:?}, which is a value of `{}`",
                attribute.name
            ),
            "the model must be able to take every value: add it to `order`, or take it out of the \
             attribute's `values`",
        );
    }
    Ok(codes)
}

fn group(
    position: usize,
    attribute: &Attribute,
    order: Option<Vec<Code>>,
    names: Option<&[String]>,
    drop_first: bool,
) -> Result<Vec<Column>, BadEncoding> {
    const MOST: u64 = 10_000;
    let size = attribute.domain.size();
    if size > MOST {
        return bad(
            format!(
                "`{}` has {size} values, too many for a column each",
                attribute.name
            ),
            "leave out `one-hot`, or say fewer `values`",
        );
    }
    let order = order.unwrap_or_else(|| (0..size as Code).collect());
    let codes = &order[usize::from(drop_first)..];
    if let Some(names) = names
        && names.len() != codes.len()
    {
        let has = if drop_first {
            "values without the first"
        } else {
            "values"
        };
        return bad(
            format!(
                "`{}` has {} {has}, but `one-hot` names {} columns: {}",
                attribute.name,
                codes.len(),
                names.len(),
                attribute.domain.describe()
            ),
            "name one column for each value, in the order of `values`",
        );
    }
    let column = |(index, &code): (usize, &Code)| {
        let name = match names {
            Some(names) => names[index].clone(),
            None => format!("{}_{}", attribute.name, attribute.domain.text(code)),
        };
        let cell = Cell::Is {
            attribute: position,
            code,
        };
        Column {
            group: Some(attribute.name.clone()),
            ..Column::new(name, Some(position), cell)
        }
    };
    Ok(codes.iter().enumerate().map(column).collect())
}

fn coded(
    position: usize,
    attribute: &Attribute,
    codes: &[f64],
    scale: Option<Scale>,
) -> Result<Cell, BadEncoding> {
    let size = attribute.domain.size();
    if codes.len() as u64 != size {
        return bad(
            format!(
                "`{}` has {size} values, but `codes` has {}: {}",
                attribute.name,
                codes.len(),
                attribute.domain.describe()
            ),
            "write one number for each value, in the order of `values`",
        );
    }
    Ok(Cell::Look {
        attribute: position,
        numbers: codes.iter().map(|&code| scaled(code, scale)).collect(),
    })
}

fn binned(
    position: usize,
    attribute: &Attribute,
    starts: &[f64],
    scale: Option<Scale>,
) -> Result<Cell, BadEncoding> {
    let number = |code| attribute.domain.number(code);
    if matches!(attribute.domain, Domain::Categories(_)) {
        return bad(
            format!("`{}` has categories, which have no bins", attribute.name),
            "leave out `bins`, or say `min` and `max` for numbers",
        );
    }
    let bin = |code| {
        let number = number(code).unwrap_or_default();
        scaled(
            starts.partition_point(|&start| start <= number) as f64,
            scale,
        )
    };
    Ok(Cell::Look {
        attribute: position,
        numbers: (0..attribute.domain.size() as u32).map(bin).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    fn spec(encoding: &str) -> EncodingSpec {
        let text = format!(
            "[model.m]\npath = 'm'\n[dataset.d]\npath = 'd'\n[dataset.d.attributes]\na = {encoding}\n\
             [benchmark.b]\nmodel = 'm'\ndataset = 'd'\nprotected = ['a']"
        );
        let spec = Spec::parse(&text, std::path::Path::new("fairness.toml")).unwrap();
        spec.datasets["d"].attributes[0].1.value.encoding.clone()
    }

    fn attribute(domain: Domain) -> Attribute {
        Attribute::new("a", domain)
    }

    fn categories() -> Attribute {
        let names = ["x", "y", "z"].map(str::to_owned).to_vec();
        attribute(Domain::Categories(names))
    }

    /// What the model gets for each code, column by column.
    fn shown(attribute: &Attribute, encoding: &str) -> Vec<(String, Vec<f64>)> {
        let columns = of_attribute(0, attribute, &spec(encoding)).unwrap();
        let base = attribute.domain.base();
        let rows: Vec<f32> = (0..attribute.domain.size())
            .map(|c| base + c as f32)
            .collect();
        let show = |column: &Column| {
            let mut numbers = vec![0.0; rows.len()];
            column.fill(&rows, 1, &[base], |place, number| numbers[place] = number);
            (column.name.clone(), numbers)
        };
        columns.iter().map(show).collect()
    }

    #[test]
    fn numbers_are_scaled_both_ways() {
        let ages = attribute(Domain::Integers { min: 18, max: 20 });
        let scaled = shown(&ages, "{ scale = { mean = 19.0, std = 2.0 } }");
        assert_eq!(scaled, [("a".to_owned(), vec![-0.5, 0.0, 0.5])]);
        let scaled = shown(&ages, "{ scale = { min = 18, max = 20 } }");
        assert_eq!(scaled[0].1, [0.0, 0.5, 1.0]);
    }

    #[test]
    fn one_hot_groups_are_never_two_at_once() {
        let shown = shown(
            &categories(),
            "{ values = ['x', 'y', 'z'], one-hot = true }",
        );
        let names: Vec<&str> = shown.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a_x", "a_y", "a_z"]);
        for code in 0..3 {
            let row: Vec<f64> = shown.iter().map(|(_, column)| column[code]).collect();
            assert_eq!(row.iter().sum::<f64>(), 1.0);
            assert_eq!(row[code], 1.0);
        }
    }

    #[test]
    fn the_first_value_may_have_no_column() {
        let shown = shown(
            &categories(),
            "{ one-hot = ['is-y', 'is-z'], drop-first = true }",
        );
        assert_eq!(shown[0], ("is-y".to_owned(), vec![0.0, 1.0, 0.0]));
        assert_eq!(shown[1], ("is-z".to_owned(), vec![0.0, 0.0, 1.0]));
    }

    #[test]
    fn a_model_may_have_an_order_of_its_own() {
        let codes = shown(&categories(), "{ order = ['z', 'x', 'y'] }");
        assert_eq!(codes[0].1, [1.0, 2.0, 0.0]);
        let group = shown(&categories(), "{ order = ['z', 'x', 'y'], one-hot = true }");
        assert_eq!(group[0], ("a_z".to_owned(), vec![0.0, 0.0, 1.0]));
    }

    #[test]
    fn codes_and_bins_are_looked_up() {
        assert_eq!(
            shown(&categories(), "{ codes = [3, 1, 7] }")[0].1,
            [3.0, 1.0, 7.0]
        );
        let ages = attribute(Domain::Integers { min: 24, max: 28 });
        assert_eq!(
            shown(&ages, "{ bins = [26, 28] }")[0].1,
            [0.0, 0.0, 1.0, 1.0, 2.0]
        );
    }

    #[test]
    fn what_does_not_fit_is_said_with_how_to_mend_it() {
        for (encoding, said) in [
            ("{ order = ['x', 'y'] }", "`order` leaves out \"z\""),
            ("{ order = ['x', 'y', 'w'] }", "`order` names \"w\""),
            ("{ codes = [1, 2] }", "`a` has 3 values, but `codes` has 2"),
            (
                "{ one-hot = ['p', 'q'] }",
                "`a` has 3 values, but `one-hot` names 2 columns",
            ),
            ("{ scale = { mean = 1.0, std = 2.0 } }", "cannot be scaled"),
            ("{ bins = [1, 2] }", "have no bins"),
        ] {
            let problem = of_attribute(0, &categories(), &spec(encoding)).unwrap_err();
            assert!(problem.message.contains(said), "{problem:?}");
        }
    }
}
