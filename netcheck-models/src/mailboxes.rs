//! The datagrams of Unix domain sockets on one host, as Linux keeps them (`unix(7)`).
//!
//! Each socket has a mailbox: a queue of the datagrams that were sent to it, in the order in which they were sent, whoever
//! sent them. Nothing is lost, and a send to a full mailbox waits. A socket that is connected is told by its peer itself,
//! and not by the peer's name: another socket that is bound to the name later is not the peer.
//!
//! Linux bounds the datagrams of a mailbox by `net.unix.max_dgram_qlen`, unless its socket is connected to the sender; then the
//! memory of the sender's socket is the bound. That is told here as a number of datagrams, which small ones reach.

use core::net::SocketAddr;
use smallvec::SmallVec;

/// Datagrams in a mailbox from which on a send waits.
const QUEUED_MAX: usize = 11;

/// The same, where the socket is connected to the sender, or is the sender.
const OF_PEER_MAX: usize = 278;

/// The socket to which another one is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer<S> {
    /// The socket is not connected.
    #[default]
    None,
    /// The socket is connected to this one.
    Socket(S),
    /// The socket is connected to one that was closed.
    Gone,
}

/// A socket and the datagrams that it has not received yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mailbox<S> {
    /// The socket.
    pub socket: S,
    /// Its name; `None`: it has none.
    pub name: Option<SocketAddr>,
    /// Its peer.
    pub peer: Peer<S>,
    /// Whether it sends no more, and whether it receives no more.
    pub is_shut: [bool; 2],
    /// Whether its peer has taken another peer, without receiving all that this socket has sent: the next call fails.
    pub is_reset: bool,
    /// The datagrams, the oldest first: opaque numbers.
    pub datagrams: SmallVec<[u32; 2]>,
}

/// Why a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The name belongs to another socket.
    InUse,
    /// No socket has the name.
    Unknown,
    /// The peer was closed.
    Gone,
    /// The socket has no peer, and the call names none.
    NotConnected,
    /// The other socket is connected to a third one.
    NotPermitted,
    /// The peer has taken another one, and has not received all that was sent to it.
    Reset,
    /// The sender sends no more, or the receiver receives no more.
    Shut,
}

/// The mailboxes of one host, by their sockets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mailboxes<S>(Vec<Mailbox<S>>);

impl<S> Default for Mailboxes<S> {
    fn default() -> Self {
        Mailboxes(Vec::new())
    }
}

impl<S: Copy + Ord> Mailboxes<S> {
    /// All of them, in the order of their sockets.
    #[must_use]
    pub fn all(&self) -> &[Mailbox<S>] {
        &self.0
    }

    /// These mailboxes, in the order of their sockets.
    #[must_use]
    pub fn of(mut all: Vec<Mailbox<S>>) -> Self {
        all.sort_by_key(|mailbox| mailbox.socket);
        Mailboxes(all)
    }

    /// The mailboxes with one more, which has neither a name nor a peer.
    #[must_use]
    pub fn opened(&self, socket: S) -> Self {
        let mut all = self.0.clone();
        let datagrams = SmallVec::new();
        let (peer, is_shut) = (Peer::None, [false; 2]);
        all.push(Mailbox { socket, name: None, peer, is_shut, is_reset: false, datagrams });
        Mailboxes::of(all)
    }

    /// The mailboxes after a socket was bound to a name; it is opened if it is not there.
    ///
    /// # Errors
    /// If another socket has the name.
    pub fn bound(&self, socket: S, name: SocketAddr) -> Result<Self, Refusal> {
        if self.named(name).is_some() {
            return Err(Refusal::InUse);
        }
        let mut next = if self.find(socket).is_some() { self.clone() } else { self.opened(socket) };
        next.change(socket, |mailbox| mailbox.name = Some(name));
        Ok(next)
    }

    /// The mailboxes with two more, which are connected to each other.
    #[must_use]
    pub fn paired(&self, [one, two]: [S; 2]) -> Self {
        let mut next = self.opened(one).opened(two);
        next.change(one, |mailbox| mailbox.peer = Peer::Socket(two));
        next.change(two, |mailbox| mailbox.peer = Peer::Socket(one));
        next
    }

    /// The mailboxes after a socket was connected. What it has not received from an earlier peer is gone.
    ///
    /// # Errors
    /// If no socket has the name, or that socket is connected to a third one.
    pub fn connected(&self, socket: S, name: SocketAddr) -> Result<Self, Refusal> {
        let to = self.named(name).ok_or(Refusal::Unknown)?;
        if !to.takes_from(socket) {
            return Err(Refusal::NotPermitted);
        }
        let (peer, mut next) = (Peer::Socket(to.socket), self.clone());
        let own = self.find(socket).map_or(Peer::None, |own| own.peer);
        if own != Peer::None && own != peer {
            next.disconnect(socket);
        }
        next.change(socket, |mailbox| mailbox.peer = peer);
        Ok(next)
    }

