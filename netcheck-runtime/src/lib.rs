//! The engine of netcheck: turns programs into automata and explores their product with
//! the models of the network. Use it through the crate `netcheck`.
//!
//! | module | what it is | what it never does |
//! | --- | --- | --- |
//! | [`net`], [`io`], [`time`], [`task`], [`select`], [`faults`], [`isolated`], [`sync`], [`runtime`], [`signal`] | fronts, shaped like tokio | decide an outcome |
//! | [`sync`] | tokio's and std's own types, each with an object that is touched at every use | decide who gets what |
//! | `unit` | one program as a learned automaton | know a protocol or a search |
//! | `world` | state vectors and the steps between them | poll user code but through `unit` |
//! | `graph` | the explored graph and its strongly connected components | know states or steps |
//! | `reduction` | which steps need not be explored | change what a step does |
//! | `search` | one loop, many frontiers | know a protocol |
//! | `property` | what must never happen | |
//! | [`monitor`] | what a protocol may do, on traces | explore |
//! | `trace`, [`report`], [`profile`], [`propagation`] | what happened, in words | run user code |
//! | `replay` | one given execution again | search |
//! | `explore` | one execution, taken by hand on a page | decide a verdict |
//! | [`check`], [`testing`] | the top: a check from declaration to report | |
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(clippy::too_many_lines)]

#[doc(hidden)]
pub mod capture;
pub mod check;
#[doc(hidden)]
pub mod coverage;
pub mod env;
mod error;
#[cfg(feature = "explore")]
mod explore;
mod external;
pub mod faults;
mod folder;
mod graph;
mod id;
pub mod io;
pub mod isolated;
#[doc(hidden)]
pub mod join;
pub mod monitor;
pub mod net;
mod network;
mod operation;
pub mod profile;
pub mod propagation;
mod property;
mod reduction;
mod replay;
pub mod report;
pub mod runtime;
mod search;
pub mod select;
pub mod signal;
pub mod sync;
pub mod task;
#[doc(hidden)]
#[allow(missing_docs, reason = "called by the expansions of the attributes only")]
pub mod testing;
pub mod time;
mod trace;
mod unit;
mod violation;
mod world;

pub use error::Error;
pub use external::{External, PeerCounts};
pub use network::{Network, Registered};
pub use operation::Side;
pub use property::{End, Judgement};
pub use search::estimate::Estimate;
pub use search::frontier::Search;
pub use search::score::State;
pub use search::simulate::Simulated;
pub use trace::automaton::Automaton;
pub use trace::counterexample::Counterexample;
pub use trace::step::{Channel, Doing, Event, Happening, Kind, Step, Timing};
pub use violation::ViolationKind;
pub use world::declared::Direction;
pub use world::store::Keep;
