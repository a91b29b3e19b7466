//! Unix domain sockets, shaped like `tokio::net`.
//!
//! The ends of such a socket are on one host, so the names of a process are its own: no other process of the check can
//! connect to them, and nothing that is declared for `tcp` or `udp` happens to what is sent. Files are not modelled. A path
//! that was bound keeps its file, as far as a connect can tell, but a socket can be bound there again, as if the program
//! had removed the file.
//!
//! - `address`: names; `credentials`: the owner of a socket;
//! - `stream`: connections; `borrowed`, `owned`: their halves;
//! - `listener`, `socket`: accepting, listening and connecting; `datagram`: datagrams; `pipe`: pipes.
//!
//! A connection is one of TCP between addresses that stand for the names (`netcheck_models::host::unix`).

mod address;
mod borrowed;
mod credentials;
mod datagram;
mod listener;
mod owned;
pub mod pipe;
mod socket;
mod stream;

pub use address::SocketAddr;
pub use borrowed::{ReadHalf, WriteHalf};
pub use credentials::{UCred, gid_t, pid_t, uid_t};
pub use datagram::UnixDatagram;
pub use listener::UnixListener;
pub use owned::{OwnedReadHalf, OwnedWriteHalf, ReuniteError};
pub use socket::UnixSocket;
pub use stream::UnixStream;
