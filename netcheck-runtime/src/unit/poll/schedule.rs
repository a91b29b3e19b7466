//! The order in which the tasks of a unit are polled with `tasks = fifo`: that of tokio's runtime of one thread.
//!
//! tokio goes round as follows. It polls the future of `block_on` if that was woken, then tasks from the front of a
//! queue. When the queue is empty, or after [`POLLS_MAX`] tasks, it asks the driver: events of sockets and timers wake
//! tasks, and then `yield_now`s do. A task that is woken goes to the back of the queue, unless it stands there.
//!
//! Here, a step of a unit polls a task, because the task is next or because an operation of its completes. So the
//! stretches of a round at which operations may complete are stations between the tasks. Which one completes is left
//! to the search; an event that the driver has reported is a step at its station.

use crate::id::TaskId;
use crate::operation::OperationKey;
use crate::sorted::SortedSet;
use netcheck_memory::{Carried, Scan};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::task::Waker;

/// The tasks that tokio polls before it asks the driver: its `event_interval`.
const POLLS_MAX: u32 = 61;

/// A part of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Station {
    /// The root is polled if it was woken, or if an operation of its completes.
    Root,
    /// Operations of all other tasks may complete.
    Driver,
    /// A task is polled.
    Task(TaskId),
}

/// Something that may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The driver calls a waker of the program's own, before any task is polled.
    Call,
    /// A poll of this task.
    Run(TaskId),
    /// An operation that the last poll, of this task, has begun: it may complete in that poll.
    OperationBegunBy(TaskId),
    /// An operation of this task.
    OperationOf(TaskId),
    /// An operation of any task but the root; or an early poll of a task that stands in the queue, if an event has woken
    /// it before.
    EventOfTasks,
}

/// A step of a unit, as the schedule sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// A poll of a runnable task.
    Run,
    /// A poll of a runnable task that an event has woken before it was queued.
    EarlyRun,
    /// An operation completes, perhaps in the poll in which it was begun.
    Operation,
    /// An operation completes that the driver has to report.
    Event,
    /// The driver calls a waker of the program's own.
    Call,
    /// An operation completes that does not wait for the driver.
    AtAnyTime,
}

/// The order of the tasks of one unit.
#[derive(Clone, Default)]
pub(super) struct Schedule {
    /// Whether the root is the future of `block_on`; the root of an isolated task is a task like others.
    has_root: bool,
    stations: VecDeque<Station>,
    /// The wakers that `yield_now`s have left, with their tasks.
    deferred: Vec<(TaskId, Carried<Waker>)>,
    /// The tasks that may be polled at any time: blocking closures, which have threads of their own, and the tasks that
    /// these have woken.
    at_any_time: SortedSet<TaskId>,
    /// The task that was polled last, if an operation that it has begun may complete in the same poll.
    last: Option<TaskId>,
    /// The task that is being polled.
    polled: Option<TaskId>,
    /// The tasks that were polled since the driver was asked.
    polls: u32,
    /// The timers that are waited for, in the order in which the waits began: so they fire if they are due together.
    timers: Vec<OperationKey>,
    /// Whether the driver is calling a waker.
    is_calling: bool,
}

impl Schedule {
    pub(super) fn new(has_root: bool) -> Self {
        Schedule { has_root, ..Schedule::default() }
    }

    pub(super) fn is_root(&self, task: TaskId) -> bool {
        self.has_root && task == TaskId(0)
    }

    /// Whether a task is being polled.
    pub(super) fn is_polled(&self, task: TaskId) -> bool {
        self.polled == Some(task)
    }

    /// Whether a task was polled last, and an operation that it has begun may complete in the same poll.
    pub(super) fn was_polled_last(&self, task: TaskId) -> bool {
        self.last == Some(task)
    }

    /// The task that is being polled.
    pub(super) fn polled(&self) -> Option<TaskId> {
        self.polled
    }

    /// A task was spawned, or was woken and not before. What the driver wakes comes before what has yielded.
    pub(super) fn push(&mut self, task: TaskId) {
        if self.is_root(task) {
            return;
        }
        let driver = self.stations.iter().rposition(|station| self.is_calling && *station == Station::Driver);
        self.stations.insert(driver.unwrap_or(self.stations.len()), Station::Task(task));
    }

