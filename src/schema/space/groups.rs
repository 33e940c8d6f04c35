//! The protected groups of a space, and their words.

use super::{Protection, Space};

impl Space {
    /// Which values of the protected attributes are told apart.
    pub(crate) fn protections(&self) -> &[Protection] {
        &self.protections
    }

    /// Some protected groups in words, each with its attribute: a place among the groups for each
    /// protected attribute.
    pub fn group_words(&self, place: &[usize]) -> Vec<(String, String)> {
        let both = self.protections.iter().zip(place);
        both.map(|(protection, &group)| {
            let attribute = &self.schema.attributes()[protection.position];
            let words = protection.words(group, &attribute.domain);
            (attribute.name.clone(), words)
        })
        .collect()
    }
}
