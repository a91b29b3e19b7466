//! What happens with a step, told where its outcome is decided, and read wherever it is shown or followed.
//!
//! A transition carries a number: most steps tell what many others do, so nothing is allocated for one of them.

use crate::world::components::ComponentId;
use crate::world::intern::Interner;
use ahash::AHashMap;
use netcheck_models::event::Event;
use smallvec::{SmallVec, smallvec};

/// The number of what happens with a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct EventsId(u32);

impl EventsId {
    /// Nothing happens to the network.
    pub(crate) const NONE: EventsId = EventsId(0);
}

/// What happens with a step, by component.
pub(crate) type Told = SmallVec<[Happened; 1]>;

/// What happens to one component.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Happened {
    /// Which of the step's writes is to it; without any write, it is to no component.
    pub(crate) write: u32,
    pub(crate) events: SmallVec<[Event; 2]>,
    /// Of a channel that is not emptied or appended to: what is under way afterwards.
    pub(crate) remaining: Option<Remaining>,
}

/// What of a channel is under way after a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Remaining {
    /// Which of the step's writes says where.
    pub(crate) write: u32,
    /// By position afterwards: the position before.
    pub(crate) positions: SmallVec<[u32; 4]>,
}

impl Happened {
    /// The component, by what the step writes.
    pub(crate) fn component(&self, writes: &[(ComponentId, u32)]) -> Option<ComponentId> {
        writes.get(self.write as usize).map(|(component, _)| *component)
    }
}

/// All that steps tell.
pub(crate) struct Events {
    told: Interner<Told>,
    single: AHashMap<Event, EventsId>,
    together: AHashMap<Together, EventsId>,
}

/// What happens to several components, in the order of the writes to them.
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

    /// One event, at the component that the first write is to.
    pub(super) fn add_single(&mut self, event: Event) -> EventsId {
        let told = smallvec![Happened { write: 0, events: smallvec![event], remaining: None }];
        let id = self.add(&told);
        self.single.insert(event, id);
        id
    }

    /// What empties several channels: the `n`th is written by the `n`th write.
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
