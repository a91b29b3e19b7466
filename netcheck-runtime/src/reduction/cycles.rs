//! The cycles of the reduced graph that the proviso has found, for the choice of stubborn sets.

use crate::id::{Mover, ProcessId, UnitId};
use crate::sorted::SortedSet;
use crate::world::components::{Component, ComponentId, StateVector};
use crate::world::tables::{Tables, View};
use ahash::{AHashMap, AHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The known cycles of the reduced graph.
#[derive(Default)]
pub(crate) struct Cycles {
    /// Movers that go round in a cycle while movers that are connected to them wait.
    unreduced: AHashSet<SmallVec<[Mover; 8]>>,
    endless: AHashMap<Part, Endless>,
    /// An endless component was seen where states had been left out.
    endless_in_part: bool,
    /// Sets of units that go round in a cycle in which no time passes: no timer fires there.
    untimed: SortedSet<SortedSet<UnitId>>,
    /// The units of these sets that keep time from passing for others with timers.
    busy: SortedSet<UnitId>,
    /// Whether time passes for no mover before all that need no time have moved.
    time_last: bool,
    /// In dense time: processes whose groups go round for ever.
    last: SortedSet<ProcessId>,
    /// In dense time: whether all processes are one group.
    together: bool,
}

/// The components of a state that belong to some processes or to all, with their values.
pub(super) type Part = SmallVec<[(ComponentId, u32); 16]>;

/// A state of a component that will go round for ever.
struct Endless {
    /// The states of the cycle from which the other components are explored: one that was found with the cycle, and
    /// others where a later search did not come to it.
    representatives: SmallVec<[StateVector; 1]>,
    /// Whether time passes in the cycle.
    timed: bool,
}

/// How a component of a state has to be explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Like any other.
    Usual,
    /// The component is explored, and the others besides it.
    Shared { timed: bool },
    /// The component is left alone: it is explored from the representative of its cycle.
    Over { timed: bool },
}

impl Cycles {
    /// Whether some units were seen to go round while others of their component waited.
    pub(crate) fn are_unreduced(&self, movers: &[Mover]) -> bool {
        self.unreduced.iter().any(|cycle| movers.iter().all(|mover| cycle.contains(mover)))
    }

    /// Whether a component goes round for ever and others have to be explored besides.
    pub(crate) fn has_endless(&self) -> bool {
        self.endless_in_part || !self.endless.is_empty()
    }

    /// Forgets the components that go round for ever, and the states that stand for them.
    pub(super) fn forget_endless(&mut self) {
        self.endless.clear();
    }

    /// From now on, the units of a cycle are not reduced among themselves; says whether they were until now.
    pub(super) fn unreduce(&mut self, moved: SmallVec<[Mover; 8]>) -> bool {
        self.unreduced.insert(moved)
    }

    /// An endless component was seen where states had been left out.
    pub(super) fn note_endless_in_part(&mut self) {
        self.endless_in_part = true;
    }

    /// From now on, the others are explored besides an endless component in the state that stands for its cycle; says
    /// whether the component is new.
    pub(super) fn add_endless(&mut self, part: Part, representative: StateVector, timed: bool) -> bool {
        let representatives = SmallVec::from_iter([representative]);
        self.endless.insert(part, Endless { representatives, timed }).is_none()
    }

    /// The states of the endless components, each with the states from which the others are explored.
    pub(super) fn represented(&self) -> BTreeMap<Part, SmallVec<[StateVector; 1]>> {
        self.endless.iter().map(|(part, endless)| (part.clone(), endless.representatives.clone())).collect()
    }

    /// From now on, the others are explored besides an endless component in this state, too.
    pub(super) fn represent(&mut self, part: &Part, representative: StateVector) {
        let endless = self.endless.get_mut(part).expect("the component is known to be endless");
        endless.representatives.push(representative);
    }

