//! Zero-order gradients: Algorithm 1 (plain) and Algorithm 2 (vectored) of the paper.
//!
//! Both give the same numbers. The plain one asks the model once for each attribute, the vectored
//! one asks once for all; either way every live chain is in the same call.

use crate::model::meter::{Halt, Meter, Wanted};
use crate::model::{are_uniform, canonical, uniform};
use crate::schema::Space;
use crate::spec::Gradient;

use super::gradient::{Point, Precision, Slopes, push_rows};
use super::rows::{Rows, pad, push_copies};
use super::sides::Sides;

/// Estimates how the score changes by finite differences.
pub(super) struct Estimator<'a> {
    space: &'a Space,
    sides: Sides,
    size: f32,
    kind: Gradient,
    probes: Probes,
}

/// Where probes may lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Probes {
    /// Always one perturbation up, even if that leaves the domain: as in the paper.
    Up,
    /// Inside the domain: at its upper edge they go down.
    Inside,
}

/// Forward differences: slopes of scores one perturbation up in every movable attribute.
#[derive(Clone, Copy)]
pub(super) struct Forward {
    size: f32,
    reciprocal: f64,
}

impl Forward {
    /// Adds the probes around a [padded](pad) row: one for each movable attribute.
    pub(super) fn push_probes(&self, space: &Space, row: &[f32], rows: &mut Rows) {
        let movable = space.movable();
        rows.push_copies(space, row, movable.len(), |place, probe| {
            probe[movable[place]] += self.size;
        });
    }

    /// The slopes around somebody with the score `base`, of the scores of the probes.
    fn slopes(self, base: f32, scores: &[f32]) -> impl Iterator<Item = f64> {
        let base = canonical(base);
        scores
            .iter()
            .map(move |&score| (f64::from(canonical(score)) - f64::from(base)) * self.reciprocal)
    }

    /// How steep the scores of two people are in each attribute, both added up, of the scores of their probes.
    pub(super) fn steepness(
        self,
        [own_base, other_base]: [f32; 2],
        [own, other]: [&[f32]; 2],
        steepness: &mut Vec<f64>,
    ) {
        steepness.clear();
        let probes = own.iter().zip(other);
        if are_uniform(&[own_base, other_base]) & are_uniform(own) & are_uniform(other) {
            // Most are: without branches several are reckoned at once. Nothing is lost in single precision,
            // since all are whole steps of the grid.
            let [own_base, other_base] = [own_base, other_base].map(uniform);
            steepness.extend(probes.map(|(&own, &other)| {
                let both = (uniform(own) - own_base).abs() + (uniform(other) - other_base).abs();
                f64::from(both) * self.reciprocal
            }));
        } else {
            let both = self
                .slopes(own_base, own)
                .zip(self.slopes(other_base, other));
            steepness.extend(both.map(|(own, other)| own.abs() + other.abs()));
        }
    }
}

/// What the model eats for a point, in blocks that are copied quickly.
#[derive(Default)]
struct Row<'p> {
    profile: &'p [u64],
    cells: Vec<f32>,
}

impl<'p> Row<'p> {
    /// Points come in pairs of the same profile, of which only the protected values differ.
    fn become_that_of(&mut self, point: &Point<'p>, space: &Space) {
        if std::ptr::eq(self.profile, point.profile) {
            space.protect(&mut self.cells, point.combination);
            return;
        }
        self.profile = point.profile;
        self.cells.clear();
        point.push_row(space, &mut self.cells);
        pad(&mut self.cells);
    }
}

impl<'a> Estimator<'a> {
    /// An estimator with a perturbation size, in units of the domain.
    pub(super) fn new(
        space: &'a Space,
        sides: Sides,
        size: f64,
        kind: Gradient,
        probes: Probes,
    ) -> Self {
        Estimator {
            space,
            sides,
            size: size as f32,
            kind,
            probes,
        }
    }

