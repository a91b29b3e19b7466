//! Small programs whose verdict was wrong once, each with the outcome that it has by the definition of the semantics.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Deadlocks, Report, Tasks, Tcp, Udp, Verdict, ViolationKind};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// An isolated task that takes so many milliseconds.
#[netcheck::process]
async fn nap(milliseconds: u64) -> u64 {
    sleep(ms(milliseconds)).await;
    milliseconds
}

#[netcheck::process]
async fn panics_after(milliseconds: u64) {
    sleep(ms(milliseconds)).await;
    panic!("it is time");
}

/// The reports with and without reduction, of shared and of tracked tasks; their verdicts and outputs are the same.
fn in_each_way(network: impl Fn(&mut Network) + Clone + Send + 'static, process: &str) -> Report {
    let check = |tasks: Tasks, reduction: bool| Checker::new().tasks(tasks).reduction(reduction).check(network.clone());
    let expected = check(Tasks::Shared, false);
    for (tasks, reduction) in [(Tasks::Shared, true), (Tasks::Tracked, false), (Tasks::Tracked, true)] {
        let report = check(tasks, reduction);
        assert_eq!(report.verdict(), expected.verdict(), "{tasks:?}, reduction {reduction}: {report}");
        if expected.verdict() == Verdict::Verified {
            assert_eq!(report.outputs(process), expected.outputs(process), "{tasks:?}, reduction {reduction}");
        }
    }
    expected
}

fn kind(report: &Report) -> Option<ViolationKind> {
    report.counterexample().map(|counterexample| counterexample.kind())
}

#[test]
fn what_a_daemon_does_after_it_has_waited_for_an_isolated_task_is_explored() {
    let report = in_each_way(
        |net| {
            net.daemon("p", || async {
                tokio::spawn(nap(20)).await.unwrap();
                panic!("after the nap");
            });
        },
        "p",
    );
    assert_eq!(kind(&report), Some(ViolationKind::Panic));
}

#[netcheck::process]
async fn worker() -> usize {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    socket.recv(&mut [0; 8]).await.unwrap()
}

#[test]
fn what_a_daemon_does_after_an_isolated_task_has_received_is_explored() {
    let report = in_each_way(
        |net| {
            net.daemon("server", || async {
                let length = tokio::spawn(worker()).await.unwrap();
                assert_ne!(length, 3, "three bytes");
            });
            net.process("client", || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                socket.send_to(b"abc", "server:4000").await.unwrap();
            });
        },
        "client",
    );
    assert_eq!(kind(&report), Some(ViolationKind::Panic));
}

#[test]
fn daemons_that_wait_for_each_others_tasks_come_to_their_end() {
    let report = in_each_way(
        |net| {
            net.daemon("idle", || async { tokio::spawn(worker()).await.unwrap() });
            net.process("brief", || async { 1 });
        },
        "brief",
    );
    assert_eq!(report.verdict(), Verdict::Verified);
}

#[test]
fn a_parent_that_never_ends_sees_in_which_order_its_isolated_tasks_end() {
    let report = in_each_way(
        |net| {
            net.daemon("p", || async {
                let (mut long, mut short) = (tokio::spawn(nap(20)), tokio::spawn(nap(10)));
                let first = tokio::select! {
                    ended = &mut long => ended.unwrap(),
                    ended = &mut short => ended.unwrap(),
                };
                assert_eq!(first, 20, "the first to end");
                std::future::pending::<()>().await;
            });
        },
        "p",
    );
    assert_eq!(kind(&report), Some(ViolationKind::Panic));
}

#[test]
fn a_parent_that_never_ends_takes_the_first_of_a_set_of_isolated_tasks() {
    let report = in_each_way(
        |net| {
            net.daemon("p", || async {
                let mut set = JoinSet::new();
                set.spawn(nap(20));
                set.spawn(nap(10));
                assert_eq!(set.join_next().await.unwrap().unwrap(), 20, "the first to end");
                std::future::pending::<()>().await;
            });
        },
        "p",
    );
    assert_eq!(kind(&report), Some(ViolationKind::Panic));
}

#[test]
fn a_parent_that_waits_for_one_task_sees_later_which_of_two_others_was_first() {
    let report = in_each_way(
        |net| {
            net.process("p", || async {
                let (one, mut long, mut short) = (tokio::spawn(nap(5)), tokio::spawn(nap(20)), tokio::spawn(nap(10)));
                one.await.unwrap();
                tokio::select! {
                    ended = &mut long => ended.unwrap(),
                    ended = &mut short => ended.unwrap(),
                }
            });
        },
        "p",
    );
    assert_eq!(report.outputs("p"), ["10"]);
}

