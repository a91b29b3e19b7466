//! The events of a step, recorded where its outcome is decided and read by every display and search.
//!
//! A transition carries the number of its events. Many steps have the same events, so recording them rarely allocates.

use crate::world::components::ComponentId;
use crate::world::intern::Interner;
use ahash::AHashMap;
use netcheck_models::event::Event;
use smallvec::{SmallVec, smallvec};

/// The number of a step's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct EventsId(u32);

impl EventsId {
    /// No event of the network.
    pub(crate) const NONE: EventsId = EventsId(0);
}

/// The events of a step, by component.
pub(crate) type Told = SmallVec<[Happened; 1]>;

/// The events at one component.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Happened {
    /// The index of the step's write to the component; if the step writes nothing, the events have no component.
    pub(crate) write: u32,
    pub events: SmallVec<[Event; 2]>,
    /// For a channel that is neither emptied nor appended to: the datagrams in flight after the step.
    pub remaining: Option<Remaining>,
}

/// The datagrams that stay in flight on a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Remaining {
    /// The index of the step's write to the channel on which they are after the step.
    pub write: u32,
    /// For each position after the step: the position before it.
    pub positions: SmallVec<[u32; 4]>,
}

impl Happened {
    /// The component of the events, given the step's writes.
    pub fn component(&self, writes: &[(ComponentId, u32)]) -> Option<ComponentId> {
        writes.get(self.write as usize).map(|(component, _)| *component)
    }
}

/// The table of the events of all steps.
pub(crate) struct Events {
    told: Interner<Told>,
    single: AHashMap<Event, EventsId>,
    together: AHashMap<Together, EventsId>,
}

/// The events of several components, in the order of the writes to them.
pub(crate) type Together = SmallVec<[EventsId; 4]>;

impl Events {
    pub(super) fn new() -> Self {
        Events { told: Interner::new(), single: AHashMap::new(), together: AHashMap::new() }
    }

    pub(super) fn get(&self, id: EventsId) -> &Told {
        self.told.get(id.0)
    }

    pub(super) fn find(&self, told: &Told) -> Option<EventsId> {
        self.told.find(told).map(EventsId)
    }

    pub(super) fn find_single(&self, event: Event) -> Option<EventsId> {
        self.single.get(&event).copied()
    }

    pub(super) fn find_together(&self, each: &Together) -> Option<EventsId> {
        self.together.get(each).copied()
    }

    pub(super) fn add(&mut self, told: &Told) -> EventsId {
        EventsId(self.told.intern(told))
    }

    /// Adds one event, at the component of the first write.
    pub(super) fn add_single(&mut self, event: Event) -> EventsId {
        let told = smallvec![Happened { write: 0, events: smallvec![event], remaining: None }];
        let id = self.add(&told);
        self.single.insert(event, id);
        id
    }

    /// Adds the events of a step that empties several channels: the `n`th write is to the `n`th channel.
    pub(super) fn add_together(&mut self, each: &Together) -> EventsId {
        let told = (0..).zip(each).flat_map(|(write, id)| {
            let of_one = self.told.get(id.0).iter();
            of_one.map(move |happened| Happened { write, ..happened.clone() })
        });
        let told = told.collect();
        let id = self.add(&told);
        self.together.insert(each.clone(), id);
        id
    }
}
