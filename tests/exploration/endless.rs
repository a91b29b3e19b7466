//! Programs that go round for ever: what the reduction puts off has to come all the same.

use netcheck as tokio;
use netcheck::check::{Checker, Identity, Report, Search, Tcp, Udp, Verdict, ViolationKind};
use std::future::pending;
use std::io::ErrorKind;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{Duration, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

#[netcheck::process]
async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let mut buffer = [0; 1];
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

/// Counts answers round and round; panics at 2 if it is told to.
#[netcheck::process]
async fn client(server: String, panics: bool) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let mut number = 0;
    loop {
        socket.send_to(&[number], (server.as_str(), 4000)).await.unwrap();
        let mut buffer = [0; 1];
        let answered = timeout(SECOND, socket.recv(&mut buffer)).await.is_ok();
        if answered && buffer[0] == number {
            number = (number + 1) % 3;
            assert!(!panics || number < 2, "two");
        }
    }
}

/// Clients that count answers round and round, each with a server of its own; the last one may be wrong. That they never end
/// is no violation here.
pub(crate) fn pairs(checker: &Checker, count: usize, panics: bool) -> Report {
    checker.clone().liveness(false).check(move |net| {
        for pair in 0..count {
            let name = format!("server{pair}");
            net.daemon(&name, server);
            let is_wrong = panics && pair + 1 == count;
            net.process(format!("client{pair}"), {
                let name = name.clone();
                move || client(name.clone(), is_wrong)
            })
            .after(name);
        }
    })
}

/// The states of pairs by captured loops alone. By memory as well there are at most as many: which of them it merges
/// depends on what the build leaves in the futures of each pair.
fn states_of_pairs(checker: &Checker, count: usize) -> usize {
    let [captured, both] = [Identity::History, Identity::Memory].map(|identity| {
        let report = pairs(&checker.clone().identity(identity), count, false);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.states()
    });
    assert!(both <= captured, "{both} by memory, {captured} without");
    captured
}

/// The daemon goes round in no time, and may fail as well: what follows its failure is no way to that of the reader, since one
/// fault is all there may be.
#[test]
fn a_failure_beside_an_endless_loop_that_may_fail_is_found_within_the_bound() {
    for search in [Search::Bfs, Search::Dfs, Search::Faults] {
        let checker = Checker::new().search(search).tcp(Tcp::new().fail_open().fail_read()).at_most(1);
        let report = checker.check(|net| {
            net.daemon("spins", || async {
                while TcpStream::connect("server:81").await.unwrap_err().kind() == ErrorKind::ConnectionRefused {}
                loop {
                    tokio::task::yield_now().await;
                }
            });
            net.daemon("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let _accepted = listener.accept().await;
                pending::<()>().await;
            });
            net.daemon("reads", || async {
                let Ok(mut stream) = TcpStream::connect("server:80").await else { return };
                stream.read_u8().await.expect("nothing is sent");
            })
            .after("server");
        });
        assert_eq!(report.counterexample().map(|found| found.kind()), Some(ViolationKind::Panic), "{report}");
    }
}

#[test]
fn pairs_that_never_end_add_up() {
    for search in [Search::Bfs, Search::Dfs, Search::Random { seed: 3 }] {
        let checker = Checker::new().udp(Udp::new().loss()).search(search);
        for count in 1..=4 {
            // The states of each pair add up, beside that which is split.
            assert_eq!(states_of_pairs(&checker, count), 24 * count + usize::from(count > 1));
        }
    }
    let full = Checker::new().udp(Udp::new().loss()).reduction(false);
    assert_eq!(states_of_pairs(&full, 1), 24);
    assert!(states_of_pairs(&full, 2) > 20 * 24);
}

/// Without loss every answer comes at once: time never passes for a pair, and no time-out fires. Each pair has a clock of
/// its own.
#[test]
fn pairs_that_take_no_time_add_up() {
    for (reduction, states) in [(true, [20, 41]), (false, [20, 400])] {
        let checker = Checker::new().reduction(reduction);
        assert_eq!([1, 2].map(|count| states_of_pairs(&checker, count)), states, "reduction {reduction}");
    }
}

