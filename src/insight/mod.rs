//! What the counterexamples have in common.

pub(crate) mod counterparts;
