//! Daemons that go on for ever, each round in another state, must not take the time that the rest of a check needs.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Simulation, Verdict};
use tokio::net::UdpSocket;
use tokio::time::{Duration, sleep};

const TICK: Duration = Duration::from_millis(10);

const HOUR: Duration = Duration::from_secs(3_600);

/// Each round has a greater number, which of so many is by chance.
async fn counts(among: usize) {
    let mut sum: u64 = 0;
    loop {
        sum += 1 + netcheck::choose(0..among).await as u64;
        sleep(TICK).await;
        std::hint::black_box(sum);
    }
}

/// Answers after a time; then panics if it is told to.
async fn server(takes: Duration, panics: bool) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let (_, from) = socket.recv_from(&mut [0; 1]).await.unwrap();
    sleep(takes).await;
    socket.send_to(&[1], from).await.unwrap();
    sleep(5 * TICK).await;
    assert!(!panics, "after the answer");
}

async fn client() {
    let socket = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
    socket.send_to(&[0], "server:4000").await.unwrap();
    socket.recv(&mut [0; 1]).await.unwrap();
}

fn network(net: &mut Network, among: usize, takes: Duration, panics: bool) {
    net.daemon("counts", move || counts(among));
    net.daemon("server", move || server(takes, panics));
    net.process("client", client).after("server");
}

#[test]
fn half_of_the_executions_end_with_the_last_process_that_is_no_daemon() {
    const EXECUTIONS: u64 = 400;
    let report =
        Checker::new().simulation(Simulation::new(0).runs(EXECUTIONS)).check(|net| network(net, 1, 5 * TICK, false));
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    let simulated = report.simulated().expect("a simulation");
    assert_eq!((simulated.executions(), simulated.cut_off()), (EXECUTIONS, EXECUTIONS / 2), "{report}");
    // The executions that go on are cut off, half of them after 200 steps.
    assert!(report.transitions() < 500 * EXECUTIONS, "{report}");
    assert!(report.transitions() > 100 * EXECUTIONS, "{report}");
}

#[test]
fn what_breaks_after_the_last_process_has_ended_is_found() {
    let report = Checker::new().simulation(Simulation::new(0).runs(40)).check(|net| network(net, 1, 5 * TICK, true));
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
}

/// Before the server is learned, the client waits for ever; to believe that, all others would have to come to rest.
#[test]
fn a_bug_beside_a_daemon_with_many_choices_is_found_after_few_states() {
    let report = Checker::new().max_states(200).check(|net| network(net, 20, HOUR, true));
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
}
