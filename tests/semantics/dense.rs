//! Dense time: packets take delays of an interval, and everything that follows from them.

use netcheck::Network;
use netcheck::check::{Checker, Counterexample, Report, Udp, Verdict, ViolationKind};
use netcheck::monitor::{Monitor, Observer, Rule, Seen};
use netcheck::net::UdpSocket;
use netcheck::time::{self, Duration};
use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn within(delays: RangeInclusive<u64>) -> Checker {
    Checker::new().udp(Udp::new().delay(ms(*delays.start())..=ms(*delays.end())))
}

/// A packet arrives, and arms a timer of 7 ms beside one that fires after 10 ms; the order in which they fire.
fn two_timers(net: &mut Network) {
    net.process("receiver", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let order = Rc::new(RefCell::new(Vec::new()));
        let ten = {
            let order = Rc::clone(&order);
            async move {
                time::sleep(ms(10)).await;
                order.borrow_mut().push(10);
            }
        };
        let seven = {
            let order = Rc::clone(&order);
            async move {
                socket.recv(&mut [0; 1]).await.unwrap();
                time::sleep(ms(7)).await;
                order.borrow_mut().push(7);
            }
        };
        netcheck::join!(ten, seven);
        order.take()
    });
    net.process("sender", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"!", "receiver:4000").await.unwrap();
    })
    .after("receiver");
}

#[test]
fn a_timer_that_an_arrival_arms_fires_after_an_earlier_one() {
    let outputs = |checker: Checker| checker.check(two_timers).outputs("receiver").to_vec();
    // The arrival at 5 ms arms the timer of 7 ms, which fires at 12 ms.
    assert_eq!(outputs(within(5..=5)), ["[10, 7]"]);
    assert_eq!(outputs(within(0..=2)), ["[7, 10]"]);
    assert_eq!(outputs(within(0..=3)), ["[10, 7]", "[7, 10]"]);
    // The timer that is polled first is seen first of those that are over together.
    assert_eq!(outputs(within(3..=9)), ["[10, 7]"]);
    assert_eq!(outputs(within(4..=9)), ["[10, 7]"]);
    assert_eq!(outputs(Checker::new().udp(Udp::new().delay(..).window(1))), ["[10, 7]", "[7, 10]"]);
}

/// A client asks, and assumes that the answer comes in time.
fn round_trip(net: &mut Network) {
    net.process("client", || async {
        let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
        socket.send_to(b"?", "server:4000").await.unwrap();
        time::timeout(ms(500), socket.recv(&mut [0; 1])).await.is_ok()
    })
    .after("server");
    net.daemon("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let mut buffer = [0; 1];
            let (_, from) = socket.recv_from(&mut buffer).await.unwrap();
            socket.send_to(&buffer, from).await.unwrap();
        }
    });
}

#[test]
fn an_answer_is_in_time_if_both_ways_are_fast() {
    let outputs = |checker: Checker| checker.check(round_trip).outputs("client").to_vec();
    assert_eq!(outputs(within(0..=249)), ["true"]);
    assert_eq!(outputs(within(0..=250)), ["false", "true"], "at one instant, in any order");
    assert_eq!(outputs(within(251..=300)), ["false"]);
}

/// Two packets, received one after the other.
fn two_packets(net: &mut Network) {
    net.process("receiver", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let mut seen = Vec::new();
        let mut buffer = [0; 1];
        while time::timeout(ms(100), socket.recv(&mut buffer)).await.is_ok() {
            seen.push(buffer[0]);
        }
        seen
    });
    net.process("sender", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(&[1], "receiver:4000").await.unwrap();
        time::sleep(ms(10)).await;
        socket.send_to(&[2], "receiver:4000").await.unwrap();
    });
}

#[test]
fn the_order_of_packets_follows_from_their_delays() {
    let outputs = |checker: Checker| checker.check(two_packets).outputs("receiver").to_vec();
    assert_eq!(outputs(within(5..=14)), ["[1, 2]"]);
    assert_eq!(outputs(within(5..=15)), ["[1, 2]", "[2, 1]"]);
    assert_eq!(outputs(Checker::new().udp(Udp::new().delay(ms(200)..))), ["[]"]);
    assert_eq!(
        outputs(Checker::new().udp(Udp::new().delay(..))),
        ["[1, 2]", "[1]", "[2, 1]", "[2]", "[]"],
        "without an upper bound a packet may never arrive"
    );
    let listed = Checker::new().udp(Udp::new().delays([ms(5), ms(50)]));
    assert_eq!(outputs(listed), ["[1, 2]", "[2, 1]"]);
    let lossy = Checker::new().udp(Udp::new().loss().duplication().delay(ms(5)..=ms(5))).at_most(1);
    assert_eq!(outputs(lossy), ["[1, 1, 2]", "[1, 2, 2]", "[1, 2]", "[1]", "[2]"]);
}

