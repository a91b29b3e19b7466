//! Monitors that watch the executions of a check: what they see, how time passes for them, and what a rejection says.

use netcheck::Network;
use netcheck::check::{Checker, Crash, Identity, Report, Search, Tasks, Tcp, Udp, Verdict, ViolationKind};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::monitor::{Guard, Monitor, Observe, Observer, Rule, Seen};
use netcheck::net::{TcpListener, TcpStream, UdpSocket};
use netcheck::time::{sleep, timeout};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A monitor that takes every event, and rejects the end if it has seen this one.
fn that_rejects(name: &str, bad: impl Fn(&String) -> bool + Send + Sync + 'static) -> Monitor<String> {
    Monitor::builder(name)
        .state("good")
        .state("bad")
        .accepting("good")
        .rule("good", "bad", Rule::on("bad", bad))
        .rule("good", "good", Rule::otherwise())
        .rule("bad", "bad", Rule::otherwise())
        .build()
        .unwrap()
}

/// A sighting, as a line: `client departed server:4000 [1]`.
fn line(seen: &Seen<'_>) -> String {
    match seen {
        Seen::Departed { process, peer, port, payload, .. } => format!("{process} departed {peer}:{port} {payload:?}"),
        Seen::Arrived { process, peer, port, payload, .. } => format!("{process}:{port} arrived {peer} {payload:?}"),
        Seen::Lost { process, peer, payload, .. } => format!("{process} lost {peer} {payload:?}"),
        Seen::Connected { process, peer, port, .. } => format!("{process} connected {peer}:{port}"),
        Seen::Accepted { process, peer, port, .. } => format!("{process}:{port} accepted {peer}"),
        Seen::Closed { process, peer, port, .. } => format!("{process} closed {peer} :{port}"),
        Seen::Reset { process, .. } => format!("{process} reset"),
        Seen::Armed { process, after, .. } => format!("{process} armed {after:?}"),
        Seen::Fired { process, .. } => format!("{process} fired"),
        Seen::Started { process, .. } => format!("{process} started"),
        Seen::Crashed { process, .. } => format!("{process} crashed"),
        Seen::Restarted { process, .. } => format!("{process} restarted"),
        Seen::Ended { process, output, .. } => format!("{process} ended {output}"),
        Seen::Emitted { process, value, .. } => format!("{process} emitted {value:?}"),
        _ => unreachable!("these are all"),
    }
}

/// All lines that are seen in some execution, sorted.
fn all_lines(checker: &Checker, network: impl FnOnce(&mut Network)) -> Vec<String> {
    let lines = Arc::new(Mutex::new(std::collections::BTreeSet::new()));
    let seen_by = Arc::clone(&lines);
    let report = checker.check(|net| {
        net.monitor(Observer::new(that_rejects("all", |_| false), move |seen| {
            seen_by.lock().unwrap().insert(line(seen));
            Some(line(seen))
        }));
        network(net);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let lines = lines.lock().unwrap().clone();
    lines.into_iter().collect()
}

#[test]
fn crashes_and_restarts_are_seen() {
    let lines = all_lines(&Checker::new().crash(Crash::kill()), |net| {
        net.process("it", || sleep(ms(5)));
    });
    assert_eq!(lines, ["it armed 5ms", "it crashed", "it ended ()", "it fired", "it restarted", "it started"]);
}

async fn echo_once() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 8];
    let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
    socket.send_to(&buffer[..length], from).await.unwrap();
}

async fn ask() -> bool {
    let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
    socket.send_to(&[7], "server:4000").await.unwrap();
    let mut buffer = [0; 8];
    timeout(ms(10), socket.recv(&mut buffer)).await.is_ok()
}

#[test]
fn datagrams_timers_starts_and_ends_are_seen() {
    let lines = all_lines(&Checker::new().udp(Udp::new().loss()), |net| {
        net.daemon("server", echo_once);
        net.process("client", ask).after("server");
    });
    assert_eq!(
        lines,
        [
            "client armed 10ms",
            "client departed server:4000 [7]",
            "client ended false",
            "client ended true",
            "client fired",
            "client lost server [7]",
            "client started",
            "client:5000 arrived server [7]",
            "server departed client:5000 [7]",
            "server ended ()",
            "server lost client [7]",
            "server started",
            "server:4000 arrived client [7]",
        ]
    );
}

