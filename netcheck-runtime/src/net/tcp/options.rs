//! Options of TCP sockets. Only a linger of zero affects the model.

use crate::net::setting::Setting;
use std::time::Duration;

/// The options of one socket, a listener or a stream.
#[derive(Hash)]
pub(in crate::net) struct Options {
    pub(super) nodelay: Setting<bool>,
    pub(super) linger: Setting<Option<Duration>>,
    pub(super) hops_max: Setting<u32>,
    pub(super) quick_ack: Setting<bool>,
    pub(super) service: Setting<u32>,
}

/// Only `nodelay` and `linger` pass to another socket.
impl Clone for Options {
    fn clone(&self) -> Self {
        let options = Options::new();
        options.nodelay.set(self.nodelay.get());
        options.linger.set(self.linger.get());
        options
    }
}

impl Options {
    pub(in crate::net) fn new() -> Self {
        Options {
            nodelay: Setting::new(false),
            linger: Setting::new(None),
            // The number of hops that Linux sends with: net.ipv4.ip_default_ttl.
            hops_max: Setting::new(64),
            quick_ack: Setting::new(true),
            service: Setting::new(0),
        }
    }
}