/// Three senders, and the order in which their packets arrive.
fn three_links(net: &mut Network) {
    net.process("receiver", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let mut order = String::new();
        for _ in 0..3 {
            let mut name = [0; 1];
            socket.recv(&mut name).await.unwrap();
            order.push(char::from(name[0]));
        }
        order
    });
    for name in ["a", "b", "c"] {
        net.process(name, move || async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(name.as_bytes(), "receiver:4000").await.unwrap();
        })
        .after("receiver");
    }
}

#[test]
fn each_link_has_delays_of_its_own() {
    let orders = |words: &str| {
        let report = words.parse::<Checker>().unwrap().check(three_links);
        assert_eq!(report.verdict(), Verdict::Verified, "{words}: {report}");
        report.outputs("receiver").iter().map(|order| order.trim_matches('"').to_owned()).collect::<Vec<_>>().join(" ")
    };
    let all = "abc acb bac bca cab cba";
    assert_eq!(orders("udp(delay = 1ms..=2ms)"), all);
    let slow = r#"udp(delay = 3ms..=4ms, between = ["a", "receiver"])"#;
    assert_eq!(orders(slow), "bca cba", "the other two take no time");
    assert_eq!(orders(&format!("{slow}, udp(delay = 1ms..=2ms)")), "bca cba");
    assert_eq!(orders(&format!("{slow}, udp(delay = 1ms..=3ms)")), all);
    assert_eq!(orders(&format!("{slow}, udp(delay = 1ms..=2ms, process = \"b\"), udp(delay = 6ms..=7ms)")), "bac");
    assert_eq!(orders(&format!("{slow}, udp(delay = [5ms], process = \"b\")")), "cab");
    // A packet belongs to the first group that names it.
    assert_eq!(orders(&format!("{slow}, udp(delay = 0ms..=9ms, processes = [\"a\", \"b\"])")), "bca cab cba");
    let elsewhere = r#"udp(delay = 3ms..=4ms, between = ["a", "b"]), udp(delay = 0ms..=1ms)"#;
    assert_eq!(orders(elsewhere), all, "nothing is sent between these");
}

#[test]
fn what_is_lost_is_said_for_each_link_of_its_own() {
    let check = |words: &str| words.parse::<Checker>().unwrap().check(three_links);
    let lossy = r#"udp(loss, between = ["a", "receiver"]), udp(duplication, process = "b")"#;
    let report = check(lossy);
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(found.kind(), ViolationKind::Deadlock, "{report}");
    assert_eq!(found.faults(), Some(lossy));
    assert!(found.to_string().contains(r#"lost: "a" from a:"#), "{found}");
    assert_eq!(check(r#"udp(loss, between = ["a", "b"])"#).verdict(), Verdict::Verified);
}

#[test]
fn groups_that_mean_nothing_are_refused() {
    let refused = |checker: Checker| checker.try_check(three_links).unwrap_err().to_string();
    let [loss, delay] = [Udp::new().loss(), Udp::new().delay(ms(1)..)];
    let never = refused(Checker::new().udp(loss.clone()).also_udp(delay.clone().process("a")));
    assert!(never.starts_with("`udp(loss)` names no process, so every packet belongs to it"), "{never}");
    let ordered = refused(Checker::new().udp(loss.clone().reorder(2).process("a")).also_udp(delay));
    assert!(ordered.contains("can't be combined with the `delay` of other packets"), "{ordered}");
    let unknown = refused(Checker::new().udp(loss.between(["a", "receivr"])));
    assert!(unknown.contains("between") && unknown.contains("receiver"), "{unknown}");
    // In words, at the word.
    let refused = |words: &str| words.parse::<Checker>().unwrap_err().to_string();
    let never = refused(r#"udp(loss), udp(delay, process = "a")"#);
    assert!(never.contains("every packet belongs to this `udp`, which names no process"), "{never}");
    let ordered = refused(r#"udp(loss, reorder = 2, process = "a"), udp(delay = 1ms..)"#);
    assert!(ordered.contains("`reorder` can't be combined with the `delay` of other packets"), "{ordered}");
}

#[test]
fn a_packet_without_an_upper_bound_may_leave_its_receiver_waiting_for_ever() {
    let waits = |net: &mut Network| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.recv(&mut [0; 1]).await.unwrap();
        });
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"!", "receiver:4000").await.unwrap();
        });
    };
    let verdict = |udp: Udp| Checker::new().udp(udp).check(waits).verdict();
    assert_eq!(verdict(Udp::new().delay(ms(1)..)), Verdict::Violated);
    assert_eq!(verdict(Udp::new().delay(..)), Verdict::Violated);
    // The socket may be bound after the packet has come.
    assert_eq!(verdict(Udp::new().delay(ms(1)..=ms(2))), Verdict::Verified);
}

