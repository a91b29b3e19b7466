//! Executions that never end although everything gets its turn, and those that end at last if everything does.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Crash, Keep, Partition, Report, Tcp, Udp, Verdict, ViolationKind};
use netcheck::monitor::{Observer, Seen};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::{interval, sleep, timeout};

/// The report of a check with the reduction and without it, which come to one verdict.
fn checked(checker: Checker, register: impl Fn(&mut Network) + Copy) -> Report {
    let checker = checker.liveness(true);
    let [reduced, all] = [true, false].map(|reduction| checker.clone().reduction(reduction).check(|net| register(net)));
    assert_eq!(reduced.verdict(), all.verdict(), "{reduced}\n{all}");
    reduced
}

#[track_caller]
fn ends(checker: Checker, register: impl Fn(&mut Network) + Copy) {
    let report = checked(checker, register);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// The steps before the loop of an execution whose message begins with `what`, and those of the loop. It goes on for ever when
/// it is run again from its file, too. By default the same is found, and without liveness nothing.
#[track_caller]
fn goes_on(what: &str, checker: Checker, register: impl Fn(&mut Network) + Copy) -> (Vec<String>, Vec<String>) {
    let without = checker.clone().liveness(false).check(|net| register(net));
    assert_eq!((without.verdict(), without.walked()), (Verdict::Verified, None), "{without}");
    let report = checked(checker.clone(), register);
    let counterexample = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    let by_default = checker.clone().check(|net| register(net));
    assert_eq!(by_default.counterexample(), Some(counterexample));
    assert_eq!(counterexample.kind(), ViolationKind::Liveness, "{report}");
    assert!(counterexample.message().starts_with(what), "{report}");
    let kept = netcheck::check::Counterexample::from_json(&counterexample.to_json()).unwrap();
    assert_eq!(&kept, counterexample);
    let again = checker.replay(|net| register(net), &kept).unwrap();
    assert!(again.is_some_and(|again| again.starts_with("liveness: ")), "{report}");
    let told = |step: &netcheck::check::Step| format!("{}: {} -> {}", step.process, step.operation, step.outcome);
    let steps: Vec<String> = counterexample.steps().iter().map(told).collect();
    let (stem, cycle) = steps.split_at(counterexample.loop_from().expect("it is repeated"));
    assert!(!cycle.is_empty());
    (stem.to_vec(), cycle.to_vec())
}

fn lossy() -> Checker {
    Checker::new().udp(Udp::new().loss())
}

/// Answers each request.
async fn answers() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let (_, from) = socket.recv_from(&mut [0]).await.unwrap();
        socket.send_to(b"!", from).await.unwrap();
    }
}

/// Takes requests, and answers none.
async fn is_silent() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.recv_from(&mut [0]).await.unwrap();
    }
}

/// Asks until there is an answer.
async fn asks_until_answered() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    loop {
        socket.send(b"?").await.unwrap();
        if timeout(Duration::from_secs(1), socket.recv(&mut [0])).await.is_ok() {
            return;
        }
    }
}

#[test]
fn who_asks_again_and_again_is_answered_at_last() {
    let register = |net: &mut Network| {
        net.daemon("server", answers);
        net.process("client", asks_until_answered).after("server");
    };
    // Without a bound of losses, since a network that loses all is not fair; with one, since it is used up.
    ends(lossy(), register);
    ends(lossy().at_most(1), register);
    ends(Checker::new().udp(Udp::new().loss().duplication().reorder(2)), register);
}

#[test]
fn a_server_that_does_not_answer_keeps_its_client_for_ever() {
    let register = |net: &mut Network| {
        net.daemon("server", is_silent);
        net.process("client", asks_until_answered).after("server");
    };
    for checker in [lossy(), lossy().at_most(1), Checker::new()] {
        let (_, cycle) = goes_on("client", checker, register);
        assert!(cycle.iter().any(|step| step.starts_with("server: ")), "the request arrives: {cycle:?}");
    }
    let report = checked(Checker::new(), register);
    insta::assert_snapshot!(report.counterexample().unwrap().without_lines());
}

