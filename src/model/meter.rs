//! Counts what the model is shown, times it, splits it into batches and keeps to the budget.

mod blocks;
mod gradients;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ndarray::ArrayView2;

use super::crew::Crew;
use super::{Model, ModelError};
pub use blocks::Asker;

/// How many rows a call to the model holds unless told otherwise: on a CPU so many that they stay in its cache.
pub const BATCH_ROWS: usize = 4096;

/// The same where the model is on a device of its own, which is the busier the more it is given at a time.
pub const DEVICE_BATCH_ROWS: usize = 32_768;

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
    /// A call that takes this long is shared out among the workers.
    pub worth_sharing: Duration,
}

impl Default for Asking {
    fn default() -> Self {
        Asking {
            batch_rows: BATCH_ROWS,
            max_queries: None,
            time_limit: None,
            probabilities: true,
            worth_sharing: WORTH_SHARING,
        }
    }
}

/// Rows that are made when they are asked: `each` rows for each of `items` items.
pub struct Wanted<'r> {
    /// How many items there are.
    pub items: usize,
    /// How many rows each item has.
    pub each: usize,
    /// Appends the rows of some items.
    pub make: &'r (dyn Fn(Range<usize>, &mut Vec<f32>) + Sync),
}

impl Wanted<'_> {
    fn rows(&self) -> u64 {
        (self.items * self.each) as u64
    }
}

/// A call that takes this long is shared out among the workers unless told otherwise.
const WORTH_SHARING: Duration = Duration::from_micros(20);

/// How far outside 0 to 1 a probability may lie because the model rounds.
const ROUNDING: f32 = 1e-4;

/// Rows that a worker is given at the least.
const SMALLEST_SHARE: usize = 64;

/// Row buffers that were used before: new ones of this size would cost a page fault for each page.
#[derive(Default)]
struct Buffers(Mutex<Vec<Vec<f32>>>);

impl Buffers {
    fn take(&self) -> Vec<f32> {
        let kept = self.0.lock().ok().and_then(|mut kept| kept.pop());
        kept.unwrap_or_default()
    }

    fn give(&self, mut buffer: Vec<f32>) {
        buffer.clear();
        if let Ok(mut kept) = self.0.lock() {
            kept.push(buffer);
        }
    }
}

/// A model with a counter, a clock and a budget.
pub struct Meter<'a> {
    model: &'a dyn Model,
    width: usize,
    asking: Asking,
    crew: Crew,
    interrupted: &'a (dyn Fn() -> bool + Sync),
    started: Instant,
    queries: u64,
    settled: u64,
    /// Nanoseconds inside the runtime.
    busy: AtomicU64,
    /// Rows that were answered in that time, and in how many calls.
    answered: AtomicU64,
    calls: AtomicU64,
    buffers: Buffers,
}

impl<'a> Meter<'a> {
    /// A meter for a model that eats rows of `width` numbers.
    pub fn new(model: &'a dyn Model, width: usize, asking: Asking) -> Self {
        Meter {
            model,
            width,
            asking,
            crew: Crew::alone(),
            interrupted: &|| false,
            started: Instant::now(),
            queries: 0,
            settled: 0,
            busy: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            buffers: Buffers::default(),
        }
    }

    /// The workers.
    pub fn crew(&self) -> Crew {
        self.crew
    }

