//! Looking at people through the table of everyone tested: what is asked here is not asked again.

use crate::model::ModelError;
use crate::model::meter::{Cut, Halt};
use crate::schema::Code;
use crate::search::tested::{Slot, Tested};
use crate::search::{Lockstep, Phase};

use super::Share;
use super::groups::{Counting, GroupMetrics, Question};

/// Profiles that are asked in one go: enough for full batches, little enough to be interrupted.
const PORTION: usize = 8192;

/// What came of looking at people.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Looked {
    /// How many there are, and how many of them are discriminated.
    pub(super) share: Share,
    /// Those within numerical noise of where decisions change.
    pub(super) undecided: u64,
    /// What ended it early.
    pub(super) cut: Option<Cut>,
}

impl Looked {
    /// Adds those who were looked at later.
    pub(super) fn add(&mut self, later: &Looked) {
        self.share.of += later.share.of;
        self.share.discriminated += later.share.discriminated;
        self.undecided += later.undecided;
        self.cut = self.cut.or(later.cut);
    }
}

/// A person that was looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// Which one.
    pub(super) index: usize,
    /// The profile.
    pub(super) slot: Slot,
    /// The combination of the person's groups, if it is one of those tested.
    pub(super) group: Option<usize>,
    /// The person's own score.
    pub(super) score: f32,
    /// Whether a counterpart is decided otherwise.
    pub(super) discriminated: bool,
}

/// Somebody who is to be asked about.
struct Met {
    index: usize,
    slot: Slot,
    group: Option<usize>,
    /// The person is none of the profile's combinations and is asked besides.
    outside: bool,
}

/// Looks at people one portion after another until all are done or the budget is spent. `person` says
/// whether there is such a person, and `visit` is told about each.
pub(super) fn look(
    search: &mut Lockstep<'_, '_>,
    phase: Phase,
    total: usize,
    mut person: impl FnMut(usize, &mut Vec<Code>) -> bool,
    mut visit: impl FnMut(&Tested, Seen),
) -> Result<Looked, ModelError> {
    let mut looked = Looked::default();
    for start in (0..total).step_by(PORTION) {
        search.tell(phase, start, total);
        let indices = start..total.min(start + PORTION);
        let (met, rows) = enlist(search, indices, &mut person);
        let asked = search.ask_enlisted();
        let outside = match asked.and_then(|()| search.meter.ask_rows(&rows)) {
            Ok(scores) => scores,
            Err(Halt::Cut(cut)) => {
                search.forget_enlisted();
                looked.cut = Some(cut);
                return Ok(looked);
            }
            Err(Halt::Model(error)) => return Err(error),
        };
        looked.share.of += met.len() as u64;
        let (tested, mut outside) = (&search.tested, outside.into_iter());
        for met in met {
            let seen = seen(tested, &met, &mut outside);
            looked.share.discriminated += u64::from(seen.discriminated);
            looked.undecided += u64::from(tested.undecided(seen.slot, seen.group, seen.score));
            visit(tested, seen);
        }
    }
    Ok(looked)
}

/// Makes a portion of people known to the table; also the rows of those who are asked besides.
fn enlist(
    search: &mut Lockstep<'_, '_>,
    indices: std::ops::Range<usize>,
    person: &mut impl FnMut(usize, &mut Vec<Code>) -> bool,
) -> (Vec<Met>, Vec<f32>) {
    let (mut met, mut rows) = (Vec::with_capacity(indices.len()), Vec::new());
    let mut buffer = Vec::new();
    for index in indices {
        buffer.clear();
        if !person(index, &mut buffer) {
            continue;
        }
        let slot = search.enlist(&buffer);
        let outside = !search.space.is_combination(&buffer);
        if outside {
            search.space.push_row(&buffer, &mut rows);
        }
        met.push(Met {
            index,
            slot,
            group: search.space.own_group(&buffer),
            outside,
        });
    }
    (met, rows)
}

fn seen(tested: &Tested, met: &Met, outside: &mut impl Iterator<Item = f32>) -> Seen {
    let score = match (met.outside, met.group) {
        (false, Some(own)) => tested.scores(met.slot)[own],
        _ => outside.next().unwrap_or(f32::NAN),
    };
    Seen {
        index: met.index,
        slot: met.slot,
        group: met.group,
        score,
        discriminated: tested.differs_from(met.slot, met.group, score),
    }
}

/// What is known of the dataset's own people.
#[derive(Debug, Clone)]
pub(crate) struct OwnPeople {
    /// The share that has a counterpart with another decision.
    pub(crate) share: Share,
    /// What their groups get; nothing if nobody asked, or if not all could be looked at.
    pub(crate) groups: Option<GroupMetrics>,
    /// What ended the work early.
    pub(crate) cut: Option<Cut>,
}

/// Looks at the dataset's own people: have they a counterpart with another decision, and what do their
/// groups get? The scores for the one answer the other.
pub(crate) fn dataset(
    search: &mut Lockstep<'_, '_>,
    people: &[Code],
    question: Option<&Question<'_>>,
) -> Result<OwnPeople, ModelError> {
    let space = search.space;
    let width = space.schema().width();
    let total = people.len() / width;
    let person = |index: usize, person: &mut Vec<Code>| {
        person.extend_from_slice(&people[index * width..][..width]);
        space.can_exist(person)
    };
    let mut counting = Counting::default();
    let looked = look(search, Phase::Dataset, total, person, |_, seen| {
        if let Some(question) = question {
            let person = &people[seen.index * width..][..width];
            counting.add(space, question, person, (seen.index, seen.score));
        }
    })?;
    let whole = looked.cut.is_none() && looked.share.of > 0;
    let groups = question.filter(|_| whole);
    Ok(OwnPeople {
        share: looked.share,
        groups: groups.map(|question| counting.finish(space, question)),
        cut: looked.cut,
    })
}