/// A server that answers the first of two requests in a row takes the answer of each in turn: what is lost is sent again,
/// but never both.
#[test]
fn each_of_two_datagrams_that_are_sent_again_and_again_arrives() {
    async fn collects() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (mut first, mut second) = (false, false);
        while !(first && second) {
            let mut byte = [0];
            socket.recv_from(&mut byte).await.unwrap();
            match byte[0] {
                1 => first = true,
                _ => second = true,
            }
        }
    }
    async fn sends() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        loop {
            for byte in [1, 2] {
                socket.send_to(&[byte], "server:4000").await.unwrap();
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
    ends(lossy(), |net| {
        net.process("server", collects);
        net.daemon("client", sends).after("server");
    });
    // One that is never sent does not arrive.
    async fn sends_the_first() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        loop {
            socket.send_to(&[1], "server:4000").await.unwrap();
            sleep(Duration::from_secs(1)).await;
        }
    }
    goes_on("server", lossy(), |net| {
        net.process("server", collects);
        net.daemon("client", sends_the_first).after("server");
    });
}

/// A second copy may help, and need not come.
#[test]
fn a_fault_that_helps_is_not_demanded() {
    async fn hopes() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.connect("server:4000").await.unwrap();
        loop {
            socket.send(b"?").await.unwrap();
            socket.recv(&mut [0]).await.unwrap();
            if timeout(Duration::from_secs(1), socket.recv(&mut [0])).await.is_ok() {
                return;
            }
        }
    }
    let register = |net: &mut Network| {
        net.daemon("server", answers);
        net.process("client", hopes).after("server");
    };
    let (_, cycle) = goes_on("client", Checker::new().udp(Udp::new().duplication()), register);
    assert_eq!(cycle.len(), 6, "what need not come is lost: {cycle:?}");
}

async fn ticks() {
    let mut ticks = interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
    }
}

async fn spins() {
    loop {
        yield_now().await;
    }
}

#[test]
fn what_goes_on_beside_a_client_that_ends_is_nobodys_fault() {
    // The client waits on the stem only.
    ends(lossy().at_most(2), |net| {
        net.daemon("beside", ticks);
        net.daemon("server", answers);
        net.process("client", asks_until_answered).after("server");
    });
    ends(lossy().at_most(2), |net| {
        net.daemon("beside", spins);
        net.daemon("server", answers);
        net.process("client", asks_until_answered).after("server");
    });
}

#[test]
fn a_process_that_goes_round_never_ends() {
    let (stem, cycle) = goes_on("clock", Checker::new(), |net| {
        net.process("clock", ticks);
    });
    assert_eq!((stem.len(), cycle.len()), (2, 1), "{stem:?} {cycle:?}");
    goes_on("idle", Checker::new(), |net| {
        net.process("idle", spins);
    });
    let report = Checker::new().liveness(true).check(|net| {
        net.process("idle", spins);
    });
    assert!(report.counterexample().unwrap().message().contains("no time passes"), "{report}");
}

/// A task that spins keeps no other task of the process from ending it.
#[test]
fn tasks_of_one_process_all_get_their_turns() {
    ends(Checker::new(), |net| {
        net.process("both", || async {
            tokio::spawn(spins());
            for _ in 0..3 {
                yield_now().await;
            }
        });
    });
    // Unless they wait for what nobody does.
    let never = |net: &mut Network| {
        net.process("both", || async {
            tokio::spawn(spins());
            Notify::new().notified().await;
        });
    };
    goes_on("both", Checker::new(), never);
    // A synchronous call in the loop is no turn of the others.
    ends(Checker::new(), |net| {
        net.process("both", || async {
            let socket = Arc::new(UdpSocket::bind("0.0.0.0:0").await.unwrap());
            tokio::spawn(async move {
                loop {
                    let _ = socket.try_recv(&mut [0]);
                    yield_now().await;
                }
            });
            yield_now().await;
        });
    });
}