    /// Splits batches over these workers.
    #[must_use]
    pub fn with_crew(mut self, crew: Crew) -> Self {
        self.crew = crew;
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

    /// Rows that may still be shown; nothing if there is no cap.
    pub fn left(&self) -> Option<u64> {
        let most = self.asking.max_queries?;
        Some(most.saturating_sub(self.queries))
    }

    /// Rows that a second engine was shown as well.
    pub fn settled(&self) -> u64 {
        self.settled + self.model.settled()
    }

    /// Time spent inside the runtime, added up over the workers.
    pub fn model_time(&self) -> Duration {
        Duration::from_nanos(self.busy.load(Ordering::Relaxed))
    }

    /// Calls to the model so far, each of which showed it some rows.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Lets the model look at some of the rows to come.
    ///
    /// # Errors
    /// The model failed.
    pub fn calibrate(&self, rows: &[f32]) -> Result<(), ModelError> {
        self.model.calibrate(self.matrix(rows)?)
    }

    /// The scores of the rows that are wanted. Only their [`super::canonical`] values are the same
    /// in every runtime.
    ///
    /// # Errors
    /// The budget is spent, or the model failed or gave something that is not a score.
    pub fn ask(&mut self, wanted: &Wanted<'_>) -> Result<Vec<f32>, Halt> {
        self.ask_for(wanted, false, |_, scores| scores)
    }

    /// The scores of rows laid out one after another.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn ask_rows(&mut self, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        let width = self.width;
        self.ask(&Wanted {
            items: rows.len() / width,
            each: 1,
            make: &|items, made| {
                made.extend_from_slice(&rows[items.start * width..items.end * width]);
            },
        })
    }

