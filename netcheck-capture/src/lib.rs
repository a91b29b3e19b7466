//! Traces for monitors from capture files, pcap and pcapng.
//!
//! [`Capture`] reads a file and decodes its frames. Functions of the user's turn datagrams and the bytes of TCP streams
//! into events ([`Decoder`]): that is a [`CaptureTrace`], and [`CaptureTrace::validate`] asks a monitor about it.
//!
//! With the feature `wifi`, captures of 802.11 are read as well: `Capture::frames` and `Capture::trace_of_frames`.
//!
//! A file is taken as a whole or refused with the number of the packet that is wrong ([`Error`]): whatever a packet
//! lacks might be what the monitor would reject. Packets are counted from 1, as Wireshark does.
//!
//! Nothing here captures packets, opens a socket, or panics because of what a file contains.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod capture;
mod connections;
mod decoder;
mod error;
mod frame;
mod packet;
mod pcap;
mod pcapng;
mod record;
mod stream;
mod trace;
#[cfg(feature = "wifi")]
mod wireless;

pub use capture::Capture;
pub use decoder::Decoder;
pub use error::Error;
pub use packet::{Change, Datagram, Packet, Unread};
pub use trace::{CaptureTrace, CaptureValidation, Place};
#[cfg(feature = "wifi")]
pub use wireless::{FrameKind, MacAddress, WirelessFrame};
