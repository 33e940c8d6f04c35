//! The local phase of the paper (Algorithm 4): from every global find a chain walks on among
//! counterexamples.

mod chain;

use super::gradient::{Point, Precision};
use super::rows::Rows;
use super::{Find, Lockstep, Phase, WORTH_SHARING};
use crate::model::meter::{BATCH_ROWS, Halt, even_part};
use crate::schema::Space;

pub(crate) use chain::SMALLEST_SALIENCE;
use chain::{Answers, Awaits, Chain, Ground, Seat};

/// Chains that walk side by side, until they need the model.
const SIDE_BY_SIDE: usize = 32;

/// Cells of rows that stay in a cache of a megabyte, beside all that the model needs for them.
const NEAR_CELLS: usize = 48 << 10;

/// Full calls that the chains of a turn make: enough that two workers have one each.
const CALLS: usize = 2;

/// What a worker has for the chains that it is given.
#[derive(Default)]
struct Desk {
    /// What they want to know the scores of.
    rows: Rows,
    scores: Vec<f32>,
    /// A counterpart around whom probes are made.
    counterpart: Vec<f32>,
    /// Steps that they drew.
    steps: u64,
}

/// Some chains, in the hands of a worker.
struct Team<'t> {
    seats: &'t mut [Seat],
    desk: &'t mut Desk,
}

/// Walks all chains side by side, lap after lap. In a lap each goes on through people whom somebody knows until it
/// needs the model, and then all are asked about at once; or as many as fill two calls, if there are more.
///
/// Where a chain goes depends on the model and on its own stream alone. So it is all the same which of two
/// is ahead of the other.
pub(super) fn run(search: &mut Lockstep<'_, '_>, finds: &[Find], steps: usize) -> Result<(), Halt> {
    if search.space.movable().is_empty() || finds.is_empty() || steps == 0 {
        return Ok(());
    }
    // From here on nobody may be waiting: chains note the scores that they asked for.
    search.ask_enlisted()?;
    let ground = Ground::new(search, steps);
    let chains = finds.iter().enumerate();
    let seat = |(index, &find)| Seat::new(Chain::new(search, &ground, index, find), search);
    let mut seats: Vec<Seat> = chains.map(seat).collect();
    let workers = search.meter.crew().workers();
    let mut desks: Vec<Desk> = (0..workers).map(|_| Desk::default()).collect();
    search.tested.reserve(finds.len() * steps / 2);
    let before = search.iterations;
    // Of the lap before; in the first one there is nothing to walk on with.
    let mut answers: Option<Answers> = None;
    while !seats.is_empty() {
        let each = even_part(seats.len(), CALLS * chains_in_a_call(search.space));
        let mut coming = Answers::default();
        for start in (0..seats.len()).step_by(each) {
            let taken = (search.iterations - before) as usize / finds.len();
            search.tell(Phase::Local, taken, steps);
            let end = seats.len().min(start + each);
            let turn = &mut seats[start..end];
            if let Some(answers) = &answers {
                walk_on(search, &ground, turn, &mut desks, answers);
            }
            if let Err(halt) = ask(search, &ground, turn, &mut desks, &mut coming) {
                // What the model has said is noted all the same.
                meet(search, &mut seats[..start], &coming);
                if let Some(answers) = &answers {
                    meet(search, &mut seats[end..], answers);
                }
                return Err(halt);
            }
        }
        answers = Some(coming);
        seats.retain(|seat| !matches!(seat.awaits, Awaits::Nothing));
    }
    Ok(())
}

/// How many chains want to know as much as makes a full call, but so few that rows are still in the cache when
/// they are asked about. The same for any number of workers, and whatever a call may hold.
fn chains_in_a_call(space: &Space) -> usize {
    let rows = (NEAR_CELLS / space.schema().width()).clamp(BATCH_ROWS / 4, BATCH_ROWS);
    let combinations = space.combinations().len();
    let probes = 2 * space.movable().len();
    // About every fifth wants new weights.
    (rows / (combinations + probes / 5)).max(1)
}

/// Some chains, divided among the workers if there are enough.
fn teams<'t>(seats: &'t mut [Seat], desks: &'t mut [Desk]) -> Vec<Team<'t>> {
    let workers = match seats.len() {
        WORTH_SHARING.. => desks.len(),
        _ => 1,
    };
    let share = seats.len().div_ceil(workers);
    let shares = seats.chunks_mut(share).zip(desks);
    shares.map(|(seats, desk)| Team { seats, desk }).collect()
}

/// Chains are told what they waited for, and go on until they wait again.
fn walk_on(
    search: &mut Lockstep<'_, '_>,
    ground: &Ground,
    seats: &mut [Seat],
    desks: &mut [Desk],
    answers: &Answers,
) {
    meet(search, seats, answers);
    let (crew, asked) = (search.meter.crew(), &*search);
    let mut teams = teams(seats, desks);
    crew.share_out(&mut teams, |team| team.walk_on(asked, ground, answers));
    search.iterations += teams.iter().map(|team| team.desk.steps).sum::<u64>();
}

/// Notes what came of tests.
fn meet(search: &mut Lockstep<'_, '_>, seats: &mut [Seat], answers: &Answers) {
    for seat in seats {
        seat.meet(&mut search.tested, &answers.scores);
    }
}