    /// The mailboxes after a send to a name or else to the peer, which may fail; `None`: it waits for room. A send to a
    /// peer that was closed ends the connection with it.
    #[must_use]
    pub fn sent(&self, socket: S, to: Option<SocketAddr>, datagram: u32) -> Option<(Result<(), Refusal>, Self)> {
        let refused = |refusal| Some((Err(refusal), self.clone()));
        let Some(own) = self.find(socket) else { return refused(Refusal::NotConnected) };
        if own.is_reset {
            return Some((Err(Refusal::Reset), self.told(socket)));
        }
        if own.is_shut[0] {
            return refused(Refusal::Shut);
        }
        let receiver = match (to, own.peer) {
            (Some(name), _) => self.named(name).ok_or(Refusal::Unknown),
            (None, Peer::Socket(peer)) => self.find(peer).ok_or(Refusal::Gone),
            (None, Peer::Gone) => Err(Refusal::Gone),
            (None, Peer::None) => Err(Refusal::NotConnected),
        };
        let receiver = match receiver {
            Ok(receiver) => receiver,
            Err(Refusal::Gone) => {
                let mut next = self.clone();
                next.disconnect(socket);
                return Some((Err(Refusal::Gone), next));
            }
            Err(refusal) => return refused(refusal),
        };
        if !receiver.takes_from(socket) {
            return refused(Refusal::NotPermitted);
        }
        if receiver.is_shut[1] {
            return refused(Refusal::Shut);
        }
        if receiver.datagrams.len() >= receiver.room_for(socket) {
            return None;
        }
        let (receiver, mut next) = (receiver.socket, self.clone());
        next.change(receiver, |mailbox| mailbox.datagrams.push(datagram));
        Some((Ok(()), next))
    }

    /// The datagram that a receive takes, and the mailboxes after it; `None`: it waits, also where the socket receives no
    /// more, for it does not block.
    #[must_use]
    pub fn received(&self, socket: S) -> Option<(Result<u32, Refusal>, Self)> {
        let own = self.find(socket)?;
        if own.is_reset {
            return Some((Err(Refusal::Reset), self.told(socket)));
        }
        let first = *own.datagrams.first()?;
        let mut next = self.clone();
        next.change(socket, |mailbox| _ = mailbox.datagrams.remove(0));
        Some((Ok(first), next))
    }

    /// Whether the system says that a receive would not wait: it says so as well of a socket that receives no more.
    #[must_use]
    pub fn is_readable(&self, socket: S) -> bool {
        self.find(socket).is_some_and(|own| own.is_shut[1] || own.is_reset || !own.datagrams.is_empty())
    }

    /// Whether a send to the peer would not wait; without a peer, nothing is known to be full.
    #[must_use]
    pub fn is_writable(&self, socket: S) -> bool {
        self.sent(socket, None, 0).is_some()
    }

    /// The mailboxes after a socket was shut down: whether it is to send, and to receive, no more.
    #[must_use]
    pub fn shut_down(&self, socket: S, [sends, receives]: [bool; 2]) -> Self {
        let mut next = self.clone();
        next.change(socket, |mailbox| {
            mailbox.is_shut[0] |= sends;
            mailbox.is_shut[1] |= receives;
        });
        next
    }

    /// The mailboxes after some sockets were closed.
    #[must_use]
    pub fn closed(&self, is_closed: impl Fn(S) -> bool) -> Self {
        let mut all = self.0.clone();
        all.retain(|mailbox| !is_closed(mailbox.socket));
        for mailbox in &mut all {
            if let Peer::Socket(peer) = mailbox.peer
                && is_closed(peer)
            {
                mailbox.peer = Peer::Gone;
            }
        }
        Mailboxes(all)
    }

    /// A socket has no peer any more. What it has not received is gone, and a peer that was connected to it is told.
    fn disconnect(&mut self, socket: S) {
        let Some(own) = self.find(socket) else { return };
        let told = match own.peer {
            Peer::Socket(peer) if !own.datagrams.is_empty() => Some(peer),
            _ => None,
        };
        self.change(socket, |own| {
            own.peer = Peer::None;
            own.datagrams.clear();
        });
        if let Some(peer) = told {
            self.change(peer, |peer| peer.is_reset |= peer.peer == Peer::Socket(socket));
        }
    }

    /// The mailboxes after a socket was told that its peer has taken another one.
    fn told(&self, socket: S) -> Self {
        let mut next = self.clone();
        next.change(socket, |own| own.is_reset = false);
        next
    }

    fn find(&self, socket: S) -> Option<&Mailbox<S>> {
        self.0.iter().find(|mailbox| mailbox.socket == socket)
    }

    fn named(&self, name: SocketAddr) -> Option<&Mailbox<S>> {
        self.0.iter().find(|mailbox| mailbox.name == Some(name))
    }

    fn change(&mut self, socket: S, change: impl FnOnce(&mut Mailbox<S>)) {
        if let Some(mailbox) = self.0.iter_mut().find(|mailbox| mailbox.socket == socket) {
            change(mailbox);
        }
    }
}

impl<S: Copy + Ord> Mailbox<S> {
    /// A connected socket takes datagrams of its peer only.
    fn takes_from(&self, sender: S) -> bool {
        self.peer == Peer::None || self.peer == Peer::Socket(sender)
    }

    fn room_for(&self, sender: S) -> usize {
        let is_peer = self.socket == sender || self.peer == Peer::Socket(sender);
        if is_peer { OF_PEER_MAX } else { QUEUED_MAX }
    }
}