    /// Adds sets of units that go round without time passing. The units of `with_timers` outside of such a set would
    /// wait for ever. Says whether more units keep time from passing than were known to.
    pub(super) fn add_untimed(
        &mut self,
        untimed: impl Iterator<Item = SortedSet<UnitId>>,
        with_timers: &[UnitId],
    ) -> bool {
        self.untimed.extend(untimed);
        let keep_time = |units: &&SortedSet<UnitId>| with_timers.iter().any(|unit| !units.contains(unit));
        let busy: SortedSet<UnitId> = self.untimed.iter().filter(keep_time).flatten().copied().collect();
        let are_more = busy.iter().any(|unit| !self.busy.contains(unit));
        self.busy.extend(busy);
        are_more
    }

    /// Whether a unit may keep time from passing.
    pub(crate) fn is_busy(&self, unit: UnitId) -> bool {
        self.busy.contains(&unit)
    }

    /// Whether some unit may keep time from passing.
    pub(crate) fn has_busy(&self) -> bool {
        !self.busy.is_empty()
    }

    /// From now on, time passes last; says whether it did not until now.
    pub(super) fn let_time_pass_last(&mut self) -> bool {
        !std::mem::replace(&mut self.time_last, true)
    }

    /// Whether a process was seen to go round for ever in dense time.
    pub(super) fn is_last(&self, process: ProcessId) -> bool {
        self.last.contains(&process)
    }

    /// From now on, the group of a process is explored after the others; says whether it was not until now.
    pub(super) fn put_last(&mut self, process: ProcessId) -> bool {
        self.last.insert(process)
    }

    /// Whether all processes are one group in dense time.
    pub(super) fn are_together(&self) -> bool {
        self.together
    }

    /// From now on, all processes are one group in dense time.
    pub(super) fn put_together(&mut self) {
        self.together = true;
    }

    /// Whether time passes for no mover before all that need no time have moved.
    pub(crate) fn is_time_last(&self) -> bool {
        self.time_last
    }

    /// Whether the order in which components are explored, or the passing of time, is a matter of several groups.
    pub(super) fn span_groups(&self) -> bool {
        !self.endless.is_empty() || self.has_busy() || self.time_last
    }

    /// How the component of these units is to be explored in a state.
    pub(crate) fn turn(&self, view: View<'_>, state: &[u32], movers: &[Mover]) -> Turn {
        if self.endless.is_empty() {
            return Turn::Usual;
        }
        match self.endless.get(&part(&view, state, movers)) {
            None => Turn::Usual,
            Some(Endless { representatives, timed }) if representatives.iter().any(|known| known[..] == *state) => {
                Turn::Shared { timed: *timed }
            }
            Some(endless) => Turn::Over { timed: endless.timed },
        }
    }
}

/// The components of a state that belong to the processes of some units, among them those that others could change too.
pub(super) fn part(tables: &Tables, state: &[u32], movers: &[Mover]) -> Part {
    let processes: SmallVec<[ProcessId; 8]> = movers.iter().map(|mover| tables.process_of(mover.unit)).collect();
    let of_unit = |unit: UnitId| processes.contains(&tables.process_of(unit));
    let belongs = |component: Component| match component {
        Component::Unit(unit) | Component::Handle(unit) | Component::Timers(unit) | Component::Scope(unit) => {
            of_unit(unit)
        }
        Component::Port(process, _) | Component::StreamPort(process, _) => processes.contains(&process),
        Component::Channel { from, to } => of_unit(from.unit) || of_unit(to.unit),
        Component::Astray { from, to: (process, _) } => of_unit(from.unit) || processes.contains(&process),
        Component::Buffer(socket) | Component::Head(socket) | Component::Hung(socket) | Component::Dialed(socket) => {
            of_unit(socket.unit)
        }
        Component::Connection(connection) => {
            tables.connections.processes(connection).iter().any(|process| processes.contains(process))
        }
        Component::Clock | Component::Zone | Component::Faults | Component::Monitor(_) | Component::Observed => true,
    };
    let values = tables.components.iter().map(|(id, component)| (id, component, id.of(state)));
    values.filter(|&(_, component, value)| value != 0 && belongs(component)).map(|(id, _, value)| (id, value)).collect()
}