#[test]
fn a_parent_that_selects_on_two_isolated_tasks_has_one_output() {
    let report = in_each_way(
        |net| {
            net.process("p", || async {
                let (mut long, mut short) = (tokio::spawn(nap(20)), tokio::spawn(nap(10)));
                let first = tokio::select! {
                    ended = &mut long => ended.unwrap(),
                    ended = &mut short => ended.unwrap(),
                };
                (first, long.await.unwrap())
            });
        },
        "p",
    );
    assert_eq!(report.outputs("p"), ["(10, 20)"]);
}

#[test]
fn a_set_of_isolated_tasks_gives_them_in_the_order_of_their_ends() {
    let report = in_each_way(
        |net| {
            net.process("p", || async {
                let mut set = JoinSet::new();
                for milliseconds in [20, 10] {
                    set.spawn(nap(milliseconds));
                }
                let mut ended = Vec::new();
                while let Some(next) = set.join_next().await {
                    ended.push(next.unwrap());
                }
                ended
            });
        },
        "p",
    );
    assert_eq!(report.outputs("p"), ["[10, 20]"]);
}

#[test]
fn whether_an_isolated_task_is_finished_depends_on_the_one_that_was_joined() {
    let report = in_each_way(
        |net| {
            net.process("p", || async {
                let (long, short) = (tokio::spawn(nap(20)), tokio::spawn(nap(10)));
                short.await.unwrap();
                let is_finished = long.is_finished();
                (is_finished, long.await.unwrap())
            });
        },
        "p",
    );
    assert_eq!(report.outputs("p"), ["(false, 20)"]);
}

#[test]
fn an_isolated_task_that_is_aborted_after_another_has_ended_may_have_ended_before() {
    for (first, aborted, cancelled) in [(10, 20, "true"), (20, 10, "false")] {
        let report = in_each_way(
            move |net| {
                net.process("p", move || async move {
                    let (a, b) = (tokio::spawn(nap(aborted)), tokio::spawn(nap(first)));
                    b.await.unwrap();
                    a.abort();
                    a.await.is_err()
                });
            },
            "p",
        );
        assert_eq!(report.outputs("p"), [cancelled], "{first} and {aborted}");
    }
}

#[test]
fn an_isolated_task_panics_before_its_process_ends() {
    let network = |net: &mut Network| {
        net.process("p", || async {
            drop(tokio::spawn(panics_after(5)));
            sleep(ms(10)).await;
        });
    };
    assert_eq!(kind(&in_each_way(network, "p")), Some(ViolationKind::Panic));
}

#[test]
fn an_isolated_task_does_not_panic_after_its_process_has_ended() {
    let network = |net: &mut Network| {
        net.process("p", || async {
            drop(tokio::spawn(panics_after(10)));
            sleep(ms(5)).await;
        });
    };
    assert_eq!(in_each_way(network, "p").verdict(), Verdict::Verified);
}

#[test]
fn a_parent_that_selects_on_two_tasks_and_joins_both_has_one_output() {
    let report = in_each_way(
        |net| {
            net.process("p", || async {
                let task = |milliseconds: u64| tokio::spawn(async move { sleep(ms(milliseconds)).await });
                let (mut long, mut short) = (task(20), task(10));
                let first = tokio::select! {
                    _ = &mut long => 20,
                    _ = &mut short => 10,
                };
                match first {
                    20 => short.await.unwrap(),
                    _ => long.await.unwrap(),
                }
                first
            });
        },
        "p",
    );
    assert_eq!(report.outputs("p"), ["10"]);
}

#[test]
fn a_parent_that_waits_for_one_task_sees_later_which_of_two_tasks_was_first() {
    let report = in_each_way(
        |net| {
            net.process("p", || async {
                let task = |milliseconds: u64| tokio::spawn(async move { sleep(ms(milliseconds)).await });
                let (one, mut long, mut short) = (task(5), task(20), task(10));
                one.await.unwrap();
                tokio::select! {
                    _ = &mut long => 20,
                    _ = &mut short => 10,
                }
            });
        },
        "p",
    );
    assert_eq!(report.outputs("p"), ["10"]);
}

#[test]
fn whether_a_task_is_finished_depends_on_the_one_that_was_joined() {
    let report = in_each_way(
        |net| {
            net.process("p", || async {
                let task = |milliseconds: u64| tokio::spawn(async move { sleep(ms(milliseconds)).await });
                let (long, short) = (task(20), task(10));
                short.await.unwrap();
                let is_finished = long.is_finished();
                long.await.unwrap();
                is_finished
            });
        },
        "p",
    );
    assert_eq!(report.outputs("p"), ["false"]);
}

