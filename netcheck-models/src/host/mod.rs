//! Hosts: addresses, what may be bound to a port, which socket takes what is sent to an address, ephemeral ports.
//!
//! UDP and TCP share these rules: an address is bound, reached and given out in the same way for both.

mod address;
pub mod ephemeral;

pub use address::{Addresses, is_local, overlap, takes};
