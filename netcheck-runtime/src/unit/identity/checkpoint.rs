//! Local states by the part of a history that the future depends on: positions and checkpoints.
//!
//! A *position* is a point within a poll: the local state or the checkpoint before it, and the answers since. A
//! *checkpoint* is a loop head at which everything is known that the unit's future depends on: the position at which
//! the loop was entered, the values that the loop can change, and the unit's operations and handles. So a step that
//! passes a checkpoint leads to a local state that is identified by the checkpoint and the answers after it.

use crate::id::NodeId;
use crate::operation::{Input, Operation, Outcome};
use crate::sorted::SortedMap;
use crate::unit::source_line;
use ahash::AHashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;

netcheck_memory::handed_by_copy!(PositionId, CheckpointId);

/// A position in a unit's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionId(u32);

/// A loop head that was reached, with the record of everything that the future depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CheckpointId(u32);

/// The point from which a position is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Base {
    /// The local state in which the step began.
    Node(NodeId),
    Checkpoint(CheckpointId),
}

/// An input or an answer that a unit was given since the base of a position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Fed {
    Input(Input),
    Answer(Operation, Outcome),
}

/// A point within a poll: a base, and the inputs and answers since.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    base: Base,
    since: Vec<Fed>,
    /// The number of loops and calls entered, and heads reached, since the last answer or the base.
    marks: u32,
}

impl Default for Position {
    fn default() -> Self {
        Position { base: Base::Node(NodeId::ABSENT), since: Vec::new(), marks: 0 }
    }
}

impl Position {
    /// A step that begins in a local state.
    pub(crate) fn of(node: NodeId, input: Input) -> Self {
        Position { base: Base::Node(node), since: vec![Fed::Input(input)], marks: 0 }
    }

    /// Right after a checkpoint.
    pub(crate) fn at(checkpoint: CheckpointId) -> Self {
        Position { base: Base::Checkpoint(checkpoint), since: Vec::new(), marks: 0 }
    }

    pub(crate) fn answered(&mut self, call: Operation, outcome: Outcome) {
        self.since.push(Fed::Answer(call, outcome));
        self.marks = 0;
    }

    /// Counts an event at this position, so that later events at the same position differ.
    pub(crate) fn mark(&mut self) {
        self.marks += 1;
    }

    /// Whether a checkpoint was passed.
    pub(crate) fn is_captured(&self) -> bool {
        matches!(self.base, Base::Checkpoint(_))
    }
}

/// A checkpoint that was reached; `is_new`: for the first time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) checkpoint: CheckpointId,
    pub(crate) is_new: bool,
}

/// The loop head of a checkpoint, and its variables as text.
struct Told {
    location: &'static Location<'static>,
    values: Vec<String>,
}

