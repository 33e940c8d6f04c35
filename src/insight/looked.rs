//! Found people with the scores of all their counterparts.
//!
//! The search asks only for the counterparts it needs. Where it left some out, so few people are drawn
//! evenly that all of theirs can be asked; what is said about directions is said about them.

use crate::findings::Findings;
use crate::model::meter::{Halt, Meter};
use crate::schema::Code;
use crate::search::tested::Slot;
use crate::telling;

use super::counterparts::all_scores;

/// Scores that are looked at before people are drawn instead of looking at all.
const MOST_SCORES: usize = 8_000_000;

/// People that are drawn at the least, however many combinations each has.
const LEAST: usize = 32;

/// Found people with the scores of all combinations.
pub(crate) struct Looked<'f> {
    findings: &'f Findings,
    /// Everyone if nobody was drawn.
    drawn: Option<Vec<Drawn>>,
}

struct Drawn {
    own: usize,
    scores: Vec<f32>,
}

impl<'f> Looked<'f> {
    /// Everyone whom the search found if all their scores are known, as many as `rows` allows
    /// otherwise.
    ///
    /// # Errors
    /// The time has passed, somebody ended the run, or the model failed.
    pub(super) fn at(
        findings: &'f Findings,
        rows: u64,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Halt> {
        if all_known(findings) {
            return Ok(Looked {
                findings,
                drawn: None,
            });
        }
        let space = findings.space();
        let most = (rows as usize / space.combinations().len()).max(LEAST);
        let drawn: Vec<(Slot, usize)> = telling::drawn(findings, most);
        let people: Vec<Vec<Code>> = drawn
            .iter()
            .map(|&(slot, own)| space.person(findings.table().key(slot), own))
            .collect();
        let scores = all_scores(space, &people, meter)?;
        let drawn = drawn.into_iter().zip(scores);
        let drawn = drawn.map(|((_, own), scores)| Drawn { own, scores });
        Ok(Looked {
            findings,
            drawn: Some(drawn.collect()),
        })
    }

    /// How many people were looked at.
    pub(super) fn people(&self) -> u64 {
        match &self.drawn {
            Some(drawn) => drawn.len() as u64,
            None => self.findings.len(),
        }
    }

    pub(super) fn combinations(&self) -> usize {
        self.findings.space().combinations().len()
    }

    /// Shows everyone: the scores of all combinations and which of them is the person's own.
    pub(super) fn each(&self, mut show: impl FnMut(&[f32], usize)) {
        match &self.drawn {
            Some(drawn) => drawn.iter().for_each(|one| show(&one.scores, one.own)),
            None => {
                for (slot, own) in self.findings.found() {
                    show(self.findings.table().scores(slot), own);
                }
            }
        }
    }
}

/// Whether the scores of all counterparts of everyone are known. A person who was found has two, and
/// where people may be impossible it is not looked why another is not there.
fn all_known(findings: &Findings) -> bool {
    let combinations = findings.space().combinations().len();
    let table = findings.table();
    let complete = |(slot, _)| table.scores(slot).iter().all(|score| !score.is_nan());
    combinations == 2
        || findings.len() as usize * combinations <= MOST_SCORES && findings.found().all(complete)
}
