//! One attribute in `[dataset.NAME.attributes]` or `[model.NAME.attributes]`: the values it may take,
//! and how they are given to the model.

use clap::ValueEnum;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::entry::{Bounds, Entry};
use super::keys;
use super::located::Located;
use super::problem::SpecProblem;
use super::table::Table;

/// What the spec says about one attribute.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct AttributeSpec {
    /// The values it may take. Default: none, what its values in the CSV span.
    pub domain: Option<DomainSpec>,
    /// How it is given to the model. Default: numbers as they are, categories as 0, 1 ...
    pub encoding: EncodingSpec,
    /// What stands for a value that is missing. Default: what the dataset says.
    pub missing: Option<MissingSpec>,
}

/// The domain of one attribute, where the spec says it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DomainSpec {
    /// Whole numbers.
    Range {
        /// The smallest. Default: none, the smallest in the CSV.
        min: Option<i64>,
        /// The largest, never below `min`. Default: none, the largest in the CSV.
        max: Option<i64>,
    },
    /// Categories. At least one, all different.
    Values(Vec<String>),
    /// The CSV's own values as categories, even if they look like numbers.
    OwnValues,
    /// Numbers with a step between them.
    Decimals {
        /// The smallest. Default: none, the smallest in the CSV.
        min: Option<Decimal>,
        /// The largest, never below `min`. Default: none, the largest in the CSV.
        max: Option<Decimal>,
        /// The distance between two values, above 0. Default: none, found from the CSV.
        step: Option<Decimal>,
    },
    /// Days.
    Dates {
        /// The first. Default: none, the first in the CSV.
        first: Option<Date>,
        /// The last, never before `first`. Default: none, the last in the CSV.
        last: Option<Date>,
    },
    /// False or true.
    Truth,
}

/// How an attribute is given to the model, where the spec says it.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct EncodingSpec {
    /// The number is scaled before the model sees it.
    pub scale: Option<Scale>,
    /// One column of the model for each value.
    pub one_hot: Option<Located<OneHotSpec>>,
    /// The model's own order of the values; those of its codes and one-hot columns. Default: none,
    /// the order of the domain.
    pub order: Option<Located<Vec<String>>>,
    /// The number that the model gets for each value, in the order of `values`.
    pub codes: Option<Located<Vec<f64>>>,
    /// Numbers that each start a new bin; the model gets the bin's number, from 0.
    pub bins: Option<Located<Vec<f64>>>,
}

impl EncodingSpec {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == EncodingSpec::default()
    }
}

/// A scaling: what is taken away from a number, and what the rest is divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Taken away first: the mean, or the smallest number.
    pub minus: f64,
    /// The rest is divided by this, which is not 0: the standard deviation, or the range.
    pub over: f64,
}

/// A group of columns of which one is 1 and the others are 0.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OneHotSpec {
    /// The names of the columns, in the order of the values. Default: none, `attribute_value`.
    pub columns: Option<Vec<String>>,
    /// The first value has no column: all others are 0 then.
    pub drop_first: bool,
}

/// What to do with a value that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingSpec {
    /// It is a mistake in the dataset.
    Reject,
    /// The person is left out.
    Skip,
    /// The attribute's most frequent value stands for it.
    MostFrequent,
    /// The attribute's median stands for it; the most frequent value of a category.
    Median,
    /// This value stands for it.
    Value(String),
}

/// The kinds of attributes that `type` can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    Integer,
    Decimal,
    Category,
    Boolean,
    Date,
}

const FINITE: Bounds = Bounds {
    words: "a number",
    hold: f64::is_finite,
    help: |_| None,
};

const NOT_ZERO: Bounds = Bounds {
    words: "a number above 0",
    hold: |number| number > 0.0,
    help: |_| None,
};

/// The attributes under `[dataset.NAME.attributes]`, in the order of the file.
pub(super) fn of_dataset(dataset: &Table<'_>) -> Vec<(Located<String>, Located<AttributeSpec>)> {
    each(dataset, |name, entry| {
        let table = entry.table()?.allow(&[keys::ATTRIBUTE, keys::ENCODING]);
        if table.is_empty() {
            entry.problems().push(SpecProblem::AttributeSaysNothing {
                attribute: name.to_owned(),
                at: entry.at(),
            });
            return None;
        }
        Some(AttributeSpec {
            domain: domain(name, entry, &table),
            encoding: encoding(entry, &table),
            missing: table.entry("missing").and_then(|entry| missing(&entry)),
        })
    })
}

