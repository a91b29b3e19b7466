//! The plan of a search, its bounds, and who observes it.

use super::frontier::Search;
use super::progress::Progress;
use super::score::Score;
use crate::property::Terminal;
use crate::reduction::symmetry::Classes;
use crate::world::step::Transition;
use crate::world::storage::Unenumerated;
use crate::world::store::{Keep, Store};
use crate::world::system::System;
use std::sync::Arc;

/// An observer of a search of the full space, in which no violation ends the search.
pub trait Observer {
    /// A step leads from `state` to `next`, in which the observer may keep its knowledge of the way.
    fn step(&mut self, system: &mut System, state: &[u32], transition: &Transition, next: &mut Vec<u32>);

    /// No step is possible any more, except failures.
    fn end(&mut self, system: &System, state: &[u32], terminal: &Terminal);
}

/// Bounds of a search; reaching one is a verdict of its own.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub states_max: usize,
    pub depth_max: usize,
    /// Messages on the way to a state.
    pub messages_max: Option<usize>,
    pub memory_bytes_max: usize,
}

/// Which bound was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    States,
    Depth,
    Messages,
    Memory,
    /// So many operations on files were not synced that not all images that a power failure may leave were looked at.
    Files(Unenumerated),
    /// All executions of a simulation were run.
    Simulated,
    /// A simulation has learned as many local states as it may.
    LocalStates,
    /// The user wants it to end.
    Interrupt,
}

/// Is asked while a search that takes long stands still.
pub trait Advisor {
    /// Advice that may make the search smaller, the most promising first.
    fn advice(&self, system: &System, store: &Store) -> Vec<String>;

    /// Draws executions; whether one has violated a property, so that the search need not go on.
    fn hunts(&self) -> bool;
}

/// How to search.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    pub search: Search,
    /// A score: the highest first, whatever `search` says.
    pub score: Option<&'a Score>,
    pub keep: Keep,
    /// Whether states that a visited one covers are left out.
    pub subsumes: bool,
    /// Whether a state may also cover another by its channels, and not only by its zone.
    pub compares_channels: bool,
    /// Which processes are taken to be alike.
    pub symmetry: Option<&'a Classes>,
    /// A round of the reduced search that relied on a footprint which has grown since is still good for learning, but
    /// may go on for ever, as time-outs do where answers are not known yet: after so many states more it is given up.
    pub patience: u64,
    pub limits: Limits,
    /// How many threads expand states.
    pub threads: usize,
    pub progress: &'a Arc<Progress>,
    pub advisor: &'a dyn Advisor,
}
