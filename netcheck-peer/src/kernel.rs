//! The tables of `/proc`, in which the kernel tells of a peer whether it runs, listens, and has read what it was sent.
//!
//! Silence may mean that a peer had no turn yet, where it waits for a processor or has something to read. Other systems
//! than Linux have no such tables: a peer is only waited for there.

use crate::external::{Protocol, Service};
use std::net::{SocketAddr, TcpStream, UdpSocket};

/// The state of a TCP socket that listens, in the kernel's tables.
const LISTENS: &str = "0A";

/// Whether a thread of a process, or of one that it has started, runs or waits for a processor.
pub(crate) fn is_busy(process: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads.map(|thread| thread.path()).any(|thread| {
        let stat = std::fs::read_to_string(thread.join("stat")).unwrap_or_default();
        // The name before the state is in parentheses, and may have any characters.
        let runs = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'));
        let children = std::fs::read_to_string(thread.join("children")).unwrap_or_default();
        runs || children.split_whitespace().filter_map(|child| child.parse().ok()).any(is_busy)
    })
}

/// Whether a service can be talked to: by the kernel's tables, if it has them, since a connection or a datagram would be
/// one more input.
pub(crate) fn is_open(service: Service, address: SocketAddr) -> bool {
    let is_there = |socket: Socket<'_>| {
        socket.local == address.port() && (service.protocol == Protocol::Udp || socket.state == LISTENS)
    };
    match (any_socket(service.protocol, is_there), service.protocol) {
        (None, Protocol::Tcp) => TcpStream::connect(address).is_ok(),
        // A port that can't be bound was bound by the peer.
        (None, Protocol::Udp) => UdpSocket::bind(address).is_err(),
        (Some(is_open), _) => is_open,
    }
}

/// Whether a service on this machine has connections that it has not accepted, or bytes, an end or datagrams that it has
/// not read. `false` if the kernel doesn't tell.
pub(crate) fn has_unread(service: Service, address: SocketAddr) -> bool {
    let is_unread = |socket: Socket<'_>| socket.local == address.port() && socket.unread > 0;
    address.ip().is_loopback() && any_socket(service.protocol, is_unread) == Some(true)
}

/// A row of the tables of sockets.
struct Socket<'a> {
    /// its own port
    local: u16,
    state: &'a str,
    /// bytes that were not read; of a listener, connections that were not accepted
    unread: u32,
}

/// Whether any socket of a protocol is like that; nothing if there is no table.
fn any_socket(protocol: Protocol, is_like: impl Fn(Socket<'_>) -> bool) -> Option<bool> {
    let tables = match protocol {
        Protocol::Tcp => ["/proc/net/tcp", "/proc/net/tcp6"],
        Protocol::Udp => ["/proc/net/udp", "/proc/net/udp6"],
    };
    let is_in = |table: &str| {
        let table = std::fs::read_to_string(table).ok()?;
        Some(table.lines().filter_map(socket).any(&is_like))
    };
    tables.into_iter().filter_map(is_in).reduce(|one, other| one || other)
}

/// A row: its number, the addresses of both ends, the state, and the lengths of both queues.
fn socket(row: &str) -> Option<Socket<'_>> {
    let mut words = row.split_whitespace().skip(1);
    let (_, local) = words.next()?.rsplit_once(':')?;
    let state = words.nth(1)?;
    let (_, unread) = words.next()?.split_once(':')?;
    Some(Socket { local: u16::from_str_radix(local, 16).ok()?, state, unread: u32::from_str_radix(unread, 16).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_service_has_not_accepted_or_read_is_seen() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let service = Service { protocol: Protocol::Tcp, port: address.port() };
        assert!(is_open(service, address) && !has_unread(service, address));
        let mut client = TcpStream::connect(address).expect("it listens");
        assert!(has_unread(service, address), "nobody has accepted");
        let (accepted, _) = listener.accept().expect("a client");
        assert!(!has_unread(service, address), "all is accepted");
        client.write_all(b"x").expect("it is there");
        assert!(has_unread(service, address), "nobody has read");
        drop(accepted);
    }
}
