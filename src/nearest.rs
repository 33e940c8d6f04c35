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

/// The nearest of `people`, rows of codes, to a person, apart from protected attributes. Nobody if
/// there are no people.
pub(crate) fn nearest(space: &Space, people: &[Code], person: &[Code]) -> Option<Nearest> {
    let width = space.schema().width();
    let compared: Vec<usize> = (0..width)
        .filter(|position| !space.protected().contains(position))
        .collect();
    let nearest = nearest_of(space, &compared, people.chunks_exact(width), person);
    nearest.map(|(real, Apart { changed, distance })| Nearest {
        person: real.to_vec(),
        changed,
        distance,
    })
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
        let people = [9, 0, 0, 2, 0, 1, 5, 1, 0];
        let near = nearest(&space, &people, &[4, 0, 0]).unwrap();
        assert_eq!((near.person, near.changed), (vec![2, 0, 1], 1));
        assert!((near.distance - 0.2).abs() < 1e-12);
        let same = nearest(&space, &people, &[5, 1, 1]).unwrap();
        assert_eq!((same.changed, same.distance), (0, 0.0), "sex is protected");
        assert!(same.distance.is_sign_positive(), "0, not -0");
        assert_eq!(nearest(&space, &[], &[0, 0, 0]), None);
    }
}
