//! The domain rate: exact where everyone can be looked at, from a sample otherwise.

use crate::findings::Counterexample;
use crate::model::ModelError;
use crate::model::meter::Cut;
use crate::search::Lockstep;
use crate::spec::Budget;

use super::everyone::{self, Extent, Keep, Walked};
use super::look::Looked;
use super::sample::{Drawing, all};
use super::sampling::{Look, PILOT, draw_until_certain, looks, once, size_for};
use super::{DomainRate, Share};

/// The stream of the first sample, by which the size of the second is chosen. Others use 0 to 2.
const PILOT_STREAM: u64 = 3;

/// What is wanted of the domain rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'b> {
    /// How much it may cost.
    pub(crate) budget: &'b Budget,
    /// The confidence of its interval.
    pub(crate) confidence: f64,
    /// The limit that it is held against.
    pub(crate) limit: Option<f64>,
}

/// What is known of the domain.
#[derive(Debug, Clone)]
pub(crate) struct Domain {
    /// The rate.
    pub(crate) rate: DomainRate,
    /// The clearest pairs among everyone; none where not everyone was looked at.
    pub(crate) pairs: Vec<Counterexample>,
    /// What ended the work before there was as much of it as the spec wants.
    pub(crate) cut: Option<Cut>,
    /// Everyone was to be looked at, and was not.
    pub(crate) unfinished: Option<Unfinished>,
}

/// How far looking at everyone came.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Unfinished {
    /// People that were looked at, whether or not they can exist.
    pub looked_at: u64,
    /// All people.
    pub of: u64,
    /// What ended it.
    pub cut: Cut,
    /// Whether the next run goes on from there.
    pub kept: bool,
}

/// The rate of the domain: everyone's if there are no more than `domain-sample` of them, a sample's
/// otherwise; and after that, if there are no more than `exhaustive`, everyone's after all.
pub(crate) fn domain(
    search: &mut Lockstep<'_, '_>,
    wanted: &Wanted<'_>,
) -> Result<Domain, ModelError> {
    let mut domain = in_the_table(search, wanted)?;
    let Ok(extent) = everyone::extent(search.space) else {
        return Ok(domain);
    };
    let fits = extent.rows <= wanted.budget.exhaustive && search.meter.has_room_for(extent.rows);
    if domain.rate.exact || domain.cut.is_some() || !fits {
        return Ok(domain);
    }
    match everyone::walk(search, &extent, wanted.confidence, &Keep::default())? {
        Walked::All(rate, pairs) => (domain.rate, domain.pairs) = (rate, pairs),
        // Nobody asked for it, and the sample is there.
        Walked::Part { cut, .. } => domain.cut = Some(cut).filter(|cut| *cut == Cut::Interrupted),
    }
    Ok(domain)
}

/// Looks at everyone because somebody asked for it. If that is ended early, the rate is the sample's.
pub(crate) fn everyone_in(
    search: &mut Lockstep<'_, '_>,
    domain: &mut Domain,
    confidence: f64,
    keep: &Keep<'_>,
) -> Result<(), ModelError> {
    let Ok(extent) = everyone::extent(search.space) else {
        return Ok(());
    };
    match everyone::walk(search, &extent, confidence, keep)? {
        Walked::All(rate, pairs) => (domain.rate, domain.pairs) = (rate, pairs),
        Walked::Part {
            looked_at,
            of,
            cut,
            kept,
        } => {
            domain.unfinished = Some(Unfinished {
                looked_at,
                of,
                cut,
                kept,
            });
        }
    }
    Ok(())
}

/// Everyone in a small domain, people drawn uniformly otherwise.
fn in_the_table(search: &mut Lockstep<'_, '_>, wanted: &Wanted<'_>) -> Result<Domain, ModelError> {
    let (space, confidence) = (search.space, wanted.confidence);
    let everyone = space.schema().people();
    let size = match everyone <= wanted.budget.domain_sample as f64 {
        true => Ok(wanted.budget.domain_sample),
        false => sample_size(search, wanted)?,
    };
    let (mut rate, pairs, looked) = match size {
        Ok(size) if everyone <= size as f64 => {
            let (looked, pairs) = all(search, everyone as usize)?;
            let rate = match looked.cut {
                None => DomainRate::exact(looked.share, confidence),
                Some(_) => part_of(looked.share, everyone, confidence),
            };
            (rate, pairs, looked)
        }
        Ok(size) => {
            let (rate, looked) = sampled(search, wanted, size)?;
            (rate, Vec::new(), looked)
        }
        // What was drawn to choose a size by is better than nothing.
        Err(looked) => (
            DomainRate::sampled(looked.share, confidence),
            Vec::new(),
            looked,
        ),
    };
    rate.undecided = looked.undecided;
    rate.all_counterparts = space.all_combinations() == space.combinations().len() as u64;
    if !space.is_constrained() {
        rate.people = Extent::of(space).map(|extent| extent.people);
    }
    Ok(Domain {
        rate,
        pairs,
        cut: looked.cut,
        unfinished: None,
    })
}

/// How many people to draw: `domain-sample`, or as many as the wanted precision takes, which a first
/// sample tells. If the budget ends that, what it saw.
fn sample_size(
    search: &mut Lockstep<'_, '_>,
    wanted: &Wanted<'_>,
) -> Result<Result<usize, Looked>, ModelError> {
    let Some(precision) = wanted.budget.domain_precision else {
        return Ok(Ok(wanted.budget.domain_sample));
    };
    let mut pilot = Drawing::new(search, PILOT_STREAM);
    let share = pilot.until(search, PILOT)?;
    if pilot.looked.cut.is_some() {
        return Ok(Err(pilot.looked));
    }
    let looks = planned(wanted, 1);
    let confidence = looks
        .last()
        .map_or(wanted.confidence, |look| look.confidence);
    Ok(Ok(size_for(precision, confidence, share)))
}

/// The looks at a sample of this size.
fn planned(wanted: &Wanted<'_>, size: usize) -> Vec<Look> {
    match wanted.budget.domain_early_stop && wanted.limit.is_some() {
        true => looks(size, wanted.confidence),
        false => once(size, wanted.confidence),
    }
}

/// The rate of people drawn at random.
fn sampled(
    search: &mut Lockstep<'_, '_>,
    wanted: &Wanted<'_>,
    size: usize,
) -> Result<(DomainRate, Looked), ModelError> {
    let mut drawing = Drawing::new(search, 0);
    let looks = planned(wanted, size);
    let told = draw_until_certain(&looks, wanted.limit, |size| drawing.until(search, size))?;
    let rate = DomainRate {
        lower: told.lower,
        upper: told.upper,
        ..DomainRate::sampled(told.share, wanted.confidence)
    };
    Ok((rate, drawing.looked))
}

/// Some of everyone, in an order that is not random, say nothing of the others: the ends are those
/// that the rate has if none of the others is discriminated, and if all are.
fn part_of(share: Share, everyone: f64, confidence: f64) -> DomainRate {
    let left = everyone - share.of as f64;
    let found = share.discriminated as f64;
    DomainRate {
        lower: found / everyone,
        upper: (found + left) / everyone,
        people: None,
        ..DomainRate::sampled(share, confidence)
    }
}
