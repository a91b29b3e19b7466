//! How a sequence is made, and what is written down of it.

use super::Record;
use random::Random;
use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::future::{Future, poll_fn};
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

/// Tasks at a time.
const TASKS_MAX: usize = 6;

thread_local! {
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Writes a line of the present step.
pub(crate) fn note(line: String) {
    LINES.with_borrow_mut(|lines| lines.push(line));
}

/// A sequence of random steps.
pub(crate) struct Sequence {
    pub(crate) dice: Random,
    pub(crate) tasks: Tasks,
    steps: Record,
    /// Whether wake-ups of one step come in any order.
    is_unordered: bool,
}

impl Sequence {
    pub(crate) fn new(seed: u64, is_unordered: bool) -> Self {
        LINES.take();
        Sequence { dice: Random::new(seed), tasks: Tasks(Vec::new()), steps: Vec::new(), is_unordered }
    }

    /// A step ends, that was this call with this result.
    pub(crate) fn end_step(&mut self, call: &str, result: impl Debug) {
        let mut lines = LINES.take();
        if self.is_unordered {
            lines.sort();
        }
        let mut first = String::new();
        write!(first, "{call} {result:?}").expect("a string takes everything");
        lines.insert(0, first);
        self.steps.push(lines);
    }

    /// Polls or cancels a task.
    pub(crate) fn go_on(&mut self) {
        let Some(index) = self.tasks.any(&mut self.dice) else { return };
        if self.dice.one_in(8) {
            self.tasks.0[index] = None;
            self.end_step("cancel", index);
        } else {
            let waker = self.dice.index(2);
            let polled = self.tasks.poll(index, waker);
            self.end_step("poll", (index, waker, polled));
        }
    }

    /// Starts a task and polls it, or does not poll it yet.
    pub(crate) fn start(&mut self, call: &str, future: impl Future<Output: Debug> + 'static) {
        let future = Box::pin(async move { format!("{:?}", future.await) });
        let tasks = &mut self.tasks.0;
        let free = tasks.iter().position(Option::is_none).or_else(|| {
            tasks.push(None);
            (tasks.len() <= TASKS_MAX).then(|| tasks.len() - 1)
        });
        let Some(index) = free else {
            tasks.truncate(TASKS_MAX);
            return;
        };
        tasks[index] = Some(future);
        let polled = if self.dice.one_in(4) { None } else { Some(self.tasks.poll(index, 0)) };
        self.end_step(call, (index, polled));
    }

    /// Everything has been dropped.
    pub(crate) fn end(mut self, world: impl Sized) -> Record {
        drop(std::mem::take(&mut self.tasks.0));
        self.end_step("end", "tasks");
        drop(world);
        self.end_step("end", "ends");
        self.steps
    }
}

/// Futures that are polled by hand.
pub(crate) struct Tasks(Vec<Option<Pin<Box<dyn Future<Output = String>>>>>);

impl Tasks {
    fn any(&self, dice: &mut Random) -> Option<usize> {
        any(dice, &self.0)
    }

    fn poll(&mut self, index: usize, waker: usize) -> Option<String> {
        let task = self.0[index].as_mut()?;
        let waker = Waker::from(Arc::new(Woken(index, waker)));
        let Poll::Ready(output) = task.as_mut().poll(&mut Context::from_waker(&waker)) else { return None };
        self.0[index] = None;
        Some(output)
    }
}

/// A waker says whom it wakes.
pub(crate) struct Woken(pub(crate) usize, pub(crate) usize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        note(format!("woken {} {}", self.0, self.1));
    }
}

/// Is pending once, and wakes nobody.
pub(crate) async fn pause() {
    let mut is_first = true;
    poll_fn(|_| if std::mem::take(&mut is_first) { Poll::Pending } else { Poll::Ready(()) }).await;
}

/// A value that says when it is cloned and dropped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Value(pub(crate) u64);

impl Clone for Value {
    fn clone(&self) -> Self {
        note(format!("cloned {}", self.0));
        Value(self.0)
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        note(format!("dropped {}", self.0));
    }
}

/// Something that one task at a time uses.
pub(crate) struct Place<T>(Rc<RefCell<Option<T>>>);

/// A value that a task uses; it is put back at the end.
pub(crate) struct Lent<T> {
    place: Place<T>,
    it: Option<T>,
}

impl<T> Place<T> {
    pub(crate) fn of(it: T) -> Self {
        Place(Rc::new(RefCell::new(Some(it))))
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.0.take()
    }

    pub(crate) fn lend(&self) -> Option<Lent<T>> {
        let it = self.take()?;
        Some(Lent { place: Place(Rc::clone(&self.0)), it: Some(it) })
    }
}

impl<T> Deref for Lent<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.it.as_ref().expect("it is there until the end")
    }
}

impl<T> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.it.as_mut().expect("it is there until the end")
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        self.place.0.replace(self.it.take());
    }
}

/// The place of something that is there.
pub(crate) fn any<T>(dice: &mut Random, all: &[Option<T>]) -> Option<usize> {
    let there: Vec<usize> = (0..all.len()).filter(|&index| all[index].is_some()).collect();
    (!there.is_empty()).then(|| dice.one_of(&there))
}
