//! States without their programs, and the datagram that a step delivers: for orders of the search.

use super::components::{Component, ComponentId};
use super::step::{Delivered, Transition};
use super::tables::View;
use super::time::names::is_mark;
use netcheck_models::event::Event;
use std::hash::{BuildHasher, Hash, Hasher};

impl View<'_> {
    /// A number for the network of a state: what is under way and bound, the connections, the timers that are armed, the
    /// faults that were used, and where the monitors are. Two networks rarely have one number.
    ///
    /// The programs' local states are no part of it, nor is the time since the start. In dense time, which events are
    /// scheduled belongs to it, and not when: most ways to the same events differ in that.
    pub(crate) fn network_state(self, state: &[u32]) -> u64 {
        // Fixed seeds, so that every run gives the same order.
        let mut hasher = ahash::RandomState::with_seeds(5, 6, 7, 8).build_hasher();
        for (index, &value) in (0..).zip(state).filter(|&(_, &value)| value != 0) {
            match self.components.component(ComponentId(index)) {
                Component::Unit(_)
                | Component::Handle(_)
                | Component::Scope(_)
                | Component::Clock
                | Component::Observed => {}
                Component::Zone => {
                    // A mark is an instant that a program has read.
                    let scheduled = self.zones.get(value).events().iter();
                    scheduled.filter(|event| !is_mark(**event)).for_each(|event| event.hash(&mut hasher));
                }
                _ => (index, value).hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    /// The datagram that a step brings to its receiver: at a socket, or where none is bound.
    pub(crate) fn delivered(self, state: &[u32], transition: &Transition) -> Option<Delivered> {
        self.told(transition).iter().find_map(|happened| {
            let channel = happened.component(&transition.writes)?;
            let is_under_way =
                matches!(self.components.component(channel), Component::Channel { .. } | Component::Astray { .. });
            let position = happened.events.iter().find_map(|event| match event {
                Event::Arrived { position } => Some(*position),
                _ => None,
            });
            let position = position.filter(|_| is_under_way)?;
            let datagram = self.links.get(channel.of(state)).packets().nth(position as usize)?;
            Some(Delivered { channel: channel.0, datagram })
        })
    }
}
