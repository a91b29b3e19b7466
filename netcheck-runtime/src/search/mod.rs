//! Exploration: one loop, many frontiers. Knows states and steps, no protocol.

pub(crate) mod concretize;
pub(crate) mod explore;
pub(crate) mod frontier;
pub(crate) mod progress;