#[test]
fn a_clock_is_read_where_the_time_is_one_number() {
    let reads = |net: &mut Network| {
        net.process("reader", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let start = time::Instant::now();
            socket.recv(&mut [0; 1]).await.unwrap();
            start.elapsed().as_millis()
        });
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"!", "reader:4000").await.unwrap();
        });
    };
    let try_check = |udp: Udp| Checker::new().udp(udp).try_check(reads);
    let outputs = |report: Report| report.outputs("reader").to_vec();
    assert_eq!(outputs(try_check(Udp::new().delay(ms(5)..=ms(5))).unwrap()), ["5"]);
    assert_eq!(outputs(try_check(Udp::new().delays([ms(5), ms(50)])).unwrap()), ["5", "50"]);
    let error = try_check(Udp::new().delay(ms(5)..=ms(50))).unwrap_err().to_string();
    assert!(error.contains("list the delays") && error.contains("dense.rs:"), "{error}");
}

#[test]
fn a_deadline_that_was_computed_from_an_instant_is_exact() {
    let waits = |net: &mut Network| {
        net.process("reader", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let deadline = time::Instant::now() + ms(100);
            let mut count = 0;
            while time::timeout_at(deadline, socket.recv(&mut [0; 1])).await.is_ok() {
                count += 1;
            }
            count
        });
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for _ in 0..2 {
                socket.send_to(b"!", "reader:4000").await.unwrap();
                time::sleep(ms(30)).await;
            }
        });
    };
    let outputs = |checker: Checker| checker.check(waits).outputs("reader").to_vec();
    assert_eq!(outputs(within(1..=69)), ["2"]);
    assert_eq!(outputs(within(1..=70)), ["1", "2"]);
    assert_eq!(outputs(within(80..=100)), ["0", "1"]);
}

/// Reads the clock, and looks at it again when something has come.
fn looks_at_the_clock(net: &mut Network) {
    net.process("reader", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let start = time::Instant::now();
        socket.recv(&mut [0; 1]).await.unwrap();
        let first = time::Instant::now();
        socket.recv(&mut [0; 1]).await.unwrap();
        let second = time::Instant::now();
        time::sleep_until(first + ms(20)).await;
        let (rested, late) = (time::Instant::now(), first + ms(20) < second);
        (late, rested == second, start + ms(30) >= second)
    });
    net.process("sender", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        for _ in 0..2 {
            socket.send_to(b"!", "reader:4000").await.unwrap();
        }
    })
    .after("reader");
}

#[test]
fn instants_that_are_no_numbers_are_compared_and_waited_for() {
    let outputs = |checker: Checker| checker.check(looks_at_the_clock).outputs("reader").to_vec();
    // Both come within 30 ms, and at most 20 ms apart.
    assert_eq!(outputs(within(10..=30)), ["(false, false, true)", "(false, true, true)"]);
    // 20 ms and a nanosecond after the first one, it is late; so it is after 30 ms only if the first one came later.
    let all = ["(false, false, false)", "(false, false, true)", "(false, true, false)", "(false, true, true)"];
    let late = ["(true, true, false)", "(true, true, true)"];
    assert_eq!(outputs(within(0..=40)), [all.as_slice(), &late].concat());
    // The first one comes within 5 ms.
    assert_eq!(outputs(within(5..=5)), ["(false, false, true)"]);
}

#[test]
fn an_interval_may_start_at_an_instant_that_is_no_number() {
    let ticks = |net: &mut Network| {
        net.process("reader", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.recv(&mut [0; 1]).await.unwrap();
            let first = time::Instant::now();
            let mut interval = time::interval_at(first + ms(10), ms(10));
            interval.tick().await;
            let second = time::Instant::now();
            interval.tick().await;
            (second - first, time::Instant::now() - first)
        });
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"!", "reader:4000").await.unwrap();
        })
        .after("reader");
    };
    let report = within(1..=9).check(ticks);
    assert_eq!(report.outputs("reader"), ["(10ms, 20ms)"]);
}

