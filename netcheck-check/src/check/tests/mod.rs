//! Checks against definitions that share no code with them.
//!
//! - [`images`]: images of runs that do the same against each other;
//! - [`least`]: counterexamples against all executions that are no longer;
//! - [`orbits`]: symmetry against all states.

mod images;
mod least;
mod orbits;
