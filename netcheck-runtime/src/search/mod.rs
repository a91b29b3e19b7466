//! Exploration: one loop, many frontiers. Knows states and steps, no protocol. What it finds is made least by
//! [`minimal`], layer by layer, or less by [`prune`].

mod again;
pub(crate) mod audit;
mod chance;
pub(crate) mod concretize;
pub(crate) mod drawn;
pub(crate) mod estimate;
mod expand;
pub(crate) mod explore;
pub(crate) mod explored;
pub(crate) mod frontier;
mod in_order;
pub(crate) mod minimal;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod prune;
pub(crate) mod score;
pub(crate) mod simulate;
mod timed;