#[test]
fn instants_before_the_start_are_waited_for_and_compared() {
    let waits = |net: &mut Network| {
        net.process("reader", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let stale = time::Instant::now() - ms(60_000);
            socket.recv(&mut [0; 1]).await.unwrap();
            // A mark, as the delay is no number.
            let read = time::Instant::now();
            time::sleep_until(stale).await;
            time::sleep_until(read - ms(60_000)).await;
            let late = time::timeout_at(stale, std::future::pending::<()>()).await.is_err();
            let mut ticks = time::interval_at(stale, ms(40_000));
            let ticked = [ticks.tick().await - stale, ticks.tick().await - stale];
            let no_time_has_passed = time::Instant::now() == read;
            (late, ticked, no_time_has_passed, read - ms(60_000) > stale, read - ms(60_000) > stale + ms(9))
        });
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"!", "reader:4000").await.unwrap();
        })
        .after("reader");
    };
    let report = within(1..=9).check(waits);
    assert_eq!(report.outputs("reader"), ["(true, [0ns, 40s], true, true, false)"], "{report}");
}

/// A client that takes an answer that has not come within a second for one that never will.
fn late_answer(net: &mut Network) {
    net.daemon("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let mut request = [0; 1];
            let (_, from) = socket.recv_from(&mut request).await.unwrap();
            socket.send_to(&request, from).await.unwrap();
        }
    });
    net.process("client", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        for number in 0..2 {
            socket.send_to(&[number], "server:4000").await.unwrap();
            let mut answer = [0; 1];
            if time::timeout(ms(1_000), socket.recv(&mut answer)).await.is_ok() {
                assert_eq!(answer, [number], "the answer to this request");
            }
        }
    })
    .after("server");
}

#[test]
fn a_counterexample_says_when_each_step_happens() {
    let report = within(0..=600).check(late_answer);
    let text = report.counterexample().expect("the answer may come late").to_string();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(" s  ")).map(|line| &line[4..]).collect();
    assert!(lines[4].starts_with("0.000 s  client   send b\"\\0\" to server:4000"), "{text}");
    assert!(lines[5].ends_with("← #5  took 400ms, possible between 0.400 s and 0.600 s"), "{text}");
    assert!(lines[8].starts_with("1.000 s  client   timer -> elapsed"), "{text}");
    assert!(
        lines[10].starts_with("1.000 s  network  deliver b\"\\0\" from server:4000 to client ← #8  took 600ms"),
        "{text}"
    );
}

#[test]
fn a_counterexample_happens_again_at_its_own_instants_and_at_no_impossible_ones() {
    let checker = within(0..=600);
    let report = checker.check(late_answer);
    let found = report.counterexample().expect("the answer may come late");
    let again = checker.replay(late_answer, found).unwrap().expect("the same happens");
    assert!(again.contains("the answer to this request"), "{again}");
    let at = |arrival_ms: u64| {
        let mut json: serde_json::Value = serde_json::from_str(&found.to_json()).unwrap();
        json["steps"][5]["timing"]["at_ns"] = (arrival_ms * 1_000_000).into();
        json["steps"][6]["timing"]["at_ns"] = (arrival_ms * 1_000_000).into();
        json["steps"][7]["timing"]["at_ns"] = (arrival_ms * 1_000_000).into();
        checker.replay(late_answer, &Counterexample::from_json(&json.to_string()).unwrap())
    };
    assert!(at(550).expect("the request may take longer").is_some());
    for impossible_ms in [300, 650] {
        let error = at(impossible_ms).expect_err("the answer would take too long, or the request").to_string();
        assert!(error.contains("step 6 is not possible: it can't happen at this instant"), "{error}");
        assert!(error.contains("at 0.400 s (possible between 0.400 s and 0.600 s)"), "{error}");
    }
}

