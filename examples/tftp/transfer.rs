//! One transfer: its packets, one after the other, each sent again until it is answered.
//!
//! RFC 1350 section 2: a transfer is in lock step, and the two addresses are its identifiers. RFC 1123 section 4.2.3:
//! the time-out adapts, by doubling; and a duplicate Ack is not answered by the data again (the Sorcerer's Apprentice).

use super::packet::{Packet, code};
use super::tokio;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::sleep;

/// Bytes of the largest packet.
const PACKET_BYTES_MAX: usize = 65_464 + 4;

/// The protocol as it should be, and with the three faults that were found in tftp-hpa.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    #[default]
    Corrected,
    /// The time-out is the same each time.
    FixedTimeout,
    /// A duplicate Ack is answered by the current data.
    Apprentice,
    /// After the end, any data is answered by the final Ack, and not only the final data.
    FinalAckForAnyData,
    /// After the end, the final Ack is not sent again.
    NoFinalAckAgain,
    /// A packet is sent again once more than it may be (the paper's Figure 13).
    OnceTooOften,
    /// A block comes after the last one (the paper's Figure 14).
    BlockTooMany,
}

/// How a transfer is done.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub block_bytes: usize,
    /// Until a packet is sent again, for the first time.
    pub timeout: Duration,
    /// How often a packet is sent again at the most.
    pub retries: u32,
    pub version: Version,
}

/// Why a transfer has ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The other side does not answer.
    Silence,
    /// The other side has sent an error.
    Refused(u16, String),
    /// The socket has failed.
    Broken(io::ErrorKind),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Broken(error.kind())
    }
}

/// The reaction to a packet of the other side.
pub enum Reaction {
    /// It is the awaited one.
    Take,
    /// Nothing.
    Ignore,
    /// The current packet is sent again.
    Again,
}

/// One side of a transfer.
pub struct Conversation<'s> {
    socket: &'s UdpSocket,
    /// The address of the other side; of a server's first port until it has answered from another one.
    peer: SocketAddr,
    /// Whether the other side's address is its own for this transfer.
    is_settled: bool,
    pub settings: Settings,
    /// Bytes of the largest packet that is awaited.
    packet_bytes: usize,
}

impl<'s> Conversation<'s> {
    /// With a server, which has not answered yet.
    pub fn with_server(socket: &'s UdpSocket, server: SocketAddr, settings: Settings) -> Self {
        let packet_bytes = settings.block_bytes.max(super::packet::BLOCK_BYTES) + 4;
        Conversation { socket, peer: server, is_settled: false, settings, packet_bytes }
    }

    /// With a client that has sent a request from this address.
    pub fn with_client(socket: &'s UdpSocket, client: SocketAddr, settings: Settings) -> Self {
        Conversation { is_settled: true, ..Conversation::with_server(socket, client, settings) }
    }

    /// Blocks of another size are sent from here on.
    pub fn agree_on(&mut self, block_bytes: usize) {
        self.settings.block_bytes = block_bytes;
        self.packet_bytes = (block_bytes + 4).min(PACKET_BYTES_MAX);
    }

    pub async fn send(&self, packet: &Packet) -> Result<(), Failure> {
        self.socket.send_to(&packet.to_bytes(), self.peer).await?;
        Ok(())
    }

    /// Sends a packet until the other side has answered it.
    pub async fn exchange(&mut self, packet: &Packet, react: impl Fn(&Packet) -> Reaction) -> Result<Packet, Failure> {
        let mut patience = self.settings.timeout;
        let retries = self.settings.retries + u32::from(self.settings.version == Version::OnceTooOften);
        for _ in 0..=retries {
            apart(self.send(packet)).await?;
            if let Some(answer) = apart(self.answer(packet, patience, &react)).await? {
                return Ok(answer);
            }
            if self.settings.version != Version::FixedTimeout {
                patience *= 2;
            }
        }
        Err(Failure::Silence)
    }

    /// Waits for the answer to a packet; `None`: the time is up.
    async fn answer(
        &mut self,
        packet: &Packet,
        patience: Duration,
        react: impl Fn(&Packet) -> Reaction,
    ) -> Result<Option<Packet>, Failure> {
        let mut time_is_up = pin!(sleep(patience));
        loop {
            let answer = tokio::select! {
                () = &mut time_is_up => return Ok(None),
                answer = apart(self.receive()) => answer?,
            };
            match (react(&answer), answer) {
                (_, Packet::Error { code, message }) => return Err(Failure::Refused(code, message)),
                (Reaction::Take, answer) => return Ok(Some(answer)),
                (Reaction::Again, _) => {}
                (Reaction::Ignore, _) => continue,
            }
            apart(self.send(packet)).await?;
        }
    }

