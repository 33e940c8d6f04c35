//! Counts what the model is shown, times it, splits it into batches and keeps to the budget.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::{Model, ModelError};

/// How many rows a call to the model holds unless told otherwise.
pub const BATCH_ROWS: usize = 4096;

/// Why no more answers come.
#[derive(Debug)]
pub enum Halt {
    /// The budget is spent.
    Cut(Cut),
    /// The model failed.
    Model(ModelError),
}

/// Which part of the budget ended the search early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// `max-queries` would be exceeded.
    MaxQueries(u64),
    /// `time-limit` has passed.
    TimeLimit(Duration),
    /// The person asked to stop.
    Interrupted,
}

impl From<ModelError> for Halt {
    fn from(error: ModelError) -> Self {
        Halt::Model(error)
    }
}

/// How a model is asked.
#[derive(Debug, Clone)]
pub struct Asking {
    /// Rows a call holds at the most.
    pub batch_rows: usize,
    /// Rows that may be shown in all.
    pub max_queries: Option<u64>,
    /// Time from the start after which no more rows are shown.
    pub time_limit: Option<Duration>,
    /// Scores must lie between 0 and 1: true unless a threshold says that they are something else.
    pub probabilities: bool,
}

impl Default for Asking {
    fn default() -> Self {
        Asking {
            batch_rows: BATCH_ROWS,
            max_queries: None,
            time_limit: None,
            probabilities: true,
        }
    }
}

/// A model with a counter, a clock and a budget.
pub struct Meter<'a> {
    model: &'a dyn Model,
    width: usize,
    asking: Asking,
    workers: Option<&'a rayon::ThreadPool>,
    interrupted: &'a (dyn Fn() -> bool + Sync),
    started: Instant,
    queries: u64,
    settled: u64,
    busy: Mutex<Duration>,
}

impl<'a> Meter<'a> {
    /// A meter for a model that eats rows of `width` numbers.
    pub fn new(model: &'a dyn Model, width: usize, asking: Asking) -> Self {
        Meter {
            model,
            width,
            asking,
            workers: None,
            interrupted: &|| false,
            started: Instant::now(),
            queries: 0,
            settled: 0,
            busy: Mutex::default(),
        }
    }

    /// Splits batches over these workers.
    #[must_use]
    pub fn with_workers(mut self, workers: Option<&'a rayon::ThreadPool>) -> Self {
        self.workers = workers;
        self
    }

    /// Stops as soon as `interrupted` says so.
    #[must_use]
    pub fn with_interrupt(mut self, interrupted: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.interrupted = interrupted;
        self
    }

    /// From now on no more than these rows in all and no later than this after the start.
    pub fn allow(&mut self, max_queries: Option<u64>, time_limit: Option<Duration>) {
        self.asking.max_queries = max_queries;
        self.asking.time_limit = time_limit;
    }

    /// Rows shown to the model so far.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// Rows that a second engine was shown as well.
    pub fn settled(&self) -> u64 {
        self.settled + self.model.settled()
    }

    /// Time spent inside the runtime, added up over the workers.
    pub fn model_time(&self) -> Duration {
        self.busy.lock().map(|busy| *busy).unwrap_or_default()
    }

    /// Lets the model look at some of the rows to come.
    ///
    /// # Errors
    /// The model failed.
    pub fn calibrate(&self, rows: &[f32]) -> Result<(), ModelError> {
        self.model.calibrate(self.matrix(rows)?)
    }

    /// The scores of rows laid out one after another. Only their [`super::canonical`] values are the
    /// same in every runtime.
    ///
    /// # Errors
    /// The budget is spent, or the model failed or gave something that is not a score.
    pub fn ask(&mut self, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        self.ask_model(self.model, rows)
    }

