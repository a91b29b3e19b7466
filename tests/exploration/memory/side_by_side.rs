//! A check by memory is the same in each run, whatever runs beside it.

use super::*;
use crate::limits::{dice, table};
use netcheck::check::Search;
use std::thread;

/// The server keeps what it was sent, and payloads of two clients are freed in any order.
fn throws(net: &mut Network) {
    net.process("table", || table(4));
    net.process("a", || dice("a", 2)).after("table");
    net.process("b", || dice("b", 2)).after("table");
}

/// Whether datagrams are lost, and the system.
const SYSTEMS: [(bool, Build); 5] = [
    (false, throws),
    (true, endless_echo),
    (true, endless_table),
    (false, endless_sharing),
    (false, datagrams_in_one_process),
];

/// Figures that have to be the same.
fn figures((loses, system): (bool, Build), threads: usize) -> (usize, u64, usize, usize) {
    let checker = Checker::new().liveness(false).identity(Identity::Memory).search(Search::Bfs).threads(threads);
    let checker = if loses { checker.udp(Udp::new().loss()) } else { checker };
    let report = checker.check(system);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    (report.states(), report.transitions(), report.local_states(), report.depth())
}

/// Threads take their arenas and stacks at different addresses. While several check at a time, the engine's memory is cut
/// up as by nothing else, and runs are at other addresses in each round.
#[test]
fn checks_side_by_side_are_the_same_as_alone() {
    let alone = SYSTEMS.map(|system| figures(system, 1));
    let check = |shift: usize| {
        for round in 0..2 {
            for index in (0..SYSTEMS.len()).map(|index| (index + shift) % SYSTEMS.len()) {
                let beside = figures(SYSTEMS[index], 1 + shift % 2);
                assert_eq!(beside, alone[index], "system {index}, round {round} beside others");
            }
        }
    };
    thread::scope(|scope| (0..3).for_each(|shift| _ = scope.spawn(move || check(shift))));
}
