//! Systems beside tasks that go round for ever, each found by a relation and shrunk.

use std::time::Duration;

use netcheck::check::{Checker, Direction, Udp, Verdict};
use netcheck::net::UdpSocket;
use netcheck::time::timeout;

use crate::strangers::Stranger;

async fn receives_in_time() -> bool {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.expect("the port is free");
    netcheck::choose(0..2).await;
    timeout(Duration::from_millis(20), socket.recv(&mut [0; 8])).await.is_ok()
}

async fn sends() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.expect("the port is free");
    socket.send_to(&[2], "p1:4000").await.expect("a send succeeds");
}

/// A search that knows of every cycle that ignores somebody comes to an end. The stranger is the first process.
#[test]
fn a_datagram_that_may_be_lost_comes_in_time_or_not_beside_isolated_tasks_that_go_round_for_ever() {
    let outputs = |reduction| {
        let udp = Udp::new().copies([1, 0]).direction(Direction::Send).process("p0").process("p1");
        let report = Checker::new().udp(udp).at_most(1).reduction(reduction).check(|net| {
            Stranger::SleepForEverTogether.register(net);
            net.daemon("p0", sends);
            net.daemon("p1", receives_in_time);
        });
        assert_eq!(report.verdict(), Verdict::Verified);
        report.outputs("p1").to_vec()
    };
    assert_eq!(outputs(false), ["false", "true"]);
    assert_eq!(outputs(true), ["false", "true"]);
}
