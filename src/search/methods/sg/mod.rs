//! SG (Aggarwal et al., ESEC/FSE 2019): people wait in a queue; each is tested and explained, and
//! the turns of the explanation, toggled one by one, lead to the people who wait next.

mod explanation;
mod path;

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};

use crate::model::meter::{Halt, Wanted};
use crate::schema::{Code, Space};
use crate::search::{Lockstep, Met, Phase, Task, Walked};

use explanation::Neighbours;
use path::{Turn, Way, mean_confidence, nearest};

/// People at the head of the queue who are tested and explained in one go. The publication takes one
/// after the other, so that a find's neighbours come next; each brings enough rows for a call, and a
/// few keep the workers busy.
const HEADS: usize = 4;

/// The ranks of the publication; the lowest is next. A seed.
const SEED: f64 = 5.0;

/// Somebody whom a find's explanation led to, before the confidence is added.
const NEAR_FIND: f64 = 1.0;

/// Somebody whom any explanation led to, before the confidence is taken away.
const ELSEWHERE: f64 = 10.0;

/// Ranks above this are those of the global search.
const GLOBAL: f64 = 2.0;

/// The global search goes no further along a path than its turns are at least so sure.
const LEAST_CONFIDENCE: f64 = 0.3;

/// Works through the queue until it is empty, or as many people were explained as the budget has
/// seeds and steps.
pub(super) fn run(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
) -> Result<(), Halt> {
    let seeds = search.take_seeds(task, walked);
    let mut queue = Queue::of(task.space, &seeds);
    let neighbours = Neighbours {
        space: task.space,
        people: task.people,
        count: task.settings.explanation_rows,
        seed: task.seed,
        benchmark: task.benchmark,
    };
    let most = task
        .budget
        .global_seeds
        .saturating_add(task.budget.local_steps);
    let has_local = task.budget.local_steps > 0;
    let mut explained = 0;
    while explained < most {
        search.tell(Phase::Local, explained, most);
        let heads = queue.heads(
            search,
            heads_at_once(search, &neighbours).min(most - explained),
        );
        if heads.is_empty() {
            break;
        }
        let met = search.test(heads.iter().map(|head| head.person.as_slice()))?;
        let is_global = |(head, met): &(&Waiting, &Met)| head.rank > GLOBAL && met.is_first_find;
        walked.global_found += heads.iter().zip(&met).filter(is_global).count();
        let paths = explain(search, &neighbours, &heads, explained as u64)?;
        for ((head, met), path) in heads.iter().zip(met).zip(paths) {
            queue.branch_out(search, head, &path, met.discriminated && has_local);
        }
        explained += heads.len();
    }
    Ok(())
}

/// No more than the rest of the budget is enough for, or it would be left unspent.
fn heads_at_once(search: &Lockstep<'_, '_>, neighbours: &Neighbours<'_>) -> usize {
    let each = search.space.combinations().len() + neighbours.count;
    let left = search
        .meter
        .left()
        .map_or(u64::MAX, |left| left / each as u64);
    HEADS.min(left.max(1) as usize)
}

/// The paths of all heads: their neighbours are asked in one call, and the trees grown side by side.
fn explain(
    search: &mut Lockstep<'_, '_>,
    neighbours: &Neighbours<'_>,
    heads: &[Waiting],
    first: u64,
) -> Result<Vec<Vec<Turn>>, Halt> {
    let people_of = |head: usize| neighbours.of(first + head as u64, &heads[head].person);
    let space = search.space;
    let scores = search.meter.ask(&Wanted {
        items: heads.len(),
        each: neighbours.count,
        make: &|heads, rows| {
            let people = heads.flat_map(people_of);
            people.for_each(|person| space.push_row(&person, rows));
        },
    })?;
    let sides = search.tested.sides();
    let mut paths: Vec<_> = scores
        .chunks_exact(neighbours.count)
        .enumerate()
        .map(|(head, scores)| (head, scores, Vec::new()))
        .collect();
    let grow = |(head, scores, path): &mut (usize, &[f32], Vec<Turn>)| {
        *path = explanation::path(people_of(*head), scores, sides);
    };
    search.meter.crew().share_out(&mut paths, grow);
    Ok(paths.into_iter().map(|(_, _, path)| path).collect())
}

