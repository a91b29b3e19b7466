//! Multicast groups: joining and leaving them, and the options of a sender.

use super::{UdpSocket, failed};
use crate::net::endpoint::endpoint;
use crate::net::os;
use crate::operation::group::{Group, Interface};
use crate::operation::{Operation, Outcome, udp};
use crate::unit::poll::context;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::panic::Location;

impl UdpSocket {
    /// Joins a multicast group, at the interface with this address of the process; the wildcard address stands for its
    /// network, on which all processes are.
    ///
    /// As on Linux, all sockets of the process that are bound to the port of a datagram receive what is sent to a group that
    /// one of them has joined, if they are bound to the wildcard address or that of the group. What a socket sends that is
    /// bound to a loopback address comes to members at that interface alone.
    ///
    /// # Errors
    /// `InvalidInput` if it is the address of no group, `AddrInUse` if the socket has joined it there, and the number of
    /// `ENODEV` if the process has no such interface.
    #[track_caller]
    pub fn join_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.join(multiaddr.into(), interface_v4(interface), Location::caller())
    }

    /// Joins a multicast group of IP version 6, at the interface with this number: 1 is the loopback interface, 2 and 0 the
    /// network, on which all processes are.
    ///
    /// # Errors
    /// As [`join_multicast_v4`](Self::join_multicast_v4); and that of Linux if the socket is bound to an address of IP version
    /// 4.
    #[track_caller]
    pub fn join_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.has_version_6()?;
        self.join((*multiaddr).into(), Interface::numbered(interface), Location::caller())
    }

    /// Leaves a multicast group that the socket has joined at this interface.
    ///
    /// # Errors
    /// `AddrNotAvailable` if it has not.
    #[track_caller]
    pub fn leave_multicast_v4(&self, multiaddr: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.leave(multiaddr.into(), interface_v4(interface), Location::caller())
    }

    /// Leaves a multicast group of IP version 6 that the socket has joined at this interface.
    ///
    /// # Errors
    /// `AddrNotAvailable` if it has not, `InvalidInput` if it is the address of no group; and that of Linux if the socket is
    /// bound to an address of IP version 4.
    #[track_caller]
    pub fn leave_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.has_version_6()?;
        is_group((*multiaddr).into())?;
        self.leave((*multiaddr).into(), Interface::numbered(interface), Location::caller())
    }

    /// Whether what the socket sends to a group on the network comes to its own process, too.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn multicast_loop_v4(&self) -> io::Result<bool> {
        let [v4, _] = self.options.multicast_loops.get();
        Ok(v4)
    }

    /// Sets whether what the socket sends to a group on the network comes to its own process, too. What it sends at the
    /// loopback interface always does.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_multicast_loop_v4(&self, on: bool) -> io::Result<()> {
        let [_, v6] = self.options.multicast_loops.get();
        self.options.multicast_loops.set([on, v6]);
        Ok(())
    }

    /// As [`multicast_loop_v4`](Self::multicast_loop_v4), for groups of IP version 6.
    ///
    /// # Errors
    /// The error of Linux if the socket is bound to an address of IP version 4.
    pub fn multicast_loop_v6(&self) -> io::Result<bool> {
        if endpoint(self.id).local.is_ipv4() {
            return Err(io::Error::from_raw_os_error(os::NOT_SUPPORTED));
        }
        let [_, v6] = self.options.multicast_loops.get();
        Ok(v6)
    }

    /// As [`set_multicast_loop_v4`](Self::set_multicast_loop_v4), for groups of IP version 6.
    ///
    /// # Errors
    /// The error of Linux if the socket is bound to an address of IP version 4.
    pub fn set_multicast_loop_v6(&self, on: bool) -> io::Result<()> {
        self.has_version_6()?;
        let [v4, _] = self.options.multicast_loops.get();
        self.options.multicast_loops.set([v4, on]);
        Ok(())
    }

    /// Hops that a packet to a multicast group may take.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn multicast_ttl_v4(&self) -> io::Result<u32> {
        Ok(self.options.multicast_hops_max.get())
    }

    /// Sets how many hops a packet to a multicast group of IP version 4 may take: with 0 it comes to no other process.
    ///
    /// # Errors
    /// `InvalidInput` if it is not 0 to 255.
    pub fn set_multicast_ttl_v4(&self, ttl: u32) -> io::Result<()> {
        if !(0..=255).contains(&ttl) {
            return Err(io::Error::from_raw_os_error(os::INVALID));
        }
        self.options.multicast_hops_max.set(ttl);
        Ok(())
    }

    /// Joins a group; `None`: at an interface that the process does not have.
    fn join(&self, ip: IpAddr, at: Option<Interface>, location: &'static Location<'static>) -> io::Result<()> {
        is_group(ip)?;
        let interface = at.ok_or_else(|| io::Error::from_raw_os_error(os::NO_DEVICE))?;
        let port = endpoint(self.id).local.port();
        self.change(udp::Operation::Join { socket: self.id, port, group: Group { ip, interface } }, location)
    }

    /// Leaves a group; `None`: at an interface that the process does not have.
    fn leave(&self, ip: IpAddr, at: Option<Interface>, location: &'static Location<'static>) -> io::Result<()> {
        let interface = at.ok_or_else(|| io::Error::from_raw_os_error(os::ADDRESS_NOT_AVAILABLE))?;
        let port = endpoint(self.id).local.port();
        self.change(udp::Operation::Leave { socket: self.id, port, group: Group { ip, interface } }, location)
    }

    fn change(&self, operation: udp::Operation, location: &'static Location<'static>) -> io::Result<()> {
        match context::current().ask(Operation::Udp(operation), location) {
            Outcome::Done => Ok(()),
            outcome => Err(failed(&outcome)),
        }
    }

    fn has_version_6(&self) -> io::Result<()> {
        match endpoint(self.id).local.is_ipv6() {
            true => Ok(()),
            false => Err(io::Error::from_raw_os_error(os::NO_SUCH_OPTION)),
        }
    }
}

/// An error if an address is that of no group.
fn is_group(ip: IpAddr) -> io::Result<()> {
    if ip.is_multicast() { Ok(()) } else { Err(io::Error::from_raw_os_error(os::INVALID)) }
}

/// The interface of the process with an address.
fn interface_v4(address: Ipv4Addr) -> Option<Interface> {
    context::current().host().addresses.interface_at(address)
}

/// The interface through which a socket sends to a group, by the address that it sends from and the interface that the
/// destination names.
pub(super) fn interface_of(from: IpAddr, named: u32) -> Interface {
    match Interface::numbered(named) {
        Some(Interface::Loopback) => Interface::Loopback,
        _ => Interface::at(from),
    }
}
