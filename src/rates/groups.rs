//! Group metrics: how often each protected group gets the favourable decision, among the dataset's
//! own people.
//!
//! The definitions are those of the usual libraries. A difference of 0 and a ratio of 1 mean that all
//! groups get it equally often, which says nothing about single people: where some lose by their group
//! and others gain, the shares are equal.

use std::collections::BTreeMap;

use crate::decision::Rule;
use crate::model::canonical;
use crate::schema::{Code, Space};

/// The ratio of selection rates that the four-fifths rule asks for.
pub const FOUR_FIFTHS: f64 = 0.8;

/// What counts as being selected.
#[derive(Debug, Clone)]
pub(crate) struct Question<'a> {
    /// How scores are decisions.
    pub(crate) rule: &'a Rule,
    /// The place of the favourable decision among their names.
    pub(crate) favourable: usize,
    /// Its name.
    pub(crate) name: String,
    /// Nobody named it.
    pub(crate) assumed: bool,
    /// Whether each person's label is the favourable one; empty where nobody's is known.
    pub(crate) outcomes: &'a [Option<bool>],
}

/// One protected group of the dataset's people.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// For each protected attribute, in their order, which of its groups.
    pub place: Vec<usize>,
    /// People in it.
    pub people: u64,
    /// Those of them who get the favourable decision.
    pub selected: u64,
    /// Those whose label is the favourable one.
    pub positives: u64,
    /// Those of the latter who get the favourable decision.
    pub true_positives: u64,
}

impl Group {
    /// The share that gets the favourable decision.
    pub fn rate(&self) -> f64 {
        self.selected as f64 / self.people as f64
    }

    /// The same among those whose label is the favourable one; nothing if there is none.
    pub fn true_positive_rate(&self) -> Option<f64> {
        (self.positives > 0).then(|| self.true_positives as f64 / self.positives as f64)
    }
}

/// What the groups of the dataset's people get.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupMetrics {
    /// The favourable decision.
    pub favourable: String,
    /// The spec does not name it: it is the decision with the higher score.
    pub assumed: bool,
    /// Whether labels are known.
    pub labelled: bool,
    /// The groups that have somebody.
    pub groups: Vec<Group>,
    /// Groups that nobody is in.
    pub empty: u64,
    /// People whose protected values are in no group.
    pub outside: u64,
}

/// The groups with the highest and the lowest share.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Extremes<'g> {
    /// The group with the highest share, and that share.
    pub highest: (&'g Group, f64),
    /// The group with the lowest share, and that share.
    pub lowest: (&'g Group, f64),
}

impl Extremes<'_> {
    /// How far they are apart.
    pub fn difference(&self) -> f64 {
        self.highest.1 - self.lowest.1
    }

    /// The lowest as a share of the highest; nothing if both are zero.
    pub fn ratio(&self) -> Option<f64> {
        (self.highest.1 > 0.0).then(|| self.lowest.1 / self.highest.1)
    }
}

impl GroupMetrics {
    /// How many people they are taken over.
    pub fn people(&self) -> u64 {
        self.groups.iter().map(|group| group.people).sum()
    }

    /// The groups that get the favourable decision most and least often.
    pub fn selection(&self) -> Option<Extremes<'_>> {
        extremes(self.groups.iter().map(|group| (group, group.rate())))
    }

    /// The same among people whose label is the favourable one; groups without such people are left
    /// out. Nothing where labels are not known.
    pub fn opportunity(&self) -> Option<Extremes<'_>> {
        let rated = self.groups.iter();
        extremes(rated.filter_map(|group| Some((group, group.true_positive_rate()?))))
    }

    /// The largest difference between two groups' shares; 0 means that all are equal.
    pub fn demographic_parity_difference(&self) -> Option<f64> {
        self.selection().map(|extremes| extremes.difference())
    }

    /// The smallest share divided by the largest; 1 means that all are equal. Nothing if nobody gets
    /// the favourable decision.
    pub fn demographic_parity_ratio(&self) -> Option<f64> {
        self.selection().and_then(|extremes| extremes.ratio())
    }

    /// Whether no group's share is less than four fifths of another's.
    pub fn four_fifths(&self) -> Option<bool> {
        let selection = self.selection()?;
        Some(selection.ratio().is_none_or(|ratio| ratio >= FOUR_FIFTHS))
    }

    /// The largest difference between two groups' shares among people whose label is the favourable
    /// one; 0 means that all are equal.
    pub fn equal_opportunity_difference(&self) -> Option<f64> {
        self.opportunity().map(|extremes| extremes.difference())
    }
}

