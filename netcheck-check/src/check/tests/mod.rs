//! Checks against definitions that share no code with them.
//!
//! - [`audit`]: the audit against searches of which something was forgotten;
//! - [`images`]: images of runs that do the same against each other;
//! - [`least`]: counterexamples against all executions that are no longer;
//! - [`orbits`]: symmetry against all states;
//! - [`storage`]: what is durable and pending against what programs see.

mod audit;
mod images;
mod least;
mod orbits;
mod storage;
