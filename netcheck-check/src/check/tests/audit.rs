//! The audit against searches of which something was forgotten: a step that a defect of the reduction would have missed.

use crate::check::fixpoint::Searched;
use crate::check::setup::{Job, Learned};
use crate::check::{Checker, Identity, Udp};
use crate::network::Network;
use netcheck_runtime::id::UnitId;
use netcheck_runtime::net::UdpSocket;
use netcheck_runtime::search::audit::audit;
use netcheck_runtime::search::progress::Progress;
use netcheck_runtime::select::choose;
use netcheck_runtime::unit::automaton::EdgeId;

const SENDERS: u8 = 4;
const SENT: u8 = 3;
const ROUNDS: usize = 24;

async fn sends(name: u8) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a free port");
    for number in 0..SENT {
        socket.send_to(&[name, number], "receiver:4000").await.expect("it is sent");
    }
}

/// Keeps which messages have come, and of the last one who has sent it.
async fn receives() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.expect("a free port");
    let mut seen = [false; (SENDERS * SENT) as usize];
    loop {
        let mut message = [0; 2];
        socket.recv_from(&mut message).await.expect("a message");
        seen[(message[0] * SENT + message[1]) as usize] = true;
        std::hint::black_box(&seen);
    }
}

/// Has nothing to do with the others, and takes more steps than are looked at after one state.
async fn chooses() -> usize {
    let mut sum = 0;
    for _ in 0..ROUNDS {
        sum = (sum + choose(0..2).await) % 2;
    }
    sum
}

fn register(net: &mut Network) {
    net.daemon("receiver", receives);
    for name in 0..SENDERS {
        net.process(format!("sender{name}"), move || sends(name)).after("receiver");
    }
    net.process("small", chooses);
}

#[test]
fn whatever_is_forgotten_of_a_small_part_is_found_beside_a_large_one() {
    let mut network = Network::default();
    register(&mut network);
    let checker = Checker::new().udp(Udp::new().loss()).identity(Identity::Memory);
    let mut job = Job::new(checker, network, Default::default(), Default::default()).expect("it can be checked");
    let Searched { mut explored, learned: Learned { mut system, .. }, .. } = job.search().expect("all states");
    assert!(explored.store.len() > 5_000, "{} states", explored.store.len());
    let small = UnitId(u32::from(SENDERS) + 1);
    assert_eq!(system.shared().unit(small).name, "small");
    let taken: Vec<EdgeId> = explored.taken.iter().collect();
    let progress = Progress::default();
    let missed = audit(&mut system, &job.properties, &explored, &progress).expect("a sample");
    assert_eq!(missed, None, "the reduction misses nothing");
    let automata = &system.learner.automata;
    let of_small = |edge: &&EdgeId| automata.node(automata.edge(**edge).source).unit == small;
    let forgettable: Vec<EdgeId> = taken.iter().filter(of_small).copied().collect();
    assert!(forgettable.len() > 3 * ROUNDS, "{} steps", forgettable.len());
    for forgotten in forgettable {
        explored.taken = taken.iter().copied().filter(|&edge| edge != forgotten).collect();
        let missed = audit(&mut system, &job.properties, &explored, &progress).expect("a sample");
        assert!(missed.is_some_and(|missed| missed.contains("small")), "{forgotten:?} is found");
    }
}
