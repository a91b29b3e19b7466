//! Steps from one state to another.

use super::components::ComponentId;
use super::events::EventsId;
use crate::id::{NodeId, UnitId};
use crate::operation::{Input, OperationKey};
use crate::unit::automaton::EdgeId;
use smallvec::SmallVec;

/// What the model writes for one outcome.
pub(crate) type Writes = SmallVec<[(ComponentId, u32); 2]>;

/// One possible step.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) step: Move,
    pub(crate) writes: Writes,
    pub(crate) faults: u32,
    /// What happens to the network; [`Tables::told`](crate::world::tables::Tables::told) reads it.
    pub(crate) events: EventsId,
}

/// What the model does with one outcome.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) writes: Writes,
    pub(crate) faults: u32,
    pub(crate) events: EventsId,
}

impl Change {
    /// Nothing happens to the network but what is written.
    pub(crate) fn quiet(writes: Writes) -> Change {
        Change { writes, faults: 0, events: EventsId::NONE }
    }
}

/// Who moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// A unit takes an edge.
    Unit { unit: UnitId, component: ComponentId, node: NodeId, input: Input, edge: EdgeId, class: Class },
    /// Everything under way to sockets that are waited on is lost.
    LoseInFlight,
    /// A unit's connect will never be answered.
    Hang { unit: UnitId, node: NodeId, key: OperationKey },
    /// Daemons that nothing can wake leave the vector.
    Park(SmallVec<[UnitId; 4]>),
}

/// What a unit's step has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing.
    Immediate,
    /// A datagram that arrives now; `required` if it can't be lost.
    Delivery { required: bool },
    /// A deadline: the time until then passes.
    Timer { advance_ns: i64 },
    /// Nothing: a call fails that need not. Whoever waits goes on waiting for all that.
    Failure,
}

impl Transition {
    pub(crate) fn unit(&self) -> Option<UnitId> {
        match self.step {
            Move::Unit { unit, .. } | Move::Hang { unit, .. } => Some(unit),
            _ => None,
        }
    }

    /// Whether the step is possible only because some units are quiet.
    pub(crate) fn is_scoped(&self) -> bool {
        let class = self.class();
        !self.is_failure() && !matches!(class, Some(Class::Immediate | Class::Delivery { .. }))
    }

    /// Whether the step is a failure that need not happen: where there is nothing else, an
    /// execution may have come to its end.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self.step, Move::Unit { class: Class::Failure, .. } | Move::Hang { .. })
    }

    pub(crate) fn class(&self) -> Option<Class> {
        match self.step {
            Move::Unit { class, .. } => Some(class),
            _ => None,
        }
    }
}
