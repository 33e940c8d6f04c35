//! The domain of a column: what the spec says, completed by what the values span.

use jiff::civil::Date;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::error::Problem;
use super::grid::grid;
use super::number::{Kind, decimals, kind, number};
use crate::schema::{Code, Domain};
use crate::spec::DomainSpec;
use crate::words::grouped;

/// A distinct text of a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Its first line.
    pub(super) line: u64,
    /// How often it occurs.
    pub(super) count: u64,
}

/// What the numbers of a column span.
#[derive(Debug, Clone)]
pub(super) struct Span {
    /// The smallest.
    pub(super) lowest: Decimal,
    /// The largest.
    pub(super) highest: Decimal,
    /// The decimals that they need.
    pub(super) decimals: u32,
    /// One that is not whole, and its line.
    pub(super) fraction: Option<(String, u64)>,
}

/// A domain, and what to say about how it was found.
#[derive(Debug)]
pub(super) struct Told {
    /// The domain.
    pub(super) domain: Domain,
    /// A sentence for the report.
    pub(super) note: Option<String>,
}

impl From<Domain> for Told {
    fn from(domain: Domain) -> Self {
        Told { domain, note: None }
    }
}

/// The domain of a column of these texts, which are not missing.
///
/// # Errors
/// The texts that do not go with what the spec says, or with each other.
pub(super) fn of_texts(
    name: &str,
    spec: Option<&DomainSpec>,
    cells: &[Cell<'_>],
) -> Result<Told, Vec<Problem>> {
    match spec {
        Some(DomainSpec::Values(values)) => Ok(Domain::Categories(values.clone()).into()),
        Some(DomainSpec::Truth) => Ok(Domain::Truth.into()),
        Some(DomainSpec::OwnValues) => Ok(Domain::Categories(sorted(cells)).into()),
        Some(DomainSpec::Dates { first, last }) => dates(name, (*first, *last), cells),
        Some(DomainSpec::Range { .. } | DomainSpec::Decimals { .. }) => {
            let whole = matches!(spec, Some(DomainSpec::Range { .. }));
            let span = span(name, cells, whole)?;
            of_numbers(name, spec, span.as_ref()).map_err(|problem| vec![problem])
        }
        None => told(name, cells),
    }
}

fn told(name: &str, cells: &[Cell<'_>]) -> Result<Told, Vec<Problem>> {
    let kinds: Vec<Kind> = cells.iter().map(|cell| kind(cell.text)).collect();
    let numbers = kinds
        .iter()
        .filter(|k| matches!(k, Kind::Number(_)))
        .count();
    let commas = kinds.iter().filter(|k| **k == Kind::Comma).count();
    let words = kinds.iter().filter(|k| **k == Kind::Word).count();
    if words == 0 && numbers + commas > 0 {
        let span = span(name, cells, false)?;
        return of_numbers(name, None, span.as_ref()).map_err(|problem| vec![problem]);
    }
    let all = |hold: fn(&str) -> bool| !cells.is_empty() && cells.iter().all(|c| hold(c.text));
    if all(|text| text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")) {
        return Ok(Domain::Truth.into());
    }
    if all(|text| iso_date(text).is_some()) {
        return dates(name, (None, None), cells);
    }
    let odd = kinds.iter().position(|k| *k == Kind::Word);
    let note = odd.filter(|_| numbers > 2 && words * 10 <= numbers);
    Ok(Told {
        domain: Domain::Categories(sorted(cells)),
        note: note.map(|odd| {
            let Cell { text, line, .. } = cells[odd];
            format!(
                "`{name}` is taken as categories, as line {line} has {text:?} among its numbers; \
                 if that is a missing value, name it in `missing-markers`"
            )
        }),
    })
}

/// Numbers by size and words by letters, as pandas and scikit-learn number them.
pub(super) fn sorted(cells: &[Cell<'_>]) -> Vec<String> {
    let numbers: Option<Vec<Decimal>> = cells.iter().map(|cell| number(cell.text)).collect();
    let mut texts: Vec<&str> = cells.iter().map(|cell| cell.text).collect();
    match numbers {
        Some(_) => texts.sort_by_key(|text| (number(text), *text)),
        None => texts.sort_unstable(),
    }
    texts.into_iter().map(ToOwned::to_owned).collect()
}

/// What numbers span; none if there are none.
fn span(name: &str, cells: &[Cell<'_>], whole: bool) -> Result<Option<Span>, Vec<Problem>> {
    let mut span: Option<Span> = None;
    let mut problems = Vec::new();
    for cell in cells {
        let Kind::Number(value) = kind(cell.text) else {
            problems.push(no_number(name, cell, whole));
            continue;
        };
        let needs = decimals(value);
        if whole && !value.fract().is_zero() {
            problems.push(no_number(name, cell, whole));
        }
        let span = span.get_or_insert(Span {
            lowest: value,
            highest: value,
            decimals: 0,
            fraction: None,
        });
        span.lowest = span.lowest.min(value);
        span.highest = span.highest.max(value);
        span.decimals = span.decimals.max(needs);
    }
    match problems.is_empty() {
        true => Ok(span),
        false => Err(problems),
    }
}

fn no_number(name: &str, cell: &Cell<'_>, whole: bool) -> Problem {
    let Cell { text, line, count } = *cell;
    let more = others(count);
    if kind(text) == Kind::Comma {
        return Problem::new(
            format!("line {line}: `{name}` is {text:?}, a number with a comma{more}"),
            "write decimals with a point, and nothing between thousands: 3.5, 1234",
        );
    }
    let what = match whole {
        true => "a whole number",
        false => "a number",
    };
    Problem::new(
        format!("line {line}: `{name}` is {text:?}, not {what}{more}"),
        "mend these lines; a text that stands for a missing value goes into `missing-markers`, and \
         a column of words has `type = \"category\"` under its dataset's `attributes`",
    )
}

/// ` (and in 3 more lines)`.
pub(super) fn others(count: u64) -> String {
    match count {
        0 | 1 => String::new(),
        2 => " (and in one more line)".to_owned(),
        _ => format!(" (and in {} more lines)", grouped(count - 1)),
    }
}

/// The domain of a column of numbers; without any, only what is declared in full.
///
/// # Errors
/// There is no such domain, or it has too many values.
pub(super) fn of_numbers(
    name: &str,
    spec: Option<&DomainSpec>,
    span: Option<&Span>,
) -> Result<Told, Problem> {
    match spec {
        Some(DomainSpec::Range { min, max }) => integers(name, (*min, *max), span).map(Told::from),
        Some(DomainSpec::Decimals { min, max, step }) => grid(name, (*min, *max, *step), span),
        _ if span.is_some_and(|span| span.decimals > 0) => grid(name, (None, None, None), span),
        _ => integers(name, (None, None), span).map(Told::from),
    }
}

fn integers(
    name: &str,
    (min, max): (Option<i64>, Option<i64>),
    span: Option<&Span>,
) -> Result<Domain, Problem> {
    let end = |said: Option<i64>, found: fn(&Span) -> Decimal| {
        if said.is_some() {
            return Ok(said);
        }
        let found = span.map(found).map(|end| end.to_i64().ok_or(end));
        found.transpose().map_err(|end| {
            Problem::new(
                format!("`{name}` has the number {end}, which is too large"),
                "a number that only names a person, such as an id, goes under `ignore`",
            )
        })
    };
    let (min, max) = (end(min, |s| s.lowest)?, end(max, |s| s.highest)?);
    let (Some(min), Some(max)) = (min, max) else {
        return Err(no_value(name));
    };
    match min <= max {
        true => Ok(Domain::Integers { min, max }),
        false => Err(nothing_between(name, min, max)),
    }
}

/// The complaint about a column without any value.
pub(super) fn no_value(name: &str) -> Problem {
    Problem::new(
        format!("`{name}` has no value in any line"),
        "put a column that says nothing under `ignore`, or declare its domain under the dataset's `attributes`",
    )
}

/// The complaint about a range that ends before it starts.
pub(super) fn nothing_between(name: &str, min: impl ToString, max: impl ToString) -> Problem {
    Problem::new(
        format!(
            "`{name}` has no value between {} and {}",
            min.to_string(),
            max.to_string()
        ),
        "widen its range under the dataset's `attributes`",
    )
}

fn dates(
    name: &str,
    (first, last): (Option<Date>, Option<Date>),
    cells: &[Cell<'_>],
) -> Result<Told, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut days = Vec::with_capacity(cells.len());
    for cell in cells {
        match cell.text.parse::<Date>() {
            Ok(day) => days.push(day),
            Err(_) => {
                let Cell { text, line, count } = cell;
                problems.push(Problem::new(
                    format!(
                        "line {line}: `{name}` is {text:?}, not a date{}",
                        others(*count)
                    ),
                    "write dates as year-month-day: 2026-12-31",
                ));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let first = first.or(days.iter().copied().min());
    let last = last.or(days.iter().copied().max());
    match (first, last) {
        (Some(first), Some(last)) if first <= last => Ok(Domain::Dates { first, last }.into()),
        (Some(first), Some(last)) => Err(vec![nothing_between(name, first, last)]),
        _ => Err(vec![no_value(name)]),
    }
}

/// A date as `2026-12-31`: other ways to write one are words, unless the spec says `date`.
fn iso_date(text: &str) -> Option<Date> {
    let dashes = text.len() == 10 && text.bytes().filter(|b| *b == b'-').count() == 2;
    dashes.then(|| text.parse().ok()).flatten()
}

/// A code, and whether the value had to be rounded to be in the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Coded {
    /// The code.
    pub(super) code: Code,
    /// Whether the value was rounded to its step.
    pub(super) rounded: bool,
}

/// The code of a text, if it is in the domain.
pub(super) fn code(domain: &Domain, text: &str) -> Option<Coded> {
    match domain {
        Domain::Decimals { .. } => code_of_number(domain, number(text)?),
        _ => Some(Coded {
            code: domain.code(text)?,
            rounded: false,
        }),
    }
}

/// The code of a number, if it is in a domain of numbers.
pub(super) fn code_of_number(domain: &Domain, value: Decimal) -> Option<Coded> {
    match domain {
        Domain::Integers { min, max } => {
            let value = value.to_i64()?;
            let code = (*min..=*max)
                .contains(&value)
                .then(|| value.abs_diff(*min))?;
            Some(Coded {
                code: code as Code,
                rounded: false,
            })
        }
        Domain::Decimals { min, step, size } => {
            let exact = value.checked_sub(*min)?.checked_div(*step)?;
            let steps = exact.round();
            let inside = exact >= Decimal::ZERO && exact <= Decimal::from(size.saturating_sub(1));
            inside.then_some(())?;
            Some(Coded {
                code: steps.to_u32()?,
                rounded: steps != exact,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells<'a>(texts: &[&'a str]) -> Vec<Cell<'a>> {
        let cell = |(line, text): (usize, &&'a str)| Cell {
            text,
            line: line as u64 + 2,
            count: 1,
        };
        texts.iter().enumerate().map(cell).collect()
    }

    fn domain(spec: Option<&DomainSpec>, texts: &[&str]) -> Domain {
        of_texts("x", spec, &cells(texts)).unwrap().domain
    }

    fn complaints(spec: Option<&DomainSpec>, texts: &[&str]) -> Vec<String> {
        let problems = of_texts("x", spec, &cells(texts)).unwrap_err();
        problems
            .into_iter()
            .map(|problem| problem.sentence)
            .collect()
    }

    #[test]
    fn a_column_tells_its_domain() {
        assert_eq!(
            domain(None, &["3", "1", "2.0"]),
            Domain::Integers { min: 1, max: 3 }
        );
        assert_eq!(domain(None, &["True", "FALSE"]), Domain::Truth);
        assert_eq!(domain(None, &["yes", "no"]).describe(), "\"no\", \"yes\"");
        assert_eq!(
            domain(None, &["b", "B", "10"]).describe(),
            "\"10\", \"B\", \"b\""
        );
        assert_eq!(
            domain(None, &["2024-02-29", "2023-12-31"]).describe(),
            "2023-12-31 to 2024-02-29"
        );
        assert_eq!(
            domain(None, &["0.5", "2", "1.25"]).describe(),
            "0.50 to 2.00 in steps of 0.01"
        );
    }

    #[test]
    fn own_values_are_in_order() {
        let own = Some(&DomainSpec::OwnValues);
        assert_eq!(
            domain(own, &["10", "9", "-1"]).describe(),
            "\"-1\", \"9\", \"10\""
        );
        assert_eq!(
            domain(own, &["10", "9", "x"]).describe(),
            "\"10\", \"9\", \"x\""
        );
    }

    #[test]
    fn a_fine_column_gets_a_round_step() {
        for (texts, wanted) in [
            (["0", "0.123456"], "0 to 0.12350 in steps of 0.00005"),
            (["-1.5", "9998.75"], "-5 to 10000 in steps of 5"),
            (["12.3", "2000000.1"], "0 to 2001000 in steps of 1000"),
        ] {
            let told = of_texts("x", None, &cells(&texts)).unwrap();
            assert_eq!(told.domain.describe(), wanted);
            assert!((1000..=2500).contains(&told.domain.size()), "{wanted}");
            assert!(told.note.unwrap().contains("steps of"), "{wanted}");
        }
        let exact = of_texts("x", None, &cells(&["0", "99.99"])).unwrap();
        assert_eq!((exact.domain.size(), exact.note), (10_000, None));
    }

    #[test]
    fn decimals_are_completed_and_end_on_the_grid() {
        let spec =
            |min: Option<i64>, max: Option<i64>, step: Option<Decimal>| DomainSpec::Decimals {
                min: min.map(Decimal::from),
                max: max.map(Decimal::from),
                step,
            };
        let half = Some(Decimal::new(5, 1));
        let texts = ["40.2", "61.3"];
        let described = |spec| domain(Some(&spec), &texts).describe();
        assert_eq!(
            described(spec(Some(40), None, half)),
            "40.0 to 61.5 in steps of 0.5"
        );
        assert_eq!(
            described(spec(None, Some(70), half)),
            "40.2 to 70.2 in steps of 0.5"
        );
        assert_eq!(
            described(spec(Some(0), Some(100), None)),
            "0 to 100.0 in steps of 0.1"
        );
        let wrong = of_texts("x", Some(&spec(Some(99), None, half)), &cells(&texts)).unwrap_err();
        assert_eq!(wrong[0].sentence, "`x` has no value between 99 and 61.3");
        let fine = spec(None, None, Some(Decimal::new(1, 9)));
        assert!(complaints(Some(&fine), &texts)[0].contains("too many"));
    }

    #[test]
    fn what_is_no_number_is_named() {
        assert_eq!(
            complaints(None, &["1", "inf", "3,5", "1e999"]),
            [
                "line 3: `x` is \"inf\", not a number",
                "line 4: `x` is \"3,5\", a number with a comma",
                "line 5: `x` is \"1e999\", not a number",
            ]
        );
        let range = DomainSpec::Range {
            min: None,
            max: None,
        };
        assert_eq!(
            complaints(Some(&range), &["1", "1.5", "old"]),
            [
                "line 3: `x` is \"1.5\", not a whole number",
                "line 4: `x` is \"old\", not a whole number",
            ]
        );
    }

    #[test]
    fn a_word_among_numbers_is_remarked() {
        let mut texts: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        texts.push("unknown".to_owned());
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let told = of_texts("age", None, &cells(&texts)).unwrap();
        assert!(told.note.unwrap().contains("line 22 has \"unknown\""));
    }

    #[test]
    fn numbers_between_two_steps_are_rounded() {
        let domain = domain(None, &["0.0", "0.1", "1.0"]);
        let coded = |code, rounded| Some(Coded { code, rounded });
        assert_eq!(code(&domain, "0.30"), coded(3, false));
        assert_eq!(code(&domain, "0.32"), coded(3, true));
        assert_eq!(code(&domain, "1.01"), None);
        assert_eq!(code(&domain, "-0.01"), None);
        assert_eq!(code(&domain, "nan"), None);
    }
}