#[test]
fn what_comes_after_pairs_that_never_end_is_found() {
    for udp in [Udp::new(), Udp::new().loss()] {
        for search in [Search::Bfs, Search::Dfs, Search::Random { seed: 3 }] {
            for count in 1..=4 {
                let report = pairs(&Checker::new().udp(udp.clone()).search(search), count, true);
                let counterexample = report.counterexample().expect("the last client panics");
                assert_eq!(counterexample.kind(), ViolationKind::Panic);
            }
        }
    }
}

/// Clients of one server are connected: one of them goes round while the others wait.
#[test]
fn clients_of_one_server_are_not_put_off() {
    for reduction in [false, true] {
        let check = |panics: bool| {
            let checker = Checker::new().udp(Udp::new().loss()).reduction(reduction).liveness(false);
            checker.check(move |net| {
                net.daemon("server", server);
                net.process("first", || client("server".to_owned(), false)).after("server");
                net.process("second", move || client("server".to_owned(), panics)).after("server");
            })
        };
        assert_eq!(check(false).verdict(), Verdict::Verified);
        assert_eq!(check(true).verdict(), Verdict::Violated, "reduction {reduction}");
    }
}

#[netcheck::process]
async fn ticks() {
    loop {
        sleep(SECOND).await;
    }
}

/// Sends itself a datagram and takes it, again and again, in no time.
#[netcheck::process]
async fn spins() {
    let socket = UdpSocket::bind("127.0.0.1:4000").await.unwrap();
    loop {
        socket.send_to(b"!", "127.0.0.1:4000").await.unwrap();
        socket.recv(&mut [0; 1]).await.unwrap();
    }
}

async fn waits() {
    sleep(3 * SECOND).await;
    panic!("time has passed");
}

#[test]
fn time_passes_for_others_if_it_passes_in_the_cycle() {
    for reduction in [false, true] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("ticks", ticks);
            net.process("waits", waits);
        });
        assert_eq!(report.verdict(), Verdict::Violated, "reduction {reduction}");
    }
}

/// A process that a loop can't reach has a time of its own.
#[test]
fn a_loop_that_takes_no_time_stops_no_timers_of_others() {
    for reduction in [false, true] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("spins", spins);
            net.process("waits", waits);
        });
        assert_eq!(report.verdict(), Verdict::Violated, "reduction {reduction}");
        let found = report.counterexample().expect("time passes for the other one");
        assert!(found.to_string().contains("time has passed"), "{found}");
    }
}

/// Sends a datagram to another process and one to itself, again and again, in no time.
#[netcheck::process]
async fn spins_for_others() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.send_to(b"!", "waits:4000").await.unwrap();
        socket.send_to(b"!", "127.0.0.1:4000").await.unwrap();
        socket.recv(&mut [0; 1]).await.unwrap();
    }
}

/// Nothing is sent to its first port. The loop has to reach the second one.
async fn waits_at_another_port() {
    let socket = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
    let _ = timeout(3 * SECOND, socket.recv(&mut [0; 1])).await;
    let _socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    panic!("time has passed");
}

/// Timers fire when nothing else can happen that could reach their process, and something always can.
#[test]
fn time_stands_still_for_whoever_a_loop_reaches_that_takes_none() {
    for reduction in [false, true] {
        let report = Checker::new().reduction(reduction).liveness(false).check(|net| {
            net.process("spins", spins_for_others);
            net.process("waits", waits_at_another_port);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "reduction {reduction}: {report}");
    }
}

const TICK: Duration = Duration::from_millis(10);

/// Spins once nothing has arrived for three ticks, which never happens.
#[netcheck::process]
async fn patient() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    for _ in 0..3 {
        socket.recv(&mut [0; 1]).await.unwrap();
    }
    let mut is_answered = true;
    loop {
        while is_answered {
            is_answered = timeout(3 * TICK, socket.recv(&mut [0; 1])).await.is_ok();
        }
    }
}

#[netcheck::process]
async fn steady() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        for datagram in [b"1", b"2", b"3"] {
            let _ = socket.send_to(datagram, "patient:4000").await;
        }
        let _ = timeout(TICK, socket.recv(&mut [0; 1])).await;
    }
}

