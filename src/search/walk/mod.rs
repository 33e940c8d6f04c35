//! fairgate's own steps (`variant = "walk"`): the paper's two phases, but nobody is stepped over and
//! nobody is tested twice. `ALGORITHM.md` says where they leave the paper, and what each departure
//! brings.

mod asking;
mod chain;
mod choice;
pub(super) mod global;
pub(super) mod local;
mod moves;
mod owners;
mod territory;
