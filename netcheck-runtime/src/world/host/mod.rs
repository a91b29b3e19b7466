//! Hosts: addresses and ports of a process, shared by UDP and TCP. No kind of component itself.

pub(crate) mod ephemeral;
pub(crate) mod ports;
