//! The executions of the paper's Figures 3, 7 and 8: each is one that the check explores. Packets take less time here than
//! they may, so that such an execution is soon found: one of few is one of all.
//!
//! Equal packets can't be told apart, neither by the programs nor here. So the three inputs of Figure 7 (which two of three
//! equal requests arrive) are one execution. The server of these programs has a port for each transfer and drops a request
//! that comes again, as it must: it sends its Ack again when its own time is up, where that of tftp-hpa answers the request.

use super::checked::program::packet::Packet;
use super::checked::{Serving, Transfer, Way};
use netcheck::check::{Checker, Identity, Udp, ViolationKind};
use netcheck::monitor::{Monitor, Observer, Rule, Seen};
use std::time::Duration;

/// The label of a step of the client or the server in a figure.
fn label(seen: &Seen<'_>) -> Option<String> {
    let short = |payload: &[u8]| {
        let packet = Packet::parse(payload).ok()?;
        let text = packet.to_string();
        let words: Vec<&str> = text.split(' ').collect();
        Some(match packet {
            Packet::Write(_) => words[0].to_owned(),
            _ => words[..2].concat(),
        })
    };
    match *seen {
        Seen::Departed { process, payload, .. } => Some(format!("{process} sends {}", short(payload)?)),
        Seen::Arrived { process, payload, .. } => Some(format!("{process} gets {}", short(payload)?)),
        Seen::Fired { process: "client", .. } => Some("client times out".to_owned()),
        _ => None,
    }
}

/// A monitor that rejects when these steps and no others have been seen: to find that is to find the execution.
fn witness(steps: &[&'static str]) -> Monitor<String> {
    let names: Vec<String> = (0..steps.len()).map(|number| format!("step {number}")).collect();
    let mut monitor = names.iter().fold(Monitor::builder("figure"), |monitor, name| monitor.state(name));
    monitor = monitor.state("another").rule("another", "another", Rule::otherwise());
    for (number, &step) in steps.iter().enumerate() {
        if let Some(next) = names.get(number + 1) {
            monitor = monitor.rule(&names[number], next, Rule::on(step, move |seen: &String| seen == step));
            monitor = monitor.rule(&names[number], "another", Rule::otherwise());
        } else {
            let other = Rule::on("another step", move |seen: &String| seen != step);
            monitor = monitor.rule(&names[number], "another", other);
        }
    }
    monitor.build().expect("a chain")
}

#[track_caller]
fn exists(checker: Checker, transfer: Transfer, steps: &[&'static str]) {
    let report = checker.identity(Identity::History).check(|net| {
        net.monitor(Observer::new(witness(steps), label));
        transfer.programs(net);
    });
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(found.kind(), ViolationKind::Monitor, "{report}");
    let met: Vec<String> = steps.iter().map(|step| (*step).to_owned()).collect();
    assert!(found.message().contains(met.last().expect("a step")), "{found}");
}

/// The rest of the transfer, once the request was answered.
const REST: [&str; 13] = [
    "client gets ACK0",
    "client sends DATA1",
    "server gets DATA1",
    "server sends ACK1",
    "client gets ACK1",
    "client sends DATA2",
    "server gets DATA2",
    "server sends ACK2",
    "client gets ACK2",
    "client sends DATA3",
    "server gets DATA3",
    "server sends ACK3",
    "client gets ACK3",
];

fn with_rest(begin: &[&'static str]) -> Vec<&'static str> {
    begin.iter().chain(&REST).copied().collect()
}

/// Packets are soon there, but one may be lost.
fn fast() -> Checker {
    Checker::new().udp(Udp::new().loss().delay(..=Duration::from_millis(100))).at_most(1)
}

#[test]
fn figure_3_a_three_packets_are_put_without_a_fault() {
    let steps = with_rest(&["client sends WRQ", "server gets WRQ", "server sends ACK0"]);
    exists(fast(), Transfer::corrected(Way::Write, 3, 4), &steps);
}

#[test]
fn figure_3_b_the_first_request_is_lost() {
    let begin = ["client sends WRQ", "client times out", "client sends WRQ", "server gets WRQ", "server sends ACK0"];
    exists(fast(), Transfer::corrected(Way::Write, 3, 4), &with_rest(&begin));
}

/// Packets take 0.2 s or 3 s. The client sends its request at 0, 1 and 3 s, and the server its Ack at 0.2, 1.2 and 3.2 s.
fn slow() -> Checker {
    Checker::new().udp(Udp::new().delays([Duration::from_millis(200), Duration::from_secs(3)]))
}

/// A server that goes on to listen for requests while a transfer is under way.
fn listening() -> Transfer {
    Transfer { serving: Serving::Always, ..Transfer::corrected(Way::Write, 1, 2) }
}

#[test]
fn figure_7_two_of_three_equal_requests_arrive() {
    let steps = [
        "client sends WRQ",
        "server gets WRQ",
        "server sends ACK0",
        "client times out",
        "client sends WRQ",
        "server gets WRQ",
        "server sends ACK0",
        "client times out",
        "client sends WRQ",
        "client gets ACK0",
        "client sends DATA1",
    ];
    exists(slow(), listening(), &steps);
}

#[test]
fn figure_8_all_three_equal_requests_arrive() {
    let steps = [
        "client sends WRQ",
        "server gets WRQ",
        "server sends ACK0",
        "client times out",
        "client sends WRQ",
        "server gets WRQ",
        "server sends ACK0",
        "client times out",
        "client sends WRQ",
        "server gets WRQ",
        "server sends ACK0",
        "client gets ACK0",
        "client sends DATA1",
        "client gets ACK0",
    ];
    exists(slow(), listening(), &steps);
}
