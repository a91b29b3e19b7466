//! A server that never ends: its workers have a queue each, tell each other what they did, and follow a mode.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck_tracked as tokio;
#[cfg(test)]
extern crate netcheck_tracked_std as std;

pub mod board;

#[cfg(test)]
mod systems;
#[cfg(test)]
mod tests;
