//! What is done with the findings once the verdict is known: pairs are made plain, and it is looked at
//! what all counterexamples have in common.
//!
//! None of it changes what was found, what it cost or what the limits say.

use crate::decision::Rule;
use crate::findings::{Counterexample, Findings};
use crate::insight::counterparts::{all_scores, distinct_decisions};
use crate::insight::{Insight, Looking};
use crate::model::ModelError;
use crate::model::meter::{Cut, Halt, Meter};
use crate::nearest::Crowd;
use crate::schema::Code;
use crate::search::fences::Fences;
use crate::shrink::{Ground, shrink};
use crate::spec::{Budget, Realistic};
use crate::telling;

/// Rows that may be shown to make pairs plain.
const SHRINKING: u64 = 10_000;

/// Rows that may be shown to count the decisions of those who are shown.
const COUNTING: u64 = 10_000;

/// Rows that may be shown for each of the things that are looked at in all counterexamples.
const LOOKING: u64 = 6_000;

/// Rows for all but plain pairs: four things are looked at.
const OTHERS: u64 = COUNTING + 4 * LOOKING;

/// Where `max-queries` says how many rows may be shown, one of so many more is for all of this.
const SHARE_OF_BUDGET: u64 = 10;

/// For so many rows that the run has shown until then there is one more to make pairs plain, and one for all
/// the others: where a model takes long, nobody wants to wait as long again.
const SHARE_OF_RUN: u64 = 4;

/// But to make pairs plain no fewer than this.
const LEAST_SHRINKING: u64 = 5_000;

/// And for all the others no fewer than this.
const LEAST_OTHERS: u64 = 2_000;

/// Counterexamples that are looked at where somebody waits for the end of the run: ranking millions
/// takes seconds, and what such a run found depends on the moment anyway.
const IN_A_HURRY: usize = 500_000;

/// What to look at.
pub(crate) struct Afterwards<'a> {
    /// What was found.
    pub(crate) findings: &'a Findings,
    /// Real people, one row after another.
    pub(crate) people: &'a [Code],
    /// How scores are decisions.
    pub(crate) rule: &'a Rule,
    /// How far from real people the search might go.
    pub(crate) realistic: Option<Realistic>,
    /// What the search might spend.
    pub(crate) budget: &'a Budget,
    /// Rows that were shown until the verdict was known.
    pub(crate) queries: u64,
    /// What ended the search early, if anything did.
    pub(crate) cut: Option<Cut>,
    /// How many pairs are wanted.
    pub(crate) pairs: usize,
    /// The favourable decision, as a place among the decisions, if there is one.
    pub(crate) favourable: Option<usize>,
    /// The random seed and the benchmark's name: parts of every random stream.
    pub(crate) seed: u64,
    pub(crate) benchmark: &'a str,
}

/// What came of it.
pub(crate) struct Seen {
    /// The pairs to show.
    pub(crate) pairs: Vec<Counterexample>,
    /// What all counterexamples have in common, if there are any and there was time to look.
    pub(crate) insight: Option<Insight>,
    /// What ended this early, if time or somebody did.
    pub(crate) cut: Option<Cut>,
}