/// The first group with the highest share and the first with the lowest.
fn extremes<'g>(rated: impl Iterator<Item = (&'g Group, f64)>) -> Option<Extremes<'g>> {
    rated.fold(None, |extremes, rated| {
        let Some(Extremes { highest, lowest }) = extremes else {
            return Some(Extremes {
                highest: rated,
                lowest: rated,
            });
        };
        Some(Extremes {
            highest: if rated.1 > highest.1 { rated } else { highest },
            lowest: if rated.1 < lowest.1 { rated } else { lowest },
        })
    })
}

/// Groups while people are counted.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// By the number of the groups of each attribute, so that they come in order.
    groups: BTreeMap<Vec<usize>, Group>,
    outside: u64,
    place: Vec<usize>,
}

impl Counting {
    /// Counts a person with a score.
    pub(super) fn add(
        &mut self,
        space: &Space,
        question: &Question<'_>,
        person: &[Code],
        (index, score): (usize, f32),
    ) {
        self.place.clear();
        let places = space.protections().iter().map(|p| p.group(person));
        for place in places {
            let Some(place) = place else {
                self.outside += 1;
                return;
            };
            self.place.push(place);
        }
        if !self.groups.contains_key(&self.place) {
            let group = Group {
                place: self.place.clone(),
                people: 0,
                selected: 0,
                positives: 0,
                true_positives: 0,
            };
            self.groups.insert(self.place.clone(), group);
        }
        let Some(group) = self.groups.get_mut(&self.place) else {
            return;
        };
        // Decided by the grid, as everything is, so that it is the same in every runtime.
        let decision = question.rule.decision(canonical(score));
        let selected = u64::from(decision == Some(question.favourable));
        let positive = question.outcomes.get(index).copied().flatten() == Some(true);
        group.people += 1;
        group.selected += selected;
        group.positives += u64::from(positive);
        group.true_positives += u64::from(positive) * selected;
    }

    /// What was counted.
    pub(super) fn finish(self, space: &Space, question: &Question<'_>) -> GroupMetrics {
        let all = space.protections().iter().map(|p| p.groups() as u64);
        let all = all.fold(1, u64::saturating_mul);
        GroupMetrics {
            favourable: question.name.clone(),
            assumed: question.assumed,
            labelled: !question.outcomes.is_empty(),
            empty: all.saturating_sub(self.groups.len() as u64),
            groups: self.groups.into_values().collect(),
            outside: self.outside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(groups: &[[u64; 4]]) -> GroupMetrics {
        let group = |(place, counts): (usize, &[u64; 4])| Group {
            place: vec![place],
            people: counts[0],
            selected: counts[1],
            positives: counts[2],
            true_positives: counts[3],
        };
        GroupMetrics {
            favourable: "yes".into(),
            assumed: false,
            labelled: true,
            groups: groups.iter().enumerate().map(group).collect(),
            empty: 0,
            outside: 0,
        }
    }

    #[test]
    fn metrics_are_those_of_the_textbooks() {
        let three = metrics(&[[10, 5, 4, 3], [20, 8, 0, 0], [40, 10, 10, 5]]);
        assert_eq!(three.people(), 70);
        assert_eq!(three.demographic_parity_difference(), Some(0.25));
        assert_eq!(three.demographic_parity_ratio(), Some(0.5));
        assert_eq!(three.four_fifths(), Some(false));
        // The second group has nobody whose label is favourable.
        assert_eq!(three.equal_opportunity_difference(), Some(0.25));
        let level = metrics(&[[10, 5, 4, 3], [100, 40, 8, 6]]);
        assert_eq!(level.four_fifths(), Some(true), "exactly four fifths");
        assert_eq!(level.equal_opportunity_difference(), Some(0.0));
    }

    #[test]
    fn where_nobody_is_selected_there_is_no_ratio_and_nobody_is_worse_off() {
        let nobody = metrics(&[[10, 0, 0, 0], [5, 0, 0, 0]]);
        assert_eq!(nobody.demographic_parity_difference(), Some(0.0));
        assert_eq!(nobody.demographic_parity_ratio(), None);
        assert_eq!(nobody.four_fifths(), Some(true));
        assert_eq!(nobody.equal_opportunity_difference(), None);
        assert_eq!(metrics(&[]).four_fifths(), None);
    }
}
