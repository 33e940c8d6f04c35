//! People drawn at random from wherever the search may go.

use super::Task;
use super::fences::Fences;
use super::random::{Stream, below};
use crate::schema::{Code, Space};

/// People that are drawn until one of them may be tested.
const TRIES: usize = 10_000;

/// Somebody who was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Drawn {
    /// With the protected values that stand for their groups.
    pub(super) person: Vec<Code>,
    /// The real person to stay near; empty where the search may go anywhere.
    pub(super) origin: Vec<Code>,
}

/// Draws people: evenly from the whole domain, unless they have to have something of a real person.
pub(super) struct Drawing<'a> {
    space: &'a Space,
    /// Real people, one row after another.
    people: &'a [Code],
    fences: Fences,
    /// Whether there are attributes that keep a real person's values.
    keeps: bool,
}

impl<'a> Drawing<'a> {
    pub(super) fn new(task: &Task<'a>) -> Self {
        let space = task.space;
        let may_move = |place: &usize| {
            let movable = space.movable().contains(place) || space.protected().contains(place);
            movable || space.largest(*place) == 0
        };
        Drawing {
            space,
            people: task.people,
            fences: Fences::new(space, task.realistic),
            keeps: !(0..space.schema().width()).all(|place| may_move(&place)),
        }
    }

    /// So many people, not all different; fewer if somebody who may be tested is not met in many
    /// tries.
    pub(super) fn draw(&self, wanted: usize, stream: &mut Stream) -> Vec<Drawn> {
        (0..wanted).map_while(|_| self.one(stream)).collect()
    }

    fn one(&self, stream: &mut Stream) -> Option<Drawn> {
        (0..TRIES).find_map(|_| {
            let mut drawn = match self.keeps || self.fences.need_origins() {
                true => self.near_somebody(stream)?,
                false => Drawn {
                    person: self.anybody(stream),
                    origin: Vec::new(),
                },
            };
            let is_possible = self.space.can_exist(&drawn.person);
            let combination = self.space.combination_of(&drawn.person);
            self.space.set_combination(&mut drawn.person, combination);
            (is_possible && self.space.can_exist(&drawn.person)).then_some(drawn)
        })
    }

    fn anybody(&self, stream: &mut Stream) -> Vec<Code> {
        let attributes = 0..self.space.schema().width();
        attributes
            .map(|place| self.any_code(place, stream))
            .collect()
    }

    fn any_code(&self, place: usize, stream: &mut Stream) -> Code {
        below(stream, u64::from(self.space.largest(place)) + 1) as Code
    }

    /// Somebody with other protected values than a real person, and with other values where the
    /// search may change them.
    fn near_somebody(&self, stream: &mut Stream) -> Option<Drawn> {
        let width = self.space.schema().width();
        let rows = self.people.len() / width;
        if rows == 0 {
            return None;
        }
        let row = below(stream, rows as u64) as usize;
        let origin = self.people[row * width..][..width].to_vec();
        let mut person = origin.clone();
        for &place in self.space.protected() {
            person[place] = self.any_code(place, stream);
        }
        let mut movable = self.space.movable().to_vec();
        let most = self.fences.most_changed().unwrap_or(movable.len());
        for turn in 0..most.min(movable.len()) {
            let other = turn + below(stream, (movable.len() - turn) as u64) as usize;
            movable.swap(turn, other);
            let place = movable[turn];
            let window = self.fences.window(self.space, place, origin[place]);
            let values = u64::from(window.end() - window.start()) + 1;
            person[place] = window.start() + below(stream, values) as Code;
        }
        let origin = match self.fences.need_origins() {
            true => origin,
            false => Vec::new(),
        };
        Some(Drawn { person, origin })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::decision::Rule;
    use crate::schema::{Attribute, Domain, Protection, Schema, Terms};
    use crate::search::random::{Purpose, stream};
    use crate::spec::{Budget, Realistic, SearchSettings};

    fn space(frozen: &[usize], constraints: &[&str]) -> Space {
        let range = |max| Domain::Integers { min: 0, max };
        let schema = Schema::new(vec![
            Attribute::new("age", range(100)),
            Attribute::new("hours", range(4)),
            Attribute::new("sex", range(1)),
        ]);
        let terms = Terms {
            frozen: frozen.to_vec(),
            ..Terms::default()
        };
        let terms = terms.with_constraints(&schema, constraints).unwrap();
        Space::with_terms(schema, vec![Protection::each(2, 2)], &terms).unwrap()
    }

    fn drawn(space: &Space, people: &[Code], realistic: Option<Realistic>) -> Vec<Drawn> {
        let task = Task {
            space,
            people,
            rule: &Rule::default(),
            benchmark: "x",
            seed: 1,
            settings: &SearchSettings::default(),
            budget: &Budget::default(),
            realistic,
            confidence: 0.95,
        };
        Drawing::new(&task).draw(2000, &mut stream(1, "x", Purpose::Drawn, 0))
    }

    fn values(drawn: &[Drawn], place: usize) -> BTreeSet<Code> {
        drawn.iter().map(|drawn| drawn.person[place]).collect()
    }

    #[test]
    fn without_fences_every_value_of_the_domain_is_drawn() {
        let drawn = drawn(&space(&[], &[]), &[], None);
        let sizes = [0, 1, 2].map(|place| values(&drawn, place).len());
        assert_eq!(sizes, [101, 5, 2]);
    }

    #[test]
    fn people_who_cannot_exist_are_not_drawn() {
        let drawn = drawn(&space(&[], &["hours < 2 or sex == 1"]), &[], None);
        assert!(drawn.iter().all(|d| d.person[1] < 2 || d.person[2] == 1));
        assert_eq!(drawn.len(), 2000);
        let nobody = self::drawn(&space(&[], &["age > 200"]), &[], None);
        assert_eq!(nobody, []);
    }

    #[test]
    fn frozen_attributes_keep_the_values_of_real_people() {
        let people = [30, 1, 0, 50, 3, 1];
        let drawn = drawn(&space(&[0], &[]), &people, None);
        assert_eq!(values(&drawn, 0), BTreeSet::from([30, 50]));
        assert_eq!(values(&drawn, 1).len(), 5);
    }

    #[test]
    fn realistic_people_are_near_real_ones() {
        let realistic = Realistic {
            max_changed: 1,
            max_shift: 0.1,
        };
        let space = space(&[], &[]);
        let drawn = drawn(&space, &[30, 1, 0], Some(realistic));
        let fences = Fences::new(&space, Some(realistic));
        assert!(
            drawn
                .iter()
                .all(|d| fences.allow(&space, &d.person, &d.origin))
        );
        assert_eq!(values(&drawn, 0), (20..=40).collect());
        assert_eq!(values(&drawn, 1), BTreeSet::from([0, 1, 2]));
    }
}
