//! Ephemeral ports, for sockets that ask for any port.
//!
//! The port that a socket prefers follows from the number of its unit and the socket's own number. Two isolated tasks
//! with the same number prefer the same ports; the order of their binds then matters (`Resource::Ephemeral`).

use crate::id::{SocketId, UnitId};
use crate::unit::shared::Shared;
use crate::world::declared::Demands;
use crate::world::tables::{Lookup, Missing, Tables, View};
use netcheck_models::host::ephemeral;
pub(crate) use netcheck_models::host::ephemeral::PORTS_OF_OWNER as PORTS_OF_UNIT;

impl Tables {
    /// The ephemeral ports that a socket may get, in the order of preference.
    pub(crate) fn ephemeral_ports(&self, socket: SocketId) -> impl Iterator<Item = u16> + use<> {
        ephemeral::from(self.first_ephemeral_port(socket))
    }

    /// The ephemeral port that a socket prefers.
    pub fn first_ephemeral_port(&self, socket: SocketId) -> u16 {
        ephemeral::first(self.units[socket.unit.0 as usize].number, socket.index)
    }

    /// The number of the block of ports that a socket prefers: its unit's block, unless the unit has many sockets.
    pub(crate) fn preferred_ports(&self, socket: SocketId) -> u32 {
        ephemeral::owner(self.first_ephemeral_port(socket)).expect("an ephemeral port has an owner")
    }
}

impl View<'_> {
    /// A socket that asked for any port is given one. The dependence relation reckons with the port that a socket prefers
    /// for a bind, and for a connect with the earlier connections and the unit's own sockets in its block. Where other
    /// sockets have used these up, the search is begun again without the relation.
    pub(crate) fn gives(self, is_reckoned_with: bool) -> Lookup<()> {
        if is_reckoned_with || self.demands.ports {
            return Ok(());
        }
        Err(Box::new(Missing::Demands(Demands { ports: true, ..self.demands })))
    }
}

/// The owner of a port.
pub(crate) enum Owner {
    /// The port is no ephemeral port.
    Nobody,
    Unit(UnitId),
    /// No unit, or several units, have the number of the port's owner.
    Unknown,
}

/// The unit whose sockets prefer a port.
pub(crate) fn owner(shared: &Shared, port: u16) -> Owner {
    match ephemeral::owner(port) {
        None => Owner::Nobody,
        Some(number) => shared.numbered(number).map_or(Owner::Unknown, Owner::Unit),
    }
}

/// The port of the unit `to` that corresponds to a port of the unit `from`.
pub(crate) fn moved(shared: &Shared, port: u16, [from, to]: [UnitId; 2]) -> u16 {
    let first = |unit: UnitId| ephemeral::first(shared.unit(unit).number, 0);
    port - first(from) + first(to)
}
