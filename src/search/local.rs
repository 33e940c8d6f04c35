//! The local phase of the paper (Algorithm 4): from every global find a chain walks on among
//! counterexamples.

mod chain;
mod weights;

use std::ops::Range;

use super::gradient::{Point, Precision};
use super::rows::Rows;
use super::tested::{Slot, Tested};
use super::wanted::{Change, Wanted};
use super::{Find, Lockstep, Phase, WORTH_SHARING};
use crate::model::meter::{BATCH_ROWS, Halt, even_part};
use crate::schema::Space;

use chain::{Awaits, Chain, Ground, Pair, Seat};
pub(crate) use weights::SMALLEST_SALIENCE;

/// Chains that walk side by side, until they need the model.
const SIDE_BY_SIDE: usize = 32;

/// Cells of rows that stay in a cache of a megabyte, beside all that the model needs for them.
const NEAR_CELLS: usize = 48 << 10;

/// So many tests ahead it is brought near what one of them needs: the place where somebody will be enlisted, which
/// the core of another worker may have, or the chain.
const AHEAD: usize = 16;

/// So many chains ahead one is brought near: asking the model has left it far away.
const NEXT: usize = 8;

/// Full calls that the chains of a turn make, all workers together: so many that these seldom wait for each other, and
/// so few that chains are still near when they are asked about.
const CALLS: usize = 6;

/// What a worker has for the chains that it is given. In cache lines of its own, apart from the desks of the others.
#[derive(Default)]
#[repr(align(128))]
struct Desk {
    /// What they want to know the scores of.
    rows: Rows,
    /// A counterpart around whom probes are made.
    counterpart: Vec<f32>,
    /// Steps that they drew.
    steps: u64,
    /// Which of them want gradients, and whose.
    learners: Vec<(u32, Pair)>,
    /// Whom they want to test, in their order; and the packed profiles that they would step from.
    tests: Vec<Test>,
    keys: Vec<u64>,
    /// The scores of all whom nobody knew, in the same order.
    scores: Vec<f32>,
}

/// Those of a desk who are asked about in a call.
struct Call {
    tests: Range<usize>,
    learners: Range<usize>,
}

/// Somebody whom a chain wants to test. Apart from the chain and small: one worker enlists them all, and
/// notes what came of them.
struct Test {
    change: Change,
    combination: u32,
    /// Which of the worker's chains wants it.
    seat: u32,
    slot: Slot,
    /// Whether nobody knew the profile, so that the chain's worker asks about it.
    is_asked: bool,
    is_found: bool,
}

impl Test {
    /// Whether it is not known what comes of it before all workers have asked: another chain, or somebody else,
    /// asks about the same profile. Those before `first` were known.
    fn is_open(&self, first: usize) -> bool {
        !self.is_asked && self.slot as usize >= first
    }
}

/// Some chains, in the hands of a worker.
struct Team<'t> {
    seats: &'t mut [Seat],
    desk: &'t mut Desk,
}