    /// The next packet of the other side. A stranger is told that no transfer is his; what is no packet is dropped.
    async fn receive(&mut self) -> Result<Packet, Failure> {
        loop {
            let mut buffer = vec![0; self.packet_bytes];
            let (length, from) = self.socket.recv_from(&mut buffer).await?;
            let Ok(packet) = Packet::parse(&buffer[..length]) else { continue };
            if !self.is_settled && from.ip() == self.peer.ip() {
                (self.peer, self.is_settled) = (from, true);
            }
            if from == self.peer {
                return Ok(packet);
            }
            // An error about an error would go back and forth.
            if !matches!(packet, Packet::Error { .. }) {
                let message = "unknown transfer".to_owned();
                let error = Packet::Error { code: code::UNKNOWN_TRANSFER, message };
                self.socket.send_to(&error.to_bytes(), from).await?;
            }
        }
    }

    /// Sends a file, block by block.
    pub async fn send_file(&mut self, contents: &[u8]) -> Result<(), Failure> {
        let version = self.settings.version;
        let full = contents.chunks_exact(self.settings.block_bytes);
        // The last block is shorter than the others, and may be empty.
        let last = full.remainder();
        let mut block: u16 = 0;
        let extra: Option<&[u8]> = (version == Version::BlockTooMany).then_some(&[]);
        for bytes in full.chain([last]).chain(extra) {
            let before = block;
            block = block.wrapping_add(1);
            let data = Packet::Data { block, bytes: bytes.to_vec() };
            let react = |answer: &Packet| match *answer {
                Packet::Ack { block: acknowledged } if acknowledged == block => Reaction::Take,
                Packet::Ack { block: acknowledged } if acknowledged == before && version == Version::Apprentice => {
                    Reaction::Again
                }
                _ => Reaction::Ignore,
            };
            apart(self.exchange(&data, react)).await?;
        }
        Ok(())
    }

    /// Receives a file: `first` asks for its first block. The final Ack is left to [`Conversation::dally`].
    pub async fn receive_file(&mut self, first: Packet) -> Result<Vec<u8>, Failure> {
        let mut contents = Vec::new();
        let (mut asks, mut block) = (first, 1);
        loop {
            let awaited = |answer: &Packet| match answer {
                Packet::Data { block: sent, .. } if *sent == block => Reaction::Take,
                _ => Reaction::Ignore,
            };
            let Packet::Data { bytes, .. } = apart(self.exchange(&asks, awaited)).await? else { continue };
            contents.extend_from_slice(&bytes);
            asks = Packet::Ack { block };
            if bytes.len() < self.settings.block_bytes {
                return Ok(contents);
            }
            block = block.wrapping_add(1);
        }
    }

    /// Sends the final Ack, and for so long again if the final data comes again (RFC 1350 section 6).
    pub async fn dally(&mut self, block: u16, patience: Duration) -> Result<(), Failure> {
        let version = self.settings.version;
        let last = Packet::Ack { block };
        apart(self.send(&last)).await?;
        let is_final = |answer: &Packet| match *answer {
            Packet::Data { .. } if version == Version::NoFinalAckAgain => Reaction::Ignore,
            Packet::Data { .. } if version == Version::FinalAckForAnyData => Reaction::Again,
            Packet::Data { block: sent, .. } if sent == block => Reaction::Again,
            _ => Reaction::Ignore,
        };
        match apart(self.answer(&last, patience, is_final)).await {
            Ok(_) => Ok(()),
            // It has its own reasons to go; the file is here.
            Err(Failure::Refused(..)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }
}

/// Runs a future in memory of its own. What it has left there when it ends is freed, and is no part of the state of the
/// function that goes on: a check has fewer local states then.
pub async fn apart<F: Future>(future: F) -> F::Output {
    Box::pin(future).await
}

/// The number of the last block of a file.
pub fn last_block(bytes: usize, block_bytes: usize) -> u16 {
    // Numbers begin at 0 again after 65,535.
    (bytes / block_bytes + 1) as u16
}
