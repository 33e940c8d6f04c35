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
        let mut rows = std::mem::take(&mut self.rows);
        let answered = self.ask_rows(&rows);
        rows.clear();
        self.rows = rows;
        answered
    }

    /// The scores of other rows, laid out one after another.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn ask_rows(&mut self, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        let answered = self.meter.answer(self.meter.model, rows);
        if answered.is_ok() {
            self.asked += (rows.len() / self.meter.width) as u64;
        }
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
        let (done, asked) = self.shared_out(0..blocks, work);
        let done = done?;
        self.queries += asked;
        Ok(done)
    }

    /// Does something with every share, side by side as far as there are workers. Each asks by itself;
    /// all together must not ask for more than there is [room](Self::has_room_for) for. What was shown
    /// counts, whatever came of it.
    ///
    /// # Errors
    /// As [`Meter::ask`].
    pub fn work_side_by_side<S: Send>(
        &mut self,
        shares: impl Iterator<Item = S>,
        work: impl Fn(S, &mut Asker<'_>) -> Result<(), Halt> + Sync,
    ) -> Result<(), Halt> {
        let (done, asked) = self.shared_out(shares, work);
        self.queries += asked;
        done.map(|_| ())
    }

    /// What came of each share, in their order; and how many rows were asked.
    fn shared_out<S: Send, T: Send>(
        &self,
        shares: impl Iterator<Item = S>,
        work: impl Fn(S, &mut Asker<'_>) -> Result<T, Halt> + Sync,
    ) -> (Result<Vec<T>, Halt>, u64) {
        let mut shares: Vec<_> = shares.map(|share| (Some(share), None)).collect();
        self.crew.share_out(&mut shares, |(share, result)| {
            let mut asker = Asker {
                meter: self,
                rows: self.buffers.take(),
                asked: 0,
            };
            let done = share.take().map(|share| work(share, &mut asker));
            *result = done.map(|done| (done, asker.asked));
            self.buffers.give(asker.rows);
        });
        let results = shares.into_iter().filter_map(|(_, result)| result);
        let (done, asked): (Vec<_>, Vec<u64>) = results.unzip();
        (done.into_iter().collect(), asked.iter().sum())
    }
}
