//! Names and addresses: `"server:4000"` is port 4000 of the process `server`.

use crate::operation;
use crate::unit::poll::context;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

mod sealed {
    pub trait Resolve {
        /// Every address that the name or address stands for.
        fn resolve(&self) -> std::io::Result<Vec<std::net::SocketAddr>>;
    }
}

pub(crate) use sealed::Resolve;

/// Types that can be converted or resolved to socket addresses, as `tokio::net::ToSocketAddrs`.
///
/// Names are those of the check's processes; `localhost` and loopback addresses are the
/// process itself. The trait is sealed, as tokio's is.
pub trait ToSocketAddrs: sealed::Resolve {}

impl<T: sealed::Resolve + ?Sized> ToSocketAddrs for T {}

/// Every address of a host, as `tokio::net::lookup_host`.
///
/// # Errors
/// If no process has that name.
pub async fn lookup_host<T: ToSocketAddrs>(host: T) -> io::Result<impl Iterator<Item = SocketAddr>> {
    host.resolve().map(Vec::into_iter)
}

impl Resolve for SocketAddr {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![*self])
    }
}

impl Resolve for SocketAddrV4 {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::V4(*self)])
    }
}

impl Resolve for SocketAddrV6 {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::V6(*self)])
    }
}

impl Resolve for (IpAddr, u16) {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::from(*self)])
    }
}

impl Resolve for (Ipv4Addr, u16) {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::from(*self)])
    }
}

impl Resolve for (Ipv6Addr, u16) {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::from(*self)])
    }
}

impl Resolve for [SocketAddr] {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(self.to_vec())
    }
}

impl Resolve for Vec<SocketAddr> {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok(self.clone())
    }
}

impl Resolve for (&str, u16) {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        host(self.0).map(|ip| vec![SocketAddr::new(ip, self.1)])
    }
}

impl Resolve for (String, u16) {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        (self.0.as_str(), self.1).resolve()
    }
}

impl Resolve for str {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        if let Ok(address) = self.parse() {
            return Ok(vec![address]);
        }
        let (name, port) = self
            .rsplit_once(':')
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "invalid socket address"))?;
        let port = port.parse().map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "invalid port value"))?;
        (name, port).resolve()
    }
}

impl Resolve for String {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        self.as_str().resolve()
    }
}

impl<T: Resolve + ?Sized> Resolve for &T {
    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        (**self).resolve()
    }
}

/// The address of a host by name.
fn host(name: &str) -> io::Result<IpAddr> {
    if let Ok(ip) = name.parse() {
        return Ok(ip);
    }
    if name == "localhost" {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let context = context::current();
    let host = context.shared.host_named(name);
    host.map(|host| host.addresses.v4.into()).ok_or_else(|| {
        let known: Vec<&str> = context.shared.hosts.iter().map(|host| host.name.as_str()).collect();
        io::Error::other(format!(
            "failed to lookup address information: no process is named \"{name}\" (there are: {})",
            known.join(", ")
        ))
    })
}

/// The destination that the OS uses for this socket.
pub(super) fn reachable(local: SocketAddr, to: SocketAddr) -> io::Result<SocketAddr> {
    let reached = operation::reachable(local, to);
    reached.ok_or_else(|| io::Error::from_raw_os_error(super::os::FAMILY_NOT_SUPPORTED))
}
