//! Where the search may go: to people who can exist and, if it is told so, only near real ones.

use std::ops::RangeInclusive;

use crate::nearest::nearest_of;
use crate::schema::{Code, Domain, Space};
use crate::spec::Realistic;

/// What keeps a search among people who can exist.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fences {
    constrained: bool,
    realistic: Option<Realistic>,
    /// Rows of real people: where the search started.
    starts: Vec<Vec<Code>>,
}

impl Fences {
    pub(crate) fn new(space: &Space, realistic: Option<Realistic>) -> Self {
        Fences {
            constrained: space.is_constrained(),
            realistic,
            starts: Vec::new(),
        }
    }

    /// The real people near whom the search may go.
    pub(super) fn set_starts(&mut self, starts: &[Vec<Code>]) {
        if self.realistic.is_some() {
            self.starts = starts.to_vec();
        }
    }

    /// Whether the search may go anywhere in the domain.
    pub(super) fn are_open(&self) -> bool {
        !self.constrained && self.realistic.is_none()
    }

    /// Whether the search may test this person, who comes from the real person `origin`.
    pub(crate) fn allow(&self, space: &Space, person: &[Code], origin: &[Code]) -> bool {
        space.can_exist(person) && self.is_near(space, person, origin)
    }

    /// The same, where somebody whom it may test has moved in this attribute alone.
    pub(super) fn allow_move(
        &self,
        space: &Space,
        person: &[Code],
        attribute: usize,
        origin: &[Code],
    ) -> bool {
        space.can_still_exist(person, attribute) && self.is_near(space, person, origin)
    }

    /// Whether this person is near enough to the real person `origin`.
    pub(crate) fn is_near(&self, space: &Space, person: &[Code], origin: &[Code]) -> bool {
        let Some(realistic) = self.realistic else {
            return true;
        };
        let mut changed = 0;
        for &position in space.movable() {
            if person[position] == origin[position] {
                continue;
            }
            changed += 1;
            let shift = person[position].abs_diff(origin[position]);
            if is_number(space, position) && shift > most_shift(space, position, realistic) {
                return false;
            }
        }
        changed <= realistic.max_changed
    }

    /// The codes that an attribute may have near a real person who has this one.
    pub(super) fn window(
        &self,
        space: &Space,
        position: usize,
        origin: Code,
    ) -> RangeInclusive<Code> {
        let largest = space.largest(position);
        match self.realistic {
            Some(realistic) if is_number(space, position) => {
                let most = most_shift(space, position, realistic);
                origin.saturating_sub(most)..=(origin + most).min(largest)
            }
            _ => 0..=largest,
        }
    }

    /// How many attributes may differ from a real person's; any number if nothing is said.
    pub(super) fn most_changed(&self) -> Option<usize> {
        self.realistic.map(|realistic| realistic.max_changed)
    }

    /// Brings a person back near to `origin`: numbers by as much as needed, and the last attributes
    /// that differ altogether.
    pub(super) fn rein(&self, space: &Space, person: &mut [Code], origin: &[Code]) {
        let Some(realistic) = self.realistic else {
            return;
        };
        let mut changed = 0;
        for &position in space.movable() {
            let from = origin[position];
            if is_number(space, position) {
                let most = most_shift(space, position, realistic);
                person[position] = person[position].clamp(from.saturating_sub(most), from + most);
            }
            changed += usize::from(person[position] != from);
            if changed > realistic.max_changed {
                person[position] = from;
            }
        }
    }

    /// The real person that somebody is nearest to, among those near enough.
    pub(super) fn origin_of(&self, space: &Space, person: &[Code]) -> Vec<Code> {
        let starts = self.starts.iter().map(Vec::as_slice);
        let near = starts.filter(|start| self.is_near(space, person, start));
        match nearest_of(space, space.movable(), near, person) {
            Some((start, _)) => start.to_vec(),
            None => person.to_vec(),
        }
    }

    /// Whether the search has to know where it comes from.
    pub(super) fn need_origins(&self) -> bool {
        self.realistic.is_some()
    }
}

/// How many steps a number may be from the real person's: at least one, however few values it has.
fn most_shift(space: &Space, position: usize, realistic: Realistic) -> Code {
    let share = realistic.max_shift * f64::from(space.largest(position));
    (share as Code).max(Code::from(realistic.max_shift > 0.0))
}

fn is_number(space: &Space, position: usize) -> bool {
    let domain = &space.schema().attributes()[position].domain;
    !matches!(domain, Domain::Categories(_) | Domain::Truth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Schema};

    #[test]
    fn a_person_is_brought_back_near_the_real_one() {
        let range = |max| Domain::Integers { min: 0, max };
        let names = ["x", "y", "z"].map(str::to_owned).to_vec();
        let schema = Schema::new(vec![
            Attribute::new("age", range(100)),
            Attribute::new("job", Domain::Categories(names)),
            Attribute::new("hours", range(50)),
            Attribute::new("sex", range(1)),
        ]);
        let space = Space::new(schema, &[3]).unwrap();
        let realistic = Realistic::default();
        let mut realistic = Fences::new(&space, Some(realistic));
        let origin = vec![40, 0, 20, 0];
        realistic.set_starts(&[vec![90, 2, 50, 0], origin.clone()]);
        let mut person = vec![80, 2, 0, 1];
        assert!(!realistic.allow(&space, &person, &origin));
        realistic.rein(&space, &mut person, &origin);
        assert_eq!(person, [50, 2, 15, 1]);
        assert!(realistic.allow(&space, &person, &origin));
        assert_eq!(realistic.origin_of(&space, &[41, 1, 21, 1]), origin);
        // One attribute is less than three, but too far is too far.
        realistic.set_starts(&[vec![90, 1, 21, 0], origin.clone()]);
        assert_eq!(realistic.origin_of(&space, &[41, 1, 21, 1]), origin);
    }
}
