//! From a found pair to the plainest one: as near to a real person as it can come and still get two
//! decisions.
//!
//! All pairs are shrunk side by side. In each round everyone proposes people who are nearer to the
//! a real one, the model is asked once for all of them, and each pair goes to the nearest who is still
//! a counterexample: first as few attributes as possible differ, then by as little as possible.

use crate::findings::Counterexample;
use crate::model::ModelError;
use crate::model::meter::{Cut, Halt, Meter};
use crate::nearest::{Apart, Crowd, Nearest};
use crate::schema::{Code, Domain, Space};
use crate::search::fences::Fences;
use crate::search::sides::Sides;

/// The person and the counterpart.
const ROWS_A_PAIR: u64 = 2;

/// Real people nearest to a pair who are tried as they are.
const NEIGHBOURS: usize = 32;

/// Where pairs are shrunk.
pub(crate) struct Ground<'a> {
    space: &'a Space,
    sides: &'a Sides,
    crowd: Crowd<'a>,
    fences: Fences,
}

impl<'a> Ground<'a> {
    /// The space, its sides, the rows of real people, and what the search kept to.
    pub(crate) fn new(
        space: &'a Space,
        sides: &'a Sides,
        people: &'a [Code],
        fences: Fences,
    ) -> Self {
        Ground {
            space,
            sides,
            crowd: Crowd::new(space, people),
            fences,
        }
    }

    /// The real people nearest to somebody, among those near enough where the search is to stay near
    /// real people.
    fn nearest(&self, person: &[Code], most: usize) -> Vec<Nearest> {
        let near = |real: &[Code]| self.fences.is_near(self.space, person, real);
        self.crowd.nearest(person, most, near)
    }

    fn proposal(&self, person: Vec<Code>, real: &[Code]) -> Proposal {
        let Apart { changed, distance } = self.crowd.apart(&person, real);
        let real = Nearest {
            person: real.to_vec(),
            changed,
            distance,
        };
        Proposal { person, real }
    }
}

/// What became of the pairs.
pub(crate) struct Shrunk {
    /// The pairs, in the order in which they came, as plain as they became.
    pub(crate) pairs: Vec<Counterexample>,
    /// The same as they were found, with the nearest real person.
    pub(crate) as_found: Vec<Counterexample>,
    /// What ended the work early, if anything but the budget did.
    pub(crate) cut: Option<Cut>,
}

/// Shrinks all pairs with at most so many rows. A pair that is not done when the rows or the time end
/// stays as plain as it is by then: it is a counterexample all the way.
///
/// # Errors
/// The model failed.
pub(crate) fn shrink(
    ground: &Ground<'_>,
    pairs: Vec<Counterexample>,
    meter: &mut Meter<'_>,
    mut rows: u64,
) -> Result<Shrunk, ModelError> {
    let mut all: Vec<Shrinker> = pairs
        .into_iter()
        .map(|pair| Shrinker::new(ground, pair))
        .collect();
    let as_found = all.iter().map(|shrinker| shrinker.pair.clone()).collect();
    let mut cut = None;
    while cut.is_none() {
        let round = propose(ground, &mut all, &mut rows);
        if round.is_empty() {
            break;
        }
        match ask(ground, &all, &round, meter) {
            Ok(scores) => {
                for (proposals, scores) in round.into_iter().zip(scores) {
                    all[proposals.whose].take(ground, proposals.people, &scores);
                }
            }
            Err(Halt::Cut(ended)) => cut = Some(ended),
            Err(Halt::Model(error)) => return Err(error),
        }
    }
    let pairs = all.into_iter().map(Shrinker::finish).collect();
    Ok(Shrunk {
        pairs,
        as_found,
        cut,
    })
}

/// Somebody whom a pair might become, and the real person who is nearer then.
struct Proposal {
    person: Vec<Code>,
    real: Nearest,
}

/// What one pair proposes in a round.
struct Proposals {
    whose: usize,
    people: Vec<Proposal>,
}

/// One round's proposals of everyone who is not done, as far as the rows reach.
fn propose(ground: &Ground<'_>, all: &mut [Shrinker], rows: &mut u64) -> Vec<Proposals> {
    let mut round = Vec::new();
    for (whose, shrinker) in all.iter_mut().enumerate() {
        let people = shrinker.propose(ground);
        let needed = ROWS_A_PAIR * people.len() as u64;
        if needed > 0 && needed <= *rows {
            *rows -= needed;
            round.push(Proposals { whose, people });
        }
    }
    round
}

