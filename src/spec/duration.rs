//! Durations as people write them: `"500ms"`, `"30s"`, `"1m 30s"`, `"2h"`.

use std::time::Duration;

/// The duration that `text` says, or nothing if it says none or is beyond all bounds.
///
/// One or more of a whole number and a unit (`ms`, `s`, `m`, `h`), with or without spaces.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (count, after) = split_where(rest, |c| !c.is_ascii_digit());
        let (unit, after) = split_where(after.trim_start(), |c| !c.is_ascii_alphabetic());
        total = total.checked_add(part(count.parse().ok()?, unit)?)?;
        rest = after.trim_start();
    }
    Some(total)
}

fn part(count: u64, unit: &str) -> Option<Duration> {
    let seconds = match unit {
        "ms" => return Some(Duration::from_millis(count)),
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    count.checked_mul(seconds).map(Duration::from_secs)
}

fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_ways_to_write_a_duration() {
        assert_eq!(parse("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse("30s"), Some(Duration::from_secs(30)));
        assert_eq!(parse(" 2 m "), Some(Duration::from_secs(120)));
        assert_eq!(parse("1h"), Some(Duration::from_secs(3600)));
        assert_eq!(parse("1h30m 5s"), Some(Duration::from_secs(5405)));
    }

    #[test]
    fn anything_else_is_none() {
        let huge = ["18446744073709551615h", "99999999999999999999s"];
        for text in [
            "", " ", "30", "s", "-3s", "1.5s", "3 weeks", "30S", "30s!", "é",
        ]
        .into_iter()
        .chain(huge)
        {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
