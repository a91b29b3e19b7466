//! Newtypes for the ids that cross module borders; never bare integers.

use smallvec::SmallVec;
use std::fmt;

/// A claim of the program's, made by `sometimes!` at one source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClaimId(pub(crate) u32);

/// A unit: what is learned as one automaton (a process, or an isolated task).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UnitId(pub(crate) u32);

/// A process: an address space with a name and a host address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ProcessId(pub(crate) u32);

/// A task of one unit; 0 is the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TaskId(pub(crate) u32);

/// Who moves: a unit, or one of its tasks where tasks are tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Mover {
    pub(crate) unit: UnitId,
    /// `None`: the unit as a whole.
    pub(crate) task: Option<TaskId>,
}

impl Mover {
    /// Whether none is a part of the other.
    pub(crate) fn is_apart(self, other: Mover) -> bool {
        self.unit != other.unit || self.task.zip(other.task).is_some_and(|(task, other)| task != other)
    }
}

/// Tracked tasks are numbered by who has spawned them, and what they have by who they are: no number depends on
/// the order in which tasks ran.
impl TaskId {
    /// Tasks that a tracked task can spawn, at the most.
    pub(crate) const CHILDREN_MAX: u32 = (1 << 8) - 1;
    const ALL_MAX: u32 = 1 << 20;
    /// Operations, sockets and timers that a tracked task has at a time, at the most.
    const NUMBERS: u32 = 1 << 10;

    /// The `number`th task that a tracked task spawns, from 1; `None` if there are too many.
    pub(crate) fn child(self, number: u32) -> Option<TaskId> {
        let id = self.0 * (TaskId::CHILDREN_MAX + 1) + number;
        (number <= TaskId::CHILDREN_MAX && id < TaskId::ALL_MAX).then_some(TaskId(id))
    }

    /// The tasks from the root, which is left out, down to this one: each was spawned by the one before it.
    pub(crate) fn line(self) -> SmallVec<[TaskId; 4]> {
        let parent = |task: &TaskId| Some(TaskId(task.0 / (TaskId::CHILDREN_MAX + 1))).filter(|parent| parent.0 > 0);
        let mut line: SmallVec<[TaskId; 4]> = std::iter::successors((self.0 > 0).then_some(self), parent).collect();
        line.reverse();
        line
    }

    /// Where the numbers of a tracked task's operations, sockets and timers begin.
    pub(crate) fn first_number(self) -> u32 {
        self.0 * TaskId::NUMBERS
    }

    /// The tracked task to which a number belongs.
    pub(crate) fn of_number(number: u32) -> TaskId {
        TaskId(number / TaskId::NUMBERS)
    }
}

/// A node of a learned automaton. Node 0 stands for "not there".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// The unit has not been spawned yet, or has been joined.
    pub(crate) const ABSENT: NodeId = NodeId(0);
    /// A daemon that nothing can ever wake again.
    pub(crate) const PARKED: NodeId = NodeId(1);
    /// Ended without an output that anybody can ask for.
    pub(crate) const GONE: NodeId = NodeId(2);
    /// A parked daemon that waits for connections: while there is one, nothing is a deadlock.
    pub(crate) const PARKED_IN_ACCEPT: NodeId = NodeId(3);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An interned outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OutcomeId(pub(crate) u32);

/// A socket: the unit that made it and the smallest number that was free there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SocketId {
    pub(crate) unit: UnitId,
    pub(crate) index: u32,
}

/// A TCP connection, by the addresses of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ConnectionId(pub(crate) u32);

/// A source line of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallerId(pub(crate) u32);

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unit {}", self.0)
    }
}