#[test]
fn a_datagram_to_nobody_is_lost_with_its_departure() {
    let lines = all_lines(&Checker::new(), |net| {
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
            socket.send_to(&[1], "10.9.9.9:7").await.unwrap();
        });
    });
    assert_eq!(
        lines,
        ["client departed 10.9.9.9:7 [1]", "client ended ()", "client lost 10.9.9.9 [1]", "client started"]
    );
}

#[test]
fn connections_are_seen_from_both_ends() {
    let checker = Checker::new().tcp(Tcp::new().reset()).at_most(1);
    let lines = all_lines(&checker, |net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut byte = [0];
            _ = stream.read(&mut byte).await;
        });
        net.process("client", || async {
            // The server may have reset the connection before the program knows of it.
            let Ok(mut stream) = TcpStream::connect("server:80").await else { return };
            _ = stream.write(&[1]).await;
            drop(stream);
            netcheck::emit!("done".to_owned());
        })
        .after("server");
    });
    assert_eq!(
        lines,
        [
            "client closed server :80",
            "client connected server:80",
            "client emitted \"done\"",
            "client ended ()",
            "client reset",
            "client started",
            "server closed client :80",
            "server ended ()",
            "server reset",
            "server started",
            "server:80 accepted client",
        ]
    );
}

/// A step in a protocol of one process: what it emits.
#[derive(Clone, Copy, Debug, PartialEq, netcheck::Isolated)]
enum Phase {
    Begun,
    Done,
}

impl Observe for Phase {
    fn observe(seen: &Seen<'_>) -> Option<Self> {
        seen.emitted().copied()
    }
}

/// Work that was begun is done within some time.
fn done_within(limit: Duration) -> Monitor<Phase> {
    Monitor::builder("done in time")
        .clock("c")
        .state("idle")
        .state("begun")
        .deadline("begun", "c", limit)
        .rule("idle", "begun", Rule::on("Begun", |phase| *phase == Phase::Begun).reset("c"))
        .rule("begun", "idle", Rule::on("Done", |phase| *phase == Phase::Done))
        .build()
        .unwrap()
}

fn works_for(work: u64) -> impl Fn(&mut Network) {
    move |net| {
        net.process("worker", move || async move {
            netcheck::emit!(Phase::Begun);
            sleep(ms(work)).await;
            netcheck::emit!(Phase::Done);
        });
    }
}

fn watched(monitor: impl Into<Observer>, network: impl FnOnce(&mut Network)) -> Report {
    Checker::new().check(|net| {
        net.monitor(monitor);
        network(net);
    })
}

#[test]
fn clocks_of_monitors_read_the_time_of_the_check() {
    for (work, limit, verdict) in [(5, 5, Verdict::Verified), (5, 4, Verdict::Violated), (5, 6, Verdict::Verified)] {
        let report = watched(done_within(ms(limit)), works_for(work));
        assert_eq!(report.verdict(), verdict, "{work} within {limit}: {report}");
    }
}

#[test]
fn a_rejection_shows_the_rule_by_its_line_and_what_came() {
    let report = watched(done_within(ms(5)), |net| {
        net.process("worker", || async {
            netcheck::emit!(Phase::Begun);
            netcheck::emit!(Phase::Begun);
        });
    });
    let counterexample = report.counterexample().expect("it is rejected");
    assert_eq!(counterexample.kind(), ViolationKind::Monitor);
    let text = counterexample.to_string();
    let rules = [
        "the monitor `done in time` rejects Begun",
        "in `begun`, expected:",
        "Done leads to `idle` (tests/semantics/monitors.rs:",
        "it is another event",
    ];
    rules.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
}

