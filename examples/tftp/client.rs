//! The client: gets files and puts them.

use super::netascii;
use super::packet::{BLOCK_BYTES, Mode, Options, Packet, Request};
use super::tokio;
use super::transfer::{Conversation, Failure, Reaction, Settings, apart, last_block};
use std::net::SocketAddr;
use tokio::net::{UdpSocket, lookup_host};

/// The wish of a client.
#[derive(Clone, Debug)]
pub struct Wish {
    pub file: String,
    pub mode: Mode,
    /// The server and its port, as `host:port`.
    pub server: String,
    /// Whether to ask for options: the size of blocks and the time-out of the settings, and the size of the file.
    pub has_options: bool,
}

impl Wish {
    fn request(&self, settings: Settings, size_bytes: u64) -> Request {
        let options = Options {
            block_bytes: (settings.block_bytes != BLOCK_BYTES).then_some(settings.block_bytes as u16),
            timeout_s: u8::try_from(settings.timeout.as_secs()).ok().filter(|seconds| *seconds > 1),
            size_bytes: Some(size_bytes),
        };
        let options = if self.has_options { options } else { Options::default() };
        Request { file: self.file.clone(), mode: self.mode, options }
    }

    async fn conversation<'s>(&self, socket: &'s UdpSocket, settings: Settings) -> Result<Conversation<'s>, Failure> {
        let server = lookup_host(&self.server).await?.find(SocketAddr::is_ipv4);
        let server = server.ok_or(Failure::Broken(std::io::ErrorKind::AddrNotAvailable))?;
        // Without options, blocks have the usual size, whatever the settings ask for.
        Ok(Conversation::with_server(socket, server, settings))
    }
}

/// Puts a file on the server.
pub async fn put(wish: Wish, contents: &[u8], settings: Settings) -> Result<(), Failure> {
    let socket = UdpSocket::bind("0.0.0.0:0").await?;
    let mut conversation = wish.conversation(&socket, settings).await?;
    let encoded = if wish.mode == Mode::Netascii { netascii::encode(contents) } else { contents.to_vec() };
    let request = Packet::Write(wish.request(settings, encoded.len() as u64));
    let awaited = |answer: &Packet| match answer {
        Packet::Ack { block: 0 } | Packet::OptionAck(_) => Reaction::Take,
        _ => Reaction::Ignore,
    };
    let answer = apart(conversation.exchange(&request, awaited)).await?;
    agree(&mut conversation, &wish, &answer);
    apart(conversation.send_file(&encoded)).await
}

/// Gets a file from the server.
pub async fn get(wish: Wish, settings: Settings) -> Result<Vec<u8>, Failure> {
    let socket = UdpSocket::bind("0.0.0.0:0").await?;
    let mut conversation = wish.conversation(&socket, settings).await?;
    let request = Packet::Read(wish.request(settings, 0));
    let first = match wish.has_options {
        false => request,
        true => {
            let awaited = |answer: &Packet| match answer {
                Packet::OptionAck(_) | Packet::Data { block: 1, .. } => Reaction::Take,
                _ => Reaction::Ignore,
            };
            let answer = apart(conversation.exchange(&request, awaited)).await?;
            agree(&mut conversation, &wish, &answer);
            // A server without options has sent its first block: it sends it again for want of an Ack.
            Packet::Ack { block: 0 }
        }
    };
    let encoded = apart(conversation.receive_file(first)).await?;
    let last = last_block(encoded.len(), conversation.settings.block_bytes);
    // A user waits: for as long as it takes the server to send its last data again once.
    apart(conversation.dally(last, settings.timeout * 2)).await?;
    Ok(if wish.mode == Mode::Netascii { netascii::decode(&encoded) } else { encoded })
}

/// Takes what the server has said about options.
fn agree(conversation: &mut Conversation<'_>, wish: &Wish, answer: &Packet) {
    match answer {
        Packet::OptionAck(options) => {
            conversation.agree_on(options.block_bytes.map_or(BLOCK_BYTES, usize::from));
        }
        // A server that knows no options uses the usual size.
        _ if wish.has_options => conversation.agree_on(BLOCK_BYTES),
        _ => {}
    }
}