#[test]
fn branches_that_are_ready_are_taken_at_last_unless_the_order_is_certain() {
    ends(Checker::new(), |net| {
        net.process("both", || async {
            loop {
                tokio::select! {
                    () = sleep(Duration::from_secs(1)) => {}
                    () = sleep(Duration::from_secs(1)) => return,
                }
            }
        });
    });
    goes_on("both", Checker::new(), |net| {
        net.process("both", || async {
            loop {
                tokio::select! {
                    biased;
                    () = sleep(Duration::from_secs(1)) => {}
                    () = sleep(Duration::from_secs(1)) => return,
                }
            }
        });
    });
}

/// A choice is up to the checker.
#[test]
fn a_choice_need_not_come_out_well() {
    goes_on("player", Checker::new(), |net| {
        net.process("player", || async {
            while !netcheck::choose([true, false]).await {
                sleep(Duration::from_secs(1)).await;
            }
        });
    });
}

#[test]
fn a_server_that_waits_for_a_next_client_need_not_end() {
    async fn server() {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.write_all(b"!").await;
        }
    }
    async fn clients() {
        loop {
            let mut stream = TcpStream::connect("server:4000").await.unwrap();
            stream.read_exact(&mut [0]).await.unwrap();
            drop(stream);
            sleep(Duration::from_secs(1)).await;
        }
    }
    ends(Checker::new(), |net| {
        net.process("server", server);
        net.daemon("clients", clients).after("server");
    });
    // A server that goes on with one client does not come back to `accept`.
    async fn clings() {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        while stream.write_all(b"!").await.is_ok() {
            sleep(Duration::from_secs(1)).await;
        }
    }
    async fn reads() {
        let mut stream = TcpStream::connect("server:4000").await.unwrap();
        while stream.read_exact(&mut [0]).await.is_ok() {}
    }
    let (_, cycle) = goes_on("server", Checker::new(), |net| {
        net.process("server", clings);
        net.daemon("client", reads).after("server");
    });
    assert_eq!(cycle.len(), 3, "{cycle:?}");
}

#[test]
fn failures_stop() {
    async fn connects() {
        while TcpStream::connect("server:4000").await.is_err() {
            sleep(Duration::from_secs(1)).await;
        }
    }
    let register = |net: &mut Network| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
            loop {
                let _ = listener.accept().await;
            }
        });
        net.process("client", connects).after("server");
    };
    ends(Checker::new().tcp(Tcp::new().fail_open()), register);
    ends(Checker::new().tcp(Tcp::new().fail_open()).at_most(1), register);
    goes_on("client", Checker::new(), |net| {
        net.process("client", connects);
    });
}

/// Sleeps and goes round without any time in any order.
async fn dawdles() {
    loop {
        match netcheck::choose([true, false]).await {
            true => sleep(Duration::from_millis(300)).await,
            false => yield_now().await,
        }
    }
}

/// Calls may fail at the instants of each other's timers, so that all share a clock; but nobody's timer waits for a stranger
/// for ever.
#[test]
fn strangers_that_go_round_in_no_time_keep_nobody_from_giving_up() {
    async fn accepts() {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0]).await;
        }
    }
    async fn reads_for_a_second() {
        if let Ok(mut stream) = TcpStream::connect("server:4000").await {
            let _ = timeout(Duration::from_secs(1), stream.read(&mut [0])).await;
        }
    }
    async fn reads_for_seconds() {
        loop {
            reads_for_a_second().await;
        }
    }
    let beside: [fn(&mut Network); 2] = [
        |net| {
            net.daemon("beside", spins);
        },
        |net| {
            net.daemon("beside", dawdles);
        },
    ];
    for checker in [Checker::new(), Checker::new().tcp(Tcp::new().fail_read()).at_most(1), cut()] {
        for beside in beside {
            ends(checker.clone(), |net| {
                net.daemon("server", accepts);
                net.process("client", reads_for_a_second).after("server");
                beside(net);
            });
            goes_on("client", checker.clone(), |net| {
                net.daemon("server", accepts);
                net.process("client", reads_for_seconds).after("server");
                beside(net);
            });
        }
    }
}

#[netcheck::process]
async fn goes_its_own_way() {
    let socket = UdpSocket::bind("0.0.0.0:4002").await.unwrap();
    netcheck::choose([0, 1]).await;
    socket.send_to(b"!", "server:4002").await.unwrap();
}

