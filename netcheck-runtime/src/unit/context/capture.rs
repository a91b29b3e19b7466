//! What a poll knows of captured loops: who awaits whom, where it is, and what a loop head tells.

use super::{CURRENT, Context, Fresh, Shared, State};
use crate::unit::checkpoint::{CheckpointId, Position, PositionId, Reached, Values};
use crate::unit::panics;
use ahash::AHashMap;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::hash::Hash;
use std::panic::Location;

/// A future that is being polled by the function that awaits it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The name of its type; empty where something may stand between it and the root.
    name: &'static str,
    /// Where it was first polled.
    entry: PositionId,
    /// The run of a function's body that this is, once that has begun.
    activation: Option<Activation>,
}

/// One run of an annotated function's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Activation(u32);

impl Context {
    /// A step begins: nothing of the one before it is being polled any more.
    pub(crate) fn begin_at(&self, position: Position) {
        let mut state = self.state();
        state.position = position;
        state.frames.clear();
    }

    /// Where the poll is.
    pub(crate) fn position(&self) -> PositionId {
        let mut state = self.state();
        state.position.mark();
        self.shared.checkpoints.borrow_mut().position(&state.position)
    }

    /// The local state that a step has led to, if it is told by a checkpoint.
    pub(crate) fn arrival(&self) -> Option<PositionId> {
        let state = self.state();
        let mut position = state.position.clone();
        state.script.iter().for_each(|(call, outcome)| position.answered(call.clone(), outcome.clone()));
        position.is_captured().then(|| self.shared.checkpoints.borrow_mut().position(&position))
    }