/// The scores of a person and a counterpart.
type Scores = [f32; 2];

/// Asks the model about a round: both scores of every proposal, pair by pair.
fn ask(
    ground: &Ground<'_>,
    all: &[Shrinker],
    round: &[Proposals],
    meter: &mut Meter<'_>,
) -> Result<Vec<Vec<Scores>>, Halt> {
    let mut rows = Vec::new();
    for proposals in round {
        for Proposal { person, .. } in &proposals.people {
            let counterpart = all[proposals.whose].counterpart_of(ground, person);
            ground.space.push_row(person, &mut rows);
            ground.space.push_row(&counterpart, &mut rows);
        }
    }
    let scores = meter.ask_rows(&rows)?;
    let mut scores = scores.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    let each = round.iter().map(|proposals| proposals.people.len());
    Ok(each
        .map(|count| scores.by_ref().take(count).collect())
        .collect())
}

/// A pair on its way to a real person.
struct Shrinker {
    pair: Counterexample,
    stage: Stage,
    /// Whether a step was made since whole values were tried.
    stepped: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The nearest real people are tried as they are.
    Neighbours,
    /// Attributes take the values of the nearest one.
    Values,
    /// Numbers come nearer to them.
    Steps,
    /// As plain as it gets.
    Done,
}

impl Shrinker {
    fn new(ground: &Ground<'_>, mut pair: Counterexample) -> Self {
        pair.nearest = ground.nearest(&pair.person, 1).pop();
        pair.changed_before = pair.nearest.as_ref().map(|real| real.changed);
        Shrinker {
            stage: match pair.nearest {
                Some(_) => Stage::Neighbours,
                None => Stage::Done,
            },
            pair,
            stepped: false,
        }
    }

    /// What is to be tried next; nothing if the pair is done.
    fn propose(&mut self, ground: &Ground<'_>) -> Vec<Proposal> {
        while self.stage != Stage::Done {
            let mut proposals = self.plainer(ground);
            proposals.retain(|proposal| self.may_become(ground, proposal));
            if !proposals.is_empty() {
                return proposals;
            }
            self.go_on(ground);
        }
        Vec::new()
    }

    fn plainer(&self, ground: &Ground<'_>) -> Vec<Proposal> {
        let (space, own) = (ground.space, &self.pair.person);
        if self.stage == Stage::Neighbours {
            let neighbours = ground.nearest(own, NEIGHBOURS).into_iter();
            let place = |real: Nearest| {
                let differing = differing(space, own, &real.person);
                ground.proposal(with_values(own, &real.person, &differing), &real.person)
            };
            return neighbours.map(place).collect();
        }
        let Some(real) = &self.pair.nearest else {
            return Vec::new();
        };
        let people = match self.stage {
            Stage::Values => with_real_values(space, own, &real.person),
            _ => with_smaller_steps(space, own, &real.person),
        };
        let people = people.into_iter();
        people
            .map(|person| ground.proposal(person, &real.person))
            .collect()
    }

    /// Whether a proposal is plainer, and the search might have met it.
    fn may_become(&self, ground: &Ground<'_>, Proposal { person, real }: &Proposal) -> bool {
        let space = ground.space;
        Some(rank(real)) < self.pair.nearest.as_ref().map(rank)
            && ground.fences.allow(space, person, &real.person)
            && (!space.is_constrained() || space.can_exist(&self.counterpart_of(ground, person)))
    }

    fn counterpart_of(&self, ground: &Ground<'_>, person: &[Code]) -> Vec<Code> {
        let values = &self.pair.counterpart;
        with_values(person, values, ground.space.protected())
    }

    /// Goes to the proposal that is nearest to its real person, of those that are counterexamples; of
    /// several, to the one with the widest gap, then to the first. Real people come in order of how near
    /// they are, and it goes to the first: all pairs would come to the same few otherwise.
    fn take(&mut self, ground: &Ground<'_>, proposals: Vec<Proposal>, scores: &[Scores]) {
        let by_gap = self.stage != Stage::Neighbours;
        let mut best: Option<(Proposal, f32, Scores)> = None;
        for (proposal, &[own, other]) in proposals.into_iter().zip(scores) {
            let gap = ground.sides.gap(own, other);
            let nearer = |(least, widest, _): &(Proposal, f32, Scores)| {
                let [new, old] = [&proposal, least].map(|proposal| rank(&proposal.real));
                new < old || new == old && by_gap && gap > *widest
            };
            if ground.sides.differ(own, other) && best.as_ref().is_none_or(nearer) {
                best = Some((proposal, gap, [own, other]));
            }
        }
        match best {
            Some((proposal, _, scores)) => self.become_one(ground, proposal, scores),
            None => self.go_on(ground),
        }
    }

