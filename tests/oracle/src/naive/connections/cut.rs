//! Connections whose links are cut: what comes to an end stands at the cut, and comes in when it heals.

use std::collections::{BTreeSet, VecDeque};
use std::io::ErrorKind;

use super::power::Host;
use super::{Alternative, Connections, End, EndState, Transfer, peer};
use crate::language::program::Event;

/// Something that stands at a cut.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Late {
    Bytes(Vec<u8>),
    Fin,
    Reset(ErrorKind),
    /// nothing follows, and nothing is taken
    Stop,
}

/// A sender and a receiver.
pub type Link = (usize, usize);

impl Connections {
    pub fn with_partitions(self) -> Connections {
        Connections { keeps_writes: true, ..self }
    }

    /// The ends, each with the link on which something comes to it.
    fn ends_by_link(&self) -> Vec<(End, Link)> {
        let ends = self.connections.iter().flat_map(|(&id, connection)| {
            let (client, server) = (connection.client, connection.server);
            // what the client sends comes first
            [((id, 1), (client, server)), ((id, 0), (server, client))]
        });
        ends.collect()
    }

    /// Links are cut, in each of the ways in which what was sent last has not come.
    pub fn cut(&self, links: &BTreeSet<Link>, split: bool) -> Vec<Connections> {
        let mut ways = vec![self.clone()];
        for (end, link) in self.ends_by_link() {
            if link.0 != link.1 && links.contains(&link) {
                ways = ways.iter().flat_map(|way| way.cut_end(end, split)).collect();
            }
        }
        ways
    }

    fn cut_end(&self, end: End, split: bool) -> Vec<Connections> {
        let mut cut = self.clone();
        cut.end_mut(end).is_cut = true;
        let own = self.end(end).clone();
        let mut ways = vec![cut.clone()];
        if !own.open || own.may_lose || own.dead && matches!(own.error, None | Some(ErrorKind::TimedOut)) {
            return ways;
        }
        let last = match own.error.filter(|_| own.dead) {
            Some(error) => (!own.has_sure_error).then_some(Late::Reset(error)),
            None => (own.fin && !own.has_read_fin).then_some(Late::Fin),
        };
        // A host that has lost its power sends nothing again; one that is back resets.
        let sender = self.end(peer(end)).host;
        let last = last.filter(|last| match sender {
            Host::Up => true,
            Host::Silent { .. } => false,
            Host::Back => matches!(last, Late::Reset(_)),
        });
        let all = own.incoming.len();
        let come: BTreeSet<usize> = match split {
            _ if sender != Host::Up => BTreeSet::from([all]),
            true => (0..=all).collect(),
            false => (0..=own.writes.len()).map(|count| own.writes.iter().take(count).sum()).chain([all]).collect(),
        };
        for come in come.into_iter().filter(|&come| come >= own.sure && (come < all || last.is_some())) {
            let mut way = cut.clone();
            let reader = way.end_mut(end);
            let mut late: Vec<u8> = reader.incoming.iter().skip(come).copied().collect();
            let mut before = 0;
            for length in &own.writes {
                let (begin, end) = (before, before + length);
                before = end;
                if end > come {
                    let rest = late.split_off((end - begin.max(come)).min(late.len()));
                    reader.late.push_back(Late::Bytes(std::mem::replace(&mut late, rest)));
                }
            }
            // The rest of a write whose beginning a cut before this one let through.
            if !late.is_empty() {
                reader.late.push_back(Late::Bytes(late));
            }
            reader.keep(come);
            reader.late.extend(last.clone());
            if let Some(Late::Reset(_)) = last {
                (reader.dead, reader.error) = (false, None);
            }
            reader.fin &= !matches!(last, Some(Late::Fin));
            ways.push(way);
        }
        ways
    }

    /// Links are open again.
    pub fn heal(&mut self, links: &BTreeSet<Link>) {
        for (end, link) in self.ends_by_link() {
            if !links.contains(&link) {
                continue;
            }
            self.end_mut(end).is_cut = false;
            while let Some(late) = self.end_mut(end).late.pop_front() {
                self.acknowledge(end, &late);
                self.come_late(end, late);
            }
            if !self.end(peer(end)).is_cut {
                self.end_mut(end).is_unanswered = false;
                self.end_mut(peer(end)).is_unanswered = false;
            }
        }
    }

    fn come_late(&mut self, end: End, late: Late) {
        let sender = self.end(peer(end)).host;
        let own = self.end_mut(end);
        let takes = own.open && !own.dead;
        match late {
            Late::Bytes(bytes) if takes || own.host.is_silent() => {
                own.incoming.extend(&bytes);
                own.writes.push_back(bytes.len());
            }
            Late::Bytes(bytes) => self.refuse(end, bytes.len()),
            // Its host knows of no connection; somebody who still has the end is told that it timed out.
            Late::Fin if own.host == Host::Back => {
                own.fin |= !own.open;
                self.refuse(end, 0);
            }
            Late::Fin => own.fin = true,
            Late::Reset(error) => {
                let is_over = own.fin && own.has_shut_down && sender == Host::Up;
                if takes && !is_over {
                    own.die(Some(error));
                }
                self.end_mut(peer(end)).late.clear();
            }
            Late::Stop => {
                own.fin = true;
                if takes {
                    own.die(None);
                }
                self.end_mut(peer(end)).late.clear();
            }
        }
    }

