//! Ephemeral ports: which ones a socket is given that asks for any.
//!
//! A socket prefers a port of its unit's own, by the unit's number and its own: so the order of binds makes no
//! difference, and a port is the same in every run. Two isolated tasks with one number prefer the same ports, and the
//! order of their binds matters (`Resource::Ephemeral`).

use crate::id::{SocketId, UnitId};
use crate::state::tables::Tables;
use crate::unit::names::UNIT_NUMBERS;
use crate::unit::shared::Shared;

/// Ports that `bind` to port 0 gives out (RFC 6335: the dynamic ports).
const EPHEMERAL_PORTS: std::ops::RangeInclusive<u16> = 49152..=65535;

/// How many they are.
const COUNT: u32 = (*EPHEMERAL_PORTS.end() - *EPHEMERAL_PORTS.start()) as u32 + 1;

/// Ports that the sockets of one unit prefer.
pub(crate) const PORTS_OF_UNIT: u32 = COUNT / UNIT_NUMBERS;

/// The port that a socket of a unit with a number prefers.
fn first_port(number: u32, index: u32) -> u16 {
    EPHEMERAL_PORTS.start() + ((number * PORTS_OF_UNIT + index) % COUNT) as u16
}

impl Tables {
    /// The ephemeral ports that a socket may get, in the order of preference.
    pub(super) fn ephemeral_ports(&self, socket: SocketId) -> impl Iterator<Item = u16> + use<> {
        let first = u32::from(self.first_ephemeral_port(socket) - EPHEMERAL_PORTS.start());
        (0..COUNT).map(move |n| EPHEMERAL_PORTS.start() + ((first + n) % COUNT) as u16)
    }

    /// The one that it prefers.
    pub(crate) fn first_ephemeral_port(&self, socket: SocketId) -> u16 {
        first_port(self.units[socket.unit.0 as usize].number, socket.index)
    }

    /// The ports that a socket prefers, by a number: those of its unit, unless the unit has many sockets.
    pub(crate) fn preferred_ports(&self, socket: SocketId) -> u32 {
        u32::from(self.first_ephemeral_port(socket)) / PORTS_OF_UNIT
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
    match port.checked_sub(*EPHEMERAL_PORTS.start()) {
        None => Owner::Nobody,
        Some(offset) => shared.numbered(u32::from(offset) / PORTS_OF_UNIT).map_or(Owner::Unknown, Owner::Unit),
    }
}

/// What a port of a unit becomes for another unit.
pub(crate) fn moved(shared: &Shared, port: u16, [from, to]: [UnitId; 2]) -> u16 {
    let first = |unit: UnitId| first_port(shared.unit(unit).number, 0);
    port - first(from) + first(to)
}
