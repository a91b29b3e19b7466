//! The same source on real sockets of the loopback interface, against itself.

#[path = "../../../examples/tftp/real.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
pub mod real;

use real::SETTINGS;
use real::program::client::{self, Wish};
use real::program::folder::Folder;
use real::program::packet::{Mode, Options, Packet, Request, code};
use real::program::server;
use real::program::transfer::{Failure, Settings};
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::UdpSocket;

/// A served directory, removed at the end.
pub struct Served {
    pub directory: PathBuf,
    pub server: String,
}

impl Served {
    pub async fn new(name: &str) -> Served {
        let directory = temporary(name);
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let server = socket.local_addr().unwrap().to_string();
        tokio::spawn(server::serve(socket, Folder::Directory(directory.clone()), SETTINGS));
        Served { directory, server }
    }

    fn wish(&self, file: &str, mode: Mode, has_options: bool) -> Wish {
        wish(&self.server, file, mode, has_options)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A directory of its own for a test.
pub fn temporary(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("netcheck-tftp-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

pub fn wish(server: &str, file: &str, mode: Mode, has_options: bool) -> Wish {
    Wish { file: file.to_owned(), mode, server: server.to_owned(), has_options }
}

/// A client that does not wait for long at its end.
pub const SHORT: Settings = Settings { timeout: Duration::from_millis(50), ..SETTINGS };

/// Bytes with ends of lines among them.
pub fn contents(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| [b'a', b'\n', b'\r', 0, (index % 251) as u8][index % 5]).collect()
}

#[tokio::test]
async fn files_of_all_sizes_go_both_ways() {
    let served = Served::new("sizes").await;
    for bytes in [0, 1, 511, 512, 513, 1 << 20] {
        for (mode, has_options, block_bytes) in
            [(Mode::Octet, false, 512), (Mode::Octet, true, 1_428), (Mode::Netascii, true, 512)]
        {
            // No request is the same as an earlier one: its client may get the port of that one's, for which the server
            // still waits.
            let file = bytes.to_string();
            let (sent, settings) = (contents(bytes), Settings { block_bytes, ..SHORT });
            let put = client::put(served.wish(&file, mode, has_options), &sent, settings).await;
            assert_eq!(put, Ok(()), "{bytes} bytes, {mode:?}, {block_bytes}");
            let got = client::get(served.wish(&file, mode, has_options), settings).await;
            assert!(
                got.as_ref() == Ok(&sent),
                "{bytes} bytes, {mode:?}, {block_bytes}: {:?}",
                got.map(|got| got.len())
            );
            assert!(std::fs::read(served.directory.join(&file)).unwrap() == sent, "{bytes} bytes, {mode:?}");
        }
    }
}

#[tokio::test]
async fn numbers_of_blocks_begin_again() {
    let served = Served::new("wraps").await;
    let (sent, settings) = (contents(65_540 * 8), Settings { block_bytes: 8, ..SHORT });
    client::put(served.wish("large", Mode::Octet, true), &sent, settings).await.unwrap();
    assert!(client::get(served.wish("large", Mode::Octet, true), settings).await.unwrap() == sent);
}

/// The port of an earlier client, for whose last data the server still waits.
#[tokio::test]
async fn another_request_from_the_same_port_is_served() {
    let served = Served::new("port").await;
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let ask = async |packet: Packet, to: &str| {
        socket.send_to(&packet.to_bytes(), to).await.unwrap();
        let mut buffer = [0; 1_024];
        let answer = tokio::time::timeout(Duration::from_secs(20), socket.recv_from(&mut buffer));
        let (length, from) = answer.await.expect("an answer").unwrap();
        (Packet::parse(&buffer[..length]).unwrap(), from.to_string())
    };
    let request = || Request { file: "file".to_owned(), mode: Mode::Octet, options: Options::default() };
    let (answer, conversation) = ask(Packet::Write(request()), &served.server).await;
    assert_eq!(answer, Packet::Ack { block: 0 });
    let data = Packet::Data { block: 1, bytes: b"ab".to_vec() };
    assert_eq!(ask(data.clone(), &conversation).await, (Packet::Ack { block: 1 }, conversation));
    assert_eq!(ask(Packet::Read(request()), &served.server).await.0, data);
}

#[tokio::test]
async fn nothing_outside_of_the_folder_is_read_or_written() {
    let served = Served::new("outside").await;
    for file in ["../secret", "a/../../secret", "", "/", "//etc/../passwd"] {
        let read = client::get(served.wish(file, Mode::Octet, false), SETTINGS).await;
        let written = client::put(served.wish(file, Mode::Octet, false), b"!", SETTINGS).await;
        for result in [read.map(|_| ()), written] {
            let refused = matches!(result, Err(Failure::Refused(code::ACCESS_VIOLATION, _)));
            assert!(refused, "{file}: {result:?}");
        }
    }
    let missing = client::get(served.wish("missing", Mode::Octet, true), SETTINGS).await;
    assert!(matches!(missing, Err(Failure::Refused(code::NOT_FOUND, _))), "{missing:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_given_up() {
    let server = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
    let wish = Wish { file: "f".to_owned(), mode: Mode::Octet, server, has_options: false };
    let settings = Settings { timeout: Duration::from_millis(5), retries: 2, ..SETTINGS };
    assert_eq!(client::put(wish, b"!", settings).await, Err(Failure::Silence));
}
