//! Orders of exploration: what is found first, and that it does not matter in the end.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{
    Checker, Counterexample, Doing, Identity, Keep, Report, Search, State, Tcp, Udp, Verdict, ViolationKind,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

const SEARCHES: [Search; 13] = [
    Search::Bfs,
    Search::Dfs,
    Search::Faults,
    Search::Joint,
    Search::Reads,
    Search::NetworkStates { retransmissions: None },
    Search::NetworkStates { retransmissions: Some(2) },
    Search::Retransmissions { arrivals: 1 },
    Search::Retransmissions { arrivals: 2 },
    Search::Random { seed: 7 },
    Search::Pct { seed: 7, depth: 1 },
    Search::Pct { seed: 7, depth: 3 },
    Search::Pct { seed: 8, depth: 3 },
];

/// One checker for each order.
fn orders() -> impl Iterator<Item = Checker> {
    let searches = SEARCHES.iter().map(|search| Checker::new().search(*search));
    let scores: [fn(&State<'_>) -> i64; 3] = [
        |state| state.depth() as i64,
        |state| -(state.in_flight() as i64),
        |state| i64::from(state.is_blocked("client")),
    ];
    searches.chain(scores.map(|score| Checker::new().best_first(score)))
}

async fn echo() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 4];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

/// How many of three questions were answered.
async fn asker() -> usize {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let mut answered = 0;
    for question in ["a", "b", "c"] {
        socket.send_to(question.as_bytes(), "server:4000").await.unwrap();
        let answer = timeout(Duration::from_secs(1), socket.recv(&mut [0; 4])).await;
        answered += usize::from(answer.is_ok());
    }
    answered
}

fn ask(net: &mut Network) {
    net.daemon("server", echo);
    net.process("client", asker).after("server");
    net.process("other", || async { netcheck::choose(0..3).await });
}

#[test]
fn every_order_visits_the_same_states() {
    let udp = Udp::new().loss().duplication().reorder(2);
    for (at_most, keep) in [(None, Keep::Exact), (Some(2), Keep::Exact), (Some(2), Keep::Fingerprint)] {
        for reduction in [false, true] {
            let declared = |checker: Checker| {
                let checker = checker.identity(Identity::History).udp(udp.clone()).reduction(reduction).store(keep);
                match at_most {
                    None => checker,
                    Some(faults) => checker.at_most(faults),
                }
            };
            let expected = declared(Checker::new()).check(ask);
            assert_eq!(expected.verdict(), Verdict::Verified, "{expected}");
            assert!(expected.states() > 300, "{expected}");
            for checker in orders() {
                let report = declared(checker.clone()).check(ask);
                let figures = |report: &Report| (report.verdict(), report.states(), report.transitions());
                assert_eq!(figures(&report), figures(&expected), "{checker:?}");
                assert_eq!(report.outputs("client"), expected.outputs("client"), "{checker:?}");
            }
        }
    }
}

/// Lost, doubled, overtaken, failed.
fn faults(counterexample: &Counterexample) -> usize {
    let doings = counterexample.steps().iter().flat_map(|step| &step.network);
    doings.filter(|doing| **doing != Doing::Unbound).count()
}

/// Panics at once if three packets are lost, and after many more steps if a single one is.
async fn impatient(words: usize) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let mut lost = 0;
    for _ in 0..3 {
        socket.send_to(b"?", "server:4000").await.unwrap();
        lost += usize::from(timeout(Duration::from_secs(1), socket.recv(&mut [0; 4])).await.is_err());
        assert!(lost < 3, "three are too many");
    }
    for _ in 0..words {
        socket.send_to(b"?", "nobody:1").await.unwrap();
    }
    assert_ne!(lost, 1, "one may be lost");
}

fn hurry(net: &mut Network) {
    net.daemon("server", echo);
    net.process("client", || impatient(12)).after("server");
    net.process("nobody", || async {});
}

