//! The counterexample of a check against all executions that may be less, one by one.

use crate::check::setup::Job;
use crate::check::{Checker, Tcp, Udp};
use crate::network::Network;
use crate::trace::counterexample::Counterexample;
use crate::trace::describe::describe;
use crate::trace::step::{Doing, Step};
use netcheck_runtime::coverage::always;
use netcheck_runtime::net::{TcpListener, TcpStream, UdpSocket};
use netcheck_runtime::property::Properties;
use netcheck_runtime::reduction::successors::Successors;
use netcheck_runtime::search::frontier::Search;
use netcheck_runtime::select::choose;
use netcheck_runtime::task::spawn;
use netcheck_runtime::time::{Instant, timeout};
use netcheck_runtime::violation::{Found, ViolationKind};
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::step::Transition;
use netcheck_runtime::world::system::{Interrupt, System};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Faults, length and context switches, as a reader of the steps counts them.
fn cost<'a>(steps: impl Iterator<Item = &'a Step> + Clone) -> (usize, usize, usize) {
    let faults = steps.clone().flat_map(|step| &step.network).filter(|doing| **doing != Doing::Unbound).count();
    let movers: Vec<String> = steps.clone().filter(|step| !step.is_of_network()).map(Step::who).collect();
    let switches = movers.windows(2).filter(|pair| pair[0] != pair[1]).count();
    (faults, steps.count(), switches)
}

/// Every execution with a violation of one kind.
struct All<'a> {
    properties: &'a Properties,
    kind: ViolationKind,
    /// The cost of the counterexample.
    found: (usize, usize, usize),
    steps: Vec<Step>,
    least: Option<(usize, usize, usize)>,
    executions: usize,
}

impl All<'_> {
    fn go_on(&mut self, system: &mut System, state: &[u32]) -> Result<(), Interrupt> {
        let possible = Successors::default().within(system, state, None)?.to_vec();
        if possible.iter().all(Transition::is_failure) {
            self.ends(self.properties.violated_at_end(system, state));
        }
        for transition in possible {
            self.steps.push(describe(system, state, &transition).expect("nobody is parked"));
            let (faults, length, _) = cost(self.steps.iter());
            if (faults, length) > (self.found.0, self.found.1) {
                self.executions += 1;
                self.steps.pop();
                continue;
            }
            match self.properties.step(system, &transition) {
                Some(found) => self.ends(Some(found)),
                None => {
                    let mut next = Vec::new();
                    system.apply(state, &transition, &mut next).unwrap();
                    self.go_on(system, &next)?;
                }
            }
            self.steps.pop();
        }
        Ok(())
    }

    fn ends(&mut self, found: Option<Found>) {
        self.executions += 1;
        if found.is_some_and(|found| found.kind == self.kind) {
            let new = cost(self.steps.iter());
            self.least = Some(self.least.map_or(new, |least| least.min(new)));
        }
    }
}

fn job(checker: &Checker, register: impl Fn(&mut Network) + Copy) -> Job {
    let mut network = Network::default();
    register(&mut network);
    Job::new(checker.clone(), network, Arc::default(), Arc::default()).expect("it can be checked")
}

/// The least execution of a check is found, whatever the search; returns how many executions were gone through, up to
/// its faults and its length.
fn is_least(checker: &Checker, register: impl Fn(&mut Network) + Copy) -> usize {
    let mut texts = BTreeSet::new();
    let mut executions = 0;
    for search in [Search::Bfs, Search::Dfs] {
        for reduction in [true, false] {
            let checker = checker.clone().search(search).reduction(reduction);
            let report = job(&checker, register).check().expect("a report");
            let found = report.counterexample().unwrap_or_else(|| panic!("something is violated: {report}"));
            assert!(!found.may_not_be_least(), "{found}");
            if texts.insert(found.to_string()) {
                let explore = |job: &Job, system: &mut System, initial: &StateVector| {
                    let mut all = All {
                        properties: &job.properties,
                        kind: found.kind(),
                        found: cost(found.steps().iter()),
                        steps: Vec::new(),
                        least: None,
                        executions: 0,
                    };
                    all.go_on(system, initial)?;
                    Ok((all.least, all.executions))
                };
                let ((least, all), _) = job(&checker, register).attempt(explore).expect("all executions");
                assert_eq!(least, Some(cost(found.steps().iter())), "{found}");
                executions = all;
            }
        }
    }
    assert_eq!(texts.len(), 1, "{texts:?}");
    executions
}

async fn receives(expected: &'static [&'static str]) {
    let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
    let mut buffer = [0; 8];
    for expected in expected {
        let (length, _) = socket.recv_from(&mut buffer).await.expect("something");
        if &buffer[..length] != expected.as_bytes() {
            return;
        }
    }
    panic!("it has arrived so");
}

async fn sends(payloads: &'static [&'static str]) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("bound");
    for payload in payloads {
        socket.send_to(payload.as_bytes(), "receiver:1").await.expect("sent");
    }
}

