//! Traces for monitors from capture files, pcap and pcapng.
//!
//! [`Capture`] reads a file and decodes its frames. A function of the user's turns what was captured into events: that
//! is a [`CaptureTrace`], and [`CaptureTrace::validate`] asks a monitor about it.
//!
//! A file is taken as a whole or refused with the number of the packet that is wrong ([`Error`]): whatever a packet
//! lacks might be what the monitor would reject. Packets are counted from 1, as Wireshark does.
//!
//! Nothing here captures packets, opens a socket, or panics because of what a file contains.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod capture;
mod error;
mod frame;
mod packet;
mod pcap;
mod pcapng;
mod record;
mod trace;

pub use capture::Capture;
pub use error::Error;
pub use packet::{Datagram, Packet};
pub use trace::{CaptureTrace, CaptureValidation};
