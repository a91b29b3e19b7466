//! `TcpSocket`, shaped like tokio's.

use super::listener::{TcpListener, failed};
use super::options::Options;
use super::stream::TcpStream;
use super::stream::opening::Opening;
use crate::id::SocketId;
use crate::net::os;
#[cfg(unix)]
use crate::net::stand_in::take_back;
use crate::operation::tcp;
use crate::operation::{Effect, Operation, Outcome};
#[cfg(unix)]
use crate::unit::poll::bound::Bound;
use crate::unit::poll::context;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::panic::Location;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// A TCP socket that neither listens nor is connected yet, as `tokio::net::TcpSocket`.
///
/// Options are remembered; only `reuseaddr` and a linger of zero affect the model.
pub struct TcpSocket {
    id: SocketId,
    is_v4: bool,
    settings: Mutex<Settings>,
    options: Options,
    /// Whether its number belongs to a listener or a stream now.
    is_used: bool,
}

struct Settings {
    local: Option<SocketAddr>,
    reuse_address: bool,
    reuse_port: bool,
    keep_alive: bool,
    send_bytes: u32,
    receive_bytes: u32,
}

impl TcpSocket {
    /// A socket for IPv4.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn new_v4() -> io::Result<TcpSocket> {
        Ok(TcpSocket::new(true))
    }

    /// A socket for IPv6.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn new_v6() -> io::Result<TcpSocket> {
        Ok(TcpSocket::new(false))
    }

    /// A socket in place of one of std's that was made to set options of it: of its family, and at the address that it is bound
    /// to. The options have no effect in a check, and are not remembered.
    pub fn from_std_stream(socket: std::net::TcpStream) -> TcpSocket {
        let is_v4 = !socket.local_addr().is_ok_and(|address| address.is_ipv6());
        #[cfg(unix)]
        if let Ok(Bound { socket, local, .. }) = take_back(&socket, &[]) {
            let made = TcpSocket::of(socket, is_v4);
            made.settings().local = Some(local);
            return made;
        }
        TcpSocket::new(is_v4)
    }

    /// Nothing: a check has no devices.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    pub fn bind_device(&self, _interface: Option<&[u8]>) -> io::Result<()> {
        Ok(())
    }

    /// The device that the socket is bound to: none.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    pub fn device(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn new(is_v4: bool) -> Self {
        TcpSocket::of(context::current().new_socket(), is_v4)
    }

    fn of(id: SocketId, is_v4: bool) -> Self {
        let settings = Settings {
            local: None,
            reuse_address: false,
            reuse_port: false,
            keep_alive: false,
            // The default sizes of Linux: net.ipv4.tcp_wmem and tcp_rmem.
            send_bytes: 16 << 10,
            receive_bytes: 128 << 10,
        };
        TcpSocket { id, is_v4, settings: Mutex::new(settings), options: Options::new(), is_used: false }
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().expect("nobody panics with the settings")
    }

    /// Binds the socket. Port 0 gives an ephemeral port.
    ///
    /// # Errors
    /// `AddrInUse` if another socket of the process has the port (unless both share it by `set_reuseaddr`),
    /// `AddrNotAvailable` if the process does not have the address, `InvalidInput` if the socket is already bound.
    #[track_caller]
    pub fn bind(&self, address: SocketAddr) -> io::Result<()> {
        let location = Location::caller();
        self.check_family(address)?;
        if self.settings().local.is_some() {
            return Err(io::Error::from_raw_os_error(os::INVALID));
        }
        let shares = self.settings().reuse_address;
        let bind = Operation::Tcp(tcp::Operation::BindStream { socket: self.id, address, shares });
        match context::current().ask(bind, location) {
            Outcome::Bound(local) => {
                self.settings().local = Some(local);
                Ok(())
            }
            outcome => Err(failed(&outcome)),
        }
    }

    /// Connects, from the address that the socket is bound to.
    ///
    /// # Errors
    /// As [`TcpStream::connect`].
    #[track_caller]
    pub fn connect(mut self, address: SocketAddr) -> impl Future<Output = io::Result<TcpStream>> {
        let location = Location::caller();
        async move {
            let local = self.settings().local;
            self.check_family(address)?;
            let options = std::mem::replace(&mut self.options, Options::new());
            self.is_used = true;
            Opening::of(self.id, local).connect(address, options, location).await
        }
    }

    /// Listens with a backlog: the number of connections that wait to be accepted. Linux admits one more.
    ///
    /// # Errors
    /// `AddrInUse` if another socket of the process listens there.
    #[track_caller]
    pub fn listen(mut self, backlog: u32) -> io::Result<TcpListener> {
        let (bound, any) = (self.settings().local, self.any());
        let (address, backlog) = (bound.unwrap_or(any), backlog as usize);
        let listen =
            Operation::Tcp(tcp::Operation::Listen { socket: self.id, address, is_bound: bound.is_some(), backlog });
        match context::current().ask(listen, Location::caller()) {
            Outcome::Bound(local) => {
                self.is_used = true;
                Ok(TcpListener::new(self.id, local, self.options.clone()))
            }
            outcome => Err(failed(&outcome)),
        }
    }

    /// Linux gives different errors for the two ways to mix families.
    fn check_family(&self, address: SocketAddr) -> io::Result<()> {
        match (self.is_v4, address.is_ipv4()) {
            (true, false) => Err(io::Error::from_raw_os_error(os::FAMILY_NOT_SUPPORTED)),
            (false, true) => Err(io::Error::from_raw_os_error(os::INVALID)),
            _ => Ok(()),
        }
    }

    fn any(&self) -> SocketAddr {
        match self.is_v4 {
            true => (Ipv4Addr::UNSPECIFIED, 0).into(),
            false => (Ipv6Addr::UNSPECIFIED, 0).into(),
        }
    }

    /// The address that the socket is bound to; port 0 before that.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.settings().local.unwrap_or(self.any()))
    }

    /// Always `None`: each error is reported by the call that meets it.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        Ok(None)
    }

    /// Whether the port may be shared with other sockets that also set this, as long as none of them listens.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn reuseaddr(&self) -> io::Result<bool> {
        Ok(self.settings().reuse_address)
    }

    /// Shares the port with other sockets that also set this, as long as none of them listens.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_reuseaddr(&self, reuse: bool) -> io::Result<()> {
        self.settings().reuse_address = reuse;
        Ok(())
    }

    /// The value that was set.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn reuseport(&self) -> io::Result<bool> {
        Ok(self.settings().reuse_port)
    }

    /// Remembered, without effect: several listeners on one port are not modelled.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_reuseport(&self, reuse: bool) -> io::Result<()> {
        self.settings().reuse_port = reuse;
        Ok(())
    }

    /// The value that was set.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn keepalive(&self) -> io::Result<bool> {
        Ok(self.settings().keep_alive)
    }

    /// Remembered, without effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_keepalive(&self, keepalive: bool) -> io::Result<()> {
        self.settings().keep_alive = keepalive;
        Ok(())
    }

    /// Twice the value that was set, as Linux reports it. The capacity of a half-stream is declared for the check:
    /// `tcp(buffer = …)`.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn send_buffer_size(&self) -> io::Result<u32> {
        Ok(self.settings().send_bytes)
    }

    /// Remembered, without effect: the capacity of a half-stream is declared for the check.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_send_buffer_size(&self, size: u32) -> io::Result<()> {
        self.settings().send_bytes = size.saturating_mul(2);
        Ok(())
    }

    /// Twice the value that was set, as Linux reports it. The capacity of a half-stream is declared for the check:
    /// `tcp(buffer = …)`.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn recv_buffer_size(&self) -> io::Result<u32> {
        Ok(self.settings().receive_bytes)
    }

    /// Remembered, without effect: the capacity of a half-stream is declared for the check.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_recv_buffer_size(&self, size: u32) -> io::Result<()> {
        self.settings().receive_bytes = size.saturating_mul(2);
        Ok(())
    }

    /// The value set by `set_nodelay`. (Bytes are never held back in a check.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn nodelay(&self) -> io::Result<bool> {
        Ok(self.options.nodelay.get())
    }

    /// Remembered, without effect: bytes are never held back in a check.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.options.nodelay.set(nodelay);
        Ok(())
    }

    /// The type of service that was set.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn tos_v4(&self) -> io::Result<u32> {
        Ok(self.options.service.get())
    }

    /// Remembered, without effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_tos_v4(&self, tos: u32) -> io::Result<()> {
        // Linux keeps one byte of the value, without the two bits that belong to TCP.
        self.options.service.set(tos & 0xfc);
        Ok(())
    }

    /// The older name of [`tos_v4`](Self::tos_v4).
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn tos(&self) -> io::Result<u32> {
        self.tos_v4()
    }

    /// The older name of [`set_tos_v4`](Self::set_tos_v4).
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_tos(&self, tos: u32) -> io::Result<()> {
        self.set_tos_v4(tos)
    }

    /// The time that a close waits for unsent bytes.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        Ok(self.options.linger.get())
    }

    /// With zero, dropping the stream resets the connection; otherwise without effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        self.options.linger.set(linger);
        Ok(())
    }

    /// Dropping the stream will reset the connection.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.set_linger(Some(Duration::ZERO))
    }
}

impl fmt::Debug for TcpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpSocket").finish_non_exhaustive()
    }
}

impl Drop for TcpSocket {
    fn drop(&mut self) {
        if let (false, Some(context)) = (self.is_used, context::try_current()) {
            context.forget_socket(self.id);
            if let Some(local) = self.settings().local {
                context.effect(Effect::Tcp(tcp::Effect::CloseListener { socket: self.id, local }));
            }
        }
    }
}
