//! Steps from one state to another.

use super::components::ComponentId;
use super::events::EventsId;
use crate::id::{NodeId, UnitId};
use crate::operation::{Input, OperationKey, Side};
use crate::unit::automaton::EdgeId;
use netcheck_models::host::reach::CutName;
use smallvec::SmallVec;

/// The message of a step, as its events tell it.
pub(crate) use netcheck_models::event::Message;

/// A datagram that arrives, by its content and the number of the channel on which it was under way: equal ones, sent by one
/// socket to one address, are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Delivered {
    pub(crate) channel: u32,
    pub(crate) datagram: u32,
}

/// The components that one outcome writes, with their values.
pub(crate) type Writes = SmallVec<[(ComponentId, u32); 2]>;

/// One possible step.
#[derive(Clone, Debug)]
pub struct Transition {
    pub step: Move,
    pub writes: Writes,
    pub faults: u32,
    /// The events of the network; [`Tables::told`](crate::world::tables::Tables::told) reads them.
    pub(crate) events: EventsId,
    /// The monitors that see the step, with their statuses after it.
    pub(crate) watched: Watched,
}

/// Components of monitors, with their values; `None` if there are none.
pub(crate) type Watched = Option<Box<[(ComponentId, u32)]>>;

/// The change of the state by one outcome.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) writes: Writes,
    pub(crate) faults: u32,
    pub(crate) events: EventsId,
}

impl Change {
    /// A change without events of the network.
    pub(crate) fn quiet(writes: Writes) -> Change {
        Change { writes, faults: 0, events: EventsId::NONE }
    }
}

/// The kind of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// A unit takes an edge.
    Unit { unit: UnitId, component: ComponentId, node: NodeId, input: Input, edge: EdgeId, class: Class },
    /// All datagrams in flight to sockets on which a unit waits are lost.
    LoseInFlight,
    /// In dense time: the copy at a position of a channel arrives.
    Arrive { channel: ComponentId, position: u32 },
    /// A unit's connect has its connection or is refused, and the unit does not know yet; where segments take delays, the
    /// connect is under way from now on.
    Dial { unit: UnitId, node: NodeId, key: OperationKey },
    /// In dense time: the next segment from an end of a connection arrives at the other, or only so many of its bytes.
    Reach { connection: ComponentId, from: Side, part: Option<u32> },
    /// In dense time, where delays are listed: a segment takes this one; `follows`: until the one before it arrives.
    Delay { connection: ComponentId, from: Side, ns: u64, follows: bool },
    /// In dense time: whether the deadline of a timer that is waited for again is over.
    Settle { unit: UnitId, timer: u32, is_over: bool },
    /// Time passes until the next timers, and none of them has fired yet.
    Pass { ns: u64 },
    /// A unit's connect will never be answered.
    Hang { unit: UnitId, node: NodeId, key: OperationKey },
    /// Links between hosts are cut, beside an operation of a unit that the cut stops.
    Cut { unit: UnitId, node: NodeId, key: OperationKey, cut: CutName },
    /// A cut heals, beside an operation of a unit that it lets through.
    Heal { unit: UnitId, node: NodeId, key: OperationKey, cut: CutName },
    /// Daemons that nothing can wake leave the state vector.
    Park(SmallVec<[UnitId; 4]>),
    /// From here on, these units are explored by themselves: all others leave the state vector, which never meet them.
    Part { units: SmallVec<[UnitId; 4]> },
    /// Datagrams are forgotten that nobody will receive.
    Forget,
}

/// The condition for a unit's step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing.
    Immediate,
    /// Something that comes over the network now; `required` if it can't be lost, `may_wait` if it may take any time.
    Delivery { required: bool, may_wait: bool },
    /// A deadline: the time until then passes.
    Timer { advance_ns: i64 },
    /// Nothing: a call fails although it need not, a process crashes, or links are cut. Steps with other conditions stay possible.
    Failure,
    /// Nothing: what has to come at last may take any time. Steps with other conditions stay possible.
    AnyTime,
}

impl Class {
    /// The nanoseconds that pass before a step of this class.
    pub fn advance_ns(self) -> i64 {
        if let Class::Timer { advance_ns } = self { advance_ns } else { 0 }
    }
}

impl Transition {
    pub fn unit(&self) -> Option<UnitId> {
        match self.step {
            Move::Unit { unit, .. } | Move::Hang { unit, .. } => Some(unit),
            _ => None,
        }
    }

    /// Whether some monitor sees both steps.
    pub(crate) fn is_seen_with(&self, other: &Transition) -> bool {
        let of = |watched: &Watched, component| watched.iter().flatten().any(|(other, _)| *other == component);
        self.watched.iter().flatten().any(|(component, _)| of(&other.watched, *component))
    }

    /// Whether the step is possible only while some units are quiet.
    pub fn is_scoped(&self) -> bool {
        let class = self.class();
        !self.holds_nothing_up() && !matches!(class, Some(Class::Immediate | Class::Delivery { .. }))
    }

    /// Whether the step is a failure that need not happen. A state that offers only failures may be the end of an
    /// execution.
    pub fn is_failure(&self) -> bool {
        matches!(self.step, Move::Unit { class: Class::Failure, .. } | Move::Hang { .. } | Move::Cut { .. })
    }

    /// Whether steps that come only if there is no other are possible beside it: a failure, or what may take any time.
    pub(crate) fn holds_nothing_up(&self) -> bool {
        self.is_failure() || self.class() == Some(Class::AnyTime)
    }

    /// Whether the step is one of the search alone, which nothing in an execution corresponds to.
    pub fn is_of_search(&self) -> bool {
        matches!(self.step, Move::Park(_) | Move::Part { .. } | Move::Forget)
    }

    /// Whether something goes wrong in the step: a fault, a failure, or the loss of all that is in flight.
    pub(crate) fn is_fault(&self) -> bool {
        self.faults > 0 || self.is_failure() || matches!(self.step, Move::LoseInFlight)
    }

    pub(crate) fn class(&self) -> Option<Class> {
        match self.step {
            Move::Unit { class, .. } => Some(class),
            Move::Heal { .. } => Some(Class::AnyTime),
            Move::Dial { .. } => Some(Class::Delivery { required: true, may_wait: false }),
            _ => None,
        }
    }
}
