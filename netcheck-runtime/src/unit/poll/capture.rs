//! Captured loops: functions that await each other, the position of a poll, and the records of loop heads.

use crate::unit::identity::checkpoint::{CheckpointId, Position, PositionId, Reached, Values};
use crate::unit::panics;
use crate::unit::poll::context::{self, Context, State};
use crate::unit::poll::frames::{Activation, Frame};
use netcheck_memory::engine;
use std::fmt::{self, Write as _};
use std::hash::Hash;
use std::panic::Location;

/// The owner of a loop head.
pub(crate) enum Looping {
    /// The function whose future has this name.
    Function(&'static str),
    /// A loop of the function whose body has begun so, in so many others.
    Loop(Option<Activation>, u32),
}

impl Context {
    /// The position of the poll. It is a number that the check counts on, and must not come onto the program's stack, from
    /// where it could get into its memory.
    fn position(&self) -> PositionId {
        let state = &mut *self.state();
        state.frames.position.mark();
        self.shared.checkpoints.borrow_mut().position(&state.frames.position)
    }

    /// The identity of the local state after a step, if a checkpoint identifies it.
    pub(in crate::unit) fn arrival(&self) -> Option<PositionId> {
        let state = self.state();
        let mut position = state.frames.position.clone();
        state.script.answers().for_each(|(call, outcome)| position.answered(call.clone(), outcome.clone()));
        position.is_captured().then(|| self.shared.checkpoints.borrow_mut().position(&position))
    }

