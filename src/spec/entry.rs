//! One value of `fairness.toml`, read as what it has to be.

use clap::ValueEnum;
use jiff::civil::Date;
use miette::SourceSpan;
use rust_decimal::Decimal;
use toml::Spanned;
use toml::de::{DeInteger, DeValue};

use crate::schema::decimal;

use super::located::Located;
use super::problem::SpecProblem;
use super::problems::Problems;
use super::suggest;
use super::table::Table;

/// Which numbers may stand in a place, and how to say so.
#[derive(Debug)]
pub(super) struct Bounds {
    /// What the number must be: "must be {words}".
    pub(super) words: &'static str,
    /// Whether a number is such a one. It may be asked about infinities and NaN.
    pub(super) hold: fn(f64) -> bool,
    /// How to mend a number that is not, given that number.
    pub(super) help: fn(f64) -> Option<String>,
}

/// A value of the file and how to talk about it.
///
/// Every reading method gives nothing if the value is wrong, and has then pushed the problem.
#[derive(Debug)]
pub(super) struct Entry<'r> {
    what: String,
    path: String,
    key_at: SourceSpan,
    value: &'r Spanned<DeValue<'r>>,
    problems: &'r Problems,
}

impl<'r> Entry<'r> {
    pub(super) fn new(
        what: String,
        path: String,
        key_at: SourceSpan,
        value: &'r Spanned<DeValue<'r>>,
        problems: &'r Problems,
    ) -> Self {
        Entry {
            what,
            path,
            key_at,
            value,
            problems,
        }
    }

    /// The value's name in messages: its key and the table it is in.
    pub(super) fn what(&self) -> &str {
        &self.what
    }

    /// Where the value stands; for a table with a header, where its name stands.
    pub(super) fn at(&self) -> SourceSpan {
        let key_end = self.key_at.offset() + self.key_at.len();
        let value = self.value.span();
        // A `[header]` table starts at its bracket, before its own key: its text is the header.
        if self.is_table() && value.start < key_end {
            self.key_at
        } else {
            value.into()
        }
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    pub(super) fn problems(&self) -> &'r Problems {
        self.problems
    }

    /// The text as it stands there; nothing, without a problem, if it is no text.
    pub(super) fn as_text(&self) -> Option<&str> {
        self.value.get_ref().as_str()
    }

    /// Text with something in it.
    pub(super) fn text(&self) -> Option<Located<String>> {
        self.text_for("text in quotes", self.help_for_text())
    }

    /// Text with something in it; if it is not even text, the problem says `wanted` and `help`.
    pub(super) fn text_for(&self, wanted: &str, help: Option<String>) -> Option<Located<String>> {
        let Some(text) = self.value.get_ref().as_str() else {
            return self.wrong_type(wanted, help);
        };
        if text.trim().is_empty() {
            return self.out_of_range("some text", "empty", None);
        }
        Some(Located::new(text.to_owned(), self.at()))
    }

