//! Traces: what happened, step by step, as data and in words.
//!
//! - [`step`]: one step of a counterexample, from a transition and the states around it;
//! - [`counterexample`]: the steps to a violation, as text and as JSON.
//!
//! Reads states and automata; runs no user code and searches nothing.

pub(crate) mod counterexample;
pub(crate) mod step;
