//! Steps of the naive explorer's tasks at words of everyday programs.

use std::collections::BTreeSet;

use super::NOWHERE;
use super::objects::Request;
use super::operation::Wait;
use super::state::{Activity, Interval, ProcessState, Slot, Socket};
use crate::language::everyday::{Everyday, Share};
use crate::language::program::Value;

/// A process that has started again has other sockets than before.
const NUMBERS_OF_INCARNATION: usize = 100;

impl ProcessState {
    /// A place for a socket is taken, if it is free, and the smallest number that is free: what a socket sent that
    /// had it before comes on the same channels, and a bind to any port gives each number a port of its own.
    pub(super) fn begin_to_bind(&mut self, socket: usize, port: u16) -> Option<Wait> {
        if self.sockets[socket] != Slot::Closed {
            return None;
        }
        self.sockets[socket] = Slot::Opening;
        let held = self.held_sockets();
        let first = self.crashes * NUMBERS_OF_INCARNATION;
        let number = (first..).find(|number| !held.contains(number)).expect("numbers do not end");
        // the one that was dropped in this step
        self.open.remove(&number);
        Some(Wait::Bind { socket, port, number })
    }

    /// The operation that the task waits for then; none: it goes on.
    pub(super) fn everyday(&mut self, task: usize, now_ms: u32, word: Everyday) -> Option<Wait> {
        let socket = word.socket().and_then(|socket| self.sockets[socket].value());
        let limited = |limit_ms: Option<u16>| limit_ms.map(|ms| now_ms + u32::from(ms));
        match word {
            Everyday::BindAny { socket } => self.begin_to_bind(socket, 0),
            Everyday::Connect { to, port, .. } => Some(Wait::ConnectDatagrams { socket: socket?, peer: (to, port) }),
            Everyday::ConnectBack { socket: place } => {
                Some(Wait::ConnectDatagrams { socket: socket?, peer: self.heard[place]? })
            }
            Everyday::SendOn { value, .. } => {
                let (socket, value) = (socket?, self.value(value));
                let to = self.open[&socket.number].peer?;
                Some(Wait::Send { socket, to, value })
            }
            Everyday::RecvOn { limit_ms, into, .. } => Some(receive(socket?, NOWHERE, into, limited(limit_ms), None)),
            Everyday::RecvNested { socket: place, outer_ms, inner_ms, into } => {
                Some(receive(socket?, place, into, limited(Some(inner_ms)), limited(Some(outer_ms))))
            }
            Everyday::DropSocket { socket } => {
                self.sockets[socket].close();
                None
            }
            Everyday::Every { ms } => {
                if !self.is_ticking() {
                    self.interval = Some(Interval { next_ms: i64::from(now_ms), period_ms: ms, is_given_up: false });
                }
                None
            }
            Everyday::Tick { limit_ms, into, stamp } => {
                let is_free = self.interval.is_some() && !self.is_ticking();
                is_free.then_some(Wait::Tick { into, deadline_ms: limited(limit_ms), stamp })
            }
            Everyday::SleepUntil { ms } => Some(Wait::Sleep { deadline_ms: now_ms + u32::from(ms), is_over: false }),
            Everyday::Stamp { which } => Some(Wait::Clock { which, over: None }),
            Everyday::IsOver { which, ms, into } if self.stamps_ms[which].is_some() => {
                Some(Wait::Clock { which, over: Some((ms, into)) })
            }
            Everyday::IsLater { ms, into } => {
                self.registers[into] = match self.stamps_ms {
                    [Some(first_ms), Some(second_ms)] => u8::from(second_ms >= first_ms + i64::from(ms)),
                    _ => 2,
                };
                None
            }
            Everyday::IsOver { into, .. } => {
                self.registers[into] = 2;
                None
            }
            Everyday::SleepUntilLater { which, ms } => {
                let later_ms = self.stamps_ms[which]? + i64::from(ms);
                Some(Wait::Sleep {
                    deadline_ms: u32::try_from(later_ms).unwrap_or(0).max(now_ms),
                    is_over: later_ms < i64::from(now_ms),
                })
            }
            Everyday::Share(share) => {
                let (request, limit_ms, into) = self.share(share)?;
                if !self.objects.may_begin(request) {
                    return None;
                }
                match self.objects.begin(task, request) {
                    Some(got) => {
                        self.registers[into] = got;
                        None
                    }
                    None => Some(Wait::Object { into, deadline_ms: limited(limit_ms) }),
                }
            }
        }
    }