    /// What becomes of the scores of the rows that are wanted: each worker makes it of the scores of some
    /// items, as soon as it has them. Scores are the same in every runtime to the last bit, if they are
    /// to be exact and the model can give them so.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn ask_for<T: Clone + Send>(
        &mut self,
        wanted: &Wanted<'_>,
        exactly: bool,
        make: impl Fn(Range<usize>, Vec<f32>) -> Vec<T> + Sync,
    ) -> Result<Vec<T>, Halt> {
        let referee = self.model.referee().filter(|_| exactly);
        let model = referee.unwrap_or(self.model);
        let rows = wanted.rows();
        self.check_affordable(rows)?;
        let made = self.shared(wanted, |items| {
            self.in_blocks(wanted, items, |items| {
                let scores = self.answer_block(model, wanted, items.clone())?;
                Ok(make(items, scores))
            })
        })?;
        self.queries += rows;
        Ok(made)
    }

    /// Scores of rows that were asked before, to the last bit; `known` if the model's own last bits
    /// are the ones that count.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn exact_again(&mut self, wanted: &Wanted<'_>, known: Vec<f32>) -> Result<Vec<f32>, Halt> {
        match self.model.referee() {
            None => Ok(known),
            Some(referee) => {
                self.settled += wanted.rows();
                self.answers(referee, wanted)
            }
        }
    }

    /// Whether the budget has so many rows left.
    ///
    /// # Errors
    /// It has not.
    pub fn check_affordable(&self, queries: u64) -> Result<(), Halt> {
        match self.asking.max_queries {
            Some(most) if self.queries + queries > most => Err(Halt::Cut(Cut::MaxQueries(most))),
            _ => Ok(()),
        }
    }

    fn answers(&self, model: &dyn Model, wanted: &Wanted<'_>) -> Result<Vec<f32>, Halt> {
        self.shared(wanted, |items| {
            self.in_blocks(wanted, items, |items| {
                self.answer_block(model, wanted, items)
            })
        })
    }

    /// Each worker has its share of the items.
    fn shared<T: Clone + Send>(
        &self,
        wanted: &Wanted<'_>,
        answer: impl Fn(Range<usize>) -> Result<Vec<T>, Halt> + Sync,
    ) -> Result<Vec<T>, Halt> {
        let rows = wanted.items * wanted.each;
        let workers = if self.worth_sharing(rows) {
            self.crew.workers()
        } else {
            1
        };
        let share = wanted.items.div_ceil(workers);
        let share = share.max(SMALLEST_SHARE / wanted.each.max(1)).max(1);
        if share >= wanted.items {
            return answer(0..wanted.items);
        }
        let starts = (0..wanted.items).step_by(share);
        let mut answers: Vec<_> = starts.map(|start| (start, Ok(Vec::new()))).collect();
        self.crew.share_out(&mut answers, |(start, share_answer)| {
            let items = *start..wanted.items.min(*start + share);
            *share_answer = answer(items);
        });
        let answers: Result<Vec<_>, _> = answers.into_iter().map(|(_, answer)| answer).collect();
        Ok(answers?.concat())
    }

    /// The rows of a block of items are made and asked while they are in the cache.
    fn in_blocks<T>(
        &self,
        wanted: &Wanted<'_>,
        items: Range<usize>,
        answer: impl Fn(Range<usize>) -> Result<Vec<T>, Halt>,
    ) -> Result<Vec<T>, Halt> {
        let most = self.asking.batch_rows / wanted.each.max(1);
        let block = even_part(items.len(), most);
        if items.len() <= block {
            return answer(items);
        }
        let mut answers = Vec::with_capacity(items.len() * wanted.each);
        for start in items.clone().step_by(block) {
            answers.extend(answer(start..items.end.min(start + block))?);
        }
        Ok(answers)
    }

    /// Handing something over to another worker takes a few microseconds. How the rows are shared out changes nothing but the time.
    fn worth_sharing(&self, rows: usize) -> bool {
        let answered = self.answered.load(Ordering::Relaxed).max(1);
        let nanos_a_row = self.busy.load(Ordering::Relaxed) / answered;
        u128::from(nanos_a_row) * rows as u128 >= self.asking.worth_sharing.as_nanos()
    }

    fn answer_block(
        &self,
        model: &dyn Model,
        wanted: &Wanted<'_>,
        items: Range<usize>,
    ) -> Result<Vec<f32>, Halt> {
        let mut rows = self.buffers.take();
        (wanted.make)(items, &mut rows);
        let answered = self.answer(model, &rows);
        self.buffers.give(rows);
        answered
    }

    fn answer(&self, model: &dyn Model, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        let mut scores = Vec::new();
        let each = even_part(rows.len() / self.width, self.asking.batch_rows);
        for rows in rows.chunks(each * self.width) {
            self.check_budget()?;
            let matrix = self.matrix(rows)?;
            let start = Instant::now();
            let answered = model.scores(matrix)?;
            self.worked(start, answered.len() as u64);
            self.check(&answered, matrix)?;
            if scores.is_empty() {
                scores = answered;
            } else {
                scores.extend(answered);
            }
        }
        Ok(scores)
    }

    /// Notes that the model worked since `start`, for so many rows.
    fn worked(&self, start: Instant, rows: u64) {
        let spent = start.elapsed().as_nanos() as u64;
        self.busy.fetch_add(spent, Ordering::Relaxed);
        self.answered.fetch_add(rows, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether there is time left and nobody has asked to stop; every call to the model looks first.
    ///
    /// # Errors
    /// There is not, or somebody has.
    pub fn check_budget(&self) -> Result<(), Halt> {
        if (self.interrupted)() {
            return Err(Halt::Cut(Cut::Interrupted));
        }
        match self.asking.time_limit {
            Some(limit) if self.started.elapsed() > limit => Err(Halt::Cut(Cut::TimeLimit(limit))),
            _ => Ok(()),
        }
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
        let [least, most] = if self.asking.probabilities {
            [-ROUNDING, 1.0 + ROUNDING]
        } else {
            [f32::MIN, f32::MAX]
        };
        let good = |score: &f32| (*score >= least) & (*score <= most);
        // All at once: that one of them is bad is the exception.
        if scores.iter().fold(true, |all, score| all & good(score)) {
            return Ok(());
        }
        match scores.iter().position(|score| !good(score)) {
            None => Ok(()),
            Some(at) => Err(not_a_score(
                scores[at],
                rows.row(at).as_slice().unwrap_or_default(),
            )),
        }
    }
}

/// How many items a part has if all are divided evenly into as few parts as can be, none of more than `most`: a
/// small one for what is left over would take longer for each item.
pub fn even_part(items: usize, most: usize) -> usize {
    let parts = items.div_ceil(most.max(1)).max(1);
    items.div_ceil(parts).max(1)
}

/// A row in a sentence, cut short if it is long.
fn shown(row: &[f32]) -> String {
    const SHOWN: usize = 30;
    let more = if row.len() > SHOWN { ", ..." } else { "" };
    let cells: Vec<String> = row.iter().take(SHOWN).map(ToString::to_string).collect();
    format!("[{}{more}]", cells.join(", "))
}

fn not_a_score(score: f32, row: &[f32]) -> ModelError {
    let row = shown(row);
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
        assert_eq!(meter.ask_rows(&[1.0, 2.0, 3.0]).unwrap().len(), 3);
        assert!(matches!(
            meter.ask_rows(&[0.0; 3]),
            Err(Halt::Cut(Cut::MaxQueries(5)))
        ));
        assert_eq!(meter.queries(), 3);
    }

    #[test]
    fn workers_share_the_batches_and_keep_their_order() {
        let model = from_fn(|row| row[0] / 1e6);
        let asking = Asking {
            batch_rows: 2,
            worth_sharing: Duration::ZERO,
            ..Asking::default()
        };
        with_threads(3, |crew| {
            let mut meter = Meter::new(&model, 1, asking).with_crew(crew);
            let rows: Vec<f32> = (0..1001_u16).map(f32::from).collect();
            let expected: Vec<f32> = rows.iter().map(|value| value / 1e6).collect();
            assert_eq!(meter.ask_rows(&rows).unwrap(), expected);

            // Of several rows that are refused, the first is told, whoever comes to it first.
            let rows: Vec<f32> = (0..1000_u16).map(|row| f32::from(row) * 1e4).collect();
            for _ in 0..20 {
                let Err(Halt::Model(error)) = meter.ask_rows(&rows) else {
                    panic!("a score of more than 1 was taken");
                };
                assert!(error.to_string().contains("row [1010000]"), "{error}");
            }
        });
    }

    fn pool(threads: usize) -> rayon::ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    fn with_threads(threads: usize, work: impl FnOnce(Crew) + Send) {
        pool(threads).install(|| Crew::gather(work));
    }

    /// An engine with a pool of its own, as the embedded engine has one.
    struct Pooled(rayon::ThreadPool);

    impl Model for Pooled {
        fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
            Ok(self.0.install(|| vec![0.5; rows.nrows()]))
        }
    }

    #[test]
    fn an_interruption_is_seen_between_two_calls() {
        use std::sync::atomic::AtomicUsize;
        struct Counted(AtomicUsize);
        impl Model for Counted {
            fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
                self.0.fetch_add(1, Ordering::Relaxed);
                Ok(vec![0.5; rows.nrows()])
            }
        }
        let model = Counted(AtomicUsize::new(0));
        let after_three = || model.0.load(Ordering::Relaxed) == 3;
        let asking = Asking {
            batch_rows: 10,
            ..Asking::default()
        };
        let mut meter = Meter::new(&model, 1, asking).with_interrupt(&after_three);
        let answer = meter.ask_rows(&[0.0; 1000]);
        assert!(matches!(answer, Err(Halt::Cut(Cut::Interrupted))));
        assert_eq!(model.0.load(Ordering::Relaxed), 3, "of 100 calls");
    }

    #[test]
    fn a_worker_has_one_batch_at_a_time() {
        let model = Pooled(pool(1));
        let asking = Asking {
            batch_rows: 1,
            worth_sharing: Duration::ZERO,
            ..Asking::default()
        };
        with_threads(2, |crew| {
            let mut meter = Meter::new(&model, 1, asking).with_crew(crew);
            assert_eq!(meter.ask_rows(&[0.0; 100_000]).unwrap().len(), 100_000);
        });
    }

    #[test]
    fn nan_and_scores_that_are_no_probabilities_are_refused() {
        let nan = from_fn(|_| f32::NAN);
        let Err(Halt::Model(error)) = Meter::new(&nan, 2, Asking::default()).ask_rows(&[1.0, 2.0])
        else {
            panic!("NaN was taken for a score");
        };
        assert!(error.to_string().contains("row [1, 2] is NaN"), "{error}");

        let logit = from_fn(|_| -3.0);
        assert!(
            Meter::new(&logit, 1, Asking::default())
                .ask_rows(&[1.0])
                .is_err()
        );
        let free = Asking {
            probabilities: false,
            ..Asking::default()
        };
        assert_eq!(
            Meter::new(&logit, 1, free).ask_rows(&[1.0]).unwrap(),
            [-3.0]
        );
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
            .ask_rows(&[1.0, 2.0])
            .unwrap_err();
        assert!(
            matches!(error, Halt::Model(error) if error.to_string().contains("1 scores for 2 rows"))
        );
    }
}
