//! TCP sockets, shaped like `tokio::net`.
//!
//! Connections follow RFC 9293 as Linux gives it to programs, and fail as in section 3 of the paper on TCP transmission
//! failures.
//!
//! - `stream`: connections; `borrowed`, `owned`: their halves;
//! - `listener`, `socket`: accepting, listening and connecting;
//! - `readiness`: sets of calls, to wait for and to report; `options`: the options of sockets.

mod borrowed;
pub(super) mod listener;
pub(super) mod options;
mod owned;
pub(super) mod readiness;
pub(super) mod socket;
pub(super) mod stream;

pub use borrowed::{ReadHalf, WriteHalf};
pub use owned::{OwnedReadHalf, OwnedWriteHalf, ReuniteError};
