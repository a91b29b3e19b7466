//! Go back n, with a window of two: a packet is sent before the one before it is acknowledged,
//! and after a time-out all that are not.
//!
//! A. S. Tanenbaum, D. J. Wetherall, *Computer Networks* (5th edition, 2011), section 3.4.2: numbers
//! may come round only after more packets than the window holds, lest packets that come again are
//! taken for new ones.

use super::verified;
use netcheck as tokio;
use netcheck::check::{Checker, Identity, Udp};
use netcheck::{Network, always, sometimes};
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

const TEXT: &[u8] = b"abcd";

const WINDOW: usize = 2;

/// Faults in one execution, so as many time-outs at most.
const FAULTS: usize = 3;

const PATIENCE: Duration = Duration::from_secs(1);

/// Nobody sends any more if nothing has come for so long.
const SILENCE: Duration = Duration::from_secs(10);

/// Numbers its packets from 0 to below `modulus`. Ends with whether all are acknowledged.
async fn sender(modulus: usize) -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("receiver:4000").await.unwrap();
    let (mut acknowledged, mut sent, mut timeouts) = (0, 0, 0);
    while acknowledged < TEXT.len() {
        while sent < TEXT.len().min(acknowledged + WINDOW) {
            socket.send(&[digit(sent % modulus), TEXT[sent]]).await.unwrap();
            sent += 1;
        }
        let mut needed = [0];
        if timeout(PATIENCE, socket.recv(&mut needed)).await.is_err() {
            if timeouts == FAULTS {
                return false;
            }
            timeouts += 1;
            sent = acknowledged;
            continue;
        }
        let arrived = (acknowledged..=sent).find(|arrived| digit(arrived % modulus) == needed[0]);
        sometimes!(arrived == Some(acknowledged + 2), "one answer acknowledges two packets");
        acknowledged = arrived.unwrap_or(acknowledged);
    }
    true
}

/// Takes the packet that it needs, answers each with the number of that, and ends with what it has.
async fn receiver(modulus: usize) -> String {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut text = Vec::new();
    let mut packet = [0; 2];
    while let Ok(received) = timeout(SILENCE, socket.recv_from(&mut packet)).await {
        let (_, sender) = received.unwrap();
        let [number, letter] = packet;
        if number == digit(text.len() % modulus) {
            text.push(letter);
            always!(TEXT.starts_with(&text), "what has been received begins what is sent");
        }
        socket.send_to(&[digit(text.len() % modulus)], sender).await.unwrap();
    }
    String::from_utf8(text).unwrap()
}

fn digit(number: usize) -> u8 {
    b"0123456789"[number]
}

pub fn transmission(net: &mut Network, modulus: usize) {
    net.process("receiver", move || receiver(modulus));
    net.process("sender", move || sender(modulus)).after("receiver");
}

#[test]
fn three_numbers_are_enough_for_a_window_of_two() {
    let faults = Udp::new().loss().duplication();
    for (reduction, figures) in [(true, (7_321, 9_601)), (false, (7_899, 12_384))] {
        let checker =
            Checker::new().identity(Identity::History).udp(faults.clone()).at_most(FAULTS).reduction(reduction);
        let report = checker.check(|net| transmission(net, WINDOW + 1));
        verified(&report, figures);
        assert_eq!(report.outputs("sender"), ["true"]);
        assert_eq!(report.outputs("receiver"), [r#""abcd""#]);
    }
}

#[netcheck::model_check(udp(loss), at_most = 1, expect = property, snapshot)]
fn two_numbers_are_not(net: &mut Network) {
    transmission(net, WINDOW);
}
