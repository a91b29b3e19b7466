//! Connections as two streams of bytes, the way that Linux gives them to programs, and every way they fail.
//!
//! What is modelled is what a program can see (RFC 9293 through the socket interface), not segments: bytes that
//! were accepted from one end can be read at the other from then on. That a network takes time is covered by the
//! schedule, since a slow network and a slow reader look the same. Failures are those of the paper on transmission
//! failures (section 3 and Table 2): each is a call that fails, after which the connection is broken for both ends.
//!
//! The parts: `half_stream` (the bytes from one end to the other), `connection` (both ends and what calls do to
//! them), `backlog` (connections that nobody has accepted yet).

mod backlog;
mod connection;
mod half_stream;

pub use backlog::Backlog;
pub use connection::{Breakage, Connection, Read, Side, StreamRules, Written};
