//! The program that stands in for a real peer.
//!
//! It keeps nothing but its sockets and the number of its history among the peer's branches: that is its local state when
//! it waits, however it came there. If the peer may be killed, it keeps that number beside the files of its host as well: after a
//! crash the peer is told that it was killed, after that history. Whatever fails at its sockets is told the peer as a reset: the kernel can show it no other failure.

use netcheck_peer::{Answer, Branch, Input, Output, Peer, Port, Protocol};
use netcheck_runtime::capture::{self, Hashed, Value};
use netcheck_runtime::net::{TcpListener, TcpStream, UdpSocket};
use netcheck_runtime::select::choose;
use netcheck_runtime::unit::poll::context;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::hash::{Hash, Hasher};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};

/// The most bytes that are read at once.
const READ_BYTES: usize = 4 << 10;

/// The most bytes of a datagram.
const DATAGRAM_BYTES: usize = 1 << 16;

/// Plays the part of a peer, without end.
pub(super) async fn run(peer: Arc<Peer>) {
    let mut stand_in = StandIn::new(peer).await;
    loop {
        let mut values = capture::values();
        (&&Value(&stand_in, "")).record(&mut values);
        if let Some(new) = capture::checkpoint(|| {}, values) {
            new.tell(format!("{:?}", stand_in.at));
        }
        let input = match stand_in.told.pop_front() {
            Some(input) => input,
            None => poll_fn(|context| stand_in.poll_input(context)).await,
        };
        for output in stand_in.answer(&input).await {
            stand_in.perform(output).await;
        }
    }
}

struct StandIn {
    peer: Arc<Peer>,
    /// All that was told the peer, and what it answered.
    at: Branch,
    listeners: Vec<(u16, TcpListener)>,
    sockets: Vec<(Port, UdpSocket)>,
    connections: Vec<Connection>,
    /// The addresses that datagrams came from.
    clients: Vec<SocketAddr>,
    /// Inputs that the peer has to be told before anything else.
    told: VecDeque<Input>,
    /// Whether it may be killed: then the branch is kept where a kill leaves it.
    may_crash: bool,
}

impl Hash for StandIn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let StandIn { peer: _, may_crash: _, at, listeners, sockets, connections, clients, told } = self;
        (at, listeners, sockets, connections, clients, told).hash(state);
    }
}

/// A connection; without a stream once it is over.
#[derive(Hash)]
struct Connection {
    stream: Option<TcpStream>,
    client_ended: bool,
    peer_ended: bool,
}

impl StandIn {
    async fn new(peer: Arc<Peer>) -> Self {
        let aside = context::current().aside();
        let (connections, clients, told) = (Vec::new(), Vec::new(), VecDeque::new());
        let (at, may_crash) = (Branch::START, aside.is_some());
        let (listeners, sockets) = (Vec::new(), Vec::new());
        let mut stand_in = StandIn { peer, at, listeners, sockets, connections, clients, told, may_crash };
        match aside.and_then(|bytes| bytes.try_into().ok()) {
            Some(killed) => {
                stand_in.at = Branch::from_bytes(killed);
                stand_in.answer(&Input::Killed).await;
            }
            None => stand_in.come_to(Branch::START),
        }
        stand_in.bind().await;
        stand_in
    }

    async fn bind(&mut self) {
        let StandIn { peer, listeners, sockets, .. } = self;
        for service in peer.services() {
            let address = ("0.0.0.0", service.port);
            match service.protocol {
                Protocol::Tcp => {
                    let listener = TcpListener::bind(address).await;
                    listeners.push((service.port, listener.expect("the ports of the process are free")));
                }
                Protocol::Udp => {
                    let socket = UdpSocket::bind(address).await;
                    sockets.push((Port::Service(service.port), socket.expect("the ports of the process are free")));
                }
            }
        }
    }

    /// The peer has been through this.
    fn come_to(&mut self, branch: Branch) {
        self.at = branch;
        if self.may_crash {
            context::current().set_aside(&branch.to_bytes());
        }
    }

