//! The alternating-bit protocol: one bit in each frame tells a new one from one that comes again.
//!
//! K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson, "A note on reliable full-duplex transmission
//! over half-duplex links" (Communications of the ACM 12(5), 1969).
//!
//! The bit is enough where frames are lost or come twice, not where they overtake each other.

use super::verified;
use netcheck as tokio;
use netcheck::check::{Checker, Identity, Report, Udp, ViolationKind};
use netcheck::{Network, always, sometimes};
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

const TEXT: &str = "abc";

/// Faults in one execution, so as many time-outs at most.
const FAULTS: usize = 3;

const PATIENCE: Duration = Duration::from_secs(1);

/// Nobody sends any more if nothing has come for so long.
const SILENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq)]
pub enum Receiver {
    /// Takes a frame only if it has the bit that comes next.
    Alternating,
    /// Takes every frame.
    Credulous,
}

/// Sends letter by letter, each until its bit comes back. Ends with whether all did.
async fn sender() -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("receiver:4000").await.unwrap();
    for (letter, bit) in TEXT.bytes().zip([b'0', b'1'].into_iter().cycle()) {
        if !deliver(&socket, letter, bit).await {
            return false;
        }
    }
    true
}

async fn deliver(socket: &UdpSocket, letter: u8, bit: u8) -> bool {
    for _ in 0..=FAULTS {
        socket.send(&[letter, bit]).await.unwrap();
        if timeout(PATIENCE, acknowledged(socket, bit)).await.is_ok() {
            return true;
        }
    }
    false
}

async fn acknowledged(socket: &UdpSocket, bit: u8) {
    let mut answer = [0];
    while answer != [bit] {
        socket.recv(&mut answer).await.unwrap();
    }
}

/// Answers each frame with its bit, and ends with what it has received.
async fn receiver(version: Receiver) -> String {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut text = String::new();
    let mut bits = [b'0', b'1'].into_iter().cycle().peekable();
    let mut frame = [0; 2];
    while let Ok(received) = timeout(SILENCE, socket.recv_from(&mut frame)).await {
        let (_, sender) = received.unwrap();
        let [letter, bit] = frame;
        let is_next = bits.peek() == Some(&bit);
        sometimes!(!is_next, "a frame comes again");
        if is_next || version == Receiver::Credulous {
            text.push(letter.into());
            bits.next();
            always!(TEXT.starts_with(&text), "what has been received begins what is sent");
        }
        socket.send_to(&[bit], sender).await.unwrap();
    }
    text
}

pub fn transmission(net: &mut Network, version: Receiver) {
    net.process("receiver", move || receiver(version));
    net.process("sender", sender).after("receiver");
}

fn check(checker: &Checker) -> Report {
    checker.check(|net| transmission(net, Receiver::Alternating))
}

#[test]
fn everything_is_received_once_whatever_is_lost_or_comes_twice() {
    let faults = Udp::new().loss().duplication();
    for (reduction, figures) in [(true, (2_029, 2_623)), (false, (2_028, 2_894))] {
        let checker = Checker::new().identity(Identity::History).udp(faults.clone()).at_most(FAULTS);
        let report = check(&checker.reduction(reduction));
        verified(&report, figures);
        assert_eq!(report.outputs("sender"), ["true"]);
        assert_eq!(report.outputs("receiver"), [r#""abc""#]);
    }
}

#[netcheck::model_check(udp(loss), at_most = 1, expect = property, snapshot)]
fn without_the_bit_a_lost_answer_doubles_a_letter(net: &mut Network) {
    transmission(net, Receiver::Credulous);
}

#[test]
fn the_bit_is_not_enough_where_frames_overtake_each_other() {
    let report = check(&Checker::new().udp(Udp::new().duplication().reorder(2)).at_most(2));
    assert_eq!(report.counterexample().expect("a violation has one").kind(), ViolationKind::Property, "{report}");
}