    /// The driver calls a waker.
    pub(super) fn begin_call(&mut self) {
        self.is_calling = true;
    }

    /// A task becomes runnable that no queue holds.
    pub(super) fn push_at_any_time(&mut self, task: TaskId) {
        self.at_any_time.insert(task);
    }

    /// The running task lets others run first.
    pub(super) fn defer(&mut self, task: TaskId, waker: &mut Option<Waker>) {
        let last = self.deferred.last().map(|(_, last)| last);
        let taken = waker.take_if(|waker| !last.is_some_and(|last| last.will_wake(waker)));
        self.deferred.extend(taken.map(|waker| (task, Carried::new(waker))));
    }

    /// Takes the waker that `yield_now` has left last: tokio wakes the others after it.
    pub(super) fn pop_deferred(&mut self) -> Option<Waker> {
        self.deferred.pop().map(|(_, waker)| waker.take())
    }

    /// The addresses of the wakers that `yield_now`s have left.
    pub(super) fn yielded(&self) -> impl Iterator<Item = *const ()> {
        self.deferred.iter().map(|(_, waker)| waker.data())
    }

    /// Whether a task waits for its turn after a `yield_now`.
    pub(super) fn has_yielded(&self, task: TaskId) -> bool {
        self.deferred.iter().any(|(yielded, _)| *yielded == task)
    }

    /// The wait for a timer begins.
    pub(super) fn wait_for_timer(&mut self, key: OperationKey) {
        self.timers.retain(|other| *other != key);
        self.timers.push(key);
    }

    /// The place of a timer among those that are waited for.
    pub(super) fn place_of_timer(&self, key: OperationKey) -> Option<usize> {
        self.timers.iter().position(|timer| *timer == key)
    }

    /// The stations after the driver was asked, from here on.
    fn after_driver(&self) -> Vec<Station> {
        let has_tasks = self.stations.iter().any(is_task);
        let rest = self.stations.iter().copied().filter(|station| has_tasks && *station != Station::Root);
        let mut after: Vec<Station> = [Station::Root].into_iter().chain(rest).collect();
        if after.last() != Some(&Station::Driver) {
            after.push(Station::Driver);
        }
        after
    }

    /// Asks the driver; the caller then calls the wakers that `yield_now`s have left.
    pub(super) fn ask_driver(&mut self) {
        self.stations = self.after_driver().into();
        self.polls = 0;
    }

    /// The tasks that may be polled at any time.
    pub(super) fn at_any_time(&self) -> impl Iterator<Item = TaskId> {
        self.at_any_time.iter().copied()
    }

    /// Whether a task stands in the queue, or will after a `yield_now`.
    pub(super) fn is_queued(&self, task: TaskId) -> bool {
        self.stations.contains(&Station::Task(task)) || self.has_yielded(task)
    }

    /// Everything else that may come next, in tokio's order.
    pub(super) fn next(&self, root_is_woken: bool) -> Vec<Next> {
        let mut next: Vec<Next> = self.last.map(Next::OperationBegunBy).into_iter().collect();
        if self.polls < POLLS_MAX && self.walk(&self.stations, root_is_woken, &mut next) {
            return next;
        }
        let yielded = self.deferred.iter().rev().map(|(task, _)| Station::Task(*task));
        let mut after = self.after_driver();
        after.extend(yielded.filter(|station| !self.is_root_station(station)));
        self.walk(&after, root_is_woken || self.has_yielded(TaskId(0)), &mut next);
        next
    }

    fn is_root_station(&self, station: &Station) -> bool {
        matches!(station, Station::Task(task) if self.is_root(*task))
    }

