//! Traces: what happened, step by step, as data and in words.
//!
//! - [`wording`]: operations, outcomes and menus in words that never vary;
//! - [`step`]: one step of a counterexample, from a transition and the states around it;
//! - [`counterexample`]: the steps to a violation, as text and as JSON.
//!
//! Reads states and automata; runs no user code and searches nothing.

pub(crate) mod counterexample;
pub(crate) mod step;
pub(crate) mod wording;
