//! One delay for each copy of a datagram, out of those that it may have: for executions that are drawn.
//!
//! A zone with one instant for a copy is part of the zone with all of them, and what may happen in it may happen there
//! too. So the steps of such an execution are steps of one in which all delays are possible.

use crate::world::components::{Component, ComponentId};
use crate::world::step::Transition;
use crate::world::system::System;
use crate::world::time::names::copy_event;
use netcheck_models::time::{Delay, Moment, Time};

impl System {
    /// Settles when the copies arrive that a step has sent: after as many nanoseconds as `delay_ns` says, or the nearest
    /// number that is possible.
    pub(crate) fn settle_delays(
        &mut self,
        before: &[u32],
        step: &Transition,
        after: &mut Vec<u32>,
        delay_ns: &mut dyn FnMut() -> u64,
    ) {
        let written = step.writes.iter().map(|(component, _)| *component);
        let is_channel = |component: &ComponentId| {
            matches!(self.components.component(*component), Component::Astray { .. })
                && component.of(before) != component.of(after)
        };
        let sent: Vec<_> = written.filter(is_channel).flat_map(|channel| self.sent(channel, before, after)).collect();
        if sent.is_empty() {
            return;
        }
        let mut zone = self.view().zone_at(after).clone();
        for event in sent {
            let (least_ns, most_ns) = match zone.is_scheduled(event) {
                true => {
                    let away = zone.distance(Moment::NOW, Moment::of(event));
                    (away.least_ns.unwrap_or(0), away.most_ns)
                }
                false => (0, None),
            };
            let drawn_ns = i64::try_from(delay_ns()).unwrap_or(i64::MAX).max(least_ns);
            let ns = most_ns.map_or(drawn_ns, |most_ns| drawn_ns.min(most_ns));
            zone.disarm(event);
            zone.arm(event, Delay::exactly(u64::try_from(ns).unwrap_or(0)));
        }
        let value = self.zones.intern(&zone);
        self.zone.expect("time is dense").set(after, value);
    }

    /// The copies on a channel that were not there before. Of equal ones, the last.
    fn sent(&self, channel: ComponentId, before: &[u32], after: &[u32]) -> Vec<netcheck_models::time::Scheduled> {
        let packets = |state: &[u32]| self.links.get(channel.of(state)).packets().collect::<Vec<u32>>();
        let (before, after) = (packets(before), packets(after));
        let count = |of: &[u32], packet| of.iter().filter(|&&other| other == packet).count();
        let is_sent =
            |&(position, &packet): &(usize, &u32)| count(&after[..=position], packet) > count(&before, packet);
        let sent = after.iter().enumerate().filter(is_sent);
        sent.map(|(position, _)| copy_event(channel, position as u32)).collect()
    }
}
