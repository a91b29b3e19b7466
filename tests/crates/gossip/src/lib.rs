//! Nodes that tell each other the newest version that they know of.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

use std::io;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::interval;

/// Picks peers: a linear congruential generator, so that a seed says all.
///
/// It is passed in, since a check runs a node again and again, and it has to pick the same peers each time.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Picker(u32);

impl Picker {
    /// Picks other peers for another seed.
    pub fn new(seed: u32) -> Picker {
        Picker(seed)
    }

    /// One of so many.
    pub fn pick(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) as usize % count
    }
}

/// A node with its socket and its peers.
#[derive(Debug)]
pub struct Node {
    /// Where it hears of versions.
    pub socket: UdpSocket,
    /// The addresses of the others.
    pub peers: Vec<String>,
    /// How often it tells one of them what it knows.
    pub period: Duration,
    /// Who that is.
    pub picker: Picker,
}

impl Node {
    /// Tells the others, and hears from them, for so many periods. Returns the newest version that it knows then.
    ///
    /// Who tells an old version is told the newer one.
    pub async fn run(mut self, mut version: u32, rounds: u32) -> io::Result<u32> {
        let mut ticks = interval(self.period);
        ticks.tick().await;
        let mut buffer = [0; 4];
        let mut round = 0;
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    if round == rounds {
                        return Ok(version);
                    }
                    round += 1;
                    let peer = &self.peers[self.picker.pick(self.peers.len())];
                    self.socket.send_to(&version.to_be_bytes(), peer).await?;
                }
                received = self.socket.recv_from(&mut buffer) => {
                    let (length, from) = received?;
                    if length < buffer.len() {
                        continue;
                    }
                    let heard = u32::from_be_bytes(buffer);
                    if heard < version {
                        self.socket.send_to(&version.to_be_bytes(), from).await?;
                    }
                    version = version.max(heard);
                }
            }
        }
    }
}

#[cfg(test)]
mod systems;
#[cfg(test)]
mod tests;