    /// Keeps the time, or writes whether so much of it is over since it was kept.
    pub(super) fn read_clock(&mut self, now_ms: u32, which: usize, over: Option<(u16, usize)>) {
        let now_ms = i64::from(now_ms);
        match (over, self.stamps_ms[which]) {
            (Some((ms, into)), Some(stamp_ms)) => self.registers[into] = u8::from(now_ms >= stamp_ms + i64::from(ms)),
            _ => self.stamps_ms[which] = Some(now_ms),
        }
    }

    /// The request, if the task may have to wait for it; otherwise it is done.
    fn share(&mut self, share: Share) -> Option<(Request, Option<u16>, usize)> {
        match share {
            Share::Notified { limit_ms, into } => return Some((Request::Notified, limit_ms, into)),
            Share::Send { value, limit_ms, into } => {
                return Some((Request::Send { value: self.value(value) }, limit_ms, into));
            }
            Share::Recv { limit_ms, into } => return Some((Request::Recv, limit_ms, into)),
            Share::Ask { limit_ms, into } => return Some((Request::Ask, limit_ms, into)),
            Share::Changed { limit_ms, into } => return Some((Request::Changed, limit_ms, into)),
            Share::NotifyOne => self.objects.notify_one(),
            Share::NotifyWaiters => self.objects.notify_waiters(),
            Share::TrySend { value, into } => {
                if let Some(code) = self.objects.try_send(self.value(value)) {
                    self.registers[into] = code;
                }
            }
            Share::TryRecv { into } => {
                if let Some(code) = self.objects.try_recv() {
                    self.registers[into] = code;
                }
            }
            Share::DropSender => self.objects.drop_sender(),
            Share::Answer { value } => self.objects.answer(self.value(value)),
            Share::DropAnswer => self.objects.drop_answer(),
            Share::Publish { value } => self.objects.publish(self.value(value)),
            Share::Borrow { into } => self.registers[into] = self.objects.borrow(),
        }
        None
    }

    /// The numbers of the sockets that some task still has, or is about to have.
    pub(super) fn held_sockets(&self) -> BTreeSet<usize> {
        let sockets = self.sockets.iter().filter_map(Slot::value);
        let mut held: BTreeSet<usize> = sockets.map(|socket| socket.number).collect();
        for task in &self.tasks {
            match task.activity {
                Activity::Waiting(Wait::Recv { sockets, .. }) => held.extend(sockets.map(|socket| socket.number)),
                Activity::Waiting(
                    Wait::Send { socket, .. } | Wait::ConnectDatagrams { socket, .. } | Wait::TryReceive { socket, .. },
                ) => {
                    held.insert(socket.number);
                }
                Activity::Waiting(Wait::Bind { number, .. }) => {
                    held.insert(number);
                }
                _ => {}
            }
        }
        held
    }

    /// Whether some task waits for the interval.
    fn is_ticking(&self) -> bool {
        self.tasks.iter().any(|task| matches!(task.activity, Activity::Waiting(Wait::Tick { .. })))
    }

    fn value(&self, value: Value) -> u8 {
        match value {
            Value::Constant(constant) => constant,
            Value::Register(register) => self.registers[register],
        }
    }
}

fn receive(socket: Socket, slot: usize, into: usize, deadline_ms: Option<u32>, outer_ms: Option<u32>) -> Wait {
    Wait::Recv { sockets: [socket; 2], slots: [slot; 2], into, deadline_ms, outer_ms }
}
