//! One program as a learned automaton.
//!
//! - [`context`]: what a poll of user code can see, the scoped current unit;
//! - [`caller`]: which of the program's own source lines makes a call;
//! - [`causality`]: histories up to the order of independent steps, for tracked tasks;
//! - [`checkpoint`]: local states by what is left of a history, for captured loops;
//! - [`instance`]: one live run of a unit, its tasks and the executor that polls them;
//! - [`panics`] and [`watchdog`]: polls that panic, polls that do not return;
//! - [`automaton`]: nodes, edges and the interned outcomes between them;
//! - [`learn`]: taking an edge for the first time, the pool of suspended instances,
//!   rebuilding and the check that a program is deterministic;
//! - [`waits`]: what a tracked task waits for, where it has not had to wait;
//! - [`perform`]: one execution once more, each poll once;
//! - [`wording`]: operations, outcomes and menus in words that never vary.
//!
//! Invariants: user code runs only inside [`instance::Instance::step`]; nothing in this
//! module knows a protocol or a search order.

pub(crate) mod automaton;
pub(crate) mod caller;
pub(crate) mod causality;
pub(crate) mod checkpoint;
pub(crate) mod context;
pub(crate) mod instance;
pub(crate) mod learn;
pub(crate) mod panics;
pub(crate) mod perform;
mod waits;
pub(crate) mod watchdog;
pub(crate) mod wording;
