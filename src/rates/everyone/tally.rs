//! Counting the people of a profile who have a counterpart with another decision, as the table of
//! everyone tested would.

use serde::{Deserialize, Serialize};

use crate::schema::Space;
use crate::search::sides::{Side, Sides};

use super::profiles::Profiles;
use super::widest::{Found, Widest};

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// People who can exist.
    pub(crate) people: u64,
    /// Those of them who have a counterpart with another decision.
    pub(crate) discriminated: u64,
    /// Those of them whom numerical noise leaves undecided.
    pub(crate) undecided: u64,
    /// The clearest pairs.
    pub(crate) widest: Widest,
}

impl Tally {
    /// Both together.
    pub(crate) fn add(&mut self, other: Tally) {
        self.people += other.people;
        self.discriminated += other.discriminated;
        self.undecided += other.undecided;
        self.widest.merge(other.widest);
    }
}

/// Who is compared with whom in a profile.
#[derive(Debug)]
pub(crate) struct Judge<'s> {
    sides: &'s Sides,
    /// For each person of a profile the combination of the own groups, if it is one of those tested.
    groups: Vec<Option<usize>>,
    /// For each combination the place of the person who stands for it.
    representatives: Vec<usize>,
    /// How many people each person stands for.
    alike: u64,
}

/// Memory that is used again for every profile.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// A side for each person; undecided where there is none.
    own: Vec<Side>,
    /// How many representatives are on each side.
    counts: Vec<(Side, usize)>,
    /// Who has a counterpart with another decision.
    discriminated: Vec<usize>,
}

impl<'s> Judge<'s> {
    /// For the profiles of a space.
    pub(crate) fn new(space: &Space, profiles: &Profiles<'_>, sides: &'s Sides) -> Self {
        let mut representatives = vec![0; space.combinations().len()];
        let mut groups = Vec::with_capacity(profiles.each());
        for place in 0..profiles.each() {
            let person = profiles.person(0, place);
            let group = space.own_group(&person);
            if let Some(group) = group.filter(|_| space.is_combination(&person)) {
                representatives[group] = place;
            }
            groups.push(group);
        }
        Judge {
            sides,
            groups,
            representatives,
            alike: profiles.alike(),
        }
    }

    /// Whether nobody with one of these scores is decided otherwise than another, or undecided.
    pub(crate) fn all_alike(&self, scores: &[f32]) -> bool {
        self.sides.all_alike(scores)
    }

    /// Counts people of whom nothing else is to be said.
    pub(crate) fn count_alike(&self, people: usize, tally: &mut Tally) {
        tally.people += people as u64 * self.alike;
    }

    /// Counts the people of a profile; no number is the score of somebody who cannot exist. Pairs that
    /// are not wider than those of `known` are not looked for.
    pub(crate) fn count(
        &self,
        profile: u64,
        scores: &[f32],
        scratch: &mut Scratch,
        known: &Widest,
        tally: &mut Tally,
    ) {
        scratch.discriminated.clear();
        let undecided = match self.sides.pulls_apart() {
            true => self.compare_numbers(scores, scratch),
            false => self.compare_sides(scores, scratch),
        };
        let people = scores.iter().filter(|score| !score.is_nan()).count();
        tally.people += people as u64 * self.alike;
        tally.discriminated += scratch.discriminated.len() as u64 * self.alike;
        tally.undecided += undecided * self.alike;
        let widest = self.sides.widest_gap(scores);
        let wanted = |kept: &Widest| kept.has_room_for(widest, profile);
        if !scratch.discriminated.is_empty() && wanted(known) && wanted(&tally.widest) {
            let found = self.clearest(profile, scores, &scratch.discriminated);
            found
                .into_iter()
                .for_each(|found| tally.widest.offer(found));
        }
    }

    /// Somebody differs if a representative of another group is on another side. How many are
    /// undecided is given back.
    fn compare_sides(&self, scores: &[f32], scratch: &mut Scratch) -> u64 {
        let Scratch {
            own,
            counts,
            discriminated,
        } = scratch;
        own.clear();
        own.extend(scores.iter().map(|&score| self.sides.side(score)));
        counts.clear();
        let (mut decided, mut undecided) = (0, 0);
        for &place in &self.representatives {
            let side = own[place];
            if side == Side::UNDECIDED {
                continue;
            }
            decided += 1;
            match counts.iter_mut().find(|(known, _)| *known == side) {
                Some((_, count)) => *count += 1,
                None => counts.push((side, 1)),
            }
        }
        for (place, &side) in own.iter().enumerate() {
            if side == Side::UNDECIDED {
                undecided += u64::from(!scores[place].is_nan());
                continue;
            }
            let same = counts.iter().find(|(known, _)| *known == side);
            let others = decided - same.map_or(0, |&(_, count)| count);
            let own_group = self.groups[place].map(|group| own[self.representatives[group]]);
            let in_own_group = own_group.is_some_and(|group| group.differs(side));
            if others > usize::from(in_own_group) {
                discriminated.push(place);
            }
        }
        undecided
    }

    fn compare_numbers(&self, scores: &[f32], scratch: &mut Scratch) -> u64 {
        let mut undecided = 0;
        for (place, &score) in scores.iter().enumerate() {
            let others = self.others(place).map(|(_, other)| scores[other]);
            if others.clone().any(|other| self.sides.differ(score, other)) {
                scratch.discriminated.push(place);
            } else if !score.is_nan() {
                undecided += u64::from(self.sides.undecided(score, others));
            }
        }
        undecided
    }

    /// The combinations other than somebody's own, with the places of those who stand for them.
    fn others(&self, place: usize) -> impl Iterator<Item = (usize, usize)> + Clone + '_ {
        let own = self.groups[place];
        let all = self.representatives.iter().copied().enumerate();
        all.filter(move |(combination, _)| Some(*combination) != own)
    }

    /// The pair with the widest gap, the first of several.
    fn clearest(&self, profile: u64, scores: &[f32], people: &[usize]) -> Option<Found> {
        let mut best: Option<Found> = None;
        for &own in people {
            for (_, other) in self.others(own) {
                let gap = self.sides.gap(scores[own], scores[other]).to_bits();
                let wider = best.is_none_or(|best| gap > best.gap);
                if wider && self.sides.differ(scores[own], scores[other]) {
                    best = Some(Found {
                        gap,
                        profile,
                        own,
                        other,
                        scores: [scores[own], scores[other]].map(f32::to_bits),
                    });
                }
            }
        }
        best
    }
}
