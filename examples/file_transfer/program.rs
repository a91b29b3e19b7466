//! A file transfer over UDP (papers/udp-net-iocache.txt, section 4.2, Algorithms 7 and 8), as
//! one writes it on tokio.
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked.rs` netcheck under that name.

use super::tokio;
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::timeout;

/// The files that the server keeps, packet by packet; file 1 is the first.
const FILES: [&[&str]; 2] = [&["spring", "summer"], &["north", "east", "south"]];

/// How long the client waits for a packet.
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes of the largest datagram.
const DATAGRAM_BYTES_MAX: usize = 64;

/// The client as the paper found it, and as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Takes any packet with the number of a missing one.
    Seeded,
    /// Looks at the packet's file, too.
    Corrected,
}

/// How a transfer can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    Complete,
    /// Too many time-outs in a row.
    Aborted,
}

/// The client's main (Algorithm 7): every file has to arrive as it is. Asks up to `retries`
/// times in a row for what does not come.
pub async fn client(server: String, sizes: String, version: Version, retries: usize) -> Transfer {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a port is free");
    socket.connect(server).await.expect("the server has an address");
    for (file, reference) in (1..).zip(FILES) {
        let packets = number_of_packets(file, &sizes).await;
        let Some(data) = get_file(&socket, file, packets, version, retries).await else {
            return Transfer::Aborted;
        };
        assert_eq!(data, reference, "file {file} was received wrong");
    }
    Transfer::Complete
}

/// Asks for a file's size, over a connection of its own.
async fn number_of_packets(file: usize, sizes: &str) -> usize {
    let mut stream = TcpStream::connect(sizes).await.expect("the server accepts connections");
    stream.write_all(format!("size of file {file}?\n").as_bytes()).await.expect("a question can be sent");
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).await.expect("an answer can be read");
    answer.trim_end().parse().expect("the answer is a number")
}

/// Algorithm 8: asks again for what does not come, whatever is lost, doubled or overtaken.
async fn get_file(
    socket: &UdpSocket,
    file: usize,
    packets: usize,
    version: Version,
    retries: usize,
) -> Option<Vec<String>> {
    let mut data = vec![String::new(); packets];
    let mut missing: BTreeSet<usize> = (1..=packets).collect();
    let mut consecutive_timeouts = 0;
    let mut buffer = [0; DATAGRAM_BYTES_MAX];
    socket.send(request(file, &missing).as_bytes()).await.expect("a request can be sent");
    while !missing.is_empty() {
        let Ok(received) = timeout(PATIENCE, socket.recv(&mut buffer)).await else {
            consecutive_timeouts += 1;
            if consecutive_timeouts > retries {
                return None;
            }
            socket.send(request(file, &missing).as_bytes()).await.expect("a request can be sent");
            continue;
        };
        consecutive_timeouts = 0;
        let length = received.expect("a packet can be received");
        let packet = Packet::parse(text(&buffer[..length])).expect("a packet");
        let is_of_this_file = version == Version::Seeded || packet.file == file;
        if is_of_this_file && missing.remove(&packet.number) {
            data[packet.number - 1] = packet.contents;
        }
    }
    Some(data)
}

/// Sends the packets that it is asked for, for ever.
pub async fn server(address: String) {
    let socket = UdpSocket::bind(address).await.expect("the server's port is free");
    let mut buffer = [0; DATAGRAM_BYTES_MAX];
    loop {
        let (length, client) = socket.recv_from(&mut buffer).await.expect("a request can be received");
        let Some((file, numbers)) = parse_request(text(&buffer[..length])) else { continue };
        for number in numbers {
            let packets = FILES[file - 1];
            let packet = format!("file {file}, packet {number}/{}: {}", packets.len(), packets[number - 1]);
            socket.send_to(packet.as_bytes(), client).await.expect("a packet can be sent");
        }
    }
}

/// Says how many packets a file has, for ever.
pub async fn size_server(address: String) {
    let listener = TcpListener::bind(address).await.expect("the server's port is free");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection can be accepted");
        // Whoever breaks a connection off does without the answer.
        let _ = answer_size(stream).await;
    }
}

/// Answers one question. There is no answer to one that makes no sense.
async fn answer_size(mut stream: TcpStream) -> io::Result<()> {
    let (reader, mut writer) = stream.split();
    let mut question = String::new();
    BufReader::new(reader).read_line(&mut question).await?;
    let file = question.strip_prefix("size of file ").and_then(|rest| rest.strip_suffix("?\n"));
    if let Some(file) = file.and_then(file_number) {
        writer.write_all(format!("{}\n", FILES[file - 1].len()).as_bytes()).await?;
    }
    Ok(())
}

/// "file 2, missing: 1 3"
fn request(file: usize, missing: &BTreeSet<usize>) -> String {
    let numbers: Vec<String> = missing.iter().map(usize::to_string).collect();
    format!("file {file}, missing: {}", numbers.join(" "))
}

fn parse_request(request: &str) -> Option<(usize, Vec<usize>)> {
    let (file, numbers) = request.strip_prefix("file ")?.split_once(", missing: ")?;
    let file = file_number(file)?;
    let numbers = numbers.split(' ').map(|number| number.parse().ok());
    let numbers: Vec<usize> = numbers.collect::<Option<_>>()?;
    numbers.iter().all(|number| (1..=FILES[file - 1].len()).contains(number)).then_some((file, numbers))
}

fn file_number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|file| (1..=FILES.len()).contains(file))
}

/// "file 1, packet 2/2: summer"
struct Packet {
    file: usize,
    number: usize,
    contents: String,
}

impl Packet {
    fn parse(datagram: &str) -> Option<Packet> {
        let (file, rest) = datagram.strip_prefix("file ")?.split_once(", packet ")?;
        let (number, rest) = rest.split_once('/')?;
        let (_, contents) = rest.split_once(": ")?;
        Some(Packet { file: file.parse().ok()?, number: number.parse().ok()?, contents: contents.to_owned() })
    }
}

fn text(datagram: &[u8]) -> &str {
    std::str::from_utf8(datagram).unwrap_or_default()
}
