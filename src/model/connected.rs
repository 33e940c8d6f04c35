//! A model that is connected: search rows in, one score a row out.

use std::sync::Arc;

use ndarray::ArrayView2;

use super::feed::Feed;
use super::reading::Reading;
use super::tensor::{Answer, Engine};
use super::{Model, ModelError};

/// An engine with what goes into it and what its answers mean.
pub(super) struct Connected<E> {
    engine: Arc<E>,
    feed: Feed,
    output: usize,
    reading: Reading,
}

impl<E: Engine> Connected<E> {
    pub(super) fn new(engine: Arc<E>, feed: Feed, output: usize, reading: Reading) -> Self {
        Connected {
            engine,
            feed,
            output,
            reading,
        }
    }
}

/// What the model answers to search rows of `width` numbers; calls hold as many rows as it wants.
pub(super) fn ask<E: Engine>(
    engine: &E,
    feed: &Feed,
    output: usize,
    rows: &[f32],
    width: usize,
) -> Result<Option<Answer>, ModelError> {
    let all = rows.len() / width;
    let most = feed.batch.unwrap_or(all).max(1);
    let mut answer: Option<Answer> = None;
    for chunk in rows.chunks(most * width) {
        let count = chunk.len() / width;
        let wanted = feed.batch.unwrap_or(engine.least_rows()).max(count);
        let part = if wanted == count {
            engine.run(&feed.tensors(chunk), count, output)?
        } else {
            // A fixed batch must be full: the last row is repeated.
            let mut filled = chunk.to_vec();
            while filled.len() < wanted * width {
                filled.extend_from_slice(&chunk[chunk.len() - width..]);
            }
            engine
                .run(&feed.tensors(&filled), wanted, output)?
                .truncated(count)
        };
        answer = Some(match answer {
            None => part,
            Some(before) => before.extended(part),
        });
    }
    Ok(answer)
}

impl<E: Engine> Model for Connected<E> {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        let width = rows.ncols();
        let rows = rows.as_standard_layout();
        let rows = rows.as_slice().unwrap_or_default();
        match ask(&*self.engine, &self.feed, self.output, rows, width)? {
            Some(answer) => self.reading.scores(answer),
            None => Ok(Vec::new()),
        }
    }

    fn at_home(&self, work: &mut (dyn FnMut() + Send)) {
        self.engine.at_home(work);
    }
}
