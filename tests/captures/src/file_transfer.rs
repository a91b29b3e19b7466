//! One monitor for the check of `examples/file_transfer` and for captures of it, which `files/make.sh` makes.

#[path = "../../../examples/file_transfer/checked.rs"]
#[allow(dead_code, reason = "of the example, only the program and how it is registered")]
mod checked;

use checked::program::Version;
use netcheck::capture::{Capture, CaptureTrace, CaptureValidation, Change, Datagram, Packet, Unread};
use netcheck::check::{Checker, Direction, Udp, Verdict};
use netcheck::monitor::{IntoMonitor, Monitor, Observe, Seen};
use std::path::PathBuf;
use std::time::Duration;

/// Packets that the client sends and receives by UDP.
#[derive(Debug, PartialEq)]
enum Message {
    /// Bit n is set if packet n is missing.
    Request {
        file: i64,
        missing: i64,
    },
    Packet {
        file: i64,
        number: i64,
    },
}

impl Message {
    fn parse(payload: &[u8]) -> Option<Message> {
        let (file, rest) = std::str::from_utf8(payload).ok()?.strip_prefix("file ")?.split_once(", ")?;
        let file = file.parse().ok()?;
        if let Some(numbers) = rest.strip_prefix("missing: ") {
            let numbers: Option<Vec<u32>> = numbers.split(' ').map(|number| number.parse().ok()).collect();
            let missing = numbers?.iter().try_fold(0, |missing, number| Some(missing | 1_i64.checked_shl(*number)?))?;
            return Some(Message::Request { file, missing });
        }
        let (numbers, _contents) = rest.strip_prefix("packet ")?.split_once(": ")?;
        let (number, _packets) = numbers.split_once('/')?;
        Some(Message::Packet { file, number: number.parse().ok()? })
    }
}

impl Observe for Message {
    fn observe(seen: &Seen<'_>) -> Option<Self> {
        match *seen {
            Seen::Departed { process: "client", payload, .. } | Seen::Arrived { process: "client", payload, .. } => {
                Message::parse(payload)
            }
            _ => None,
        }
    }
}

netcheck::monitor! {
    /// The client asks for file after file, each when it has the one before, and after a second of silence again for
    /// what has not come.
    monitor Client() over Message {
        variable file: 0..=2;
        variable missing: 0..=0b1110;
        clock silence;

        state asking {
            Message::Request { file: next, missing: all } if *next == file + 1 && missing == 0 => asking {
                file = *next;
                missing = *all;
                reset silence;
            }
            Message::Request { file: again, missing: still } if *again == file && *still == missing
                when silence >= Duration::from_secs(1) => asking { reset silence; }
            Message::Packet { file: of, number } if *of == file => asking {
                missing = missing & !(1 << number);
                reset silence;
            }
            // A copy that comes late.
            Message::Packet { file: of, .. } if *of < file => asking { reset silence; }
            otherwise => reject
        }
    }
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("files").join(name)
}

fn messages(capture: &Capture) -> CaptureTrace<Message> {
    capture.trace(|datagram| Message::parse(datagram.payload)).expect("tcpdump writes packets in their order")
}

fn validate(capture: &Capture) -> CaptureValidation {
    messages(capture).validate(&Client::new().into_monitor())
}

/// The capture with these bytes in place of those, which it has once.
fn with(name: &str, those: &str, these: &str) -> Capture {
    assert_eq!(those.len(), these.len(), "lengths stay as they are");
    let mut bytes = std::fs::read(file(name)).expect("it is committed");
    let found: Vec<usize> = bytes
        .windows(those.len())
        .enumerate()
        .filter_map(|(at, window)| (window == those.as_bytes()).then_some(at))
        .collect();
    assert_eq!(found.len(), 1, "{name} has {those:?} once");
    bytes[found[0]..][..these.len()].copy_from_slice(these.as_bytes());
    Capture::parse(&bytes).expect("only payloads have changed")
}

