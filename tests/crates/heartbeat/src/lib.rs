//! Tells whether a peer is alive: it sends beats, and somebody counts how often it fell silent.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(test)]
extern crate netcheck as tokio;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

const BEAT: &[u8] = b"beat";
const BYE: &[u8] = b"bye";

/// What is known of a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Whether it was heard lately.
    pub is_alive: bool,
    /// How often it fell silent, or left.
    pub losses: u32,
}

/// Sends beats until it is stopped.
pub async fn beat(socket: &UdpSocket, to: SocketAddr, period: Duration) -> io::Result<()> {
    let mut ticks = interval(period);
    loop {
        ticks.tick().await;
        socket.send_to(BEAT, to).await?;
    }
}

/// Says that no beats are to be expected for a while, and waits until that is heard.
pub async fn leave(socket: &UdpSocket, to: SocketAddr, patience: Duration) -> io::Result<()> {
    socket.send_to(BYE, to).await?;
    timeout(patience, socket.recv(&mut [0; 8])).await?.map(|_| ())
}

/// Keeps the status of a peer, which is silent when nothing was heard between two looks.
pub async fn observe(socket: UdpSocket, patience: Duration, status: watch::Sender<Status>) -> io::Result<()> {
    let mut looks = interval(patience);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    looks.tick().await;
    let mut buffer = [0; 8];
    let mut was_heard = false;
    loop {
        let is_alive = tokio::select! {
            received = socket.recv_from(&mut buffer) => {
                let (length, from) = received?;
                was_heard = &buffer[..length] == BEAT;
                if !was_heard {
                    note(&status, false);
                    socket.send_to(BYE, from).await?;
                }
                was_heard
            }
            _ = looks.tick() => std::mem::take(&mut was_heard),
        };
        note(&status, is_alive);
    }
}

fn note(status: &watch::Sender<Status>, is_alive: bool) {
    status.send_if_modified(|status| {
        let is_change = status.is_alive != is_alive;
        status.losses += u32::from(is_change && !is_alive);
        status.is_alive = is_alive;
        is_change
    });
}

/// Waits until the peer was lost more than `known` times, and says how often it was.
pub async fn lost(status: &mut watch::Receiver<Status>, known: u32) -> u32 {
    let seen = status.wait_for(|status| status.losses > known).await;
    seen.map_or(known, |status| status.losses)
}

#[cfg(test)]
mod tests;
