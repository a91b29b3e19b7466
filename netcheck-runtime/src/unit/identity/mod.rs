//! Ways to tell that two local histories lead to one local state. The history itself is the way that is always
//! right; `unit::automaton` keeps it.
//!
//! - [`causality`]: histories up to the order of independent steps, for tracked tasks;
//! - [`checkpoint`]: the values and operations that are left of a history at a loop head, for captured loops.

pub(crate) mod causality;
pub(crate) mod checkpoint;
