//! Mistakes around a restart that well-known programs had, in small: each is found, and its mended version verified.
//!
//! Bytes that are written to a file that is dropped are not there yet; a message is taken for delivered when it is written to a
//! socket, is sent again as another one, or is forgotten with a connection; and a member that starts again is refused as
//! the one that went.

use crate::counted::{is_verified, is_verified_within};
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Report, ViolationKind};
use std::io::{self, ErrorKind};
use std::time::Duration;
use tokio::fs::{self, File, OpenOptions};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(1);

fn check(words: &str, register: impl Fn(&mut Network)) -> Report {
    words.parse::<Checker>().expect("words of the attribute").check(register)
}

#[track_caller]
fn is_found(report: &Report, kind: ViolationKind, message: &str) {
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(found.kind(), kind, "{report}");
    assert!(found.message().contains(message), "{report}");
}

// A file that is dropped.

/// Stores each upload in a file, and says how many bytes are in it.
async fn uploads(flushes: bool) -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        let mut file = File::create("upload").await?;
        let mut bytes = [0; 16];
        loop {
            match stream.read(&mut bytes).await? {
                0 => break,
                count => file.write_all(&bytes[..count]).await?,
            }
        }
        if flushes {
            file.flush().await?;
        }
        drop(file);
        let stored = fs::read("upload").await?.len();
        stream.write_all(&[u8::try_from(stored).expect("uploads are small")]).await?;
    }
}

/// Uploads four bytes; returns how many of them are stored.
async fn upload() -> io::Result<u8> {
    let mut stream = TcpStream::connect("server:80").await?;
    stream.write_all(b"data").await?;
    stream.shutdown().await?;
    stream.read_u8().await
}

#[test]
fn an_upload_is_missing_if_its_file_is_dropped_without_a_flush() {
    let uploading = |flushes: bool| {
        check("", |net| {
            net.daemon("server", move || uploads(flushes));
            net.process("client", || async { assert_eq!(upload().await.unwrap(), 4, "all of it is stored") })
                .after("server");
        })
    };
    is_found(&uploading(false), ViolationKind::Panic, "all of it is stored");
    is_verified_within(30, &uploading(true));
}

// Messages that are published around a restart of the broker.

/// The effort of a client for a message to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Publishing {
    /// A message that is written to the socket is done with. It is written again only where that fails.
    Written,
    /// A message that is not acknowledged waits in a stash, which a new connection begins without.
    StashForgotten,
    /// A message that is not acknowledged is published once more, as another message.
    AgainAsAnother,
    /// A message that is not acknowledged is sent again under its number until it is, and the broker looks at the numbers.
    AgainAsItself,
}

/// Appends each message to a file before it acknowledges it; one whose number is there already is only acknowledged.
async fn broker() -> io::Result<()> {
    let mut log = OpenOptions::new().append(true).create(true).open("log").await?;
    File::open("/").await?.sync_all().await?;
    let mut known = fs::read_to_string("log").await?;
    // Of a last write that was not synced, there may be the length alone.
    known.truncate(known.find('\0').unwrap_or(known.len()));
    log.set_len(known.len() as u64).await?;
    log.sync_all().await?;
    let listener = TcpListener::bind("0.0.0.0:1883").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let mut stream = BufReader::new(stream);
        let mut message = String::new();
        // A message of which only the beginning has come was not sent to the end.
        while matches!(stream.read_line(&mut message).await, Ok(1..)) && message.ends_with('\n') {
            if !known.lines().any(|line| line == message.trim_end()) {
                log.write_all(message.as_bytes()).await?;
                log.sync_all().await?;
                known += &message;
            }
            if stream.write_all(b"ok").await.is_err() {
                break;
            }
            message.clear();
        }
    }
}

struct Client {
    publishing: Publishing,
    connection: Option<TcpStream>,
    /// The number of the next message.
    next: u32,
}

impl Client {
    async fn try_publish(&mut self, message: &str) -> io::Result<()> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(TcpStream::connect("broker:1883").await?),
        };
        connection.write_all(message.as_bytes()).await?;
        if self.publishing != Publishing::Written {
            connection.read_exact(&mut [0; 2]).await?;
        }
        Ok(())
    }

    /// Publishes a text, on a new connection where the last one fails.
    async fn publish(&mut self, text: &str) {
        self.next += 1;
        let mut number = self.next;
        loop {
            let tried = timeout(PATIENCE, self.try_publish(&format!("{number} {text}\n"))).await;
            if matches!(tried, Ok(Ok(()))) {
                return;
            }
            let was_connected = self.connection.take().is_some();
            match self.publishing {
                Publishing::StashForgotten if was_connected => return,
                Publishing::AgainAsAnother => {
                    self.next += 1;
                    number = self.next;
                }
                _ => {}
            }
        }
    }
}

/// Publishes two messages; `judge` sees all that have arrived.
fn judged(words: &str, publishing: Publishing, judge: fn(&[&str])) -> Report {
    check(words, |net| {
        net.daemon("broker", broker);
        net.process("client", move || async move {
            let mut client = Client { publishing, connection: None, next: 0 };
            client.publish("on").await;
            client.publish("off").await;
        })
        .after("broker");
        net.finally(move |end| {
            let log = String::from_utf8(end.files("broker")["log"].clone()).expect("text");
            let texts: Vec<&str> = log.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
            judge(&texts);
        });
    })
}

