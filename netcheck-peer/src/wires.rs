//! The real sockets of one run of a peer.

use crate::exchange::{Input, Output, Port};
use crate::external::{Protocol, Service};
use crate::kernel;
use socket2::SockRef;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

/// The longest time for a connection to a peer that is not on this machine.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// The most bytes of a datagram.
const DATAGRAM_BYTES: usize = 1 << 16;

/// The real sockets of one run: a TCP socket for each connection, a UDP socket for each client.
pub(crate) struct Wires {
    /// The real address of each service.
    services: Vec<(Service, SocketAddr)>,
    connections: Vec<Connection>,
    clients: Vec<UdpSocket>,
    /// UDP ports that the peer has opened itself.
    opened: Vec<SocketAddr>,
    /// Room for the datagram that comes next.
    buffer: Vec<u8>,
}

/// A connection; without a stream once it is over.
struct Connection {
    stream: Option<TcpStream>,
    /// Whether the peer did not accept it, which is not told yet.
    is_refused: bool,
    outgoing: VecDeque<u8>,
    /// Whether it ends once all is sent.
    ends: bool,
    peer_ended: bool,
}

impl Wires {
    pub(crate) fn new(services: impl IntoIterator<Item = (Service, SocketAddr)>) -> Self {
        let services = services.into_iter().collect();
        let buffer = vec![0; DATAGRAM_BYTES];
        Wires { services, connections: Vec::new(), clients: Vec::new(), opened: Vec::new(), buffer }
    }

    /// Hands an input to the kernel; what the peer does is taken by [`Wires::exchange`].
    pub(crate) fn feed(&mut self, input: &Input) -> io::Result<()> {
        match input {
            Input::Connected { port } => {
                let stream = TcpStream::connect_timeout(&self.address(Protocol::Tcp, *port)?, CONNECT_WITHIN).and_then(
                    |stream| {
                        stream.set_nodelay(true)?;
                        acknowledge_at_once(&stream);
                        stream.set_nonblocking(true)?;
                        Ok(stream)
                    },
                );
                // A peer that accepts no more is seen as one that resets.
                let is_refused = stream.is_err();
                let (stream, outgoing) = (stream.ok(), VecDeque::new());
                self.connections.push(Connection { stream, is_refused, outgoing, ends: false, peer_ended: false });
            }
            Input::Bytes { connection, bytes } => self.connections[*connection].outgoing.extend(bytes),
            Input::Ended { connection } => self.connections[*connection].ends = true,
            Input::Reset { connection } => {
                if let Some(stream) = self.connections[*connection].stream.take() {
                    SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
                }
            }
            Input::Datagram { client, to, payload } => {
                let to = match *to {
                    Port::Service(port) => self.address(Protocol::Udp, port)?,
                    Port::Opened(number) => self.opened[number],
                };
                while self.clients.len() <= *client {
                    let socket = UdpSocket::bind((local(to.ip()), 0))?;
                    socket.set_nonblocking(true)?;
                    self.clients.push(socket);
                }
                self.clients[*client].send_to(payload, to)?;
            }
            Input::Killed => unreachable!("a peer is not killed by its sockets"),
        }
        Ok(())
    }

    /// Sends what is to be sent and takes what has come, as far as possible at once. Returns whether anything moved.
    pub(crate) fn exchange(&mut self, came: &mut Vec<Output>) -> bool {
        let before = came.len();
        let mut moved = false;
        for (number, connection) in self.connections.iter_mut().enumerate() {
            moved |= connection.exchange(number, came);
        }
        for client in 0..self.clients.len() {
            while let Ok((length, from)) = self.clients[client].recv_from(&mut self.buffer) {
                let from = self.port(from);
                came.push(Output::Datagram { client, from, payload: self.buffer[..length].to_vec() });
            }
        }
        moved || came.len() > before
    }

    /// Whether the peer has not yet accepted or read all that it was sent, if it is on this machine.
    pub(crate) fn has_unread(&self) -> bool {
        self.services.iter().any(|&(service, address)| kernel::has_unread(service, address))
    }

    fn address(&self, protocol: Protocol, port: u16) -> io::Result<SocketAddr> {
        let wanted = Service { protocol, port };
        let found = self.services.iter().find(|(service, _)| *service == wanted);
        found.map(|&(_, address)| address).ok_or_else(|| io::Error::other(format!("the peer has no port {port}")))
    }

    /// The port that a datagram has come from.
    fn port(&mut self, from: SocketAddr) -> Port {
        let is_there = |(service, address): &&(Service, SocketAddr)| {
            service.protocol == Protocol::Udp && address.port() == from.port()
        };
        if let Some((service, _)) = self.services.iter().find(is_there) {
            return Port::Service(service.port);
        }
        let known = self.opened.iter().position(|&opened| opened == from);
        Port::Opened(known.unwrap_or_else(|| {
            self.opened.push(from);
            self.opened.len() - 1
        }))
    }
}

impl Connection {
    fn exchange(&mut self, number: usize, came: &mut Vec<Output>) -> bool {
        if std::mem::take(&mut self.is_refused) {
            return self.broken(number, came);
        }
        let Some(stream) = &mut self.stream else { return false };
        let mut moved = false;
        match Self::send(stream, &mut self.outgoing) {
            Ok(sent) => moved |= sent,
            Err(_) => return self.broken(number, came),
        }
        if self.ends && self.outgoing.is_empty() {
            (self.ends, moved) = (false, true);
            let _ = stream.shutdown(Shutdown::Write);
        }
        // A stream that has been read to its end can still be reset.
        if self.peer_ended && !matches!(stream.take_error(), Ok(None)) {
            return self.broken(number, came);
        }
        let mut buffer = [0; 1 << 14];
        while !self.peer_ended {
            match stream.read(&mut buffer) {
                Ok(0) => {
                    self.peer_ended = true;
                    came.push(Output::Ended { connection: number });
                }
                Ok(length) => {
                    came.push(Output::Bytes { connection: number, bytes: buffer[..length].to_vec() });
                    acknowledge_at_once(stream);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return self.broken(number, came),
            }
        }
        moved
    }

    /// Sends as much as the kernel takes.
    fn send(stream: &mut TcpStream, outgoing: &mut VecDeque<u8>) -> io::Result<bool> {
        let mut moved = false;
        while !outgoing.is_empty() {
            match stream.write(outgoing.make_contiguous()) {
                Ok(length) => {
                    outgoing.drain(..length);
                    moved = true;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(moved)
    }

    /// The peer has reset the connection.
    fn broken(&mut self, number: usize, came: &mut Vec<Output>) -> bool {
        self.stream = None;
        came.push(Output::Reset { connection: number });
        true
    }
}

/// A peer with Nagle's algorithm (RFC 896) sends the next few bytes only when the last ones are acknowledged, which the
/// kernel puts off by up to 40 ms. The kernel forgets this with each acknowledgement.
fn acknowledge_at_once(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    {
        // Without it, the peer takes longer.
        let _ = SockRef::from(stream).set_tcp_quickack(true);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// The address to bind a client's socket to.
fn local(peer: IpAddr) -> IpAddr {
    match (peer.is_loopback(), peer) {
        (true, peer) => peer,
        (false, IpAddr::V4(_)) => Ipv4Addr::UNSPECIFIED.into(),
        (false, IpAddr::V6(_)) => Ipv6Addr::UNSPECIFIED.into(),
    }
}
