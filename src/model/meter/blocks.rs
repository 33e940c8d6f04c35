//! Blocks of work in which each worker makes rows, asks and is done with the scores by itself.

use super::{Cut, Halt, Meter};

/// How a worker asks by itself, while it does a block of work: see [`Meter::work_through`].
pub struct Asker<'m> {
    meter: &'m Meter<'m>,
    /// The rows to be asked, one after another.
    pub rows: Vec<f32>,
    asked: u64,
}

impl Asker<'_> {
    /// The scores of the rows, which are taken away.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn ask(&mut self) -> Result<Vec<f32>, Halt> {
        let answered = self.meter.answer(self.meter.model, &self.rows);
        self.asked += (self.rows.len() / self.meter.width) as u64;
        self.rows.clear();
        answered
    }
}

impl Meter<'_> {
    /// Rows a call to the model holds at the most.
    pub fn batch_rows(&self) -> usize {
        self.asking.batch_rows
    }

    /// Whether the budget allows so many rows more.
    pub fn has_room_for(&self, rows: u64) -> bool {
        let all = self.queries.saturating_add(rows);
        self.asking.max_queries.is_none_or(|most| all <= most)
    }

    /// Counts rows that were shown before: by a run that this one goes on with.
    pub fn count_besides(&mut self, queries: u64, settled: u64) {
        self.queries += queries;
        self.settled += settled;
    }

    /// Does blocks of work, one after another or side by side as far as there are workers, and gives
    /// what came of each, in their order. A worker makes the rows of a block, asks and is done with the
    /// scores before it takes the next, so that any number of rows takes no more memory than a few.
    /// All blocks together may ask for `rows_at_most` rows.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn work_through<T: Send>(
        &mut self,
        blocks: usize,
        rows_at_most: u64,
        work: &(dyn Fn(usize, &mut Asker<'_>) -> Result<T, Halt> + Sync),
    ) -> Result<Vec<T>, Halt> {
        if let Some(most) = self.asking.max_queries
            && !self.has_room_for(rows_at_most)
        {
            return Err(Halt::Cut(Cut::MaxQueries(most)));
        }
        let meter = &*self;
        let mut results: Vec<_> = (0..blocks).map(|block| (block, None)).collect();
        meter.crew.share_out(&mut results, |(block, result)| {
            let mut asker = Asker {
                meter,
                rows: meter.buffers.take(),
                asked: 0,
            };
            let done = work(*block, &mut asker);
            *result = Some(done.map(|done| (done, asker.asked)));
            meter.buffers.give(asker.rows);
        });
        let results: Result<Vec<_>, _> = results.into_iter().filter_map(|(_, done)| done).collect();
        let results = results?;
        self.queries += results.iter().map(|(_, asked)| asked).sum::<u64>();
        Ok(results.into_iter().map(|(done, _)| done).collect())
    }
}
