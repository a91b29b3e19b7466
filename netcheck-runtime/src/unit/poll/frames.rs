//! The position of a poll, and the functions that await each other in it.
//!
//! Functions that await each other directly, from the root of a program on, make a chain: each is polled by the one
//! before it and by no other, and that one awaits nothing else meanwhile. So the place in the chain tells which function
//! is meant, and the positions at which it and its loops were entered are kept here by that place. A program's memory
//! holds the place, and no number that would tell its histories apart.

use crate::unit::identity::checkpoint::{Position, PositionId};
use netcheck_memory::{Handed, handed_by_copy};
use smallvec::SmallVec;
use std::hint::black_box;

/// A future that is being polled by the function that awaits it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The name of its type; empty if it may not be awaited directly.
    pub(super) name: &'static str,
    /// The run of the function's body, once that has begun.
    pub(super) activation: Option<Activation>,
}

impl Handed for Frame {
    fn handed(&self) -> Self {
        Frame { name: black_box(self.name), activation: self.activation.handed() }
    }
}

handed_by_copy!(Activation);

/// The run of an annotated function's body, by its place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Activation(u32);

/// The positions of a function in the chain.
#[derive(Clone, Debug)]
struct Entries {
    /// The position of its first poll.
    called: PositionId,
    /// The positions at which the loops were entered in which it is, the outermost first.
    loops: SmallVec<[PositionId; 2]>,
}

/// The position of a poll.
#[derive(Clone, Default)]
pub(super) struct Frames {
    pub(super) position: Position,
    /// The functions that are being polled, the root first.
    all: SmallVec<[Frame; 4]>,
    /// The positions of the functions in the chain, by their places.
    entries: Vec<Entries>,
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

    /// The body begins of the innermost function that is being polled, if that has this name.
    ///
    /// A function that calls itself in a roundabout way finds its caller here, whose body has begun.
    pub(super) fn activate(&mut self, name: &'static str) -> Option<Activation> {
        let place = Activation(self.all.len().checked_sub(1)? as u32);
        let frame = self.all.last_mut().filter(|frame| !name.is_empty() && frame.name == name)?;
        frame.activation.is_none().then(|| *frame.activation.insert(place))
    }

    /// The function that was pushed last is polled for the first time: at this position, or at its caller's.
    pub(super) fn enter(&mut self, called: Option<PositionId>) {
        let Some(place) = self.all.len().checked_sub(1) else { return };
        let of_caller = || self.entries.get(place.checked_sub(1)?).map(|caller| caller.called);
        let Some(called) = called.or_else(of_caller) else { return };
        self.entries.truncate(place);
        self.entries.push(Entries { called, loops: SmallVec::new() });
    }

    /// The position of the first poll of the innermost function that is being polled, if that has this name.
    pub(super) fn entry_of(&self, name: &'static str) -> Option<PositionId> {
        self.innermost().filter(|frame| !name.is_empty() && frame.name == name)?;
        self.entries.get(self.all.len() - 1).map(|entries| entries.called)
    }

    /// A loop is entered at this position, in so many others of its function.
    pub(super) fn enter_loop(&mut self, of: Activation, depth: u32, at: PositionId) {
        if let Some(Entries { loops, .. }) = self.entries.get_mut(of.0 as usize) {
            loops.truncate(depth as usize);
            // Loops around it that are not captured are not entered.
            loops.resize(depth as usize + 1, at);
        }
    }

    /// The position at which a loop was entered that is in so many others of its function.
    pub(super) fn entry_of_loop(&self, of: Activation, depth: u32) -> Option<PositionId> {
        self.entries.get(of.0 as usize)?.loops.get(depth as usize).copied()
    }
}