#[test]
fn what_is_lost_costs_more_than_what_is_awaited() {
    // "b" is the second of two, the first, a copy, or one that overtakes: all executions have the same length.
    let register = |net: &mut Network| {
        net.daemon("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
            let mut buffer = [0; 8];
            for _ in 0..2 {
                socket.recv_from(&mut buffer).await.expect("something");
            }
            buffer[0]
        });
        net.process("sender", || sends(&["a", "c", "b"])).after("receiver");
        net.finally(|end| end.output("receiver") != Some("98"));
    };
    for udp in [Udp::new().loss(), Udp::new().loss().reorder(2), Udp::new().loss().duplication().reorder(3)] {
        for checker in [Checker::new().udp(udp.clone()), Checker::new().udp(udp).at_most(3)] {
            let executions = is_least(&checker, register);
            assert!(executions > 10, "{executions}");
        }
    }
}

#[test]
fn who_has_begun_goes_on_as_long_as_that_costs_nothing() {
    let executions = is_least(&Checker::new(), |net: &mut Network| {
        net.daemon("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
            for _ in 0..3 {
                socket.recv_from(&mut [0; 8]).await.expect("something");
            }
            panic!("three have arrived");
        });
        net.process("one", || sends(&["x", "y"])).after("receiver");
        net.process("other", || sends(&["z", "z"])).after("receiver");
    });
    assert!(executions > 1_000, "{executions}");
}

#[test]
fn who_moved_last_matters_later() {
    // After the starter, it makes no difference which of the two goes first, until the answer has to be received.
    let executions = is_least(&Checker::new(), |net: &mut Network| {
        net.daemon("asked", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
            for expected in [b"s", b"a"] {
                let mut buffer = [0; 1];
                socket.recv_from(&mut buffer).await.expect("something");
                if &buffer != expected {
                    return;
                }
            }
            panic!("started and answered");
        });
        net.daemon("answering", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
            socket.recv_from(&mut [0; 8]).await.expect("something");
            socket.send_to(b"a", "asked:1").await.expect("sent");
        });
        let starter = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.expect("bound");
            for other in ["asked:1", "answering:1"] {
                socket.send_to(b"s", other).await.expect("sent");
            }
        };
        net.process("starter", starter).after("asked").after("answering");
    });
    assert!(executions > 20, "{executions}");
}

#[test]
fn tasks_of_one_process_are_told_apart() {
    let executions = is_least(&Checker::new(), |net: &mut Network| {
        net.process("main", || async {
            let each = |first: usize| async move { choose(first..first + 2).await };
            let (one, other) = (spawn(each(0)), spawn(each(1)));
            assert_ne!((one.await.expect("one"), other.await.expect("other")), (1, 1), "they agree");
        });
    });
    assert!(executions > 5, "{executions}");
}

#[test]
fn a_failure_costs_more_than_none() {
    // After an error it takes as many steps as until an answer.
    let register = |net: &mut Network| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.expect("bound");
            let Ok((mut stream, _)) = listener.accept().await else { return };
            let _ = stream.write_all(b"x").await;
        });
        let client = || async {
            let Ok(mut stream) = TcpStream::connect("server:80").await else { return };
            if stream.read(&mut [0; 2]).await.is_err() {
                choose(0..2).await;
                choose(0..2).await;
            }
            panic!("it has read");
        };
        net.process("client", client).after("server");
    };
    let tcp = Tcp::new().fail_open().fail_read().fail_write().reset();
    for checker in [Checker::new().tcp(tcp.clone()), Checker::new().tcp(tcp).at_most(1)] {
        let executions = is_least(&checker, register);
        assert!(executions > 5, "{executions}");
    }
}

/// Asks three times, and counts the answers.
async fn asks() -> usize {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("bound");
    let mut answers = 0;
    for _ in 0..3 {
        socket.send_to(b"?", "echo:1").await.expect("sent");
        let answer = timeout(Duration::from_secs(1), socket.recv_from(&mut [0; 8])).await;
        answers += usize::from(answer.is_ok());
    }
    answers
}

fn asked(net: &mut Network) {
    net.daemon("echo", || async {
        let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
        let mut buffer = [0; 8];
        loop {
            let (length, from) = socket.recv_from(&mut buffer).await.expect("something");
            socket.send_to(&buffer[..length], from).await.expect("sent");
        }
    });
    net.process("asking", asks).after("echo");
    net.finally(|end| end.output("asking") == Some("3"));
}

#[test]
fn one_fault_in_a_long_execution_is_less_than_many_in_a_short_one() {
    // Where nothing is answered, an execution has the fewest steps.
    let checker = Checker::new().udp(Udp::new().loss());
    assert!(is_least(&checker, asked) > 3);
    let report = job(&checker, asked).check().expect("a report");
    let found = report.counterexample().expect("an answer may be lost");
    assert_eq!(cost(found.steps().iter()).0, 1, "{found}");
}

