//! Partitions: links between hosts that are cut, and heal.
//!
//! The rules are in [`netcheck_models::host::reach`], and [`View::is_cut_off_from`] is where everybody asks who reaches whom. A cut
//! is a step of the network that stops some links at once: a datagram that is sent over one of them is lost, a connect waits, and
//! what the ends of a connection send to each other waits and comes in order at the heal (`netcheck_models::tcp`). What has
//! been sent and not received may still be under way: of each channel of datagrams any last ones are lost with the cut, and of
//! each direction of a connection any last writes wait, with the end of the stream or the reset behind them. What that is, is
//! chosen with the cut, as writes of its step.
//!
//! **Chosen late.** By their definition cuts and heals come at any moment. Here a cut is offered only beside an operation of a
//! unit that it stops: a send, a write, a connect over one of its links, an accept or a read that may fail, which its peer is told
//! then, or a call or close that would meet something which is held up by it ([`links`]). A heal is offered only beside an
//! operation that it lets through, or to a unit that holds an end of a connection on which something waits. Nothing is missed:
//!
//! 1. Take an execution of the definition, and a cut in it at an instant. Call a step after it *stopped* if it would be
//!    another one had the cut not been made: it sends over one of the links, or it receives, closes or waits where
//!    something was lost or held up.
//! 2. The steps between the cut and the first stopped one neither send over the links nor take anything that the cut has lost
//!    or held up. So they are possible before the cut as well, and what was under way over the links is the same after
//!    them, but for a beginning of it that was received.
//! 3. So the cut can be moved behind these steps, with the same things lost and held up; the state after it is the same.
//! 4. There the first stopped step is pending at its unit, and the cut is offered. Time passes in no step between: where
//!    something would have been received at once, waiting is stopped, too, and the receive is pending.
//! 5. Without a stopped step the execution is one without the cut, and is explored as that.
//! 6. Likewise a heal can be moved behind all steps that send nothing over its links and use no end of a connection on which
//!    something waits; if none follows, its links have no traffic any more.
//!
//! In dense time a datagram is lost whose link is cut when it is sent or when it would arrive ([`flight`](super::udp)), so that an
//! arrival is stopped like a send, and let through like one: the copies in flight to a process count as traffic of its first
//! unit. Only those that have to arrive by some instant are stopped, since the others may as well come later or never. A cut and
//! a heal happen at any instant until the next event that has to come, and nobody can tell at which.
//!
//! A host that loses its power acknowledges nothing from then on: what it has not been sent before makes a difference when it is
//! back. So a host is stopped as well if a cut would hold up what comes to a connection in one of its backlogs, and its
//! start if what it would answer then is held up.
//!
//! A monitor that sees cuts or heals tells apart where among other steps they are. If there is one, they are offered beside
//! whatever a live unit asks for, and none is put off ([`Touches::cut_early`]).
//!
//! A link without traffic costs nothing. A cut is a failure that need not happen ([`Class::Failure`]); a heal may take any
//! time, but comes at last ([`Class::AnyTime`]), so that whoever waits behind it is in no deadlock, and timers fire meanwhile:
//! what waits behind a cut is not under way. A cut for ever is offered no heal.
//!
//! **The reduction.** Every operation over a link depends on [`Resource::Reach`] of the link, and affects
//! [`Resource::Carried`]. Since a cut may be offered beside each of them, the operation affects the reach of all links that can
//! be cut with this one, and depends on what goes over them ([`depends`]), until no cut of these is left
//! ([`Footprints::settled_links`]). A cut is on no cycle, since the cuts that were made are counted.
//!
//! No operation and no effect of a program is about this, so it is no row in the table of kinds.
//!
//! [`Footprints::settled_links`]: crate::reduction::footprint::Footprints::settled_links
//! [`Touches::cut_early`]: crate::world::touches::Touches::cut_early
//! [`Class::Failure`]: crate::world::step::Class::Failure
//! [`Class::AnyTime`]: crate::world::step::Class::AnyTime
//! [`Resource::Reach`]: crate::world::touches::Resource::Reach
//! [`Resource::Carried`]: crate::world::touches::Resource::Carried

mod depends;
mod links;
mod moves;

use crate::id::ProcessId;
use crate::world::components::Component;
use crate::world::tables::Tables;
use netcheck_models::host::reach::{Partition, Reach, Way};

/// The link from one process to another.
pub(super) fn way(from: ProcessId, to: ProcessId) -> Way {
    (from.0, to.0)
}

impl Tables {
    /// Whether links between hosts may be cut.
    pub fn declares_partitions(&self) -> bool {
        !self.declared.partitions.is_empty()
    }

    /// The links that may be cut.
    pub fn partitions(&self) -> &[Partition] {
        &self.declared.partitions
    }

    /// Whether cuts and heals are offered beside everything, since a monitor sees them.
    pub(super) fn is_cut_early(&self) -> bool {
        self.demands.cuts != 0
    }

    /// Which links are cut.
    pub(super) fn reach(&self, state: &[u32]) -> &Reach {
        self.reaches.get(self.components.find(Component::Reach).map_or(0, |component| component.of(state)))
    }

    /// Whether nothing comes through from one process to another.
    pub(in crate::world) fn is_cut_off_from(&self, state: &[u32], from: ProcessId, to: ProcessId) -> bool {
        self.declares_partitions() && !self.reach(state).reaches(way(from, to), &self.declared.partitions)
    }
}