/// The loop lies in a part of the system, beside a stream the other end of which is in another part.
#[test]
fn a_loop_of_one_part_is_one_of_the_whole() {
    async fn server() {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        tokio::spawn(goes_its_own_way());
        let mut accepted = timeout(Duration::from_millis(20), listener.accept()).await;
        if let Ok(Ok((stream, _))) = &mut accepted {
            let _ = stream.read(&mut [0; 2]).await;
            let _ = stream.read(&mut [0; 4]).await;
        }
        loop {
            sleep(Duration::from_millis(10)).await;
        }
    }
    async fn client() {
        if let Ok(mut stream) = TcpStream::connect("server:4000").await {
            let _ = stream.write(&[1]).await;
        }
    }
    let failing = Tcp::new().fail_read().hang().buffer(2).process("server").first(1);
    for checker in [Checker::new(), Checker::new().tcp(failing).at_most(2)] {
        let (_, cycle) = goes_on("server", checker, |net| {
            net.process("client", client);
            net.process("server", server);
        });
        assert_eq!(cycle.len(), 1, "{cycle:?}");
    }
}

/// A server that has been killed comes back at last.
#[test]
fn a_start_after_a_crash_comes_at_last() {
    let register = |net: &mut Network| {
        net.daemon("server", answers);
        net.process("client", asks_until_answered).after("server");
    };
    ends(Checker::new().crash(Crash::kill().process("server")), register);
    goes_on("client", Checker::new().crash(Crash::kill().process("server").stays_down()), register);
}

#[test]
fn links_that_are_cut_heal_at_last() {
    let register = |net: &mut Network| {
        net.daemon("server", answers);
        net.process("client", asks_until_answered).after("server");
    };
    ends(cut(), register);
    ends(cut().udp(Udp::new().loss()), register);
    goes_on("client never ends", cut_for_ever(), register);
}

/// Links that are cut, and heal.
fn cut() -> Checker {
    Checker::new().partition(Partition::between(["client", "server"]))
}

/// The server does not hear the client any more, or the client not the server.
fn cut_for_ever() -> Checker {
    Checker::new().partition(Partition::between(["client", "server"]).for_ever().one_way())
}

#[test]
fn what_liveness_does_not_cover_is_refused() {
    let register = |net: &mut Network| {
        net.process("clock", ticks);
    };
    let refused = |checker: Checker| checker.liveness(true).try_check(register).unwrap_err().to_string();
    let delay = Checker::new().udp(Udp::new().delay(..));
    assert!(refused(delay).contains("`liveness = on` can't be combined with `delay`"));
    assert!(refused(Checker::new().duration(Duration::from_secs(9))).contains("`duration`"));
    assert!(refused("search = simulate".parse().unwrap()).contains("`search = simulate`"));
}

#[test]
fn by_default_liveness_is_left_out_where_it_is_not_covered() {
    let register = |net: &mut Network| {
        net.process("clock", ticks);
    };
    let left_out = [
        Checker::new().udp(Udp::new().delay(..)),
        Checker::new().duration(Duration::from_secs(9)),
        Checker::new().store(Keep::Fingerprint),
    ];
    for checker in left_out {
        let report = checker.check(register);
        assert_eq!((report.verdict(), report.walked()), (Verdict::Verified, None), "{report}");
    }
}

/// A daemon that looks at what it is sent once a second, and so many processes that each take some steps and send it something.
fn many_send(net: &mut Network, count: usize) {
    net.daemon("sink", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let _ = timeout(Duration::from_secs(1), socket.recv(&mut [0])).await;
        }
    });
    for process in 0..count {
        net.process(format!("sender{process}"), || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for _ in 0..3 {
                netcheck::choose([0]).await;
            }
            socket.send_to(b"!", "sink:4000").await.unwrap();
        });
    }
}

