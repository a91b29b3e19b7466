//! The programs against counterparts of the tests' own: a stranger, a server without options, a side that looks at what
//! the monitors do not, such as options, the mode, and whether the other side has what it should.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Udp, Verdict};
use std::time::Duration;
use tftp::checked::program::client::{self, Wish};
use tftp::checked::program::folder::Folder;
use tftp::checked::program::packet::{BLOCK_BYTES, Mode, Options, Packet, Request, code};
use tftp::checked::program::server;
use tftp::checked::program::transfer::{Conversation, Settings, Version};
use tokio::net::UdpSocket;

const OCTETS: Wish = Wish { file: String::new(), mode: Mode::Octet, server: String::new(), has_options: false };

fn wish() -> Wish {
    Wish { file: "f".to_owned(), server: "server:69".to_owned(), ..OCTETS }
}

fn settings(block_bytes: usize) -> Settings {
    Settings { block_bytes, timeout: Duration::from_secs(1), retries: 1, version: Version::Corrected }
}

/// All schedules of a network without faults.
#[track_caller]
fn verify(setup: impl Fn(&mut Network)) {
    let report = Checker::new().check(setup);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

async fn receive(socket: &UdpSocket) -> (Packet, std::net::SocketAddr) {
    let mut buffer = vec![0; 70_000];
    let (length, from) = socket.recv_from(&mut buffer).await.expect("a socket that is bound");
    (Packet::parse(&buffer[..length]).expect("a packet"), from)
}

fn data(block: u16, bytes: &[u8]) -> Vec<u8> {
    Packet::Data { block, bytes: bytes.to_vec() }.to_bytes()
}

/// The next request, with the address of the client.
async fn request() -> (Request, std::net::SocketAddr) {
    let socket = UdpSocket::bind("0.0.0.0:69").await.expect("a free port");
    match receive(&socket).await {
        (Packet::Read(request) | Packet::Write(request), client) => (request, client),
        (packet, _) => panic!("no request: {packet}"),
    }
}

/// RFC 1350 section 4: a packet from another port is answered by an error, and changes nothing.
#[test]
fn check_stranger_to_a_client() {
    verify(|net| {
        net.daemon("server", || async {
            let (_, client) = request().await;
            let [own, stranger] = [UdpSocket::bind("0.0.0.0:0").await?, UdpSocket::bind("0.0.0.0:0").await?];
            own.send_to(&data(1, b"ab"), client).await?;
            assert_eq!(receive(&own).await.0, Packet::Ack { block: 1 });
            stranger.send_to(&data(2, b"x"), client).await?;
            let (answer, _) = receive(&stranger).await;
            assert!(matches!(answer, Packet::Error { code: code::UNKNOWN_TRANSFER, .. }), "{answer}");
            own.send_to(&data(2, b"c"), client).await?;
            assert_eq!(receive(&own).await.0, Packet::Ack { block: 2 });
            Ok::<_, std::io::Error>(())
        });
        net.process("client", || async { assert_eq!(client::get(wish(), settings(2)).await, Ok(b"abc".to_vec())) })
            .after("server");
    });
}

/// The client's port, too, is known from the beginning: from its request.
#[test]
fn check_stranger_to_a_server() {
    verify(|net| {
        net.process("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:69").await.expect("a free port");
            server::serve_once(socket, Folder::One(b"abc"), settings(2)).await.expect("a socket");
        });
        net.process("client", || async {
            let [own, stranger] = [UdpSocket::bind("0.0.0.0:0").await, UdpSocket::bind("0.0.0.0:0").await];
            let [own, stranger] = [own, stranger].map(|socket| socket.expect("a free port"));
            let request = Request { file: "f".to_owned(), mode: Mode::Octet, options: Options::default() };
            own.send_to(&Packet::Read(request).to_bytes(), "server:69").await.expect("a server");
            let (first, server) = receive(&own).await;
            assert_eq!(first.to_bytes(), data(1, b"ab"));
            stranger.send_to(&Packet::Ack { block: 1 }.to_bytes(), server).await.expect("a server");
            let (answer, _) = receive(&stranger).await;
            assert!(matches!(answer, Packet::Error { code: code::UNKNOWN_TRANSFER, .. }), "{answer}");
            own.send_to(&Packet::Ack { block: 1 }.to_bytes(), server).await.expect("a server");
            // Its first data may have come again meanwhile.
            while receive(&own).await.0.to_bytes() != data(2, b"c") {}
            own.send_to(&Packet::Ack { block: 2 }.to_bytes(), server).await.expect("a server");
        })
        .after("server");
    });
}

/// More than one block of the usual size.
const LONG: [u8; BLOCK_BYTES + 1] = [b'l'; BLOCK_BYTES + 1];

/// RFC 2347: a server that knows no options answers as if there were none. Whether asked for or not, the blocks have the
/// usual size then.
#[test]
fn check_server_without_options() {
    for (has_options, block_bytes) in [(true, 8), (false, BLOCK_BYTES)] {
        let wish = move || Wish { has_options, ..wish() };
        verify(|net| {
            net.process("server", || async {
                let (_, client) = request().await;
                let own = UdpSocket::bind("0.0.0.0:0").await.expect("a free port");
                let mut conversation = Conversation::with_client(&own, client, settings(BLOCK_BYTES));
                assert_eq!(conversation.send_file(&LONG).await, Ok(()));
            });
            net.process("client", move || async move {
                assert_eq!(client::get(wish(), settings(block_bytes)).await, Ok(LONG.to_vec()));
            })
            .after("server");
        });
        verify(|net| {
            net.process("server", || receives(BLOCK_BYTES, &LONG));
            net.process("client", move || async move {
                assert_eq!(client::put(wish(), &LONG, settings(block_bytes)).await, Ok(()));
            })
            .after("server");
        });
    }
}

