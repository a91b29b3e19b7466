//! The engine of netcheck: turns programs into automata and explores their product with
//! the models of the network. Use it through the crate `netcheck`.
//!
//! | module | what it is | what it never does |
//! | --- | --- | --- |
//! | [`net`], [`io`], [`time`], [`task`], [`select`], [`faults`], [`isolated`], [`sync`], [`runtime`], [`signal`] | fronts, shaped like tokio | decide an outcome |
//! | [`sync`] | tokio's and std's own types, each with an object that is touched at every use | decide who gets what |
//! | `unit` | one program as a learned automaton | know a protocol or a search |
//! | `sorted` | small maps and sets, as sorted vectors | |
//! | `world` | state vectors and the steps between them | poll user code but through `unit` |
//! | `graph` | the explored graph and its strongly connected components | know states or steps |
//! | `reduction` | which steps need not be explored | change what a step does |
//! | `search` | one loop, many frontiers | know a protocol |
//! | `property` | what must never happen | |
//! | [`monitor`], [`history`] | what a protocol may do, and how objects may answer | explore |
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(clippy::too_many_lines)]
#![allow(rustdoc::private_intra_doc_links, reason = "modules that are public for netcheck-check alone are hidden")]

#[doc(hidden)]
pub mod capture;
#[doc(hidden)]
pub mod coverage;
pub mod env;
pub mod faults;
pub mod fs;
#[doc(hidden)]
pub mod graph;
pub mod history;
#[doc(hidden)]
pub mod id;
pub mod io;
pub mod isolated;
#[doc(hidden)]
pub mod join;
#[doc(hidden)]
pub mod liveness;
pub mod monitor;
pub mod net;
#[doc(hidden)]
pub mod operation;
#[doc(hidden)]
pub mod property;
#[doc(hidden)]
pub mod reduction;
pub mod rest;
pub mod runtime;
#[doc(hidden)]
pub mod search;
pub mod select;
pub mod signal;
mod sorted;
pub mod sync;
pub mod task;
pub mod time;
#[doc(hidden)]
pub mod unit;
#[doc(hidden)]
pub mod violation;
#[doc(hidden)]
pub mod world;

pub use operation::Side;
pub use property::{End, Judgement};
pub use search::frontier::Search;
pub use search::score::State;
pub use search::simulate::Simulated;
pub use violation::ViolationKind;
pub use world::declared::Direction;
pub use world::store::Keep;

/// The level of optimization that the engine was compiled with, as cargo names it.
#[doc(hidden)]
pub const OPT_LEVEL: &str = env!("ENGINE_OPT_LEVEL");
