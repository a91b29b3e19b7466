//! The network of netcheck as pure rules.
//!
//! A *model* maps an operation of a program, and the state of the component that the operation uses, to every possible
//! outcome and the component's next state. This crate performs no I/O, polls no future, spawns no thread, reads no
//! clock and knows no search. Its states are small values that can be compared and hashed; a search explores them
//! elsewhere.
//!
//! - [`host`]: addresses, ports, and the socket that receives a packet;
//! - [`time`]: armed timers by the time that remains, and zones of the instants at which events may happen;
//! - [`event`]: the events of the network in a step, created where an outcome is decided;
//! - [`budget`]: the cost of events in faults, and the faults that an execution may still have;
//! - [`udp`]: one datagram channel under loss, duplication and reordering, after Definitions 1 to 5 of the paper on
//!   net-iocache (*dispatch*, *delivery*, *multiplication choices*, *capacity*);
//! - [`history`]: calls on objects that programs share, linearizable or sequentially consistent;
//! - [`monitor`]: what a protocol may do, as timed automata over events, on traces and on traces of a sniffer;
//! - [`mailboxes`]: the datagrams of Unix domain sockets;
//! - [`storage`]: the files of a host, as its program sees them and as a power failure leaves them;
//! - [`tcp`]: connections as Linux gives them to programs, and the failures of the paper on transmission failures.

#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(clippy::too_many_lines)]

pub mod budget;
pub mod event;
pub mod history;
pub mod host;
pub mod mailboxes;
pub mod monitor;
pub mod storage;
pub mod tcp;
pub mod time;
pub mod udp;
