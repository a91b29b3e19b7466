//! Payloads in the words of `net.describe`.

use netcheck::Network;
use netcheck::check::{Checker, Counterexample};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::{TcpListener, TcpStream, UdpSocket};

/// A datagram and bytes of a stream, of a binary protocol: what is sent, and a number.
fn asks(net: &mut Network) {
    net.process("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        let mut asked = [0; 2];
        socket.recv_from(&mut asked).await.unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(&[2, asked[1]]).await.unwrap();
    });
    net.process("client", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(&[1, 7], "server:4000").await.unwrap();
        let mut answer = [0; 2];
        let mut stream = TcpStream::connect("server:4000").await.unwrap();
        stream.read_exact(&mut answer).await.unwrap();
        assert_ne!(answer, [2, 7]);
    })
    .after("server");
}

fn found(describe: impl Fn(&mut Network)) -> Counterexample {
    let report = Checker::new().check(|net| {
        describe(net);
        asks(net);
    });
    report.counterexample().expect("the client panics").clone()
}

fn in_words(bytes: &[u8]) -> Option<String> {
    match bytes {
        [1, number] => Some(format!("ASK {number}")),
        [2, number] => Some(format!("ANSWER {number}")),
        _ => None,
    }
}

#[test]
fn payloads_are_shown_as_they_are_described_wherever_they_are_shown() {
    let described = found(|net| net.describe(in_words));
    let text = described.to_string();
    for words in ["send ASK 7 to server:4000", "-> ASK 7 from client:", "write ANSWER 7 (with client:", "-> ANSWER 7"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    for (shown, what) in [(text, "text"), (described.html(), "page"), (described.mermaid(), "diagram")] {
        assert!(shown.contains("ASK 7") && shown.contains("ANSWER 7"), "{what}: {shown}");
        assert!(!shown.contains(r"\x07"), "{what}: {shown}");
    }
}

#[test]
fn what_no_description_knows_is_shown_as_it_is() {
    let as_it_is = found(|_| {}).to_string();
    assert!(as_it_is.contains(r#"send b"\x01\x07" to server:4000"#), "{as_it_is}");
    let half = found(|net| net.describe(|bytes| in_words(bytes).filter(|words| words.starts_with("ASK")))).to_string();
    assert!(half.contains("send ASK 7") && half.contains(r#"write b"\x02\x07""#), "{half}");
    let panics = found(|net| net.describe(|bytes| panic!("{bytes:?}"))).to_string();
    assert_eq!(panics, as_it_is);
    // The first one that knows the bytes.
    let both = found(|net| {
        net.describe(|bytes| (bytes[0] == 2).then(|| "two".to_owned()));
        net.describe(in_words);
    });
    assert!(both.to_string().contains("send ASK 7") && both.to_string().contains("write two (with"), "{both}");
}
