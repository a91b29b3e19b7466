//! A poll of user code: the state of a unit that the poll can see, and the calls that fronts make in it.
//!
//! The state, each part with its own rules and without knowledge of the others:
//! - [`operations`]: the menu; [`script`]: answers at hand, and effects between them;
//! - [`handles`] and [`numbers`]: sockets, timers, and what `poll_` functions have under way;
//! - [`tasks`]: tasks, and isolated tasks that were spawned;
//! - [`selects`], [`frames`], [`executions`]: `select!`s, awaiting functions and source lines that are being polled.
//!
//! The calls, each file on those above it:
//! - [`context`]: the current unit, which holds the state; effects, and abandoning a poll;
//! - [`attempts`]: operations that a poll tries at once; [`calls`]: operations and synchronous calls;
//! - [`sockets`]: sockets and timers; [`spawning`]: tasks and isolated tasks;
//! - [`tracking`]: the record of tracked tasks; [`capture`]: the record of a loop head.
//!
//! Nothing here decides an outcome: an operation waits in the menu until the engine completes it, and a synchronous
//! call abandons the poll until its answer is at hand.

mod attempts;
mod calls;
pub(crate) mod capture;
pub(crate) mod context;
mod executions;
pub(crate) mod frames;
pub(crate) mod handles;
mod numbers;
pub(crate) mod operations;
mod script;
pub(crate) mod selects;
mod sockets;
mod spawning;
pub(crate) mod tasks;
mod tracking;
