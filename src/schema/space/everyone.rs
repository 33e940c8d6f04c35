//! What somebody must know of a space who looks at everyone in it.

use super::{Constraint, Space};

impl Space {
    /// Attributes whose values make no difference to anything: the model does not read them, and no
    /// constraint is about them.
    pub(crate) fn idle(&self) -> &[usize] {
        &self.idle
    }

    /// The constraints that say nothing about protected attributes, which hold for all counterparts or
    /// for none; and the others.
    pub(crate) fn constraints_apart(&self) -> (Vec<&Constraint>, Vec<&Constraint>) {
        let shared = |constraint: &&Constraint| {
            let mut attributes = constraint.attributes().iter();
            attributes.all(|position| !self.protected.contains(position))
        };
        self.constraints.iter().partition(shared)
    }
}
