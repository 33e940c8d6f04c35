//! The local phase of the paper (Algorithm 4): from every global find a chain walks on among
//! counterexamples.

mod chain;

use super::gradient::{Point, Precision};
use super::rows::Rows;
use super::{Find, Lockstep, Phase, WORTH_SHARING};
use crate::model::meter::{BATCH_ROWS, Halt};
use crate::schema::Space;

pub(crate) use chain::SMALLEST_SALIENCE;
use chain::{Awaits, Chain, Ground, Seat};

/// Chains that walk side by side, until they need the model.
const SIDE_BY_SIDE: usize = 32;

/// Cells of rows that stay in a cache of a megabyte, beside all that the model needs for them.
const NEAR_CELLS: usize = 48 << 10;

/// What a worker has for the chains that it is given.
#[derive(Default)]
struct Desk {
    /// The rows that they want to know the scores of: probes, and then people to be tested.
    rows: Rows,
    probes: usize,
    scores: Vec<f32>,
    /// Steps that they took.
    steps: u64,
}

/// Some chains, in the hands of a worker.
struct Team<'t> {
    seats: &'t mut [Seat],
    desk: &'t mut Desk,
}

/// Walks all chains side by side: each goes on through people whom somebody knows until it needs the model,
/// and then all are asked about at once; or as many as fill a call, if there are more.
///
/// Where a chain goes depends on the model and on its own stream alone. So it is all the same which of two
/// is ahead of the other.
pub(super) fn run(search: &mut Lockstep<'_, '_>, finds: &[Find], steps: usize) -> Result<(), Halt> {
    if search.space.movable().is_empty() || finds.is_empty() || steps == 0 {
        return Ok(());
    }
    // From here on scores are noted in the order in which people are enlisted: nobody may be waiting.
    search.ask_enlisted()?;
    let ground = Ground::new(search, steps);
    let chains = finds.iter().enumerate();
    let seat = |(index, &find)| Seat::new(Chain::new(search, &ground, index, find), search);
    let mut seats: Vec<Seat> = chains.map(seat).collect();
    let workers = search.meter.crew().workers();
    let mut desks: Vec<Desk> = (0..workers).map(|_| Desk::default()).collect();
    search.tested.reserve(finds.len() * steps / 2);
    let before = search.iterations;
    while !seats.is_empty() {
        let turns = seats.len().div_ceil(chains_at_a_time(search));
        let each = seats.len().div_ceil(turns);
        for seats in seats.chunks_mut(each) {
            let taken = (search.iterations - before) as usize / finds.len();
            search.tell(Phase::Local, taken, steps);
            take_turn(search, &ground, seats, &mut desks)?;
        }
        seats.retain(|seat| !matches!(seat.awaits, Awaits::Nothing));
    }
    Ok(())
}

/// How many chains want to know as much as makes a full call, but so few that rows are still in the cache when
/// they are asked about. The same for any number of workers, and whatever a call may hold.
fn chains_at_a_time(search: &Lockstep<'_, '_>) -> usize {
    let rows = (NEAR_CELLS / search.space.schema().width()).clamp(BATCH_ROWS / 4, BATCH_ROWS);
    let combinations = search.space.combinations().len();
    let probes = 2 * search.space.movable().len();
    // About every fifth wants new weights.
    (rows / (combinations + probes / 5)).max(1)
}

/// Chains are told what they wait for, and go on until they wait again.
fn take_turn(
    search: &mut Lockstep<'_, '_>,
    ground: &Ground,
    seats: &mut [Seat],
    desks: &mut [Desk],
) -> Result<(), Halt> {
    let gradients = match ground.forward {
        Some(_) => Vec::new(),
        None => gradients(search, seats)?,
    };
    enlist(search, seats);
    let workers = match seats.len() {
        WORTH_SHARING.. => desks.len(),
        _ => 1,
    };
    let share = seats.len().div_ceil(workers);
    let shares = seats.chunks_mut(share).zip(desks);
    let mut teams: Vec<Team<'_>> = shares.map(|(seats, desk)| Team { seats, desk }).collect();
    ask(search, ground, &mut teams)?;
    for Team { seats, .. } in &mut teams {
        for seat in seats.iter_mut() {
            seat.meet(&mut search.tested);
        }
    }
    let (crew, asked) = (search.meter.crew(), &*search);
    crew.share_out(&mut teams, |team| team.walk_on(asked, ground, &gradients));
    search.iterations += teams.iter().map(|team| team.desk.steps).sum::<u64>();
    Ok(())
}

