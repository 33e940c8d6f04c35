//! Everyone in a domain, profile by profile: a profile is a person apart from the protected
//! attributes, and has one person for each combination of protected values.

use std::ops::Range;

use crate::schema::expression::Constraint;
use crate::schema::{Code, Space};

use super::extent::Extent;

/// All profiles of a domain, numbered; the last attribute turns fastest.
#[derive(Debug)]
pub(crate) struct Profiles<'s> {
    space: &'s Space,
    /// The attributes that differ between profiles with how many values each has. Those that make no
    /// difference to anything stay as they are.
    turning: Vec<(usize, Code)>,
    /// How many profiles there are.
    count: u64,
    /// How many people a profile has.
    each: usize,
    /// The protected values of the people of a profile, one person after another.
    protected: Vec<Code>,
    /// How many people each person stands for who differ in nothing that matters.
    alike: u64,
    /// Constraints that hold for all people of a profile or for none.
    shared: Vec<&'s Constraint>,
    /// All others.
    own: Vec<&'s Constraint>,
}

impl<'s> Profiles<'s> {
    /// The profiles of a space that has this extent.
    pub(crate) fn new(space: &'s Space, extent: &Extent) -> Self {
        let size = |position: usize| space.largest(position) + 1;
        let turning = (0..space.schema().width())
            .filter(|position| !space.protected().contains(position))
            .filter(|position| !space.idle().contains(position))
            .map(|position| (position, size(position)))
            .filter(|&(_, size)| size > 1);
        let protected: Vec<(usize, Code)> = space
            .protected()
            .iter()
            .map(|&position| (position, size(position)))
            .collect();
        let mut combination = vec![0; space.schema().width()];
        let mut values = Vec::with_capacity(extent.each as usize * protected.len());
        for _ in 0..extent.each {
            values.extend(protected.iter().map(|&(position, _)| combination[position]));
            turn(&mut combination, &protected);
        }
        let (shared, own) = space.constraints_apart();
        Profiles {
            space,
            turning: turning.collect(),
            count: extent.rows / extent.each,
            each: extent.each as usize,
            protected: values,
            alike: extent.people / extent.rows,
            shared,
            own,
        }
    }

    /// How many profiles there are.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// How many people a profile has.
    pub(crate) fn each(&self) -> usize {
        self.each
    }

    /// How many people each person stands for.
    pub(crate) fn alike(&self) -> u64 {
        self.alike
    }

    /// The person at a place of a profile.
    pub(crate) fn person(&self, number: u64, place: usize) -> Vec<Code> {
        let mut person = self.first_person(number);
        let protected = self.space.protected();
        let values = &self.protected[place * protected.len()..];
        for (&position, &code) in protected.iter().zip(values) {
            person[position] = code;
        }
        person
    }

    fn first_person(&self, mut number: u64) -> Vec<Code> {
        let mut person = vec![0; self.space.schema().width()];
        for &(position, size) in self.turning.iter().rev() {
            person[position] = (number % u64::from(size)) as Code;
            number /= u64::from(size);
        }
        person
    }

    /// Appends the rows of everyone in these profiles who can exist. `possible` says of each person
    /// whether there is a row; it is left empty where there is one for everybody.
    pub(crate) fn push_rows(
        &self,
        numbers: Range<u64>,
        possible: &mut Vec<bool>,
        rows: &mut Vec<f32>,
    ) {
        let mut person = self.first_person(numbers.start);
        let mut row: Vec<f32> = Vec::with_capacity(person.len());
        self.space.push_row(&person, &mut row);
        let constrained = self.space.is_constrained();
        for number in numbers.clone() {
            if number > numbers.start {
                self.turn(&mut person, &mut row);
            }
            if !constrained {
                self.push_all(&mut row, rows);
            } else if self.shared.iter().all(|shared| shared.holds(&person)) {
                self.push_possible(&mut person, &mut row, possible, rows);
            } else {
                possible.resize(possible.len() + self.each, false);
            }
        }
    }

    /// The next profile: mostly a single attribute changes.
    fn turn(&self, person: &mut [Code], row: &mut [f32]) {
        for &(position, size) in self.turning.iter().rev() {
            let code = (person[position] + 1) % size;
            person[position] = code;
            row[position] = self.space.value(position, code);
            if code > 0 {
                return;
            }
        }
    }

    fn push_all(&self, row: &mut [f32], rows: &mut Vec<f32>) {
        let protected = self.space.protected();
        for values in self.protected.chunks_exact(protected.len()) {
            for (&position, &code) in protected.iter().zip(values) {
                row[position] = self.space.value(position, code);
            }
            rows.extend_from_slice(row);
        }
    }

    fn push_possible(
        &self,
        person: &mut [Code],
        row: &mut [f32],
        possible: &mut Vec<bool>,
        rows: &mut Vec<f32>,
    ) {
        let protected = self.space.protected();
        for values in self.protected.chunks_exact(protected.len()) {
            for (&position, &code) in protected.iter().zip(values) {
                person[position] = code;
                row[position] = self.space.value(position, code);
            }
            let can_exist = self.own.iter().all(|constraint| constraint.holds(person));
            possible.push(can_exist);
            if can_exist {
                rows.extend_from_slice(row);
            }
        }
    }
}

/// The next combination of the values of these attributes; the last one turns fastest.
fn turn(person: &mut [Code], attributes: &[(usize, Code)]) {
    for &(position, size) in attributes.iter().rev() {
        person[position] = (person[position] + 1) % size;
        if person[position] > 0 {
            return;
        }
    }
}