#[test]
fn a_counterexample_has_the_fewest_faults_whatever_the_search_has_found() {
    for at_most in [None, Some(3)] {
        for reduction in [true, false] {
            let checker = Checker::new().udp(Udp::new().loss()).reduction(reduction);
            let checker = match at_most {
                None => checker,
                Some(faults) => checker.at_most(faults),
            };
            for search in SEARCHES {
                let report = checker.clone().search(search).check(hurry);
                let found = report.counterexample().expect("a violation");
                assert!(found.message().contains("one may be lost"), "{search:?}: {found}");
                assert_eq!((faults(found), found.may_not_be_least()), (1, false), "{search:?}: {found}");
            }
        }
    }
}

/// With as many faults, the shortest.
#[test]
fn of_the_violations_with_the_fewest_faults_the_shortest_comes_first() {
    let report = Checker::new().udp(Udp::new().loss()).reduction(false).search(Search::Faults).check(|net| {
        net.process("it", || async {
            let rounds = netcheck::choose([5, 2, 9]).await;
            let socket = UdpSocket::bind("127.0.0.1:4000").await.unwrap();
            for _ in 0..rounds {
                socket.send_to(b"me", "127.0.0.1:4000").await.unwrap();
                timeout(Duration::from_secs(1), socket.recv(&mut [0; 4])).await.expect("it arrives").unwrap();
            }
            panic!("without a fault");
        });
    });
    let counterexample = report.counterexample().expect("a violation");
    assert!(counterexample.message().contains("without a fault"), "{counterexample}");
    assert_eq!(faults(counterexample), 0);
    // start, choose, bind, and a send and a receive in each of two rounds
    assert_eq!(counterexample.steps().len(), 7, "{counterexample}");
}

#[test]
fn failures_of_calls_are_faults() {
    let network = |net: &mut Network| {
        net.daemon("server", || async {
            let listener = tokio::net::TcpListener::bind("0.0.0.0:4000").await.unwrap();
            loop {
                let _ = listener.accept().await;
            }
        });
        let connect = || async {
            let mut failed = 0;
            for _ in 0..2 {
                failed += usize::from(tokio::net::TcpStream::connect("server:4000").await.is_err());
                assert!(failed < 2, "twice");
            }
            for _ in 0..9 {
                tokio::task::yield_now().await;
            }
            assert_ne!(failed, 1, "once");
        };
        net.process("client", connect).after("server");
    };
    for search in SEARCHES {
        let report = Checker::new().tcp(Tcp::new().fail_open()).reduction(false).search(search).check(network);
        let found = report.counterexample().expect("a violation");
        assert!(found.message().contains("once"), "{search:?}: {found}");
        assert_eq!(faults(found), 1, "{search:?}: {found}");
    }
}

#[test]
fn a_search_that_ends_at_a_limit_forgets_no_violation() {
    let checker = Checker::new().udp(Udp::new().loss()).reduction(false).search(Search::Faults);
    let found_at = checker.check(hurry).states();
    // Met, but not its turn yet: many states with fewer faults come before.
    let verdicts: BTreeSet<String> = (10..found_at)
        .map(|states| {
            let report = checker.clone().max_states(states).check(hurry);
            let message = report.counterexample().map_or("", Counterexample::message);
            let which = ["three", "one"].into_iter().find(|number| message.contains(number));
            format!("{:?} {}", report.verdict(), which.unwrap_or_default())
        })
        .collect();
    assert_eq!(verdicts.iter().map(String::as_str).collect::<Vec<_>>(), ["Inconclusive ", "Violated one"]);
}