/// Walks all chains side by side, lap after lap. In a lap each goes on through people whom somebody knows until it
/// needs the model, and then all are asked about at once; or as many as fill [`CALLS`] calls, if there are more.
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
    while !seats.is_empty() {
        let each = even_part(seats.len(), CALLS * chains_in_a_call(search.space));
        for turn in seats.chunks_mut(each) {
            let taken = (search.iterations - before) as usize / finds.len();
            search.tell(Phase::Local, taken, steps);
            let mut teams = teams(turn, &mut desks);
            walk_on(search, &ground, &mut teams);
            ask(search, &ground, &mut teams)?;
        }
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

/// Chains go on until they need the model, and say what they want to know.
fn walk_on(search: &mut Lockstep<'_, '_>, ground: &Ground, teams: &mut [Team<'_>]) {
    let (crew, asked) = (search.meter.crew(), &*search);
    crew.share_out(teams.iter_mut(), |team| {
        team.walk_on(asked, ground);
        team.gather();
    });
    search.iterations += teams.iter().map(|team| team.desk.steps).sum::<u64>();
}

/// Asks for what the chains want to know, in one call for each worker, and tells them.
fn ask(search: &mut Lockstep<'_, '_>, ground: &Ground, teams: &mut [Team<'_>]) -> Result<(), Halt> {
    if ground.forward.is_none() {
        ask_gradients(search, teams)?;
    }
    let first = search.tested.profiles();
    let rows = enlist(search, teams);
    search.meter.check_affordable(rows as u64)?;
    // Calls that may hold more than usual have the chains of several.
    let calls = (search.meter.batch_rows() / BATCH_ROWS).max(1);
    let known = Known {
        space: search.space,
        ground,
        tested: &search.tested,
        first,
        in_a_call: calls * chains_in_a_call(search.space),
    };
    match &mut *teams {
        // A few chains: all workers take part in their call.
        [team] if search.meter.crew().workers() > 1 => {
            team.ask(&known, |rows| search.meter.ask_rows(rows))?;
        }
        teams => search
            .meter
            .work_side_by_side(teams.iter_mut(), |team, asker| {
                team.ask(&known, |rows| asker.ask_rows(rows))
            })?,
    }
    if search.space.is_constrained() {
        search.ask_enlisted()?;
    }
    note(search, teams, first);
    Ok(())
}

/// Asks for the gradients of all who want new weights, in one call: for sources of slopes that ask by themselves.
fn ask_gradients(search: &mut Lockstep<'_, '_>, teams: &mut [Team<'_>]) -> Result<(), Halt> {
    let movable = search.space.movable().len();
    let points = teams.iter().flat_map(|team| {
        let learners = team.desk.learners.iter();
        learners.flat_map(|(seat, pair)| team.seats[*seat as usize].points(pair))
    });
    let points: Vec<Point<'_>> = points.collect();
    if points.is_empty() {
        return Ok(());
    }
    let gradients = search
        .gradients
        .of(&points, Precision::Canonical, search.meter)?;
    let mut gradients = gradients.chunks_exact(2 * movable);
    for Team { seats, desk } in teams {
        for ((seat, pair), gradients) in desk.learners.drain(..).zip(&mut gradients) {
            let (own, other) = gradients.split_at(movable);
            let both = own.iter().zip(other);
            seats[seat as usize].learn(pair.counterpart, |steepness| {
                steepness.clear();
                steepness.extend(both.map(|(own, other)| own.abs() + other.abs()));
            });
        }
    }
    Ok(())
}

/// Enlists those whom the chains want to test. Says how many rows they all ask for.
fn enlist(search: &mut Lockstep<'_, '_>, teams: &mut [Team<'_>]) -> usize {
    let (space, tested) = (search.space, &mut search.tested);
    let first = tested.profiles();
    let mut probes = 0;
    for Team { desk, .. } in teams {
        probes += desk.learners.len() * 2 * space.movable().len();
        let keys = desk.keys.chunks_exact(space.packing().words());
        for (place, key) in keys.enumerate() {
            if let Some(test) = desk.tests.get(place + AHEAD) {
                tested.bring_place(test.change);
            }
            let test = &mut desk.tests[place];
            let known = tested.profiles();
            let change = test.change;
            test.slot = tested.slot_of(&Wanted { key, change });
            // Counterparts who cannot exist are left out when all are asked about.
            test.is_asked = tested.profiles() > known && !space.is_constrained();
        }
    }
    match space.is_constrained() {
        true => probes,
        false => probes + (tested.profiles() - first) * space.combinations().len(),
    }
}

/// Notes what came of all tests, in the order of the chains.
fn note(search: &mut Lockstep<'_, '_>, teams: &mut [Team<'_>], first: usize) {
    let tested = &mut search.tested;
    let mut place = first;
    for Team { desk, .. } in teams.iter() {
        tested.set_scores_from(place, &desk.scores);
        place += desk.scores.len() / search.space.combinations().len();
    }
    for Team { desk, seats } in teams {
        for test in &desk.tests {
            let combination = test.combination as usize;
            if test.is_open(first) {
                let seat = &mut seats[test.seat as usize];
                seat.proposal.seen.is_found = tested.meet(test.slot, combination);
            } else {
                tested.meet_seen(test.slot, combination, test.is_found);
            }
        }
    }
    search.answered = tested.profiles();
}

/// Brings near who comes soon of the chains that are left: first where they lie, and when that is there what they
/// point to.
#[inline]
fn bring_next(left: &[Seat]) {
    if let Some(seat) = left.get(NEXT) {
        seat.bring();
    }
    if let Some(seat) = left.get(NEXT / 2) {
        seat.bring_pieces();
    }
}

/// What all workers know while they ask.
struct Known<'k> {
    space: &'k Space,
    ground: &'k Ground,
    tested: &'k Tested,
    /// The first of the profiles that are being asked about.
    first: usize,
    /// How many chains a call is for.
    in_a_call: usize,
}

impl Desk {
    /// Divides all who are asked about evenly among so many calls.
    fn call(&self, place: usize, calls: usize) -> Call {
        let part = |of: usize| place * of / calls..(place + 1) * of / calls;
        Call {
            tests: part(self.tests.len()),
            learners: part(self.learners.len()),
        }
    }

    /// Makes the rows of what chains want to know, unless somebody else asks for it.
    fn make_rows(&mut self, known: &Known<'_>, seats: &[Seat], call: &Call) {
        let (rows, counterpart, space) = (&mut self.rows, &mut self.counterpart, known.space);
        rows.clear();
        let tests = &self.tests[call.tests.clone()];
        for (place, test) in tests.iter().enumerate() {
            if let Some(next) = tests.get(place + AHEAD) {
                seats[next.seat as usize].bring_row();
            }
            if test.is_asked {
                let Seat {
                    chain, proposal, ..
                } = &seats[test.seat as usize];
                let change = (proposal.attribute, proposal.value);
                rows.push_combinations(space, &chain.place.row, change);
            }
        }
        let Some(forward) = known.ground.forward else {
            return;
        };
        for (seat, pair) in &self.learners[call.learners.clone()] {
            let row = seats[*seat as usize].chain.place.row.as_slice();
            counterpart.clear();
            counterpart.extend_from_slice(row);
            space.protect(counterpart, pair.counterpart);
            forward.push_probes(space, row, rows);
            forward.push_probes(space, counterpart, rows);
        }
    }

    /// Tells chains what they wanted to know.
    fn tell(&mut self, known: &Known<'_>, seats: &mut [Seat], call: Call, scores: &[f32]) {
        let combinations = known.space.combinations().len();
        let (sides, mut left) = (known.tested.sides(), scores);
        for test in &mut self.tests[call.tests] {
            let combination = test.combination as usize;
            if test.is_asked {
                let (own, others) = left.split_at(combinations);
                left = others;
                test.is_found = sides.differs_from_any(own[combination], own);
            } else if !test.is_open(known.first) {
                test.is_found = known.tested.discriminated(test.slot, combination);
            }
            let seen = &mut seats[test.seat as usize].proposal.seen;
            (seen.slot, seen.is_found) = (test.slot, test.is_found);
        }
        let of_tests = scores.len() - left.len();
        self.scores.extend_from_slice(&scores[..of_tests]);
        if let Some(forward) = known.ground.forward {
            let each = left.chunks_exact(2 * known.space.movable().len());
            for ((seat, pair), probes) in self.learners[call.learners].iter().zip(each) {
                seats[*seat as usize].learn_forward(forward, pair, probes);
            }
        }
    }
}

impl Team<'_> {
    /// Notes what the chains want to know, in their order.
    fn gather(&mut self) {
        let Desk {
            learners,
            tests,
            keys,
            ..
        } = self.desk;
        learners.clear();
        tests.clear();
        keys.clear();
        for (place, seat) in self.seats.iter().enumerate() {
            match seat.awaits {
                Awaits::Gradients(pair) => learners.push((place as u32, pair)),
                Awaits::Test => {
                    keys.extend_from_slice(seat.chain.place.key.words());
                    tests.push(Test {
                        change: seat.proposal.change,
                        combination: seat.chain.combination as u32,
                        seat: place as u32,
                        slot: 0,
                        is_asked: false,
                        is_found: false,
                    });
                }
                Awaits::Proposal | Awaits::Nothing => {}
            }
        }
    }

    /// Asks for what the chains want to know, a call at a time: rows are asked about while they are in the cache.
    fn ask(
        &mut self,
        known: &Known<'_>,
        mut scores: impl FnMut(&[f32]) -> Result<Vec<f32>, Halt>,
    ) -> Result<(), Halt> {
        let desk = &mut *self.desk;
        desk.scores.clear();
        let waiting = desk.tests.len() + desk.learners.len();
        let calls = waiting.div_ceil(known.in_a_call);
        for place in 0..calls {
            let call = desk.call(place, calls);
            desk.make_rows(known, self.seats, &call);
            let scores = scores(desk.rows.all())?;
            desk.tell(known, self.seats, call, &scores);
        }
        Ok(())
    }

    /// Lets chains go on until they need the model again.
    ///
    /// Some at a time, each of which brings near what it will look at: so its memory comes while others are
    /// at work.
    fn walk_on(&mut self, search: &Lockstep<'_, '_>, ground: &Ground) {
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
                bring_next(others.as_slice());
                if seat.go_on(search, ground, steps) {
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
