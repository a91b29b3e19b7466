//! Exploration: one loop, many frontiers. Knows states and steps, no protocol. What it finds is made least by
//! [`minimal`], layer by layer, or less by [`prune`].

mod again;
pub mod audit;
mod chance;
pub(crate) mod concretize;
pub mod drawn;
mod ends;
mod expand;
pub mod explore;
pub mod explored;
mod filling;
pub mod frontier;
mod in_order;
mod judge;
pub mod minimal;
pub mod plan;
pub mod progress;
mod proviso;
pub mod prune;
pub mod score;
pub mod simulate;
mod timed;
