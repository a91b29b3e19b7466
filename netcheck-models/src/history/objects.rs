//! Objects that many programs share: registers and queues.

use super::sequential::Sequential;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::hash::Hash;

/// A register that is read, written, and compared and swapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Register<T>(T);

/// An operation of a [`Register`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterOperation<T> {
    /// Reads the value: the answer is [`RegisterAnswer::Value`].
    Read,
    /// Writes a value: the answer is [`RegisterAnswer::Written`].
    Write(T),
    /// If the first value is there, writes the second one: the answer is [`RegisterAnswer::Swapped`].
    CompareAndSwap(T, T),
}

/// An answer of a [`Register`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterAnswer<T> {
    /// The value that was read.
    Value(T),
    /// A value was written.
    Written,
    /// Whether the value was there that was compared with, so that the other one was written.
    Swapped(bool),
}

impl<T> Register<T> {
    /// A register with this value.
    pub fn new(value: T) -> Self {
        Register(value)
    }
}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> Sequential for Register<T> {
    type Operation = RegisterOperation<T>;
    type Answer = RegisterAnswer<T>;

    fn apply(&mut self, operation: &RegisterOperation<T>) -> RegisterAnswer<T> {
        match operation {
            RegisterOperation::Read => RegisterAnswer::Value(self.0.clone()),
            RegisterOperation::Write(value) => {
                self.0 = value.clone();
                RegisterAnswer::Written
            }
            RegisterOperation::CompareAndSwap(expected, value) => {
                let is_there = self.0 == *expected;
                if is_there {
                    self.0 = value.clone();
                }
                RegisterAnswer::Swapped(is_there)
            }
        }
    }
}

/// A queue: what was put in first comes out first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue<T>(VecDeque<T>);

/// An operation of a [`Queue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueOperation<T> {
    /// Puts an item in: the answer is `None`.
    Enqueue(T),
    /// Takes the first item out: it is the answer, or `None` if the queue is empty.
    Dequeue,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Queue(VecDeque::new())
    }
}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> Sequential for Queue<T> {
    type Operation = QueueOperation<T>;
    type Answer = Option<T>;

    fn apply(&mut self, operation: &QueueOperation<T>) -> Option<T> {
        match operation {
            QueueOperation::Enqueue(item) => {
                self.0.push_back(item.clone());
                None
            }
            QueueOperation::Dequeue => self.0.pop_front(),
        }
    }
}
