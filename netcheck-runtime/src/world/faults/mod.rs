//! Regions of a program outside of which there are no faults (`faults::scope`), and regions with faults of their own
//! (`faults::with`).

mod applied;
pub(crate) mod depends;
pub(crate) mod effects;
pub mod operation;
pub(crate) mod regions;
pub(crate) mod renaming;
