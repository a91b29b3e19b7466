//! Hosts that give up, in the naive explorer: an end for which something is owed has a deadline, by the clock.
//!
//! After each move it is asked of each end whether the peer's host owes it an acknowledgement. From the first move on after
//! which it does, there is a deadline, until it does not.

use std::io::ErrorKind;

use super::cut::Late;
use super::power::Host;
use super::{Connections, End, peer};

impl Connections {
    /// Hosts give up after so long.
    pub fn with_retries(self, retries_ms: Option<u32>) -> Connections {
        Connections { retries_ms, ..self }
    }

    /// The first instant at which a host gives up.
    pub fn deadline_ms(&self) -> Option<u32> {
        self.ends().into_iter().filter_map(|end| self.end(end).gives_up_ms).min()
    }

    /// Sets deadlines, or takes them away, after a move.
    pub fn owe(&mut self, now_ms: u32) {
        let Some(retries_ms) = self.retries_ms else { return };
        for end in self.ends() {
            match self.is_owed(end) {
                true => _ = self.end_mut(end).gives_up_ms.get_or_insert(now_ms + retries_ms),
                false => self.end_mut(end).gives_up_ms = None,
            }
        }
    }

    /// It is later: what is there is there for sure, and hosts give up.
    pub fn let_pass(&mut self, now_ms: u32) {
        if self.retries_ms.is_none() {
            return;
        }
        let given_up = |end: &End| self.end(*end).gives_up_ms.is_some_and(|deadline_ms| deadline_ms <= now_ms);
        let given_up: Vec<End> = self.ends().into_iter().filter(given_up).collect();
        given_up.into_iter().for_each(|end| self.give_up(end));
        for end in self.ends() {
            let own = self.end_mut(end);
            own.sure = own.incoming.len();
            own.has_read_fin |= own.fin;
            own.has_sure_error = own.error.is_some();
        }
    }

    fn ends(&self) -> Vec<End> {
        self.connections.keys().flat_map(|&id| [(id, 0), (id, 1)]).collect()
    }

    fn is_owed(&self, end: End) -> bool {
        let (own, other) = (self.end(end), self.end(peer(end)));
        if own.dead || own.host != Host::Up {
            return false;
        }
        if other.late.iter().any(|late| matches!(late, Late::Reset(_) | Late::Stop)) {
            return false;
        }
        let stands = other.late.iter().any(|late| matches!(late, Late::Bytes(_) | Late::Fin));
        let is_unheard = match other.host {
            Host::Silent { had_fin } => !other.incoming.is_empty() || other.fin && !had_fin,
            Host::Up | Host::Back => own.is_unanswered,
        };
        stands || is_unheard
    }

    fn give_up(&mut self, end: End) {
        let other = self.end_mut(peer(end));
        let lost: Vec<Late> = other.late.drain(..).collect();
        let may_ask = other.open;
        let own = self.end_mut(end);
        own.has_shut_down &= !lost.contains(&Late::Fin);
        (own.is_unanswered, own.gives_up_ms) = (false, None);
        if own.open {
            own.die(Some(ErrorKind::TimedOut));
        }
        if may_ask {
            own.host = Host::Back;
        }
    }
}