    /// Scores that are the same in every runtime to the last bit, where the model can give them.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn ask_exactly(&mut self, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        self.ask_model(self.model.referee().unwrap_or(self.model), rows)
    }

    /// Scores of rows that were asked before, to the last bit; `known` if the model's own last bits
    /// are the ones that count.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn exact_again(&mut self, rows: &[f32], known: Vec<f32>) -> Result<Vec<f32>, Halt> {
        match self.model.referee() {
            None => Ok(known),
            Some(referee) => {
                self.settled += (rows.len() / self.width) as u64;
                self.answers(referee, rows)
            }
        }
    }

    fn ask_model(&mut self, model: &dyn Model, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        let count = (rows.len() / self.width) as u64;
        if let Some(most) = self.asking.max_queries
            && self.queries + count > most
        {
            return Err(Halt::Cut(Cut::MaxQueries(most)));
        }
        let scores = self.answers(model, rows)?;
        self.queries += count;
        Ok(scores)
    }

    fn answers(&self, model: &dyn Model, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        let batch = self.asking.batch_rows.max(1) * self.width;
        let batches: Vec<&[f32]> = rows.chunks(batch).collect();
        let answers: Vec<Vec<f32>> = match self.workers {
            Some(pool) if batches.len() > 1 => pool.install(|| {
                batches
                    .par_iter()
                    .map(|rows| self.answer(model, rows))
                    .collect::<Result<_, _>>()
            })?,
            _ => batches
                .iter()
                .map(|rows| self.answer(model, rows))
                .collect::<Result<_, _>>()?,
        };
        Ok(if answers.len() == 1 {
            answers.into_iter().flatten().collect()
        } else {
            answers.concat()
        })
    }

    fn answer(&self, model: &dyn Model, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        if (self.interrupted)() {
            return Err(Halt::Cut(Cut::Interrupted));
        }
        if let Some(limit) = self.asking.time_limit
            && self.started.elapsed() > limit
        {
            return Err(Halt::Cut(Cut::TimeLimit(limit)));
        }
        let matrix = self.matrix(rows)?;
        let start = Instant::now();
        let scores = model.scores(matrix)?;
        let spent = start.elapsed();
        if let Ok(mut busy) = self.busy.lock() {
            *busy += spent;
        }
        self.check(&scores, matrix)?;
        Ok(scores)
    }

    fn matrix<'r>(&self, rows: &'r [f32]) -> Result<ArrayView2<'r, f32>, ModelError> {
        ArrayView2::from_shape((rows.len() / self.width, self.width), rows).map_err(|error| {
            ModelError::Answer {
                message: error.to_string(),
                help: None,
            }
        })
    }

    fn check(&self, scores: &[f32], rows: ArrayView2<'_, f32>) -> Result<(), ModelError> {
        if scores.len() != rows.nrows() {
            return Err(ModelError::Answer {
                message: format!(
                    "the model gave {} scores for {} rows",
                    scores.len(),
                    rows.nrows()
                ),
                help: Some("a model must give exactly one score for each row".into()),
            });
        }
        let good = |score: &f32| {
            score.is_finite() && (!self.asking.probabilities || (0.0..=1.0).contains(score))
        };
        match scores.iter().position(|score| !good(score)) {
            None => Ok(()),
            Some(at) => Err(not_a_score(
                scores[at],
                rows.row(at).as_slice().unwrap_or_default(),
            )),
        }
    }
}

fn not_a_score(score: f32, row: &[f32]) -> ModelError {
    const SHOWN: usize = 30;
    let more = if row.len() > SHOWN { ", ..." } else { "" };
    let cells: Vec<String> = row.iter().take(SHOWN).map(ToString::to_string).collect();
    let row = format!("[{}{more}]", cells.join(", "));
    if score.is_finite() {
        ModelError::Answer {
            message: format!("the model's score for the row {row} is {score}, which is no probability"),
            help: Some(
                "if the scores are logits or another scale, say where the decision changes: `threshold = 0.0` under the model"
                    .into(),
            ),
        }
    } else {
        ModelError::Answer {
            message: format!("the model's score for the row {row} is {score}, not a number"),
            help: Some(
                "check the model on this row, and that its inputs are in the order of the dataset's columns"
                    .into(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::from_fn;
    use super::*;

    #[test]
    fn counts_rows_and_stops_before_the_budget_is_exceeded() {
        let model = from_fn(|row| row[0] / 10.0);
        let asking = Asking {
            batch_rows: 2,
            max_queries: Some(5),
            ..Asking::default()
        };
        let mut meter = Meter::new(&model, 1, asking);
        assert_eq!(meter.ask(&[1.0, 2.0, 3.0]).unwrap().len(), 3);
        assert!(matches!(
            meter.ask(&[0.0; 3]),
            Err(Halt::Cut(Cut::MaxQueries(5)))
        ));
        assert_eq!(meter.queries(), 3);
    }

    #[test]
    fn nan_and_scores_that_are_no_probabilities_are_refused() {
        let nan = from_fn(|_| f32::NAN);
        let Err(Halt::Model(error)) = Meter::new(&nan, 2, Asking::default()).ask(&[1.0, 2.0])
        else {
            panic!("NaN was taken for a score");
        };
        assert!(error.to_string().contains("row [1, 2] is NaN"), "{error}");

        let logit = from_fn(|_| -3.0);
        assert!(
            Meter::new(&logit, 1, Asking::default())
                .ask(&[1.0])
                .is_err()
        );
        let free = Asking {
            probabilities: false,
            ..Asking::default()
        };
        assert_eq!(Meter::new(&logit, 1, free).ask(&[1.0]).unwrap(), [-3.0]);
    }

    #[test]
    fn a_model_that_loses_rows_is_refused() {
        struct Short;
        impl Model for Short {
            fn scores(&self, _: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
                Ok(vec![0.5])
            }
        }
        let error = Meter::new(&Short, 1, Asking::default())
            .ask(&[1.0, 2.0])
            .unwrap_err();
        assert!(
            matches!(error, Halt::Model(error) if error.to_string().contains("1 scores for 2 rows"))
        );
    }
}