    /// Polls a future named `name`, for the first time if it `is_new`. It counts as awaited directly if `is_direct` holds
    /// for the future that polls it; the root of a program is polled by no future. If it `is_call`, it is entered at the
    /// position of its first poll, and else where the future was that polls it.
    pub(crate) fn call<R>(
        &self,
        (name, is_call): (&'static str, bool),
        is_new: bool,
        activation: &mut Option<Activation>,
        is_direct: impl FnOnce(&'static str, Option<Activation>) -> bool,
        poll: impl FnOnce() -> R,
    ) -> R {
        let is_trusted = match self.caller() {
            Some(caller) => is_direct(caller.name, caller.activation),
            None => is_direct("", None),
        };
        let frame = Frame { name: if is_trusted { name } else { "" }, activation: *activation };
        self.begin_call(frame, is_trusted && is_new, is_call);
        let polled = poll();
        *activation = self.end_call();
        polled
    }

    // The parts of `call` that no type takes part in: `call` is compiled for each type of future, and these once.

    /// Counts a call, and says which function makes it: the one whose future polls the other.
    fn caller(&self) -> Option<Frame> {
        self.shared.watch.call();
        engine(|| self.state().frames.innermost())
    }

    /// A future is polled, which `is_entered` if that is for the first time and it is awaited directly.
    fn begin_call(&self, frame: Frame, is_entered: bool, is_call: bool) {
        engine(|| {
            let entry = (is_entered && is_call).then(|| self.position());
            let frames = &mut self.state().frames;
            frames.push(frame);
            if is_entered {
                frames.enter(entry);
            }
        });
    }

    /// The poll is over; says which function's body has begun in it or before, if one has.
    fn end_call(&self) -> Option<Activation> {
        engine(|| self.state().frames.pop().and_then(|frame| frame.activation))
    }

    /// The body of the function whose future is named `name` begins.
    pub(crate) fn activate(&self, name: &'static str) -> Option<Activation> {
        engine(|| self.state().frames.activate(name))
    }

    /// A loop is entered, in so many others of its function.
    pub(crate) fn enter_loop(&self, of: Activation, depth: u32) {
        engine(|| {
            let at = self.position();
            self.state().frames.enter_loop(of, depth, at);
        });
    }

    /// The position at which a loop or its function was entered, if the function is awaited directly.
    fn entry(&self, of: Looping) -> Option<PositionId> {
        match of {
            Looping::Function(name) => self.state().frames.entry_of(name),
            Looping::Loop(function, depth) => {
                let function = function.filter(|_| self.is_direct(function))?;
                self.state().frames.entry_of_loop(function, depth)
            }
        }
    }

    /// Whether a function's body is polled only through functions that await each other directly.
    pub(crate) fn is_direct(&self, activation: Option<Activation>) -> bool {
        engine(|| {
            activation.is_some() && self.state().frames.innermost().is_some_and(|frame| frame.activation == activation)
        })
    }

    /// A loop head that is not captured is reached.
    pub(crate) fn pass(&self, why: &str, location: &'static Location<'static>) {
        engine(|| {
            if self.shared.modes.captures {
                self.shared.checkpoints.borrow_mut().uncaptured(location, || why.to_owned());
            }
        })
    }

    /// A loop head is reached. If the function is awaited directly from the root, and the unit's future depends only on the
    /// values and on the position at which the loop was entered, the history is replaced by a checkpoint. Returns the
    /// checkpoint if it is new.
    pub(crate) fn arrive(
        &self,
        of: Looping,
        mut values: Values,
        location: &'static Location<'static>,
    ) -> Option<CheckpointId> {
        self.renew_generators();
        engine(|| {
            self.state().frames.position.mark();
            if self.is_discarded() || !self.shared.modes.captures {
                return None;
            }
            let entry = self.entry(of);
            let state = self.state();
            let checkpoints = &mut self.shared.checkpoints.borrow_mut();
            let mut refuse = |why: &dyn Fn() -> String| {
                checkpoints.uncaptured(location, why);
                None
            };
            if let Some(why) = values.refusal() {
                return refuse(&|| why.clone());
            }
            if state.tasks.all.len() != 1 || self.shared.modes.tracks {
                return refuse(&|| "its process has several tasks".to_owned());
            }
            let Some(entry) = entry else {
                return refuse(&|| {
                    "its function is not awaited directly by annotated functions up to the process's root".to_owned()
                });
            };
            if state.operations.to_be_tried(|_| true).is_some() {
                return refuse(&|| "an operation was begun just before it".to_owned());
            }
            state.record(&mut values);
            state.clock.record(&mut values);
            drop(state);
            let Reached { checkpoint, is_new } = checkpoints.checkpoint(entry, location, values);
            self.state().frames.position = Position::at(checkpoint);
            is_new.then_some(checkpoint)
        })
    }

    /// Adds the text of a variable at a checkpoint.
    pub(crate) fn tell(&self, checkpoint: CheckpointId, value: String) {
        engine(|| {
            self.shared.checkpoints.borrow_mut().tell(checkpoint, value);
        })
    }
}

/// The `Debug` text of a value of the program, shortened. The `Debug` code runs without a current unit, so that it is
/// no part of the program's steps; if it panics, there is no text.
pub(crate) fn in_words(value: &dyn fmt::Debug) -> Option<String> {
    engine(|| {
        let mut text = Shortened::default();
        // An error means that the text is longer than its limit.
        let written = context::leave(|| panics::catch(|| write!(text, "{value:?}").is_err()));
        written.ok().map(|is_cut| text.0 + if is_cut { "…" } else { "" })
    })
}

/// A text with a limited length.
#[derive(Default)]
struct Shortened(String);

impl Shortened {
    const CHARS_MAX: usize = 40;
}

impl fmt::Write for Shortened {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = Self::CHARS_MAX - self.0.chars().count();
        self.0.extend(text.chars().take(room));
        if text.chars().nth(room).is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}

impl State {
    /// Records everything that the unit's future depends on besides the values of its variables.
    fn record(&self, values: &mut Values) {
        self.record_between_steps(values);
        self.operations.begun().hash(values);
        self.selects.polls().hash(values);
    }

    /// As [`State::record`], when a step has ended.
    pub(super) fn record_between_steps(&self, values: &mut Values) {
        self.record_sections(values);
    }

    /// Records all of it in sections; returns where each ends.
    pub(in crate::unit) fn record_sections(&self, values: &mut Values) -> [usize; SECTIONS.len()] {
        SECTIONS.map(|(_, record)| {
            record(self, values);
            values.bytes.len()
        })
    }
}

/// A section of the engine's record of a unit, in words, and the function that writes it.
type Section = (&'static str, fn(&State, &mut Values));

/// The sections of the engine's record of a unit, in their order.
pub(in crate::unit) const SECTIONS: [Section; 7] = [
    ("its pending operations", |state, values| state.operations.record(values)),
    ("its sockets and timers", |state, values| state.handles.record(values)),
    ("its tasks", |state, values| state.tasks.record(values)),
    ("its isolated tasks", |state, values| state.isolated.record(values)),
    ("how often it has come to its lines", |state, values| state.executions.record(values)),
    ("how often it has drawn random numbers", |state, values| state.random.record(values)),
    ("its files", |state, values| state.files.record(values)),
];
