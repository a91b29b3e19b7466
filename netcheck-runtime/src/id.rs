//! Newtypes for the ids that cross module borders; never bare integers.

use netcheck_memory::handed_by_copy;
use smallvec::SmallVec;
use std::fmt;

handed_by_copy!(ClaimId, UnitId, TaskId, SocketId);

/// A claim of the program, made by `sometimes!` at one source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId(pub u32);

/// A unit: a process or an isolated task, learned as one automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(pub u32);

/// A process: an address space with a name and a host address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u32);

/// A task of one unit; 0 is the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// The subject of a step: a unit, or one of its tasks if tasks are tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mover {
    pub unit: UnitId,
    /// `None`: the unit as a whole.
    pub task: Option<TaskId>,
}

impl Mover {
    /// Whether neither mover is a part of the other.
    pub(crate) fn is_apart(self, other: Mover) -> bool {
        self.unit != other.unit || self.task.zip(other.task).is_some_and(|(task, other)| task != other)
    }
}

/// The number of a tracked task follows from the task that spawned it, and the numbers of its operations, sockets and
/// timers follow from its own. So no number depends on the order in which tasks ran.
impl TaskId {
    /// The most tasks that a tracked task can spawn.
    pub(crate) const CHILDREN_MAX: u32 = (1 << 8) - 1;
    const ALL_MAX: u32 = 1 << 20;
    /// The most operations, sockets and timers that a tracked task can have at a time.
    const NUMBERS: u32 = 1 << 10;

    /// The `number`th task that a tracked task spawns, from 1; `None` if there are too many.
    pub(crate) fn child(self, number: u32) -> Option<TaskId> {
        let id = self.0 * (TaskId::CHILDREN_MAX + 1) + number;
        (number <= TaskId::CHILDREN_MAX && id < TaskId::ALL_MAX).then_some(TaskId(id))
    }

    /// The tasks from the root (left out) down to this one: each was spawned by the one before it.
    pub(crate) fn line(self) -> SmallVec<[TaskId; 4]> {
        let parent = |task: &TaskId| Some(TaskId(task.0 / (TaskId::CHILDREN_MAX + 1))).filter(|parent| parent.0 > 0);
        let mut line: SmallVec<[TaskId; 4]> = std::iter::successors((self.0 > 0).then_some(self), parent).collect();
        line.reverse();
        line
    }

    /// The first number of a tracked task's operations, sockets and timers.
    pub(crate) fn first_number(self) -> u32 {
        self.0 * TaskId::NUMBERS
    }

    /// The tracked task to which a number belongs.
    pub(crate) fn of_number(number: u32) -> TaskId {
        TaskId(number / TaskId::NUMBERS)
    }
}

/// A node of a learned automaton. Node 0 means that the unit is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The unit has not been spawned yet, or has been joined.
    pub const ABSENT: NodeId = NodeId(0);
    /// A daemon that nothing can ever wake again.
    pub(crate) const PARKED: NodeId = NodeId(1);
    /// Ended without an output that can be asked for.
    pub(crate) const GONE: NodeId = NodeId(2);
    /// A parked daemon that waits for connections, on which the verdict of a deadlock may depend.
    pub(crate) const PARKED_IN_ACCEPT: NodeId = NodeId(3);
    /// In a part of a state: the unit belongs to another part.
    pub(crate) const ELSEWHERE: NodeId = NodeId(4);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An interned outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutcomeId(pub u32);

/// A socket: the unit that made it, and the smallest number that was free in that unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId {
    pub unit: UnitId,
    pub index: u32,
}

/// A TCP connection, by the addresses of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u32);

/// A source line of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerId(pub(crate) u32);

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unit {}", self.0)
    }
}
