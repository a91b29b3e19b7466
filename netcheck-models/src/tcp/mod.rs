//! TCP connections as two half-streams, as Linux gives them to programs, with all their failures.
//!
//! The model covers what a program can see (RFC 9293 through the socket interface). In quiet time, bytes that one end
//! has written can be read at the other at once: the schedule covers a slow network, which looks like a slow reader.
//! Where packets take time, each write's bytes, the end of a stream, a reset, a connect and its answer are *segments*
//! that arrive one by one, in the order in which they were sent; acknowledgements take none. Failures are those of the
//! paper on transmission failures (section 3 and Table 2): each is a call that fails, after which the connection is
//! broken for both ends.
//!
//! The parts: `half_stream` (the bytes from one end to the other), `segment` (what is under way), `opening` (how far a
//! connect has come), `connection` (both ends and the effects of calls), `arrivals` (the effects of segments), `backlog`
//! (connections that were not accepted yet), `power` (hosts that fall silent), `cut` (links on which nothing comes through),
//! `retries` (hosts that give up), `unix` (connections of Unix domain sockets).

mod arrivals;
mod backlog;
mod connection;
mod cut;
mod half_stream;
mod host;
mod opening;
mod power;
mod retries;
mod segment;
#[cfg(test)]
mod testing;
mod unix;

pub use backlog::Backlog;
pub use connection::{Breakage, Connection, Read, Side, StreamRules, Written};
pub use opening::Answer;
pub use segment::Segment;
