//! The world of one check: state vectors, what their numbers stand for, and the steps between them.
//!
//! Every kind of component has a folder ([`kinds`] is the table of them): [`host`], [`udp`], [`tcp`], [`time`],
//! [`tasks`], [`choices`], [`faults`]. What all kinds share:
//!
//! - [`components`], [`intern`]: what the numbers of a state vector stand for; [`store`]: the visited states;
//! - [`declared`]: what is declared for one check;
//! - [`prepared`]: what the search knows of an operation; [`dispatch`]: hands each operation to its kind;
//! - [`tables`]: all that vectors refer to, to be looked up; [`system`]: fills them;
//! - [`enabled`]: which steps a state offers; [`quiet`]: which of them may come next; [`step`]: a step, with the
//!   [`events`] that it tells; [`apply`]: the state that a step leads to;
//! - [`touches`]: what steps affect and depend on; [`renaming`]: what becomes of names when processes are exchanged.
//!
//! Invariants: a state vector says everything about the future; equal futures of a
//! component are equal ids; nothing here polls user code but through `unit::learn`.

pub(crate) mod apply;
pub(crate) mod choices;
pub(crate) mod components;
pub(crate) mod declared;
pub(crate) mod dispatch;
pub(crate) mod enabled;
pub(crate) mod events;
pub(crate) mod faults;
pub(crate) mod host;
pub(crate) mod intern;
pub(crate) mod kinds;
pub(crate) mod prepared;
pub(crate) mod quiet;
pub(crate) mod renaming;
pub(crate) mod step;
pub(crate) mod store;
pub(crate) mod system;
pub(crate) mod tables;
pub(crate) mod tasks;
pub(crate) mod tcp;
pub(crate) mod time;
pub(crate) mod touches;
pub(crate) mod udp;

pub(crate) use kinds::for_each_kind;
