//! Comparing the gradients of one benchmark.

use std::time::Instant;

use crate::model::{Gradients, Model, ModelError, Objective};
use crate::study::contender::title;

use super::pca::plane;
use super::people::People;
use super::similar::{cosine, direction, probabilities, signs_that_agree};
use super::source::{Estimated, Real, Source, Width};
use super::{Projection, Similarity, Timing};

/// The sizes that estimates are made with.
const SIZES: [f64; 3] = [1.0, 0.1, 0.01];

/// How often a time is taken.
const TIMES: usize = 3;

/// A benchmark whose gradients are compared.
pub(super) struct Subject<'a> {
    /// Its name.
    pub name: &'a str,
    /// The model.
    pub model: &'a dyn Model,
    /// Its real gradients.
    pub real: &'a dyn Gradients,
    /// Its people.
    pub people: &'a People,
    /// The attributes.
    pub width: Width<'a>,
    /// Asked all the time whether to stop.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Subject<'_> {
    fn estimated(&self, size: f64, plain: bool) -> Estimated<'_> {
        Estimated {
            model: self.model,
            size: size as f32,
            plain,
            width: self.width,
        }
    }

    fn differentiated(&self, objective: Objective) -> Real<'_> {
        Real {
            model: self.real,
            objective,
            width: self.width,
        }
    }

    /// How near the estimates are to the real gradients, for each size.
    ///
    /// # Errors
    /// The model failed.
    pub(super) fn similarities(&self) -> Result<Vec<Similarity>, ModelError> {
        let people = self.people;
        let real = self.differentiated(Objective::Score);
        let real = [
            real.gradients(&people.rows)?,
            real.gradients(&people.counterparts)?,
        ];
        SIZES
            .iter()
            .map(|&size| {
                let guess = self.estimated(size, false);
                let guess = [
                    guess.gradients(&people.rows)?,
                    guess.gradients(&people.counterparts)?,
                ];
                Ok(self.similarity(size, &real, &guess))
            })
            .collect()
    }

    fn similarity(&self, size: f64, real: &[Vec<f64>; 2], guess: &[Vec<f64>; 2]) -> Similarity {
        let movable = self.width.movable.len().max(1);
        let [own, other] = real.each_ref().map(|all| all.chunks_exact(movable));
        let [own_guess, other_guess] = guess.each_ref().map(|all| all.chunks_exact(movable));
        let mut similarity = Similarity {
            benchmark: self.name.to_owned(),
            size,
            gradient: Vec::new(),
            direction: Vec::new(),
            probability: Vec::new(),
            signs: signs_that_agree(&real[0], &guess[0]),
        };
        let pairs = own.zip(other).zip(own_guess.zip(other_guess));
        for (((own, other), (own_guess, other_guess)), alike) in pairs.zip(&self.people.alike) {
            similarity.gradient.push(cosine(own, own_guess));
            let [likely, guessed] = [
                probabilities(own, other),
                probabilities(own_guess, other_guess),
            ];
            similarity.probability.push(cosine(&likely, &guessed));
            // A pair that is decided differently needs no global step.
            if *alike {
                let [way, guessed] = [direction(own, other), direction(own_guess, other_guess)];
                similarity.direction.push(cosine(&way, &guessed));
            }
        }
        similarity
    }

    /// How long each way to take gradients takes.
    ///
    /// # Errors
    /// The model failed.
    pub(super) fn timings(&self) -> Result<Vec<Timing>, ModelError> {
        let recommended = SIZES[0];
        let vectored = self.estimated(recommended, false);
        let plain = self.estimated(recommended, true);
        let eidig = self.differentiated(Objective::Score);
        let mut sources: Vec<(&'static str, &dyn Source)> = vec![
            ("maft-paper", &vectored),
            ("maft-plain", &plain),
            ("eidig", &eidig),
        ];
        let adf = self.differentiated(Objective::Loss);
        if self.real.has_loss() {
            sources.push(("adf", &adf));
        }
        sources
            .into_iter()
            .map(|(name, source)| self.timing(title(name), source))
            .collect()
    }

    fn timing(&self, method: &'static str, source: &dyn Source) -> Result<Timing, ModelError> {
        let rows = &self.people.rows;
        let at_once = quickest(|| source.gradients(rows).map(drop))?;
        let one_by_one = quickest(|| {
            rows.chunks_exact(self.width.row)
                .try_for_each(|row| self.gradients(source, row).map(drop))
        })?;
        let directions = quickest(|| self.each_pair(source, direction).map(drop))?;
        let probabilities = quickest(|| self.each_pair(source, probabilities).map(drop))?;
        Ok(Timing {
            benchmark: self.name.to_owned(),
            method,
            one_by_one,
            at_once,
            directions,
            probabilities,
        })
    }

    /// Gradients, unless somebody asked to stop.
    fn gradients(&self, source: &dyn Source, rows: &[f32]) -> Result<Vec<f64>, ModelError> {
        if (self.interrupted)() {
            return Err(ModelError::Answer {
                message: "the study was stopped".into(),
                help: None,
            });
        }
        source.gradients(rows)
    }

    /// The gradients of each pair, and what a phase makes of them.
    fn each_pair(
        &self,
        source: &dyn Source,
        made: fn(&[f64], &[f64]) -> Vec<f64>,
    ) -> Result<f64, ModelError> {
        let people = self.people.rows.chunks_exact(self.width.row);
        let mut sum = 0.0;
        for (own, other) in people.zip(self.people.counterparts.chunks_exact(self.width.row)) {
            let gradients = self.gradients(source, &[own, other].concat())?;
            let (own, other) = gradients.split_at(gradients.len() / 2);
            sum += made(own, other).iter().sum::<f64>();
        }
        Ok(sum)
    }

    /// The gradients of each kind, on the principal components of all of them.
    ///
    /// # Errors
    /// The model failed.
    pub(super) fn projection(&self, model: &str) -> Result<Option<Projection>, ModelError> {
        let rows = &self.people.rows;
        let mut kinds = vec![
            (
                "eidig",
                self.differentiated(Objective::Score).gradients(rows)?,
            ),
            (
                "maft-paper",
                self.estimated(SIZES[0], false).gradients(rows)?,
            ),
        ];
        if self.real.has_loss() {
            kinds.insert(
                0,
                ("adf", self.differentiated(Objective::Loss).gradients(rows)?),
            );
        }
        let all: Vec<f64> = kinds
            .iter()
            .flat_map(|(_, gradients)| gradients.iter().copied())
            .collect();
        let Some(plane) = plane(&all, self.width.movable.len()) else {
            return Ok(None);
        };
        let people = self.people.alike.len().max(1);
        let clouds = kinds.iter().zip(plane.points.chunks(people));
        Ok(Some(Projection {
            model: model.to_owned(),
            shares: plane.shares,
            clouds: clouds
                .map(|((name, _), points)| (title(name), points.to_vec()))
                .collect(),
        }))
    }
}

/// The time of the quickest of a few: the one that others on the machine disturbed least.
fn quickest(work: impl Fn() -> Result<(), ModelError>) -> Result<f64, ModelError> {
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}
