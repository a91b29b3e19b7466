//! Links that are cut, and heal: what is lost, what waits, and who waits for ever.

use crate::checked::checked;
use crate::counting::{ask, counter};
use netcheck as tokio;
use netcheck::check::{Checker, Crash, Partition, Report, Tcp, Udp, Verdict, ViolationKind};
use netcheck::monitor::{Monitor, Observer, Rule, Seen};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::timeout;

const SECOND: Duration = Duration::from_secs(1);

fn verified(checker: Checker, register: impl Fn(&mut netcheck::Network) + Copy) -> Report {
    let report = checked(checker, register);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    report
}

fn between() -> Partition {
    Partition::between(["client", "server"])
}

fn cut(partition: Partition) -> Checker {
    Checker::new().partition(partition)
}

fn counting(net: &mut netcheck::Network) {
    net.daemon("server", counter);
    net.process("client", || ask(2)).after("server");
}

#[test]
fn datagrams_over_a_cut_are_lost() {
    let report = verified(cut(between()), counting);
    // A request or an answer is lost, and so may the next one be: the cut heals at any time.
    assert_eq!(report.outputs("client"), ["[0, 0]", "[0, 1]", "[0, 2]", "[1, 0]", "[1, 2]"]);
    let lossy = verified(Checker::new().udp(Udp::new().loss()), counting);
    assert_eq!(report.outputs("client"), lossy.outputs("client"));
    assert_eq!((report.states(), lossy.states()), (55, 39));
}

#[test]
fn a_cut_for_ever_loses_all_that_comes_after() {
    let report = verified(cut(between().for_ever()), counting);
    assert_eq!(report.outputs("client"), ["[0, 0]", "[1, 0]", "[1, 2]"]);
    assert_eq!(report.states(), 33);
}

#[test]
fn one_way_is_cut_and_the_other_is_not() {
    // The answers come, but no request after the cut.
    let requests = verified(cut(between().one_way().for_ever()), counting);
    assert_eq!(requests.outputs("client"), ["[0, 0]", "[1, 0]", "[1, 2]"]);
    let answers = verified(cut(Partition::between(["server", "client"]).one_way()), counting);
    // A request that comes is counted, whether or not its answer does.
    assert_eq!(answers.outputs("client"), ["[0, 0]", "[0, 2]", "[1, 0]", "[1, 2]"]);
    assert_eq!((requests.states(), answers.states()), (25, 39));
}

#[test]
fn so_many_cuts_are_made() {
    let ask_three = |net: &mut netcheck::Network| {
        net.daemon("server", counter);
        net.process("client", || ask(3)).after("server");
    };
    let [once, twice] = [1, 2].map(|times| verified(cut(between().one_way().times(times)), ask_three));
    let with_a_gap = "[0, 1, 0]".to_owned();
    assert!(!once.outputs("client").contains(&with_a_gap) && twice.outputs("client").contains(&with_a_gap));
    assert_eq!((once.states(), twice.states()), (73, 131));
    // Each cut is a fault.
    let one_fault = verified(cut(between().one_way().times(2)).at_most(1), ask_three);
    assert_eq!(one_fault.outputs("client"), once.outputs("client"));
    let no_fault = verified(cut(between()).at_most(0), ask_three);
    assert_eq!(no_fault.outputs("client"), ["[1, 2, 3]"]);
}

/// Two who talk, and two of whom nothing is sent over their link.
fn strangers(net: &mut netcheck::Network) {
    counting(net);
    net.process("hermit", async || 7);
}

#[test]
fn a_link_without_traffic_costs_nothing() {
    let without = verified(Checker::new(), strangers);
    let report = verified(cut(Partition::isolate("hermit")), strangers);
    assert_eq!((report.states(), report.transitions()), (without.states(), without.transitions()));
    // Nor does a cut that may not be made any more.
    let report = verified(cut(Partition::isolate("hermit").times(3).for_ever()).at_most(2), strangers);
    assert_eq!(report.states(), without.states());
}

#[test]
fn faults_happen_in_regions_alone() {
    let report = verified(cut(between()), |net| {
        net.daemon("server", counter);
        net.process("client", async || {
            let first = netcheck::faults::scope(ask(1)).await;
            (first, ask(1).await)
        })
        .after("server");
    });
    let outputs = report.outputs("client");
    assert!(outputs.contains(&"([0], [1])".to_owned()) && !outputs.contains(&"([1], [0])".to_owned()), "{outputs:?}");
}