#[test]
fn a_limit_of_messages_leaves_out_what_needs_more_and_says_so() {
    // Three questions and answers, each written and read.
    let within = |messages, search, reduction| {
        let checker = Checker::new().reduction(reduction).search(search).max_messages(messages);
        checker.check(|net| {
            net.daemon("server", echo);
            net.process("client", asker).after("server");
        })
    };
    for search in SEARCHES {
        for reduction in [true, false] {
            for messages in 1..12 {
                let report = within(messages, search, reduction);
                assert_eq!(report.verdict(), Verdict::Inconclusive, "{search:?}, {messages}: {report}");
                let limit = report.limit().expect("a limit was reached");
                assert!(limit.contains(&format!("max_messages = {messages} was reached; raise it")), "{limit}");
                assert!(report.outputs("client").is_empty(), "{search:?}, {messages}: {report}");
            }
            let report = within(12, search, reduction);
            assert_eq!(report.verdict(), Verdict::Verified, "{search:?}: {report}");
            assert_eq!(report.outputs("client"), ["3"]);
        }
    }
}

#[test]
fn with_joint_states_all_that_needs_few_enough_messages_is_seen() {
    // The sender may take a second message instead of a longer way round to the same state.
    let within = |messages| {
        Checker::new().reduction(false).search(Search::Joint).max_messages(messages).check(|net| {
            net.daemon("sink", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                loop {
                    socket.recv_from(&mut [0; 4]).await.unwrap();
                }
            });
            let sender = || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                let sent = netcheck::choose([4, 2, 0]).await;
                for _ in 0..sent {
                    socket.send_to(b"x", "sink:4000").await.unwrap();
                }
                sent
            };
            net.process("sender", sender).after("sink");
        })
    };
    for (messages, outputs) in [(1, vec!["0"]), (3, vec!["0", "2"]), (4, vec!["0", "2", "4"]), (7, vec!["0", "2", "4"])]
    {
        let report = within(messages);
        assert_eq!((report.verdict(), report.outputs("sender")), (Verdict::Inconclusive, &strings(&outputs)[..]));
    }
    assert_eq!(within(8).verdict(), Verdict::Verified);
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
#[should_panic(expected = "`max_messages` is at least 1")]
fn no_message_at_all_is_no_limit() {
    let _ = Checker::new().max_messages(0);
}

/// Each of some workers takes so many steps; the first two race for a slot that they reserve early and use late.
fn race(net: &mut Network, workers: usize, steps: usize) {
    net.daemon("slot", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (mut owner, mut buffer) = (0, [0; 2]);
        loop {
            socket.recv_from(&mut buffer).await.unwrap();
            match buffer {
                [b'r', worker] => owner = worker,
                [_, worker] => assert_eq!(owner, worker, "the slot was reserved again"),
            }
        }
    });
    for worker in 0..workers {
        let work = move || async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for step in 0..steps {
                match step {
                    2 if worker < 2 => drop(socket.send_to(&[b'r', worker as u8], "slot:4000").await.unwrap()),
                    4 if worker < 2 => drop(socket.send_to(&[b'u', worker as u8], "slot:4000").await.unwrap()),
                    _ => tokio::task::yield_now().await,
                }
            }
        };
        net.process(format!("worker-{worker}"), work).after("slot");
    }
}

/// One worker reserves, another one does, the first one uses: two constraints between units.
#[test]
fn priorities_find_a_bug_of_little_depth_early() {
    let states = |search| {
        let report = Checker::new().reduction(false).search(search).check(|net| race(net, 4, 8));
        assert_eq!(report.verdict(), Verdict::Violated, "{search:?}: {report}");
        report.states()
    };
    let mut by_priorities: Vec<usize> = (0..9).map(|seed| states(Search::Pct { seed, depth: 3 })).collect();
    by_priorities.sort_unstable();
    let by_steps = states(Search::Bfs);
    assert!(by_priorities[4] * 4 < by_steps, "{by_priorities:?} states instead of {by_steps}");
}

