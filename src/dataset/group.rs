//! One-hot groups: an attribute that a CSV spreads over several columns, of which one is 1.

use crate::schema::truth;
use crate::spec::{AttributeSpec, DomainSpec};

/// The columns of one attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Their places in a record, in the order of the values.
    pub(super) columns: Vec<usize>,
    /// The names of the values, the first of which may have no column.
    pub(super) values: Vec<String>,
    /// Whether the first value has no column.
    pub(super) drop_first: bool,
}

/// Why a person has no value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoValue {
    /// A cell is missing.
    Missing,
    /// Neither 0 nor 1: the place of the column in the group.
    NotTruth(usize),
    /// None is 1.
    None,
    /// Two are 1: their places in the group.
    Two(usize, usize),
}

/// The group of an attribute whose own name is no column but whose group's columns all are.
pub(super) fn find(name: &str, spec: &AttributeSpec, columns: &[String]) -> Option<Group> {
    if columns.iter().any(|column| column == name) {
        return None;
    }
    let wanted = names(name, spec)?;
    let place = |wanted: &String| columns.iter().position(|column| column == wanted);
    Some(Group {
        columns: wanted.iter().map(place).collect::<Option<_>>()?,
        values: values(name, spec)?,
        drop_first: spec.encoding.one_hot.as_ref()?.value.drop_first,
    })
}

/// The names of a group's columns: said, or made from the attribute and its values as pandas does.
pub(super) fn names(name: &str, spec: &AttributeSpec) -> Option<Vec<String>> {
    let one_hot = &spec.encoding.one_hot.as_ref()?.value;
    if one_hot.columns.is_some() {
        return one_hot.columns.clone();
    }
    let Some(DomainSpec::Values(values)) = &spec.domain else {
        return None;
    };
    let values = values.iter().skip(usize::from(one_hot.drop_first));
    Some(values.map(|value| format!("{name}_{value}")).collect())
}

/// The names of a group's values: said, or the columns' names without what they have in common.
pub(super) fn values(name: &str, spec: &AttributeSpec) -> Option<Vec<String>> {
    if let Some(DomainSpec::Values(values)) = &spec.domain {
        return Some(values.clone());
    }
    let one_hot = &spec.encoding.one_hot.as_ref()?.value;
    let columns = one_hot.columns.as_ref()?;
    let prefix = common_prefix(name, columns);
    let first = one_hot.drop_first.then(|| "other".to_owned());
    let rest = columns.iter().map(|column| column[prefix..].to_owned());
    Some(first.into_iter().chain(rest).collect())
}

/// The length of what all columns start with, up to a character that separates words.
fn common_prefix(name: &str, columns: &[String]) -> usize {
    let separates = |c: char| !c.is_alphanumeric();
    let after_name = name.len() + 1;
    let own = |column: &String| {
        let rest = column.strip_prefix(name);
        rest.is_some_and(|rest| {
            rest.len() > 1 && rest.starts_with(['_', '-', '.', '=', ':', ' ', '/'])
        })
    };
    if columns.iter().all(own) {
        return after_name;
    }
    let (Some(first), true) = (columns.first(), columns.len() > 1) else {
        return 0;
    };
    first
        .char_indices()
        .filter(|(_, c)| separates(*c))
        .map(|(at, c)| at + c.len_utf8())
        .take_while(|&end| {
            let starts = |column: &String| column.len() > end && column.starts_with(&first[..end]);
            columns.iter().all(starts)
        })
        .last()
        .unwrap_or(0)
}

impl Group {
    /// How many values there must be for these columns.
    pub(super) fn wants(&self) -> usize {
        self.columns.len() + usize::from(self.drop_first)
    }

    /// The place of a person's value among the values, from the group's cells.
    pub(super) fn value<'c>(
        &self,
        cells: impl Iterator<Item = &'c [u8]>,
        missing: impl Fn(&[u8]) -> bool,
    ) -> Result<usize, NoValue> {
        let mut one = None;
        for (place, cell) in cells.enumerate() {
            match (is_one(cell), one) {
                (Some(false), _) => {}
                (Some(true), None) => one = Some(place),
                (Some(true), Some(first)) => return Err(NoValue::Two(first, place)),
                (None, _) if missing(cell) => return Err(NoValue::Missing),
                (None, _) => return Err(NoValue::NotTruth(place)),
            }
        }
        match one {
            Some(place) => Ok(place + usize::from(self.drop_first)),
            None if self.drop_first => Ok(0),
            None => Err(NoValue::None),
        }
    }

    /// The complaint about a person without a value.
    pub(super) fn problem(&self, name: &str, columns: &[String], why: &NoValue) -> String {
        let column = |place: &usize| columns[self.columns[*place]].as_str();
        match why {
            NoValue::Missing => format!("`{name}` is missing"),
            NoValue::NotTruth(place) => {
                format!(
                    "`{}` is neither 0 nor 1, as a column of `{name}` must be",
                    column(place)
                )
            }
            NoValue::None => {
                let first = column(&0);
                format!("no column of `{name}` is 1 (`{first}` and so on)")
            }
            NoValue::Two(a, b) => {
                let (a, b) = (column(a), column(b));
                format!("`{a}` and `{b}` are both 1, but `{name}` has one value")
            }
        }
    }
}

fn is_one(cell: &[u8]) -> Option<bool> {
    match cell {
        b"0" => Some(false),
        b"1" => Some(true),
        _ => truth(std::str::from_utf8(cell).ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn group(columns: usize, drop_first: bool) -> Group {
        Group {
            columns: (0..columns).collect(),
            values: Vec::new(),
            drop_first,
        }
    }

    fn value(group: &Group, cells: &[&str]) -> Result<usize, NoValue> {
        group.value(cells.iter().map(|cell| cell.as_bytes()), <[u8]>::is_empty)
    }

    #[test]
    fn exactly_one_column_is_one() {
        let group = group(3, false);
        assert_eq!(value(&group, &["0", "1", "0"]), Ok(1));
        assert_eq!(value(&group, &["0.0", "0.0", "1.0"]), Ok(2));
        assert_eq!(value(&group, &["True", "False", "False"]), Ok(0));
        assert_eq!(value(&group, &["0", "0", "0"]), Err(NoValue::None));
        assert_eq!(value(&group, &["1", "0", "1"]), Err(NoValue::Two(0, 2)));
        assert_eq!(value(&group, &["0", "2", "1"]), Err(NoValue::NotTruth(1)));
        assert_eq!(value(&group, &["0", "", "1"]), Err(NoValue::Missing));
    }

    #[test]
    fn none_is_the_first_value_where_it_has_no_column() {
        let group = group(2, true);
        assert_eq!(group.wants(), 3);
        assert_eq!(value(&group, &["0", "0"]), Ok(0));
        assert_eq!(value(&group, &["0", "1"]), Ok(2));
        assert_eq!(value(&group, &["1", "1"]), Err(NoValue::Two(0, 1)));
    }

    #[test]
    fn names_lose_what_they_have_in_common() {
        let prefix = |name: &str, names: &[&str]| common_prefix(name, &columns(names));
        assert_eq!(prefix("race", &["race_White", "race_Whatever"]), 5);
        assert_eq!(prefix("origin", &["race_White", "race_Black"]), 5);
        assert_eq!(prefix("race", &["cat__race_White", "cat__race_Black"]), 10);
        assert_eq!(prefix("race", &["White", "Whatever"]), 0);
        assert_eq!(prefix("race", &["race_White"]), 5);
        assert_eq!(prefix("race", &["White"]), 0);
        assert_eq!(prefix("a", &["größe_x", "größe_y"]), 8);
    }
}
