//! Which values of a protected attribute are told apart.

use super::{Code, Domain};

/// A protected attribute and the values that stand for its groups.
///
/// By default every value is a group of its own. Where there are many (an age in years, a salary),
/// groups keep the number of counterparts small: each group is represented by one value, and people of
/// one group are not counterparts of each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    pub(super) position: usize,
    /// One value for each group.
    pub(super) representatives: Vec<Code>,
    grouping: Grouping,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Grouping {
    /// Every value is a group.
    Each,
    /// The first code of each group, rising from 0.
    Ranges(Vec<Code>),
    /// The group of each code; [`NOBODY`] where a value is in none.
    Listed(Vec<u32>),
}

/// A value that is in no group.
const NOBODY: u32 = u32::MAX;

impl Protection {
    /// Every value of an attribute with `size` values is told apart.
    pub fn each(position: usize, size: u64) -> Self {
        Protection {
            position,
            representatives: (0..size as Code).collect(),
            grouping: Grouping::Each,
        }
    }

    /// Groups of neighbouring values; `starts` are the first codes of all groups but the first.
    /// `represent` chooses the value that stands for the codes from the first up to but not
    /// including the second.
    pub fn ranges(
        position: usize,
        size: u64,
        starts: &[Code],
        represent: impl Fn(Code, Code) -> Code,
    ) -> Self {
        let size = size as Code;
        let mut firsts = vec![0];
        firsts.extend(
            starts
                .iter()
                .copied()
                .filter(|&start| start > 0 && start < size),
        );
        firsts.dedup();
        let ends = firsts.iter().skip(1).copied().chain([size]);
        let representatives = firsts
            .iter()
            .zip(ends)
            .map(|(&first, end)| represent(first, end));
        Protection {
            position,
            representatives: representatives.collect(),
            grouping: Grouping::Ranges(firsts),
        }
    }

    /// Groups of any values, by their codes; `represent` chooses the value that stands for a group.
    pub fn listed(
        position: usize,
        size: u64,
        groups: &[Vec<Code>],
        represent: impl Fn(&[Code]) -> Code,
    ) -> Self {
        let mut group_of = vec![NOBODY; size as usize];
        for (group, codes) in groups.iter().enumerate() {
            for &code in codes {
                group_of[code as usize] = group as u32;
            }
        }
        Protection {
            position,
            representatives: groups.iter().map(|codes| represent(codes)).collect(),
            grouping: Grouping::Listed(group_of),
        }
    }

    /// The group of a value, if it is in one.
    pub(super) fn group_of(&self, code: Code) -> Option<usize> {
        match &self.grouping {
            Grouping::Each => Some(code as usize),
            Grouping::Ranges(firsts) => Some(
                firsts
                    .partition_point(|&first| first <= code)
                    .saturating_sub(1),
            ),
            Grouping::Listed(group_of) => match group_of[code as usize] {
                NOBODY => None,
                group => Some(group as usize),
            },
        }
    }

    /// How many groups there are.
    pub(crate) fn groups(&self) -> usize {
        self.representatives.len()
    }

    /// The group of a person, if the value is in one.
    pub(crate) fn group(&self, person: &[Code]) -> Option<usize> {
        self.group_of(person[self.position])
    }

    /// The place of the attribute.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// The values of a group, rising.
    fn codes(&self, group: usize, domain: &Domain) -> Vec<Code> {
        let all = 0..domain.size() as Code;
        match &self.grouping {
            Grouping::Each => vec![group as Code],
            _ => all
                .filter(|&code| self.group_of(code) == Some(group))
                .collect(),
        }
    }

    /// The only value of a group; nothing if there are several.
    pub(crate) fn only_code(&self, group: usize, domain: &Domain) -> Option<Code> {
        match self.codes(group, domain).as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// A group in words: `Female`, `26 to 45`, `Black or Other`.
    pub(crate) fn words(&self, group: usize, domain: &Domain) -> String {
        let codes = self.codes(group, domain);
        match (&self.grouping, codes.as_slice()) {
            (_, [only]) => domain.text(*only).into_owned(),
            (Grouping::Ranges(_), [first, .., last]) => {
                format!("{} to {}", domain.text(*first), domain.text(*last))
            }
            (_, codes) => {
                let texts: Vec<_> = codes.iter().map(|&code| domain.text(code)).collect();
                texts.join(" or ")
            }
        }
    }

    /// Whether every value stands for itself.
    pub(super) fn is_each(&self) -> bool {
        self.grouping == Grouping::Each
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_every_value() {
        let middle = |first, end| (first + end) / 2;
        let ages = Protection::ranges(0, 10, &[3, 7], middle);
        assert_eq!(ages.representatives, [1, 5, 8]);
        let groups: Vec<_> = (0..10).map(|code| ages.group_of(code).unwrap()).collect();
        assert_eq!(groups, [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]);
        // Starts outside the domain make no empty groups.
        assert_eq!(
            Protection::ranges(0, 10, &[0, 5, 99], middle).representatives,
            [2, 7]
        );
    }

    #[test]
    fn a_value_may_be_in_no_group() {
        let races = Protection::listed(0, 4, &[vec![0], vec![1, 3]], |codes| codes[0]);
        assert_eq!(races.representatives, [0, 1]);
        assert_eq!(races.group_of(3), Some(1));
        assert_eq!(races.group_of(2), None);
    }
}
