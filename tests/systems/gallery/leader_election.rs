//! Leader election on a ring: of the nodes, which know only their own number and their neighbour,
//! the one with the highest becomes the leader.
//!
//! E. Chang, R. Roberts, "An improved algorithm for decentralized extrema-finding in circular
//! configurations of processes" (Communications of the ACM 22(5), 1979): a number goes on round the
//! ring only past nodes with lower ones, so just the highest comes back to its own node.

use super::verified;
use netcheck as tokio;
use netcheck::check::{Checker, Identity, Report, Udp};
use netcheck::{Network, always, sometimes};
use tokio::net::UdpSocket;

/// The ring, in both orders that there are.
const RINGS: [[u8; 3]; 2] = [[1, 2, 3], [3, 2, 1]];

const HIGHEST: u8 = 3;

#[derive(Clone, Copy, PartialEq)]
pub enum Forwarding {
    /// Numbers that are higher than the node's own.
    Higher,
    /// All numbers but the node's own.
    All,
}

/// Ends with the number of the leader.
async fn node(own: u8, neighbour: String, forwarding: Forwarding) -> u8 {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut takes_part = false;
    loop {
        let mut buffer = [0; 16];
        let length = socket.recv(&mut buffer).await.unwrap();
        let message = std::str::from_utf8(&buffer[..length]).unwrap();
        let number = |kind: &str| message.strip_prefix(kind)?.parse::<u8>().ok();
        if let Some(leader) = number("leader ") {
            always!(leader == HIGHEST, "the leader has the highest number");
            if leader != own {
                socket.send_to(message.as_bytes(), &neighbour).await.unwrap();
            }
            return leader;
        }
        let candidate = number("candidate ");
        sometimes!(takes_part && candidate.is_some_and(|it| it < own), "a number goes no further");
        let answer = match candidate {
            Some(candidate) if candidate == own => format!("leader {own}"),
            Some(candidate) if candidate > own || forwarding == Forwarding::All => message.to_owned(),
            // The start, or a lower number.
            _ if !takes_part => format!("candidate {own}"),
            _ => continue,
        };
        takes_part = true;
        socket.send_to(answer.as_bytes(), &neighbour).await.unwrap();
    }
}

/// Lets any of the nodes start, but at least one.
async fn starter() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let starting = netcheck::choose(1..1 << HIGHEST).await;
    for number in (1..=HIGHEST).filter(|number| starting & (1 << (number - 1)) != 0) {
        socket.send_to(b"start", format!("node-{number}:4000")).await.unwrap();
    }
}

pub fn election(net: &mut Network, ring: [u8; 3], forwarding: Forwarding) {
    for (own, next) in ring.into_iter().zip(ring.into_iter().cycle().skip(1)) {
        net.process(format!("node-{own}"), move || node(own, format!("node-{next}:4000"), forwarding));
    }
    let starter = net.process("starter", starter);
    for number in ring {
        starter.after(format!("node-{number}"));
    }
}

#[track_caller]
fn all_elect_the_highest(report: &Report, figures: (usize, u64)) {
    verified(report, figures);
    for number in RINGS[0] {
        assert_eq!(report.outputs(&format!("node-{number}")), ["3"]);
    }
}

#[test]
fn the_highest_is_elected_whoever_starts() {
    for (ring, reduction, figures) in [
        (RINGS[0], true, (515, 652)),
        (RINGS[0], false, (720, 1_224)),
        (RINGS[1], true, (568, 718)),
        (RINGS[1], false, (789, 1_354)),
    ] {
        let checker = Checker::new().identity(Identity::History).reduction(reduction);
        all_elect_the_highest(&checker.check(|net| election(net, ring, Forwarding::Higher)), figures);
    }
}

/// More than the paper asks for.
#[test]
fn numbers_that_come_twice_or_overtake_each_other_do_no_harm() {
    let checker = Checker::new().identity(Identity::History).udp(Udp::new().duplication().reorder(2)).at_most(1);
    for (ring, figures) in [(RINGS[0], (5_346, 7_839)), (RINGS[1], (6_765, 9_800))] {
        all_elect_the_highest(&checker.check(|net| election(net, ring, Forwarding::Higher)), figures);
    }
}

#[netcheck::model_check(expect = property, snapshot)]
fn a_lower_number_that_goes_on_comes_back_too(net: &mut Network) {
    election(net, RINGS[0], Forwarding::All);
}

#[netcheck::model_check(udp(loss), at_most = 1, expect = deadlock)]
fn a_number_that_is_lost_never_comes_back(net: &mut Network) {
    election(net, RINGS[0], Forwarding::Higher);
}
