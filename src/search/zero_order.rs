//! Zero-order gradients: Algorithm 1 (plain) and Algorithm 2 (vectored) of the paper.
//!
//! Both give the same numbers. The plain one asks the model once for each attribute, the vectored
//! one asks once for all; either way every live chain is in the same call.

use crate::model::canonical;
use crate::model::meter::{Halt, Meter, Wanted};
use crate::schema::Space;
use crate::spec::Gradient;

use super::gradient::{Point, Precision, Slopes};
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

    /// The number whose changes count around a point.
    fn measured(&self, score: f64, point: &Point<'_>) -> f64 {
        f64::from(self.sides.measured(score as f32, point.score))
    }

    /// The points' own scores: known, unless only another engine's last bits will do.
    fn bases(
        &self,
        points: &[Point<'_>],
        precision: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f64>, Halt> {
        let mut known: Vec<f32> = points.iter().map(|point| point.score).collect();
        if precision == Precision::Exact {
            let wanted = Wanted {
                items: points.len(),
                each: 1,
                make: &|item, rows| points[item].push_row(self.space, rows),
            };
            known = meter.exact_again(&wanted, known)?;
        }
        Ok(known
            .into_iter()
            .map(|score| value(score, precision))
            .collect())
    }

    /// The scores with one attribute after the other moved by a step.
    fn probe_scores(
        &self,
        points: &[Point<'_>],
        attributes: &[usize],
        precision: Precision,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<f64>, Halt> {
        let width = self.space.schema().width();
        let wanted = Wanted {
            items: points.len(),
            each: attributes.len(),
            make: &|item, rows| {
                let (point, start) = (&points[item], rows.len());
                point.push_row(self.space, rows);
                for _ in 1..attributes.len() {
                    rows.extend_from_within(start..start + width);
                }
                for (row, &attribute) in rows[start..].chunks_exact_mut(width).zip(attributes) {
                    row[attribute] += self.step(point, attribute);
                }
            },
        };
        let scores = match precision {
            Precision::Canonical => meter.ask(&wanted)?,
            Precision::Exact => meter.ask_exactly(&wanted)?,
        };
        Ok(scores
            .into_iter()
            .map(|score| value(score, precision))
            .collect())
    }

    /// How far the probe of an attribute lies from the person; never nothing, since a movable
    /// attribute has at least two values.
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
        let mut slopes = match self.kind {
            Gradient::Vectored => self.probe_scores(points, movable, precision, meter)?,
            Gradient::Plain => {
                let mut scores = vec![0.0; points.len() * movable.len()];
                for (column, attribute) in movable.iter().enumerate() {
                    let one = self.probe_scores(points, &[*attribute], precision, meter)?;
                    for (point, score) in one.into_iter().enumerate() {
                        scores[point * movable.len() + column] = score;
                    }
                }
                scores
            }
        };
        for ((point, base), slopes) in points
            .iter()
            .zip(bases)
            .zip(slopes.chunks_exact_mut(movable.len().max(1)))
        {
            let base = self.measured(base, point);
            for (slope, &attribute) in slopes.iter_mut().zip(movable) {
                let probed = self.measured(*slope, point);
                *slope = (probed - base) / f64::from(self.step(point, attribute));
            }
        }
        Ok(slopes)
    }
}

fn value(score: f32, precision: Precision) -> f64 {
    f64::from(if precision == Precision::Exact {
        score
    } else {
        canonical(score)
    })
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
}