/// Sends to a group of two.
fn group(net: &mut netcheck::Network) {
    let hears = async || {
        let socket = UdpSocket::bind("239.0.0.1:4000").await.unwrap();
        socket.join_multicast_v4("239.0.0.1".parse().unwrap(), "0.0.0.0".parse().unwrap()).unwrap();
        timeout(SECOND, socket.recv(&mut [0])).await.is_ok()
    };
    net.process("client", hears);
    net.process("server", hears);
    net.process("sender", async || {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"!", "239.0.0.1:4000").await.unwrap();
    })
    .after("client")
    .after("server");
}

#[test]
fn a_datagram_to_a_group_goes_link_by_link() {
    let heard = |partition: Partition| {
        let report = verified(cut(partition), group);
        ["client", "server"].map(|name| report.outputs(name).iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let some = vec!["false".to_owned(), "true".to_owned()];
    assert_eq!(heard(Partition::between(["sender", "client"])), [some.clone(), vec!["true".to_owned()]]);
    assert_eq!(heard(Partition::isolate("sender")), [some.clone(), some]);
}

/// Reads until the end, or for so many seconds.
async fn read_all(stream: &mut TcpStream, seconds: u32) -> String {
    let mut read = Vec::new();
    loop {
        let mut buffer = [0; 8];
        match timeout(SECOND * seconds, stream.read(&mut buffer)).await {
            Ok(Ok(0)) => break read.push(b'.'),
            Ok(Ok(count)) => read.extend_from_slice(&buffer[..count]),
            Ok(Err(error)) => {
                read.extend_from_slice(format!("{:?}", error.kind()).as_bytes());
                break;
            }
            Err(_) => break read.push(b'?'),
        }
    }
    String::from_utf8(read).unwrap()
}

/// Sends two writes to each client.
async fn greeter() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.write_all(b"ab").await;
        let _ = stream.write_all(b"c").await;
    }
}

fn greeting(net: &mut netcheck::Network) {
    net.daemon("server", greeter);
    net.process("client", async || {
        let Ok(stream) = timeout(SECOND, TcpStream::connect("server:80")).await else {
            return "unconnected".to_owned();
        };
        read_all(&mut stream.unwrap(), 1).await
    })
    .after("server");
}

