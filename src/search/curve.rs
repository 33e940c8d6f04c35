//! What a search found over the queries it made, in a few points.

/// Points that are kept at the end.
const POINTS: usize = 200;

/// Found over queries: one point for each step, thinned as it grows, so that a search of a million
/// steps keeps no more than one of a hundred.
#[derive(Debug, Clone, Default)]
pub(crate) struct Curve {
    points: Vec<[u64; 2]>,
    /// Only every so many steps are kept.
    stride: usize,
    /// Steps since the last that was kept.
    passed: usize,
    last: Option<[u64; 2]>,
}

impl Curve {
    /// After a step: so many queries were made and so many counterexamples found.
    pub(crate) fn add(&mut self, queries: u64, found: u64) {
        self.last = Some([queries, found]);
        self.passed += 1;
        if self.passed < self.stride {
            return;
        }
        self.passed = 0;
        self.points.push([queries, found]);
        if self.points.len() == 2 * POINTS {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride = 2 * self.stride.max(1);
        }
    }

    /// At most [`POINTS`] of them, each with more queries than the one before; the first and the
    /// last step are among them.
    pub(crate) fn thinned(mut self) -> Vec<[u64; 2]> {
        self.points.extend(self.last);
        // Steps that asked nobody: the last word about as many queries is the right one.
        self.points.reverse();
        self.points.dedup_by_key(|point| point[0]);
        self.points.reverse();
        let last = self.points.len().saturating_sub(1);
        if last < POINTS {
            return self.points;
        }
        (0..POINTS)
            .map(|place| self.points[place * last / (POINTS - 1)])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(steps: u64) -> Vec<[u64; 2]> {
        let mut curve = Curve::default();
        for step in 0..steps {
            curve.add(10 * step, 3 * step);
        }
        curve.thinned()
    }

    #[test]
    fn few_steps_are_all_kept() {
        assert!(curve(0).is_empty());
        assert_eq!(curve(3), [[0, 0], [10, 3], [20, 6]]);
        assert_eq!(curve(200).len(), 200);
    }

    #[test]
    fn many_steps_are_thinned_evenly_with_both_ends() {
        for steps in [201, 399, 400, 401, 1000, 123_457] {
            let points = curve(steps);
            assert_eq!(points.len(), 200, "{steps} steps");
            assert_eq!(points[0], [0, 0]);
            assert_eq!(points[199], [10 * (steps - 1), 3 * (steps - 1)]);
            let gaps = points.windows(2).map(|pair| pair[1][0] - pair[0][0]);
            let even = 10 * steps / 200;
            assert!(
                gaps.into_iter()
                    .all(|gap| 0 < gap && gap <= 4 * even.max(10)),
                "{steps} steps: {points:?}"
            );
        }
    }

    #[test]
    fn queries_rise() {
        let mut curve = Curve::default();
        for (queries, found) in [(0, 0), (0, 0), (5, 1), (5, 2), (9, 2), (9, 2)] {
            curve.add(queries, found);
        }
        assert_eq!(curve.thinned(), [[0, 0], [5, 2], [9, 2]]);
    }
}
