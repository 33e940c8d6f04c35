//! The values that an attribute may take, as codes, as words and as numbers.

use std::borrow::Cow;

use jiff::civil::Date;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::Code;
use super::expression::Column;

/// The values that an attribute may take.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Domain {
    /// Every whole number from `min` to `max`.
    Integers {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// Categories by name.
    Categories(Vec<String>),
    /// Every `step` from `min` on: 0.0, 0.1, 0.2 ...
    Decimals {
        /// The smallest value.
        min: Decimal,
        /// The distance between two values.
        step: Decimal,
        /// How many values there are.
        size: u32,
    },
    /// Every day from `first` to `last`. As a number, a day counts from 1970-01-01.
    Dates {
        /// The first day.
        first: Date,
        /// The last day.
        last: Date,
    },
    /// `false` and `true`, in this order.
    Truth,
}

impl Domain {
    /// How many values there are.
    pub fn size(&self) -> u64 {
        match self {
            Domain::Integers { min, max } => max.abs_diff(*min).saturating_add(1),
            Domain::Categories(names) => names.len() as u64,
            Domain::Decimals { size, .. } => u64::from(*size),
            Domain::Dates { first, last } => day_number(*last).abs_diff(day_number(*first)) + 1,
            Domain::Truth => 2,
        }
    }

    /// The value in words.
    pub fn text(&self, code: Code) -> Cow<'_, str> {
        match self {
            Domain::Integers { min, .. } => Cow::Owned((min + i64::from(code)).to_string()),
            Domain::Categories(names) => Cow::Borrowed(&names[code as usize]),
            Domain::Decimals { min, step, .. } => {
                Cow::Owned((min + step * Decimal::from(code)).to_string())
            }
            Domain::Dates { first, .. } => {
                Cow::Owned(day(day_number(*first) + i64::from(code)).to_string())
            }
            Domain::Truth => Cow::Borrowed(if code == 0 { "false" } else { "true" }),
        }
    }

    /// The code of a value in words, if it lies in the domain. A number between two steps is
    /// rounded to the nearer one.
    pub fn code(&self, text: &str) -> Option<Code> {
        match self {
            Domain::Integers { min, max } => {
                let value = whole_number(text)?;
                (*min..=*max)
                    .contains(&value)
                    .then(|| value.abs_diff(*min) as Code)
            }
            Domain::Categories(names) => category_code(names, text),
            Domain::Decimals { min, step, size } => {
                let steps = ((decimal(text)? - min) / step).round();
                steps.to_u32().filter(|code| code < size)
            }
            Domain::Dates { first, last } => {
                let value: Date = text.parse().ok()?;
                (*first..=*last)
                    .contains(&value)
                    .then(|| (day_number(value) - day_number(*first)) as Code)
            }
            Domain::Truth => truth(text).map(Code::from),
        }
    }

    /// The number that a value is: an integer itself, a day's number, 0 or 1. A category is none.
    pub fn number(&self, code: Code) -> Option<f64> {
        let (offset, scale) = self.line()?;
        Some(match self {
            // Exactly the number that its words say: 0.1 * 3 is not 0.3.
            Domain::Decimals { .. } => self.text(code).parse().ok()?,
            _ => offset + scale * f64::from(code),
        })
    }

    /// The numbers of a domain lie on a line: the number of code 0, and what each code adds.
    pub(crate) fn line(&self) -> Option<(f64, f64)> {
        match self {
            Domain::Integers { min, .. } => Some((*min as f64, 1.0)),
            Domain::Categories(_) => None,
            Domain::Decimals { min, step, .. } => Some((min.to_f64()?, step.to_f64()?)),
            Domain::Dates { first, .. } => Some((day_number(*first) as f64, 1.0)),
            Domain::Truth => Some((0.0, 1.0)),
        }
    }

    /// The numbers of a domain as expressions take them: exact, where decimals are written out.
    pub(crate) fn even(&self) -> Column {
        let (first, step) = self.line().unwrap_or((0.0, 1.0));
        let Domain::Decimals { min, step: by, .. } = self else {
            let per = 1.0;
            return Column::Even { first, step, per };
        };
        let places = min.scale().max(by.scale());
        let scale = Decimal::from(10_i64.pow(places.min(15)));
        let whole = |number: &Decimal| (number * scale).to_f64();
        match (places, whole(min), whole(by)) {
            (0..=15, Some(first), Some(step)) => {
                let per = 10_f64.powi(places as i32);
                Column::Even { first, step, per }
            }
            _ => Column::Even {
                first,
                step,
                per: 1.0,
            },
        }
    }

    /// What a search row holds for code 0; every further code is one more.
    pub(crate) fn base(&self) -> f32 {
        match self {
            Domain::Integers { min, .. } => *min as f32,
            _ => 0.0,
        }
    }

    /// The domain in words, for messages: `1 to 4` or `"Female", "Male"`.
    pub fn describe(&self) -> String {
        const SHOWN: usize = 8;
        match self {
            Domain::Integers { min, max } => format!("{min} to {max}"),
            Domain::Categories(names) => {
                let mut shown: Vec<String> = names
                    .iter()
                    .take(SHOWN)
                    .map(|name| format!("{name:?}"))
                    .collect();
                if names.len() > SHOWN {
                    shown.push(format!("and {} more", names.len() - SHOWN));
                }
                shown.join(", ")
            }
            Domain::Decimals { step, size, .. } => format!(
                "{} to {} in steps of {step}",
                self.text(0),
                self.text(size.saturating_sub(1))
            ),
            Domain::Dates { first, last } => format!("{first} to {last}"),
            Domain::Truth => "false, true".to_owned(),
        }
    }
}