/// Asks for the gradients of all who want new weights, in one call: for sources of slopes that ask by themselves.
fn ask_gradients(
    search: &mut Lockstep<'_, '_>,
    seats: &mut [Seat],
    answers: &mut Answers,
) -> Result<(), Halt> {
    let movable = search.space.movable().len();
    let mut points = Vec::new();
    for seat in seats {
        let Awaits::Gradients(pair) = &mut seat.awaits else {
            continue;
        };
        pair.place = answers.gradients.len() + points.len() * movable;
        let profile = seat.chain.place.key.words();
        let both = [seat.chain.combination, pair.counterpart].into_iter();
        points.extend(both.zip(pair.scores).map(|(combination, score)| Point {
            profile,
            combination,
            score,
        }));
    }
    if !points.is_empty() {
        let gradients = search
            .gradients
            .of(&points, Precision::Canonical, search.meter)?;
        answers.gradients.extend(gradients);
    }
    Ok(())
}

/// Enlists the proposals whom nobody knows. Says to each chain which of the scores to come are its own, from
/// `first` on, and how many there will be.
fn enlist(
    search: &mut Lockstep<'_, '_>,
    ground: &Ground,
    seats: &mut [Seat],
    first: usize,
) -> usize {
    let (space, tested) = (search.space, &mut search.tested);
    let probes = 2 * space.movable().len();
    let tests = space.combinations().len();
    let mut place = first;
    for seat in seats {
        match &mut seat.awaits {
            Awaits::Gradients(pair) if ground.forward.is_some() => {
                pair.place = place;
                place += probes;
            }
            Awaits::Test { .. } => {
                let known = tested.profiles();
                seat.proposal.seen.slot = tested.slot_of(&seat.wanted());
                // Counterparts who cannot exist are left out when all are asked about.
                let is_asked = tested.profiles() > known && !space.is_constrained();
                seat.awaits = Awaits::Test {
                    scores: is_asked.then_some(place),
                };
                place += if is_asked { tests } else { 0 };
            }
            _ => {}
        }
    }
    place - first
}

/// Asks for what the chains want to know, in one call for each worker.
fn ask(
    search: &mut Lockstep<'_, '_>,
    ground: &Ground,
    seats: &mut [Seat],
    desks: &mut [Desk],
    answers: &mut Answers,
) -> Result<(), Halt> {
    if ground.forward.is_none() {
        ask_gradients(search, seats, answers)?;
    }
    let rows = enlist(search, ground, seats, answers.scores.len());
    search.meter.check_affordable(rows as u64)?;
    let space = search.space;
    let mut teams = teams(seats, desks);
    match teams.as_mut_slice() {
        // A few chains: all workers take part in their call.
        [team] if search.meter.crew().workers() > 1 => {
            team.ask(space, ground, |rows| search.meter.ask_rows(rows))?;
        }
        teams => search
            .meter
            .work_side_by_side(teams.iter_mut(), |team, asker| {
                team.ask(space, ground, |rows| asker.ask_rows(rows))
            })?,
    }
    for Team { desk, .. } in &teams {
        answers.scores.extend_from_slice(&desk.scores);
    }
    if space.is_constrained() {
        return search.ask_enlisted();
    }
    search.answered = search.tested.profiles();
    Ok(())
}

impl Desk {
    /// Makes the rows of what chains want to know, unless somebody else asks for it.
    fn make_rows(&mut self, space: &Space, ground: &Ground, seats: &[Seat]) {
        let (rows, counterpart) = (&mut self.rows, &mut self.counterpart);
        rows.clear();
        for seat in seats {
            let row = seat.chain.place.row.as_slice();
            match (&seat.awaits, &ground.forward) {
                (Awaits::Gradients(pair), Some(forward)) => {
                    counterpart.clear();
                    counterpart.extend_from_slice(row);
                    space.protect(counterpart, pair.counterpart);
                    forward.push_probes(space, row, rows);
                    forward.push_probes(space, counterpart, rows);
                }
                (Awaits::Test { scores: Some(_) }, _) => {
                    let change = (seat.proposal.attribute, seat.proposal.value);
                    rows.push_combinations(space, row, change);
                }
                _ => {}
            }
        }
    }
}

impl Team<'_> {
    /// Asks for what the chains want to know, a call at a time: rows are asked about while they are in the cache.
    fn ask(
        &mut self,
        space: &Space,
        ground: &Ground,
        mut scores: impl FnMut(&[f32]) -> Result<Vec<f32>, Halt>,
    ) -> Result<(), Halt> {
        self.desk.scores.clear();
        for seats in self
            .seats
            .chunks(even_part(self.seats.len(), chains_in_a_call(space)))
        {
            self.desk.make_rows(space, ground, seats);
            let scores = scores(self.desk.rows.all())?;
            self.desk.scores.extend_from_slice(&scores);
        }
        Ok(())
    }

    /// Lets chains take what they waited for, and go on until they need the model again.
    ///
    /// Some at a time, each of which brings near what it will look at: so its memory comes while others are
    /// at work.
    fn walk_on(&mut self, search: &Lockstep<'_, '_>, ground: &Ground, answers: &Answers) {
        let tested = &search.tested;
        let steps = &mut self.desk.steps;
        *steps = 0;
        let mut others = self.seats.iter_mut();
        let mut walking: Vec<&mut Seat> = Vec::with_capacity(SIDE_BY_SIDE);
        loop {
            while walking.len() < SIDE_BY_SIDE {
                let Some(seat) = others.next() else {
                    break;
                };
                if seat.take_answer(search, ground, answers, steps) {
                    walking.push(seat);
                }
            }
            if walking.is_empty() {
                return;
            }
            for seat in &mut walking {
                let place = tested.likely(seat.proposal.change);
                tested.bring_profile(place);
                if seat.chain.steps_since_gradient >= ground.steps_between_gradients {
                    tested.bring_scores(place);
                }
                seat.proposal.place = place;
            }
            walking.retain_mut(|seat| seat.look(search) && seat.step(search, ground, steps));
        }
    }
}