#[test]
fn a_trace_says_where_each_monitor_is_after_each_step() {
    let report = Checker::new().check(|net| {
        net.monitor(done_within(ms(5)));
        net.monitor(done_within(ms(9)));
        works_for(7)(net);
    });
    let counterexample = report.counterexample().expect("seven are more than five");
    let trace: serde_json::Value = serde_json::from_str(&counterexample.to_json()).unwrap();
    let states = &trace["situations"]["states"];
    let walk = |name: &str| -> Vec<String> {
        let changes = trace["situations"]["changes"].as_array().unwrap();
        let numbers = changes.iter().filter_map(|changes| changes[name].as_u64());
        numbers.map(|number| states[number as usize]["is"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(walk("monitor done in time"), ["`idle`", "`begun`", "rejects"], "{trace}");
    assert_eq!(walk("monitor done in time (2)"), ["`idle`", "`begun`", "`idle`"], "{trace}");
    let page = report.html().unwrap();
    for drawn in
        ["<h2>monitor done in time</h2>", "<h2>monitor done in time (2)</h2>", ">begun, c &lt;= 5ms<", ">Done<"]
    {
        assert!(page.contains(drawn), "{drawn}");
    }
    // The nodes that are marked, with the steps after which they are: of the process, and of both monitors.
    let walks = page.split_once(r#"id="walks">"#).unwrap().1.split_once("</script>").unwrap().0;
    let walks: serde_json::Value = serde_json::from_str(walks).unwrap();
    assert_eq!(walks[1], serde_json::json!([[0, 0], [1, 1]]), "{walks}");
    assert_eq!(walks[2], serde_json::json!([[0, 0], [1, 1], [2, 0]]), "{walks}");
}

#[test]
fn a_deadline_that_nothing_keeps_any_more_rejects_the_end() {
    let report = watched(done_within(ms(5)), |net| {
        net.process("worker", || async { netcheck::emit!(Phase::Begun) });
    });
    let text = report.to_string();
    assert!(text.contains("nothing more will happen, and the monitor `done in time` rejects: a deadline"), "{text}");
}

#[test]
fn an_endless_program_comes_back_to_states_in_which_clocks_read_as_much() {
    let network = |net: &mut Network| {
        net.daemon("worker", || async {
            loop {
                netcheck::emit!(Phase::Begun);
                sleep(ms(3)).await;
                netcheck::emit!(Phase::Done);
                sleep(ms(1_000)).await;
            }
        });
    };
    let checker = Checker::new().identity(Identity::Memory).max_states(1_000);
    for (limit, verdict) in [(4, Verdict::Verified), (2, Verdict::Violated)] {
        let report = checker.check(|net| {
            net.monitor(done_within(ms(limit)));
            network(net);
        });
        assert_eq!(report.verdict(), verdict, "{report}");
    }
}

/// Two pairs of processes that exchange datagrams.
fn two_pairs(net: &mut Network) {
    for pair in 0..2u16 {
        net.daemon(format!("server{pair}"), move || async move {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let mut buffer = [0; 8];
            loop {
                let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
                socket.send_to(&buffer[..length], from).await.unwrap();
            }
        });
        net.process(format!("client{pair}"), move || async move {
            let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
            socket.connect(format!("server{pair}:4000")).await.unwrap();
            let mut answers = 0;
            for question in 0..3 {
                socket.send(&[question]).await.unwrap();
                answers += u8::from(timeout(ms(10), socket.recv(&mut [0; 8])).await.is_ok());
            }
            answers
        })
        .after(format!("server{pair}"));
    }
}

#[test]
fn what_a_monitor_does_not_see_is_reduced_as_without_it() {
    let checker = Checker::new().udp(Udp::new().loss());
    let without = checker.check(two_pairs);
    let departures_of = |processes: &'static [&'static str]| {
        move |seen: &Seen<'_>| match seen {
            Seen::Departed { process, payload, .. } if processes.contains(process) => Some(format!("{payload:?}")),
            _ => None,
        }
    };
    let with = |processes: &'static [&'static str]| {
        checker.check(|net| {
            net.monitor(Observer::new(that_rejects("departures", |_| false), departures_of(processes)));
            two_pairs(net);
        })
    };
    let (one_pair, both) = (with(&["client0", "server0"]), with(&["client0", "client1"]));
    for report in [&without, &one_pair, &both] {
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("client1"), without.outputs("client1"));
    }
    assert_eq!(one_pair.states(), without.states(), "the pairs are explored one after the other");
    assert!(both.states() > without.states(), "the pairs are explored together: {}", both.states());
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let check = |threads: usize, times: i64| {
        let monitor = Monitor::builder("few")
            .variable("sent", 0..=times)
            .state("all")
            .rule("all", "all", Rule::on("sent", |_: &String| true).set("sent", |_, values| values.get("sent") + 1))
            .build()
            .unwrap();
        let decode = |seen: &Seen<'_>| match seen {
            Seen::Lost { process, .. } => Some((*process).to_owned()),
            _ => None,
        };
        Checker::new().udp(Udp::new().loss()).threads(threads).check(|net| {
            net.monitor(Observer::new(monitor, decode));
            two_pairs(net);
        })
    };
    for times in [2, 6] {
        let (one, three) = (check(1, times), check(3, times));
        assert_eq!(
            (one.verdict(), one.states(), one.transitions()),
            (three.verdict(), three.states(), three.transitions())
        );
        let text = |report: &Report| report.counterexample().map(ToString::to_string);
        assert_eq!(text(&one), text(&three));
        assert_eq!(one.verdict(), if times == 2 { Verdict::Violated } else { Verdict::Verified });
    }
}