impl Afterwards<'_> {
    /// Looks at the findings. A run that time or somebody ended is not made longer: its pairs are
    /// shown as they were found.
    ///
    /// # Errors
    /// The model failed.
    pub(crate) fn look(&self, meter: &mut Meter<'_>) -> Result<Seen, ModelError> {
        if let Some(Cut::TimeLimit(_) | Cut::Interrupted) = self.cut {
            return Ok(Seen {
                pairs: self.as_found(),
                insight: None,
                cut: None,
            });
        }
        meter.allow(None, self.budget.time_limit);
        let (pairs, cut) = self.plain_pairs(meter)?;
        if cut.is_some() || self.findings.is_empty() {
            return Ok(Seen {
                pairs,
                insight: None,
                cut,
            });
        }
        let (insight, cut) = match self.looking().look(meter) {
            Ok(insight) => (Some(insight), None),
            Err(Halt::Cut(cut)) => (None, Some(cut)),
            Err(Halt::Model(error)) => return Err(error),
        };
        Ok(Seen {
            pairs,
            insight,
            cut,
        })
    }

    fn looking(&self) -> Looking<'_> {
        Looking {
            findings: self.findings,
            people: self.people,
            favourable: self.favourable,
            seed: self.seed,
            benchmark: self.benchmark,
            rows: self.rows(LOOKING),
        }
    }

    fn as_found(&self) -> Vec<Counterexample> {
        let looked_at = match self.cut {
            Some(Cut::Interrupted) => IN_A_HURRY,
            _ => usize::MAX,
        };
        let mut pairs = telling::widest(self.findings, self.pairs, looked_at);
        let crowd = Crowd::new(self.findings.space(), self.people);
        for pair in &mut pairs {
            pair.nearest = crowd.nearest(&pair.person, 1, |_| true).pop();
        }
        pairs
    }

    fn plain_pairs(
        &self,
        meter: &mut Meter<'_>,
    ) -> Result<(Vec<Counterexample>, Option<Cut>), ModelError> {
        let space = self.findings.space();
        let sides = self.findings.table().sides();
        let ground = Ground::new(
            space,
            sides,
            self.people,
            Fences::new(space, self.realistic),
        );
        let candidates = telling::worth_shrinking(self.findings, self.pairs);
        let shrunk = shrink(&ground, candidates, meter, self.shrinking())?;
        let mut pairs = telling::choose(space, shrunk.pairs, shrunk.as_found, self.pairs);
        let cut = match shrunk.cut {
            None => self.count_decisions(&mut pairs, meter)?,
            cut => cut,
        };
        Ok((pairs, cut))
    }

    /// How many decisions each person gets over all protected values, as far as the rows reach.
    fn count_decisions(
        &self,
        pairs: &mut [Counterexample],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Cut>, ModelError> {
        let space = self.findings.space();
        let sides = self.findings.table().sides();
        let combinations = space.combinations().len();
        if self.rule.decisions() == 2 || combinations == 2 {
            let two = (self.rule.decisions() > 0).then_some(2);
            pairs
                .iter_mut()
                .for_each(|pair| pair.distinct_decisions = two);
            return Ok(None);
        }
        if self.rule.decisions() == 0 {
            return Ok(None);
        }
        let asked = pairs.len().min(self.rows(COUNTING) as usize / combinations);
        let people: Vec<Vec<Code>> = pairs[..asked].iter().map(|p| p.person.clone()).collect();
        match all_scores(space, &people, meter) {
            Ok(scores) => {
                for (pair, scores) in pairs.iter_mut().zip(scores) {
                    pair.distinct_decisions = Some(distinct_decisions(sides, &scores));
                }
                Ok(None)
            }
            Err(Halt::Cut(cut)) => Ok(Some(cut)),
            Err(Halt::Model(error)) => Err(error),
        }
    }

    /// The rows for making pairs plain.
    fn shrinking(&self) -> u64 {
        let of_run = (self.queries / SHARE_OF_RUN).clamp(LEAST_SHRINKING, SHRINKING);
        self.of_budget(of_run)
    }

    /// So many rows, or fewer in proportion where the run or the budget is small.
    fn rows(&self, most: u64) -> u64 {
        let of_run = (self.queries / SHARE_OF_RUN).clamp(LEAST_OTHERS, OTHERS);
        self.of_budget(most * of_run / OTHERS)
    }

    /// So many rows, or fewer in proportion where the budget is small.
    fn of_budget(&self, rows: u64) -> u64 {
        let all = SHRINKING + OTHERS;
        let share = self.budget.max_queries.map(|most| most / SHARE_OF_BUDGET);
        share.map_or(rows, |share| rows * share.min(all) / all)
    }
}
