//! Options of a stream.

use super::TcpStream;
use crate::operation::Effect;
use crate::operation::tcp;
use crate::unit::poll::context;
use std::io;
use std::time::Duration;

impl TcpStream {
    /// Whether `set_nodelay` was said. (Bytes are never held back in a check.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn nodelay(&self) -> io::Result<bool> {
        Ok(self.options.nodelay.get())
    }

    /// Remembered, without an effect: bytes are never held back in a check.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.options.nodelay.set(nodelay);
        Ok(())
    }

    /// Whether what arrives is acknowledged at once. (Linux may change its mind; a check does not.)
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn quickack(&self) -> io::Result<bool> {
        Ok(self.options.quick_ack.get())
    }

    /// Remembered, without an effect: nobody sees acknowledgements.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_quickack(&self, quickack: bool) -> io::Result<()> {
        self.options.quick_ack.set(quickack);
        Ok(())
    }

    /// How long a close waits for what was written.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn linger(&self) -> io::Result<Option<Duration>> {
        Ok(self.options.linger.get())
    }

    /// With zero, dropping the stream resets the connection; else without an effect.
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

    /// Remembered, without an effect.
    ///
    /// # Errors
    /// Never; the signature is tokio's.
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.options.hops_max.set(ttl);
        Ok(())
    }
}
