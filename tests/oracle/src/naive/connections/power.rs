//! Hosts without power: what they have sent last is lost, and they answer nothing; when they are back, they answer what comes on
//! old connections with a reset.

use std::io::ErrorKind;

use super::cut::Late;
use super::{Connections, End, EndState, peer};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Host {
    Up,
    /// whether the end of what the peer sends had come
    Silent {
        had_fin: bool,
    },
    /// up again, without a memory of the connection
    Back,
}

impl Host {
    pub(super) fn is_silent(self) -> bool {
        matches!(self, Host::Silent { .. })
    }

    /// The error of a peer to which a reset comes; `after_fin`: behind the end of the stream.
    pub(super) fn error(self, after_fin: bool) -> ErrorKind {
        if self == Host::Up || after_fin { ErrorKind::BrokenPipe } else { ErrorKind::ConnectionReset }
    }
}

impl Connections {
    pub fn with_power_failures(self) -> Connections {
        Connections { keeps_writes: true, ..self }
    }

    /// A host falls silent, in each of the ways in which what it has sent may be lost.
    pub fn silence(&self, process: usize, split: bool) -> Vec<Connections> {
        let mut without = self.clone();
        without.listeners.retain(|&(of, _), _| of != process);
        if self.is_timed {
            without.silence_over_time(process);
            return vec![without];
        }
        let mut ways = vec![without];
        for (&id, connection) in &self.connections {
            for end in [(id, 0), (id, 1)] {
                let owners = [connection.client, connection.server];
                if owners[end.1] == process {
                    let is_lost = owners[1 - end.1] == process || !connection.ends[1 - end.1].open;
                    ways = ways.iter().flat_map(|way| way.silence_end(end, is_lost, split)).collect();
                }
            }
        }
        ways
    }

    fn silence_end(&self, end: End, is_lost: bool, split: bool) -> Vec<Connections> {
        let mut silent = self.clone();
        if is_lost {
            silent.connections.remove(&end.0);
            return vec![silent];
        }
        let own = silent.end_mut(end);
        own.host = Host::Silent { had_fin: own.fin };
        own.open = false;
        own.incoming.clear();
        own.writes.clear();
        let reader = silent.end(peer(end)).clone();
        if reader.dead {
            silent.end_mut(end).host = Host::Up;
            silent.end_mut(end).late.clear();
        }
        if reader.is_cut {
            // Segments that wait at the cut are not sent again; the rest has come.
            silent.end_mut(peer(end)).late.clear();
            silent.end_mut(end).has_shut_down &= reader.fin;
            return vec![silent];
        }
        let mut ways = vec![silent.clone()];
        let all = reader.incoming.len();
        // What is left of it without the end of the stream: all, and less.
        let mut left: Vec<usize> = match split {
            true => (0..=all).collect(),
            false => (0..=reader.writes.len()).map(|count| reader.writes.iter().take(count).sum()).collect(),
        };
        left.retain(|&left| left < all || reader.fin);
        for left in left {
            let mut way = silent.clone();
            let reader = way.end_mut(peer(end));
            reader.keep(left);
            reader.fin = false;
            way.end_mut(end).has_shut_down = false;
            ways.push(way);
        }
        ways
    }

    /// A host is back.
    pub fn come_back(&mut self, process: usize) {
        let ends: Vec<End> = self
            .connections
            .iter()
            .flat_map(|(&id, connection)| [((id, 0), connection.client), ((id, 1), connection.server)])
            .filter(|(_, owner)| *owner == process)
            .map(|(end, _)| end)
            .collect();
        if self.is_timed {
            return ends.into_iter().for_each(|end| self.come_back_over_time(end));
        }
        for end in ends {
            let own = self.end_mut(end);
            let Host::Silent { had_fin } = own.host else { continue };
            let is_sent_again = !own.incoming.is_empty() || own.fin && !had_fin;
            own.host = Host::Back;
            let mut sent: Vec<u8> = own.incoming.drain(..).collect();
            own.writes.clear();
            if own.is_cut {
                // It stands at the cut, before what was sent later.
                if own.fin && !had_fin {
                    own.fin = false;
                    own.late.push_front(Late::Fin);
                }
                if !sent.is_empty() {
                    own.late.push_front(Late::Bytes(std::mem::take(&mut sent)));
                }
                continue;
            }
            let reader = self.end(peer(end));
            if is_sent_again && reader.open && !reader.dead {
                let error = Host::Back.error(reader.fin);
                self.tell(peer(end), Late::Reset(error));
            }
        }
    }
}

impl EndState {
    /// Bytes of the oldest writes are read.
    pub(super) fn forget_written(&mut self, mut count: usize) {
        while let Some(first) = self.writes.front_mut().filter(|_| count > 0) {
            let read = count.min(*first);
            *first -= read;
            count -= read;
            if *first == 0 {
                self.writes.pop_front();
            }
        }
    }

    /// Only the first bytes have come.
    pub(super) fn keep(&mut self, count: usize) {
        let mut left = count;
        self.incoming.truncate(count);
        self.sure = self.sure.min(count);
        self.writes.retain(|length| {
            let stays = left >= *length && *length > 0 && left > 0;
            left -= if stays { *length } else { 0 };
            stays
        });
        self.is_known &= count > 0;
        self.is_end_known = false;
    }
}