    /// Polls a future named `name` that was first polled at `entry`. It counts as awaited directly
    /// if `is_direct` says so of the future that polls it; the root of a program is polled by nobody.
    pub(crate) fn call<R>(
        &self,
        name: &'static str,
        entry: Option<PositionId>,
        activation: &mut Option<Activation>,
        is_direct: impl FnOnce(&'static str, Option<Activation>) -> bool,
        poll: impl FnOnce() -> R,
    ) -> R {
        let caller = self.state().frames.last().copied();
        let (is_trusted, entry) = match (caller, entry) {
            (Some(caller), entry) => (is_direct(caller.name, caller.activation), entry.unwrap_or(caller.entry)),
            (None, Some(entry)) => (is_direct("", None), entry),
            (None, None) => return poll(),
        };
        self.state().frames.push(Frame { name: if is_trusted { name } else { "" }, entry, activation: *activation });
        let polled = poll();
        *activation = self.state().frames.pop().and_then(|frame| frame.activation);
        polled
    }

    /// The body of the function whose future is named `name` begins.
    pub(crate) fn activate(&self, name: &'static str) -> Option<Activation> {
        let mut state = self.state();
        state.activations += 1;
        let activation = Activation(state.activations);
        let frame = state.frames.last_mut().filter(|frame| !name.is_empty() && frame.name == name)?;
        // A function that calls itself in a roundabout way finds its caller here.
        if frame.activation.is_some() {
            return None;
        }
        frame.activation = Some(activation);
        Some(activation)
    }

    /// Where the function that is polled now was first polled, if the future named `name` is
    /// awaited directly.
    pub(crate) fn entry_of(&self, name: &'static str) -> Option<PositionId> {
        let state = self.state();
        state.frames.last().filter(|frame| !name.is_empty() && frame.name == name).map(|frame| frame.entry)
    }

    /// Whether a function's body is polled by nothing but functions that await each other.
    pub(crate) fn is_direct(&self, activation: Option<Activation>) -> bool {
        activation.is_some() && self.state().frames.last().is_some_and(|frame| frame.activation == activation)
    }

    /// A loop head is reached that tells nothing.
    pub(crate) fn pass(&self, why: &str, location: &'static Location<'static>) {
        if self.shared.captures.get() {
            self.shared.checkpoints.borrow_mut().uncaptured(location, || why.to_owned());
        }
    }

    /// A loop head is reached that was entered at `entry`; `None` if something stands between its
    /// function and the root. If the values and the entry say everything that the unit's future
    /// depends on, its past is forgotten. Returns the checkpoint if it is new.
    pub(crate) fn arrive(
        &self,
        entry: Option<PositionId>,
        mut values: Values,
        location: &'static Location<'static>,
    ) -> Option<CheckpointId> {
        self.state().position.mark();
        if self.discarded.get() || !self.shared.captures.get() {
            return None;
        }
        let state = self.state();
        let checkpoints = &mut self.shared.checkpoints.borrow_mut();
        let mut refuse = |why: &dyn Fn() -> String| {
            checkpoints.uncaptured(location, why);
            None
        };
        if let Some(why) = values.refusal() {
            return refuse(&|| why.clone());
        }
        if state.tasks.len() != 1 || self.shared.tracks.get() {
            return refuse(&|| "its process has several tasks".to_owned());
        }
        let Some(entry) = entry else {
            return refuse(&|| {
                "its function is not awaited directly by annotated functions up to the process's root".to_owned()
            });
        };
        if state.has_triable() {
            return refuse(&|| "an operation was begun just before it".to_owned());
        }
        state.record(&self.shared, &mut values);
        drop(state);
        let Reached { checkpoint, is_new } = checkpoints.checkpoint(entry, location, values);
        self.state().position = Position::at(checkpoint);
        is_new.then_some(checkpoint)
    }

    /// Keeps what a variable is at a checkpoint, for whoever reads it.
    pub(crate) fn tell(&self, checkpoint: CheckpointId, value: String) {
        self.shared.checkpoints.borrow_mut().tell(checkpoint, value);
    }
}

/// The `Debug` text of a value of the program's, shortened. It is not part of what the program does: in it, there is
/// no world to ask, and a panic only means that there is no text.
pub(crate) fn in_words(value: &dyn fmt::Debug) -> Option<String> {
    let mut text = Shortened::default();
    let world = CURRENT.take();
    // An error: there is more than fits.
    let written = panics::catch(|| write!(text, "{value:?}").is_err());
    CURRENT.set(world);
    written.ok().map(|is_cut| text.0 + if is_cut { "…" } else { "" })
}

/// Takes so much text and no more.
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
    /// Records all that a unit knows besides the values of its variables.
    fn record(&self, shared: &Shared, values: &mut Values) {
        for pending in self.operations.values() {
            (&pending.offer, &pending.outcome).hash(values);
        }
        (&self.sockets, &self.timers, &self.task_numbers, &self.unseen, self.begun, self.selects).hash(values);
        in_order(&self.endpoints, |&socket| socket).hash(values);
        in_order(&self.surplus, |&socket| socket).hash(values);
        in_order(&self.children, |&child| child).hash(values);
        let polled: BTreeMap<_, _> =
            self.polled.iter().map(|(&(socket, way), pending)| ((socket, way as u8), pending.key)).collect();
        polled.hash(values);
        for task in self.tasks.values() {
            task.control().flags().hash(values);
        }
        let executions_max = shared.executions_max.get();
        for (caller, &count) in in_order(&self.executions, |&caller| caller) {
            (caller, count.min(executions_max)).hash(values);
        }
    }

    /// Whether an operation that was begun in this poll could still be tried at once.
    fn has_triable(&self) -> bool {
        let pending = |fresh: &Fresh| self.operations.get(&fresh.key);
        self.fresh.iter().filter_map(pending).any(|pending| pending.offer.operation.tried().is_some())
    }
}

/// A map's entries in the order of their keys.
fn in_order<K, V, O: Ord>(map: &AHashMap<K, V>, order: impl Fn(&K) -> O) -> Vec<(&K, &V)> {
    let mut entries: Vec<(&K, &V)> = map.iter().collect();
    entries.sort_by_key(|(key, _)| order(key));
    entries
}
