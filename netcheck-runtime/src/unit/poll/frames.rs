//! The position of a poll, and the functions that await each other in it.

use crate::unit::identity::checkpoint::{Position, PositionId};
use netcheck_memory::{Handed, handed_by_copy};
use smallvec::SmallVec;
use std::hint::black_box;

/// A future that is being polled by the function that awaits it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The name of its type; empty if it may not be awaited directly.
    pub(super) name: &'static str,
    /// The position of its first poll.
    pub(super) entry: PositionId,
    /// The run of the function's body, once that has begun.
    pub(super) activation: Option<Activation>,
}

impl Handed for Frame {
    fn handed(&self) -> Self {
        Frame { name: black_box(self.name), entry: self.entry.handed(), activation: self.activation.handed() }
    }
}

handed_by_copy!(Activation);

/// One run of an annotated function's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Activation(u32);

/// The position of a poll.
#[derive(Default)]
pub(super) struct Frames {
    pub(super) position: Position,
    /// The functions that are being polled, the root first.
    all: SmallVec<[Frame; 4]>,
    activations: u32,
}

impl Frames {
    /// Begins a step: no future of the step before it is being polled any more.
    pub(super) fn begin_step(&mut self, position: Position) {
        self.position = position;
        self.all.clear();
    }

    pub(super) fn push(&mut self, frame: Frame) {
        self.all.push(frame);
    }

    pub(super) fn pop(&mut self) -> Option<Frame> {
        self.all.pop()
    }

    /// The innermost function that is being polled.
    pub(super) fn innermost(&self) -> Option<Frame> {
        self.all.last().copied()
    }

    /// The innermost function that is being polled, if it has this name.
    pub(super) fn named(&mut self, name: &'static str) -> Option<&mut Frame> {
        self.all.last_mut().filter(|frame| !name.is_empty() && frame.name == name)
    }

    pub(super) fn next_activation(&mut self) -> Activation {
        self.activations += 1;
        Activation(self.activations)
    }
}
