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

    /// What the groups of the dataset's people are asked.
    pub(super) fn question(&self) -> Option<Question<'_>> {
        let name = self.hoped_for()?;
        let decisions = self.decision_names();
        let favourable = decisions.iter().position(|known| *known == name)?;
        Some(Question {
            rule: &self.rule,
            favourable,
            name,
            assumed: self.favourable.is_none(),
            outcomes: &self.outcomes,
        })
    }
}
