//! The packets of TFTP as bytes.

use super::checked::program::packet::{Mode, Options, Packet, Request};
use super::checked::program::{netascii, transfer};

#[test]
fn packets_are_read_as_they_are_written() {
    let options = Options { block_bytes: Some(1_024), timeout_s: Some(3), size_bytes: Some(70_000) };
    let request = Request { file: "a file".to_owned(), mode: Mode::Netascii, options };
    for packet in [
        Packet::Read(request.clone()),
        Packet::Write(Request { mode: Mode::Octet, options: Options::default(), ..request }),
        Packet::Data { block: 0x0102, bytes: vec![0, 255] },
        Packet::Data { block: 7, bytes: Vec::new() },
        Packet::Ack { block: 65_535 },
        Packet::Error { code: 5, message: "unknown transfer".to_owned() },
        Packet::OptionAck(options),
    ] {
        assert_eq!(Packet::parse(&packet.to_bytes()), Ok(packet));
    }
}

#[test]
fn what_is_no_packet_is_refused_and_what_is_no_option_is_left_out() {
    for bytes in [
        &b""[..],
        b"\0",
        b"\0\x09",
        b"\0\x03\0",
        b"\0\x04\x01",
        b"\x01\x01a\0octet\0",
        b"\0\x01a\0octet",
        b"\0\x01a\0mail\0",
    ] {
        assert!(Packet::parse(bytes).is_err(), "{bytes:?}");
    }
    let parsed = Packet::parse(b"\0\x02f\0OCTET\0blksize\x007\0windowsize\x004\0TSIZE\x009\0");
    let Ok(Packet::Write(Request { options, .. })) = parsed else { panic!("{parsed:?}") };
    assert_eq!(options, Options { size_bytes: Some(9), ..Options::default() }, "blocks have 8 bytes at the least");
}

#[test]
fn a_time_out_of_no_time_is_no_option() {
    for (value, seconds) in [("0", None), ("1", Some(1)), ("255", Some(255)), ("256", None)] {
        let parsed = Packet::parse(format!("\0\x06timeout\0{value}\0").as_bytes());
        assert_eq!(parsed, Ok(Packet::OptionAck(Options { timeout_s: seconds, ..Options::default() })));
    }
}

#[test]
fn packets_are_shown_as_the_rfc_names_them() {
    let data = |length| Packet::Data { block: 1, bytes: vec![b'a'; length] };
    let request = Request { file: "f".to_owned(), mode: Mode::Octet, options: Options::default() };
    for (packet, text) in [
        (Packet::Write(request), "WRQ f octet".to_owned()),
        (data(16), format!("DATA 1 \"{}\"", "a".repeat(16))),
        (data(17), "DATA 1 (17 bytes)".to_owned()),
        (Packet::OptionAck(Options::default()), "OACK".to_owned()),
    ] {
        assert_eq!(packet.to_string(), text);
    }
    assert_eq!(Packet::parse(b"").unwrap_err().to_string(), "this is no packet of TFTP");
}

#[test]
fn text_of_the_network_comes_back_as_it_was() {
    for text in [&b""[..], b"a\nb\n", b"\r", b"\r\n", b"a\rb\r\n\n\r"] {
        assert_eq!(netascii::decode(&netascii::encode(text)), text);
    }
    assert_eq!(netascii::encode(b"a\n\r"), b"a\r\n\r\0");
}

#[test]
fn the_last_block_of_a_full_file_is_empty_and_numbers_wrap() {
    assert_eq!([0, 511, 512, 513].map(|bytes| transfer::last_block(bytes, 512)), [1, 1, 2, 2]);
    assert_eq!(transfer::last_block(65_535 * 8, 8), 0);
}
