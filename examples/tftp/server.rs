//! The server: a task and a socket of its own for each transfer.

use super::folder::{Folder, Refusal};
use super::netascii;
use super::packet::{Mode, Options, Packet, Request, code};
use super::tokio;
use super::transfer::{Conversation, Failure, Reaction, Settings, last_block};
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::UdpSocket;

/// The clients whose transfers are under way: a request that comes again is none.
type UnderWay = Arc<Mutex<BTreeSet<SocketAddr>>>;

/// Serves a folder, for ever.
pub async fn serve(socket: UdpSocket, folder: Folder, settings: Settings) -> io::Result<()> {
    let under_way = UnderWay::default();
    let mut buffer = vec![0; 2_048];
    loop {
        let (length, client) = socket.recv_from(&mut buffer).await?;
        let packet = Packet::parse(&buffer[..length]);
        if !matches!(packet, Ok(Packet::Read(_) | Packet::Write(_))) {
            if !matches!(packet, Ok(Packet::Error { .. })) {
                let error = Packet::Error { code: code::ILLEGAL, message: "no request".to_owned() };
                socket.send_to(&error.to_bytes(), client).await?;
            }
            continue;
        }
        if !under_way.lock().expect("no task has panicked").insert(client) {
            continue;
        }
        let address = SocketAddr::new(socket.local_addr()?.ip(), 0);
        let (folder, under_way) = (folder.clone(), Arc::clone(&under_way));
        tokio::spawn(async move {
            // What became of it, the client knows.
            if let (Ok(packet), Ok(own)) = (packet, UdpSocket::bind(address).await) {
                let conversation = Conversation::with_client(&own, client, settings);
                let _ = transfer(conversation, packet, &folder).await;
            }
            under_way.lock().expect("no task has panicked").remove(&client);
        });
    }
}

/// Does what a request asks for.
async fn transfer(mut conversation: Conversation<'_>, request: Packet, folder: &Folder) -> Result<(), Failure> {
    let done = match &request {
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
        conversation.exchange(&options, awaited).await?;
    }
    conversation.send_file(&contents).await.map(Ok)
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
    let encoded = conversation.receive_file(first).await?;
    let last = last_block(encoded.len(), conversation.settings.block_bytes);
    let contents = if request.mode == Mode::Netascii { netascii::decode(&encoded) } else { encoded };
    if let Err(refusal) = folder.write(&request.file, &contents) {
        return Ok(Err(refusal));
    }
    // As long as the client may send its last data.
    let patience = conversation.settings.timeout * (2 << conversation.settings.retries);
    conversation.dally(last, patience).await.map(Ok)
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
