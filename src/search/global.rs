//! The global phase (Algorithm 3): every seed walks until it is a counterexample or out of steps.

use super::gradient::{Point, Precision};
use super::tested::Slot;
use super::{Find, Lockstep, Phase, keep};
use crate::model::canonical;
use crate::model::meter::Halt;
use crate::schema::Code;

/// A seed on its walk.
struct Walker {
    person: Vec<Code>,
    /// Where the walk started.
    origin: Vec<Code>,
    combination: usize,
    slot: Slot,
    /// The gradients of the person and of the counterpart, summed up with decay.
    momentum: [Vec<f64>; 2],
    /// The last gradients, as long as the person has not moved since.
    known: Option<[Vec<f64>; 2]>,
}

/// Walks all seeds side by side; `finds` grows as people are found, without repeats.
pub(super) fn run(
    search: &mut Lockstep<'_, '_>,
    seeds: &[Vec<Code>],
    finds: &mut Vec<Find>,
) -> Result<(), Halt> {
    let movable = search.space.movable().len();
    let mut live: Vec<Walker> = seeds
        .iter()
        .map(|seed| Walker {
            combination: search.space.combination_of(seed),
            person: seed.clone(),
            origin: seed.clone(),
            slot: 0,
            momentum: [vec![0.0; movable], vec![0.0; movable]],
            known: None,
        })
        .collect();
    let most = search.settings.max_iter;
    for iteration in 0..most {
        search.tell(Phase::Global, iteration, most);
        test(search, &mut live)?;
        live.retain(|walker| !keep_find(search, walker, finds));
        // The person that a last step would make is not tested, so the step is not taken.
        if live.is_empty() || iteration + 1 == most {
            break;
        }
        learn(search, &mut live)?;
        for walker in &mut live {
            advance(search, walker);
        }
    }
    Ok(())
}

fn test(search: &mut Lockstep<'_, '_>, live: &mut [Walker]) -> Result<(), Halt> {
    search.iterations += live.len() as u64;
    for walker in live.iter_mut() {
        walker.slot = search.enlist(&walker.person);
    }
    search.ask_enlisted()?;
    for walker in live {
        search.tested.meet(walker.slot, walker.combination);
    }
    Ok(())
}

fn keep_find(search: &Lockstep<'_, '_>, walker: &Walker, finds: &mut Vec<Find>) -> bool {
    let found = search.tested.discriminated(walker.slot, walker.combination);
    if found {
        let find = Find {
            slot: walker.slot,
            combination: walker.combination,
        };
        keep(finds, find);
    }
    found
}

/// The counterpart whose score is farthest from the person's own; the person itself if none differs.
pub(super) fn farthest(scores: &[f32], own: usize) -> usize {
    let distance = |index: usize| (canonical(scores[index]) - canonical(scores[own])).abs();
    (0..scores.len()).fold(own, |best, index| {
        if distance(index) > distance(best) {
            index
        } else {
            best
        }
    })
}

/// Gradients for everyone who has moved, in one call.
fn learn(search: &mut Lockstep<'_, '_>, live: &mut [Walker]) -> Result<(), Halt> {
    let movable = search.space.movable().len();
    // Where two numbers are pulled apart, points come in pairs, even if nobody's number differs.
    let pairs = search.tested.sides().pulls_apart();
    let asked: Vec<(usize, usize)> = live
        .iter()
        .enumerate()
        .filter(|(_, walker)| walker.known.is_none())
        .map(|(index, walker)| {
            (
                index,
                farthest(search.tested.scores(walker.slot), walker.combination),
            )
        })
        .collect();
    let mut points = Vec::with_capacity(asked.len() * 2);
    for &(index, counterpart) in &asked {
        let walker = &live[index];
        let scores = search.tested.scores(walker.slot);
        let point = |combination: usize| Point {
            profile: search.tested.key(walker.slot),
            combination,
            score: scores[combination],
        };
        points.push(point(walker.combination));
        if counterpart != walker.combination || pairs {
            points.push(point(counterpart));
        }
    }
    let gradients = search
        .gradients
        .of(&points, Precision::Exact, search.meter)?;
    drop(points);
    let mut gradients = gradients.chunks_exact(movable.max(1));
    for (index, counterpart) in asked {
        let own = gradients.next().unwrap_or_default().to_vec();
        let other = if counterpart == live[index].combination && !pairs {
            own.clone()
        } else {
            gradients.next().unwrap_or_default().to_vec()
        };
        live[index].known = Some([own, other]);
    }
    Ok(())
}

/// One step against the gradient wherever the person and the counterpart agree on its sign.
fn advance(search: &Lockstep<'_, '_>, walker: &mut Walker) {
    let decay = search.settings.momentum();
    if let Some(gradients) = &walker.known {
        for (momentum, gradient) in walker.momentum.iter_mut().zip(gradients) {
            for (sum, new) in momentum.iter_mut().zip(gradient) {
                *sum = decay * *sum + new;
            }
        }
    }
    let [own, other] = &walker.momentum;
    let before = walker.person.clone();
    let mut moved = false;
    for (index, &attribute) in search.space.movable().iter().enumerate() {
        let sign = sign(own[index]);
        if sign != 0 && sign == self::sign(other[index]) {
            let step = -sign * search.settings.global_step as i64;
            let next = search.moved(attribute, walker.person[attribute], step);
            moved |= next != walker.person[attribute];
            walker.person[attribute] = next;
        }
    }
    if !search.fences.are_open() {
        search
            .fences
            .rein(search.space, &mut walker.person, &walker.origin);
        let mut person = walker.person.clone();
        search
            .space
            .set_combination(&mut person, walker.combination);
        if !search.fences.allow(search.space, &person, &walker.origin) {
            walker.person.clone_from(&before);
        }
        moved = walker.person != before;
    }
    if moved {
        walker.known = None;
    }
}

/// -1, 0 or 1.
pub(super) fn sign(value: f64) -> i64 {
    i64::from(value > 0.0) - i64::from(value < 0.0)
}
