//! TCP as the naive explorer sees it: all connections as one value, and each operation as the values that it can
//! lead to. It knows no scheduling: who waits, which failures are declared and how many are left is not its concern.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::ErrorKind;

use crate::language::program::Event;

mod cut;
mod power;
mod retries;
mod segments;

use cut::Late;
pub use cut::Link;
use power::Host;
pub use segments::Due;
use segments::Wires;

/// A connection and which end of it: 0 connected, 1 was accepted.
pub type End = (usize, usize);

/// A process and its port.
pub type Port = (usize, u16);

/// Bytes that half-streams hold when nothing is declared.
const BUFFER_BYTES: usize = 65_536;

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Connections {
    listeners: BTreeMap<Port, Listener>,
    connections: BTreeMap<usize, Connection>,
    /// what an end sends is under way for a while: see `segments.rs`
    is_timed: bool,
    /// hosts may lose their power: it matters which bytes were written together
    keeps_writes: bool,
    /// after how long hosts give up
    retries_ms: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Listener {
    /// connections that nobody accepted yet
    queue: VecDeque<usize>,
    capacity: usize,
    /// the driver has told of so many of the first ones
    known: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Connection {
    /// the process that connected, and that of the listener
    client: usize,
    server: usize,
    ends: [EndState; 2],
    wires: Wires,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct EndState {
    /// somebody has it, or it waits in a queue
    open: bool,
    has_shut_down: bool,
    zero_linger: bool,
    dead: bool,
    error: Option<ErrorKind>,
    /// what the peer wrote and nobody read yet
    incoming: VecDeque<u8>,
    /// nothing follows `incoming`
    fin: bool,
    /// where links may be cut: that was read, or is there for sure
    has_read_fin: bool,
    /// how much of `incoming` is there for sure, and whether `error` is
    sure: usize,
    has_sure_error: bool,
    /// something was sent, and no acknowledgement comes through
    is_unanswered: bool,
    gives_up_ms: Option<u32>,
    /// with `delay`: something has come while there was no power
    was_asked: bool,
    /// a reset may overtake what is left of `incoming`
    may_lose: bool,
    /// with `delay`: what the peer wrote and nobody here has read, wherever it is
    unread: usize,
    /// with `delay`: the peer was told that there is nobody here any more
    has_reset: bool,
    /// the driver has told of what is there: time has passed since, or the last read has filled its buffer and left it
    is_known: bool,
    /// the driver has told of what comes behind `incoming`: time has passed since
    is_end_known: bool,
    /// where hosts may lose their power: the lengths of the writes that are not read yet
    writes: VecDeque<usize>,
    host: Host,
    /// nothing comes from the peer: the link is cut
    is_cut: bool,
    /// what stands at the cut
    late: VecDeque<Late>,
    /// what this end has written to one that takes nothing, and was never acknowledged
    swallowed: usize,
}

/// One way in which an operation can end.
#[derive(Debug, Clone)]
pub struct Alternative {
    pub event: Event,
    pub after: Connections,
    /// the end that was connected or accepted
    pub opened: Option<End>,
}

/// How bytes get into and out of half-streams.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    split: bool,
    /// with `delay`: bytes of one write may come one by one
    cuts: bool,
    buffer_bytes: usize,
}

impl Transfer {
    pub fn declared(split: bool, cuts: bool, buffer_bytes: Option<usize>) -> Self {
        Transfer { split, cuts, buffer_bytes: buffer_bytes.unwrap_or(BUFFER_BYTES) }
    }

    /// How many of so many bytes are transferred at once.
    fn lengths(self, all: usize) -> std::ops::RangeInclusive<usize> {
        if self.split { 1..=all } else { all..=all }
    }
}

impl Connections {
    pub fn listen(&self, port: Port, backlog: usize) -> Alternative {
        if self.listeners.contains_key(&port) {
            return self.failing(ErrorKind::AddrInUse);
        }
        self.leading_to(Event::Listening, |after| {
            after.listeners.insert(port, Listener { queue: VecDeque::new(), capacity: backlog + 1, known: 0 });
        })
    }

    /// `None`: it waits.
    pub fn connect(&self, client: usize, to: Port) -> Option<Alternative> {
        let Some(listener) = self.listeners.get(&to) else {
            return Some(self.failing(ErrorKind::ConnectionRefused));
        };
        if listener.queue.len() == listener.capacity {
            return None;
        }
        let new = (0..).find(|id| !self.connections.contains_key(id)).expect("ids do not end");
        let mut connected = self.leading_to(Event::Connected, |after| {
            let ends = [EndState::new(), EndState::new()];
            after.connections.insert(new, Connection { client, server: to.0, ends, wires: Wires::default() });
            after.listener(to).queue.push_back(new);
        });
        connected.opened = Some((new, 0));
        Some(connected)
    }

    /// `None`: it waits.
    pub fn accept(&self, at: Port) -> Option<Alternative> {
        let first = *self.listeners[&at].queue.front()?;
        let from = self.connections[&first].client;
        let mut accepted = self.leading_to(Event::Accepted { from }, |after| {
            let listener = after.listener(at);
            listener.queue.pop_front();
            listener.known = listener.known.saturating_sub(1);
        });
        accepted.opened = Some((first, 1));
        Some(accepted)
    }

    /// None at all: it waits.
    pub fn read(&self, end: End, bytes_max: usize, transfer: Transfer) -> Vec<Alternative> {
        let own = self.end(end);
        if !own.incoming.is_empty() {
            let mut alternatives: Vec<Alternative> = transfer
                .lengths(own.incoming.len().min(bytes_max))
                .map(|length| {
                    let bytes = own.incoming.iter().take(length).copied().collect();
                    self.leading_to(Event::Read(bytes), |after| {
                        let own = after.end_mut(end);
                        own.incoming.drain(..length);
                        own.sure = own.sure.saturating_sub(length);
                        own.forget_written(length);
                        own.unread = own.unread.saturating_sub(length);
                        own.is_known = length == bytes_max && !own.incoming.is_empty();
                    })
                })
                .collect();
            if own.may_lose {
                alternatives.push(self.leading_to(Event::Failed(ErrorKind::ConnectionReset), |after| {
                    let own = after.end_mut(end);
                    own.incoming.clear();
                    own.writes.clear();
                    (own.is_known, own.is_end_known) = (false, false);
                    own.error = None;
                }));
            }
            return alternatives;
        }
        if own.fin {
            return vec![self.leading_to(Event::End, |after| after.end_mut(end).has_read_fin = after.keeps_writes)];
        }
        if let Some(reported) = self.pending_error(end) {
            return vec![reported];
        }
        if own.dead {
            return vec![self.leading_to(Event::End, |_| ())];
        }
        Vec::new()
    }

    /// None at all: it waits.
    pub fn write(&self, end: End, bytes: &[u8], transfer: Transfer) -> Vec<Alternative> {
        let (own, peer) = (self.end(end), self.end(peer(end)));
        if let Some(reported) = self.pending_error(end) {
            return vec![reported];
        }
        if own.dead || own.has_shut_down {
            return vec![self.failing(ErrorKind::BrokenPipe)];
        }
        if self.is_timed {
            return self.write_over_time(end, bytes, transfer);
        }
        if own.is_cut || peer.is_cut {
            return self.write_beside_cut(end, bytes, transfer);
        }
        if (!peer.open || peer.host == Host::Back) && !peer.host.is_silent() {
            let error = peer.host.error(own.fin);
            return vec![self.leading_to(Event::Wrote(bytes.len().min(transfer.buffer_bytes)), |after| {
                after.end_mut(end).die(Some(error));
            })];
        }
        let room = transfer.buffer_bytes.saturating_sub(peer.incoming.len() + own.swallowed);
        if room == 0 {
            return Vec::new();
        }
        let lengths = transfer.lengths(bytes.len().min(room));
        lengths
            .map(|length| {
                self.leading_to(Event::Wrote(length), |after| {
                    let keeps = after.keeps_writes;
                    let peer = after.end_mut(self::peer(end));
                    peer.incoming.extend(&bytes[..length]);
                    peer.writes.extend(keeps.then_some(length));
                })
            })
            .collect()
    }

    pub fn shut_down(&self, end: End) -> Alternative {
        self.leading_to(Event::ShutDown, |after| after.finish(end))
    }

    /// Time has passed: drivers know of what is there.
    pub fn look(&mut self) {
        let mut queued = BTreeSet::new();
        for listener in self.listeners.values_mut() {
            listener.known = listener.queue.len();
            queued.extend(listener.queue.iter().copied());
        }
        let ends = self.connections.keys().flat_map(|&id| [(id, 0), (id, 1)]);
        let held: Vec<End> = ends.filter(|end| end.1 == 0 || !queued.contains(&end.0)).collect();
        for end in held {
            let own = self.end_mut(end);
            own.is_known = !own.incoming.is_empty();
            own.is_end_known = own.fin || own.dead || own.error.is_some();
        }
    }

    /// Whether the driver has told of something to be read.
    pub fn is_known(&self, end: End) -> bool {
        let own = self.end(end);
        if own.incoming.is_empty() { own.is_end_known } else { own.is_known }
    }

    /// Whether the driver has told of a connection.
    pub fn has_known(&self, port: Port) -> bool {
        self.listeners.get(&port).is_some_and(|listener| listener.known > 0)
    }

    pub fn set_zero_linger(&mut self, end: End) {
        self.end_mut(end).zero_linger = true;
    }

    /// Drops listeners and ends that nobody has any more.
    pub fn retain(&mut self, listeners: &BTreeSet<Port>, ends: &BTreeSet<End>) {
        let mut dropped = Vec::new();
        self.listeners.retain(|port, listener| {
            let is_held = listeners.contains(port);
            if !is_held {
                dropped.extend(std::mem::take(&mut listener.queue));
            }
            is_held
        });
        for connection in dropped {
            self.reset_queued(connection);
        }
        let queued: BTreeSet<End> =
            self.listeners.values().flat_map(|listener| &listener.queue).map(|&connection| (connection, 1)).collect();
        let all: Vec<End> =
            self.connections.keys().flat_map(|&connection| [(connection, 0), (connection, 1)]).collect();
        for end in all {
            // A call that was given up may be gone by now.
            let is_open = self.connections.get(&end.0).is_some_and(|connection| connection.ends[end.1].open);
            if is_open && !ends.contains(&end) && !queued.contains(&end) {
                self.drop_end(end);
            }
        }
        self.connections.retain(|_, connection| connection.ends.iter().any(|end| end.open) || connection.wires.calls());
    }

    fn drop_end(&mut self, end: End) {
        if self.is_timed {
            return self.drop_end_over_time(end);
        }
        let (own, peer) = (self.end(end).clone(), self.end(peer(end)).clone());
        let is_over = own.dead || own.has_shut_down && own.has_fin();
        let resets = !is_over && (!own.incoming.is_empty() || own.zero_linger);
        if resets {
            let error = if own.has_shut_down { ErrorKind::BrokenPipe } else { ErrorKind::ConnectionReset };
            if peer.open {
                self.tell(self::peer(end), Late::Reset(error));
            }
        } else if !is_over {
            self.finish(end);
        }
        self.end_mut(end).open = false;
        self.leave(end, resets);
    }

    /// The server's end of a connection that nobody accepted is gone.
    fn reset_queued(&mut self, connection: usize) {
        if self.is_timed {
            return self.reset_over_time((connection, 1), ErrorKind::ConnectionReset);
        }
        self.end_mut((connection, 1)).open = false;
        self.leave((connection, 1), true);
        let client = self.end((connection, 0));
        if client.open && !client.dead {
            self.tell((connection, 0), Late::Reset(ErrorKind::ConnectionReset));
        }
    }

    fn finish(&mut self, end: End) {
        if self.is_timed {
            return self.finish_over_time(end);
        }
        let own = self.end_mut(end);
        if own.dead {
            // what killed it may not have come, if it is not known
            own.has_shut_down |= own.error.is_some();
        } else {
            // what was shut down before is over
            if !std::mem::replace(&mut self.end_mut(end).has_shut_down, true) {
                self.tell(peer(end), Late::Fin);
            }
        }
    }
}

/// Failures.
impl Connections {
    /// Nothing changes but that the operation fails.
    pub fn failing(&self, error: ErrorKind) -> Alternative {
        self.leading_to(Event::Failed(error), |_| ())
    }

    pub fn accept_fails(&self, at: Port) -> Option<Alternative> {
        let first = *self.listeners[&at].queue.front()?;
        Some(self.leading_to(Event::Failed(ErrorKind::ConnectionAborted), |after| {
            let listener = after.listener(at);
            listener.queue.pop_front();
            listener.known = listener.known.saturating_sub(1);
            after.reset_queued(first);
        }))
    }

    pub fn read_fails(&self, end: End) -> Option<Alternative> {
        self.breaking(end, ErrorKind::ConnectionReset, false)
    }

    pub fn shutdown_fails(&self, end: End) -> Option<Alternative> {
        self.breaking(end, ErrorKind::NotConnected, false)
    }

    /// In each of the ways in which what is under way may be lost.
    pub fn resets(&self, end: End, split: bool) -> Vec<Alternative> {
        match self.is_timed {
            true => self.resets_over_time(end),
            false if self.end(peer(end)).is_cut => self.resets_behind_cut(end, split),
            false => self.breaking(end, ErrorKind::ConnectionReset, true).into_iter().collect(),
        }
    }

    fn breaking(&self, end: End, error: ErrorKind, may_lose: bool) -> Option<Alternative> {
        let (own, peer) = (self.end(end), self.end(peer(end)));
        if own.dead {
            return None;
        }
        if self.is_timed {
            return Some(self.leading_to(Event::Failed(error), |after| after.break_over_time(end)));
        }
        let is_there = peer.open && !peer.dead;
        let is_over = own.has_shut_down && own.has_fin();
        Some(self.leading_to(Event::Failed(error), |after| {
            let own = after.end_mut(end);
            own.die(None);
            (own.is_known, own.is_end_known) = (false, false);
            after.leave(end, true);
            let peer = after.end_mut(self::peer(end));
            peer.may_lose |= is_there && may_lose;
            if is_there && !is_over {
                after.tell(self::peer(end), Late::Reset(ErrorKind::ConnectionReset));
            }
        }))
    }

    pub fn write_fails(&self, end: End) -> Option<Alternative> {
        if self.end(end).dead {
            return None;
        }
        Some(self.leading_to(Event::Failed(ErrorKind::BrokenPipe), |after| {
            if after.is_timed {
                return after.stop_writing_over_time(end);
            }
            let own = after.end_mut(end);
            own.die(None);
            // Bytes and an end of the stream that stand at the cut are not acknowledged before it heals.
            let standing = std::mem::take(&mut own.late);
            let writer = after.end_mut(peer(end));
            writer.is_unanswered |= standing.iter().any(|late| matches!(late, Late::Bytes(_) | Late::Fin));
            after.tell(peer(end), Late::Stop);
        }))
    }
}

impl Connections {
    fn leading_to(&self, event: Event, change: impl FnOnce(&mut Connections)) -> Alternative {
        let mut after = self.clone();
        change(&mut after);
        Alternative { event, after, opened: None }
    }

    /// It is reported once.
    fn pending_error(&self, end: End) -> Option<Alternative> {
        let error = self.end(end).error?;
        Some(self.leading_to(Event::Failed(error), |after| {
            let own = after.end_mut(end);
            (own.error, own.has_sure_error) = (None, false);
        }))
    }

    fn listener(&mut self, port: Port) -> &mut Listener {
        self.listeners.get_mut(&port).expect("it is held")
    }

    fn end(&self, (connection, end): End) -> &EndState {
        &self.connections[&connection].ends[end]
    }

    fn end_mut(&mut self, (connection, end): End) -> &mut EndState {
        &mut self.connections.get_mut(&connection).expect("it is held").ends[end]
    }
}

fn peer((connection, end): End) -> End {
    (connection, 1 - end)
}

impl EndState {
    fn new() -> Self {
        EndState {
            open: true,
            has_shut_down: false,
            zero_linger: false,
            dead: false,
            error: None,
            incoming: VecDeque::new(),
            fin: false,
            has_read_fin: false,
            sure: 0,
            has_sure_error: false,
            is_unanswered: false,
            gives_up_ms: None,
            was_asked: false,
            may_lose: false,
            unread: 0,
            has_reset: false,
            is_known: false,
            is_end_known: false,
            writes: VecDeque::new(),
            host: Host::Up,
            is_cut: false,
            late: VecDeque::new(),
            swallowed: 0,
        }
    }

    fn die(&mut self, error: Option<ErrorKind>) {
        self.dead = true;
        self.error = error;
    }
}
