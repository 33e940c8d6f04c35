//! The local phase: chains that walk on among counterexamples and test people who are new.
//!
//! The paper's chain spends most of its steps on people whom it has seen, on moves that clipping
//! undoes and on gradients. Here every test is of a person whom nobody has tested, inside the domain,
//! chosen by where the scores are expected to lie; every test teaches the chain a slope; and a chain
//! that finds nothing more goes on from somebody whom another chain found.
//!
//! Where there are many chains, they walk in parties, each in a [territory](super::territory) of its
//! own. Parties share nothing, so they walk side by side, and what they find does not depend on how.

use crate::model::meter::Halt;
use crate::schema::Space;
use crate::search::axis::Axis;
use crate::search::gradient::{Point, Precision};
use crate::search::random::{Purpose, stream};
use crate::search::rows::Rows;
use crate::search::tested::{PENDING, Slot, Tested, UNASKED};
use crate::search::{Find, Lockstep, Phase};

use super::asking::Asks;
use super::chain::{Chain, Ground, Pace, Rules, Step};
use super::owners::Owners;
use super::territory::{Territory, divide};

/// Steps from which on a chain tests several people, before it moves on to the best of them.
const MANY_STEPS: usize = 500;

/// People whom a chain tests then at a time.
const TESTS: usize = 2;

/// The chains of a territory, and everyone who was tested there.
///
/// In cache lines of its own: the party beside it may be in the hands of another worker.
#[repr(align(128))]
struct Party {
    territory: Territory,
    chains: Vec<Chain>,
    /// Chains that wait to be taken elsewhere. Apart, so that nobody looks for them who has other parties.
    adrift: Vec<Chain>,
    tested: Tested,
    /// Where the first profiles were copied from, and how many of the finds are copies.
    copied: Vec<Slot>,
    finds: usize,
    /// Where the scores belong that are being asked for.
    needed: Vec<usize>,
    /// Profiles before this one have been asked about.
    answered: usize,
    iterations: u64,
}

/// Walks `chains` chains side by side, from the finds in turn.
pub(in crate::search) fn run(
    search: &mut Lockstep<'_, '_>,
    finds: &[Find],
    chains: usize,
    steps: usize,
) -> Result<(), Halt> {
    if search.space.movable().is_empty() || finds.is_empty() {
        return Ok(());
    }
    let chains = chains.max(finds.len());
    let starts: Vec<Find> = finds.iter().copied().cycle().take(chains).collect();
    let slopes = slopes(search, &starts)?;
    let mut owners = Owners::default();
    let mut parties = gather(search, &starts, &slopes, steps, &mut owners);
    let ended = walk(search, &mut parties, &mut owners, steps);
    disband(search, parties);
    ended
}

/// A party for each territory, with everyone who was tested there before.
fn gather(
    search: &mut Lockstep<'_, '_>,
    starts: &[Find],
    slopes: &[f64],
    steps: usize,
    owners: &mut Owners,
) -> Vec<Party> {
    let profiles = starts.iter().map(|find| search.tested.key(find.slot));
    let profiles: Vec<&[u64]> = profiles.collect();
    // Whoever has to stay near real people needs all the room that there is.
    let territories = match search.fences.need_origins() {
        true => vec![Territory::whole(search.space, starts.len())],
        false => {
            let steepness = steepness(search.space, slopes);
            divide(search.space, &profiles, &steepness, starts.len() * steps)
        }
    };
    let mut parties: Vec<Party> = territories
        .into_iter()
        .map(|territory| Party::new(territory, search.tested.empty()))
        .collect();
    let places = match parties.as_mut_slice() {
        [only] => {
            std::mem::swap(&mut only.tested, &mut search.tested);
            None
        }
        _ => Some(hand_out(&search.tested, &mut parties)),
    };
    let chains: Vec<usize> = parties
        .iter()
        .map(|party| party.territory.chains.len())
        .collect();
    let (crew, search) = (search.meter.crew(), &*search);
    owners.keep_fair(&chains, crew.workers());
    let shares = owners.shares(parties.iter_mut(), crew.workers());
    // Memory lies near the core that first writes to it.
    crew.share_out(shares, |share| {
        for party in share {
            party.set_out(search, starts, slopes, places.as_deref());
            party.tested.reserve(party.chains.len() * steps);
        }
    });
    parties
}