    /// Adds what may come next at some stations; returns whether a task has to be polled there.
    fn walk<'s>(
        &self,
        stations: impl IntoIterator<Item = &'s Station>,
        root_is_woken: bool,
        next: &mut Vec<Next>,
    ) -> bool {
        for station in stations {
            match *station {
                Station::Root if !self.has_root => next.push(Next::Call),
                Station::Root => {
                    next.push(Next::Call);
                    next.push(Next::OperationOf(TaskId(0)));
                    if root_is_woken {
                        next.push(Next::Run(TaskId(0)));
                        return true;
                    }
                }
                Station::Driver => next.push(Next::EventOfTasks),
                Station::Task(task) => {
                    next.extend([Next::OperationOf(task), Next::Run(task)]);
                    return true;
                }
            }
        }
        false
    }

    /// Goes on to the station of a step, if there is one before the driver has to be asked. Returns whether there is.
    pub(super) fn go_on_to(&mut self, task: TaskId, taken: Taken) -> bool {
        let is_free = match taken {
            Taken::AtAnyTime => true,
            Taken::Operation => self.last == Some(task),
            Taken::Run => self.at_any_time.contains(&task),
            Taken::Event | Taken::EarlyRun | Taken::Call => false,
        };
        if is_free {
            return true;
        }
        let is_root = self.is_root(task);
        let is_event = !is_root && taken != Taken::Run;
        let is_call = taken == Taken::Call;
        let is_its = |station: &Station| match *station {
            _ if is_call => *station == Station::Root,
            Station::Root => is_root,
            Station::Driver => is_event,
            Station::Task(other) => other == task && taken != Taken::EarlyRun,
        };
        let Some(place) = self.stations.iter().position(is_its).filter(|_| self.polls < POLLS_MAX) else {
            return false;
        };
        let is_over = self.stations[place] != Station::Driver && !is_call;
        self.stations.drain(..place + usize::from(is_over));
        self.polls += u32::from(!is_root && !is_call);
        true
    }

    /// The poll of a task begins: the task stands in no queue. As in tokio, it is woken after a `yield_now` even if it
    /// was polled before.
    pub(super) fn begin_poll(&mut self, task: TaskId) {
        self.stations.retain(|station| *station != Station::Task(task));
        self.at_any_time.remove(&task);
        (self.last, self.polled, self.is_calling) = (None, Some(task), false);
    }

    /// The poll of a task is over. `is_woken`: it was woken meanwhile; `is_aborted`: and has aborted itself.
    pub(super) fn end_poll(&mut self, task: TaskId, is_woken: bool, is_aborted: bool) {
        self.polled = None;
        self.last = Some(task);
        match (is_woken, is_aborted) {
            (false, _) => {}
            // tokio drops it at once.
            (true, true) if !self.is_root(task) => self.stations.push_front(Station::Task(task)),
            (true, _) => self.push(task),
        }
    }

    /// Forgets after a step what makes no difference any more. `is_there`: whether a task has not ended; `waits`: whether
    /// it has operations; `is_timer`: whether the wait for a timer has this key. Returns wakers that are no longer needed.
    pub(super) fn settle(
        &mut self,
        root_is_woken: bool,
        is_there: impl Fn(TaskId) -> bool,
        waits: impl Fn(TaskId) -> bool,
        is_timer: impl Fn(OperationKey) -> bool,
    ) -> Vec<Waker> {
        self.is_calling = false;
        let ended = self.deferred.extract_if(.., |(task, _)| !is_there(*task));
        let unneeded = ended.map(|(_, waker)| waker.take()).collect();
        self.timers.retain(|key| is_timer(*key));
        self.stations.retain(|station| !matches!(station, Station::Task(task) if !is_there(*task)));
        self.at_any_time.retain(|task| is_there(*task));
        self.last = self.last.filter(|task| waits(*task));
        if !root_is_woken && self.deferred.is_empty() && !self.stations.iter().any(is_task) {
            self.last = None;
            self.ask_driver();
        }
        unneeded
    }

    /// Records everything here that the unit's future depends on, but for the wakers.
    pub(super) fn record(&self, values: &mut impl Hasher) {
        let yielded: Vec<TaskId> = self.deferred.iter().map(|(task, _)| *task).collect();
        (&self.stations, yielded, &self.at_any_time, self.last, self.polls, &self.timers).hash(values);
    }

    /// Adds the wakers that `yield_now`s have left to an image of the unit's memory.
    pub(super) fn scan(&self, scan: &mut Scan<'_>) {
        for (_, waker) in &self.deferred {
            scan.pointer(waker.data());
            scan.word(std::ptr::from_ref(waker.vtable()) as u64);
        }
    }
}

fn is_task(station: &Station) -> bool {
    matches!(station, Station::Task(_))
}