/// Losses, reduced and not, in several orders: how many of them a monitor sees at the most.
#[test]
fn losses_are_seen_in_the_same_executions_with_and_without_reduction() {
    let verdict = |reduction: bool, search: Search, times: i64| {
        let monitor = Monitor::builder("few")
            .variable("lost", 0..=times)
            .state("all")
            .rule("all", "all", Rule::on("lost", |_: &String| true).set("lost", |_, values| values.get("lost") + 1))
            .build()
            .unwrap();
        let decode = |seen: &Seen<'_>| match seen {
            Seen::Lost { peer: "server", .. } => Some("lost".to_owned()),
            _ => None,
        };
        let checker = Checker::new().udp(Udp::new().loss().reorder(2)).reduction(reduction).search(search);
        let report = checker.check(|net| {
            net.monitor(Observer::new(monitor, decode));
            net.daemon("server", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                loop {
                    socket.recv(&mut [0; 8]).await.unwrap();
                }
            });
            net.process("client", || async {
                let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
                for number in 0..3 {
                    socket.send_to(&[number], "server:4000").await.unwrap();
                }
            })
            .after("server");
        });
        report.verdict()
    };
    for search in [Search::Bfs, Search::Dfs] {
        for reduction in [true, false] {
            assert_eq!(verdict(reduction, search, 2), Verdict::Violated, "all three may be lost");
            assert_eq!(verdict(reduction, search, 3), Verdict::Verified, "no more than three are lost");
        }
    }
}

/// A client that asks once and waits for the answer, over links on which each datagram takes 1 to 6 ms.
fn round_trip(monitor: Monitor<String>) -> Report {
    Checker::new().udp(Udp::new().delay(ms(1)..=ms(6))).check(|net| {
        net.monitor(Observer::new(monitor, |seen| match seen {
            Seen::Departed { process: "client", .. } => Some("question".to_owned()),
            Seen::Arrived { process: "client", .. } => Some("answer".to_owned()),
            _ => None,
        }));
        net.daemon("server", echo_once);
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
            socket.send_to(&[7], "server:4000").await.unwrap();
            socket.recv(&mut [0; 8]).await.unwrap();
        })
        .after("server");
    })
}

/// Questions and answers in turn; the guard is of the answer, by a clock that is reset by the question.
fn answered(guard: Guard<String>, deadline_ms: u64) -> Monitor<String> {
    Monitor::builder("answers")
        .clock("since")
        .state("idle")
        .state("asked")
        .deadline("asked", "since", ms(deadline_ms))
        .rule("idle", "asked", Rule::on("question", |event: &String| event == "question").reset("since"))
        .rule("asked", "idle", Rule::on("answer", |event: &String| event == "answer").guard(guard))
        .build()
        .unwrap()
}

