//! Checks against definitions that share no code with them.
//!
//! - [`least`]: counterexamples against all executions that are no longer;
//! - [`orbits`]: symmetry against all states.

mod least;
mod orbits;
