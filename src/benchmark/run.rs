//! How a benchmark is run.

use crate::model::meter::BATCH_ROWS;
use crate::rates::Keep;
use crate::schema::Code;
use crate::search::Progress;

/// A recorded pair, as codes of the current schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The person.
    pub person: Vec<Code>,
    /// The counterpart.
    pub counterpart: Vec<Code>,
}

/// How a benchmark is run; none of it changes what the search finds.
pub struct Run<'a> {
    /// Rows a call to the model holds at the most.
    pub batch_rows: usize,
    /// Workers that batches are split over.
    pub workers: Option<&'a rayon::ThreadPool>,
    /// Pairs from the snapshot, shown to the model before the search.
    pub recorded: &'a [Pair],
    /// Told how far the run is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Asked before every call whether to stop.
    pub interrupted: &'a (dyn Fn() -> bool + Sync),
    /// Look at everyone in the domain, however many there are: the domain rate is then exact. Nothing:
    /// only where the budget's `exhaustive` allows it.
    pub exhaustive: Option<Keep<'a>>,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Run {
            batch_rows: BATCH_ROWS,
            workers: None,
            recorded: &[],
            progress: &|_| {},
            interrupted: &|| false,
            exhaustive: None,
        }
    }
}