    /// Bytes come to an end that takes none: if nobody has it, its host answers, unless it has told the peer already.
    pub(super) fn refuse(&mut self, end: End, length: usize) {
        let own = self.end(end).clone();
        let writer = self.end_mut(peer(end));
        writer.swallowed += length;
        let was_told = writer.late.iter().any(|late| matches!(late, Late::Reset(_) | Late::Stop));
        if own.open && own.host != Host::Back || !writer.open || writer.dead || was_told {
            return;
        }
        let error = if own.has_shut_down { ErrorKind::BrokenPipe } else { ErrorKind::ConnectionReset };
        self.tell(peer(end), Late::Reset(error));
    }

    /// Something comes to an end, or stands at the cut.
    pub(super) fn tell(&mut self, end: End, what: Late) {
        match self.end(end).is_cut {
            true => self.end_mut(end).late.push_back(what),
            false => {
                self.acknowledge(end, &what);
                self.come_late(end, what);
            }
        }
    }

    /// Bytes and the end of the stream are acknowledged when they come to an end, if anything gets back.
    fn acknowledge(&mut self, end: End, what: &Late) {
        let writer = self.end_mut(peer(end));
        writer.is_unanswered |= writer.is_cut && matches!(what, Late::Bytes(_) | Late::Fin);
    }

    /// Nobody reads at an end any more; `has_reset`: the peer is told so. What had come was acknowledged, unless something stands at the
    /// cut behind it.
    pub(super) fn leave(&mut self, end: End, has_reset: bool) {
        let own = self.end_mut(end);
        own.writes.clear();
        let come = std::mem::take(&mut own.incoming).len();
        own.sure = 0;
        if own.host == Host::Back {
            return;
        }
        let has_bytes = own.late.iter().any(|late| matches!(late, Late::Bytes(_)));
        if !own.late.is_empty() && (has_reset || !has_bytes) {
            let standing: usize = std::mem::take(&mut own.late).iter().map(Late::len).sum();
            self.end_mut(peer(end)).swallowed += come + standing;
        }
    }

    /// Where a link of the connection is cut.
    pub(super) fn write_beside_cut(&self, end: End, bytes: &[u8], transfer: Transfer) -> Vec<Alternative> {
        let (own, reader) = (self.end(end), self.end(peer(end)));
        let standing: usize = reader.late.iter().map(Late::len).sum();
        let room = transfer.buffer_bytes.saturating_sub(reader.incoming.len() + standing + own.swallowed);
        if room == 0 {
            return Vec::new();
        }
        let lengths = transfer.lengths(bytes.len().min(room));
        let wrote = |length| {
            self.leading_to(Event::Wrote(length), |after| after.tell(peer(end), Late::Bytes(bytes[..length].to_vec())))
        };
        lengths.map(wrote).collect()
    }

    /// An end meets a reset while what it has sent stands at a cut, any last part of which the reset has overtaken.
    pub(super) fn resets_behind_cut(&self, end: End, split: bool) -> Vec<Alternative> {
        if self.end(end).dead {
            return Vec::new();
        }
        let standing = &self.end(peer(end)).late;
        let mut ways: Vec<VecDeque<Late>> = Vec::new();
        for count in (0..=standing.len()).rev() {
            let kept: VecDeque<Late> = standing.iter().take(count).cloned().collect();
            ways.push(kept.clone());
            if let (true, Some(Late::Bytes(bytes))) = (split, kept.back()) {
                for length in (1..bytes.len()).rev() {
                    let mut shorter = kept.clone();
                    *shorter.back_mut().expect("it has a last one") = Late::Bytes(bytes[..length].to_vec());
                    ways.push(shorter);
                }
            }
        }
        let broken = |kept: VecDeque<Late>| {
            let mut before = self.clone();
            if standing.contains(&Late::Fin) && !kept.contains(&Late::Fin) {
                before.end_mut(end).has_shut_down = false;
            }
            before.end_mut(peer(end)).late = kept;
            before.breaking(end, ErrorKind::ConnectionReset, false)
        };
        ways.into_iter().filter_map(broken).collect()
    }
}

impl Late {
    fn len(&self) -> usize {
        if let Late::Bytes(bytes) = self { bytes.len() } else { 0 }
    }
}

impl EndState {
    /// Whether the end of what the peer sends has come.
    pub(super) fn has_fin(&self) -> bool {
        self.fin
    }
}