    /// The points' own scores: known, unless only another engine's last bits will do.
    fn bases(
        &self,
        points: &[Point<'_>],
        precision: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f32>, Halt> {
        let known: Vec<f32> = points.iter().map(|point| point.score).collect();
        if precision == Precision::Canonical {
            return Ok(known);
        }
        let wanted = Wanted {
            items: points.len(),
            each: 1,
            make: &|items, rows| push_rows(&points[items], self.space, rows),
        };
        meter.exact_again(&wanted, known)
    }

    /// The slopes of some attributes around every point with this score: of each point all that are
    /// asked for.
    fn slopes_of(
        &self,
        (points, bases): (&[Point<'_>], &[f32]),
        attributes: &[usize],
        precision: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f64>, Halt> {
        let wanted = Wanted {
            items: points.len(),
            each: attributes.len(),
            make: &|items, rows| {
                let mut row = Row::default();
                for point in &points[items] {
                    row.become_that_of(point, self.space);
                    self.push_probes(point, attributes, &row.cells, rows);
                }
            },
        };
        let plain = self
            .forward_differences()
            .filter(|_| precision == Precision::Canonical);
        meter.ask_for(&wanted, precision == Precision::Exact, |items, scores| {
            let mut slopes = Vec::with_capacity(scores.len());
            let points = points[items.clone()].iter().zip(&bases[items]);
            for ((point, &base), scores) in points.zip(scores.chunks_exact(attributes.len())) {
                match plain {
                    Some(forward) => slopes.extend(forward.slopes(base, scores)),
                    None => {
                        let scores = scores.iter().copied().zip(attributes.iter().copied());
                        slopes.extend(self.slopes_at((point, base), scores, precision));
                    }
                }
            }
            slopes
        })
    }

    /// The slopes around a point with this score, of scores and the attributes that were moved for them.
    fn slopes_at(
        &self,
        (point, base): (&Point<'_>, f32),
        scores: impl Iterator<Item = (f32, usize)>,
        precision: Precision,
    ) -> impl Iterator<Item = f64> {
        let value = move |score| {
            let score = match precision {
                Precision::Exact => score,
                Precision::Canonical => canonical(score),
            };
            f64::from(self.sides.measured(score, point.score))
        };
        let base = value(base);
        scores.map(move |(score, attribute)| {
            (value(score) - base) / f64::from(self.step(point, attribute))
        })
    }

    /// Appends the point's row once for each of these attributes, moved by a step.
    fn push_probes(
        &self,
        point: &Point<'_>,
        attributes: &[usize],
        row: &[f32],
        rows: &mut Vec<f32>,
    ) {
        push_copies(self.space, row, attributes.len(), rows, |place, probe| {
            let attribute = attributes[place];
            probe[attribute] += self.step(point, attribute);
        });
    }

    /// Differences are multiplied by the reciprocal of the step instead of being divided by it, which takes
    /// longer: where all steps are the same, that gives the same number, and the score is what is measured.
    fn forward_differences(&self) -> Option<Forward> {
        let size = self.size;
        let is_power_of_two = size.is_normal() && size.to_bits() << 9 == 0;
        let is_score = !matches!(self.sides, Sides::Classes);
        (self.probes == Probes::Up && is_power_of_two && is_score).then(|| Forward {
            size,
            reciprocal: 1.0 / f64::from(size),
        })
    }

    /// How far the probe of an attribute lies from the person; never nothing, since a movable
    /// attribute has at least two values.
    #[inline]
    fn step(&self, point: &Point<'_>, attribute: usize) -> f32 {
        if self.probes == Probes::Up {
            return self.size;
        }
        let code = self.space.packing().code(point.profile, attribute);
        let below = code as f32;
        let above = (self.space.largest(attribute) - code) as f32;
        if above >= self.size {
            self.size
        } else if below >= self.size || below > above {
            -self.size.min(below)
        } else {
            above
        }
    }
}

impl Slopes for Estimator<'_> {
    fn slopes(
        &self,
        points: &[Point<'_>],
        precision: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f64>, Halt> {
        let movable = self.space.movable();
        let bases = self.bases(points, precision, meter)?;
        let around = (points, bases.as_slice());
        if self.kind == Gradient::Vectored {
            return self.slopes_of(around, movable, precision, meter);
        }
        let mut slopes = vec![0.0; points.len() * movable.len()];
        for (column, &attribute) in movable.iter().enumerate() {
            let one = self.slopes_of(around, &[attribute], precision, meter)?;
            for (point, slope) in one.into_iter().enumerate() {
                slopes[point * movable.len() + column] = slope;
            }
        }
        Ok(slopes)
    }

    fn forward(&self) -> Option<Forward> {
        self.forward_differences()
            .filter(|_| self.kind == Gradient::Vectored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::from_fn;
    use crate::model::meter::Asking;
    use crate::schema::{Attribute, Code, Domain, Schema};
    use crate::search::gradient::Gradients;

    fn space() -> Space {
        let range = |max| Domain::Integers { min: 0, max };
        let attributes = ["a", "b", "sex"].map(|name| Attribute::new(name, range(4)));
        Space::new(Schema::new(attributes.to_vec()), &[2]).unwrap()
    }

    fn gradient(kind: Gradient, size: f64, person: &[Code]) -> (Vec<f64>, u64) {
        probed(Probes::Up, kind, size, person)
    }

    fn probed(probes: Probes, kind: Gradient, size: f64, person: &[Code]) -> (Vec<f64>, u64) {
        let space = space();
        let score = |row: &[f32]| 0.1 + 0.0625 * row[0] + 0.125 * row[1];
        let model = from_fn(move |row| score(row.as_slice().unwrap()));
        let mut meter = Meter::new(&model, 3, Asking::default());
        let row: Vec<f32> = person.iter().map(|&code| code as f32).collect();
        let known = meter.ask_rows(&row).unwrap()[0];
        let mut profile = vec![0; space.packing().words()];
        space.packing().pack(person, &mut profile);
        let point = Point {
            profile: &profile,
            combination: 0,
            score: known,
        };
        let sides = Sides::new(&crate::decision::Rule::Threshold(0.5));
        let estimator = Estimator::new(&space, sides.clone(), size, kind, probes);
        let gradients = Gradients::new(&space, sides, Box::new(estimator))
            .of(&[point], Precision::Canonical, &mut meter)
            .unwrap();
        (gradients, meter.queries() - 1)
    }

    #[test]
    fn plain_and_vectored_agree_and_ask_one_row_for_each_attribute_that_can_move() {
        for size in [1.0, 0.5, 2.0] {
            let plain = gradient(Gradient::Plain, size, &[1, 1, 0]);
            assert_eq!(plain, gradient(Gradient::Vectored, size, &[1, 1, 0]));
            assert_eq!(plain.1, 2);
        }
    }

    #[test]
    fn the_sign_follows_the_decision() {
        let (below, _) = gradient(Gradient::Vectored, 1.0, &[1, 1, 0]);
        assert!(
            (below[0] + 0.0625).abs() < 1e-4 && (below[1] + 0.125).abs() < 1e-4,
            "{below:?}"
        );
        let (above, _) = gradient(Gradient::Vectored, 1.0, &[3, 3, 0]);
        assert!(
            (above[0] - 0.0625).abs() < 1e-4 && (above[1] - 0.125).abs() < 1e-4,
            "{above:?}"
        );
    }

    #[test]
    fn probes_that_stay_inside_give_the_same_slope_at_every_edge() {
        for person in [[4, 4, 0], [0, 4, 0], [3, 4, 0]] {
            for size in [1.0, 3.0, 10.0] {
                let (slopes, _) = probed(Probes::Inside, Gradient::Vectored, size, &person);
                for (slope, expected) in slopes.iter().zip([0.0625, 0.125]) {
                    assert!(
                        (slope.abs() - expected).abs() < 1e-4,
                        "{person:?}: {slopes:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn steepness_is_both_slopes_added_up_wherever_scores_lie() {
        let forward = Forward {
            size: 0.5,
            reciprocal: 2.0,
        };
        // The last score is where the grid gets finer: all are reckoned in the long way then.
        let cases = [
            ([0.31, 0.62], [0.33, 0.9, 0.1], [0.7, 0.5, 0.62]),
            ([0.31, 0.62], [0.33, 0.9, 0.1], [0.7, 0.5, 0.002]),
            ([0.001, 0.62], [0.33, 0.9, 0.1], [0.7, 0.5, 0.4]),
        ];
        for (bases, own, other) in cases {
            let mut steepness = vec![7.0];
            forward.steepness(bases, [&own, &other], &mut steepness);
            let [own, other] = [(bases[0], own), (bases[1], other)]
                .map(|(base, scores)| forward.slopes(base, &scores).collect::<Vec<f64>>());
            let expected = own.iter().zip(&other).map(|(a, b)| a.abs() + b.abs());
            assert_eq!(steepness, expected.collect::<Vec<f64>>());
        }
    }
}