#[test]
fn a_walk_that_is_too_long_is_inconclusive_if_it_was_asked_for() {
    // The reduced search needs fewer states than the walk.
    let register = |net: &mut Network| many_send(net, 3);
    let report = Checker::new().check(register);
    assert!(report.walked().is_some_and(|walked| walked > report.states()), "{report}");
    let bounded = Checker::new().max_states(report.states());
    let asked_for = bounded.clone().liveness(true).check(register);
    assert_eq!((asked_for.verdict(), asked_for.walked()), (Verdict::Inconclusive, None), "{asked_for}");
    let by_default = bounded.check(register);
    assert_eq!((by_default.verdict(), by_default.walked()), (Verdict::Verified, None), "{by_default}");
}

#[test]
fn by_default_a_walk_takes_so_many_states_and_no_more() {
    let report = Checker::new().check(|net| many_send(net, 6));
    assert_eq!((report.verdict(), report.walked()), (Verdict::Verified, None), "{report}");
    let said = "whether all processes end at last was not checked: 10001 states were walked, and there are more; \
                `liveness = on` walks all of them";
    assert!(report.to_string().contains(said), "{report}");
}

/// Asks once.
async fn asks_once() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    socket.send(b"?").await.unwrap();
    let _ = timeout(Duration::from_secs(1), socket.recv(&mut [0])).await;
}

fn walked(register: impl FnOnce(&mut Network)) -> Option<usize> {
    let report = lossy().check(register);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    report.walked()
}

#[test]
fn nothing_is_walked_where_no_loop_has_what_it_takes() {
    // The server goes round only while somebody asks.
    let one = |net: &mut Network| {
        net.daemon("server", answers);
        net.process("client", asks_once).after("server");
    };
    assert_eq!(walked(one), Some(0));
    // One that asks again and again may not be answered.
    let again = |net: &mut Network| {
        net.daemon("server", answers);
        net.process("client", asks_until_answered).after("server");
    };
    assert_eq!(walked(again), Some(20));
    // Nothing has to end in the part of the daemons.
    let beside = |net: &mut Network| {
        net.daemon("server", answers);
        net.daemon("other", asks_for_ever).after("server");
        net.process("client", || async {});
    };
    assert_eq!(walked(beside), Some(3));
}

#[test]
fn who_goes_round_in_no_time_is_told() {
    let told = |liveness: bool| {
        let report = Checker::new().liveness(liveness).check(|net| {
            net.daemon("server", answers);
            net.daemon("client", asks_for_ever).after("server");
            net.daemon("beside", ticks);
            net.process("other", || async {});
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.to_string()
    };
    let sentence =
        "a loop in which no time passes, so that timers of those whom it reaches do not fire: client, server";
    assert!(told(true).contains(sentence), "{}", told(true));
    assert!(!told(false).contains("no time passes"));
    // A clock takes time.
    let report = Checker::new().liveness(true).check(|net| {
        net.daemon("beside", ticks);
    });
    assert!(!report.to_string().contains("no time passes"), "{report}");
}

#[test]
fn nothing_is_walked_where_each_connection_is_made_once() {
    let report = Checker::new().tcp(Tcp::new().fail_open().fail_read()).at_most(1).check(|net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
            loop {
                let Ok((mut stream, _)) = listener.accept().await else { continue };
                let mut byte = [0];
                while stream.read_exact(&mut byte).await.is_ok() && stream.write_all(&byte).await.is_ok() {}
            }
        });
        for name in ["one", "other"] {
            net.process(name, || async {
                let Ok(mut stream) = TcpStream::connect("server:4000").await else { return };
                if stream.write_all(b"?").await.is_ok() {
                    let _ = stream.read_exact(&mut [0]).await;
                }
            })
            .after("server");
        }
    });
    assert_eq!((report.verdict(), report.walked()), (Verdict::Verified, Some(0)), "{report}");
}

/// A datagram of the client.
#[derive(Debug)]
enum Packet {
    Request,
    Answer,
}

netcheck::monitor! {
    monitor Answered over Packet {
        state idle {
            Packet::Request => asked,
            Packet::Answer => idle,
        }
        hot state asked {
            Packet::Request => asked,
            Packet::Answer => idle,
        }
    }
}

fn of_client() -> Observer {
    Observer::new(Answered::new(), |seen| match seen {
        Seen::Departed { process: "client", .. } => Some(Packet::Request),
        Seen::Arrived { process: "client", .. } => Some(Packet::Answer),
        _ => None,
    })
}

