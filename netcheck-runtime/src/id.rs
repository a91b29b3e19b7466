//! Newtypes for the ids that cross module borders; never bare integers.

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
