//! All sessions of the alphabet system in one process, as plain tasks that share no memory but
//! through what is tracked: the verdicts of isolated processes, and as many states for each session.

mod plain;

use crate::alphabet::checked::Sessions;
use netcheck::check::{Checker, Identity, Report, Tasks, Udp, Verdict};

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

/// Sessions have nothing to do with each other: with tracked tasks, they are explored one after the other, and what
/// is left of one that is over does not multiply with the next. Untracked, every order in which the tasks ran is
/// another local state.
#[test]
fn sessions_as_tracked_tasks_add_up() {
    let check = |tasks: Tasks, sessions: u8, requests: u8| {
        let checker = Checker::new().identity(Identity::History).udp(Udp::new().loss()).tasks(tasks).max_states(20_000);
        let report = check(&checker, sessions, requests, false);
        (report.verdict(), report.states())
    };
    for sessions in 1..=6 {
        let states = 19 * usize::from(sessions) + 2;
        assert_eq!(check(Tasks::Tracked, sessions, 1), (Verdict::Verified, states), "{sessions} sessions");
    }
    for sessions in 1..=3 {
        let states = [31, 60].map(|each| each * usize::from(sessions) + 2);
        assert_eq!(check(Tasks::Tracked, sessions, 2), (Verdict::Verified, states[0]), "{sessions} sessions");
        assert_eq!(check(Tasks::Tracked, sessions, 3), (Verdict::Verified, states[1]), "{sessions} sessions");
    }
    assert_eq!(check(Tasks::Shared, 1, 1), (Verdict::Verified, 69));
    assert_eq!(check(Tasks::Shared, 2, 1).0, Verdict::Inconclusive);
}

/// As the sessions' states, but for the product of their local states.
#[test]
fn unreduced_they_multiply() {
    let states = |sessions| {
        let checker = Checker::new().udp(Udp::new().loss()).tasks(Tasks::Tracked).reduction(false);
        let report = check(&checker, sessions, 1, false);
        assert_eq!(report.verdict(), Verdict::Verified);
        report.states()
    };
    assert_eq!([states(1), states(2)], [32, 580]);
}