/// Gives every party what is known of the people in its territory. Says for each profile where it is
/// there.
fn hand_out(tested: &Tested, parties: &mut [Party]) -> Vec<Slot> {
    let slots = 0..tested.profiles() as Slot;
    let owner = |slot: Slot| {
        let has = |party: &Party| party.territory.has(tested.key(slot));
        parties.iter().position(has).unwrap_or_default()
    };
    let owners: Vec<usize> = slots.clone().map(owner).collect();
    let mut places = Vec::with_capacity(owners.len());
    for (slot, &owner) in slots.zip(&owners) {
        let party = &mut parties[owner];
        party.copied.push(slot);
        places.push(party.tested.copy(tested, slot));
    }
    for &(slot, combination) in tested.found() {
        let party = &mut parties[owners[slot as usize]];
        let place = places[slot as usize];
        party.tested.add_found(place, combination);
        party.finds += 1;
    }
    places
}

/// Everyone whom the parties have tested is in one table again.
fn disband(search: &mut Lockstep<'_, '_>, parties: Vec<Party>) {
    let is_alone = parties.len() == 1;
    if !is_alone {
        search.tested.expect_finds(found(&parties));
    }
    for mut party in parties {
        search.iterations += party.iterations;
        if is_alone {
            std::mem::swap(&mut party.tested, &mut search.tested);
        } else {
            let copied = &party.copied;
            search.tested.absorb(party.tested, copied, party.finds);
        }
    }
    search.answered = search.tested.profiles();
}

/// How many the parties have found since they set out.
fn found(parties: &[Party]) -> usize {
    let found = parties
        .iter()
        .map(|party| party.tested.found().len() - party.finds);
    found.sum()
}

fn walk(
    search: &mut Lockstep<'_, '_>,
    parties: &mut [Party],
    owners: &mut Owners,
    steps: usize,
) -> Result<(), Halt> {
    let before = search.tested.found().len();
    let goes_far = steps < MANY_STEPS;
    let most = if goes_far { 1 } else { TESTS };
    let workers = search.meter.crew().workers();
    let mut rows: Vec<Rows> = (0..workers).map(|_| Rows::default()).collect();
    for done in (0..steps).step_by(most) {
        if parties.iter().all(|party| party.chains.is_empty()) {
            break;
        }
        search.tell_more(Phase::Local, done, steps, before + found(parties));
        let tests = most.min(steps - done);
        let pace = Pace { tests, goes_far };
        let walked = walk_on(search, parties, owners, &mut rows, pace);
        if walked.is_err() {
            parties.iter_mut().for_each(Party::release);
            return walked;
        }
        let rules = Rules::new(search.space, &search.fences, search.settings, pace);
        take_elsewhere(rules, parties);
    }
    Ok(())
}

/// A round, in which every chain may test so many people. Every worker has rows of its own.
///
/// Each worker walks with parties of its own, without waiting for the others, if there are parties
/// enough; and if the budget is: where it may end in the midst of a round, all have to come to that
/// point together.
fn walk_on(
    search: &mut Lockstep<'_, '_>,
    parties: &mut [Party],
    owners: &mut Owners,
    rows: &mut [Rows],
    pace: Pace,
) -> Result<(), Halt> {
    let chains: Vec<usize> = parties.iter().map(|party| party.chains.len()).collect();
    let tests = chains.iter().sum::<usize>() * pace.tests;
    let rows_at_most = (tests * search.space.combinations().len()) as u64;
    let rules = Rules::new(search.space, &search.fences, search.settings, pace);
    if rows.len() <= parties.len() && search.meter.has_room_for(rows_at_most) {
        owners.keep_fair(&chains, rows.len());
        let shares = owners.shares(parties.iter_mut(), rows.len());
        let shares = shares.into_iter().zip(rows);
        search
            .meter
            .work_side_by_side(shares, |(mut parties, rows), asker| {
                round(rules, &mut parties, rows, asker)
            })
    } else {
        let mut parties: Vec<&mut Party> = parties.iter_mut().collect();
        round(rules, &mut parties, &mut rows[0], search.meter)
    }
}

/// Takes chains that find nothing more to somebody whom any chain of any party has found.
fn take_elsewhere(rules: Rules<'_>, parties: &mut [Party]) {
    let mut adrift = Vec::new();
    for party in parties.iter_mut() {
        adrift.append(&mut party.adrift);
    }
    let finds: Vec<usize> = parties
        .iter()
        .map(|party| party.tested.found().len())
        .collect();
    for mut chain in adrift {
        let (mut place, mut owner) = (chain.draw_find(finds.iter().sum()), 0);
        while place >= finds[owner] {
            place -= finds[owner];
            owner += 1;
        }
        let party = &mut parties[owner];
        let axes = &party.territory.axes;
        chain.settle(&Ground { rules, axes }, &party.tested, place);
        party.chains.push(chain);
    }
}

