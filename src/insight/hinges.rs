//! Which attributes the flips hang on: what becomes of them if one attribute is another person's?

use std::cmp::Reverse;

use crate::findings::{Counterexample, Findings};
use crate::model::meter::{Halt, Meter};
use crate::schema::{Code, Space};
use crate::search::random::{Stream, below};
use crate::telling;

/// Counterexamples that are looked at.
const LOOKED_AT: usize = 256;

/// The same at the least, however many attributes there are.
const LEAST: usize = 16;

/// Real people who are asked for another value.
const TRIES: usize = 8;

/// How often a flip vanishes when an attribute has another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hinge {
    /// The place of the attribute.
    pub attribute: usize,
    /// Counterexamples that are none any more when this attribute alone has another real person's value.
    pub vanished: u64,
    /// Counterexamples that were looked at: drawn evenly, and able to exist with the other value.
    pub of: u64,
}

impl Hinge {
    /// The share of flips that vanish.
    pub fn share(&self) -> f64 {
        self.vanished as f64 / self.of.max(1) as f64
    }
}

/// Every attribute that the search may move, the one that most flips hang on first. Another value is
/// that of one of `people`, drawn; where they all have the same one, any.
///
/// # Errors
/// The time has passed, somebody ended the run, or the model failed.
pub(super) fn hinges(
    findings: &Findings,
    people: &[Code],
    rows: u64,
    stream: &mut Stream,
    meter: &mut Meter<'_>,
) -> Result<Vec<Hinge>, Halt> {
    let space = findings.space();
    let movable = space.movable();
    let most = rows as usize / (2 * movable.len().max(1));
    let drawn = telling::drawn(findings, most.clamp(LEAST, LOOKED_AT));
    let (mut asked, mut rows) = (Vec::new(), Vec::new());
    for (slot, own) in drawn {
        let pair = findings.counterexample(slot, own);
        for (index, &attribute) in movable.iter().enumerate() {
            let other = other_value(space, people, attribute, pair.person[attribute], stream);
            if push_changed(space, &pair, attribute, other, &mut rows) {
                asked.push(index);
            }
        }
    }
    let mut hinges: Vec<Hinge> = movable
        .iter()
        .map(|&attribute| Hinge {
            attribute,
            vanished: 0,
            of: 0,
        })
        .collect();
    let scores = meter.ask_rows(&rows)?;
    for (index, scores) in asked.into_iter().zip(scores.chunks_exact(2)) {
        let differ = findings.table().sides().differ(scores[0], scores[1]);
        hinges[index].of += 1;
        hinges[index].vanished += u64::from(!differ);
    }
    hinges.retain(|hinge| hinge.of > 0);
    // Exactly comparable: the shares as fractions over a common denominator.
    hinges.sort_by(|a, b| {
        let (one, other) = (a.vanished * b.of, b.vanished * a.of);
        Reverse(one)
            .cmp(&Reverse(other))
            .then(a.attribute.cmp(&b.attribute))
    });
    Ok(hinges)
}

/// Another value of an attribute than `own`, as frequent values are among real people.
fn other_value(
    space: &Space,
    people: &[Code],
    attribute: usize,
    own: Code,
    stream: &mut Stream,
) -> Code {
    let width = space.schema().width();
    let count = (people.len() / width) as u64;
    for _ in 0..TRIES.min(count as usize) {
        let drawn = people[below(stream, count) as usize * width + attribute];
        if drawn != own {
            return drawn;
        }
    }
    // All values but one's own.
    let drawn = below(stream, u64::from(space.largest(attribute))) as Code;
    drawn + Code::from(drawn >= own)
}

/// Appends the rows of a pair with another value of an attribute, if both people can exist.
fn push_changed(
    space: &Space,
    pair: &Counterexample,
    attribute: usize,
    value: Code,
    rows: &mut Vec<f32>,
) -> bool {
    let changed = [&pair.person, &pair.counterpart].map(|person| {
        let mut person = person.clone();
        person[attribute] = value;
        person
    });
    let possible = changed.iter().all(|person| space.can_exist(person));
    if possible {
        for person in &changed {
            space.push_row(person, rows);
        }
    }
    possible
}
