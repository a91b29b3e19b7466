//! Options of a stream.

use super::TcpStream;
use crate::operation::Effect;
use crate::operation::tcp;
use crate::unit::poll::context;
use std::io;
use std::time::Duration;

impl TcpStream {
    /// The value set by `set_nodelay`. (Bytes are never held back in a check.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn nodelay(&self) -> io::Result<bool> {
        Ok(self.options.nodelay.get())
    }

    /// Remembered, without effect: bytes are never held back in a check.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.options.nodelay.set(nodelay);
        Ok(())
    }

    /// Whether packets are acknowledged at once. (Linux may change the value by itself; a check does not.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn quickack(&self) -> io::Result<bool> {
        Ok(self.options.quick_ack.get())
    }

    /// Remembered, without effect: acknowledgements are not modelled.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_quickack(&self, quickack: bool) -> io::Result<()> {
        self.options.quick_ack.set(quickack);
        Ok(())
    }

    /// The time that a close waits for unsent bytes.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        Ok(self.options.linger.get())
    }

    /// With zero, dropping the stream resets the connection; otherwise without effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_linger(&self, linger: Option<Duration>) -> io::Result<()> {
        let before = self.options.linger.get() == Some(Duration::ZERO);
        self.options.linger.set(linger);
        let resets = linger == Some(Duration::ZERO);
        if resets != before {
            context::current().effect(Effect::Tcp(tcp::Effect::Linger { stream: self.stream, resets }));
        }
        Ok(())
    }

    /// From now on dropping the stream resets the connection.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_zero_linger(&self) -> io::Result<()> {
        self.set_linger(Some(Duration::ZERO))
    }

    /// Hops that a packet may take.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn ttl(&self) -> io::Result<u32> {
        Ok(self.options.hops_max.get())
    }

    /// Remembered, without effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.options.hops_max.set(ttl);
        Ok(())
    }
}
