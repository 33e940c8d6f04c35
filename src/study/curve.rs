//! How the finds of a run grew with its queries, thinned to a few points.

use std::fmt;

/// A point is kept where there are at least this many times the queries of the one before.
const STRIDE: f64 = 1.12;

/// Points of (queries, counterexamples so far), both rising.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Curve(Vec<(u64, u64)>);

impl Curve {
    /// Adds a point, unless it lies close to the one before.
    pub(crate) fn reach(&mut self, queries: u64, found: u64) {
        let far = match self.0.last() {
            Some(&(last, _)) => queries as f64 >= last as f64 * STRIDE && queries > last,
            None => queries > 0,
        };
        if far {
            self.0.push((queries, found));
        }
    }

    /// Adds the last point.
    pub(crate) fn end(&mut self, queries: u64, found: u64) {
        if self.0.last().is_some_and(|&(last, _)| last >= queries) {
            self.0.pop();
        }
        self.0.push((queries, found));
    }

    /// The points.
    pub(crate) fn points(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// How many were found after so many queries, between points in proportion. None where the run
    /// had ended before.
    pub(crate) fn at(&self, queries: f64) -> Option<f64> {
        let after = self
            .0
            .iter()
            .position(|&(asked, _)| asked as f64 >= queries)?;
        let (right, found) = self.0[after];
        let (left, earlier) = match after.checked_sub(1) {
            Some(before) => self.0[before],
            None => (0, 0),
        };
        let way = (queries - left as f64) / (right - left).max(1) as f64;
        Some(earlier as f64 + (found as f64 - earlier as f64) * way.clamp(0.0, 1.0))
    }

    /// The curve that [`Curve::to_string`] wrote.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let point = |word: &str| {
            let (queries, found) = word.split_once(':')?;
            Some((queries.parse().ok()?, found.parse().ok()?))
        };
        text.split_whitespace()
            .map(point)
            .collect::<Option<_>>()
            .map(Curve)
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (queries, found)) in self.0.iter().enumerate() {
            let space = if place == 0 { "" } else { " " };
            write!(f, "{space}{queries}:{found}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_thin_and_ends_where_the_run_ended() {
        let mut curve = Curve::default();
        for queries in (0..=100_000).step_by(10) {
            curve.reach(queries, queries / 2);
        }
        curve.end(100_003, 50_001);
        let points = curve.points();
        assert!(points.len() < 100, "{}", points.len());
        assert_eq!(points.last(), Some(&(100_003, 50_001)));
        assert!(points.is_sorted_by(|one, next| one.0 < next.0));
        assert_eq!(Curve::read(&curve.to_string()), Some(curve.clone()));
        assert_eq!(curve.at(50_000.0), Some(25_000.0));
        assert_eq!(curve.at(5.0), Some(2.5));
        assert_eq!(curve.at(200_000.0), None);
    }

    #[test]
    fn a_run_without_queries_has_a_curve() {
        let mut curve = Curve::default();
        curve.reach(0, 0);
        curve.end(0, 0);
        assert_eq!(curve.to_string(), "0:0");
        assert_eq!(curve.at(0.0), Some(0.0));
        assert_eq!(Curve::read("0:0"), Some(curve));
        assert_eq!(Curve::read("0"), None);
        assert_eq!(Curve::read(""), Some(Curve::default()));
    }
}
