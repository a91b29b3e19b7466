//! Which calls on UDP complete at once: see [`world::readiness`](crate::world::readiness).

use super::Prepared;
use crate::id::UnitId;
use crate::world::components::Component;
use crate::world::readiness::Readiness;
use crate::world::step::Writes;
use crate::world::tables::{Lookup, View};

/// Whether an operation can complete.
pub(in crate::world) fn of(view: View<'_>, state: &[u32], prepared: &Prepared) -> Lookup<Readiness> {
    let (socket, inbox) = match *prepared {
        // It never waits, or only for the driver to tell that there is room.
        Prepared::Send(_) | Prepared::SendToGroup(_) | Prepared::Bind { .. } | Prepared::Connect { .. } => {
            return Ok(Readiness::MayBe);
        }
        Prepared::Join { .. } | Prepared::Leave { .. } => return Ok(Readiness::Waits),
        Prepared::Receive { socket, inbox, .. } => (socket, inbox),
    };
    if view.has_arrivals() {
        let buffer = view.component(Component::Buffer(socket))?;
        let is_empty = view.links.get(buffer.of(state)).is_empty();
        return Ok(if is_empty { Readiness::Waits } else { Readiness::Ready });
    }
    if view.head(inbox).is_some_and(|head| head.of(state) != 0) {
        return Ok(Readiness::Ready);
    }
    let mut readiness = Readiness::Waits;
    for channel in view.inlets(inbox) {
        let link = channel.component.of(state);
        if link == 0 {
            continue;
        }
        if view.links.get(link).has_known() {
            return Ok(Readiness::Ready);
        }
        if !view.arrivals(*channel, link)?.deliveries.is_empty() {
            readiness = Readiness::MayBe;
        }
    }
    Ok(readiness)
}

impl View<'_> {
    /// Time passes for the units for which `timed` holds: their driver is asked, and knows of what has arrived. Only a
    /// datagram that can't be lost is known to have. Adds the channels as they are afterwards.
    pub(in crate::world) fn look_at_sockets(
        self,
        state: &[u32],
        timed: &dyn Fn(UnitId) -> bool,
        writes: &mut Writes,
    ) -> Lookup<()> {
        for channel in self.inlets.iter().flatten() {
            let Component::Channel { to, .. } = self.components.component(channel.component) else { continue };
            let link = channel.component.of(state);
            if link == 0 || !timed(to.unit) {
                continue;
            }
            let known = self.link(self.links.get(link).looked_at(&self.rules[channel.rules].rules))?;
            if known != link {
                writes.push((channel.component, known));
            }
        }
        Ok(())
    }
}
