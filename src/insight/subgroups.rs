//! How often the search finds somebody, subgroup by subgroup.

use crate::findings::Findings;
use crate::rates::Share;
use crate::schema::{Code, Domain, Field, Space};

/// Numbers with more values than this are cut into ranges.
const MOST_NUMBERS: u64 = 12;

/// Ranges that numbers are cut into.
const RANGES: u64 = 5;

/// The people whom the search tested with these values of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subgroup {
    /// The place of the attribute.
    pub attribute: usize,
    /// The first and the last of its values, as codes.
    pub values: [Code; 2],
    /// Distinct people tested, and counterexamples among them.
    pub share: Share,
}

/// The subgroups of these attributes in which the search tested anybody, in the order of their values.
pub(super) fn subgroups(findings: &Findings, attributes: &[usize]) -> Vec<Subgroup> {
    let (space, table) = (findings.space(), findings.table());
    let mut cuts: Vec<Cuts> = attributes.iter().map(|&at| Cuts::new(space, at)).collect();
    // Not a loop: parts of tables are gone through sooner from inside.
    table.everyone().for_each(|(slot, combination, found)| {
        for cuts in &mut cuts {
            let code = match cuts.place {
                Place::Protected(place) => space.combinations()[combination][place],
                Place::Packed(field) => field.code(table.key(slot)),
            };
            cuts.count(code, found);
        }
    });
    cuts.into_iter().flat_map(Cuts::subgroups).collect()
}

/// Where an attribute's code is found.
enum Place {
    /// So far among the protected ones.
    Protected(usize),
    /// In the packed profile.
    Packed(Field),
}

/// An attribute cut into subgroups.
struct Cuts {
    attribute: usize,
    place: Place,
    /// How many values each subgroup has; the last one may have fewer.
    width: Code,
    largest: Code,
    shares: Vec<Share>,
}

impl Cuts {
    fn new(space: &Space, attribute: usize) -> Self {
        let domain = &space.schema().attributes()[attribute].domain;
        let named = matches!(domain, Domain::Categories(_) | Domain::Truth);
        let width = match domain.size() {
            size if size > MOST_NUMBERS && !named => size.div_ceil(RANGES),
            _ => 1,
        };
        let count = domain.size().div_ceil(width) as usize;
        let mut protected = space.protected().iter();
        let place = match protected.position(|&position| position == attribute) {
            Some(place) => Place::Protected(place),
            None => Place::Packed(space.packing().field(attribute)),
        };
        Cuts {
            attribute,
            place,
            width: width as Code,
            largest: space.largest(attribute),
            shares: vec![Share::default(); count],
        }
    }

    fn count(&mut self, code: Code, found: bool) {
        // Most are not cut, and dividing takes longer than all the rest.
        let index = match self.width {
            1 => code,
            width => code / width,
        };
        let share = &mut self.shares[index as usize];
        share.of += 1;
        share.discriminated += u64::from(found);
    }

    fn subgroups(self) -> impl Iterator<Item = Subgroup> {
        let shares = self.shares.into_iter().enumerate();
        let tested = shares.filter(|(_, share)| share.of > 0);
        tested.map(move |(index, share)| {
            let first = index as Code * self.width;
            let last = first.saturating_add(self.width - 1).min(self.largest);
            Subgroup {
                attribute: self.attribute,
                values: [first, last],
                share,
            }
        })
    }
}