    fn become_one(&mut self, ground: &Ground<'_>, proposal: Proposal, scores: Scores) {
        let Proposal { person, real } = proposal;
        let counterpart = self.counterpart_of(ground, &person);
        self.pair = Counterexample {
            nearest: Some(real),
            changed_before: self.pair.changed_before,
            ..Counterexample::new(person, counterpart, scores, ground.sides)
        };
        self.stepped |= self.stage == Stage::Steps;
        if self.stage == Stage::Neighbours {
            self.stage = Stage::Values;
        }
    }

    /// Nothing that was proposed will do: what is tried next?
    fn go_on(&mut self, ground: &Ground<'_>) {
        self.stage = match self.stage {
            Stage::Neighbours => Stage::Values,
            Stage::Values => Stage::Steps,
            Stage::Steps | Stage::Done => match self.stepped || self.found_nearer(ground) {
                true => Stage::Values,
                false => Stage::Done,
            },
        };
        self.stepped = false;
    }

    /// Whether another real person is nearer by now.
    fn found_nearer(&mut self, ground: &Ground<'_>) -> bool {
        let now = self.pair.nearest.as_ref().map(rank);
        if now.is_none_or(|(changed, _)| changed == 0) {
            return false;
        }
        let found = ground.nearest(&self.pair.person, 1).pop();
        let nearer = found.as_ref().map(rank) < now;
        if nearer {
            self.pair.nearest = found;
        }
        nearer
    }

    fn finish(self) -> Counterexample {
        Counterexample {
            shrunk: self.stage == Stage::Done,
            ..self.pair
        }
    }
}

/// The fewest attributes changed first, then the smallest distance.
fn rank(real: &Nearest) -> (usize, f64) {
    (real.changed, real.distance)
}

/// The attributes that the search may move and that differ.
fn differing(space: &Space, person: &[Code], real: &[Code]) -> Vec<usize> {
    let movable = space.movable().iter().copied();
    movable
        .filter(|&position| person[position] != real[position])
        .collect()
}

/// A person with somebody else's values in these attributes.
fn with_values(person: &[Code], values: &[Code], attributes: &[usize]) -> Vec<Code> {
    let mut changed = person.to_vec();
    for &position in attributes {
        changed[position] = values[position];
    }
    changed
}

/// People with the real person's values in some attributes: in all that differ, in every half of them,
/// in every quarter ... in each alone, and in all but one.
fn with_real_values(space: &Space, person: &[Code], real: &[Code]) -> Vec<Vec<Code>> {
    let differing = differing(space, person, real);
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut size = differing.len();
    while size > 0 {
        sets.extend(differing.chunks(size).map(<[usize]>::to_vec));
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    if differing.len() > 2 {
        let but = |&left: &usize| differing.iter().copied().filter(|&p| p != left).collect();
        sets.extend(differing.iter().map(but));
    }
    let with = |set: Vec<usize>| with_values(person, real, &set);
    sets.into_iter().map(with).collect()
}

/// People with one number nearer to the real person's: 1, 2, 4 ... steps from it, and one step nearer.
fn with_smaller_steps(space: &Space, person: &[Code], real: &[Code]) -> Vec<Vec<Code>> {
    let mut people = Vec::new();
    for position in differing(space, person, real) {
        let domain = &space.schema().attributes()[position].domain;
        if matches!(domain, Domain::Categories(_) | Domain::Truth) {
            continue;
        }
        let (own, target) = (person[position], real[position]);
        let distance = own.abs_diff(target);
        let doubling = std::iter::successors(Some(1), |&left: &Code| left.checked_mul(2));
        let shorter = doubling.take_while(|&left| left + 1 < distance);
        let one_less = (distance > 1).then(|| distance - 1);
        for left in shorter.chain(one_less) {
            let mut nearer = person.to_vec();
            nearer[position] = if own > target {
                target + left
            } else {
                target - left
            };
            people.push(nearer);
        }
    }
    people
}