/// Receives a file without options, in blocks of a size.
async fn receives(block_bytes: usize, contents: &[u8]) {
    let (_, client) = request().await;
    let own = UdpSocket::bind("0.0.0.0:0").await.expect("a free port");
    let mut conversation = Conversation::with_client(&own, client, settings(block_bytes));
    let received = conversation.receive_file(Packet::Ack { block: 0 }).await;
    assert_eq!(received.as_deref(), Ok(contents));
    let last = (contents.len() / block_bytes + 1) as u16;
    assert_eq!(conversation.dally(last, Duration::from_secs(1)).await, Ok(()));
}

/// A client that has written a file has sent all of it, in blocks of the size that both sides know of.
#[test]
fn check_blocks() {
    verify(|net| {
        net.process("server", || receives(2, b"abc"));
        net.process("client", || async { assert_eq!(client::put(wish(), b"abc", settings(2)).await, Ok(())) })
            .after("server");
    });
}

/// Blocks of the largest size that RFC 2348 knows.
#[test]
fn check_largest_blocks() {
    const BYTES: usize = 65_464;
    static CONTENTS: [u8; BYTES + 1] = [b'c'; BYTES + 1];
    let wish = || Wish { has_options: true, ..wish() };
    verify(|net| {
        net.process("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:69").await.expect("a free port");
            server::serve_once(socket, Folder::One(&CONTENTS), settings(BLOCK_BYTES)).await.expect("a socket");
        });
        net.process("client", move || async move {
            let received = client::get(wish(), settings(BYTES)).await.expect("the file");
            assert!(received == CONTENTS, "{} bytes", received.len());
        })
        .after("server");
    });
}

/// A time-out is asked for if it is not the usual one, of a second; the size of a file is told.
#[test]
fn check_requests() {
    for (seconds, asked) in [(1, None), (3, Some(3))] {
        verify(|net| {
            net.process("server", move || async move {
                let (request, client) = request().await;
                let expected = Options { block_bytes: Some(8), timeout_s: asked, size_bytes: Some(4) };
                assert_eq!(request.options, expected);
                let own = UdpSocket::bind("0.0.0.0:0").await.expect("a free port");
                let answer = Packet::Error { code: code::DISK_FULL, message: String::new() };
                own.send_to(&answer.to_bytes(), client).await.expect("a socket that is bound");
            });
            net.process("client", move || async move {
                let settings = Settings { timeout: Duration::from_secs(seconds), ..settings(8) };
                let wish = Wish { has_options: true, ..wish() };
                client::put(wish, b"abcd", settings).await.expect_err("no space");
            })
            .after("server");
        });
    }
}

/// RFC 2349: a server tells the size of a file that is read, and repeats the one of a file that is written.
#[test]
fn check_size() {
    let asked = |size_bytes| {
        let options = Options { block_bytes: Some(8), timeout_s: Some(1), size_bytes: Some(size_bytes) };
        Request { file: "f".to_owned(), mode: Mode::Octet, options }
    };
    for (request, told) in [(Packet::Read(asked(0)), 3), (Packet::Write(asked(7)), 7)] {
        verify(|net| {
            net.daemon("server", || async {
                let socket = UdpSocket::bind("0.0.0.0:69").await?;
                server::serve_once(socket, Folder::One(b"abc"), settings(BLOCK_BYTES)).await
            });
            let request = request.to_bytes();
            net.process("client", move || {
                let request = request.clone();
                async move {
                    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a free port");
                    socket.send_to(&request, "server:69").await.expect("a server");
                    let (answer, _) = receive(&socket).await;
                    let Packet::OptionAck(options) = answer else { panic!("{answer}") };
                    assert_eq!(options.size_bytes, Some(told));
                }
            })
            .after("server");
        });
    }
}

/// A file arrives as it was sent in both modes, also one with line ends of the network.
#[test]
fn check_modes() {
    const CONTENTS: &[u8] = b"a\r\nb\n\rc";
    for mode in [Mode::Octet, Mode::Netascii] {
        let wish = move || Wish { mode, ..wish() };
        for is_read in [true, false] {
            verify(|net| {
                net.process("server", || async {
                    let socket = UdpSocket::bind("0.0.0.0:69").await.expect("a free port");
                    server::serve_once(socket, Folder::One(CONTENTS), settings(4)).await.expect("a socket");
                });
                net.process("client", move || async move {
                    match is_read {
                        true => assert_eq!(client::get(wish(), settings(4)).await.as_deref(), Ok(CONTENTS)),
                        false => assert_eq!(client::put(wish(), CONTENTS, settings(4)).await, Ok(())),
                    }
                })
                .after("server");
            });
        }
    }
}

/// RFC 1350 section 6: if the final Ack is lost, the client is still there for the final data. So the server comes to its
/// end whichever packet is lost.
#[test]
fn check_final_ack() {
    let loses = Udp::new().loss().delay(Duration::ZERO..=Duration::from_millis(400));
    let report = Checker::new().udp(loses).at_most(1).check(|net| {
        net.process("server", || async {
            let (_, client) = request().await;
            let own = UdpSocket::bind("0.0.0.0:0").await.expect("a free port");
            let mut conversation = Conversation::with_client(&own, client, settings(2));
            assert_eq!(conversation.send_file(b"abc").await, Ok(()));
        });
        net.process("client", || async {
            // Its first request may be the packet that is lost.
            let settings = Settings { retries: 2, ..settings(2) };
            assert_eq!(client::get(wish(), settings).await, Ok(b"abc".to_vec()));
        })
        .after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}
