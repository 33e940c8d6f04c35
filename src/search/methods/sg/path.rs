//! Paths of a decision tree as boxes: which codes of an attribute go with a path, and who among the
//! people in the box is nearest to somebody.

use std::collections::BTreeMap;

use crate::schema::{Code, Space};

/// One turn of a path: an attribute's code is at most, or above, this one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turn {
    pub(super) attribute: usize,
    pub(super) at: Code,
    pub(super) is_below: bool,
    /// Which share of the people who come to the turn take it.
    pub(super) confidence: f64,
}

impl Turn {
    /// The other way.
    pub(super) fn toggled(self) -> Self {
        Turn {
            is_below: !self.is_below,
            confidence: 1.0 - self.confidence,
            ..self
        }
    }

    /// Without the confidence, for telling paths apart.
    pub(super) fn way(&self) -> Way {
        (self.attribute, self.at, self.is_below)
    }
}

/// An attribute, a code, and whether the path goes on at or below it.
pub(super) type Way = (usize, Code, bool);

/// How sure the turns of a path are, on average.
pub(super) fn mean_confidence(path: &[Turn]) -> f64 {
    let sum: f64 = path.iter().map(|turn| turn.confidence).sum();
    sum / path.len().max(1) as f64
}

/// The person nearest to `person` who takes all these turns; nobody if they contradict each other.
pub(super) fn nearest(space: &Space, person: &[Code], path: &[Turn]) -> Option<Vec<Code>> {
    let mut boxes = BTreeMap::new();
    for turn in path {
        let whole = (0, space.largest(turn.attribute));
        let (least, most) = boxes.entry(turn.attribute).or_insert(whole);
        match turn.is_below {
            true => *most = turn.at.min(*most),
            false => *least = (turn.at + 1).max(*least),
        }
    }
    let mut nearest = person.to_vec();
    for (attribute, (least, most)) in boxes {
        if least > most {
            return None;
        }
        nearest[attribute] = nearest[attribute].clamp(least, most);
    }
    Some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Domain, Schema};

    fn space() -> Space {
        let range = |max| Domain::Integers { min: 0, max };
        let attributes = ["a", "b", "sex"].map(|name| Attribute::new(name, range(9)));
        Space::new(Schema::new(attributes.to_vec()), &[2]).unwrap()
    }

    fn turn(attribute: usize, at: Code, is_below: bool) -> Turn {
        Turn {
            attribute,
            at,
            is_below,
            confidence: 0.8,
        }
    }

    #[test]
    fn the_nearest_person_in_a_box_is_found_exactly() {
        let path = [turn(0, 6, true), turn(0, 2, false), turn(1, 4, false)];
        for a in 0..10 {
            for b in 0..10 {
                let found = nearest(&space(), &[a, b, 1], &path).unwrap();
                let distance = |x: Code, y: Code| x.abs_diff(a) + y.abs_diff(b);
                let inside = (3..=6).flat_map(|x| (5..=9).map(move |y| (x, y)));
                let least = inside.map(|(x, y)| distance(x, y)).min().unwrap();
                assert!((3..=6).contains(&found[0]) && found[1] >= 5 && found[2] == 1);
                assert_eq!(distance(found[0], found[1]), least);
            }
        }
    }

    #[test]
    fn turns_that_contradict_each_other_are_taken_by_nobody() {
        let [low, high] = [turn(0, 3, true), turn(0, 6, false)];
        assert_eq!(nearest(&space(), &[1, 1, 1], &[low, high]), None);
        assert!(nearest(&space(), &[1, 1, 1], &[low, high.toggled()]).is_some());
        assert_eq!(nearest(&space(), &[1, 1, 1], &[turn(0, 9, false)]), None);
        assert!((low.toggled().confidence - 0.2).abs() < 1e-12);
    }
}