/// Asks for ever, and waits for each answer for a while.
async fn asks_for_ever() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    loop {
        socket.send(b"?").await.unwrap();
        let _ = timeout(Duration::from_secs(1), socket.recv(&mut [0])).await;
    }
}

#[test]
fn a_monitor_leaves_its_hot_states_again_and_again() {
    for checker in [Checker::new(), lossy(), lossy().at_most(2)] {
        ends(checker, |net| {
            net.daemon("server", answers);
            net.daemon("client", asks_for_ever).after("server");
            net.daemon("beside", ticks);
            net.monitor(of_client());
        });
    }
}

#[test]
fn a_monitor_that_stays_in_a_hot_state_for_ever_is_a_violation() {
    // Also where only others go on.
    async fn asks_once() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"?", "server:4000").await.unwrap();
    }
    let asked = |net: &mut Network| {
        net.daemon("server", is_silent);
        net.daemon("client", asks_for_ever).after("server");
        net.monitor(of_client());
    };
    let (_, cycle) = goes_on("Answered is in `asked` for ever", lossy(), asked);
    assert!(cycle.iter().any(|step| step.starts_with("server: ")), "{cycle:?}");
    goes_on("Answered is in `asked` for ever", Checker::new(), |net| {
        net.daemon("server", is_silent);
        net.daemon("client", asks_once).after("server");
        net.daemon("beside", ticks);
        net.monitor(of_client());
    });
    // To come to rest there is to stay there, with liveness and without it.
    for liveness in [false, true] {
        let report = Checker::new().liveness(liveness).check(|net| {
            net.daemon("server", is_silent);
            net.process("client", asks_once).after("server");
            net.monitor(of_client());
        });
        let found = report.counterexample().unwrap();
        assert_eq!(found.kind(), ViolationKind::Monitor, "{report}");
        assert!(found.message().contains("`asked` has to be left"), "{report}");
    }
}

/// Asks for ever, and claims that some answer comes at last.
async fn hopes_for_an_answer() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    loop {
        socket.send(b"?").await.unwrap();
        let answer = timeout(Duration::from_secs(1), socket.recv(&mut [0])).await;
        netcheck::eventually!(answer.is_ok(), "an answer");
    }
}

#[test]
fn what_comes_at_last_comes_in_each_fair_execution() {
    for checker in [Checker::new(), lossy(), lossy().at_most(2)] {
        ends(checker.clone(), |net| {
            net.daemon("server", answers);
            net.daemon("client", hopes_for_an_answer).after("server");
            net.eventually("an answer");
        });
        let (_, cycle) = goes_on("an answer is in `not yet` for ever", checker, |net| {
            net.daemon("server", is_silent);
            net.daemon("client", hopes_for_an_answer).after("server");
            net.eventually("an answer");
        });
        assert!(cycle.iter().any(|step| step.starts_with("server: ")), "{cycle:?}");
    }
    // It is about all executions, and so about those that never come to the claim.
    goes_on("an answer is in `not yet` for ever", Checker::new(), |net| {
        net.daemon("beside", ticks);
        net.eventually("an answer");
    });
}

#[test]
fn what_comes_at_last_has_come_where_an_execution_ends() {
    async fn throws() {
        for _ in 0..2 {
            let eyes = netcheck::choose(1..=2).await;
            netcheck::eventually!(eyes == 2, "a two");
            netcheck::eventually!(eyes > 0, "any");
        }
    }
    let check = |names: &[&str]| {
        Checker::new().try_check(|net| {
            net.process("dice", throws);
            names.iter().for_each(|name| net.eventually(*name));
        })
    };
    let found = check(&["a two", "any"]).unwrap();
    assert_eq!(found.counterexample().map(|found| found.kind()), Some(ViolationKind::Monitor), "{found}");
    assert!(found.counterexample().unwrap().message().contains("the monitor `a two` rejects the end"), "{found}");
    // A claim that nobody watches is a mistake.
    let error = check(&["any"]).unwrap_err().to_string();
    assert!(error.contains("`eventually!` \"a two\" is watched by nobody"), "{error}");
}