/// The attributes under `[model.NAME.attributes]`, in the order of the file: encodings alone.
pub(super) fn of_model(model: &Table<'_>) -> Vec<(Located<String>, Located<EncodingSpec>)> {
    each(model, |_, entry| {
        let table = entry.table()?.allow(&[keys::ENCODING]);
        Some(encoding(entry, &table))
    })
}

fn each<T>(
    table: &Table<'_>,
    read: impl Fn(&str, &Entry<'_>) -> Option<T>,
) -> Vec<(Located<String>, Located<T>)> {
    let Some(table) = table.table("attributes") else {
        return Vec::new();
    };
    let mut attributes = Vec::new();
    for (name, entry) in table.in_file_order() {
        if let Some(spec) = read(&name.value, &entry) {
            attributes.push((name, Located::new(spec, entry.at())));
        }
    }
    attributes
}

fn domain(name: &str, entry: &Entry<'_>, table: &Table<'_>) -> Option<DomainSpec> {
    let kind = table.word("type");
    let (range, values) = (
        table.has("min") || table.has("max") || table.has("step"),
        table.has("values"),
    );
    match (kind, range, values) {
        (_, true, true) => {
            entry.problems().push(SpecProblem::RangeAndValues {
                attribute: name.to_owned(),
                at: entry.at(),
            });
            None
        }
        (None | Some(Kind::Category), false, true) => {
            table.entry("values").and_then(|list| self::values(&list))
        }
        (Some(Kind::Category), false, false) => Some(DomainSpec::OwnValues),
        (Some(Kind::Boolean), false, false) => Some(DomainSpec::Truth),
        (Some(Kind::Date), _, false) => dates(entry, table),
        (Some(Kind::Decimal), _, false) => decimals(entry, table),
        (None, true, false) if is_decimal(table) => decimals(entry, table),
        (Some(Kind::Integer), _, false) | (None, true, false) => integers(name, entry, table),
        (None, false, false) => None,
        (Some(_), _, _) => {
            let label = "does not go with its type";
            let help = "integers, decimals and dates have `min` and `max`, categories have `values`, booleans neither";
            entry.contradiction(
                format!("the attribute `{name}` says values that its `type` cannot have"),
                label,
                Some(help.to_owned()),
            )
        }
    }
}

/// Whether a range without a type means numbers with decimals.
fn is_decimal(table: &Table<'_>) -> bool {
    ["min", "max", "step"]
        .iter()
        .filter_map(|key| table.entry(key))
        .any(|entry| entry.is_fraction())
        || table.has("step")
}

fn integers(name: &str, entry: &Entry<'_>, table: &Table<'_>) -> Option<DomainSpec> {
    let min = table.whole("min", i128::MIN);
    let max = table.whole("max", i128::MIN);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        entry.problems().push(SpecProblem::MinAboveMax {
            attribute: name.to_owned(),
            min,
            max,
            at: entry.at(),
        });
    }
    Some(DomainSpec::Range { min, max })
}

fn decimals(entry: &Entry<'_>, table: &Table<'_>) -> Option<DomainSpec> {
    let read = |key| table.entry(key).and_then(|entry| entry.decimal());
    let (min, max, step): (Option<Decimal>, Option<Decimal>, Option<Decimal>) =
        (read("min"), read("max"), read("step"));
    if let Some(step) = step
        && step <= Decimal::ZERO
    {
        let entry = table.entry("step");
        entry.and_then(|e| e.out_of_range::<()>("above 0", &step.to_string(), None));
    }
    check_order(entry, min, max);
    Some(DomainSpec::Decimals { min, max, step })
}

fn dates(entry: &Entry<'_>, table: &Table<'_>) -> Option<DomainSpec> {
    let read = |key| table.entry(key).and_then(|entry| entry.date());
    let (first, last) = (read("min"), read("max"));
    check_order(entry, first, last);
    Some(DomainSpec::Dates { first, last })
}

fn check_order<T: PartialOrd + std::fmt::Display>(
    entry: &Entry<'_>,
    min: Option<T>,
    max: Option<T>,
) {
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let message = format!("{} has min = {min} above max = {max}", entry.what());
        entry.contradiction::<()>(
            message,
            "no value is in this range",
            Some("swap the two".to_owned()),
        );
    }
}

fn values(list: &Entry<'_>) -> Option<DomainSpec> {
    let entries = list.list("values")?;
    let values: Vec<_> = entries.iter().filter_map(Entry::plain_value).collect();
    if entries.is_empty() {
        list.problems().push(SpecProblem::EmptyList {
            what: list.what().to_owned(),
            help: "name the categories in the order of their codes 0, 1 ...".to_owned(),
            at: list.at(),
        });
    }
    list.problems().check_distinct(list.what(), &values);
    let values = values.into_iter().map(|value| value.value).collect();
    Some(DomainSpec::Values(values))
}