/// A reduced search that does not know yet what is sent comes to polls that do not return. Each round of loops that are
/// not captured has one more of them: then the check goes on without reduction.
#[test]
fn polls_that_no_execution_comes_to_are_no_error() {
    for (captures, verdict) in [(true, Verdict::Verified), (false, Verdict::Inconclusive)] {
        let checker = Checker::new().identity(Identity::History).capture(captures).max_states(1_000);
        let report = checker.liveness(false).max_poll_duration(Duration::from_millis(500)).check(|net| {
            net.process("patient", patient);
            net.daemon("steady", steady);
        });
        assert_eq!(report.verdict(), verdict);
        assert!(!report.to_string().contains("without reduction"), "{report}");
    }
}

/// A program that never ends, and never reaches a process that waits in vain, does not help it.
#[test]
fn a_deadlock_is_found_beside_an_endless_program() {
    for reduction in [false, true] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("ticks", ticks);
            net.process("deaf", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                socket.recv(&mut [0; 1]).await.unwrap();
            });
        });
        assert_eq!(report.verdict(), Verdict::Violated, "reduction {reduction}");
        let found = report.counterexample().expect("it waits for ever");
        assert_eq!(found.kind(), ViolationKind::Deadlock);
        assert!(found.to_string().contains("deaf waits for recv on port 4000"), "{found}");
        assert!(!found.to_string().contains("ticks"), "the other one has no part in it: {found}");
    }
}

/// Which processes can ever meet is known from the beginning on; of those that can, two may have nothing to do with each
/// other later. A third one, which rests, makes no difference.
#[test]
fn a_deadlock_is_found_beside_an_endless_program_that_it_has_met() {
    for udp in [Udp::new(), Udp::new().delay(..)] {
        for reduction in [false, true] {
            for rests in [false, true] {
                let report = Checker::new().udp(udp.clone()).reduction(reduction).check(|net| {
                    net.process("deaf", || async {
                        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                        socket.send_to(b"!", "listens:4001").await.unwrap();
                        socket.recv(&mut [0; 1]).await.unwrap();
                    });
                    net.daemon("listens", || async {
                        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                        loop {
                            let _ = timeout(TICK, socket.recv(&mut [0; 1])).await;
                        }
                    });
                    if rests {
                        net.daemon("rests", || async {
                            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                            socket.recv(&mut [0; 1]).await.unwrap();
                        });
                    }
                });
                let found = report.counterexample().map(|found| found.kind());
                assert_eq!(found, Some(ViolationKind::Deadlock), "reduction {reduction}, rests {rests}: {report}");
            }
        }
    }
}

/// A process that may be helped still is not deadlocked, however long the helper goes on with something else.
#[test]
fn a_process_that_an_endless_program_may_reach_is_not_deadlocked() {
    for reduction in [false, true] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.daemon("ticks", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                while netcheck::choose([false, true]).await {
                    sleep(SECOND).await;
                }
                socket.send_to(b"!", "waits:4000").await.unwrap();
            });
            net.process("waits", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                socket.recv(&mut [0; 1]).await.unwrap();
            });
        });
        let found = report.counterexample().expect("the datagram may come before the socket is bound");
        assert!(found.to_string().contains("nobody is bound there"), "{found}");
    }
}

/// The end of one process is seen though another goes on for ever.
#[test]
fn outputs_beside_an_endless_program_are_complete() {
    for reduction in [false, true] {
        let checker = Checker::new().udp(Udp::new().loss()).reduction(reduction).liveness(false);
        let report = checker.check(|net| {
            net.process("ticks", ticks);
            net.daemon("server", server);
            net.process("asks", || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                socket.send_to(b"?", "server:4000").await.unwrap();
                timeout(SECOND / 2, socket.recv(&mut [0; 1])).await.is_ok() as u8 + netcheck::choose(0..2).await
            })
            .after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "reduction {reduction}");
        assert_eq!(report.outputs("asks"), ["0", "1", "2"], "reduction {reduction}");
    }
}

/// Sends a datagram every second.
#[netcheck::process]
async fn beats(to: &'static str) {
    let socket = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
    loop {
        socket.send_to(b"!", to).await.unwrap();
        sleep(SECOND).await;
    }
}

#[netcheck::process]
async fn listens() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.recv(&mut [0; 1]).await.unwrap();
    }
}

