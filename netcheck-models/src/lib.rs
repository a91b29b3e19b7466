//! The network of netcheck as pure rules.
//!
//! A *model* says, given what a program asks of the network and the state of the component that it asks,
//! every possible outcome and the component's next state. Nothing else happens here: this crate performs no
//! I/O, polls no future, spawns no thread, reads no clock and knows no search. Its states are small values
//! that are compared and hashed; who explores them is somebody else's business.
//!
//! - [`host`]: addresses, ports, and which socket takes what is sent to an address;
//! - [`time`]: armed timers by the time that remains;
//! - [`event`]: what happens with a step, as data, told where an outcome is decided;
//! - [`budget`]: how many faults that costs, and what is left of those that are allowed.
//! - [`udp`]: one datagram channel under loss, duplication and reordering, after Definitions 1 to 5 of the
//!   paper on net-iocache (*dispatch*, *delivery*, *multiplication choices*, *capacity*).
//! - [`tcp`]: connections as Linux gives them to programs, and the failures of the paper on transmission failures.

#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(clippy::too_many_lines)]

pub mod budget;
pub mod event;
pub mod host;
pub mod tcp;
pub mod time;
pub mod udp;