/// A whole number written as `3` or, as some tools write it, `3.0`.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| {
        let value: f64 = text.parse().ok()?;
        (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
    })
}

/// A number as it is written: `0.10`, `-3`, `1e-3`.
pub(crate) fn decimal(text: &str) -> Option<Decimal> {
    text.parse()
        .ok()
        .or_else(|| Decimal::from_scientific(text).ok())
}

/// A truth value as datasets write it.
pub(crate) fn truth(text: &str) -> Option<bool> {
    const FALSE: [&str; 6] = ["false", "0", "no", "f", "n", "0.0"];
    const TRUE: [&str; 6] = ["true", "1", "yes", "t", "y", "1.0"];
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    match (is(&FALSE), is(&TRUE)) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    }
}

/// Days since 1970-01-01.
pub(crate) fn day_number(date: Date) -> i64 {
    let epoch = jiff::civil::date(1970, 1, 1);
    i64::from(date.since(epoch).map_or(0, |span| span.get_days()))
}

/// The day with this number; the last one that a calendar has, where there is none.
fn day(number: i64) -> Date {
    let epoch = jiff::civil::date(1970, 1, 1);
    let span = jiff::Span::new().try_days(number);
    span.and_then(|span| epoch.checked_add(span))
        .unwrap_or(Date::MAX)
}

/// A dataset may hold the names or, where no name looks like a number, the codes themselves.
fn category_code(names: &[String], text: &str) -> Option<Code> {
    if let Some(position) = names.iter().position(|name| name == text) {
        return Some(position as Code);
    }
    if names.iter().any(|name| whole_number(name).is_some()) {
        return None;
    }
    let code = whole_number(text)?;
    usize::try_from(code)
        .ok()
        .filter(|&code| code < names.len())
        .map(|code| code as Code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Domain {
        Domain::Categories(names.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn integers_are_read_with_and_without_a_decimal_point() {
        let domain = Domain::Integers { min: 1, max: 4 };
        assert_eq!(domain.code("1"), Some(0));
        assert_eq!(domain.code("4.0"), Some(3));
        assert_eq!(domain.code("5"), None);
        assert_eq!(domain.code("2.5"), None);
        assert_eq!(domain.code("NaN"), None);
    }

    #[test]
    fn categories_are_read_by_name_or_by_code() {
        let sex = names(&["Female", "Male"]);
        assert_eq!(sex.code("Male"), Some(1));
        assert_eq!(sex.code("1"), Some(1));
        assert_eq!(sex.code("2"), None);
        assert_eq!(sex.code("-1"), None);
    }

    #[test]
    fn codes_are_not_read_where_names_are_numbers() {
        let years = names(&["0", "5", "9"]);
        assert_eq!(years.code("5"), Some(1));
        assert_eq!(years.code("1"), None);
    }

    #[test]
    fn huge_ranges_do_not_overflow() {
        let domain = Domain::Integers {
            min: i64::MIN,
            max: i64::MAX,
        };
        assert_eq!(domain.size(), u64::MAX);
    }

    #[test]
    fn decimals_are_exact_in_words_and_in_numbers() {
        let domain = Domain::Decimals {
            min: Decimal::new(-5, 1),
            step: Decimal::new(1, 1),
            size: 11,
        };
        assert_eq!(domain.text(0), "-0.5");
        assert_eq!(domain.text(8), "0.3");
        assert_eq!(domain.number(8), Some(0.3));
        assert_eq!(domain.code("0.3"), Some(8));
        assert_eq!(domain.code("3e-1"), Some(8));
        assert_eq!(domain.code("0.26"), Some(8), "rounded to the nearer step");
        assert_eq!(domain.code("0.6"), None);
        assert_eq!(domain.code("-0.6"), None);
        assert_eq!(domain.describe(), "-0.5 to 0.5 in steps of 0.1");
    }

    #[test]
    fn dates_are_days() {
        let domain = Domain::Dates {
            first: jiff::civil::date(1969, 12, 31),
            last: jiff::civil::date(1972, 3, 1),
        };
        assert_eq!(domain.size(), 1 + 1 + 365 + 365 + 31 + 29);
        assert_eq!(domain.text(1), "1970-01-01");
        assert_eq!(domain.number(0), Some(-1.0));
        assert_eq!(domain.code("1972-02-29"), Some(790));
        assert_eq!(domain.text(790), "1972-02-29");
        assert_eq!(domain.code("1972-03-02"), None);
        assert_eq!(domain.code("yesterday"), None);
    }

    #[test]
    fn truth_is_read_as_datasets_write_it() {
        for (text, code) in [("True", 1), ("0", 0), ("YES", 1), ("f", 0)] {
            assert_eq!(Domain::Truth.code(text), Some(code), "{text}");
        }
        assert_eq!(Domain::Truth.code("2"), None);
        assert_eq!(Domain::Truth.text(1), "true");
    }
}
