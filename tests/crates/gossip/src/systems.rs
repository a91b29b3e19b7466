//! What is checked: nodes that each are a process, and know of a version that the others do not.

use super::*;
use netcheck::Network;
use netcheck::check::{Checker, Udp};

/// A name, how it is checked, and what is checked.
pub type System = (&'static str, Checker, fn(&mut Network));

/// All of them. Those of three nodes have a limit of states.
pub fn systems() -> Vec<System> {
    let lossy = || Checker::new().udp(Udp::new().loss());
    const MANY: usize = 1_000_000;
    vec![
        ("two nodes, one round, no loss", Checker::new(), two_nodes_one_round),
        ("two nodes, one round", lossy(), two_nodes_one_round_that_may_be_lost),
        ("two nodes, three rounds", lossy().max_states(MANY), two_nodes_three_rounds),
        ("three nodes, one round", lossy().max_states(MANY), three_nodes_one_round),
        ("three nodes, two rounds", lossy().max_states(MANY), three_nodes_two_rounds),
        ("three nodes, eight rounds", lossy().max_states(MANY), three_nodes_eight_rounds),
    ]
}

/// What one tells, the other knows.
pub fn two_nodes_one_round(net: &mut Network) {
    nodes(net, 2, 1);
    net.finally(|end| end.outputs().all(|(_, output)| output == Some("Ok(2)")));
}

/// Two nodes that tell each other once.
pub fn two_nodes_one_round_that_may_be_lost(net: &mut Network) {
    nodes(net, 2, 1);
}

/// Two nodes that tell each other three times.
pub fn two_nodes_three_rounds(net: &mut Network) {
    nodes(net, 2, 3);
}

/// Three nodes that tell one of the others once.
pub fn three_nodes_one_round(net: &mut Network) {
    nodes(net, 3, 1);
}

/// Three nodes that tell one of the others twice.
pub fn three_nodes_two_rounds(net: &mut Network) {
    nodes(net, 3, 2);
}

/// Three nodes that tell one of the others eight times.
pub fn three_nodes_eight_rounds(net: &mut Network) {
    nodes(net, 3, 8);
}

/// Each knows of a version of its own, and at the end of one that is not older and that somebody has known of.
fn nodes(net: &mut Network, count: u32, rounds: u32) {
    for number in 1..=count {
        let run = move || async move {
            let socket = UdpSocket::bind("0.0.0.0:4000").await?;
            let others = (1..=count).filter(|other| *other != number);
            let peers = others.map(|other| format!("node-{other}:4000")).collect();
            let node = Node { socket, peers, period: Duration::from_secs(1), picker: Picker::new(number) };
            let version = node.run(number, rounds).await?;
            assert!((number..=count).contains(&version), "{version} after {number}");
            io::Result::Ok(version)
        };
        net.process(format!("node-{number}"), run);
    }
}
