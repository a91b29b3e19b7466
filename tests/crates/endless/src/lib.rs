//! Servers and clients that never end, written plainly with `loop`: one module for each.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

pub mod tcp_lines;
pub mod udp_echo;
pub mod udp_key_value;

#[cfg(test)]
mod systems;
#[cfg(test)]
mod tests;