/// The gradients of all who want new weights, in one call: for sources of slopes that ask by themselves.
fn gradients(search: &mut Lockstep<'_, '_>, seats: &mut [Seat]) -> Result<Vec<f64>, Halt> {
    let movable = search.space.movable().len();
    let mut points = Vec::new();
    for seat in seats {
        let Awaits::Gradients(pair) = &mut seat.awaits else {
            continue;
        };
        pair.place = points.len() * movable;
        let profile = seat.chain.place.key.words();
        let both = [seat.chain.combination, pair.counterpart].into_iter();
        points.extend(both.zip(pair.scores).map(|(combination, score)| Point {
            profile,
            combination,
            score,
        }));
    }
    if points.is_empty() {
        return Ok(Vec::new());
    }
    search
        .gradients
        .of(&points, Precision::Canonical, search.meter)
}

/// Enlists the proposals whom nobody knows.
fn enlist(search: &mut Lockstep<'_, '_>, seats: &mut [Seat]) {
    let tested = &mut search.tested;
    for seat in seats.iter() {
        if matches!(seat.awaits, Awaits::Test { .. }) {
            tested.bring_place(seat.proposal.change);
        }
    }
    for seat in seats {
        if matches!(seat.awaits, Awaits::Test { .. }) {
            let known = tested.profiles();
            seat.proposal.seen.slot = tested.slot_of(&seat.wanted());
            let is_first = tested.profiles() > known;
            seat.awaits = Awaits::Test { is_first };
        }
    }
}

/// Asks for what the chains want to know, in one call for each worker.
fn ask(search: &mut Lockstep<'_, '_>, ground: &Ground, teams: &mut [Team<'_>]) -> Result<(), Halt> {
    let space = search.space;
    search
        .meter
        .crew()
        .share_out(teams.iter_mut(), |team| team.make_rows(space, ground));
    let rows: usize = teams.iter().map(|team| team.desk.rows.count(space)).sum();
    search.meter.check_affordable(rows as u64)?;
    match &mut *teams {
        // A few chains: all workers take part in their call.
        [Team { desk, .. }] if search.meter.crew().workers() > 1 => {
            desk.scores = search.meter.ask_rows(desk.rows.all())?;
        }
        teams => search
            .meter
            .work_side_by_side(teams.iter_mut(), |Team { desk, .. }, asker| {
                desk.scores = asker.ask_rows(desk.rows.all())?;
                Ok(())
            })?,
    }
    if space.is_constrained() {
        return search.ask_enlisted();
    }
    for Team { desk, .. } in teams.iter() {
        let scores = &desk.scores[desk.probes..];
        search.tested.set_scores_from(search.answered, scores);
        search.answered += scores.len() / space.combinations().len();
    }
    Ok(())
}

impl Team<'_> {
    /// Makes the rows of what the chains want to know, unless somebody else asks for it.
    fn make_rows(&mut self, space: &Space, ground: &Ground) {
        let rows = &mut self.desk.rows;
        rows.clear();
        if let Some(forward) = &ground.forward {
            for seat in self.seats.iter_mut() {
                if let Awaits::Gradients(pair) = &mut seat.awaits {
                    pair.place = rows.count(space);
                    for combination in [None, Some(pair.counterpart)] {
                        forward.push_probes(space, &seat.chain.place.row, combination, rows);
                    }
                }
            }
        }
        self.desk.probes = rows.count(space);
        if space.is_constrained() {
            return;
        }
        for seat in self.seats.iter() {
            if matches!(seat.awaits, Awaits::Test { is_first: true }) {
                let change = (seat.proposal.attribute, seat.proposal.value);
                rows.push_combinations(space, &seat.chain.place.row, change);
            }
        }
    }

    /// Lets chains take what they waited for, and go on until they need the model again.
    ///
    /// Some at a time, each of which brings near what it will look at: so its memory comes while others are
    /// at work.
    fn walk_on(&mut self, search: &Lockstep<'_, '_>, ground: &Ground, gradients: &[f64]) {
        let tested = &search.tested;
        let answers = (self.desk.scores.as_slice(), gradients);
        self.desk.steps = 0;
        let mut others = self.seats.iter_mut();
        let mut walking: Vec<&mut Seat> = Vec::with_capacity(SIDE_BY_SIDE);
        loop {
            while walking.len() < SIDE_BY_SIDE {
                let Some(seat) = others.next() else {
                    break;
                };
                if seat.take_answer(search, ground, answers) {
                    walking.push(seat);
                }
            }
            if walking.is_empty() {
                return;
            }
            self.desk.steps += walking.len() as u64;
            for seat in &mut walking {
                let place = tested.likely(seat.proposal.change);
                tested.bring_profile(place);
                if seat.chain.steps_since_gradient >= ground.steps_between_gradients {
                    tested.bring_scores(place);
                }
                seat.proposal.place = place;
            }
            walking.retain_mut(|seat| seat.look(search) && seat.step(search, ground));
        }
    }
}