/// A datagram that has arrived waits for a further copy; once no more faults may happen, none waits any more, so that
/// the same states are met again.
#[test]
fn loops_close_once_no_more_faults_may_happen() {
    for (reduction, expected) in [(false, [16, 22, 26]), (true, [11, 17, 21])] {
        let states = [0, 1, 2].map(|at_most| {
            let udp = Udp::new().copies([1, 2]).window(2);
            let checker = Checker::new().udp(udp).at_most(at_most).reduction(reduction).max_states(1_000);
            let report = checker.check(|net| {
                net.daemon("listener", listens);
                net.daemon("sender", || beats("listener:4000"));
            });
            assert_eq!(report.verdict(), Verdict::Verified, "{report}");
            report.states()
        });
        assert_eq!(states, expected, "reduction {reduction}");
    }
}

/// The last fault is in one channel, and a datagram of another channel was waiting for a further copy.
#[test]
fn the_last_fault_ends_the_wait_for_copies_in_all_channels() {
    for reduction in [false, true] {
        let checker = Checker::new().udp(Udp::new().copies([1, 2])).at_most(1).reduction(reduction);
        let report = checker.check(|net| {
            net.process("server", async || {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                let mut received = Vec::new();
                for _ in 0..3 {
                    let mut buffer = [0; 1];
                    socket.recv(&mut buffer).await.unwrap();
                    received.push(buffer[0]);
                }
                assert_ne!(received, b"abb", "the second one twice");
            });
            for name in ["a", "b"] {
                net.process(name, move || async move {
                    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                    socket.send_to(name.as_bytes(), "server:4000").await.unwrap();
                })
                .after("server");
            }
        });
        let counterexample = report.counterexample().expect("two clients send, and one datagram arrives twice");
        let steps = counterexample.to_string();
        assert!(steps.contains("the second one twice") && steps.contains("duplicated"), "{steps}");
    }
}

/// A process that computes for ever in no time keeps none from passing for a sender that waits between its datagrams: with
/// delays, too, beside datagrams that are under way.
#[test]
fn time_passes_beside_a_loop_that_takes_none_while_datagrams_are_under_way() {
    #[netcheck::process]
    async fn decides() {
        let mut last = false;
        loop {
            std::hint::black_box(last);
            last = netcheck::choose([false, true]).await;
        }
    }
    #[netcheck::process]
    async fn listens_twice() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        for _ in 0..2 {
            socket.recv(&mut [0; 1]).await.unwrap();
        }
        panic!("the second datagram");
    }
    for search in [Search::Bfs, Search::Dfs, Search::Pct { seed: 1, depth: 3 }, Search::Random { seed: 3 }] {
        for reduction in [false, true] {
            let checker =
                Checker::new().udp(Udp::new().delay(..)).search(search).reduction(reduction).max_states(1_000);
            let report = checker.check(|net| {
                net.daemon("decides", decides);
                net.daemon("listener", listens_twice);
                net.daemon("sender", || beats("listener:4000"));
            });
            assert_eq!(report.verdict(), Verdict::Violated, "{search:?}, reduction {reduction}: {report}");
        }
    }
}

/// A datagram every two seconds, for a process that takes none: that component has states without end. Beside it a client
/// gives up after a second, which every execution comes to.
#[test]
fn a_violation_near_the_beginning_is_found_beside_datagrams_that_pile_up() {
    for search in [Search::Bfs, Search::Dfs, Search::Random { seed: 3 }] {
        for reduction in [false, true] {
            if !reduction && search != Search::Bfs {
                continue;
            }
            let checker = Checker::new().search(search).reduction(reduction).max_states(5_000);
            let report = checker.check(|net| {
                net.process("deaf", || async {
                    let _socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                    std::future::pending::<()>().await;
                });
                net.daemon("sender", || async {
                    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                    loop {
                        socket.send_to(b"x", "deaf:4000").await.unwrap();
                        sleep(2 * SECOND).await;
                    }
                })
                .after("deaf");
                net.daemon("client", || async {
                    let socket = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
                    timeout(SECOND, socket.recv(&mut [0; 1])).await.expect("an answer").unwrap();
                });
            });
            let found = report.counterexample().map(|found| found.kind());
            assert_eq!(found, Some(ViolationKind::Panic), "{search:?}, reduction {reduction}: {report}");
        }
    }
}