#[test]
fn bytes_and_ends_wait_and_come_in_order() {
    let report = verified(cut(between()), greeting);
    assert_eq!(report.outputs("client"), [r#""?""#, r#""ab?""#, r#""abc.""#, r#""abc?""#, r#""unconnected""#]);
    let for_ever = verified(cut(between().for_ever()), greeting);
    assert_eq!(for_ever.outputs("client"), report.outputs("client"));
    assert_eq!((report.states(), for_ever.states()), (79, 43));
}

#[test]
fn a_connect_waits_for_the_heal() {
    let connects = |net: &mut netcheck::Network| {
        net.daemon("server", greeter);
        net.process("client", async || {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            let mut all = String::new();
            stream.read_to_string(&mut all).await.unwrap();
            all
        })
        .after("server");
    };
    // Without a time-out it waits as long as it takes.
    let report = verified(cut(between()), connects);
    assert_eq!(report.outputs("client"), [r#""abc""#]);
    let found = checked(cut(between().for_ever()), connects);
    assert_eq!(found.counterexample().map(|found| found.kind()), Some(ViolationKind::Deadlock), "{found}");
}

/// A client that does nothing about a lost answer.
fn hopeful(net: &mut netcheck::Network) {
    net.daemon("server", counter);
    net.process("client", async || assert_eq!(ask(1).await, [1])).after("server");
}

#[test]
fn a_cut_is_told_and_repeated() {
    let report = cut(between()).check(hopeful);
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    let text = found.to_string();
    assert!(text.contains("network") && text.contains("cut server | client"), "{text}");
    assert!(!text.contains("heal"), "the shortest execution has no heal: {text}");
    assert!(
        found.mermaid().contains("Note over p0,p1: ") && found.mermaid().contains("cut server | client"),
        "{found}"
    );
    let page = found.html();
    assert!(page.contains("class=\"cut\""), "{page}");
}

#[test]
fn cuts_overlap_and_one_way_is_told() {
    let both = cut(Partition::any().one_way().times(2).for_ever());
    let report = both.check(hopeful);
    let text = report.counterexample().unwrap_or_else(|| panic!("{report}")).to_string();
    assert!(text.contains("cut client -> server") || text.contains("cut server -> client"), "{text}");
}

#[test]
fn what_can_not_be_cut_is_an_error() {
    let message = |checker: Checker| checker.try_check(counting).unwrap_err().to_string();
    let unknown = message(cut(Partition::isolate("sever")));
    assert!(unknown.contains("sever") && unknown.contains("server") && unknown.contains("client"), "{unknown}");
    let itself = message(cut(Partition::between(["client", "client"])));
    assert!(itself.contains("cuts no link"), "{itself}");
    let nobody = message(cut(Partition::between([&["client", "server"][..], &[]])));
    assert!(nobody.contains("cuts no link"), "{nobody}");
    let segments = message(cut(between()).tcp(Tcp::new().delay(..)));
    assert!(segments.contains("`partition` can't be combined with `delay` in `tcp(…)`"), "{segments}");
    let ordered = message(cut(between()).udp(Udp::new().window(2).delay(..)));
    assert!(ordered.contains("`partition` can't be combined with `delay` and `window`"), "{ordered}");
}

#[test]
fn sets_of_hosts_are_cut_off_from_each_other() {
    let heard = |partition: Partition| {
        let report = verified(cut(partition), group);
        let outputs =
            ["client", "server"].map(|name| report.outputs(name).iter().map(ToString::to_string).collect::<Vec<_>>());
        (outputs, report.states())
    };
    let isolated = heard(Partition::isolate("sender"));
    assert_eq!(heard(Partition::between([vec!["sender"], vec!["client", "server"]])), isolated);
    assert_eq!(heard(Partition::between([&["client", "server"][..], &["sender"]])), isolated);
    let one_way = heard(Partition::between([&["client", "server"][..], &["sender"]]).one_way());
    assert_eq!(one_way.0, [["true"], ["true"]], "the sender is sent nothing");
    // Between two sets, and not within one of them.
    assert_eq!(
        heard(Partition::between([vec!["sender", "server"], vec!["client"]])).0,
        [vec!["false", "true"], vec!["true"]]
    );
}

const TICK: Duration = Duration::from_millis(10);

/// Sends two datagrams, 50 ms apart, to one who says which have come after a second.
fn two_datagrams(net: &mut netcheck::Network) {
    net.process("server", async || {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let mut come = String::new();
        let mut buffer = [0];
        while timeout(SECOND, socket.recv(&mut buffer)).await.is_ok() {
            come.push(buffer[0].into());
        }
        come
    });
    net.process("client", async || {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"a", "server:4000").await.unwrap();
        tokio::time::sleep(5 * TICK).await;
        socket.send_to(b"b", "server:4000").await.unwrap();
    })
    .after("server");
}

#[test]
fn a_datagram_that_would_arrive_over_a_cut_is_lost() {
    let delayed = |delay: Udp, partition: Partition| {
        let report = verified(cut(partition).udp(delay), two_datagrams);
        (report.outputs("server").iter().map(ToString::to_string).collect::<Vec<_>>(), report.states())
    };
    let to_server = || Partition::between(["client", "server"]).one_way();
    // The second is sent while the first is under way: it arrives at 100 ms, the second at 150 ms.
    let late = || Udp::new().delays([10 * TICK]);
    let (for_ever, of_for_ever) = delayed(late(), to_server().for_ever());
    assert_eq!(for_ever, [r#""""#, r#""a""#, r#""ab""#]);
    // The first was sent before a cut that stops the second, and comes after the heal.
    let (heals, of_heals) = delayed(late(), to_server());
    assert_eq!(heals, [r#""""#, r#""a""#, r#""ab""#, r#""b""#]);
    // The first takes long, and the second comes before the cut that loses the first at its arrival.
    let (either, of_either) = delayed(Udp::new().delays([TICK, 10 * TICK]), to_server().for_ever());
    assert_eq!(either, [r#""""#, r#""a""#, r#""ab""#, r#""b""#, r#""ba""#]);
    // A datagram that need not arrive may be lost anyhow, or come after the heal.
    let (any, of_any) = delayed(Udp::new().delay(..), to_server().for_ever());
    assert_eq!(any, [r#""""#, r#""a""#, r#""ab""#, r#""b""#, r#""ba""#]);
    let back = delayed(late(), Partition::between(["server", "client"]).one_way());
    assert_eq!(back.0, [r#""ab""#]);
    assert_eq!([of_for_ever, of_heals, of_either, of_any], [30, 51, 56, 44]);
}

#[test]
fn a_datagram_that_is_lost_at_its_arrival_is_told() {
    let report = cut(between().for_ever()).udp(Udp::new().delay(TICK..=2 * TICK)).check(|net| {
        net.process("server", async || {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            // Nothing fails when the datagram is sent.
            let received = netcheck::faults::scope(timeout(SECOND, socket.recv(&mut [0]))).await;
            assert!(received.is_ok(), "nothing has come");
        });
        net.process("client", async || {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"a", "server:4000").await.unwrap();
        })
        .after("server");
    });
    let text = report.counterexample().unwrap_or_else(|| panic!("{report}")).to_string();
    assert!(text.contains("cut server | client") && text.contains("✗ lost: the link is cut"), "{text}");
}

#[test]
fn a_power_failure_behind_a_cut_is_silent_until_both_are_over() {
    let power = || Crash::power().process("server");
    let asks = |net: &mut netcheck::Network| {
        net.daemon("server", greeter);
        net.process("client", async || {
            let Ok(stream) = timeout(SECOND, TcpStream::connect("server:80")).await else {
                return "unconnected".to_owned();
            };
            let Ok(mut stream) = stream else { return "refused".to_owned() };
            let _ = stream.write_all(b"?").await;
            read_all(&mut stream, 1).await
        })
        .after("server");
    };
    let outputs = |checker: Checker| {
        let report = verified(checker, asks);
        (report.outputs("client").iter().map(ToString::to_string).collect::<BTreeSet<_>>(), report.states())
    };
    let (cut_off, _) = outputs(cut(between()));
    let (silent, _) = outputs(Checker::new().crash(power()));
    let (both, states) = outputs(cut(between()).crash(power()));
    assert!(!cut_off.is_subset(&silent) && !silent.is_subset(&cut_off));
    assert_eq!(both, cut_off.union(&silent).cloned().collect());
    assert_eq!(states, 1_109);
}

/// A process that says what it does, and sends a datagram.
fn teller(net: &mut netcheck::Network) {
    net.process("server", async || {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        timeout(SECOND, socket.recv(&mut [0])).await.is_ok()
    });
    net.process("client", async || {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        netcheck::emit!("begin");
        tokio::time::sleep(TICK).await;
        netcheck::emit!("send");
        socket.send_to(b"a", "server:4000").await.unwrap();
        netcheck::emit!("sent");
        tokio::time::sleep(TICK).await;
        netcheck::emit!("end");
    })
    .after("server");
}

/// The cuts and heals that a monitor sees, and the values that it is told.
#[derive(Debug, Clone, PartialEq)]
enum Sight {
    Cut,
    Healed,
    Told(&'static str),
}

/// A monitor that rejects when one thing is seen after another one with nothing else between them.
fn never(one: Sight, then: Sight) -> Observer {
    let monitor = Monitor::builder("never together")
        .state("before")
        .state("after")
        .rule(
            "before",
            "after",
            Rule::on("the first", {
                let one = one.clone();
                move |sight: &Sight| *sight == one
            }),
        )
        .rule("before", "before", Rule::otherwise())
        .rule("after", "before", Rule::on("anything else", move |sight: &Sight| *sight != then))
        .build();
    Observer::new(monitor.unwrap(), |seen| match seen {
        Seen::Cut { from: ["server"], to: ["client"], one_way: false, .. } => Some(Sight::Cut),
        Seen::Healed { from: ["server"], to: ["client"], one_way: false, .. } => Some(Sight::Healed),
        Seen::Emitted { value, .. } => value.get::<&'static str>().map(|told| Sight::Told(told)),
        _ => None,
    })
}

#[test]
fn a_monitor_sees_cuts_and_heals_wherever_they_are() {
    let kind = |partition: Partition, one: Sight, then: Sight| {
        let report = checked(cut(partition), |net| {
            teller(net);
            net.monitor(never(one.clone(), then.clone()));
        });
        report.counterexample().map(|found| (found.kind(), found.to_string()))
    };
    let told = Sight::Told;
    // Also where the cut stops nothing: before the datagram, and after it.
    for then in ["begin", "send", "end"] {
        let (kind, text) = kind(between(), Sight::Cut, told(then)).unwrap_or_else(|| panic!("{then}"));
        assert_eq!(kind, ViolationKind::Monitor);
        assert!(text.contains("cut server | client"), "{text}");
    }
    assert!(kind(between(), Sight::Cut, Sight::Healed).is_some());
    assert!(kind(between(), Sight::Healed, told("end")).is_some());
    // Nothing else comes first.
    assert!(kind(between(), Sight::Healed, Sight::Cut).is_none(), "it is cut once");
    assert!(kind(between().for_ever(), Sight::Cut, Sight::Healed).is_none(), "it stays cut");
    assert!(kind(between(), told("send"), told("end")).is_none());
}

/// Two clients, each with a server of its own, that never meet.
fn two_pairs(net: &mut netcheck::Network) {
    async fn asks(server: &str) -> bool {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        let mut answers = 0;
        for _ in 0..2 {
            socket.send_to(b"?", server).await.unwrap();
            answers += u8::from(timeout(SECOND, socket.recv(&mut [0])).await.is_ok());
        }
        answers == 2
    }
    net.daemon("server", counter);
    net.daemon("other server", counter);
    net.process("client", || asks("server:4000")).after("server");
    net.process("other client", || asks("other server:4000")).after("other server");
}

#[test]
fn links_depend_on_each_other_only_while_they_may_be_cut() {
    let states = |partition: Partition| {
        let report = verified(cut(partition), two_pairs);
        let all = cut(Partition::halves()).reduction(false).check(two_pairs);
        assert!(all.verdict() == Verdict::Verified);
        report.states()
    };
    // One of two links is cut, and the pairs go on by themselves.
    let sides = || Partition::between([&["server", "other server"][..], &["client", "other client"]]);
    // A cut that is left may still be made beside either.
    let all = [sides().for_ever(), sides(), sides().times(2)].map(states);
    assert_eq!(all, [378, 731, 1_633]);
}

/// Sends and receives as the bits of a script say; only the first sends reach the network.
async fn scripted(script: u32, sends_max: usize) -> Vec<u8> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let mut answers = Vec::new();
    let mut sends = 0;
    for step in 0..SCRIPT_STEPS {
        if script >> step & 1 == 0 {
            let mut answer = [0];
            let answered = timeout(SECOND, socket.recv(&mut answer)).await;
            answers.push(answered.map_or(0, |_| answer[0]));
            continue;
        }
        if sends < sends_max {
            socket.send_to(b"?", "server:4000").await.unwrap();
        }
        sends += 1;
    }
    answers
}

const SCRIPT_STEPS: u32 = 5;

/// The relation is one of a single channel: in quiet time, and where all datagrams take the same time.
#[test]
fn a_link_that_is_cut_for_ever_loses_all_that_is_sent_from_some_point_on() {
    let outputs = |checker: &Checker, script: u32, sends_max: usize| -> BTreeSet<String> {
        let report = checker.check(|net| {
            net.daemon("server", counter);
            net.process("client", move || scripted(script, sends_max)).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("client").iter().map(ToString::to_string).collect()
    };
    let mut told_apart = 0;
    for script in 0..1_u32 << SCRIPT_STEPS {
        let all = script.count_ones() as usize;
        for udp in [Udp::new(), Udp::new().delays([TICK])] {
            let checker = Checker::new().udp(udp);
            let lost: BTreeSet<String> = (0..=all).flat_map(|sends_max| outputs(&checker, script, sends_max)).collect();
            let to_server = Partition::between(["client", "server"]).one_way().for_ever();
            let cut_off = outputs(&checker.partition(to_server), script, all);
            assert_eq!(lost, cut_off, "{script:05b}");
            told_apart += usize::from(lost.len() > 1);
        }
    }
    assert!(told_apart > 20, "most scripts receive after they have sent: {told_apart}");
}

/// Sends to itself for ever, in no time.
async fn goes_round() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.send_to(&[1], "server:4000").await.unwrap();
        socket.recv(&mut [0]).await.unwrap();
    }
}

/// A process to which nobody writes waits for ever beside a stranger that goes round in no time, though a cut might stop
/// the links of both.
#[test]
fn a_stranger_that_goes_round_hides_no_process_that_waits_for_ever() {
    let report = checked(cut(Partition::isolate("other")), |net| {
        net.process("client", async || {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let _ = socket.recv(&mut [0]).await;
        });
        net.daemon("other", async || {});
        net.process("server", goes_round);
    });
    let found = report.counterexample().map(|found| found.kind());
    assert_eq!(found, Some(ViolationKind::Deadlock), "{report}");
}

/// A time-out of a receive that a cut may stop fires, though a stranger with a timer goes round in no time.
#[test]
fn a_stranger_that_goes_round_holds_up_no_time_out() {
    let report = checked(cut(Partition::halves()), |net| {
        net.daemon("server", async || {
            tokio::spawn(tokio::time::sleep(SECOND));
            goes_round().await;
        });
        net.process("client", async || {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            assert!(timeout(SECOND, socket.recv(&mut [0])).await.is_ok(), "nobody writes");
        });
    });
    let found = report.counterexample().map(|found| found.kind());
    assert_eq!(found, Some(ViolationKind::Panic), "{report}");
}

/// The outputs of both ends of a connection over which nothing goes, where `words` are declared beside a cut for ever.
fn ends_behind_a_cut(words: &str) -> BTreeSet<[Option<String>; 2]> {
    let mut of_each = [true, false].map(|reduction| {
        let ends = Arc::new(Mutex::new(BTreeSet::new()));
        let seen = Arc::clone(&ends);
        let declared = format!("{words}, partition(isolate = \"client\", for_ever), liveness = off");
        let report = declared.parse::<Checker>().unwrap().reduction(reduction).check(move |net| {
            net.daemon("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let accepted = listener.accept().await.map_err(|error| error.kind());
                let Ok((mut stream, _)) = accepted else { return "not accepted".to_owned() };
                format!("{:?}", stream.read(&mut [0; 4]).await.map_err(|error| error.kind()))
            });
            net.daemon("client", || async {
                let connected = TcpStream::connect("server:80").await.map_err(|error| error.kind());
                let Ok(mut stream) = connected else { return format!("{connected:?}") };
                format!("{:?}", stream.read(&mut [0; 4]).await.map_err(|error| error.kind()))
            })
            .after("server");
            net.finally(move |end| {
                let output = |name| end.output(name).map(str::to_owned);
                seen.lock().unwrap().insert([output("server"), output("client")]);
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        std::mem::take(&mut *ends.lock().unwrap())
    });
    assert_eq!(of_each[0], of_each[1]);
    std::mem::take(&mut of_each[0])
}

/// Nothing else goes over the link, so that only the failure is stopped by the cut.
#[test]
fn a_failure_behind_a_cut_is_not_told_to_the_other_end() {
    let reset = || Some(r#""Err(ConnectionReset)""#.to_owned());
    for words in ["tcp(reset)", "tcp(read)"] {
        let ends = ends_behind_a_cut(words);
        for both in [[reset(), None], [None, reset()], [reset(), reset()], [None, None]] {
            assert!(ends.contains(&both), "{words}: {both:?} is missing in {ends:?}");
        }
        let fails_first = ends_behind_a_cut(&format!("{words}, at_most = 1"));
        assert!(!fails_first.contains(&[reset(), None]), "{words}: a cut is a fault, too: {fails_first:?}");
    }
    let refused = Some(r#""not accepted""#.to_owned());
    let ends = ends_behind_a_cut("tcp(open)");
    assert!(ends.contains(&[refused.clone(), None]) && ends.contains(&[refused, reset()]), "{ends:?}");
}

/// The parts of a write wait one by one, so that a reset may overtake only the last of them.
#[test]
fn a_reset_overtakes_a_part_of_what_waits_for_the_heal() {
    for (split, kept) in [(true, BTreeSet::from([0, 1, 2])), (false, BTreeSet::from([0, 2]))] {
        let tcp = if split { Tcp::new().reset().split() } else { Tcp::new().reset() };
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let all = Arc::clone(&seen);
        verified(cut(between()).tcp(tcp), |net| {
            let seen = Arc::clone(&seen);
            net.process("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let (mut stream, _) = listener.accept().await.unwrap();
                let first = timeout(SECOND, stream.read(&mut [0; 8])).await;
                if first.is_ok() {
                    return None;
                }
                let mut read = 0;
                while let Ok(count @ 1..) = stream.read(&mut [0; 8]).await {
                    read += count;
                }
                Some(read)
            });
            net.process("client", || async {
                let mut stream = TcpStream::connect("server:80").await.ok()?;
                (stream.write(&[1, 2]).await.ok()? == 2).then_some(())?;
                stream.write(&[3]).await.err().map(|error| error.kind())
            })
            .after("server");
            net.finally(move |end| {
                if let (Some(Some(read)), Some(Some(std::io::ErrorKind::ConnectionReset))) =
                    (end.value::<Option<usize>>("server"), end.value::<Option<std::io::ErrorKind>>("client"))
                {
                    seen.lock().unwrap().insert(*read);
                }
            });
        });
        assert_eq!(*all.lock().unwrap(), kept, "split: {split}");
    }
}
