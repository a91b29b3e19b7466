//! Addresses of Unix domain sockets, in the form of socket addresses.
//!
//! Ports, connections and channels are found by socket addresses. A Unix domain socket has an address of IP version 6 in a
//! block that the IETF reserves (`6000::/3`), and which no interface has:
//!
//! | bits | |
//! | --- | --- |
//! | 16 | `756e`, the letters `un` |
//! | 16 | the sort of the name: 0 for a socket without a name, 1 for a path, 2 for an abstract name |
//! | 96 | a digest of the name; for a socket without a name, see [`unnamed`] |
//!
//! The port of a name follows from the digest, and is not an ephemeral one, so that sockets with different names mostly
//! belong to different ports. All these addresses are local: each host has names of its own. A wildcard address of IP
//! does not cover them.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::collections::BTreeMap;

const PREFIX: u16 = 0x756e;
const PATH: u16 = 1;
const ABSTRACT: u16 = 2;

/// Named sockets have ports below the ephemeral ones.
const PORTS: u128 = 49_151;

/// The names that programs have used, by the addresses that stand for them.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<SocketAddr, Vec<u8>>);

impl Names {
    /// The address of a name: a path, or an abstract name behind a zero byte, as in `sockaddr_un`.
    ///
    /// # Panics
    /// If another name has the same address: 96 bits of their digests are equal then.
    pub fn address(&mut self, name: &[u8]) -> SocketAddr {
        let address = named(name);
        let known = self.0.entry(address).or_insert_with(|| name.to_vec());
        assert_eq!(known, name, "no two names of Unix domain sockets have one digest");
        address
    }

    /// The name for which an address stands; `None` if no program has used one for which it does.
    #[must_use]
    pub fn name(&self, address: SocketAddr) -> Option<&[u8]> {
        self.0.get(&address).map(Vec::as_slice)
    }
}

fn named(name: &[u8]) -> SocketAddr {
    let digest = digest(name);
    let sort = if name.first() == Some(&0) { ABSTRACT } else { PATH };
    let port = 1 + ((digest >> 96) % PORTS) as u16;
    SocketAddr::new(address(sort, digest), port)
}

/// The address of a socket without a name; with a number, it is the only socket of its host that has it.
#[must_use]
pub fn unnamed(number: Option<(u32, u32)>) -> IpAddr {
    let (unit, socket) = number.map_or((0, 0), |(unit, socket)| (unit + 1, socket));
    address(0, u128::from(unit) << 32 | u128::from(socket))
}

/// The number of a socket without a name, if it has one.
#[must_use]
pub fn number(ip: IpAddr) -> Option<(u32, u32)> {
    let IpAddr::V6(ip) = ip else { return None };
    let bits = u128::from(ip);
    let unit = (bits >> 32) as u32;
    (sort(ip.into()) == Some(0) && unit > 0).then(|| (unit - 1, bits as u32))
}

/// Whether an address is that of a Unix domain socket.
#[must_use]
pub fn is_unix(ip: IpAddr) -> bool {
    sort(ip).is_some()
}

/// Whether an address is that of a path: a bound socket leaves a file there.
#[must_use]
pub fn is_path(ip: IpAddr) -> bool {
    sort(ip) == Some(PATH)
}

/// Whether a socket with this address has no name.
#[must_use]
pub fn is_unnamed(ip: IpAddr) -> bool {
    sort(ip) == Some(0)
}

fn sort(ip: IpAddr) -> Option<u16> {
    let IpAddr::V6(ip) = ip else { return None };
    let [prefix, sort, ..] = ip.segments();
    (prefix == PREFIX).then_some(sort)
}

fn address(sort: u16, low: u128) -> IpAddr {
    let high = u128::from(PREFIX) << 112 | u128::from(sort) << 96;
    Ipv6Addr::from(high | low & (u128::MAX >> 32)).into()
}

/// FNV-1a of 128 bits: the same in every run and on every machine.
fn digest(name: &[u8]) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    name.iter().fold(OFFSET, |digest, &byte| (digest ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Addresses, is_local, overlap, takes};
    use core::net::Ipv4Addr;

    const ANY_6: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

    #[test]
    fn names_and_sockets_without_a_name_are_told_apart() {
        let (path, other, name) = (named(b"/run/app.sock"), named(b"/run/app.sock2"), named(b"\0app"));
        assert!(path != other && path.port() != 0 && path == named(b"/run/app.sock"));
        assert!(is_path(path.ip()) && !is_path(name.ip()) && is_unix(name.ip()) && !is_unnamed(name.ip()));
        let mut names = Names::default();
        assert_eq!([names.address(b"/a"), names.address(b"/a")], [named(b"/a"); 2]);
        assert_eq!((names.name(named(b"/a")), names.name(path)), (Some(&b"/a"[..]), None));
        let (one, two) = (unnamed(Some((0, 0))), unnamed(Some((7, 1))));
        assert_eq!([one, two, unnamed(None), path.ip()].map(number), [Some((0, 0)), Some((7, 1)), None, None]);
        assert!([one, two, unnamed(None)].into_iter().all(is_unnamed) && !is_unnamed(path.ip()));
    }

    #[test]
    fn a_wildcard_of_ip_does_not_cover_them() {
        let path = named(b"/run/app.sock").ip();
        assert!(is_local(path) && !is_unix(ANY_6) && !is_unix(Ipv4Addr::LOCALHOST.into()));
        assert!(!overlap(ANY_6, path) && !overlap(path, ANY_6) && !takes(ANY_6, path) && takes(path, path));
        let host = Addresses { v4: Ipv4Addr::new(10, 0, 0, 1), v6: Ipv6Addr::LOCALHOST };
        assert_eq!(host.source(ANY_6, path), unnamed(None));
        assert!(host.may_bind(path));
    }
}