impl Told {
    fn in_words(&self) -> String {
        let place = source_line::place(self.location);
        if self.values.is_empty() { place } else { format!("{place}: {}", self.values.join(", ")) }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Checkpoint {
    entry: PositionId,
    location: Location<'static>,
    values: Vec<u8>,
}

/// The positions and checkpoints that were met so far.
#[derive(Default)]
pub struct Checkpoints {
    positions: AHashMap<Position, PositionId>,
    checkpoints: AHashMap<Checkpoint, CheckpointId>,
    /// The checkpoints as text, by number.
    told: Vec<Told>,
    /// Loops that were not captured, by source line, with the reason.
    uncaptured: SortedMap<String, String>,
}

impl Checkpoints {
    pub(crate) fn position(&mut self, position: &Position) -> PositionId {
        if let Some(&id) = self.positions.get(position) {
            return id;
        }
        let id = PositionId(self.positions.len() as u32);
        self.positions.insert(position.clone(), id);
        id
    }

    pub(crate) fn checkpoint(
        &mut self,
        entry: PositionId,
        location: &'static Location<'static>,
        values: Values,
    ) -> Reached {
        let next = CheckpointId(self.checkpoints.len() as u32);
        // A copy: the program may have allocated the original in memory of its own.
        let checkpoint = Checkpoint { entry, location: *location, values: values.bytes.clone() };
        let checkpoint = *self.checkpoints.entry(checkpoint).or_insert(next);
        if checkpoint == next {
            self.told.push(Told { location, values: Vec::new() });
        }
        Reached { checkpoint, is_new: checkpoint == next }
    }

    /// Adds the text of a variable at a checkpoint.
    pub(crate) fn tell(&mut self, checkpoint: CheckpointId, value: String) {
        self.told[checkpoint.0 as usize].values.push(value);
    }

    /// The checkpoints as text, by the positions after them.
    pub fn in_words(&self) -> AHashMap<PositionId, String> {
        let words = |(position, &id): (&Position, &PositionId)| match position.base {
            Base::Checkpoint(checkpoint) => Some((id, self.told[checkpoint.0 as usize].in_words())),
            Base::Node(_) => None,
        };
        self.positions.iter().filter_map(words).collect()
    }

    /// A loop head was reached that is not captured.
    pub(crate) fn uncaptured(&mut self, location: &'static Location<'static>, why: impl FnOnce() -> String) {
        self.uncaptured.or_insert_with(format!("{}:{}", location.file(), location.line()), why);
    }

    /// The source lines of loops that were not captured, with the reasons.
    pub fn all_uncaptured(&self) -> impl Iterator<Item = (&str, &str)> {
        self.uncaptured.iter().map(|(line, why)| (line.as_str(), why.as_str()))
    }
}

/// Values as the bytes that their `Hash` writes.
#[derive(Default)]
pub struct Values {
    pub(crate) bytes: Vec<u8>,
    /// Instants, in nanoseconds by the clock of the run.
    pub(crate) instants: Vec<i64>,
    /// The first value that could not be recorded: its name and type.
    pub(crate) opaque: Option<(&'static str, &'static str)>,
    /// The type parameter in its type, and the type that it stands for: without a bound, its `Hash` is unknown.
    parameter: Option<(&'static str, &'static str)>,
}

impl Values {
    /// The type parameters of the function whose values these are, each with the type that it stands for.
    pub fn parameters<const N: usize>(&mut self, all: impl FnOnce() -> [(&'static str, &'static str); N]) {
        let Some((_, of_value)) = self.opaque else { return };
        let all = all();
        let is_it = all.iter().find(|(_, of_parameter)| *of_parameter == of_value);
        let is_in_it = || all.iter().find(|(_, of_parameter)| mentions(of_value, of_parameter));
        self.parameter = is_it.or_else(is_in_it).copied();
    }

    /// Why the loop is not captured, if a value can't be recorded.
    pub(crate) fn refusal(&self) -> Option<String> {
        let (name, of_value) = self.opaque?;
        Some(match self.parameter {
            Some((parameter, of_parameter)) if of_parameter == of_value => format!(
                "`{name}` is a `{parameter}` (here `{of_value}`), and `{parameter}` has no bound `Hash`: \
                 write `{parameter}: std::hash::Hash`"
            ),
            Some((parameter, of_parameter)) => format!(
                "`{name}` is a `{of_value}`, which has no `Hash`, or none without a bound `Hash` on `{parameter}` \
                 (here `{of_parameter}`)"
            ),
            None => format!("`{name}` is a `{of_value}`, which has no `Hash`"),
        })
    }

    /// Records that a value can't be recorded.
    pub(crate) fn refuse(&mut self, name: &'static str, type_name: &'static str) {
        self.opaque.get_or_insert((name, type_name));
    }
}

/// Whether a type's name contains another one as a whole word.
fn mentions(whole: &str, part: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    whole.match_indices(part).any(|(begin, _)| {
        let (before, after) = (&whole[..begin], &whole[begin + part.len()..]);
        !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
    })
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// Keeps every byte: equal records are equal values.
impl Hasher for Values {
    fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}
