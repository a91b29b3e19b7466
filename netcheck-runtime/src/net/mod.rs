//! Sockets, shaped like `tokio::net`.
//!
//! Marshals calls into operations; never decides an outcome.

mod address;
mod udp;

pub use address::{ToSocketAddrs, lookup_host};
pub use udp::UdpSocket;
