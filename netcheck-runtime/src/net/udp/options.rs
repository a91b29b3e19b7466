//! Options of UDP sockets. Only `broadcast` and those of multicast groups ([`groups`](super::groups)) affect the model.

use super::UdpSocket;
use crate::net::os;
use crate::net::setting::Setting;
use std::io;

/// The options of one socket.
#[derive(Hash)]
pub(super) struct Options {
    pub(super) broadcast: Setting<bool>,
    hops_max: Setting<u32>,
    /// Whether what is sent to a group comes back: for IP version 4, and for version 6.
    pub(super) multicast_loops: Setting<[bool; 2]>,
    pub(super) multicast_hops_max: Setting<u32>,
    service: Setting<u32>,
}

impl Options {
    /// The default values of Linux.
    pub(super) fn new() -> Self {
        Options {
            broadcast: Setting::new(false),
            hops_max: Setting::new(64),
            multicast_loops: Setting::new([true; 2]),
            multicast_hops_max: Setting::new(1),
            service: Setting::new(0),
        }
    }
}

#[cfg(unix)]
impl Options {
    /// The options that a program has set of a socket of std.
    pub(super) fn of_std(socket: &std::net::UdpSocket) -> Self {
        let options = Options::new();
        options.broadcast.set(socket.broadcast().unwrap_or_default());
        options.hops_max.set(socket.ttl().unwrap_or(64));
        let loops = [socket.multicast_loop_v4(), socket.multicast_loop_v6()];
        options.multicast_loops.set(loops.map(|loops| loops.unwrap_or(true)));
        options.multicast_hops_max.set(socket.multicast_ttl_v4().unwrap_or(1));
        options
    }
}

impl UdpSocket {
    /// Whether datagrams may be sent to the broadcast address. (No process receives them: the hosts of a check share no
    /// link.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn broadcast(&self) -> io::Result<bool> {
        Ok(self.options.broadcast.get())
    }

    /// Sets whether datagrams may be sent to the broadcast address.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_broadcast(&self, on: bool) -> io::Result<()> {
        self.options.broadcast.set(on);
        Ok(())
    }

    /// Hops that a packet may take.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn ttl(&self) -> io::Result<u32> {
        Ok(self.options.hops_max.get())
    }

    /// Remembered, without effect: there are no hops in a check.
    ///
    /// # Errors
    /// `InvalidInput` if it is not 1 to 255.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        if !(1..=255).contains(&ttl) {
            return Err(io::Error::from_raw_os_error(os::INVALID));
        }
        self.options.hops_max.set(ttl);
        Ok(())
    }

    /// The type of service that was set.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn tos_v4(&self) -> io::Result<u32> {
        Ok(self.options.service.get())
    }

    /// Remembered, without effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_tos_v4(&self, tos: u32) -> io::Result<()> {
        // Linux keeps one byte of the value.
        self.options.service.set(tos & 0xff);
        Ok(())
    }

    /// The older name of [`tos_v4`](Self::tos_v4).
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn tos(&self) -> io::Result<u32> {
        self.tos_v4()
    }

    /// The older name of [`set_tos_v4`](Self::set_tos_v4).
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_tos(&self, tos: u32) -> io::Result<()> {
        self.set_tos_v4(tos)
    }

    /// Always `None`: each error is reported by the call that meets it.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        Ok(None)
    }
}