    /// Waits at all sockets.
    fn poll_input(&mut self, context: &mut Context<'_>) -> Poll<Input> {
        for (port, listener) in &self.listeners {
            if let Poll::Ready(Ok((stream, _))) = listener.poll_accept(context) {
                let stream = Some(stream);
                self.connections.push(Connection { stream, client_ended: false, peer_ended: false });
                return Poll::Ready(Input::Connected { port: *port });
            }
        }
        for (number, connection) in self.connections.iter_mut().enumerate() {
            if let Poll::Ready(input) = connection.poll_input(number, context) {
                return Poll::Ready(input);
            }
        }
        for (to, socket) in &self.sockets {
            let mut bytes = vec![0; DATAGRAM_BYTES];
            let mut buffer = ReadBuf::new(&mut bytes);
            if let Poll::Ready(Ok(from)) = socket.poll_recv_from(context, &mut buffer) {
                let payload = buffer.filled().to_vec();
                let known = self.clients.iter().position(|&client| client == from);
                let client = known.unwrap_or_else(|| {
                    self.clients.push(from);
                    self.clients.len() - 1
                });
                return Poll::Ready(Input::Datagram { client, to: *to, payload });
            }
        }
        Poll::Pending
    }

    /// Tells the peer; returns what it does, one of the ways if it has several.
    async fn answer(&mut self, input: &Input) -> Vec<Output> {
        let mut answers = self.tell(input);
        let way = if answers.len() > 1 { choose(0..answers.len()).await } else { 0 };
        let Answer { branch, outputs } = answers.swap_remove(way);
        self.come_to(branch);
        outputs
    }

    /// Tells the peer; returns all ways in which it answers, in the program's own memory.
    fn tell(&self, input: &Input) -> Vec<Answer> {
        let current = context::current();
        match current.elsewhere(|| self.peer.answers(self.at, input)) {
            Ok(answers) => answers.clone(),
            Err(error) => current.fail(&error.to_string()),
        }
    }

    async fn perform(&mut self, output: Output) {
        match output {
            Output::Bytes { connection, bytes } => {
                let Some(stream) = &mut self.connections[connection].stream else { return };
                if stream.write_all(&bytes).await.is_err() {
                    self.break_off(connection);
                }
            }
            Output::Ended { connection } => {
                let Some(stream) = &mut self.connections[connection].stream else { return };
                match stream.shutdown().await {
                    Ok(()) => self.connections[connection].peer_ends(),
                    Err(_) => self.break_off(connection),
                }
            }
            Output::Reset { connection } => {
                if let Some(stream) = self.connections[connection].stream.take() {
                    // A stream whose connection has failed is reset anyway.
                    let _ = stream.set_linger(Some(Duration::ZERO));
                }
            }
            Output::Datagram { client, from, payload } => {
                let socket = self.socket(from).await;
                // The peer does not hear of it.
                let _ = self.sockets[socket].1.send_to(&payload, self.clients[client]).await;
            }
        }
    }

    /// The peer has to be told that a connection has failed.
    fn break_off(&mut self, connection: usize) {
        self.connections[connection].stream = None;
        self.told.push_back(Input::Reset { connection });
    }

    /// The socket of a port; a new one if the peer has opened the port just now.
    async fn socket(&mut self, port: Port) -> usize {
        if let Some(known) = self.sockets.iter().position(|(known, _)| *known == port) {
            return known;
        }
        let socket = UdpSocket::bind(("0.0.0.0", 0)).await.expect("an ephemeral port is free");
        self.sockets.push((port, socket));
        self.sockets.len() - 1
    }
}

impl Connection {
    fn poll_input(&mut self, number: usize, context: &mut Context<'_>) -> Poll<Input> {
        let Some(stream) = self.stream.as_mut().filter(|_| !self.client_ended) else { return Poll::Pending };
        let mut bytes = [0; READ_BYTES];
        let mut buffer = ReadBuf::new(&mut bytes);
        let Poll::Ready(read) = Pin::new(stream).poll_read(context, &mut buffer) else { return Poll::Pending };
        let bytes = buffer.filled().to_vec();
        Poll::Ready(match read {
            Ok(()) if bytes.is_empty() => {
                self.client_ended = true;
                self.let_go();
                Input::Ended { connection: number }
            }
            Ok(()) => Input::Bytes { connection: number, bytes },
            Err(_) => {
                self.stream = None;
                Input::Reset { connection: number }
            }
        })
    }

    fn peer_ends(&mut self) {
        self.peer_ended = true;
        self.let_go();
    }

    /// A connection that both have ended is over.
    fn let_go(&mut self) {
        if self.client_ended && self.peer_ended {
            self.stream = None;
        }
    }
}
