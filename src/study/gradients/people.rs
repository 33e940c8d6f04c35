//! The people whose gradients are compared, each with the counterpart that is scored most differently.

use crate::benchmark::Benchmark;
use crate::model::{Model, ModelError};
use crate::schema::Code;

use super::source::Width;

/// People and their counterparts, as rows of the model.
pub(super) struct People {
    /// The people, one row after another.
    pub rows: Vec<f32>,
    /// Their counterparts.
    pub counterparts: Vec<f32>,
    /// Whether a pair is decided alike.
    pub alike: Vec<bool>,
}

impl People {
    /// So many people, spread evenly over the dataset; all if it has fewer.
    ///
    /// # Errors
    /// The model failed.
    pub(super) fn of(
        benchmark: &Benchmark,
        model: &dyn Model,
        wanted: usize,
    ) -> Result<Self, ModelError> {
        let space = &benchmark.space;
        let width = space.schema().width();
        let everyone = benchmark.people.len() / width.max(1);
        let taken = wanted.min(everyone);
        let mut people = People {
            rows: Vec::new(),
            counterparts: Vec::new(),
            alike: Vec::new(),
        };
        for place in 0..taken {
            let start = place * everyone / taken * width;
            people.add(benchmark, model, &benchmark.people[start..][..width])?;
        }
        Ok(people)
    }

    fn add(
        &mut self,
        benchmark: &Benchmark,
        model: &dyn Model,
        person: &[Code],
    ) -> Result<(), ModelError> {
        let space = &benchmark.space;
        let row = person.len();
        let mut rows = Vec::new();
        space.push_row(person, &mut rows);
        for combination in 0..space.combinations().len() {
            let mut counterpart = person.to_vec();
            space.set_combination(&mut counterpart, combination);
            space.push_row(&counterpart, &mut rows);
        }
        let width = Width { row, movable: &[] };
        let scores = model.scores(width.matrix(&rows)?)?;
        let distance = |place: &usize| (scores[*place] - scores[0]).abs();
        let farthest = (1..scores.len())
            .max_by(|one, other| distance(one).total_cmp(&distance(other)))
            .unwrap_or(0);
        self.rows.extend_from_slice(&rows[..row]);
        self.counterparts
            .extend_from_slice(&rows[farthest * row..][..row]);
        let decision = |place: usize| benchmark.rule.decision(scores[place]);
        self.alike.push(decision(0) == decision(farthest));
        Ok(())
    }
}
