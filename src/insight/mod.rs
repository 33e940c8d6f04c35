//! What the counterexamples have in common: how bad they are, which way they go, for whom and why.

pub(crate) mod counterparts;
mod directions;
mod hinges;
mod kinds;
mod looked;
mod reference;
mod severity;
mod subgroups;
mod tree;

pub use directions::{Direction, Favoured};
pub use hinges::Hinge;
pub use kinds::{Allowed, Condition, Kind, Kinds};
pub use reference::Source;
pub use severity::{Severity, Spread};
pub use subgroups::Subgroup;

use crate::findings::Findings;
use crate::model::meter::{Halt, Meter};
use crate::schema::Code;
use crate::search::random::{Purpose, Stream, stream};

use kinds::{ENOUGH, Schooling};
use looked::Looked;
use reference::Reference;

/// The attributes that subgroups are made of, besides the protected ones.
const ATTRIBUTES_THAT_MATTER: usize = 3;

/// What the counterexamples of a search have in common.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Insight {
    /// How bad they are.
    pub severity: Severity,
    /// How many counterexamples directions, favoured groups and distinct decisions are counted over. All
    /// of them where the scores of all counterparts are known; otherwise some, drawn evenly, for which
    /// they were asked.
    pub looked_at: u64,
    /// How many people get so many decisions over all protected values: `(2, 17)` for two decisions.
    pub distinct_decisions: Vec<(usize, u64)>,
    /// Which way the flips go, the most frequent first.
    pub directions: Vec<Direction>,
    /// The favourable decision, as a place among the decisions' names: the one that the spec names, or
    /// the one with the higher score where there are two.
    pub favourable: Option<usize>,
    /// How often each group gets the favourable decision.
    pub favoured: Vec<Favoured>,
    /// Which attributes the flips hang on, the one that most hang on first.
    pub hinges: Vec<Hinge>,
    /// What kinds of people are discriminated.
    pub kinds: Kinds,
    /// How often the search found somebody, by protected value and by value of the attributes that matter.
    pub subgroups: Vec<Subgroup>,
}

/// What is looked at.
pub(crate) struct Looking<'a> {
    pub(crate) findings: &'a Findings,
    /// Real people, one row after another.
    pub(crate) people: &'a [Code],
    /// The favourable decision, if there is one.
    pub(crate) favourable: Option<usize>,
    /// The random seed and the benchmark's name: parts of every random stream.
    pub(crate) seed: u64,
    pub(crate) benchmark: &'a str,
    /// Rows that each part of the work may show to the model.
    pub(crate) rows: u64,
}

impl Looking<'_> {
    /// Looks at everything that was found.
    ///
    /// # Errors
    /// The time has passed, somebody ended the run, or the model failed.
    pub(crate) fn look(&self, meter: &mut Meter<'_>) -> Result<Insight, Halt> {
        let findings = self.findings;
        let sides = findings.table().sides();
        let stream = |index| stream(self.seed, self.benchmark, Purpose::Insight, index);
        let looked = Looked::at(findings, self.rows, meter)?;
        let hinges = hinges::hinges(findings, self.people, self.rows, &mut stream(0), meter)?;
        let kinds = kinds::kinds(findings, self.schooling([stream(1), stream(2)], meter)?);
        let favourable = self.favourable;
        let favoured = favourable.map(|decision| directions::favoured(sides, &looked, decision));
        Ok(Insight {
            severity: Severity::of(findings),
            looked_at: looked.people(),
            distinct_decisions: directions::distinct(sides, &looked),
            directions: directions::directions(sides, &looked),
            favourable,
            favoured: favoured.unwrap_or_default(),
            subgroups: subgroups::subgroups(findings, &self.attributes(&hinges, &kinds)),
            hinges,
            kinds,
        })
    }

    fn schooling(
        &self,
        [mut between, mut domain]: [Stream; 2],
        meter: &mut Meter<'_>,
    ) -> Result<Schooling, Halt> {
        let (findings, rows) = (self.findings, self.rows);
        let dataset = Reference::of_dataset(findings, self.people);
        Ok(Schooling {
            between: Reference::between(findings, self.people, rows, &mut between, meter)?,
            domain: match dataset.discriminated() < ENOUGH {
                true => Reference::of_domain(findings, rows, &mut domain, meter)?,
                false => Reference::default(),
            },
            dataset,
        })
    }

    /// The protected attributes, then those that the flips hang on and those of the rules.
    fn attributes(&self, hinges: &[Hinge], kinds: &Kinds) -> Vec<usize> {
        let hinges = hinges.iter().filter(|hinge| hinge.vanished > 0);
        let hinges = hinges.take(ATTRIBUTES_THAT_MATTER).map(|h| h.attribute);
        let conditions = kinds.kinds.iter().flat_map(|kind| &kind.conditions);
        let mut attributes = self.findings.space().protected().to_vec();
        for attribute in hinges.chain(conditions.map(|condition| condition.attribute)) {
            if !attributes.contains(&attribute) {
                attributes.push(attribute);
            }
        }
        attributes
    }
}
