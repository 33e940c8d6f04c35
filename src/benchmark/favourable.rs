//! Which decision people hope for.

use super::Benchmark;
use crate::rates::groups::Question;

impl Benchmark {
    /// The decision that people hope for: the one that is named, or of two the one with the higher
    /// score; nothing where there are others and none is named.
    pub(crate) fn hoped_for(&self) -> Option<String> {
        let second = || match self.rule.decisions() {
            2 => self.decision_names().pop(),
            _ => None,
        };
        self.favourable.clone().or_else(second)
    }

    /// The same as a place among the decisions.
    pub(super) fn favourable_decision(&self) -> Option<usize> {
        let name = self.hoped_for()?;
        let mut decisions = self.decision_names().into_iter();
        decisions.position(|known| known == name)
    }

    /// What the groups of the dataset's people are asked.
    pub(super) fn question(&self) -> Option<Question<'_>> {
        Some(Question {
            rule: &self.rule,
            favourable: self.favourable_decision()?,
            name: self.hoped_for()?,
            assumed: self.favourable.is_none(),
            outcomes: &self.outcomes,
        })
    }
}