/// Processes that have nothing to do with each other make the full space as large as one likes.
fn others(net: &mut Network) {
    for number in 0..6 {
        net.process(format!("other{number}"), || async {
            for _ in 0..6 {
                choose(0..2).await;
            }
        });
    }
}

/// The counterexample where the search for the least execution is given up.
fn beyond_the_bound(search: Search, register: impl Fn(&mut Network) + Copy) -> Counterexample {
    let checker = Checker::new().search(search).udp(Udp::new().loss());
    let report = job(&checker, register).check().expect("a report");
    let found = report.counterexample().expect("something is violated").clone();
    assert!(found.may_not_be_least());
    assert!(found.to_string().contains("was given up after 50000 states\n"), "{found}");
    found
}

#[test]
fn beyond_the_bound_of_the_full_space_faults_are_few() {
    let register = |net: &mut Network| {
        asked(net);
        others(net);
    };
    for search in [Search::Bfs, Search::Dfs, Search::Random { seed: 1 }] {
        let found = beyond_the_bound(search, register);
        assert_eq!(cost(found.steps().iter()).0, 1, "{found}");
    }
}

#[test]
fn beyond_the_bound_of_the_full_space_no_step_is_idle() {
    let register = |net: &mut Network| {
        others(net);
        net.process("main", || async {
            for _ in 0..30 {
                choose(0..2).await;
            }
            panic!("it has chosen");
        });
    };
    for search in [Search::Bfs, Search::Dfs, Search::Random { seed: 1 }] {
        let found = beyond_the_bound(search, register);
        assert_eq!(cost(found.steps().iter()), (0, 31, 0), "{found}");
    }
}

#[test]
fn ends_are_judged_as_steps_are() {
    let waits = |net: &mut Network| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
            for _ in 0..2 {
                socket.recv_from(&mut [0; 8]).await.expect("something");
            }
        });
        net.process("sender", || sends(&["a", "b"])).after("receiver");
    };
    assert!(is_least(&Checker::new().udp(Udp::new().loss()), waits) > 5);
    let property = |net: &mut Network| {
        net.daemon("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
            let mut buffer = [0; 8];
            timeout(Duration::from_secs(1), socket.recv_from(&mut buffer)).await.is_ok()
        });
        net.process("sender", || sends(&["a", "b"])).after("receiver");
        net.finally(|end| end.output("receiver") == Some("true"));
    };
    assert!(is_least(&Checker::new().udp(Udp::new().loss()), property) > 2);
}

#[test]
fn a_step_and_an_end_of_the_same_length_are_compared() {
    // A claim fails after a loss, the property of the end without one.
    let executions = is_least(&Checker::new().udp(Udp::new().loss()), |net: &mut Network| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
            let mut buffer = [0; 8];
            socket.recv_from(&mut buffer).await.expect("something");
            always(buffer[0] == b'a', "the first is first");
        });
        net.process("sender", || sends(&["a", "b"])).after("receiver");
        net.finally(|_| false);
    });
    assert!(executions > 3, "{executions}");
}

#[test]
fn a_bound_that_was_met_is_said() {
    let checker = Checker::new().search(Search::Dfs).max_states(15).udp(Udp::new().loss().reorder(2));
    let register = |net: &mut Network| {
        net.daemon("receiver", || receives(&["a", "b"]));
        net.process("sender", || sends(&["a", "c", "b", "a", "b"])).after("receiver");
    };
    let report = job(&checker, register).check().expect("a report");
    let found = report.counterexample().expect("something is violated").clone();
    assert!(found.may_not_be_least());
    assert!(found.to_string().contains("\nnote: there may be an execution with fewer faults"), "{found}");
    assert_eq!(Counterexample::from_json(&found.to_json()), Ok(found));
}

/// Takes steps until no more is possible.
fn goes_on(system: &mut System, initial: &StateVector) -> Result<(), Interrupt> {
    let (mut state, mut next) = (initial.clone(), Vec::new());
    while let Some(step) = Successors::default().within(system, &state, None)?.first().cloned() {
        system.apply(&state, &step, &mut next)?;
        state = StateVector::from_slice(&next);
    }
    Ok(())
}

#[test]
fn after_a_demand_all_attempts_are_made_on_the_system_that_has_it() {
    let mut network = Network::default();
    network.process("reads", || async {
        Instant::now();
    });
    let job = Job::new(Checker::new(), network, Default::default(), Default::default());
    let mut job = job.expect("it can be checked");
    let ((), mut learned) = job.attempt(|_, _, _| Ok(())).expect("nothing was learned");
    let mut demanded = Vec::new();
    for _ in 0..3 {
        let attempt = |_: &Job, system: &mut System, initial: &StateVector| {
            demanded.push(system.demands.clock);
            goes_on(system, initial)
        };
        job.attempt_on(&mut learned, attempt).expect("it ends");
    }
    assert_eq!(demanded, [false, false, true, true, true], "a fresh one learns of it again");
}