/// Somebody in the queue.
#[derive(Debug, Clone)]
struct Waiting {
    rank: f64,
    /// How many came before.
    turn: u64,
    person: Vec<Code>,
    /// The seed that the person comes from.
    origin: Vec<Code>,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = self.rank.total_cmp(&other.rank);
        rank.then(self.turn.cmp(&other.turn))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

/// Who waits, and which paths have been taken.
#[derive(Default)]
struct Queue {
    waiting: BinaryHeap<Reverse<Waiting>>,
    came: u64,
    taken: BTreeSet<Vec<Way>>,
}

impl Queue {
    /// The seeds, with the protected values that stand for their groups.
    fn of(space: &Space, seeds: &[Vec<Code>]) -> Self {
        let mut queue = Queue::default();
        for seed in seeds {
            let mut person = seed.clone();
            space.set_combination(&mut person, space.combination_of(seed));
            queue.push(SEED, person, seed);
        }
        queue
    }

    fn push(&mut self, rank: f64, person: Vec<Code>, origin: &[Code]) {
        self.waiting.push(Reverse(Waiting {
            rank,
            turn: self.came,
            person,
            origin: origin.to_vec(),
        }));
        self.came += 1;
    }

    /// The next so many people whom the search has not tested, all different.
    fn heads(&mut self, search: &Lockstep<'_, '_>, wanted: usize) -> Vec<Waiting> {
        let mut heads: Vec<Waiting> = Vec::new();
        while heads.len() < wanted
            && let Some(Reverse(next)) = self.waiting.pop()
        {
            let is_among = heads.iter().any(|head| head.person == next.person);
            if !is_among && !search.has_tested(&next.person) {
                heads.push(next);
            }
        }
        heads
    }

    /// Who is next, by the path of somebody who was explained: near them if `is_local`, and
    /// elsewhere.
    fn branch_out(
        &mut self,
        search: &Lockstep<'_, '_>,
        head: &Waiting,
        path: &[Turn],
        is_local: bool,
    ) {
        // What cannot be moved cannot be toggled.
        let can_move = |turn: &Turn| search.space.movable().contains(&turn.attribute);
        if is_local {
            for (place, turn) in path.iter().enumerate().filter(|(_, turn)| can_move(turn)) {
                let mut toggled = path.to_vec();
                toggled[place] = turn.toggled();
                let of_attribute = |other: &&Turn| other.attribute == turn.attribute;
                let solved: Vec<Turn> = toggled.iter().filter(of_attribute).copied().collect();
                let rank = NEAR_FIND + mean_confidence(&toggled);
                self.go(search, head, &toggled, &solved, rank);
            }
        }
        let mut prefix: Vec<Turn> = Vec::new();
        for turn in path.iter().filter(|turn| can_move(turn)) {
            if turn.confidence < LEAST_CONFIDENCE {
                break;
            }
            prefix.push(turn.toggled());
            let rank = ELSEWHERE - mean_confidence(&prefix);
            self.go(search, head, &prefix, &prefix, rank);
            prefix.pop();
            prefix.push(*turn);
        }
    }

    /// Adds the nearest person who takes the turns in `solved`, unless the path was taken before or
    /// leads to somebody who must not be tested.
    fn go(
        &mut self,
        search: &Lockstep<'_, '_>,
        head: &Waiting,
        path: &[Turn],
        solved: &[Turn],
        rank: f64,
    ) {
        if !self.taken.insert(path.iter().map(Turn::way).collect()) {
            return;
        }
        let Some(mut person) = nearest(search.space, &head.person, solved) else {
            return;
        };
        if !search.fences.are_open() {
            search.fences.rein(search.space, &mut person, &head.origin);
            if !search.fences.allow(search.space, &person, &head.origin) {
                return;
            }
        }
        self.push(rank, person, &head.origin);
    }
}