#[test]
fn in_dense_time_clocks_read_all_that_the_delays_allow() {
    let verdict = |monitor| round_trip(monitor).verdict();
    // The round trip takes 2 to 12 ms.
    assert_eq!(verdict(answered(Guard::always(), 12)), Verdict::Verified);
    assert_eq!(verdict(answered(Guard::at_least("since", ms(2)), 12)), Verdict::Verified);
    let bounds = [
        (Guard::always(), 11),
        (Guard::at_least("since", ms(2) + Duration::from_nanos(1)), 12),
        (Guard::at_most("since", ms(12) - Duration::from_nanos(1)), 12),
        (Guard::more_than("since", ms(2)), 12),
        (Guard::less_than("since", ms(12)), 12),
        // inside of the interval: neither bound of it is meant
        (Guard::at_most("since", ms(5)).or(Guard::at_least("since", ms(6))), 12),
    ];
    for (guard, deadline_ms) in bounds {
        let report = round_trip(answered(guard, deadline_ms));
        let kind = report.counterexample().map(|counterexample| counterexample.kind());
        assert_eq!(kind, Some(ViolationKind::Monitor), "{report}");
    }
}

/// The instants of the counterexample are those of the rejection.
#[test]
fn a_rejection_in_dense_time_says_when_it_happens() {
    let report = round_trip(answered(Guard::at_least("since", ms(3)), 12));
    let text = report.counterexample().unwrap().to_string();
    assert!(text.contains("since reads less than 3ms"), "{text}");
    assert!(text.contains("10. 0.002 s  client   recv"), "the least schedule: {text}");
    let report = round_trip(answered(Guard::always(), 10));
    let text = report.counterexample().unwrap().to_string();
    assert!(
        text.contains("a deadline has passed") && text.contains("`asked` must be left while since <= 10ms"),
        "{text}"
    );
    assert!(text.contains("0.011 s"), "later than the deadline, and by whole milliseconds: {text}");
}

/// A deadline that nothing follows is missed by the end; one that time never reaches is not.
#[test]
fn in_dense_time_deadlines_are_missed_where_nothing_more_happens() {
    let silent = |deadline_ms: u64| {
        let monitor = Monitor::builder("must be told")
            .clock("since")
            .state("waiting")
            .state("told")
            .deadline("waiting", "since", ms(deadline_ms))
            .rule("waiting", "told", Rule::on("told", |event: &String| event.ends_with("ended ()")).reset("since"))
            .rule("told", "told", Rule::otherwise())
            .observes(|event| event.contains("ended"))
            .build()
            .unwrap();
        Checker::new().udp(Udp::new().delay(..)).check(|net| {
            net.monitor(Observer::new(monitor, |seen| Some(line(seen))));
            net.daemon("server", || async {
                UdpSocket::bind("0.0.0.0:4000").await.unwrap().recv(&mut [0; 8]).await.unwrap();
            });
            net.process("client", || async {
                let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
                socket.send_to(&[1], "server:4000").await.unwrap();
                sleep(ms(20)).await;
            })
            .after("server");
        })
    };
    assert_eq!(silent(20).verdict(), Verdict::Verified, "the client ends at 20 ms");
    let late = silent(19);
    assert_eq!(late.counterexample().map(|found| found.kind()), Some(ViolationKind::Monitor), "{late}");
}

/// The answer to a connect takes a time of its own: a clock reads any such time between two events, too.
#[test]
fn in_dense_time_clocks_run_between_events_of_streams() {
    let check = |guard: Guard<String>| {
        let connected = |event: &String| event.contains("connected");
        let monitor = Monitor::builder("accepts")
            .clock("since")
            .state("idle")
            .state("connected")
            .state("accepted")
            .rule("idle", "accepted", Rule::on("accepted", |event: &String| event.contains("accepted")).reset("since"))
            .rule("accepted", "connected", Rule::on("connected", connected).guard(guard))
            .observes(|event| event.contains("connected") || event.contains("accepted"))
            .build()
            .unwrap();
        Checker::new().tcp(Tcp::new().delay(ms(1)..)).check(|net| {
            net.monitor(Observer::new(monitor, |seen| Some(line(seen))));
            net.daemon("server", || async {
                let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
                listener.accept().await.unwrap();
            });
            net.process("client", || async {
                TcpStream::connect("server:4000").await.unwrap();
            })
            .after("server");
        })
    };
    assert_eq!(check(Guard::at_least("since", ms(1))).verdict(), Verdict::Verified);
    assert_eq!(check(Guard::at_most("since", ms(5))).verdict(), Verdict::Violated, "the answer may come later");
    assert_eq!(check(Guard::more_than("since", ms(1))).verdict(), Verdict::Violated, "and after 1 ms");
}

