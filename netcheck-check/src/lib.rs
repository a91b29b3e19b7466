//! Checks of netcheck, from their declaration to the report. Use it through the crate `netcheck`.
//!
//! The crate below, `netcheck-runtime`, explores; what is here declares what is to be explored, and tells what was found.
//! So nothing here is worth optimizing: a user's test program compiles it as it compiles itself.
//!
//! | module | what it is | what it never does |
//! | --- | --- | --- |
//! | `trace`, [`report`], [`profile`], [`propagation`] | what happened, in words | run user code |
//! | `replay` | one given execution again | search |
//! | `explore` | one execution, taken by hand on a page | decide a verdict |
//! | [`faults`] | regions of programs with faults of their own | decide what a fault does |
//! | [`check`], [`testing`] | the top: a check from declaration to report | |
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(clippy::too_many_lines)]

mod alone;
pub mod check;
mod error;
#[cfg(feature = "explore")]
mod explore;
mod external;
pub mod faults;
mod folder;
mod network;
mod printable;
pub mod profile;
pub mod propagation;
mod replay;
pub mod report;
#[doc(hidden)]
#[allow(missing_docs, reason = "called by the expansions of the attributes only")]
pub mod testing;
mod trace;

pub use error::Error;
pub use external::{External, PeerCounts};
pub use network::{Network, Registered};
pub use trace::automaton::Automaton;
pub use trace::counterexample::Counterexample;
pub use trace::history::{CallBar, CallHistory};
pub use trace::step::{Channel, Doing, Event, Happening, Kind, Step, Timing};
pub use trace::validated::page;
