//! The server: a task and a socket of its own for each transfer.

use super::folder::{Folder, Refusal};
use super::netascii;
use super::packet::{Mode, Options, Packet, Request, code};
use super::tokio;
use super::transfer::{Conversation, Failure, Reaction, Settings, apart, last_block};
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::UdpSocket;

/// The requests whose transfers are under way, with their clients: one that comes again is no new one.
type UnderWay = Arc<Mutex<BTreeSet<(SocketAddr, Packet)>>>;

/// Serves a folder, for ever. A request that comes late, after the transfer that it had asked for, begins another one.
pub async fn serve(socket: UdpSocket, folder: Folder, settings: Settings) -> io::Result<()> {
    let under_way = UnderWay::default();
    loop {
        let (packet, client) = apart(request(&socket)).await?;
        if !under_way.lock().expect("no task has panicked").insert((client, packet.clone())) {
            continue;
        }
        let own = bind_beside(&socket).await;
        let (folder, under_way) = (folder.clone(), Arc::clone(&under_way));
        tokio::spawn(async move {
            // What became of it, the client knows.
            if let Ok(own) = own {
                let conversation = Conversation::with_client(&own, client, settings);
                let _ = apart(transfer(conversation, &packet, &folder)).await;
            }
            under_way.lock().expect("no task has panicked").remove(&(client, packet));
        });
    }
}

/// Serves the first request, and ends.
pub async fn serve_once(socket: UdpSocket, folder: Folder, settings: Settings) -> io::Result<()> {
    let (packet, client) = apart(request(&socket)).await?;
    let own = bind_beside(&socket).await?;
    let conversation = Conversation::with_client(&own, client, settings);
    // What became of it, the client knows.
    let _ = apart(transfer(conversation, &packet, &folder)).await;
    Ok(())
}

/// A socket for one transfer: its port is the server's identifier there.
async fn bind_beside(socket: &UdpSocket) -> io::Result<UdpSocket> {
    UdpSocket::bind(SocketAddr::new(socket.local_addr()?.ip(), 0)).await
}

/// The next request at the server's port. What is none is refused.
async fn request(socket: &UdpSocket) -> io::Result<(Packet, SocketAddr)> {
    loop {
        let mut buffer = vec![0; 2_048];
        let (length, client) = socket.recv_from(&mut buffer).await?;
        match Packet::parse(&buffer[..length]) {
            Ok(request @ (Packet::Read(_) | Packet::Write(_))) => return Ok((request, client)),
            Ok(Packet::Error { .. }) => continue,
            Ok(_) | Err(_) => {}
        }
        let error = Packet::Error { code: code::ILLEGAL, message: "no request".to_owned() };
        socket.send_to(&error.to_bytes(), client).await?;
    }
}

/// Does what a request asks for.
async fn transfer(mut conversation: Conversation<'_>, request: &Packet, folder: &Folder) -> Result<(), Failure> {
    let done = match request {
        Packet::Read(request) => send(&mut conversation, request, folder).await?,
        Packet::Write(request) => receive(&mut conversation, request, folder).await?,
        _ => Ok(()),
    };
    if let Err((code, message)) = done {
        conversation.send(&Packet::Error { code, message }).await?;
    }
    Ok(())
}

async fn send(
    conversation: &mut Conversation<'_>,
    request: &Request,
    folder: &Folder,
) -> Result<Result<(), Refusal>, Failure> {
    let contents = match folder.read(&request.file) {
        Ok(contents) if request.mode == Mode::Netascii => netascii::encode(&contents),
        Ok(contents) => contents,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(options) = agreed(conversation, request, Some(contents.len() as u64)) {
        let awaited = |answer: &Packet| match answer {
            Packet::Ack { block: 0 } => Reaction::Take,
            _ => Reaction::Ignore,
        };
        apart(conversation.exchange(&options, awaited)).await?;
    }
    apart(conversation.send_file(&contents)).await.map(Ok)
}

async fn receive(
    conversation: &mut Conversation<'_>,
    request: &Request,
    folder: &Folder,
) -> Result<Result<(), Refusal>, Failure> {
    if let Err(refusal) = folder.may_write(&request.file) {
        return Ok(Err(refusal));
    }
    let first = agreed(conversation, request, None).unwrap_or(Packet::Ack { block: 0 });
    let encoded = apart(conversation.receive_file(first)).await?;
    let last = last_block(encoded.len(), conversation.settings.block_bytes);
    let contents = if request.mode == Mode::Netascii { netascii::decode(&encoded) } else { encoded };
    if let Err(refusal) = folder.write(&request.file, &contents) {
        return Ok(Err(refusal));
    }
    // As long as the client may send its last data.
    let patience = conversation.settings.timeout * (2 << conversation.settings.retries);
    apart(conversation.dally(last, patience)).await.map(Ok)
}

/// The options that are taken, if there are any; they hold from here on.
fn agreed(conversation: &mut Conversation<'_>, request: &Request, size_bytes: Option<u64>) -> Option<Packet> {
    let asked = request.options;
    if asked.are_empty() {
        return None;
    }
    if let Some(block_bytes) = asked.block_bytes {
        conversation.agree_on(block_bytes.into());
    }
    if let Some(seconds) = asked.timeout_s {
        conversation.settings.timeout = std::time::Duration::from_secs(seconds.into());
    }
    // Of a file that is read, its size is told; of one that is written, it is known.
    let size_bytes = asked.size_bytes.map(|announced| size_bytes.unwrap_or(announced));
    Some(Packet::OptionAck(Options { size_bytes, ..asked }))
}
