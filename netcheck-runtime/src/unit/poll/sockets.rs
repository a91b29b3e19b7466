//! Sockets, timers, fault regions and calls on objects of the running task, and the pending operations of `poll_` functions.

use crate::id::{SocketId, TaskId};
use crate::operation::{Effect, Operation, Outcome, Stream, unix};
use crate::operation::{faults, monitors, time, udp};
use crate::unit::poll::context::{Context, State};
use crate::unit::poll::handles::{Called, Kept, Slot, first_key};
use crate::unit::poll::numbers::Numbers;
use crate::unit::poll::operations::Pending;
use netcheck_memory::{Handed, engine};
use std::any::Any;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Poll, Waker};

impl Context {
    pub(crate) fn new_socket(&self) -> SocketId {
        engine(|| SocketId {
            unit: self.unit,
            index: self.take_number(|state| &mut state.handles.sockets, Numbers::take_or_keep),
        })
    }

    /// A UDP socket was dropped.
    pub(crate) fn close_socket(&self, socket: SocketId) {
        self.forget_socket(socket);
        self.effect(Effect::Udp(udp::Effect::Close { socket }));
    }

    /// A socket was dropped: its number is free, and its operations are withdrawn.
    pub(crate) fn forget_socket(&self, socket: SocketId) {
        engine(|| {
            let take_any = || self.state().handles.take_any(socket);
            while let Some(polled) = take_any() {
                polled.withdraw(self);
            }
            self.state().handles.forget(socket);
            if socket.unit == self.unit {
                self.give_number_back(|state| &mut state.handles.sockets, socket.index);
            }
        });
        self.drop_unneeded();
    }

    /// Calls `look` with the names of Unix domain sockets.
    pub(crate) fn unix_names<R: Handed>(&self, look: impl FnOnce(&mut unix::Names) -> R) -> R {
        engine(|| look(&mut self.shared.unix_names.borrow_mut()))
    }

    /// Stores a front's record of a socket, in place of an earlier one.
    pub(crate) fn keep(&self, socket: SocketId, kept: impl Kept) {
        engine(|| {
            self.state().handles.keep(socket, Box::new(kept));
        })
    }

    /// Calls `look` with a front's record of a socket, if there is one of this type.
    pub(crate) fn kept<K: Kept, R: Handed>(&self, socket: SocketId, look: impl FnOnce(&mut K) -> R) -> Option<R> {
        engine(|| {
            let state = &mut *self.state();
            let kept: &mut dyn Any = state.handles.kept(socket)?;
            kept.downcast_mut().map(look)
        })
    }

    /// The initial record of another unit that is given a socket. To be called by the engine.
    pub(crate) fn kept_for_another_unit(&self, socket: SocketId) -> Box<dyn Kept> {
        let handles = &mut self.state().handles;
        handles.kept(socket).expect("a socket is bound before it is handed over").for_another_unit()
    }

    /// The socket's end of a connection, if it is connected.
    pub(crate) fn stream_of(&self, socket: SocketId) -> Option<Stream> {
        engine(|| self.state().handles.kept(socket)?.stream())
    }

    /// The unit is given a socket, with its record.
    pub(in crate::unit) fn receive_socket(&self, socket: SocketId, kept: &dyn Kept) {
        self.state().handles.keep(socket, kept.for_another_unit());
    }

    pub(crate) fn new_timer(&self) -> u32 {
        engine(|| {
            // The number of a timer shows the task that owns it.
            self.take_number(|state| &mut state.handles.timers, |numbers, first, _| numbers.take(first))
        })
    }

    pub(crate) fn drop_timer(&self, timer: u32) {
        engine(|| {
            self.give_number_back(|state| &mut state.handles.timers, timer);
            self.effect(Effect::Time(time::Effect::Disarm { timer }));
        })
    }

    /// The running task enters a region with faults of its own; returns the number of the region.
    pub(crate) fn enter_region(&self, region: impl FnOnce() -> faults::Region) -> u32 {
        engine(|| {
            let number = self.take_number(|state| &mut state.handles.regions, |numbers, first, _| numbers.take(first));
            self.effect(Effect::Faults(faults::Effect::Enter { number, region: Arc::new(region()) }));
            number
        })
    }

    pub(crate) fn leave_region(&self, number: u32) {
        engine(|| {
            self.give_number_back(|state| &mut state.handles.regions, number);
            self.effect(Effect::Faults(faults::Effect::Leave { number }));
        })
    }

    /// The running task begins a call on an object; returns the number of the call.
    pub(crate) fn begin_call_on_object(&self, invocation: impl FnOnce(u32) -> monitors::Effect) -> u32 {
        engine(|| {
            let number = self.take_number(|state| &mut state.handles.calls, |numbers, first, _| numbers.take(first));
            self.effect(Effect::Monitors(invocation(number)));
            number
        })
    }

