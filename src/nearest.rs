//! How far a person is from the nearest real one.

use crate::schema::{Code, Domain, Space};

/// The dataset's person nearest to somebody.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Nearest {
    /// The real person.
    pub person: Vec<Code>,
    /// How many attributes differ, apart from the protected ones.
    pub changed: usize,
    /// How far these attributes are apart, added up: a category counts 1, a number its distance as
    /// a share of its domain.
    pub distance: f64,
}

/// How far two people are apart: how many attributes differ, then by how much altogether.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Apart {
    pub(crate) changed: usize,
    pub(crate) distance: f64,
}

impl Apart {
    /// How far two people are apart in these attributes.
    pub(crate) fn of(space: &Space, attributes: &[usize], one: &[Code], other: &[Code]) -> Self {
        let none = Apart {
            changed: 0,
            distance: 0.0,
        };
        attributes.iter().fold(none, |sum, &position| {
            let (one, other) = (one[position], other[position]);
            Apart {
                changed: sum.changed + usize::from(one != other),
                distance: sum.distance + shift(space, position, one, other),
            }
        })
    }
}

/// Who of `people` is the nearest to a person in these attributes: with the fewest changed, then with
/// the smallest distance, then the first.
pub(crate) fn nearest_of<'p>(
    space: &Space,
    attributes: &[usize],
    people: impl Iterator<Item = &'p [Code]>,
    person: &[Code],
) -> Option<(&'p [Code], Apart)> {
    let mut best: Option<(&[Code], Apart)> = None;
    for real in people {
        let apart = Apart::of(space, attributes, real, person);
        if best.is_none_or(|(_, least)| apart < least) {
            best = Some((real, apart));
        }
    }
    best
}

/// Real people, among whom the nearest can be found quickly.
pub(crate) struct Crowd<'a> {
    space: &'a Space,
    people: &'a [Code],
    /// The values of each attribute that is not protected, person after person: comparing one value
    /// with a whole column is what a processor does best.
    columns: Vec<Vec<Code>>,
}

impl<'a> Crowd<'a> {
    /// The people whose rows of codes these are.
    pub(crate) fn new(space: &'a Space, people: &'a [Code]) -> Self {
        let width = space.schema().width();
        let column = |&position: &usize| {
            let values = people.iter().skip(position).step_by(width);
            values.copied().collect()
        };
        Crowd {
            space,
            people,
            columns: space.unprotected().iter().map(column).collect(),
        }
    }

    /// The nearest to a person among those for whom `near` holds, at most so many and no two alike apart
    /// from protected attributes: with the fewest attributes changed, then with the smallest distance,
    /// then with the fewest protected values changed, then the first.
    pub(crate) fn nearest(
        &self,
        person: &[Code],
        most: usize,
        near: impl Fn(&[Code]) -> bool,
    ) -> Vec<Nearest> {
        let changes = self.changes(person);
        let mut nearest: Vec<Nearest> = Vec::new();
        for changed in 0..=self.columns.len() {
            let these = changes.iter().enumerate();
            let these = these.filter(|(_, count)| **count as usize == changed);
            let mut ranked: Vec<(f64, &[Code])> = these
                .map(|(index, _)| self.person(index))
                .filter(|real| near(real))
                .map(|real| (self.apart(real, person).distance, real))
                .collect();
            ranked.sort_by(|&(distance, one), &(other_distance, other)| {
                let both = [one, other].map(|real| self.protected_apart(real, person));
                distance
                    .total_cmp(&other_distance)
                    .then(both[0].cmp(&both[1]))
            });
            for (distance, real) in ranked {
                if nearest.len() == most {
                    return nearest;
                }
                if !nearest.iter().any(|other| self.alike(&other.person, real)) {
                    nearest.push(Nearest {
                        person: real.to_vec(),
                        changed,
                        distance,
                    });
                }
            }
        }
        nearest
    }

    /// How far two people are apart, but for protected attributes.
    pub(crate) fn apart(&self, one: &[Code], other: &[Code]) -> Apart {
        Apart::of(self.space, self.space.unprotected(), one, other)
    }

    /// How many attributes of each of the people differ from a person's.
    fn changes(&self, person: &[Code]) -> Vec<u32> {
        let mut changes = vec![0; self.people.len() / self.space.schema().width()];
        for (&position, column) in self.space.unprotected().iter().zip(&self.columns) {
            let value = person[position];
            for (count, &other) in changes.iter_mut().zip(column) {
                *count += u32::from(other != value);
            }
        }
        changes
    }

    fn person(&self, index: usize) -> &'a [Code] {
        let width = self.space.schema().width();
        &self.people[index * width..][..width]
    }

    fn protected_apart(&self, one: &[Code], other: &[Code]) -> usize {
        let positions = self.space.protected().iter();
        positions.filter(|&&at| one[at] != other[at]).count()
    }

    fn alike(&self, one: &[Code], other: &[Code]) -> bool {
        let mut attributes = self.space.unprotected().iter();
        attributes.all(|&position| one[position] == other[position])
    }
}

/// How far two values of an attribute are apart.
fn shift(space: &Space, position: usize, one: Code, other: Code) -> f64 {
    match space.schema().attributes()[position].domain {
        Domain::Categories(_) | Domain::Truth => f64::from(u8::from(one != other)),
        _ => f64::from(one.abs_diff(other)) / f64::from(space.largest(position).max(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Schema};

    #[test]
    fn fewest_changes_first_then_the_smallest_distance() {
        let range = |max| Domain::Integers { min: 0, max };
        let names = ["x", "y", "z"].map(str::to_owned).to_vec();
        let schema = Schema::new(vec![
            Attribute::new("age", range(10)),
            Attribute::new("job", Domain::Categories(names)),
            Attribute::new("sex", range(1)),
        ]);
        let space = Space::new(schema, &[2]).unwrap();
        let people = [9, 0, 0, 2, 0, 1, 5, 1, 0, 9, 0, 1];
        let crowd = Crowd::new(&space, &people);
        let near = &crowd.nearest(&[4, 0, 0], 1, |_| true)[0];
        assert_eq!((near.person.as_slice(), near.changed), (&[2, 0, 1][..], 1));
        assert!((near.distance - 0.2).abs() < 1e-12);
        let same = &crowd.nearest(&[5, 1, 1], 1, |_| true)[0];
        assert_eq!((same.changed, same.distance), (0, 0.0), "sex is protected");
        assert!(same.distance.is_sign_positive(), "0, not -0");
        assert_eq!(Crowd::new(&space, &[]).nearest(&[0, 0, 0], 1, |_| true), []);
        // The last one is the first again, but for sex.
        let all = crowd.nearest(&[4, 0, 0], 9, |_| true);
        let people: Vec<&[Code]> = all.iter().map(|near| near.person.as_slice()).collect();
        assert_eq!(people, [[2, 0, 1], [9, 0, 0], [5, 1, 0]]);
        let some = crowd.nearest(&[4, 0, 0], 9, |real| real[0] > 4);
        assert_eq!(some.len(), 2);
    }
}
