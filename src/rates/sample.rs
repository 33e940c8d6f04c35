//! Looking at some people of the domain, or at all of a small one, through the table of everyone
//! tested.

use crate::findings::Counterexample;
use crate::model::ModelError;
use crate::schema::{Code, Space};
use crate::search::random::{Purpose, Stream, stream};
use crate::search::tested::Tested;
use crate::search::{Lockstep, Phase};

use super::Share;
use super::everyone::{Found, Widest, clearest_first};
use super::look::{Looked, Seen, look};

/// Looks at everyone in a small domain; also the clearest pairs.
pub(super) fn all(
    search: &mut Lockstep<'_, '_>,
    everyone: usize,
) -> Result<(Looked, Vec<Counterexample>), ModelError> {
    let space = search.space;
    let attributes = space.schema().attributes().iter();
    let sizes: Vec<u64> = attributes.map(|a| a.domain.size()).collect();
    let person = |index: usize, person: &mut Vec<Code>| {
        enumerate(&sizes, index, person);
        space.can_exist(person)
    };
    let mut widest = Widest::default();
    let looked = look(search, Phase::Domain, everyone, person, |tested, seen| {
        clearest(tested, seen)
            .into_iter()
            .for_each(|found| widest.offer(found));
    })?;
    let pair = |found: &Found| {
        let mut person = Vec::new();
        enumerate(&sizes, found.profile as usize, &mut person);
        let counterpart = with_combination(space, &person, found.other);
        [person, counterpart]
    };
    let pairs = clearest_first(space, search.tested.sides(), &widest, pair);
    Ok((looked, pairs))
}

/// The pair of a person and the counterpart that is decided otherwise most clearly.
fn clearest(tested: &Tested, seen: Seen) -> Option<Found> {
    if !seen.discriminated {
        return None;
    }
    let (scores, sides) = (tested.scores(seen.slot), tested.sides());
    let found = |(other, &score): (usize, &f32)| Found {
        gap: sides.gap(seen.score, score).to_bits(),
        profile: seen.index as u64,
        own: 0,
        other,
        scores: [seen.score, score].map(f32::to_bits),
    };
    let others = scores.iter().enumerate();
    let differ = others
        .filter(|(other, score)| Some(*other) != seen.group && sides.differ(seen.score, **score));
    // The first of several.
    differ
        .map(found)
        .reduce(|best, next| match next.gap > best.gap {
            true => next,
            false => best,
        })
}

fn with_combination(space: &Space, person: &[Code], combination: usize) -> Vec<Code> {
    let mut counterpart = person.to_vec();
    space.set_combination(&mut counterpart, combination);
    counterpart
}

/// People drawn from the domain, one sample after another.
pub(super) struct Drawing {
    stream: Stream,
    /// Where drawing has found nobody once, it is not tried again: that would take long.
    nobody: bool,
    /// What is known of all who were drawn.
    pub(super) looked: Looked,
}

impl Drawing {
    /// Drawn from the `index`-th stream of the domain.
    pub(super) fn new(search: &Lockstep<'_, '_>, index: u64) -> Self {
        Drawing {
            stream: stream(search.seed, search.benchmark, Purpose::Domain, index),
            nobody: false,
            looked: Looked::default(),
        }
    }

    /// Draws until there are so many people, or the budget is spent.
    pub(super) fn until(
        &mut self,
        search: &mut Lockstep<'_, '_>,
        size: usize,
    ) -> Result<Share, ModelError> {
        let space = search.space;
        let Drawing { stream, nobody, .. } = self;
        let person = |_: usize, person: &mut Vec<Code>| {
            if *nobody {
                return false;
            }
            match space.draw(stream) {
                Some(drawn) => *person = drawn,
                None => *nobody = true,
            }
            !*nobody
        };
        let more = size.saturating_sub(self.looked.share.of as usize);
        let looked = look(search, Phase::Domain, more, person, |_, _| {})?;
        self.looked.add(&looked);
        Ok(self.looked.share)
    }
}

fn enumerate(sizes: &[u64], mut index: usize, person: &mut Vec<Code>) {
    for &size in sizes {
        person.push((index as u64 % size) as Code);
        index /= size as usize;
    }
}
