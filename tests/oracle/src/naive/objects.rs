//! Objects that the tasks of one process share, as the naive explorer sees them: who waits in which queue, and what has been
//! handed to whom. It knows no scheduling and no time.

use std::collections::{BTreeMap, VecDeque};

use crate::language::program::{END, FAILED};

/// An operation of a task that may have to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    Notified,
    Send { value: u8 },
    Recv,
    Ask,
    Changed,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Objects {
    notify: Notify,
    channel: Channel,
    oneshot: Oneshot,
    watch: Watch,
    /// the tasks that wait, each for one thing
    waiting: BTreeMap<usize, Request>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Notify {
    /// a notification that nobody waited for
    permit: bool,
    queue: VecDeque<usize>,
    /// who has been notified and does not know it yet; whether nobody else was
    notified: BTreeMap<usize, bool>,
}

/// A channel of capacity 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Channel {
    has_sender: bool,
    message: Option<u8>,
    /// those who wait for room, first come, first served
    queue: VecDeque<usize>,
    /// who has the room and has not sent yet
    granted: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Oneshot {
    has_sender: bool,
    has_receiver: bool,
    answer: Option<u8>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Watch {
    value: u8,
    is_new: bool,
}

impl Objects {
    pub fn new() -> Self {
        Objects {
            notify: Notify::default(),
            channel: Channel { has_sender: true, message: None, queue: VecDeque::new(), granted: None },
            oneshot: Oneshot { has_sender: true, has_receiver: true, answer: None },
            watch: Watch::default(),
            waiting: BTreeMap::new(),
        }
    }

    /// Whether a task may begin this: not with an end that is gone or that another task waits on.
    pub fn may_begin(&self, request: Request) -> bool {
        let is_awaited = |other| self.waiting.values().any(|&waiting| waiting == other);
        match request {
            Request::Notified => true,
            Request::Send { .. } => self.channel.has_sender,
            Request::Recv | Request::Changed => !is_awaited(request),
            Request::Ask => self.oneshot.has_receiver && !is_awaited(request),
        }
    }

    /// A task asks. What it gets, or `None` if it waits from now on.
    pub fn begin(&mut self, task: usize, request: Request) -> Option<u8> {
        match request {
            Request::Notified if std::mem::take(&mut self.notify.permit) => return Some(0),
            Request::Notified => self.notify.queue.push_back(task),
            Request::Send { value } if self.has_room() => {
                self.channel.message = Some(value);
                return Some(0);
            }
            Request::Send { .. } => self.channel.queue.push_back(task),
            Request::Recv | Request::Ask | Request::Changed => {}
        }
        self.waiting.insert(task, request);
        if self.is_ready(task) { Some(self.finish(task)) } else { None }
    }

    /// Whether what the task waits for is there.
    pub fn is_ready(&self, task: usize) -> bool {
        match self.waiting[&task] {
            Request::Notified => self.notify.notified.contains_key(&task),
            Request::Send { .. } => self.channel.granted == Some(task),
            Request::Recv => self.channel.message.is_some() || self.is_closed(),
            Request::Ask => self.oneshot.answer.is_some() || !self.oneshot.has_sender,
            Request::Changed => self.watch.is_new,
        }
    }

    /// The task takes what it waited for.
    pub fn finish(&mut self, task: usize) -> u8 {
        match self.waiting.remove(&task).expect("it waits") {
            Request::Notified => {
                self.notify.notified.remove(&task);
                0
            }
            Request::Send { value } => {
                self.channel.granted = None;
                self.channel.message = Some(value);
                0
            }
            Request::Recv => self.receive().unwrap_or(END),
            Request::Ask => {
                self.oneshot.has_receiver = false;
                self.oneshot.answer.unwrap_or(FAILED)
            }
            Request::Changed => {
                self.watch.is_new = false;
                self.watch.value
            }
        }
    }

    /// The task does not wait any more: its time is up, or it ends.
    pub fn withdraw(&mut self, task: usize) {
        self.waiting.remove(&task);
        self.notify.queue.retain(|&queued| queued != task);
        if self.notify.notified.remove(&task) == Some(true) {
            self.notify_one();
        }
        self.channel.queue.retain(|&queued| queued != task);
        if self.channel.granted == Some(task) {
            self.channel.granted = None;
            self.grant();
        }
    }

    pub fn notify_one(&mut self) {
        match self.notify.queue.pop_front() {
            Some(first) => _ = self.notify.notified.insert(first, true),
            None => self.notify.permit = true,
        }
    }

    pub fn notify_waiters(&mut self) {
        let all = std::mem::take(&mut self.notify.queue);
        self.notify.notified.extend(all.into_iter().map(|task| (task, false)));
    }

    /// `None`: nobody has the sender.
    pub fn try_send(&mut self, value: u8) -> Option<u8> {
        if !self.channel.has_sender {
            return None;
        }
        if !self.has_room() {
            return Some(FAILED);
        }
        self.channel.message = Some(value);
        Some(0)
    }

    /// `None`: another task has the receiver.
    pub fn try_recv(&mut self) -> Option<u8> {
        if !self.may_begin(Request::Recv) {
            return None;
        }
        let nothing = if self.is_closed() { END } else { FAILED };
        Some(self.receive().unwrap_or(nothing))
    }

    pub fn drop_sender(&mut self) {
        self.channel.has_sender = false;
    }

    pub fn answer(&mut self, value: u8) {
        if std::mem::take(&mut self.oneshot.has_sender) {
            self.oneshot.answer = Some(value);
        }
    }

    pub fn drop_answer(&mut self) {
        self.oneshot.has_sender = false;
    }

    pub fn publish(&mut self, value: u8) {
        self.watch = Watch { value, is_new: true };
    }

    pub fn borrow(&self) -> u8 {
        self.watch.value
    }

    fn has_room(&self) -> bool {
        let channel = &self.channel;
        channel.message.is_none() && channel.granted.is_none() && channel.queue.is_empty()
    }

    /// Nobody can send any more.
    fn is_closed(&self) -> bool {
        let sends = |request: &Request| matches!(request, Request::Send { .. });
        !self.channel.has_sender && !self.waiting.values().any(sends)
    }

    fn receive(&mut self) -> Option<u8> {
        let message = self.channel.message.take()?;
        self.grant();
        Some(message)
    }

    fn grant(&mut self) {
        self.channel.granted = self.channel.queue.pop_front();
    }
}
