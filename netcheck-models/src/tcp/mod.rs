//! TCP connections as two half-streams, as Linux gives them to programs, with all their failures.
//!
//! The model covers what a program can see (RFC 9293 through the socket interface), not segments: bytes that one end
//! has written can be read at the other at once. The delays of a network are covered by the schedule, because a slow
//! network and a slow reader look the same. Failures are those of the paper on transmission failures (section 3 and
//! Table 2): each is a call that fails, after which the connection is broken for both ends.
//!
//! The parts: `half_stream` (the bytes from one end to the other), `connection` (both ends and the effects of calls),
//! `backlog` (connections that were not accepted yet).

mod backlog;
mod connection;
mod half_stream;

pub use backlog::Backlog;
pub use connection::{Breakage, Connection, Read, Side, StreamRules, Written};
