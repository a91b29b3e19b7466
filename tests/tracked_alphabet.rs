//! All sessions of the alphabet system in one process, as plain tasks that share no memory but
//! through what is tracked: the verdicts of isolated processes, and the product of the sessions'
//! local states, where tasks that share memory have all orders in which they ran besides.

#[path = "../examples/alphabet/checked.rs"]
mod checked;
#[path = "tracked_alphabet/plain.rs"]
mod plain;

use checked::Sessions;
use netcheck::check::{Checker, Report, Tasks, Udp, Verdict};

/// All sessions as tasks of one process.
fn check(checker: &Checker, sessions: u8, requests: u8, asserting: bool) -> Report {
    checker.clone().check(move |net| {
        let servers: Vec<String> = (1..=sessions).map(|session| format!("server-{session}")).collect();
        for server in &servers {
            net.daemon(server, || plain::program::server("0.0.0.0:4000".to_owned()));
        }
        let addresses: Vec<String> = servers.iter().map(|server| format!("{server}:4000")).collect();
        let clients = net.process("clients", move || {
            let addresses = addresses.clone();
            async move {
                let sessions =
                    addresses.into_iter().map(|address| plain::program::client(address, requests, asserting));
                for session in sessions.map(netcheck::spawn).collect::<Vec<_>>() {
                    session.await.unwrap();
                }
            }
        });
        for server in servers {
            clients.after(server);
        }
    })
}

#[test]
fn verdicts_are_those_of_isolated_processes() {
    for udp in [Udp::new(), Udp::new().loss(), Udp::new().duplication()] {
        for requests in 1..=2 {
            let checker = Checker::new().udp(udp.clone());
            let isolated = checker.check(|net| Sessions { connections: 2, requests, asserting: true }.register(net));
            for reduction in [false, true] {
                let tracked = checker.clone().tasks(Tasks::Tracked).reduction(reduction);
                assert_eq!(check(&tracked, 2, requests, true).verdict(), isolated.verdict(), "{udp:?}, {requests}");
            }
        }
    }
}

/// The local states of the one process are those of its sessions, combined. Untracked, every order
/// in which the tasks ran is another one.
#[test]
fn sessions_as_tracked_tasks_are_not_told_apart_by_the_order_in_which_they_ran() {
    let check = |tasks: Tasks, sessions: u8| {
        let checker = Checker::new().udp(Udp::new().loss()).tasks(tasks).max_states(20_000);
        let report = check(&checker, sessions, 1, false);
        (report.verdict(), report.states())
    };
    assert_eq!(check(Tasks::Tracked, 1), (Verdict::Verified, 41));
    assert_eq!(check(Tasks::Shared, 1), (Verdict::Verified, 69));
    assert_eq!(check(Tasks::Tracked, 2), (Verdict::Verified, 1_600));
    assert_eq!(check(Tasks::Shared, 2).0, Verdict::Inconclusive);
}
