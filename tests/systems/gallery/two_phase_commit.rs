//! Two-phase commit: either all resource managers commit a transaction, or none.
//!
//! J. Gray, L. Lamport, "Consensus on transaction commit" (ACM Transactions on Database Systems
//! 31(1), 2006), section 3. A manager may abort of its own accord as long as it has not said that it
//! is prepared; from then on it has to wait for what the transaction manager decides.
//!
//! Here messages may get lost, so a manager that hears nothing says once more that it is prepared,
//! and a transaction manager that hears nothing aborts. Nobody crashes.

use super::verified;
use netcheck as tokio;
use netcheck::check::{Checker, Identity, Udp};
use netcheck::{End, Network, sometimes};
use std::collections::BTreeSet;
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

/// Bytes of "prepared", which is the longest message.
const MESSAGE_BYTES_MAX: usize = 8;

/// Faults in one execution, so as many time-outs at most.
const FAULTS: usize = 2;

/// How long the transaction manager waits for the next vote.
const VOTE: Duration = Duration::from_secs(1);

/// How long a prepared manager waits before it asks for the decision.
const DECISION: Duration = Duration::from_secs(2);

/// After it, no manager waits any more.
const SILENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq)]
pub enum Prepared {
    /// Waits for the decision, however long that takes.
    Waits,
    /// Aborts if the decision takes too long.
    Aborts,
}

/// Ends with what has become of the transaction here.
async fn manager(prepared: Prepared) -> String {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    socket.connect("coordinator:4000").await.unwrap();
    let can_commit = netcheck::choose([true, false]).await;
    if !can_commit {
        socket.send(b"abort").await.unwrap();
        return "abort".to_owned();
    }
    for _ in 0..=FAULTS {
        socket.send(b"prepared").await.unwrap();
        let mut decision = [0; MESSAGE_BYTES_MAX];
        let heard = timeout(DECISION, socket.recv(&mut decision)).await;
        sometimes!(heard.is_err(), "a prepared manager hears nothing");
        if let Ok(received) = heard {
            return text(&decision[..received.unwrap()]);
        }
        if prepared == Prepared::Aborts {
            return "abort".to_owned();
        }
    }
    "undecided".to_owned()
}

/// The transaction manager. Ends with the decision, once everybody knows it.
async fn coordinator(managers: usize) -> &'static str {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let decision = decide(&socket, managers).await;
    for number in 1..=managers {
        socket.send_to(decision.as_bytes(), format!("manager-{number}:4000")).await.unwrap();
    }
    while let Ok(asked) = timeout(SILENCE, socket.recv_from(&mut [0; MESSAGE_BYTES_MAX])).await {
        let (_, manager) = asked.unwrap();
        socket.send_to(decision.as_bytes(), manager).await.unwrap();
    }
    decision
}

async fn decide(socket: &UdpSocket, managers: usize) -> &'static str {
    let mut prepared = BTreeSet::new();
    let mut vote = [0; MESSAGE_BYTES_MAX];
    while prepared.len() < managers {
        let Ok(received) = timeout(VOTE, socket.recv_from(&mut vote)).await else { return "abort" };
        let (length, manager) = received.unwrap();
        if text(&vote[..length]) != "prepared" {
            return "abort";
        }
        prepared.insert(manager);
    }
    "commit"
}

fn text(message: &[u8]) -> String {
    String::from_utf8(message.to_vec()).unwrap()
}

pub fn transaction(net: &mut Network, managers: usize, prepared: Prepared) {
    net.process("coordinator", move || coordinator(managers));
    for number in 1..=managers {
        net.process(format!("manager-{number}"), move || manager(prepared)).after("coordinator");
    }
    net.finally(move |end| all_do_the_same(end, managers));
}

fn all_do_the_same(end: &End, managers: usize) {
    let done: Vec<_> = (1..=managers).map(|number| end.output(&format!("manager-{number}"))).collect();
    assert!(done.iter().all(|of_one| *of_one == done[0]), "all managers do the same: {done:?}");
}

#[test]
fn all_commit_or_none_whatever_is_lost() {
    for (managers, reduction, figures) in
        [(2, true, (483, 594)), (2, false, (529, 760)), (3, true, (6_276, 8_454)), (3, false, (8_122, 15_319))]
    {
        let checker = Checker::new().identity(Identity::History).udp(Udp::new().loss()).at_most(FAULTS);
        let report = checker.reduction(reduction).check(|net| transaction(net, managers, Prepared::Waits));
        verified(&report, figures);
        assert_eq!(report.outputs("coordinator"), [r#""abort""#, r#""commit""#]);
        assert_eq!(report.outputs("manager-1"), [r#""abort""#, r#""commit""#]);
    }
}

#[netcheck::model_check(udp(loss), at_most = 1, expect = property, snapshot)]
fn who_is_prepared_must_not_abort_alone(net: &mut Network) {
    transaction(net, 3, Prepared::Aborts);
}
