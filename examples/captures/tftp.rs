//! The example `tftp`: its packets, and its specification as monitors.

pub use ::tokio;

#[path = "../tftp/program.rs"]
#[allow(dead_code, reason = "only the packets are needed of the program")]
pub mod program;
#[path = "../tftp/specification.rs"]
#[allow(dead_code, reason = "what the check sees is not what a capture has")]
pub mod specification;
