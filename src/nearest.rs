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

/// The nearest of `people`, rows of codes, to a person: with the fewest attributes changed, then with
/// the smallest distance, then the first. Nobody if there are no people.
pub(crate) fn nearest(space: &Space, people: &[Code], person: &[Code]) -> Option<Nearest> {
    let width = space.schema().width();
    let compared: Vec<usize> = (0..width)
        .filter(|position| !space.protected().contains(position))
        .collect();
    let mut best: Option<(usize, f64, &[Code])> = None;
    for real in people.chunks_exact(width) {
        let differs = |&&position: &&usize| real[position] != person[position];
        let changed = compared.iter().filter(differs).count();
        if best.is_some_and(|(least, _, _)| changed > least) {
            continue;
        }
        let distance = compared
            .iter()
            .filter(differs)
            .map(|&position| shift(space, position, real[position], person[position]))
            // Not `sum`, which is -0 where nothing differs.
            .fold(0.0, |sum, shift| sum + shift);
        if best.is_none_or(|(least, nearest, _)| (changed, distance) < (least, nearest)) {
            best = Some((changed, distance, real));
        }
    }
    best.map(|(changed, distance, real)| Nearest {
        person: real.to_vec(),
        changed,
        distance,
    })
}

/// How far two values of an attribute are apart.
pub(crate) fn shift(space: &Space, position: usize, one: Code, other: Code) -> f64 {
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