    /// A call on an object is over.
    pub(crate) fn end_call_on_object(&self, number: u32, conclusion: impl FnOnce() -> monitors::Effect) {
        engine(|| {
            self.give_number_back(|state| &mut state.handles.calls, number);
            self.effect(Effect::Monitors(conclusion()));
        });
    }

    /// The smallest number for a socket, a timer, a region or a call that is free for the running task.
    fn take_number(
        &self,
        of: impl Fn(&mut State) -> &mut Numbers,
        take: impl Fn(&mut Numbers, u32, TaskId) -> u32,
    ) -> u32 {
        let first = self.first_number();
        let state = &mut *self.state();
        let task = state.tasks.running;
        if self.shared.modes.tracks {
            let joined = state.causality.joined_by(task);
            of(state).collect(task, |ended| joined.contains(&ended));
        }
        take(of(state), first, task)
    }

    /// Gives the number of a socket, a timer, a region or a call back.
    fn give_number_back(&self, of: impl Fn(&mut State) -> &mut Numbers, number: u32) {
        let state = &mut *self.state();
        let running = state.tasks.running;
        match self.shared.modes.tracks {
            true => of(state).give_back(number, running),
            false => of(state).free(number),
        }
    }

    /// Polls the pending operation of a `poll_` function, or begins it. Returns the bytes of the write that was completed,
    /// if it was one: the caller may want to write others by now.
    pub(crate) fn poll_on(
        &self,
        slot: Slot,
        waker: &Waker,
        operation: Operation,
        location: &'static Location<'static>,
    ) -> Poll<(Option<Arc<[u8]>>, Outcome)> {
        let mut waker = Some(waker.clone());
        let polled = engine(|| {
            let under_way = self.state().handles.call(slot);
            let mut pending = match under_way {
                Some(pending) if self.is_still_meant(&pending, &operation, location) => pending,
                other => {
                    other.into_iter().for_each(|pending| pending.withdraw(self));
                    Pending::new(operation.clone(), location)
                }
            };
            let begun = pending.key.and_then(|key| Some(self.state().operations.offer(key)?.operation.clone()));
            match pending.poll_with(self, Some(first_key(slot)), &mut waker) {
                Poll::Ready(outcome) => Poll::Ready((begun.unwrap_or(operation).into_written(), outcome)),
                Poll::Pending => {
                    self.state().handles.put(slot, pending);
                    Poll::Pending
                }
            }
        });
        drop(waker);
        self.drop_unneeded();
        polled
    }

    /// Whether a pending operation is the requested one, or has been completed already. Where executions of source lines
    /// count, that of another line is another one.
    fn is_still_meant(&self, pending: &Pending, operation: &Operation, location: &Location<'_>) -> bool {
        let operations = &self.state().operations;
        let offer = pending.key.and_then(|key| Some((key, operations.offer(key)?)));
        offer.is_some_and(|(key, offer)| {
            let is_of_line = !self.shared.modes.traces || offer.location == location;
            operations.is_done(key) || (is_of_line && offer.operation == *operation)
        })
    }

    /// The number of calls of `poll_` functions in this poll.
    pub(crate) fn called(&self) -> usize {
        engine(|| self.state().handles.called().len())
    }

    /// Adds the operations for which `poll_` functions were called after the first `before` calls. The list is the program's
    /// memory, and grows there.
    pub(crate) fn called_since(&self, before: usize, slots: &mut Called) {
        for index in before..self.called() {
            let slot = engine(|| self.state().handles.called()[index]);
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        }
    }

    /// Gives up the pending operations of these `poll_` functions. A future that was only borrowed begins its operation
    /// anew when it is polled again: if its waker was not `direct`, an adaptor in between polls it only after a
    /// wake-up, and so it is woken here.
    pub(crate) fn abandon(&self, slots: &[Slot], direct: Option<&Waker>) {
        engine(|| {
            for slot in slots {
                let taken = self.state().handles.take(*slot);
                taken.into_iter().for_each(|pending| pending.withdraw(self));
            }
        });
        loop {
            let waker = self.state().operations.pop_unneeded();
            match waker {
                Some(waker) if direct.is_some_and(|direct| !waker.will_wake(direct)) => waker.wake(),
                Some(_) => {}
                None => return,
            }
        }
    }

    /// A task has ended: the pending operations of its `poll_` functions are removed.
    pub(in crate::unit) fn forget_task(&self, task: TaskId) {
        let slots: Called = {
            let state = self.state();
            let is_its = |key| state.operations.offer(key).is_some_and(|offer| offer.task == task);
            let of_task = state.handles.under_way().filter(|(_, key)| key.is_some_and(is_its));
            of_task.map(|(slot, _)| slot).collect()
        };
        self.abandon(&slots, None);
        self.state().operations.outlive(task);
    }
}
