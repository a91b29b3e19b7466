//! Automata of processes, as drawings.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Automaton, Checker, Identity, Search, Udp, Verdict};
use std::collections::BTreeSet;
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

/// Asks until there is an answer, three times at the most.
fn asking(net: &mut Network, gives_up: bool) {
    net.daemon("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
            socket.send_to(b"answer", from).await.unwrap();
        }
    });
    let client = move || async move {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        for _ in 0..3 {
            socket.send_to(b"ask", "server:4000").await.unwrap();
            if timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await.is_ok() {
                return;
            }
        }
        assert!(gives_up, "no answer");
    };
    net.process("client", client).after("server");
}

/// With an end, or with a panic.
fn automata(gives_up: bool) -> Vec<Automaton> {
    let checker = Checker::new().identity(Identity::History).udp(Udp::new().loss());
    let report = checker.check(|net| asking(net, gives_up));
    report.automata().to_vec()
}

#[test]
fn a_state_diagram_in_mermaid() {
    insta::assert_snapshot!(automata(false).iter().map(Automaton::mermaid).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_graph_in_dot() {
    insta::assert_snapshot!(automata(false).iter().map(Automaton::dot).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_order_of_the_search_does_not_show() {
    let expected = automata(true);
    assert_eq!(automata(true), expected, "nor does the run");
    for search in [Search::Dfs, Search::Random { seed: 3 }] {
        for reduction in [true, false] {
            let checker = Checker::new().identity(Identity::History).udp(Udp::new().loss());
            let checker = checker.search(search).reduction(reduction);
            let report = checker.check(|net| asking(net, true));
            assert_eq!(report.automata(), expected, "{search:?}, {reduction}");
        }
    }
}

#[test]
fn only_what_was_taken_is_there() {
    let report = Checker::new().check(|net| {
        net.process("it", || async { assert!(netcheck::choose(0..3).await != 0, "the first") });
    });
    let automaton = report.automaton("it");
    assert_eq!((report.verdict(), automaton.nodes(), automaton.edges()), (Verdict::Violated, 3, 2));
    assert!(automaton.dot().contains(": the first"), "{}", automaton.dot());
}

#[test]
fn those_far_from_the_start_are_left_out() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            netcheck::choose(0..10).await * 100 + netcheck::choose(0..10).await * 10 + netcheck::choose(0..10).await
        });
    });
    // One before the start, one that has started, then 10, 100 and 1000.
    let automaton = report.automaton("it");
    assert_eq!((automaton.nodes(), automaton.left_out()), (500, 612));
    assert_eq!(automaton.edges(), 1111);
    assert!(automaton.dot().contains("rest [label=\"612 more\""), "{}", automaton.dot());
    assert!(automaton.mermaid().contains("state \"612 more\" as rest"), "{}", automaton.mermaid());
}

#[netcheck::process]
async fn worker(number: u32) -> u32 {
    number * netcheck::choose([1, 10]).await
}

#[test]
fn isolated_tasks_have_automata_of_their_own_and_other_tasks_are_named() {
    let report = Checker::new().check(|net| {
        net.process("main", || async {
            let isolated = tokio::spawn(worker(3));
            let inside = tokio::spawn(async { netcheck::choose(0..2).await });
            isolated.await.unwrap() + inside.await.unwrap()
        });
    });
    let names: Vec<&str> = report.automata().iter().map(Automaton::name).collect();
    assert_eq!(names, ["main", "main/worker"]);
    let worker = report.automaton("main/worker").dot();
    assert!(worker.contains("ended with 3") && worker.contains("ended with 30"), "{worker}");
    let main = report.automaton("main").dot();
    assert!(main.contains("task 1: choose of 2 → alternative 1") && main.contains("ended with 31"), "{main}");
}

/// It has no `Debug`, or one that does what it should not.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Mute;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Panicking;

impl std::fmt::Debug for Panicking {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("nobody wants to know")
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Asking;

impl std::fmt::Debug for Asking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", tokio::time::Instant::now())
    }
}

#[netcheck::process]
async fn counts() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let (mut count, mut seen) = (0, BTreeSet::new());
    let (mute, panicking, asking) = (Mute, Panicking, Asking);
    loop {
        let mut byte = [0; 1];
        socket.recv(&mut byte).await.unwrap();
        count = (count + 1) % 2;
        seen.insert(byte[0]);
        std::hint::black_box((&mute, &panicking, &asking));
    }
}

#[netcheck::process]
async fn says(count: u8) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for number in 0..count {
        socket.send_to(&[b'x' + number], "counter:4000").await.unwrap();
    }
}

#[test]
fn captured_loops_show_their_variables() {
    let report = Checker::new().identity(Identity::History).check(|net| {
        net.daemon("counter", counts);
        net.process("speaker", || says(2)).after("counter");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.uncaptured_loops(), [""; 0]);
    let all = report.automata().iter().map(|automaton| automaton.dot() + &automaton.mermaid());
    insta::assert_snapshot!(all.collect::<Vec<_>>().join("\n"));
}

#[netcheck::process(capture = false)]
async fn tells(mut left: u32) {
    while left > 0 {
        netcheck::checkpoint!(left, "\"><script>".repeat(9));
        netcheck::choose([()]).await;
        left -= 1;
    }
}

#[test]
fn what_a_checkpoint_tells_is_shown_and_shortened() {
    let report = Checker::new().check(|net| {
        net.process("it", || tells(2));
    });
    let dot = report.automaton("it").dot();
    let line = (1..).zip(include_str!("automata.rs").lines()).find(|(_, line)| line.contains("checkpoint!(left"));
    let line = line.expect("it is there").0;
    for left in [2, 1] {
        let label = format!("at tests/reports/automata.rs:{line}: left = {left}, ");
        let node = dot.lines().find(|node| node.contains(&label)).unwrap_or_else(|| panic!("{label} in {dot}"));
        assert!(node.ends_with("…\", shape=box];"), "{node}");
    }
}

#[test]
#[should_panic(expected = "nobody named \"server\" took a step; there are: it")]
fn a_name_that_nobody_has_is_refused() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {});
    });
    report.automaton("server");
}

#[test]
fn payloads_mean_nothing_to_the_drawings() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let socket = UdpSocket::bind("127.0.0.1:1").await.unwrap();
            socket.send_to(b"\"];x<b>&#;:**_`\\", "127.0.0.1:1").await.unwrap();
        });
    });
    let automaton = report.automaton("it");
    let dot = r#"n2 -> n3 [label="send \"\\\"];x<b>&#;:**_`\\\\\" to it:1"];"#;
    let dot = dot.replace("it:1", "127.0.0.1:1");
    assert!(automaton.dot().contains(&dot), "{}", automaton.dot());
    let mermaid =
        "send #quot;#92;#quot;#93;#59;x#lt;b#gt;#amp;#35;#59;#58;#42;#42;#95;#96;#92;#92;#quot; to 127.0.0.1#58;1";
    assert!(automaton.mermaid().contains(mermaid), "{}", automaton.mermaid());
}
