//! Resources that the steps which monitors see affect and depend on.
//!
//! A monitor is one more automaton, which steps together with each step that it sees. So each such step affects and
//! depends on the monitor's component, and two of them are never taken to be independent. A step that no monitor sees
//! touches none of this.
//!
//! Most steps are seen by what their edges say, which is known once the edge is learned. Two kinds are seen by what else
//! happens in the state, so that all operations of the kind count: a receive, which may find out that a datagram is
//! lost (so may a bind, with `delay`, and with partitions all that goes over a link), and a timer, with which time passes for the
//! clocks of monitors.
//!
//! If a monitor sees cuts or heals, these are offered beside whatever a live unit asks for, so that any of its steps affects and
//! depends on the monitor and on all links that are cut.

use super::operation::Effect;
use crate::id::UnitId;
use crate::unit::automaton::EdgeId;
use crate::world::system::System;
use crate::world::touches::{Resource, Touches};

/// Nothing: emitted values and calls on objects are seen with all else that its edge shows ([`Touches::seen_edge`]).
pub(crate) fn effect(_touches: &mut Touches, _system: &mut System, _at: (UnitId, EdgeId), effect: &Effect) {
    match effect {
        Effect::Emit(_) | Effect::Invoke(_) | Effect::Conclude(_) => {}
    }
}

impl Touches {
    /// The monitors that see a step along an edge.
    pub(crate) fn seen_edge(&mut self, system: &System, edge: EdgeId) {
        for monitor in 0..system.monitors.len() {
            if system.monitors.sees_edge(monitor, edge) {
                self.seen_by(monitor);
            }
        }
    }

    /// The monitors that see a datagram being lost.
    pub(in crate::world) fn seen_losses(&mut self, system: &System) {
        for monitor in 0..system.monitors.len() {
            if system.demands.sees_losses(monitor) {
                self.seen_by(monitor);
            }
        }
    }

    /// The monitors that see cuts and heals.
    pub(in crate::world) fn seen_cuts(&mut self, system: &System) {
        for monitor in 0..system.monitors.len() {
            if system.demands.sees_cuts(monitor) {
                self.seen_by(monitor);
            }
        }
    }

    /// The monitors that see time pass.
    pub(in crate::world) fn seen_time(&mut self, system: &System) {
        for monitor in 0..system.monitors.len() {
            if system.monitors.is_timed(monitor) {
                self.seen_by(monitor);
            }
        }
    }

    fn seen_by(&mut self, monitor: usize) {
        let resource = Resource::Monitor(monitor as u32);
        self.affects(resource).depends_on(resource);
    }
}
