//! `sometimes!`, `always!`, and what was waited for in vain.

use netcheck as tokio;
use netcheck::check::{Checker, Report, Udp, Verdict, ViolationKind};
use netcheck::{always, sometimes};
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

const PATIENCE: Duration = Duration::from_secs(1);

async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut asked = 0;
    loop {
        let mut buffer = [0; 1];
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        asked += 1;
        sometimes!(asked == 2, "asked twice");
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

async fn client(tries: u8) -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for attempt in 1..=tries {
        socket.send_to(b"?", "server:4000").await.unwrap();
        let answer = timeout(PATIENCE, socket.recv(&mut [0; 1])).await;
        if answer.is_ok() {
            sometimes!(attempt == tries, "answered in the end");
            return true;
        }
    }
    sometimes!(true, "given up");
    false
}

fn check(checker: &Checker) -> Report {
    checker.check(|net| {
        net.daemon("server", server);
        net.process("client", || client(2)).after("server");
    })
}

#[test]
fn what_never_holds_makes_a_check_vacuous() {
    for reduction in [false, true] {
        let report = check(&Checker::new().reduction(reduction));
        assert_eq!(report.verdict(), Verdict::Inconclusive);
        let reason = report.limit().expect("it says why");
        assert!(reason.starts_with("vacuous: `sometimes!` \"answered in the end\" held in no execution"), "{reason}");
        let claims = [("answered in the end".to_owned(), false), ("asked twice".to_owned(), false)];
        assert_eq!(report.claims(), claims);
    }
}

#[test]
fn what_holds_in_one_execution_is_enough() {
    for reduction in [false, true] {
        let report = check(&Checker::new().udp(Udp::new().loss()).reduction(reduction));
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert!(report.claims().iter().all(|(_, held)| *held), "{:?}", report.claims());
        assert_eq!(report.claims().len(), 3);
    }
}

#[test]
fn a_claim_that_no_execution_comes_to_can_be_demanded() {
    let report = Checker::new().check(|net| {
        net.sometimes("given up");
        net.daemon("server", server);
        net.process("client", || client(1)).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Inconclusive);
    assert!(report.claims().contains(&("given up".to_owned(), false)), "{:?}", report.claims());
}

#[test]
fn claims_that_never_held_are_listed_with_their_lines() {
    let text = check(&Checker::new()).to_string();
    for (claim, line) in [("answered in the end", 29), ("asked twice", 18)] {
        let told =
            format!("\n  held in no execution: `sometimes!` \"{claim}\" (tests/exploration/coverage.rs:{line})\n");
        assert!(text.contains(&told), "{text}");
    }
    let demanded = Checker::new().check(|net| {
        net.sometimes("company");
        net.process("alone", || async {});
    });
    let told = "\n  held in no execution: `sometimes!` \"company\" (no execution came to it)\n";
    assert!(demanded.to_string().contains(told), "{demanded}");
}

#[test]
fn claims_that_have_not_held_when_a_limit_ends_the_check_are_listed() {
    let lossy = Checker::new().udp(Udp::new().loss());
    let simulated: Checker = "udp(loss), search = simulate(seed = 1, runs = 3)".parse().expect("words");
    for checker in [lossy.clone().max_states(8), simulated] {
        let report = checker.check(|net| {
            net.sometimes("answered by nobody");
            net.daemon("server", server);
            net.process("client", || client(2)).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Inconclusive);
        assert!(!report.limit().expect("it says why").contains("vacuous"), "{report}");
        let told = "\n  held in no execution so far: `sometimes!` \"answered by nobody\" (no execution came to it)\n";
        assert!(report.to_string().contains(told), "{report}");
    }
    assert!(!check(&lossy).to_string().contains("held in no execution"));
}

#[test]
fn a_claim_that_holds_after_the_horizon_holds_in_no_execution_within_it() {
    let within = |seconds| {
        Checker::new().duration(Duration::from_secs(seconds)).check(|net| {
            net.process("alone", || async {
                tokio::time::sleep(Duration::from_secs(2)).await;
                sometimes!(true, "late");
            });
            net.sometimes("late");
        })
    };
    assert_eq!(within(3).verdict(), Verdict::Verified);
    let early = within(1);
    let reason = early.limit().expect("it is vacuous");
    assert!(reason.starts_with("vacuous: `sometimes!` \"late\" held in no execution within 1 s"), "{reason}");
}

#[test]
fn what_does_not_always_hold_is_a_violated_property() {
    let report = Checker::new().udp(Udp::new().loss()).check(|net| {
        net.daemon("server", server);
        net.process("client", || async { always!(client(2).await, "answered") }).after("server");
    });
    let counterexample = report.counterexample().expect("both may be lost");
    assert_eq!(counterexample.kind(), ViolationKind::Property);
    let text = counterexample.to_string();
    assert!(
        text.contains("`always!` does not hold: answered") && text.contains("tests/exploration/coverage.rs:"),
        "{text}"
    );
}

#[test]
#[should_panic(expected = "`always!` does not hold: two")]
fn outside_a_check_always_is_an_assertion_and_sometimes_is_nothing() {
    sometimes!(false, "one");
    always!(true, "one");
    always!(false, "two");
}

#[test]
fn what_was_waited_for_in_vain_is_listed() {
    let report = check(&Checker::new());
    let [line] = report.never_completed() else { panic!("{:?}", report.never_completed()) };
    assert!(line.starts_with("tests/exploration/coverage.rs:") && line.ends_with(": timer"), "{line}");
    assert!(check(&Checker::new().udp(Udp::new().loss())).never_completed().is_empty());
}

#[netcheck::model_check(udp(loss), expect = inconclusive)]
fn a_vacuous_check_is_no_pass(net: &mut netcheck::Network) {
    net.process("alone", || async { sometimes!(false, "company") });
}
