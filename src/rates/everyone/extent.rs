//! How many people a domain has, and whether everyone can be looked at.

use crate::schema::Space;
use crate::words::grouped;

/// The largest domain that is walked over on demand.
pub(crate) const MOST_PEOPLE: u64 = 10_000_000_000;

/// The most combinations of protected values: those of a profile are in memory at the same time.
const MOST_COMBINATIONS: u64 = 1 << 20;

/// How many people a domain has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// People, whether or not they can exist.
    pub(crate) people: u64,
    /// Those who differ in something that matters: so many rows are shown to a model at the most.
    pub(crate) rows: u64,
    /// Combinations of protected values.
    pub(crate) each: u64,
}

impl Extent {
    /// Of a space; nothing if the number of its people is too large to be held.
    pub(crate) fn of(space: &Space) -> Option<Self> {
        let size = |position: &usize| space.schema().attributes()[*position].domain.size();
        let product = |positions: &[usize]| {
            let mut sizes = positions.iter().map(size);
            sizes.try_fold(1_u64, |product, size| product.checked_mul(size))
        };
        let all: Vec<usize> = (0..space.schema().width()).collect();
        let mut matter = all.clone();
        matter.retain(|position| !space.idle().contains(position));
        Some(Extent {
            people: product(&all)?,
            rows: product(&matter)?,
            each: product(space.protected())?,
        })
    }
}

/// Why not everyone can be looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotEveryone {
    /// There are too many people.
    #[error("the declared domain has {0} people; at most {most} can be looked at one by one", most = grouped(MOST_PEOPLE))]
    TooMany(String),
    /// A person has too many counterparts to be held in memory.
    #[error("a person has {all} combinations of protected values; at most {most} can be looked at", all = grouped(*.0), most = grouped(MOST_COMBINATIONS))]
    TooManyCombinations(u64),
    /// Only some combinations of protected values are compared with.
    #[error("each person is compared with {tested} of {all} combinations of protected values, drawn at random, so looking at everyone would not be exact", tested = grouped(*.0), all = grouped(*.1))]
    Drawn(u64, u64),
    /// The budget does not allow it.
    #[error("`max-queries = {0}` allows fewer rows than the {rows} that everyone in the domain takes", rows = grouped(*.1))]
    MaxQueries(u64, u64),
}

impl NotEveryone {
    /// How to mend it.
    pub fn help(&self) -> &'static str {
        match self {
            NotEveryone::TooMany(_) => {
                "declare smaller domains under [dataset.NAME.attributes], or leave out --exhaustive: \
                 the domain rate is then estimated from a sample, with its confidence"
            }
            NotEveryone::TooManyCombinations(_) => {
                "protect fewer attributes at once, declare smaller domains for them, or leave out \
                 --exhaustive"
            }
            NotEveryone::Drawn(..) => {
                "raise `max-combinations`, put values together with `groups`, or leave out \
                 --exhaustive"
            }
            NotEveryone::MaxQueries(..) => {
                "raise `max-queries` or take it out of `budget`, or leave out --exhaustive"
            }
        }
    }
}

/// How many people there are to be looked at in a space.
///
/// # Errors
/// Not everyone can be looked at.
pub(crate) fn extent(space: &Space) -> Result<Extent, NotEveryone> {
    let people = space.schema().people();
    let too_many = || {
        NotEveryone::TooMany(match people < 1e15 {
            true => grouped(people as u64),
            false => format!("about {people:.1e}"),
        })
    };
    let extent = Extent::of(space).ok_or_else(too_many)?;
    let (tested, all) = (space.combinations().len() as u64, space.all_combinations());
    if extent.rows > MOST_PEOPLE {
        Err(too_many())
    } else if extent.each > MOST_COMBINATIONS {
        Err(NotEveryone::TooManyCombinations(extent.each))
    } else if all > tested {
        Err(NotEveryone::Drawn(tested, all))
    } else {
        Ok(extent)
    }
}