#[netcheck::process]
async fn waits_in_scope() {
    netcheck::faults::scope(std::future::pending::<()>()).await;
}

#[test]
fn faults_end_with_the_isolated_task_that_was_aborted_in_their_scope() {
    let network = |net: &mut Network| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            timeout(ms(100), socket.recv(&mut [0; 8])).await.is_ok()
        });
        net.process("sender", || async {
            let inside = tokio::spawn(waits_in_scope());
            tokio::task::yield_now().await;
            inside.abort();
            assert!(inside.await.is_err());
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"x", "receiver:4000").await.unwrap();
        })
        .after("receiver");
    };
    for reduction in [true, false] {
        let report = Checker::new().udp(Udp::new().loss()).reduction(reduction).check(network);
        assert_eq!(report.verdict(), Verdict::Verified);
        assert_eq!(report.outputs("receiver"), ["true"], "reduction {reduction}");
    }
}

#[netcheck::process]
async fn asks(server: String) -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"?", &server).await.unwrap();
    timeout(ms(100), socket.recv(&mut [0; 8])).await.is_ok()
}

/// The order in which isolated tasks are met first differs between the search and the run that confirms what it found.
#[test]
fn the_port_that_an_isolated_task_is_given_does_not_depend_on_when_it_was_met() {
    let network = |net: &mut Network| {
        net.daemon("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            loop {
                let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
                socket.send_to(from.port().to_string().as_bytes(), from).await.unwrap();
            }
        });
        for name in ["one", "two"] {
            net.process(name, || async {
                tokio::spawn(nap(10)).await.unwrap();
                let answered = tokio::spawn(asks("server:4000".to_owned())).await.unwrap();
                tokio::spawn(nap(20)).await.unwrap();
                assert!(answered, "an answer");
            })
            .after("server");
        }
    };
    for reduction in [true, false] {
        let report = Checker::new().udp(Udp::new().loss()).reduction(reduction).check(network);
        assert_eq!(kind(&report), Some(ViolationKind::Panic), "reduction {reduction}: {report}");
    }
}

#[test]
fn endless_daemons_that_send_once_are_verified_beside_one_that_ends() {
    let check = |reduction: bool| {
        let checker = Checker::new().reduction(reduction).max_states(100_000);
        checker.check(|net| {
            for name in ["a", "b", "c"] {
                net.daemon(name, sends_once);
            }
            net.daemon("d", || async {});
        })
    };
    assert_eq!(check(true).verdict(), Verdict::Verified);
}

#[netcheck::process]
async fn sends_once() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    socket.send_to(b"x", "a:4000").await.unwrap();
    loop {
        sleep(ms(10)).await;
    }
}

#[netcheck::process]
async fn endless() {
    loop {
        sleep(ms(10)).await;
    }
}

#[netcheck::process]
async fn floods() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.send_to(b"x", "sink:4000").await.unwrap();
        sleep(ms(10)).await;
    }
}

#[test]
fn limits_end_a_check_whose_channel_grows() {
    let check = |reduction: bool| {
        let checker = Checker::new().reduction(reduction).max_states(50);
        checker.check(|net| {
            net.daemon("sink", || async {
                let _socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                endless().await;
            });
            net.daemon("floods", floods);
            net.process("waits", || async { std::future::pending::<()>().await });
        })
    };
    for reduction in [true, false] {
        let report = check(reduction);
        assert_ne!(report.verdict(), Verdict::Verified, "reduction {reduction}");
    }
}

/// A proxy that does not pass on that a client has finished writing.
fn proxied(net: &mut Network) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    net.process("proxy", || async {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                client.read_to_end(&mut bytes).await.unwrap();
                std::future::pending::<()>().await;
            });
        }
    });
    net.process("client", || async {
        let mut stream = TcpStream::connect("proxy:80").await.unwrap();
        stream.write_all(b"?").await.unwrap();
        stream.shutdown().await.unwrap();
        stream.read_to_end(&mut Vec::new()).await.unwrap()
    })
    .after("proxy");
}

#[test]
fn who_waits_for_an_answer_is_stuck_whoever_else_waits_for_a_client() {
    for reduction in [true, false] {
        let report = Checker::new().reduction(reduction).check(proxied);
        assert_eq!(kind(&report), Some(ViolationKind::Deadlock), "reduction {reduction}: {report}");
        let paper = Checker::new().reduction(reduction).deadlocks(Deadlocks::Paper).check(proxied);
        assert_eq!((paper.verdict(), paper.suppressed_deadlocks()), (Verdict::Verified, 1), "{paper}");
        let words: Checker = "deadlocks = paper".parse().unwrap();
        assert_eq!(words.reduction(reduction).check(proxied).verdict(), Verdict::Verified);
    }
}

