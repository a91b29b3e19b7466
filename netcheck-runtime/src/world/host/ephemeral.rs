//! Ephemeral ports: which ones a socket is given that asks for any.
//!
//! A socket prefers a port of its unit's own, by the unit's number and its own. Two isolated tasks with one number
//! prefer the same ports, and the order of their binds matters (`Resource::Ephemeral`).

use crate::id::{SocketId, UnitId};
use crate::unit::shared::Shared;
use crate::world::tables::Tables;
use netcheck_models::host::ephemeral;
pub(crate) use netcheck_models::host::ephemeral::PORTS_OF_OWNER as PORTS_OF_UNIT;

impl Tables {
    /// The ephemeral ports that a socket may get, in the order of preference.
    pub(crate) fn ephemeral_ports(&self, socket: SocketId) -> impl Iterator<Item = u16> + use<> {
        ephemeral::from(self.first_ephemeral_port(socket))
    }

    /// The ephemeral port that a socket prefers.
    pub(crate) fn first_ephemeral_port(&self, socket: SocketId) -> u16 {
        ephemeral::first(self.units[socket.unit.0 as usize].number, socket.index)
    }

    /// The ports that a socket prefers, by a number: those of its unit, unless the unit has many sockets.
    pub(crate) fn preferred_ports(&self, socket: SocketId) -> u32 {
        ephemeral::owner(self.first_ephemeral_port(socket)).expect("an ephemeral port has an owner")
    }
}

/// Whose ports a port is one of.
pub(crate) enum Owner {
    /// It is no ephemeral port.
    Nobody,
    Unit(UnitId),
    /// No unit, or several.
    Unknown,
}

/// The unit whose sockets prefer a port.
pub(crate) fn owner(shared: &Shared, port: u16) -> Owner {
    match ephemeral::owner(port) {
        None => Owner::Nobody,
        Some(number) => shared.numbered(number).map_or(Owner::Unknown, Owner::Unit),
    }
}

/// What a port of a unit becomes for another unit.
pub(crate) fn moved(shared: &Shared, port: u16, [from, to]: [UnitId; 2]) -> u16 {
    let first = |unit: UnitId| ephemeral::first(shared.unit(unit).number, 0);
    port - first(from) + first(to)
}