fn encoding(entry: &Entry<'_>, table: &Table<'_>) -> EncodingSpec {
    // Each of these pairs would say the same thing in two ways.
    let rivals = [
        ["one-hot", "codes"],
        ["one-hot", "bins"],
        ["one-hot", "scale"],
        ["codes", "bins"],
        ["codes", "order"],
        ["bins", "order"],
    ];
    let both = rivals
        .iter()
        .find(|pair| pair.iter().all(|key| table.has(key)));
    if let Some([one, other]) = both {
        let both = format!("`{one}` and `{other}`");
        entry.contradiction::<()>(
            format!("{} is given to the model in two ways: {both}", entry.what()),
            "keep one of them",
            None,
        );
    }
    let numbers = |key: &str, what: &str| {
        let list = table.entry(key)?;
        let numbers = list.list(what)?;
        let numbers: Vec<f64> = numbers.iter().filter_map(|n| n.number(&FINITE)).collect();
        Some(Located::new(numbers, list.at()))
    };
    let bins = numbers("bins", "numbers that each start a new bin");
    if let (Some(bins), Some(entry)) = (&bins, table.entry("bins"))
        && (bins.value.is_empty() || !bins.value.is_sorted_by(|a, b| a < b))
    {
        let help = "each number starts a new bin: bins = [26, 46, 66]";
        entry.out_of_range::<()>("rising numbers", "not", Some(help.to_owned()));
    }
    EncodingSpec {
        scale: table.table("scale").and_then(|table| scale(&table)),
        one_hot: table.entry("one-hot").and_then(|e| one_hot(&e, table)),
        order: table.entry("order").and_then(|entry| order(&entry)),
        codes: numbers("codes", "numbers, one for each value"),
        bins,
    }
}

pub(super) fn scale(table: &Table<'_>) -> Option<Scale> {
    let table = table.clone().allow(&[keys::SCALE]);
    if table.has("mean") || table.has("std") {
        let mean = table.required("mean", "add the mean: mean = 38.6, std = 13.7");
        let std = table.required("std", "add the standard deviation: mean = 38.6, std = 13.7");
        let (minus, over) = (mean?.number(&FINITE), std?.number(&NOT_ZERO));
        return Some(Scale {
            minus: minus?,
            over: over?,
        });
    }
    let min = table.required("min", "add both ends of the range: min = 17, max = 90");
    let max = table.required("max", "add both ends of the range: min = 17, max = 90");
    let (min, max_entry) = (min?.number(&FINITE)?, max?);
    let max = max_entry.number(&FINITE)?;
    if max <= min {
        return max_entry.out_of_range(&format!("above min = {min}"), &max.to_string(), None);
    }
    Some(Scale {
        minus: min,
        over: max - min,
    })
}

fn one_hot(entry: &Entry<'_>, table: &Table<'_>) -> Option<Located<OneHotSpec>> {
    let drop_first = table.truth("drop-first").unwrap_or(false);
    let columns = match entry.is_list() {
        true => {
            let names = entry.list("column names")?;
            let names: Vec<_> = names.iter().filter_map(Entry::text).collect();
            entry.problems().check_distinct(entry.what(), &names);
            Some(names.into_iter().map(|name| name.value).collect())
        }
        false if entry.truth()? => None,
        false => return None,
    };
    let spec = OneHotSpec {
        columns,
        drop_first,
    };
    Some(Located::new(spec, entry.at()))
}

fn order(entry: &Entry<'_>) -> Option<Located<Vec<String>>> {
    let entries = entry.list("values")?;
    let values: Vec<_> = entries.iter().filter_map(Entry::plain_value).collect();
    entry.problems().check_distinct(entry.what(), &values);
    let values = values.into_iter().map(|value| value.value).collect();
    Some(Located::new(values, entry.at()))
}

/// `"reject"`, `"skip"`, `"most-frequent"`, `"median"`, or a value of the attribute.
pub(super) fn missing(entry: &Entry<'_>) -> Option<MissingSpec> {
    let text = entry.plain_value()?.value;
    Some(match text.as_str() {
        "reject" => MissingSpec::Reject,
        "skip" => MissingSpec::Skip,
        "most-frequent" => MissingSpec::MostFrequent,
        "median" => MissingSpec::Median,
        _ => MissingSpec::Value(text),
    })
}