/// A receiver that is bound, perhaps for the second time, after the datagram was sent.
fn bound_later(net: &mut Network, binds_before: bool) {
    net.process("receiver", move || async move {
        if binds_before {
            drop(UdpSocket::bind("0.0.0.0:4000").await.unwrap());
        }
        sleep(ms(5)).await;
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        timeout(ms(20), socket.recv(&mut [0; 8])).await.is_ok()
    });
    net.process("sender", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"x", "receiver:4000").await.unwrap();
    });
}

#[test]
fn with_delay_a_datagram_arrives_at_whoever_is_bound_then() {
    for binds_before in [false, true] {
        for reduction in [true, false] {
            let check = |udp: Udp| {
                let report =
                    Checker::new().udp(udp).reduction(reduction).check(move |net| bound_later(net, binds_before));
                report.outputs("receiver").to_vec()
            };
            assert_eq!(check(Udp::new().delay(..)), ["false", "true"], "{binds_before}, reduction {reduction}");
            assert_eq!(check(Udp::new()), ["false"], "{binds_before}, reduction {reduction}");
        }
    }
}

#[test]
fn with_delay_copies_of_one_datagram_arrive_at_sockets_bound_one_after_the_other() {
    let network = |net: &mut Network| {
        net.process("receiver", || async {
            let first = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let one = timeout(ms(10), first.recv(&mut [0; 8])).await.is_ok();
            drop(first);
            let second = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            (one, timeout(ms(10), second.recv(&mut [0; 8])).await.is_ok())
        });
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"x", "receiver:4000").await.unwrap();
        })
        .after("receiver");
    };
    let report = Checker::new().udp(Udp::new().copies([2]).delay(..)).check(network);
    assert_eq!(report.outputs("receiver"), ["(false, false)", "(false, true)", "(true, false)", "(true, true)"]);
    let quiet = Checker::new().udp(Udp::new().copies([2])).check(network);
    assert_eq!(quiet.outputs("receiver"), ["(true, false)"]);
}

/// A daemon whose timers are given up: what waits for nothing keeps nobody from going on.
#[test]
fn a_timer_that_nobody_polls_any_more_stops_nobody() {
    let report = in_each_way(
        |net| {
            net.process("p", || async {
                let mut interval = tokio::time::interval(ms(30));
                interval.tick().await;
                let ticked = timeout(ms(10), interval.tick()).await.is_ok();
                sleep(ms(30)).await;
                ticked
            });
            net.process("q", || async {
                let pinned = sleep(ms(30));
                tokio::pin!(pinned);
                let elapsed = tokio::select! { () = &mut pinned => true, () = sleep(ms(10)) => false };
                sleep(ms(40)).await;
                elapsed
            });
        },
        "p",
    );
    assert_eq!((report.outputs("p"), report.outputs("q")), (&["false".to_owned()][..], &["false".to_owned()][..]));
}

#[netcheck::process]
async fn leaves_a_task() {
    tokio::spawn(sleep(ms(10)));
}

#[test]
fn a_task_that_an_isolated_task_leaves_behind_is_an_error_that_names_it() {
    let error = Checker::new().try_check(|net| {
        net.process("p", || async { tokio::spawn(leaves_a_task()).await.unwrap() });
    });
    let error = error.expect_err("nobody follows the task").to_string();
    assert!(error.contains("isolated task \"p/leaves_a_task\" has ended"), "{error}");
    assert!(error.contains("tests/semantics/verdicts.rs"), "{error}");
}

#[netcheck::process]
async fn panics_after_two_timeouts() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let outer = timeout(ms(30), socket.recv(&mut [0; 8])).await.is_ok();
        let inner = timeout(ms(10), socket.recv(&mut [0; 8])).await.is_ok();
        assert!(outer || inner, "nothing came for a round");
    }
}

/// At first it seems that the daemon goes round for ever by itself; that is told anew once it is known who sends to it.
#[test]
fn what_an_endless_daemon_does_when_nothing_comes_is_explored_beside_a_process_that_sends() {
    for reduction in [true, false] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.daemon("p", panics_after_two_timeouts);
            net.process("sender", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                for port in [4000, 4001, 4000] {
                    socket.send_to(b"x", ("p", port)).await.unwrap();
                }
            });
        });
        assert_eq!(kind(&report), Some(ViolationKind::Panic), "reduction {reduction}");
    }
}

