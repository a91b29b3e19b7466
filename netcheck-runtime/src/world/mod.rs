//! The world of one check: state vectors, the components at their positions, and the steps between states.
//!
//! Each kind of component has a folder, and [`kinds`] is the table of the kinds: [`udp`], [`tcp`], [`mailboxes`], [`storage`], [`time`], [`tasks`],
//! [`choices`], [`faults`], [`monitors`]. [`host`] and [`reach`] are no kinds themselves: the kinds share the addresses and ports of
//! hosts, and which hosts reach each other. The modules that all kinds have in common:
//!
//! - [`components`], [`intern`]: the components at the positions of a state vector, and their values; [`store`]: the
//!   visited states;
//! - [`declared`]: the declarations of one check; [`delays`]: how long packets take;
//! - [`prepared`]: operations as the search keeps them; [`dispatch`]: hands each operation to its kind;
//! - [`tables`]: all that state vectors refer to, for look-ups, and [`edges`]: what programs do; [`system`]: fills the tables;
//! - [`enabled`]: the steps that a state offers; [`quiet`]: which of them may come next; [`turns`]: a bound on their orders;
//!   [`readiness`]: calls that complete in the poll that begins them; [`step`]: a step, with its [`events`]; [`apply`]: the
//!   successor state;
//! - [`touches`]: the resources that steps affect and depend on; [`renaming`]: permutations of processes and tasks.
//!
//! Invariants: the possible futures of a state depend on its state vector alone; components with equal futures have
//! equal values; only `unit::learn` polls user code.

pub(crate) mod apply;
pub mod choices;
pub mod components;
pub mod declared;
pub mod delays;
pub(crate) mod dispatch;
mod edges;
pub(crate) mod enabled;
pub mod events;
pub(crate) mod faults;
pub(crate) mod host;
pub mod intern;
pub(crate) mod kinds;
pub mod mailboxes;
pub mod monitors;
mod network_state;
pub mod prepared;
pub(crate) mod quiet;
mod reach;
pub(crate) mod readiness;
pub(crate) mod renaming;
pub mod step;
pub(crate) mod stocks;
pub mod storage;
pub mod store;
pub mod system;
pub(crate) mod tables;
pub mod tasks;
pub mod tcp;
pub mod time;
pub(crate) mod touches;
mod turns;
pub mod udp;

pub(crate) use kinds::{for_each_kind, for_each_kind_with_operations};