/// A monitor without clocks that rejects these sightings one after the other, whatever happens between them.
fn never(what: &'static [&'static str]) -> Observer {
    let mut monitor = Monitor::builder("never in this order");
    for seen in 0..what.len() {
        monitor = monitor.state(&seen.to_string());
    }
    for (index, &next) in what.iter().enumerate() {
        let (from, to) = (index.to_string(), (index + 1).to_string());
        if index + 1 < what.len() {
            monitor = monitor.rule(&from, &to, Rule::on("the next", move |seen: &String| seen == next));
        }
        monitor = monitor.rule(&from, &from, Rule::on("another", move |seen: &String| seen != next));
    }
    Observer::new(monitor.build().unwrap(), |seen| match seen {
        Seen::Departed { process, .. } => Some(format!("{process} sends")),
        Seen::Arrived { process, .. } => Some(format!("{process} receives")),
        Seen::Lost { process, .. } => Some(format!("{process} loses")),
        Seen::Fired { process, .. } => Some(format!("{process} has waited")),
        _ => None,
    })
}

#[test]
fn a_monitor_without_clocks_watches_in_dense_time() {
    let (fast, slow) = (within(0..=200), within(0..=300));
    let lossy = Checker::new().udp(Udp::new().delay(ms(0)..=ms(200)).loss());
    let rejected = |what| {
        [&fast, &slow, &lossy].map(|checker| {
            let report = checker.check(|net| {
                net.monitor(never(what));
                round_trip(net);
            });
            assert_ne!(report.verdict(), Verdict::Inconclusive, "{report}");
            report.counterexample().is_some_and(|found| found.kind() == ViolationKind::Monitor)
        })
    };
    assert_eq!(rejected(&["client sends", "server receives", "server sends", "client receives"]), [true; 3]);
    // A time-out needs a slow network or a loss, and nothing else loses a datagram.
    assert_eq!(rejected(&["client has waited"]), [false, true, true]);
    assert_eq!(rejected(&["client loses"]), [false, false, true]);
    assert_eq!(rejected(&["server receives", "server loses"]), [false, false, true]);
    // The answer is under way.
    assert_eq!(rejected(&["server sends", "client has waited"]), [false, true, true]);
    // The client has gone.
    assert_eq!(rejected(&["client has waited", "client receives"]), [false; 3]);
}

/// Beside a task that goes round in no time, no timer of its process fires: what would come after is not asked of the
/// program, which would not return.
#[test]
fn a_program_is_not_asked_what_it_does_when_a_timer_fires_that_never_fires() {
    for reduction in [true, false] {
        let checker = Checker::new().udp(Udp::new().delay(..).window(1)).reduction(reduction);
        let report = checker.max_poll_duration(ms(500)).check(|net| {
            net.daemon("waits", || async {
                netcheck::spawn(async {
                    loop {
                        netcheck::choose(0..2).await;
                    }
                });
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                let is_late = time::timeout(ms(20), socket.recv(&mut [0; 1])).await.is_err();
                if is_late {
                    loop {
                        std::hint::spin_loop();
                    }
                }
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "reduction {reduction}: {report}");
    }
}

/// The second datagram is for a port at which no socket is bound: when it gets there is of no importance.
#[test]
fn a_deadlock_beside_a_datagram_that_nobody_hears_is_confirmed() {
    for checker in [Checker::new().udp(Udp::new().delay(ms(2)..)), within(2..=30)] {
        let report = checker.check(|net| {
            net.process("waits", || async {
                let _bound = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                std::future::pending::<()>().await;
            });
            net.process("sends", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                socket.send_to(b"3", "waits:4000").await.unwrap();
                let _ = time::timeout(ms(20), socket.recv(&mut [0; 1])).await;
                socket.send_to(b"4", "waits:4001").await.unwrap();
            });
        });
        assert_eq!(report.counterexample().map(Counterexample::kind), Some(ViolationKind::Deadlock), "{report}");
    }
}

/// When the datagram has come, the instant until which is slept may be over or not, while another timer runs.
#[test]
fn an_instant_that_may_be_over_is_waited_for_beside_another_timer() {
    let report = Checker::new().udp(Udp::new().delay(..)).check(|net| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let stamp = time::Instant::now();
            time::timeout(ms(50), socket.recv(&mut [0; 1])).await.map_err(|_| "nothing has come")?.unwrap();
            time::sleep_until(stamp + ms(10)).await;
            Ok::<bool, &str>(time::Instant::now() > stamp + ms(10))
        });
        net.process("sender", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.send_to(b"3", "receiver:4000").await.unwrap();
            let _ = time::timeout(ms(30), socket.recv(&mut [0; 1])).await;
        });
    });
    assert_eq!(report.outputs("receiver"), [r#"Err("nothing has come")"#, "Ok(false)", "Ok(true)"], "{report}");
}
