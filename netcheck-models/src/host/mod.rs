//! Hosts: addresses, binding to ports, the socket that receives a packet, ephemeral ports.
//!
//! UDP and TCP share these rules: an address is bound, reached and given out in the same way for both. Unix domain sockets
//! have addresses of their own, in `unix`; multicast groups are in `group`. Which hosts reach each other is in `reach`.

mod address;
pub mod ephemeral;
pub mod group;
pub mod reach;
pub mod unix;

pub use address::{Addresses, is_local, overlap, reachable, takes};
