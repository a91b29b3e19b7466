//! Hosts: addresses and ports of a process, for UDP and TCP.

pub(crate) mod ephemeral;
pub(crate) mod ports;
