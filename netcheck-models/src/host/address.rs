//! Addresses of a host, and the addresses that its sockets receive from.

use super::group::Interface;
use super::unix;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The addresses of one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Its address of IP version 4.
    pub v4: Ipv4Addr,
    /// Its address of IP version 6.
    pub v6: Ipv6Addr,
}

impl Addresses {
    /// The interface of the host with an address of its; the wildcard address stands for the network.
    #[must_use]
    pub fn interface_at(self, address: Ipv4Addr) -> Option<Interface> {
        let is_own = address.is_unspecified() || address.is_loopback() || address == self.v4;
        is_own.then(|| Interface::at(address.into()))
    }

    /// Whether an address is one of these. Loopback addresses are every host's; see [`is_local`].
    #[must_use]
    pub fn has(&self, ip: IpAddr) -> bool {
        match ip {
            IpAddr::V4(ip) => ip == self.v4,
            IpAddr::V6(ip) => ip == self.v6,
        }
    }

    /// Whether a socket of the host may be bound to an address.
    #[must_use]
    pub fn may_bind(&self, ip: IpAddr) -> bool {
        is_local(ip) || self.has(ip)
    }

    /// The address that `to` sees a socket with that is bound to `local`: as on Linux, a wildcard address becomes the
    /// one that leads to `to`.
    #[must_use]
    pub fn source(&self, local: IpAddr, to: IpAddr) -> IpAddr {
        match (local.is_unspecified(), is_local(to)) {
            (false, _) => local,
            (true, true) if unix::is_unix(to) => unix::unnamed(None),
            (true, true) if to.is_ipv4() => Ipv4Addr::LOCALHOST.into(),
            (true, true) => Ipv6Addr::LOCALHOST.into(),
            (true, false) if to.is_ipv4() => self.v4.into(),
            (true, false) => self.v6.into(),
        }
    }

    /// The address at which a socket that is bound to `bound` is reached, from its own host (`is_own`) or from another.
    #[must_use]
    pub fn reached_at(&self, bound: IpAddr, is_own: bool) -> IpAddr {
        let anywhere = if is_own {
            bound
        } else if bound.is_ipv4() {
            self.v4.into()
        } else {
            self.v6.into()
        };
        if bound.is_unspecified() { self.source(bound, anywhere) } else { bound }
    }
}

/// Whether an address names the machine that uses it.
#[must_use]
pub fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback() || ip.is_unspecified() || unix::is_unix(ip)
}

/// Whether a port can't be bound at both addresses.
#[must_use]
pub fn overlap(a: IpAddr, b: IpAddr) -> bool {
    a == b || are_of_one_family(a, b) && (a.is_unspecified() || b.is_unspecified())
}

/// Whether a socket that is bound to one address receives packets for another address: Linux sends packets for the
/// wildcard address to the loopback address.
#[must_use]
pub fn takes(bound: IpAddr, to: IpAddr) -> bool {
    bound == to
        || bound.is_unspecified() && are_of_one_family(bound, to)
        || to.is_unspecified() && bound.is_loopback() && bound.is_ipv4() == to.is_ipv4()
}

fn are_of_one_family(a: IpAddr, b: IpAddr) -> bool {
    a.is_ipv4() == b.is_ipv4() && unix::is_unix(a) == unix::is_unix(b)
}

/// The destination that the OS uses for a socket that is bound to `local`: the wildcard address is the host itself. `None`: the
/// versions of IP differ.
#[must_use]
pub fn reachable(local: SocketAddr, to: SocketAddr) -> Option<SocketAddr> {
    (local.is_ipv4() == to.is_ipv4()).then(|| match to.ip().is_unspecified() {
        true if to.is_ipv4() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), to.port()),
        true => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), to.port()),
        false => to,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: Addresses =
        Addresses { v4: Ipv4Addr::new(10, 0, 0, 1), v6: Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 1) };
    const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
    const ANY: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    const ANY_6: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const LOOPBACK_6: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);

    #[test]
    fn a_wildcard_overlaps_with_all_of_its_version_and_takes_what_is_sent_to_them() {
        for ip in [ANY, LOOPBACK, HOST.v4.into(), OTHER] {
            assert!(overlap(ANY, ip) && overlap(ip, ANY) && takes(ANY, ip), "{ip}");
            assert!(!overlap(ANY_6, ip) && !takes(ANY_6, ip), "{ip}");
        }
        assert!(!overlap(LOOPBACK, HOST.v4.into()) && !takes(LOOPBACK, HOST.v4.into()));
    }

    #[test]
    fn what_is_sent_to_the_wildcard_comes_to_the_loopback_address() {
        assert!(takes(LOOPBACK, ANY) && takes(LOOPBACK_6, ANY_6));
        assert!(!takes(LOOPBACK_6, ANY) && !takes(HOST.v4.into(), ANY));
    }

    #[test]
    fn a_wildcard_is_seen_as_the_address_that_leads_there() {
        assert_eq!(HOST.source(ANY, OTHER), IpAddr::from(HOST.v4));
        assert_eq!(HOST.source(ANY, LOOPBACK), LOOPBACK);
        assert_eq!(HOST.source(LOOPBACK, OTHER), LOOPBACK);
        assert_eq!(HOST.reached_at(ANY, true), LOOPBACK);
        assert_eq!(HOST.reached_at(ANY_6, false), IpAddr::from(HOST.v6));
        assert_eq!(HOST.reached_at(HOST.v4.into(), true), IpAddr::from(HOST.v4));
    }

    #[test]
    fn a_host_binds_its_own_addresses_and_local_ones() {
        assert!([ANY, LOOPBACK_6, HOST.v4.into(), HOST.v6.into()].iter().all(|&ip| HOST.may_bind(ip)));
        assert!(!HOST.may_bind(OTHER));
    }
}