    /// Text, or a whole number or a boolean as text; it may be empty.
    pub(super) fn plain_value(&self) -> Option<Located<String>> {
        let text = match self.value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Boolean(yes) => yes.to_string(),
            DeValue::Integer(number) => {
                integer(number).map_or_else(|| number.to_string(), |number| number.to_string())
            }
            _ => {
                return self
                    .wrong_type("text, a whole number, true or false", self.help_for_text());
            }
        };
        Some(Located::new(text, self.at()))
    }

    /// A whole number, at least `least`, that fits into `N`.
    pub(super) fn whole<N: TryFrom<i128>>(&self, least: i128) -> Option<N> {
        let wanted = match least {
            i128::MIN => "a whole number".to_owned(),
            least => format!("a whole number, at least {least}"),
        };
        let number = match self.value.get_ref() {
            DeValue::Integer(number) => number,
            DeValue::Float(number) => return self.out_of_range(&wanted, number.as_str(), None),
            _ => return self.wrong_type(&wanted, self.help_for_number()),
        };
        match integer(number) {
            Some(small) if small < least => self.out_of_range(&wanted, &small.to_string(), None),
            fits => fits
                .and_then(|n| N::try_from(n).ok())
                .or_else(|| self.out_of_range("closer to 0", &number.to_string(), None)),
        }
    }

    /// A number, whole or not, within `bounds`.
    pub(super) fn number(&self, bounds: &Bounds) -> Option<f64> {
        let (number, text) = match self.value.get_ref() {
            DeValue::Integer(number) => (
                integer(number).map_or(f64::NAN, |n| n as f64),
                number.to_string(),
            ),
            DeValue::Float(number) => {
                let text = number.as_str();
                (text.parse().unwrap_or(f64::NAN), text.to_owned())
            }
            _ => {
                let help = self.help_for_number().or_else(|| (bounds.help)(f64::NAN));
                return self.wrong_type(bounds.words, help);
            }
        };
        if number.is_finite() && (bounds.hold)(number) {
            return Some(number);
        }
        self.out_of_range(bounds.words, &text, (bounds.help)(number))
    }

    /// Whether this is a number written with a decimal point.
    pub(super) fn is_fraction(&self) -> bool {
        matches!(self.value.get_ref(), DeValue::Float(_))
    }

    pub(super) fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }

    /// `true` or `false`.
    pub(super) fn truth(&self) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(yes) => Some(*yes),
            _ => self.wrong_type("true or false", None),
        }
    }

    /// A number, digit for digit as it is written.
    pub(super) fn decimal(&self) -> Option<Decimal> {
        let text = match self.value.get_ref() {
            DeValue::Integer(number) => integer(number).map(|number| number.to_string()),
            DeValue::Float(number) => Some(number.as_str().to_owned()),
            _ => return self.wrong_type("a number", self.help_for_number()),
        };
        let text = text.unwrap_or_default();
        decimal(&text).or_else(|| self.out_of_range("a number of at most 28 digits", &text, None))
    }

    /// A day, as text or as a TOML date.
    pub(super) fn date(&self) -> Option<Date> {
        let text = match self.value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Datetime(date) => date.to_string(),
            _ => return self.wrong_type("a date such as 1990-12-31", None),
        };
        text.parse()
            .ok()
            .or_else(|| self.out_of_range("a date such as 1990-12-31", &text, None))
    }

    /// Pushes that the value contradicts something.
    pub(super) fn contradiction<T>(
        &self,
        message: String,
        label: &str,
        help: Option<String>,
    ) -> Option<T> {
        self.problems.push(SpecProblem::Contradiction {
            message,
            label: label.to_owned(),
            help,
            at: self.at(),
        });
        None
    }

    /// One of the words of `W`.
    pub(super) fn word<W: ValueEnum>(&self) -> Option<W> {
        let words: Vec<String> = W::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value)
            .map(|word| word.get_name().to_owned())
            .collect();
        let words = words.iter().map(String::as_str);
        let known = suggest::list(words.clone(), "or");
        let found = self.text_for(&known, None)?.value;
        W::from_str(&found, false).ok().or_else(|| {
            let meant = suggest::closest(&found, words);
            self.problems.push(SpecProblem::UnknownWord {
                what: self.what.clone(),
                known,
                help: meant.map(|meant| format!("did you mean `{meant}`?")),
                found,
                at: self.at(),
            });
            None
        })
    }

    /// The entries of a list of `names`.
    pub(super) fn list(&self, names: &str) -> Option<Vec<Entry<'r>>> {
        let Some(list) = self.value.get_ref().as_array() else {
            let text = self.value.get_ref().as_str();
            let help = text.map(|text| format!("put it in brackets: [{text:?}]"));
            return self.wrong_type(&format!("a list of {names}"), help);
        };
        let what = format!("an entry of {}", self.what);
        let entry = |value: &'r Spanned<DeValue<'r>>| {
            let at = value.span().into();
            Entry::new(what.clone(), self.path.clone(), at, value, self.problems)
        };
        Some(list.iter().map(entry).collect())
    }

    pub(super) fn table(&self) -> Option<Table<'r>> {
        let Some(table) = self.value.get_ref().as_table() else {
            return self.wrong_type("a table", None);
        };
        let path = self.path.clone();
        Some(Table::new(path, self.key_at, table, self.problems))
    }

    /// How to mend a number that should have been text.
    fn help_for_text(&self) -> Option<String> {
        match self.value.get_ref() {
            DeValue::Integer(number) => Some(format!("put it in quotes: \"{number}\"")),
            DeValue::Float(number) => Some(format!("put it in quotes: \"{number}\"")),
            _ => None,
        }
    }

    /// How to mend text that should have been a number.
    fn help_for_number(&self) -> Option<String> {
        let text = self.value.get_ref().as_str()?.trim();
        let number: f64 = text.parse().ok()?;
        let help = format!("write {text}, without the quotes");
        number.is_finite().then_some(help)
    }

    /// Pushes that the value is not of the kind `wanted`.
    pub(super) fn wrong_type<T>(&self, wanted: &str, help: Option<String>) -> Option<T> {
        self.problems.push(SpecProblem::WrongType {
            what: self.what.clone(),
            wanted: wanted.to_owned(),
            found: kind(self.value.get_ref()).to_owned(),
            help,
            at: self.at(),
        });
        None
    }

    /// Pushes that the value cannot be meant.
    pub(super) fn out_of_range<T>(
        &self,
        wanted: &str,
        found: &str,
        help: Option<String>,
    ) -> Option<T> {
        self.problems.push(SpecProblem::OutOfRange {
            what: self.what.clone(),
            wanted: wanted.to_owned(),
            found: found.to_owned(),
            help,
            at: self.at(),
        });
        None
    }
}

fn integer(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(true) => "true",
        DeValue::Boolean(false) => "false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
