//! Multicast groups: the hosts to which a datagram to one goes, as on Linux.
//!
//! A host is a member of a group at an interface as long as one of its sockets has joined the group there; then each of its
//! sockets receives what is sent to the group that is bound to the port, at the wildcard address or that of the group
//! (`IP_MULTICAST_ALL`, which is on). All hosts share one network.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

/// An interface of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interface {
    /// The one that leads back to the host itself.
    Loopback,
    /// The one to the network of all hosts.
    Network,
}

/// A group at an interface of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group {
    /// The group's address.
    pub ip: IpAddr,
    /// The interface at which it is joined.
    pub interface: Interface,
}

impl Group {
    /// The group that a datagram reaches at each host, by its addresses: what a loopback address sends stays there.
    #[must_use]
    pub fn reached(from: SocketAddr, to: SocketAddr) -> Group {
        Group { ip: to.ip(), interface: Interface::at(from.ip()) }
    }
}

/// The numbers of the interfaces of each host, as `if_nametoindex` tells them of a machine with one network; 0 leaves the
/// choice to the host.
const LOOPBACK: u32 = 1;
const NETWORK: u32 = 2;

impl Interface {
    /// The interface of a host with a number.
    #[must_use]
    pub fn numbered(number: u32) -> Option<Interface> {
        match number {
            LOOPBACK => Some(Interface::Loopback),
            0 | NETWORK => Some(Interface::Network),
            _ => None,
        }
    }

    /// The interface of one of a host's own addresses; the wildcard address stands for the network.
    #[must_use]
    pub fn at(own: IpAddr) -> Interface {
        if own.is_loopback() { Interface::Loopback } else { Interface::Network }
    }
}

/// The hosts to which a datagram to a group is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reach {
    /// The sender's own host.
    pub own: bool,
    /// All others.
    pub others: bool,
}

impl Reach {
    /// The reach at an interface, by the options of the socket: whether datagrams come back, and how many hops they may take.
    /// At the loopback interface nothing else is possible than that they come back.
    #[must_use]
    pub fn of(interface: Interface, comes_back: bool, hops_max: u32) -> Reach {
        match interface {
            Interface::Loopback => Reach { own: true, others: false },
            Interface::Network => Reach { own: comes_back, others: hops_max > 0 },
        }
    }
}

/// The address from which a socket sends that is bound to `local`: one that is bound to a group's address has none of its
/// host's.
#[must_use]
pub fn sends_from(local: IpAddr) -> IpAddr {
    match local {
        IpAddr::V4(ip) if ip.is_multicast() => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(ip) if ip.is_multicast() => core::net::Ipv6Addr::UNSPECIFIED.into(),
        own => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::net::Ipv6Addr;

    #[test]
    fn what_a_loopback_address_sends_stays_at_that_interface() {
        let to = SocketAddr::from(([239, 1, 2, 3], 5000));
        let reached = |from: [u8; 4]| Group::reached(SocketAddr::from((from, 1)), to).interface;
        assert_eq!([[127, 0, 0, 1], [127, 9, 9, 9]].map(reached), [Interface::Loopback; 2]);
        assert_eq!([[10, 0, 0, 1], [0, 0, 0, 0]].map(reached), [Interface::Network; 2]);
        assert_eq!(Interface::at(Ipv6Addr::LOCALHOST.into()), Interface::Loopback);
    }

    #[test]
    fn interfaces_have_numbers() {
        let numbered = [0, 1, 2, 3].map(Interface::numbered);
        assert_eq!(numbered, [Some(Interface::Network), Some(Interface::Loopback), Some(Interface::Network), None]);
    }

    #[test]
    fn options_bound_the_reach_on_the_network_alone() {
        assert_eq!(Reach::of(Interface::Network, true, 1), Reach { own: true, others: true });
        assert_eq!(Reach::of(Interface::Network, false, 1), Reach { own: false, others: true });
        assert_eq!(Reach::of(Interface::Network, true, 0), Reach { own: true, others: false });
        for (comes_back, hops_max) in [(true, 1), (false, 1), (true, 0), (false, 0)] {
            assert_eq!(Reach::of(Interface::Loopback, comes_back, hops_max), Reach { own: true, others: false });
        }
    }

    #[test]
    fn a_socket_at_the_address_of_a_group_sends_from_an_address_of_its_host() {
        assert_eq!(sends_from([239, 1, 2, 3].into()), IpAddr::from([0, 0, 0, 0]));
        assert_eq!(sends_from([10, 0, 0, 1].into()), IpAddr::from([10, 0, 0, 1]));
        assert_eq!(sends_from("ff02::1".parse().unwrap()), IpAddr::from(Ipv6Addr::UNSPECIFIED));
    }
}