#[test]
fn a_score_leads_the_search_where_it_says() {
    // Four dice of six sides; the score likes one of them to end, and then the next.
    let dice = |net: &mut Network| {
        for number in 1..=4 {
            net.process(format!("die-{number}"), move || async move {
                let mut sum = 0;
                for _ in 0..3 {
                    sum += netcheck::choose(1..=6).await;
                }
                assert!(number < 4 || sum < 18, "three sixes");
            });
        }
    };
    let checker = Checker::new().identity(Identity::History).reduction(false).max_states(600);
    let undirected = checker.check(dice);
    assert_eq!(undirected.verdict(), Verdict::Inconclusive, "{undirected}");
    // The others do not move as long as the last one can.
    let others = ["die-1", "die-2", "die-3"];
    let still = move |state: &State<'_>| {
        let waits = |die: &&&str| state.pending(die).iter().any(|pending| pending == "start");
        others.iter().filter(waits).count() as i64
    };
    let directed = checker.clone().best_first(still).check(dice);
    assert_eq!(directed.verdict(), Verdict::Violated, "{directed}");
    assert!(directed.states() < 300, "{directed}");
    // The later one of two orders counts.
    let replaced = checker.best_first(still).search(Search::Bfs).check(dice);
    assert_eq!((replaced.verdict(), replaced.states()), (undirected.verdict(), undirected.states()));
}

#[test]
fn a_score_sees_how_far_the_state_is() {
    /// The figures of each state: depth, faults, packets under way, whether the client has ended, whether it is blocked; and what
    /// it waits for.
    type Seen = ((usize, usize, usize, bool, bool), Vec<String>);
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let watch = {
        let seen = Arc::clone(&seen);
        move |state: &State<'_>| {
            let (has_ended, is_blocked) = (state.has_ended("client"), state.is_blocked("client"));
            let of_state = (state.depth(), state.faults(), state.in_flight(), has_ended, is_blocked);
            seen.lock().unwrap().push((of_state, state.pending("client")));
            state.depth() as i64
        }
    };
    let checker = Checker::new().udp(Udp::new().loss()).reduction(false).best_first(watch);
    let report = checker.check(|net| {
        net.daemon("server", echo);
        net.process("client", asker).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let seen = seen.lock().unwrap();
    // The first state has no score: there is nothing to choose. A search begins again when it learns that the programs can
    // tell what the driver knows.
    let seen = &seen[seen.len() - (report.states() - 1)..];
    assert_eq!(seen.iter().map(|((depth, ..), _)| *depth).max(), Some(report.depth()));
    assert_eq!(seen.iter().map(|((_, faults, ..), _)| *faults).max(), Some(3), "each question, or its answer");
    assert_eq!(seen.iter().map(|((_, _, in_flight, ..), _)| *in_flight).collect::<BTreeSet<_>>(), [0, 1].into());
    for ((_, _, in_flight, has_ended, is_blocked), pending) in seen {
        let waits = pending.iter().any(|pending| pending.starts_with("recv on port"));
        assert!(!(*has_ended && (waits || *is_blocked)), "{pending:?}");
        // A packet for the client does not let it wait, one for the server does.
        assert!(!*is_blocked || waits || pending == &["start"], "{pending:?}");
        assert!(*in_flight > 0 || !waits || *is_blocked, "{pending:?}");
    }
    assert!(seen.iter().any(|((.., has_ended, _), _)| *has_ended));
    assert!(seen.iter().any(|(_, pending)| pending.iter().any(|pending| pending.starts_with("send \"a\" to server"))));
}

#[test]
#[should_panic(expected = "no process is named \"cleint\"")]
fn a_name_that_nobody_has_is_a_mistake() {
    Checker::new().best_first(|state| i64::from(state.has_ended("cleint"))).check(ask);
}

#[test]
fn a_checker_with_a_score_can_be_cloned_and_shown() {
    let checker = Checker::new().best_first(|state| state.faults() as i64);
    assert!(format!("{:?}", checker.clone()).contains("Score"));
    let report = checker.check(|net| {
        net.process("it", || async { panic!("at once") });
    });
    assert_eq!(report.counterexample().map(Counterexample::kind), Some(ViolationKind::Panic));
}
