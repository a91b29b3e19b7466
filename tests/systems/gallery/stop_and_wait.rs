//! Stop and wait: a packet is sent until a reply asks for the next one.
//!
//! D. Bertsekas, R. Gallager, *Data Networks* (2nd edition, 1992), section 2.4.1: packets need
//! numbers, and so do the replies, because a time-out may come before the reply does.

use super::verified;
use netcheck as tokio;
use netcheck::check::{Checker, Identity, Udp};
use netcheck::{Network, always, sometimes};
use std::net::SocketAddr;
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

const PACKETS: usize = 3;

/// How often a packet is sent before the sender gives up.
const TRIES: usize = 3;

const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq)]
pub enum Replies {
    /// A reply counts if it asks for the packet after the one that was sent last.
    Numbered,
    /// Any reply counts.
    Unnumbered,
}

/// Ends with how many packets it believes to have arrived.
async fn sender(replies: Replies) -> usize {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("receiver:4000").await.unwrap();
    for number in 0..PACKETS {
        if !deliver(&socket, number, replies).await {
            return number;
        }
    }
    PACKETS
}

async fn deliver(socket: &UdpSocket, number: usize, replies: Replies) -> bool {
    for _ in 0..TRIES {
        socket.send(format!("packet {number}").as_bytes()).await.unwrap();
        if timeout(PATIENCE, next_is_asked_for(socket, number, replies)).await.is_ok() {
            return true;
        }
    }
    false
}

async fn next_is_asked_for(socket: &UdpSocket, number: usize, replies: Replies) {
    loop {
        let asked_for = receive(socket, "send me ").await.0;
        sometimes!(asked_for == number, "a reply comes late");
        if asked_for == number + 1 || replies == Replies::Unnumbered {
            return;
        }
    }
}

/// Replies to every packet with the number of the one that it needs.
async fn receiver() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut needed = 0;
    loop {
        let (number, sender) = receive(&socket, "packet ").await;
        always!(number <= needed, "a packet is sent only after those before it have arrived");
        sometimes!(number < needed, "a packet comes again");
        needed = needed.max(number + 1);
        socket.send_to(format!("send me {needed}").as_bytes(), sender).await.unwrap();
    }
}

/// The number in the next message, and who sent it.
async fn receive(socket: &UdpSocket, kind: &str) -> (usize, SocketAddr) {
    let mut buffer = [0; 16];
    let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
    let message = std::str::from_utf8(&buffer[..length]).unwrap();
    (message.strip_prefix(kind).unwrap().parse().unwrap(), from)
}

pub fn transmission(net: &mut Network, replies: Replies) {
    net.daemon("receiver", receiver);
    net.process("sender", move || sender(replies)).after("receiver");
}

#[test]
fn no_packet_is_skipped_however_many_are_lost_or_late() {
    let late = Udp::new().loss().delay(..);
    for (udp, figures) in [(late.clone().window(1), (17_326, 48_252)), (late, (216_031, 595_735))] {
        let checker = Checker::new().identity(Identity::History).udp(udp);
        let report = checker.check(|net| transmission(net, Replies::Numbered));
        verified(&report, figures);
        assert_eq!(report.outputs("sender"), ["0", "1", "2", "3"]);
    }
}

#[netcheck::model_check(udp(loss, delay, window = 1), at_most = 1, expect = property, snapshot)]
fn a_late_reply_without_a_number_is_taken_for_that_to_a_lost_packet(net: &mut Network) {
    transmission(net, Replies::Unnumbered);
}
