//! Numbers as CSV files write them.

use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive, ToPrimitive};

use crate::schema::decimal;

/// Decimals that are told apart in a column: values are known to a millionth.
pub(super) const MOST_DECIMALS: u32 = 6;

const UNITS: i64 = 1_000_000;

/// What a text is, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number.
    Number(Decimal),
    /// NaN or infinite, or too large to be told apart from its neighbours.
    NoNumber,
    /// A number with a comma in it, for decimals or for thousands.
    Comma,
    /// Something else.
    Word,
}

/// What a text is, as a number.
pub(super) fn kind(text: &str) -> Kind {
    match number(text) {
        Some(number) => Kind::Number(number),
        None if text.parse::<f64>().is_ok() => Kind::NoNumber,
        None if has_comma(text) => Kind::Comma,
        None => Kind::Word,
    }
}

/// A number as it is written: `3`, `-0.5`, `1e-3`.
pub(super) fn number(text: &str) -> Option<Decimal> {
    // An underscore is for Rust's eyes only.
    if text.contains('_') {
        return None;
    }
    decimal(text).or_else(|| {
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
        match value.abs() < 1e-20 {
            true => Some(Decimal::ZERO),
            false => Decimal::from_f64(value),
        }
    })
}

/// `3,5` or `1,234,567.8`.
fn has_comma(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    whole.contains(',') && whole.split(',').all(digits) && digits(rest)
}

/// How many decimals a number needs, at most [`MOST_DECIMALS`]; at least one if it is not whole.
pub(super) fn decimals(number: Decimal) -> u32 {
    let needs = number.round_dp(MOST_DECIMALS).normalize().scale();
    needs.max(u32::from(!number.fract().is_zero()))
}

/// A number in millionths, rounded to the nearest.
pub(super) fn units(cell: &[u8]) -> Option<i64> {
    plain_units(cell).or_else(|| {
        let number = number(std::str::from_utf8(cell).ok()?)?;
        let units = number.checked_mul(Decimal::from(UNITS))?.round();
        // The smallest is kept for values that are missing.
        units.to_i64().filter(|units| *units != i64::MIN)
    })
}

/// The number that these millionths are.
pub(super) fn from_units(units: i64) -> Decimal {
    Decimal::new(units, MOST_DECIMALS)
}

/// The decimals that these millionths need.
pub(super) fn decimals_of_units(units: i64) -> u32 {
    let mut decimals = MOST_DECIMALS;
    let mut rest = units;
    while decimals > 0 && rest % 10 == 0 {
        rest /= 10;
        decimals -= 1;
    }
    decimals
}

/// The quick way for digits and a point, which most numbers are.
fn plain_units(cell: &[u8]) -> Option<i64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    let point = digits.iter().position(|b| *b == b'.');
    let (whole, part) = digits.split_at(point.unwrap_or(digits.len()));
    let part = part.get(1..).unwrap_or_default();
    if whole.is_empty() || whole.len() > 12 || part.len() > MOST_DECIMALS as usize {
        return None;
    }
    let mut units = 0;
    for &digit in whole.iter().chain(part) {
        if !digit.is_ascii_digit() {
            return None;
        }
        units = units * 10 + i64::from(digit - b'0');
    }
    for _ in part.len()..MOST_DECIMALS as usize {
        units *= 10;
    }
    Some(if negative { -units } else { units })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_words() {
        assert_eq!(kind("-3.50"), Kind::Number(Decimal::new(-35, 1)));
        assert_eq!(kind("1e-3"), Kind::Number(Decimal::new(1, 3)));
        assert_eq!(kind("1e-300"), Kind::Number(Decimal::ZERO));
        for text in ["NaN", "inf", "-Infinity", "1e300"] {
            assert_eq!(kind(text), Kind::NoNumber, "{text}");
        }
        for text in ["3,5", "-1,234.5", "1,2,3"] {
            assert_eq!(kind(text), Kind::Comma, "{text}");
        }
        for text in ["", "1_000", "a,b", "3 4", "-", ",5", "2020-01-01"] {
            assert_eq!(kind(text), Kind::Word, "{text}");
        }
    }

    #[test]
    fn units_are_millionths() {
        for (text, wanted) in [
            ("0", 0),
            ("-1.5", -1_500_000),
            ("0.000001", 1),
            ("0.0000005001", 1),
            ("123456789012", 123_456_789_012_000_000),
            ("1e3", 1_000_000_000),
            ("+2", 2_000_000),
            (".5", 500_000),
        ] {
            assert_eq!(units(text.as_bytes()), Some(wanted), "{text}");
        }
        for text in ["", "-", "x", "1e30", "12345678901234567890", "nan"] {
            assert_eq!(units(text.as_bytes()), None, "{text}");
        }
        assert_eq!(from_units(1_500_000), Decimal::new(15, 1));
    }

    #[test]
    fn decimals_are_those_that_are_needed() {
        assert_eq!(decimals(Decimal::new(3500, 3)), 1);
        assert_eq!(decimals(Decimal::new(300, 2)), 0);
        assert_eq!(decimals(Decimal::new(1, 9)), 1);
        assert_eq!(decimals_of_units(1_500_000), 1);
        assert_eq!(decimals_of_units(1), 6);
        assert_eq!(decimals_of_units(0), 0);
    }
}