/// Every chain tests some people: each person and the likeliest counterpart first, the others only
/// where these two agree.
fn round(
    rules: Rules<'_>,
    parties: &mut [&mut Party],
    rows: &mut Rows,
    asks: &mut impl Asks,
) -> Result<(), Halt> {
    rows.clear();
    for party in parties.iter_mut() {
        party.propose(rules, rows);
    }
    note(parties, &asks.ask(rows.all())?);
    rows.clear();
    for party in parties.iter_mut() {
        party.see(rules.space, rows);
    }
    if !rows.all().is_empty() {
        note(parties, &asks.ask(rows.all())?);
    }
    parties.iter_mut().for_each(|party| party.resolve(rules));
    Ok(())
}

/// Notes the scores that the parties needed, in their order.
fn note(parties: &mut [&mut Party], mut scores: &[f32]) {
    for party in parties {
        let (own, others) = scores.split_at(party.needed.len());
        party.note(own);
        scores = others;
    }
}

/// The slopes around every start and the counterpart decided otherwise most clearly, in one call. From
/// there on every test teaches one.
fn slopes(search: &mut Lockstep<'_, '_>, starts: &[Find]) -> Result<Vec<f64>, Halt> {
    let mut points = Vec::with_capacity(2 * starts.len());
    for &Find { slot, combination } in starts {
        let other = search.tested.clearest_other(slot, combination);
        points.extend([combination, other].map(|combination| Point {
            profile: search.tested.key(slot),
            combination,
            score: search.tested.scores(slot)[combination],
        }));
    }
    search
        .gradients
        .slopes(&points, Precision::Canonical, search.meter)
}

/// How much each movable attribute moves the scores, from one end of its domain to the other.
fn steepness(space: &Space, slopes: &[f64]) -> Vec<f64> {
    let movable = space.movable();
    let mut steepness = vec![0.0; movable.len()];
    for slopes in slopes.chunks_exact(movable.len()) {
        for ((sum, slope), &attribute) in steepness.iter_mut().zip(slopes).zip(movable) {
            *sum += slope.abs() * f64::from(space.largest(attribute));
        }
    }
    steepness
}

impl Party {
    fn new(territory: Territory, tested: Tested) -> Self {
        Party {
            territory,
            chains: Vec::new(),
            adrift: Vec::new(),
            tested,
            copied: Vec::new(),
            finds: 0,
            needed: Vec::new(),
            answered: 0,
            iterations: 0,
        }
    }

    /// Lets the chains start; `places` says where profiles are that were handed out.
    fn set_out(
        &mut self,
        search: &Lockstep<'_, '_>,
        starts: &[Find],
        slopes: &[f64],
        places: Option<&[Slot]>,
    ) {
        let ground = Ground {
            rules: Rules::new(
                search.space,
                &search.fences,
                search.settings,
                Pace::default(),
            ),
            axes: &self.territory.axes,
        };
        let chains = self.territory.chains.iter().map(|&index| {
            let mut start = starts[index];
            if let Some(places) = places {
                start.slot = places[start.slot as usize];
            }
            let stream = stream(search.seed, search.benchmark, Purpose::Chain, index as u64);
            let mut chain = Chain::new(&ground, &self.tested, start, stream);
            let movable = ground.axes.len();
            let (own, other) = slopes[2 * movable * index..][..2 * movable].split_at(movable);
            chain.learn(own, other);
            chain
        });
        self.chains = chains.collect();
        self.answered = self.tested.profiles();
    }

    /// Every chain chooses people to test, and rows are made of them and their likeliest counterparts.
    ///
    /// In passes, each a short one: what a chain does in one waits for what it did in the one before, and what it will
    /// look at is brought near. Meanwhile the processor is at work on the chains behind it, as far ahead as it sees:
    /// some hundred instructions.
    fn propose(&mut self, rules: Rules<'_>, rows: &mut Rows) {
        let axes = &self.territory.axes;
        let (ground, tested) = (Ground { rules, axes }, &mut self.tested);
        rows.make_room(rules.space, 2 * rules.pace.tests * self.chains.len());
        let mut needing = Needing::new(rules.space, &self.territory, &mut self.needed, rows);
        let mut looking: Vec<&mut Chain> = self.chains.iter_mut().collect();
        for chain in &mut looking {
            chain.weigh();
        }
        for chain in &mut looking {
            chain.draw_two(rules);
        }
        for chain in &mut looking {
            chain.propose(&ground);
            chain.bring_places(tested);
        }
        while !looking.is_empty() {
            looking.retain_mut(|chain| {
                let looks_on = chain.look(&ground, tested);
                if looks_on {
                    chain.bring_places(tested);
                } else {
                    self.iterations += chain.steps().len() as u64;
                    let steps = chain.steps().iter();
                    steps.for_each(|step| needing.add_pair(tested, chain, step));
                }
                looks_on
            });
        }
    }

