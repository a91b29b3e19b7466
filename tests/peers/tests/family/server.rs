//! A server that does what its rules say: one task that waits at all its sockets.

use super::tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use super::tokio::net::{TcpListener, TcpStream, UdpSocket};
use crate::rules::{Action, Event, Rules};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Where something has happened.
#[derive(Clone, Copy, Debug)]
enum Place {
    Connection(usize),
    Client(SocketAddr),
}

struct Server {
    listener: TcpListener,
    socket: UdpSocket,
    connections: Vec<Option<TcpStream>>,
    happened: VecDeque<(Place, Event)>,
}

/// Serves for ever.
pub async fn serve(mut rules: Rules, tcp: u16, udp: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("0.0.0.0", tcp)).await?;
    let socket = UdpSocket::bind(("0.0.0.0", udp)).await?;
    let mut server = Server { listener, socket, connections: Vec::new(), happened: VecDeque::new() };
    loop {
        let (place, event) = match server.happened.pop_front() {
            Some(happened) => happened,
            None => {
                poll_fn(|context| server.poll_event(context)).await;
                continue;
            }
        };
        let (action, byte) = rules.take(event);
        if let (Place::Connection(number), Event::Ended | Event::Failed) = (place, event) {
            server.connections[number] = None;
        }
        server.act(place, action, byte).await?;
    }
}

impl Server {
    /// Waits at all sockets.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Poll::Ready(Ok((stream, _))) = self.listener.poll_accept(context) {
            self.connections.push(Some(stream));
            self.happened.push_back((Place::Connection(self.connections.len() - 1), Event::Connected));
            return Poll::Ready(());
        }
        for (number, connection) in self.connections.iter_mut().enumerate() {
            let Some(stream) = connection else { continue };
            let mut bytes = [0; 16];
            let mut buffer = ReadBuf::new(&mut bytes);
            if let Poll::Ready(read) = Pin::new(stream).poll_read(context, &mut buffer) {
                let place = Place::Connection(number);
                let events: Vec<Event> = match read {
                    Err(_) => vec![Event::Failed],
                    Ok(()) if buffer.filled().is_empty() => vec![Event::Ended],
                    Ok(()) => buffer.filled().iter().map(|&byte| Event::Byte(byte)).collect(),
                };
                self.happened.extend(events.into_iter().map(|event| (place, event)));
                return Poll::Ready(());
            }
        }
        let mut bytes = [0; 16];
        let mut buffer = ReadBuf::new(&mut bytes);
        if let Poll::Ready(Ok(client)) = self.socket.poll_recv_from(context, &mut buffer) {
            let byte = buffer.filled().first().copied().unwrap_or_default();
            self.happened.push_back((Place::Client(client), Event::Datagram(byte)));
            return Poll::Ready(());
        }
        Poll::Pending
    }

    async fn act(&mut self, place: Place, action: Action, byte: u8) -> io::Result<()> {
        let first = self.connections.iter().position(Option::is_some);
        match (place, action) {
            (_, Action::Nothing) | (Place::Client(_), Action::End | Action::Reset) => {}
            (Place::Client(client), Action::Answer) => {
                self.socket.send_to(&[byte], client).await?;
            }
            (Place::Connection(number), Action::Answer) => self.send(number, byte).await,
            (_, Action::AnswerFirst) => {
                if let Some(number) = first {
                    self.send(number, byte).await;
                }
            }
            (Place::Connection(number), Action::End) => {
                if let Some(stream) = &mut self.connections[number]
                    && stream.shutdown().await.is_err()
                {
                    self.fails(number);
                }
            }
            (Place::Connection(number), Action::Reset) => {
                if let Some(stream) = self.connections[number].take() {
                    let _ = stream.set_zero_linger();
                }
            }
        }
        Ok(())
    }

    async fn send(&mut self, number: usize, byte: u8) {
        if let Some(stream) = &mut self.connections[number]
            && stream.write_all(&[byte]).await.is_err()
        {
            self.fails(number);
        }
    }

    /// A connection has failed; what came on it before is not heard any more.
    fn fails(&mut self, number: usize) {
        self.connections[number] = None;
        self.happened.retain(|(place, _)| !matches!(place, Place::Connection(at) if *at == number));
        self.happened.push_back((Place::Connection(number), Event::Failed));
    }
}
