//! Real peers of programs that are checked: a process that is started, or a server that is there already.
//!
//! A peer is a function of what it was sent. [`Peer::answers`] says what it does after a history of [`Input`]s: from its
//! branches, if that history was fed before (the I/O cache: `branches`, `file`), and else from the real peer. That is
//! fed over loopback sockets (`wires`), by an instance that was fed the beginning of the history already or by a fresh
//! one (`instance`, `worker`), for which a process is started (`process`, `log`) and given a folder (`folder`). A kill is an input,
//! too: the process is killed and started again, with the same folder.
//!
//! Papers: one process is checked, its peers are real and a cache keeps their answers, as in sections 2 and 3.3 of the
//! paper on net-iocache and UDP. An answer is kept by the history of all connections, and not by the request alone: see
//! the counter of Figure 10 of the paper on joint states.
//!
//! Nothing here knows of checks, schedules or faults.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "its thread waits for real processes")]

mod branches;
mod error;
mod exchange;
mod external;
mod file;
mod folder;
mod instance;
pub mod json;
mod kernel;
mod log;
mod peer;
mod process;
mod wires;
mod worker;

pub use branches::Branch;
pub use error::Error;
pub use exchange::{Input, Output, Port};
pub use external::{External, Protocol, Service};
pub use peer::{Answer, Peer, PeerCounts};