#[test]
fn the_monitor_accepts_every_execution_of_the_check() {
    for udp in [Udp::new().duplication(), Udp::new().loss().duplication()] {
        let udp = udp.direction(Direction::Send).process("server");
        let report = Checker::new().udp(udp).check(|net| {
            net.monitor(Client::new());
            checked::register(net, Version::Corrected);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    }
}

#[test]
fn the_monitor_accepts_what_tcpdump_saw() {
    for (name, packets, datagrams) in [
        ("file_transfer.pcap", 27, 7),
        ("file_transfer.pcapng", 27, 7),
        // Linux cooked; files are asked for again, and packets come twice
        ("file_transfer_lossy.pcap", 31, 11),
    ] {
        let capture = Capture::read(file(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((capture.packets(), capture.datagrams().count()), (packets, datagrams), "{name}");
        let validation = validate(&capture);
        assert_eq!(validation.to_string(), format!("all {datagrams} events are accepted\n"), "{name}");
    }
}

#[test]
fn both_formats_say_the_same() {
    let [one, other] = ["file_transfer.pcap", "file_transfer.pcapng"]
        .map(|name| Capture::read(file(name)).unwrap_or_else(|error| panic!("{error}")));
    assert!(one.datagrams().eq(other.datagrams()));
    assert_eq!((one.began(), one.lasted()), (other.began(), other.lasted()));
}

/// The number of the packet that is rejected, and the text.
fn rejected(capture: &Capture) -> (usize, String) {
    let validation = validate(capture);
    let packet = validation.rejected_at().unwrap_or_else(|| panic!("no packet is rejected: {validation}"));
    (packet.number, validation.to_string())
}

#[test]
fn a_client_that_asks_for_what_it_has_is_rejected_there() {
    let (packet, text) = rejected(&with("file_transfer_lossy.pcap", "file 1, missing: 2", "file 1, missing: 1"));
    assert_eq!(packet, 13);
    let begin = "packet 13 at 1.007589 s, 127.0.0.1:36611 -> 127.0.0.1:4000: \
        the monitor `Client` rejects Request { file: 1, missing: 2 }\n  \
        in `asking` with file = 1, missing = 4, expected:\n    Message::Request";
    assert!(text.starts_with(begin), "{text}");
    let around = [
        "",
        "  packet 11 at 0.005848 s, 127.0.0.1:36611 -> 127.0.0.1:4000: Request { file: 1, missing: 6 }",
        "  packet 12 at 0.006024 s, 127.0.0.1:4000 -> 127.0.0.1:36611: Packet { file: 1, number: 1 }",
        "> packet 13 at 1.007589 s, 127.0.0.1:36611 -> 127.0.0.1:4000: Request { file: 1, missing: 2 }",
        "  packet 14 at 1.007956 s, 127.0.0.1:4000 -> 127.0.0.1:36611: Packet { file: 1, number: 2 }",
        "  packet 25 at 1.009215 s, 127.0.0.1:36611 -> 127.0.0.1:4000: Request { file: 2, missing: 14 }",
        "  packet 26 at 1.009386 s, 127.0.0.1:4000 -> 127.0.0.1:36611: Packet { file: 2, number: 1 }",
        "",
    ];
    assert!(text.ends_with(&around.join("\n")), "{text}");
}

#[test]
fn a_client_that_goes_on_too_early_is_rejected_where_it_does() {
    for name in ["file_transfer.pcap", "file_transfer.pcapng"] {
        let (packet, text) = rejected(&with(name, "file 1, packet 2/2: summer", "file 1, packet 1/2: summer"));
        assert_eq!(packet, 24, "{name}: {text}");
        assert!(text.contains("rejects Request { file: 2, missing: 14 }"), "{text}");
    }
}

#[test]
fn a_server_that_sends_what_nobody_has_asked_for_is_rejected_there() {
    let (packet, text) =
        rejected(&with("file_transfer.pcap", "file 1, packet 1/2: spring", "file 2, packet 1/3: northe"));
    assert_eq!(packet, 12, "{text}");
}

#[test]
fn a_client_that_loses_its_patience_is_rejected_by_the_clock() {
    let mut bytes = std::fs::read(file("file_transfer_lossy.pcap")).expect("it is committed");
    // From packet 13 on, all is captured one second earlier.
    let (mut at, mut number) = (24, 1);
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..][..4].try_into().expect("four bytes"));
    while at < bytes.len() {
        if number >= 13 {
            let earlier = word(&bytes, at) - 1;
            bytes[at..][..4].copy_from_slice(&earlier.to_le_bytes());
        }
        at += 16 + word(&bytes, at + 8) as usize;
        number += 1;
    }
    let (packet, text) = rejected(&Capture::parse(&bytes).expect("only instants have changed"));
    assert_eq!(packet, 13, "{text}");
    assert!(text.contains("silence >= 1s"), "{text}");
}

#[test]
fn a_datagram_that_is_earlier_than_the_one_before_is_named() {
    let mut bytes = std::fs::read(file("file_transfer.pcap")).expect("it is committed");
    let last = bytes.len() - "file 2, packet 3/3: south".len() - 14 - 20 - 8 - 16;
    let seconds = u32::from_le_bytes(bytes[last..][..4].try_into().expect("four bytes"));
    bytes[last..][..4].copy_from_slice(&(seconds - 1).to_le_bytes());
    let capture = Capture::parse(&bytes).expect("the file is no worse for it");
    let error = capture.trace(|datagram| Message::parse(datagram.payload)).expect_err("it is not sorted");
    assert_eq!(error.packet(), Some(27));
    let text = error.to_string();
    assert_eq!(text, "packet 27: is 999.993ms earlier than packet 26 before it: sort the file with `reordercap`");
}

/// Messages that the client says and hears, by TCP and by UDP.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Connected,
    Asked(String),
    Answered(String),
    HungUp,
    Requested(i64),
}

fn everything(capture: &Capture) -> CaptureTrace<Said> {
    let line = |unread: &Unread<'_>| {
        let end = unread.bytes.iter().position(|byte| *byte == b'\n')? + 1;
        let line = String::from_utf8_lossy(&unread.bytes[..end - 1]).into_owned();
        Some((end, Some(if unread.packet.to.port() == 4001 { Said::Asked(line) } else { Said::Answered(line) })))
    };
    let changed = |_: &Packet, change: Change| match change {
        Change::Opened => Some(Said::Connected),
        Change::Finished => Some(Said::HungUp),
        Change::Reset => None,
    };
    let request = |datagram: &Datagram<'_>| match Message::parse(datagram.payload)? {
        Message::Request { file, .. } => Some(Said::Requested(file)),
        Message::Packet { .. } => None,
    };
    let decoder = capture.decoder().datagrams(request).streams(line).connections(changed);
    decoder.trace().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn streams_and_datagrams_are_one_trace() {
    for name in ["file_transfer.pcap", "file_transfer.pcapng", "file_transfer_lossy.pcap"] {
        let trace = everything(&Capture::read(file(name)).expect("it is committed"));
        let mut said: Vec<Said> = trace.trace().packets().map(|(_, event)| event.clone()).collect();
        // Requests come again where packets are lost; and which side hangs up first is a race.
        said.dedup();
        said.retain(|said| *said != Said::HungUp);
        let expected = (1..=2).flat_map(|file| {
            let asked = Said::Asked(format!("size of file {file}?"));
            [Said::Connected, asked, Said::Answered((file + 1).to_string()), Said::Requested(file)]
        });
        assert_eq!(said, expected.collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_client_that_does_not_wait_for_the_size_is_rejected() {
    let is = |said: fn(&Said) -> bool| move |event: &Said| said(event);
    let answered = is(|said| matches!(said, Said::Answered(_)));
    let requested = is(|said| matches!(said, Said::Requested(_)));
    let monitor = Monitor::precedes("its size first", answered, requested);
    let validation =
        everything(&Capture::read(file("file_transfer.pcap")).expect("it is committed")).validate(&monitor);
    assert!(validation.is_accepted(), "{validation}");
    // Without the end of its line, the size is none.
    let validation = everything(&with("file_transfer.pcap", "2\n", "2 ")).validate(&monitor);
    assert_eq!(validation.rejected_at().map(|packet| packet.number), Some(9), "{validation}");
}
