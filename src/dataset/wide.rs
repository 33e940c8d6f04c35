//! A column of very many different numbers: they are kept themselves, not as distinct texts.

use rustc_hash::FxHashMap;

use super::domain::Span;
use super::number::{decimals_of_units, from_units};

/// From this many distinct numbers on.
pub(super) const WIDE: usize = 1 << 16;

/// What is kept for a person whose value is missing.
pub(super) const MISSING: i64 = i64::MIN;

/// What the numbers of a column are like.
#[derive(Debug)]
pub(super) struct Wide {
    lowest: (i64, u64),
    highest: (i64, u64),
    decimals: u32,
    fraction: Option<(String, u64)>,
    /// A text that is no number, and its line.
    pub(super) odd: Option<(String, u64)>,
    /// How often each occurs, if that is needed.
    pub(super) tally: Option<Tally>,
}

impl Wide {
    /// Nothing yet.
    pub(super) fn new(tally: Option<Tally>) -> Self {
        Wide {
            lowest: (i64::MAX, 0),
            highest: (i64::MIN, 0),
            decimals: 0,
            fraction: None,
            odd: None,
            tally,
        }
    }

    /// A number in millionths that occurs `count` times, for the first time in this line.
    pub(super) fn add(&mut self, units: i64, text: &[u8], line: u64, count: u64) {
        if units < self.lowest.0 {
            self.lowest = (units, line);
        }
        if units > self.highest.0 {
            self.highest = (units, line);
        }
        const POWERS: [i64; 7] = [1_000_000, 100_000, 10_000, 1000, 100, 10, 1];
        if units % POWERS[self.decimals as usize] != 0 {
            self.decimals = decimals_of_units(units);
            self.fraction
                .get_or_insert_with(|| (String::from_utf8_lossy(text).into_owned(), line));
        }
        if let Some(tally) = &mut self.tally {
            tally.add(units, count);
        }
    }

    /// What they span.
    pub(super) fn span(&self) -> Span {
        Span {
            lowest: from_units(self.lowest.0),
            highest: from_units(self.highest.0),
            decimals: self.decimals,
            fraction: self.fraction.clone(),
        }
    }

    /// The smallest and the largest number with their lines.
    pub(super) fn ends(&self) -> [(i64, u64); 2] {
        [self.lowest, self.highest]
    }
}

/// How often numbers occur. Of too many numbers, neighbours are counted together: as few as keep
/// the count small, and the same whatever the order.
#[derive(Debug, Default)]
pub(super) struct Tally {
    shift: u32,
    counts: FxHashMap<i64, u64>,
}

impl Tally {
    const MOST: usize = 1 << 18;

    fn add(&mut self, units: i64, count: u64) {
        *self.counts.entry(units >> self.shift).or_default() += count;
        while self.counts.len() > Self::MOST {
            self.shift += 1;
            let finer = std::mem::take(&mut self.counts);
            for (place, count) in finer {
                *self.counts.entry(place >> 1).or_default() += count;
            }
        }
    }

    /// Numbers in millionths and how often they occur, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, u64)> {
        let middle = match self.shift {
            0 => 0,
            shift => 1 << (shift - 1),
        };
        self.counts
            .iter()
            .map(move |(place, count)| ((place << self.shift) + middle, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_are_counted_exactly_and_many_nearly() {
        let mut tally = Tally::default();
        (0..1000).for_each(|number| tally.add(number % 10, 1));
        assert_eq!(tally.iter().filter(|(_, count)| *count == 100).count(), 10);
        (0..1_000_000).for_each(|number| tally.add(number, 1));
        assert!(tally.counts.len() <= Tally::MOST);
        assert_eq!(tally.iter().map(|(_, count)| count).sum::<u64>(), 1_001_000);
        assert!(tally.iter().all(|(number, _)| number <= 1_000_000));
    }
}