/// A clock that is never reset ages without bound, and still an endless exchange has an end.
#[test]
fn in_dense_time_endless_programs_have_finitely_many_zones_with_clocks() {
    let monitor = Monitor::builder("pace")
        .clock("age")
        .clock("since")
        .state("young")
        .state("old")
        .rule("young", "young", Rule::on("any", |_: &String| true).at_most("age", ms(50)).reset("since"))
        .rule("young", "old", Rule::on("any", |_| true).guard(Guard::more_than("age", ms(50))).reset("age"))
        .rule("old", "old", Rule::on("any", |_| true).at_least("since", ms(0)))
        .build()
        .unwrap();
    let report = Checker::new().udp(Udp::new().delay(ms(1)..=ms(3))).max_states(20_000).check(|net| {
        net.monitor(Observer::new(monitor, |seen| match seen {
            Seen::Arrived { process: "client", .. } => Some("answer".to_owned()),
            _ => None,
        }));
        net.daemon("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            loop {
                let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
                socket.send_to(&[1], from).await.unwrap();
            }
        });
        net.daemon("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
            loop {
                socket.send_to(&[1], "server:4000").await.unwrap();
                socket.recv(&mut [0; 8]).await.unwrap();
            }
        })
        .after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn reductions_that_cannot_be_argued_are_left_out_and_reported() {
    let lost = |seen: &Seen<'_>| matches!(seen, Seen::Lost { .. }).then(|| line(seen));
    let checker = Checker::new().udp(Udp::new().loss()).subsumption(true).symmetry(true).tasks(Tasks::Tracked);
    let report = checker.check(|net| {
        net.monitor(Observer::new(that_rejects("losses", |_| false), lost));
        net.daemon("server", echo_once);
        net.process("client", ask).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(
        report.left_out(),
        [
            "without reduction: a monitor watches tracked tasks (`tasks = tracked`)",
            "without subsumption: a monitor sees that datagrams are lost",
        ]
    );
    assert_eq!((report.subsumed(), report.pruned()), (0, 0));
    let shared = checker.tasks(Tasks::Shared).check(|net| {
        net.monitor(Observer::new(that_rejects("ends", |_| false), |seen| {
            matches!(seen, Seen::Ended { .. }).then(|| line(seen))
        }));
        net.daemon("server", echo_once);
        net.process("client", ask).after("server");
    });
    assert_eq!(shared.asymmetries(), ["a monitor sees which process is which"]);
    assert_eq!(shared.left_out(), [""; 0]);
}

#[test]
fn a_decoder_that_panics_is_an_error_of_the_check() {
    let decode = |seen: &Seen<'_>| -> Option<String> {
        match seen {
            Seen::Departed { payload, .. } => panic!("no packet: {payload:?}"),
            _ => None,
        }
    };
    let checked = Checker::new().try_check(|net| {
        net.monitor(Observer::new(that_rejects("packets", |_| false), decode));
        net.daemon("server", echo_once);
        net.process("client", ask);
    });
    let error = checked.expect_err("it can't be checked").to_string();
    assert!(
        error.contains("the monitor `packets` panicked: no packet: [7] at tests/semantics/monitors.rs:"),
        "{error}"
    );
}

#[test]
fn a_rejected_execution_is_replayed() {
    let network = |net: &mut Network| {
        net.monitor(done_within(ms(5)));
        works_for(6)(net);
    };
    let report = Checker::new().check(network);
    let counterexample = report.counterexample().expect("it is rejected");
    let again = Checker::new().replay(network, counterexample).expect("it is the same program");
    let again = again.expect("it is rejected again");
    assert!(counterexample.to_string().starts_with(&again), "{again}");
}