    /// Every chain sees what came of its tests. Where somebody and the likeliest counterpart agree, rows
    /// are made of all other counterparts.
    fn see(&mut self, space: &Space, rows: &mut Rows) {
        let mut needing = Needing::new(space, &self.territory, &mut self.needed, rows);
        // Who it will be nobody can foresee, so each is written down and most are written over.
        let mut agreeing = vec![0; self.chains.len()];
        let mut count = 0;
        for (place, chain) in self.chains.iter_mut().enumerate() {
            agreeing[count] = place;
            count += usize::from(!chain.see(&self.tested));
        }
        let combinations = space.combinations().len();
        if combinations == 2 {
            return;
        }
        for &place in &agreeing[..count] {
            let chain = &self.chains[place];
            for step in chain.steps() {
                if !step.differs && !self.tested.discriminated(step.slot, chain.own) {
                    needing.rows.make_room(space, combinations);
                    needing.add(&mut self.tested, chain, step, 0..combinations);
                }
            }
        }
    }

    fn note(&mut self, scores: &[f32]) {
        for (&place, &score) in self.needed.iter().zip(scores) {
            self.tested.set_score(place, score);
        }
        self.answered = self.tested.profiles();
        self.needed.clear();
    }

    /// The chains learn from what they tested, and wait for nothing more.
    fn resolve(&mut self, rules: Rules<'_>) {
        let axes = &self.territory.axes;
        let ground = Ground { rules, axes };
        let mut all_stay = true;
        for chain in &mut self.chains {
            chain.resolve(&ground, &mut self.tested);
            all_stay &= !(chain.adrift | chain.ended);
        }
        if !all_stay {
            let leaving = |chain: &mut Chain| chain.adrift || chain.ended;
            let left = self.chains.extract_if(.., leaving);
            self.adrift.extend(left.filter(|chain| !chain.ended));
        }
    }

    /// Nobody may be taken for tested or decided who was never shown to the model.
    fn release(&mut self) {
        for place in self.needed.drain(..) {
            self.tested.set_score(place, UNASKED);
        }
        for chain in &mut self.chains {
            chain.release(&mut self.tested);
        }
        self.tested.forget_from(self.answered);
    }
}

/// The rows that a party needs, while they are made.
struct Needing<'n> {
    space: &'n Space,
    axes: &'n [Axis],
    needed: &'n mut Vec<usize>,
    rows: &'n mut Rows,
}

impl<'n> Needing<'n> {
    fn new(
        space: &'n Space,
        territory: &'n Territory,
        needed: &'n mut Vec<usize>,
        rows: &'n mut Rows,
    ) -> Self {
        Needing {
            space,
            axes: &territory.axes,
            needed,
            rows,
        }
    }

    /// Makes the rows of somebody and the likeliest counterpart that are not known yet: mostly both.
    #[inline]
    fn add_pair(&mut self, tested: &mut Tested, chain: &Chain, step: &Step) {
        let pair = [chain.own, chain.other];
        let places = pair.map(|combination| tested.place_of_score(step.slot, combination));
        let [own, other] = places.map(|place| tested.is_unasked(place));
        if !(own & other & (pair[0] != pair[1])) || self.space.is_constrained() {
            return self.add(tested, chain, step, pair);
        }
        for place in places {
            tested.set_score(place, PENDING);
        }
        let (row, cell) = chain.changed(self.axes, step);
        self.rows.push_pair(self.space, row, cell, chain.other);
        self.needed.extend_from_slice(&places);
    }

    /// Makes the rows of these combinations that are not known yet. A counterpart who cannot exist is
    /// never asked about.
    #[inline(never)]
    fn add(
        &mut self,
        tested: &mut Tested,
        chain: &Chain,
        step: &Step,
        combinations: impl IntoIterator<Item = usize>,
    ) {
        let (row, cell) = chain.changed(self.axes, step);
        for combination in combinations {
            let place = tested.place_of_score(step.slot, combination);
            let is_possible = || self.space.can_exist_as(tested.key(step.slot), combination);
            if !tested.is_unasked(place) || !is_possible() {
                continue;
            }
            tested.set_score(place, PENDING);
            let other = (combination != chain.own).then_some(combination);
            self.rows.push(self.space, row, cell, other);
            self.needed.push(place);
        }
    }
}
