//! Ephemeral ports (RFC 6335: the dynamic ports), each preferred by an owner with a number.
//!
//! The port for a socket that asks for any follows from the number of its owner and the socket's own number, so that
//! the order of binds makes no difference and a port is the same in every run.

use core::ops::RangeInclusive;

/// Ports that `bind` to port 0 gives out.
const PORTS: RangeInclusive<u16> = 49152..=65535;

const COUNT: u32 = (*PORTS.end() - *PORTS.start()) as u32 + 1;

/// The number of owners; larger owner numbers wrap around.
pub const OWNERS: u32 = 1 << 10;

/// Ports that the sockets of one owner prefer.
pub const PORTS_OF_OWNER: u32 = COUNT / OWNERS;

/// The port that the `index`th socket of an owner prefers.
#[must_use]
pub fn first(owner: u32, index: u32) -> u16 {
    port((owner * PORTS_OF_OWNER + index) % COUNT)
}

/// All ports, in the order in which a socket prefers them whose first one is `first`.
///
/// First come those of its block, so that a socket leaves it only when all of them are in use; the first one of the block,
/// if that is another, comes last of all.
pub fn from(first: u16) -> impl Iterator<Item = u16> {
    let first = offset(first).unwrap_or(0);
    let block = first - first % PORTS_OF_OWNER;
    let (own, end) = (block + u32::from(first != block), block + PORTS_OF_OWNER);
    let last = (own != block).then_some(block);
    (first..end).chain(own..first).chain(end..block + COUNT).chain(last).map(|offset| port(offset % COUNT))
}

/// A port's block: two ephemeral ports of one owner are in one block.
#[must_use]
pub fn block(port: u16) -> u32 {
    u32::from(port) / PORTS_OF_OWNER
}

/// Whether only the socket that prefers a port can get it, unless others use up all ports; no socket can get a port that is
/// not ephemeral.
#[must_use]
pub fn is_first_choice(port: u16) -> bool {
    offset(port).is_none_or(|offset| offset.is_multiple_of(PORTS_OF_OWNER))
}

/// The owner that prefers a port; `None`: it is no ephemeral port.
#[must_use]
pub fn owner(port: u16) -> Option<u32> {
    offset(port).map(|offset| offset / PORTS_OF_OWNER)
}

fn port(offset: u32) -> u16 {
    PORTS.start() + offset as u16
}

fn offset(port: u16) -> Option<u32> {
    port.checked_sub(*PORTS.start()).map(u32::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_owner_prefers_its_own_ports() {
        for (number, index) in [(0, 0), (3, PORTS_OF_OWNER - 1), (OWNERS - 1, 7)] {
            assert_eq!(owner(first(number, index)), Some(number));
        }
        assert_eq!(first(0, PORTS_OF_OWNER), first(1, 0));
        assert_eq!(owner(80), None);
        assert_eq!(block(first(2, 0)), block(first(2, PORTS_OF_OWNER - 1)));
        assert_ne!(block(first(2, 0)), block(first(3, 0)));
    }

    #[test]
    fn every_port_comes_up_once_the_preferred_one_first_and_then_those_of_its_block() {
        for (number, index) in [(5, 2), (5, 0), (5, PORTS_OF_OWNER - 1), (OWNERS - 1, 3)] {
            let ports: Vec<u16> = from(first(number, index)).collect();
            assert_eq!(ports[0], first(number, index));
            assert_eq!((ports.len() as u32, BTreeSet::from_iter(&ports).len() as u32), (COUNT, COUNT));
            let own = ports.iter().take_while(|&&port| owner(port) == Some(number)).count() as u32;
            assert_eq!(own, PORTS_OF_OWNER - u32::from(index != 0));
            assert!(ports.iter().enumerate().all(|(at, &port)| {
                !is_first_choice(port) || at == 0 || at + 1 == ports.len() || owner(port) != Some(number)
            }));
        }
    }
}
