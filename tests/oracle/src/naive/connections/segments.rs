//! TCP of the naive explorer where segments take time: two wires for each connection, one in each direction, on which
//! what is sent stands in line. The first of a line comes out at an instant that its own delay allows, or at once if that
//! has passed before it was the first. With `split` and an interval each byte stands in line by itself.

use std::collections::{BTreeSet, VecDeque};
use std::io::ErrorKind;

use super::power::Host;
use super::{Alternative, Connection, Connections, End, EndState, Port, Transfer, peer};
use crate::language::program::{Delays, Event};

/// When something may come out at the earliest, and has to at the latest.
pub type Due = (u32, Option<u32>);

/// By the end that sends.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Wires {
    lines: [VecDeque<Sent>; 2],
    call: Call,
    /// what the call leads to
    to: Port,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Call {
    #[default]
    Over,
    /// the call or its answer is in line
    Calling,
    /// there is no room for it yet
    Knocking,
    /// the answer has come out: whether somebody listens
    Answered(bool),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Sent {
    what: What,
    /// none: not decided yet
    due: Option<Due>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum What {
    Call,
    Answer(bool),
    Bytes(Vec<u8>),
    Fin,
    Reset(ErrorKind),
    /// nothing follows, and nothing is taken
    Stop,
}

impl Wires {
    /// Whether the call is in line still.
    pub(super) fn calls(&self) -> bool {
        self.lines[0].front().is_some_and(|first| first.what == What::Call)
    }

    fn send(&mut self, from: usize, what: What) {
        self.lines[from].push_back(Sent { what, due: None });
    }
}

impl Connections {
    pub fn timed() -> Self {
        Connections { is_timed: true, ..Connections::default() }
    }

    /// A process calls; the number of its connection.
    pub fn call(&mut self, client: usize, to: Port) -> usize {
        let new = (0..).find(|id| !self.connections.contains_key(id)).expect("ids do not end");
        let mut wires = Wires { call: Call::Calling, to, ..Wires::default() };
        wires.send(0, What::Call);
        let server = EndState { open: false, ..EndState::new() };
        // A connect that was refused has nobody at its other end.
        let host = if to == Port::default() { usize::MAX } else { to.0 };
        self.connections.insert(new, Connection { client, server: host, ends: [EndState::new(), server], wires });
        new
    }

    /// Without `delay`: the connection is there or was refused, and the process that connects is not told yet. Returns its
    /// number.
    pub fn answer(&mut self, client: usize, made: Option<usize>) -> usize {
        let number = made.unwrap_or_else(|| self.call(client, Port::default()));
        let wires = &mut self.connections.get_mut(&number).expect("it is there").wires;
        *wires = Wires { call: Call::Answered(made.is_some()), ..Wires::default() };
        number
    }

    /// How the call ends, if its answer has come.
    pub fn answered(&self, connection: usize) -> Option<Alternative> {
        let Call::Answered(is_taken) = self.connections[&connection].wires.call else { return None };
        if !is_taken {
            return Some(self.leading_to(Event::Failed(ErrorKind::ConnectionRefused), |after| {
                after.connections.remove(&connection);
            }));
        }
        if let Some(error) = self.end((connection, 0)).error {
            return Some(self.leading_to(Event::Failed(error), |after| {
                after.end_mut((connection, 0)).open = false;
            }));
        }
        let mut connected = self.leading_to(Event::Connected, |after| {
            after.connections.get_mut(&connection).expect("it is there").wires.call = Call::Over;
        });
        connected.opened = Some((connection, 0));
        Some(connected)
    }

    /// Whether the call has come to nobody yet.
    pub fn is_unheard(&self, connection: usize) -> bool {
        self.connections.get(&connection).is_some_and(|connection| connection.wires.calls())
    }

    pub fn remove(&mut self, connection: usize) {
        self.connections.remove(&connection);
    }

    /// The call fails: nobody ever hears of it, or the other end is told that nobody is there.
    pub fn call_fails(&self, connection: usize) -> Option<Alternative> {
        let Call::Answered(_) = self.connections[&connection].wires.call else {
            return Some(self.leading_to(
                Event::Failed(ErrorKind::TimedOut),
                |after| match after.is_unheard(connection) {
                    true => after.remove(connection),
                    false => after.reset_over_time((connection, 0), ErrorKind::ConnectionReset),
                },
            ));
        };
        None
    }

    /// The connections whose calls wait for room, or for a host that has power, and find it.
    pub fn welcome(&self, is_silent: impl Fn(usize) -> bool) -> Vec<usize> {
        let waiting = self.connections.iter().filter(|(_, connection)| connection.wires.call == Call::Knocking);
        let waiting = waiting.filter(|(_, connection)| !is_silent(connection.server));
        let finds = waiting.filter(|(_, connection)| {
            self.listeners.get(&connection.wires.to).is_none_or(|listener| listener.queue.len() < listener.capacity)
        });
        finds.map(|(&id, _)| id).collect()
    }

    /// A call comes to where it leads.
    pub fn knock(&mut self, id: usize, is_silent: bool) {
        let connection = self.connections.get_mut(&id).expect("it is there");
        let to = connection.wires.to;
        let is_awaited = connection.ends[0].open;
        if is_silent {
            connection.wires.call = Call::Knocking;
            if !is_awaited {
                self.connections.remove(&id);
            }
            return;
        }
        let Some(listener) = self.listeners.get_mut(&to) else {
            connection.wires.lines[0].clear();
            connection.wires.call = Call::Calling;
            connection.wires.send(1, What::Answer(false));
            return;
        };
        if listener.queue.len() == listener.capacity {
            connection.wires.call = Call::Knocking;
            if !is_awaited {
                self.connections.remove(&id);
            }
            return;
        }
        listener.queue.push_back(id);
        connection.wires.lines[0].pop_front();
        connection.ends[1].open = true;
        connection.wires.call = if is_awaited { Call::Calling } else { Call::Over };
        if is_awaited {
            connection.wires.send(1, What::Answer(true));
        }
    }

    /// The first in line at each wire: from which end, and when it is due.
    pub fn first_in_line(&self) -> impl Iterator<Item = (End, Due)> {
        self.connections.iter().flat_map(|(&id, connection)| {
            (0..2).filter_map(move |from| {
                let first = connection.wires.lines[from].front()?;
                let waits = from == 0 && connection.wires.call == Call::Knocking;
                (!waits).then(|| ((id, from), first.due.expect("decided at once")))
            })
        })
    }

    /// When all that is in line is due, but for calls that wait for room.
    pub fn in_line(&self) -> impl Iterator<Item = Due> {
        self.connections.values().flat_map(|connection| {
            let waiting = usize::from(connection.wires.call == Call::Knocking);
            connection.wires.lines.iter().flatten().skip(waiting).filter_map(|sent| sent.due)
        })
    }

    /// The clock is set back by so much.
    pub fn set_back(&mut self, by_ms: u32) {
        let ends = self.connections.values_mut().flat_map(|connection| &mut connection.ends);
        ends.filter_map(|end| end.gives_up_ms.as_mut()).for_each(|deadline_ms| *deadline_ms -= by_ms);
        let lines = self.connections.values_mut().flat_map(|connection| &mut connection.wires.lines);
        for (earliest_ms, latest_ms) in lines.flatten().filter_map(|sent| sent.due.as_mut()) {
            *earliest_ms = earliest_ms.saturating_sub(by_ms);
            *latest_ms = latest_ms.map(|latest_ms| latest_ms.saturating_sub(by_ms));
        }
    }

    /// Segments that are sent now take a time between these.
    pub fn decide(&mut self, due: Due) {
        let lines = self.connections.values_mut().flat_map(|connection| &mut connection.wires.lines);
        lines.flatten().for_each(|sent| _ = sent.due.get_or_insert(due));
    }

    /// The first that is not decided is due then; whether there is one.
    pub fn decide_first(&mut self, due: Due) -> bool {
        let lines = self.connections.values_mut().flat_map(|connection| &mut connection.wires.lines);
        let first = lines.flatten().find(|sent| sent.due.is_none());
        first.map(|sent| sent.due = Some(due)).is_some()
    }

    pub fn is_decided(&self) -> bool {
        let mut lines = self.connections.values().flat_map(|connection| &connection.wires.lines);
        !lines.any(|line| line.iter().any(|sent| sent.due.is_none()))
    }

    /// The process that something comes out to.
    pub fn receiver(&self, from: End) -> usize {
        let connection = &self.connections[&from.0];
        if from.1 == 0 { connection.server } else { connection.client }
    }

    /// A host falls silent: what it has sent comes out, but nobody takes a call of its.
    pub(super) fn silence_over_time(&mut self, process: usize) {
        self.connections.retain(|_, connection| connection.client != process || !connection.wires.calls());
        self.connections.retain(|_, connection| connection.client != process || connection.server != process);
        for connection in self.connections.values_mut() {
            for end in 0..2 {
                let is_own = [connection.client, connection.server][end] == process;
                if is_own && !(end == 1 && connection.wires.calls()) {
                    let own = &mut connection.ends[end];
                    own.host = Host::Silent { had_fin: own.fin };
                    own.open = false;
                    let come = std::mem::take(&mut own.incoming).len();
                    own.unread -= come;
                }
            }
        }
    }

    /// A host is back: what has come to it in the meantime is answered.
    pub(super) fn come_back_over_time(&mut self, end: End) {
        let own = self.end_mut(end);
        if own.host.is_silent() {
            own.host = Host::Back;
            if std::mem::take(&mut own.was_asked) {
                self.answer_over_time(end);
            }
        }
    }

    /// Something comes to an end that nobody has: the peer is told so, once.
    fn answer_over_time(&mut self, end: End) {
        let own = self.end_mut(end);
        if !own.open && !own.has_reset {
            own.has_reset = true;
            let error = if own.has_shut_down { ErrorKind::BrokenPipe } else { ErrorKind::ConnectionReset };
            self.send(end, What::Reset(error));
        }
    }

    /// The first in line comes out; `is_silent`: to a host without power.
    pub fn come_out(&mut self, from: End, is_silent: bool) {
        let (id, sender) = from;
        let connection = self.connections.get_mut(&id).expect("it is there");
        if sender == 0 && connection.wires.calls() {
            return self.knock(id, is_silent);
        }
        let Sent { what, .. } = connection.wires.lines[sender].pop_front().expect("something is in line");
        let to = peer(from);
        let own = &mut connection.ends[to.1];
        match what {
            What::Call => unreachable!("handled above"),
            What::Answer(is_taken) => connection.wires.call = Call::Answered(is_taken),
            What::Bytes(_) | What::Fin if own.host.is_silent() => own.was_asked = true,
            What::Fin if own.host == Host::Back => self.answer_over_time(to),
            What::Bytes(bytes) if own.open && !own.dead => own.incoming.extend(bytes),
            What::Bytes(_) => self.answer_over_time(to),
            What::Fin => own.fin = true,
            What::Reset(error) => {
                if own.open && !own.dead && !(own.fin && own.has_shut_down) {
                    own.die(Some(error));
                }
            }
            What::Stop => {
                own.fin = true;
                if own.open && !own.dead {
                    own.die(None);
                }
            }
        }
    }

    pub(super) fn write_over_time(&self, end: End, bytes: &[u8], transfer: Transfer) -> Vec<Alternative> {
        let room = transfer.buffer_bytes - self.end(peer(end)).unread;
        if room == 0 {
            return Vec::new();
        }
        let lengths = transfer.lengths(bytes.len().min(room));
        let accepted = lengths.map(|length| {
            self.leading_to(Event::Wrote(length), |after| {
                after.end_mut(peer(end)).unread += length;
                let pieces: Vec<&[u8]> =
                    if transfer.cuts { bytes[..length].chunks(1).collect() } else { vec![&bytes[..length]] };
                for piece in pieces {
                    after.send(end, What::Bytes(piece.to_vec()));
                }
            })
        });
        accepted.collect()
    }

    pub(super) fn finish_over_time(&mut self, end: End) {
        let own = self.end_mut(end);
        if !own.dead && !own.has_shut_down {
            own.has_shut_down = true;
            self.send(end, What::Fin);
        }
    }

    pub(super) fn drop_end_over_time(&mut self, end: End) {
        let wires = &self.connections[&end.0].wires;
        if end.1 == 0 && matches!(wires.call, Call::Knocking | Call::Answered(false)) {
            self.remove(end.0);
            return;
        }
        let own = self.end(end).clone();
        if !(own.dead || own.has_shut_down && own.fin) {
            match !own.incoming.is_empty() || own.zero_linger {
                true => {
                    let error = if own.has_shut_down { ErrorKind::BrokenPipe } else { ErrorKind::ConnectionReset };
                    self.end_mut(end).has_reset = true;
                    self.send(end, What::Reset(error));
                }
                false => self.finish_over_time(end),
            }
        }
        self.end_mut(end).open = false;
    }

    /// An end is gone, and the other is told so, unless it is the one that has told of it.
    pub(super) fn reset_over_time(&mut self, end: End, error: ErrorKind) {
        let own = self.end_mut(end);
        own.open = false;
        if !own.dead {
            own.has_reset = true;
            self.send(end, What::Reset(error));
        }
    }

    pub(super) fn break_over_time(&mut self, end: End) {
        let own = self.end_mut(end);
        own.die(None);
        own.incoming.clear();
        own.has_reset = true;
        self.send(end, What::Reset(ErrorKind::ConnectionReset));
    }

    pub(super) fn stop_writing_over_time(&mut self, end: End) {
        let own = self.end_mut(end);
        own.die(None);
        own.has_shut_down = true;
        own.has_reset = true;
        self.send(end, What::Stop);
    }

    pub(super) fn resets_over_time(&self, end: End) -> Vec<Alternative> {
        if self.end(end).dead {
            return Vec::new();
        }
        let line = &self.connections[&end.0].wires.lines[end.1];
        let answers = line.iter().filter(|sent| matches!(sent.what, What::Answer(_))).count();
        let event = || Event::Failed(ErrorKind::ConnectionReset);
        let losing = |left: usize| {
            self.leading_to(event(), |after| {
                after.connections.get_mut(&end.0).expect("it is there").wires.lines[end.1].truncate(left);
                after.break_over_time(end);
            })
        };
        (answers..=line.len()).map(losing).collect()
    }

    fn send(&mut self, from: End, what: What) {
        self.connections.get_mut(&from.0).expect("it is there").wires.send(from.1, what);
    }
}

impl Delays {
    /// The windows that there are, in milliseconds from now on.
    pub fn windows(&self, at: impl Fn(u32) -> u32) -> BTreeSet<Due> {
        match self {
            Delays::Interval(least, most) => BTreeSet::from([(at(*least), most.map(at))]),
            Delays::Listed(listed) => listed.iter().map(|&ticks| (at(ticks), Some(at(ticks)))).collect(),
        }
    }
}
