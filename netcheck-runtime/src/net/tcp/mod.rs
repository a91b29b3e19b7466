//! TCP sockets, shaped like `tokio::net`.
//!
//! What connections do is RFC 9293 as Linux gives it to programs; how they fail is
//! papers/tcp-transmission-failures.txt section 3.
//!
//! - `stream`: connections; `borrowed`, `owned`: their halves;
//! - `listener`, `socket`: what they are made with;
//! - `readiness`: what can be waited for without reading or writing.

mod borrowed;
pub(super) mod listener;
mod owned;
pub(super) mod readiness;
pub(super) mod socket;
pub(super) mod stream;

pub use borrowed::{ReadHalf, WriteHalf};
pub use owned::{OwnedReadHalf, OwnedWriteHalf, ReuniteError};
