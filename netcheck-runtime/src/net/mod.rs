//! Sockets, shaped like `tokio::net`.
//!
//! Turns calls into operations; never decides an outcome.

mod address;
mod buffers;
mod endpoint;
mod halves;
mod os;
mod setting;
#[cfg(unix)]
mod stand_in;
pub mod tcp;
mod udp;
#[cfg(unix)]
pub mod unix;

pub use address::{ToSocketAddrs, lookup_host};
pub use tcp::listener::TcpListener;
pub use tcp::readiness::{Interest, Ready};
pub use tcp::socket::TcpSocket;
pub use tcp::stream::TcpStream;
pub use udp::UdpSocket;
#[cfg(unix)]
pub use unix::{UnixDatagram, UnixListener, UnixSocket, UnixStream};
