//! A poll of user code: the state of a unit that the poll can see, and the calls that fronts make in it.
//!
//! The state, each part with its own rules and without knowledge of the others:
//! - [`operations`]: the operations that the unit waits for; [`script`]: recorded answers, and effects between them;
//! - [`handles`] and [`numbers`]: sockets, timers, and pending operations of `poll_` functions;
//! - [`tasks`]: tasks, and isolated tasks that were spawned; [`schedule`]: tokio's order of tasks;
//! - [`branches`], [`selects`], [`frames`], [`executions`]: `select!`s, awaiting functions and source lines that are being polled;
//! - [`own_files`]: the files of the host; [`random`]: what was drawn; [`clock`] and [`marks`]: what a run knows of its instants.
//!
//! The calls; each file uses those above it:
//! - [`context`]: the current unit, which holds the state; effects, and abandoning a poll;
//! - [`attempts`]: operations that a poll tries at once; [`calls`]: operations and synchronous calls;
//! - [`sockets`]: sockets and timers; [`spawning`]: tasks and isolated tasks;
//! - [`files`]: calls on the files of the host;
//! - [`turns`]: the tasks and operations that come next;
//! - [`file_calls`]: calls on files by functions of the C library;
//! - [`source`]: random numbers and the time of day; [`tracking`]: the record of tracked tasks; [`capture`]: the record
//!   of a loop head;
//! - [`image`]: the image of the memory; [`waking`]: wakers whose clones say where tasks wait.
//!
//! Nothing here decides an outcome: an operation waits until the engine completes it, and a synchronous call abandons
//! the poll until its answer is at hand.

mod attempts;
pub(crate) mod bound;
mod branches;
mod calls;
pub(crate) mod capture;
mod clock;
pub mod context;
mod executions;
mod file_calls;
mod files;
pub(crate) mod frames;
pub(crate) mod handles;
mod image;
mod instants;
pub(in crate::unit) mod marks;
mod numbers;
pub mod operations;
mod own_files;
mod random;
mod schedule;
mod script;
pub(crate) mod selects;
mod sockets;
mod source;
mod spawning;
pub(crate) mod tasks;
mod tracking;
mod turns;
mod waking;