fn publishing(words: &str, publishing: Publishing) -> Report {
    judged(words, publishing, |texts| assert_eq!(texts, ["on", "off"], "each message arrives once"))
}

const KILLED: &str = r#"crash(process = "broker")"#;
const WITHOUT_POWER: &str = r#"crash(power, process = "broker")"#;

#[test]
fn both_messages_are_lost_though_they_were_written() {
    is_verified(52, || publishing("", Publishing::Written));
    for words in [KILLED, WITHOUT_POWER] {
        let report = judged(words, Publishing::Written, |texts| assert!(!texts.is_empty(), "one of them arrives"));
        is_found(&report, ViolationKind::Property, "one of them arrives");
        // The client has ended, and was told of no error.
        assert!(report.to_string().contains("client ended with ()"), "{report}");
    }
}

#[test]
fn a_message_that_was_stashed_for_the_next_connection_is_lost() {
    is_verified(36, || publishing("", Publishing::StashForgotten));
    let report = publishing(KILLED, Publishing::StashForgotten);
    is_found(&report, ViolationKind::Property, "each message arrives once");
}

#[test]
fn a_message_whose_acknowledgement_was_lost_arrives_twice() {
    is_verified(38, || publishing("", Publishing::AgainAsAnother));
    let report = publishing(KILLED, Publishing::AgainAsAnother);
    is_found(&report, ViolationKind::Property, r#"["on", "off", "off"]"#);
}

#[test]
fn a_message_with_a_number_arrives_once_whatever_the_broker_meets() {
    is_verified(574, || publishing(KILLED, Publishing::AgainAsItself));
    is_verified(1_516, || publishing(WITHOUT_POWER, Publishing::AgainAsItself));
}

// A member that starts again.

/// How a member numbers its starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starts {
    /// Each is the first one.
    NotCounted,
    /// In a file, which is not synced.
    CountedUnsynced,
    CountedSynced,
}

/// Knows one member. When its connection ends it is gone, and what the same start of it says then is old.
async fn registry() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:7946").await?;
    let mut gone = 0;
    loop {
        let (mut stream, _) = listener.accept().await?;
        // A host that has lost its power says nothing more.
        let Ok(Ok(start)) = timeout(PATIENCE, stream.read_u8()).await else { continue };
        if start > gone && stream.write_all(b"welcome").await.is_ok() {
            // It stays, until it goes in one way or another.
            let _ = timeout(PATIENCE * 2, stream.read_u8()).await;
            gone = start;
        }
    }
}

async fn number_of_start(starts: Starts) -> io::Result<u8> {
    if starts == Starts::NotCounted {
        return Ok(1);
    }
    let number = match fs::read("starts.last").await {
        Ok(bytes) => bytes.first().copied().unwrap_or(0) + 1,
        Err(error) if error.kind() == ErrorKind::NotFound => 1,
        Err(error) => return Err(error),
    };
    let mut file = File::create("starts.new").await?;
    file.write_all(&[number]).await?;
    file.flush().await?;
    if starts == Starts::CountedSynced {
        file.sync_all().await?;
    }
    fs::rename("starts.new", "starts.last").await?;
    if starts == Starts::CountedSynced {
        File::open("/").await?.sync_all().await?;
    }
    Ok(number)
}

async fn join(number: u8) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect("registry:7946").await?;
    stream.write_u8(number).await?;
    stream.read_exact(&mut [0; 7]).await?;
    Ok(stream)
}

/// Joins, stays for a second, and goes.
async fn member(starts: Starts) {
    let number = number_of_start(starts).await.expect("files can be used");
    for _ in 0..4 {
        // Longer than the registry listens to a host that says nothing: a join that is given up is one that went.
        if let Ok(Ok(stream)) = timeout(PATIENCE * 5, join(number)).await {
            sleep(PATIENCE).await;
            drop(stream);
            return;
        }
        sleep(PATIENCE).await;
    }
    panic!("start {number} of the member is never welcome");
}

fn joining(words: &str, starts: Starts) -> Report {
    check(words, |net| {
        net.daemon("registry", registry);
        net.process("member", move || member(starts)).after("registry");
    })
}

#[test]
fn a_member_that_starts_again_is_refused_as_the_one_that_went() {
    let killed = r#"crash(process = "member")"#;
    let without_power = r#"crash(power, process = "member")"#;
    is_verified(14, || joining("", Starts::NotCounted));
    is_found(&joining(killed, Starts::NotCounted), ViolationKind::Panic, "start 1 of the member is never welcome");
    is_verified(109, || joining(killed, Starts::CountedUnsynced));
    let report = joining(without_power, Starts::CountedUnsynced);
    is_found(&report, ViolationKind::Panic, "of the member is never welcome");
    is_verified(139, || joining(killed, Starts::CountedSynced));
    is_verified(319, || joining(without_power, Starts::CountedSynced));
}