#[netcheck::process]
async fn ends_at_once() {}

#[netcheck::process]
async fn looks() -> bool {
    let child = tokio::spawn(ends_at_once());
    let is_finished = child.is_finished();
    child.await.unwrap();
    is_finished
}

#[test]
fn an_isolated_task_that_is_looked_at_has_ended_or_not() {
    let report = in_each_way(
        |net| {
            net.process("p", || async { tokio::spawn(looks()).await.unwrap() });
        },
        "p",
    );
    assert_eq!(report.outputs("p"), ["false", "true"]);
}

/// An isolated task that reads what never comes.
#[netcheck::process]
async fn reads(mut stream: TcpStream) -> bool {
    stream.read_u8().await.is_err()
}

/// All that can still happen is a failure of a call, and it wakes a daemon that has a clock of its own.
#[test]
fn a_daemon_goes_on_when_a_failure_has_ended_the_isolated_task_that_it_waits_for() {
    for (tasks, reduction) in [(Tasks::Shared, true), (Tasks::Shared, false), (Tasks::Tracked, true)] {
        let checker = Checker::new().tcp(Tcp::new().fail_read()).tasks(tasks).reduction(reduction);
        let report = checker.check(|net| {
            net.daemon("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let (stream, _) = listener.accept().await.unwrap();
                assert!(!tokio::spawn(reads(stream)).await.unwrap(), "the read has failed");
            });
            net.daemon("client", || async {
                let _stream = TcpStream::connect("server:80").await.unwrap();
                std::future::pending::<()>().await;
            })
            .after("server");
        });
        assert_eq!(kind(&report), Some(ViolationKind::Panic), "{tasks:?}, reduction {reduction}: {report}");
    }
}

/// Which address a client has shows whether its last connection was closed at both ends before it connected again.
#[test]
fn a_client_that_connects_again_is_seen_with_its_old_address_and_with_a_new_one() {
    for reduction in [true, false] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.daemon("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                drop(listener.accept().await.unwrap());
                drop(listener.accept().await.unwrap());
                std::future::pending::<()>().await;
            });
            net.process("client", || async {
                let first = TcpStream::connect("server:80").await.unwrap().local_addr().unwrap();
                let second = TcpStream::connect("server:80").await.unwrap().local_addr().unwrap();
                first.port() == second.port()
            })
            .after("server");
        });
        assert_eq!(report.outputs("client"), ["false", "true"], "reduction {reduction}: {report}");
    }
}

async fn gives_up() -> Result<(), &'static str> {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.map_err(|_| "it is bound")?;
    let (length, _) = socket.recv_from(&mut [0; 8]).await.map_err(|_| "nothing comes")?;
    if length < 8 { Err("a request is too short") } else { Ok(()) }
}

async fn asks_in_short() {
    UdpSocket::bind("0.0.0.0:0").await.unwrap().send_to(b"short", "server:4000").await.unwrap();
}

#[test]
fn a_daemon_that_ends_with_an_error_is_a_violation_unless_it_may_fail() {
    let report = |may_fail: bool, udp: Udp| {
        Checker::new().udp(udp).try_check(move |net| {
            let server = net.daemon("server", gives_up);
            if may_fail {
                server.may_fail();
            }
            net.process("client", asks_in_short).after("server");
        })
    };
    let failed = report(false, Udp::new().loss()).unwrap();
    assert_eq!(kind(&failed), Some(ViolationKind::Property), "{failed}");
    let message = failed.counterexample().unwrap().message();
    assert!(message.contains(r#"a daemon ended with Err("a request is too short")"#), "{message}");
    assert!(message.contains("verdicts.rs"), "{message}");
    let allowed = report(true, Udp::new().loss()).unwrap();
    assert_eq!(allowed.verdict(), Verdict::Verified, "{allowed}");
    assert_eq!(allowed.outputs("server"), [r#"Err("a request is too short")"#]);
}

#[test]
fn a_process_may_end_with_an_error_and_a_daemon_with_what_looks_like_one() {
    #[derive(Debug)]
    enum Ended {
        Err(#[expect(dead_code, reason = "only its Debug text is looked at")] u8),
    }
    let report = Checker::new().check(|net| {
        net.daemon("server", || async { Ended::Err(1) });
        net.process("client", || async { Err::<(), _>("none") });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(
        (report.outputs("server"), report.outputs("client")),
        (&["Err(1)".to_owned()][..], &[r#"Err("none")"#.to_owned()][..])
    );
}
