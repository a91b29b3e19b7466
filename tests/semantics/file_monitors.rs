//! Monitors see what happens to files.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Counterexample, Crash, Files, Identity, Verdict, ViolationKind};
use netcheck::monitor::{Monitor, Observer, Rule, Seen};
use random::Random;
use std::io::SeekFrom;
use std::time::Duration;
use tokio::fs::{self, File, OpenOptions};
use tokio::io::{AsyncSeekExt, AsyncWriteExt};
use tokio::net::UdpSocket;
use tokio::time::timeout;

/// A sighting of files, as a line.
fn line(seen: &Seen<'_>) -> Option<String> {
    Some(match seen {
        Seen::Created { process, path, is_directory, .. } => format!("{process} created {path} {is_directory}"),
        Seen::Wrote { process, path, at, bytes, .. } => format!("{process} wrote {path} {at} {bytes:?}"),
        Seen::Resized { process, path, length, .. } => format!("{process} resized {path} {length}"),
        Seen::Renamed { process, path, to, .. } => format!("{process} renamed {path} {to}"),
        Seen::Linked { process, path, to, .. } => format!("{process} linked {path} {to}"),
        Seen::Removed { process, path, .. } => format!("{process} removed {path}"),
        Seen::Synced { process, path, .. } => format!("{process} synced {path:?}"),
        _ => return None,
    })
}

async fn all_calls() {
    fs::create_dir("data").await.unwrap();
    let mut file = File::create("data/log").await.unwrap();
    file.write_all(b"abc").await.unwrap();
    file.seek(SeekFrom::Start(1)).await.unwrap();
    file.write_all(b"x").await.unwrap();
    file.set_len(2).await.unwrap();
    file.sync_all().await.unwrap();
    fs::rename("data/log", "data/old").await.unwrap();
    fs::hard_link("data/old", "more").await.unwrap();
    fs::remove_file("data/old").await.unwrap();
    fs::remove_dir("data").await.unwrap();
    File::open("/").await.unwrap().sync_all().await.unwrap();
    fs::set_permissions("more", fs::metadata("more").await.unwrap().permissions()).await.unwrap();
    assert_eq!(fs::read("more").await.unwrap(), b"ax");
    // The runtime waits for this at the end of the process.
    File::create("last").await.unwrap().write_all(b"!").await.unwrap();
}

#[test]
fn all_that_changes_files_is_seen_in_its_order() {
    const LINES: [&str; 13] = [
        "it created data true",
        "it created data/log false",
        "it wrote data/log 0 [97, 98, 99]",
        "it wrote data/log 1 [120]",
        "it resized data/log 2",
        "it synced \"data/log\"",
        "it renamed data/log data/old",
        "it linked data/old more",
        "it removed data/old",
        "it removed data",
        "it synced \"\"",
        "it created last false",
        "it wrote last 0 [33]",
    ];
    let states: Vec<String> = (0..=LINES.len()).map(|count| format!("after {count}")).collect();
    let mut in_order = Monitor::builder("in order").accepting(&states[LINES.len()]);
    for state in &states {
        in_order = in_order.state(state);
    }
    for (index, &expected) in LINES.iter().enumerate() {
        let rule = Rule::on(expected, move |line: &String| line == expected);
        in_order = in_order.rule(&states[index], &states[index + 1], rule);
    }
    let in_order = in_order.build().unwrap();
    let report = Checker::new().check(|net| {
        net.process("it", all_calls);
        net.monitor(Observer::new(in_order, line));
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// The checks of a network with and without reduction, by histories and by memory: they agree.
fn checked(checker: &Checker, network: impl Fn(&mut Network)) -> Option<Counterexample> {
    let mut first: Option<(Verdict, Option<Counterexample>)> = None;
    for identity in [Identity::Memory, Identity::History] {
        for reduction in [true, false] {
            let report = checker.clone().identity(identity).reduction(reduction).check(&network);
            let found = report.counterexample().cloned();
            let (verdict, _) = first.get_or_insert_with(|| (report.verdict(), found));
            assert_eq!(report.verdict(), *verdict, "{identity:?} {reduction}: {report}");
        }
    }
    first.and_then(|(_, found)| found)
}

/// A monitor that rejects when something comes before something else.
fn rejects_order(first: &'static str, second: &'static str) -> Observer {
    let monitor = Monitor::builder("order")
        .state("nothing")
        .state("one")
        .state("other")
        .rule("nothing", "one", Rule::on(first, move |process: &String| process == first))
        .rule("nothing", "other", Rule::on(second, move |process: &String| process == second))
        .rule("other", "other", Rule::otherwise())
        .build()
        .unwrap();
    Observer::new(monitor, |seen| match seen {
        Seen::Wrote { process, path: "log", .. } => Some((*process).to_owned()),
        _ => None,
    })
}

/// Nothing but the monitor tells apart which process writes first.
#[test]
fn writes_of_two_processes_are_seen_in_both_orders() {
    let write = || async { fs::write("log", "!").await.unwrap() };
    for (first, second) in [("one", "other"), ("other", "one")] {
        let found = checked(&Checker::new(), |net| {
            net.process("one", write);
            net.process("other", write);
            net.monitor(rejects_order(first, second));
        });
        let found = found.expect("it is seen");
        assert_eq!(found.kind(), ViolationKind::Monitor, "{found}");
        let last = found.steps().last().expect("a write");
        assert_eq!(last.process, second, "{found}");
    }
}

/// A server that writes requests down and answers them, perhaps before they are durable.
async fn server(syncs: bool) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let mut request = [0];
        let (_, from) = socket.recv_from(&mut request).await.unwrap();
        let mut log = OpenOptions::new().append(true).open("log").await.unwrap();
        log.write_all(&request).await.unwrap();
        log.flush().await.unwrap();
        if syncs {
            log.sync_all().await.unwrap();
        }
        socket.send_to(&request, from).await.unwrap();
    }
}

async fn client() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(&[1], "server:4000").await.unwrap();
    let _ = timeout(Duration::from_secs(1), socket.recv(&mut [0])).await;
}

#[derive(Debug)]
enum Event {
    Wrote,
    Synced,
    Answered,
    Crashed,
}

/// An answer is sent only when all is durable.
fn durable_first() -> Observer {
    let on = |name: &str, is: fn(&Event) -> bool| Rule::on(name, is);
    let monitor = Monitor::builder("durable first")
        .state("durable")
        .state("pending")
        .rule("durable", "durable", on("answered", |event| matches!(event, Event::Answered)))
        .rule("durable", "durable", on("synced", |event| matches!(event, Event::Synced)))
        .rule("durable", "durable", on("crashed", |event| matches!(event, Event::Crashed)))
        .rule("durable", "pending", on("wrote", |event| matches!(event, Event::Wrote)))
        .rule("pending", "pending", on("wrote again", |event| matches!(event, Event::Wrote)))
        .rule("pending", "durable", on("now synced", |event| matches!(event, Event::Synced)))
        .rule("pending", "durable", on("lost", |event| matches!(event, Event::Crashed)))
        .build()
        .unwrap();
    Observer::new(monitor, |seen| match seen {
        Seen::Wrote { process: "server", path: "log", .. } => Some(Event::Wrote),
        Seen::Synced { process: "server", path: "log", .. } => Some(Event::Synced),
        Seen::Departed { process: "server", .. } => Some(Event::Answered),
        Seen::Crashed { process: "server", .. } => Some(Event::Crashed),
        _ => None,
    })
}

#[test]
fn an_answer_before_its_request_is_durable_is_found_without_a_crash() {
    let crashes = Checker::new().crash(Crash::power().process("server"));
    for checker in [Checker::new(), crashes] {
        for syncs in [true, false] {
            let found = checked(&checker, |net| {
                net.daemon("server", move || server(syncs)).files([("log", "")]);
                net.process("client", client).after("server");
                net.monitor(durable_first());
            });
            match (syncs, found) {
                (true, found) => assert!(found.is_none(), "{found:?}"),
                (false, found) => {
                    let found = found.expect("it answers before a sync");
                    assert_eq!(found.kind(), ViolationKind::Monitor, "{found}");
                    assert!(!found.to_string().contains("crash ->"), "no crash is needed: {found}");
                }
            }
        }
    }
}

/// Sees everything, and rejects nothing.
fn tolerant(is_deaf: bool) -> Observer {
    let monitor = Monitor::builder("tolerant").state("only").rule("only", "only", Rule::otherwise()).build().unwrap();
    Observer::new(monitor, move |seen| line(seen).filter(|_| !is_deaf))
}

#[test]
fn writes_are_visible_to_the_reduction_only_where_a_monitor_observes_them() {
    let states = |observer: Option<Observer>| {
        let write = || async { fs::write("log", "!").await.unwrap() };
        let report = Checker::new().check(|net| {
            net.process("one", write);
            net.process("other", write);
            observer.into_iter().for_each(|observer| net.monitor(observer));
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.states()
    };
    assert_eq!([states(None), states(Some(tolerant(true))), states(Some(tolerant(false)))], [9, 9, 11]);
}

/// A process of a random system.
#[derive(Clone, Copy, Debug)]
enum Act {
    Write(&'static str),
    Sync(&'static str),
    Send,
    Receive,
}

async fn perform(acts: Vec<Act>, peer: &'static str) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    for act in acts {
        match act {
            Act::Write(path) => fs::write(path, "!").await.unwrap(),
            Act::Sync(path) => {
                let file = OpenOptions::new().append(true).create(true).open(path).await.unwrap();
                file.sync_all().await.unwrap();
            }
            Act::Send => _ = socket.send_to(b"!", (peer, 4000)).await.unwrap(),
            Act::Receive => _ = timeout(Duration::from_secs(1), socket.recv(&mut [0])).await,
        }
    }
}

/// Rejects when something is seen before something else was.
fn needs_first(first: String, second: String) -> Observer {
    let (before, after) = (first.clone(), second.clone());
    let monitor = Monitor::builder("needs first")
        .state("not yet")
        .state("done")
        .rule("not yet", "done", Rule::on("first", move |line: &String| line.starts_with(&before)))
        .rule("not yet", "not yet", Rule::on("others", move |line: &String| !line.starts_with(&after)))
        .rule("done", "done", Rule::otherwise())
        .build()
        .unwrap();
    Observer::new(monitor, move |seen| line(seen).filter(|line| line.starts_with(&first) || line.starts_with(&second)))
}

#[test]
fn random_systems_are_rejected_with_and_without_reduction() {
    let mut counts = [0; 2];
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let [one, other] = [(); 2].map(|()| {
            let act = |random: &mut Random| {
                let path = random.one_of(&["x", "y"]);
                random.one_of(&[Act::Write(path), Act::Write(path), Act::Sync(path), Act::Send, Act::Receive])
            };
            (0..random.within(1, 3)).map(|_| act(&mut random)).collect::<Vec<Act>>()
        });
        let [first, second] = [(); 2].map(|()| {
            let (process, path) = (random.one_of(&["one", "other"]), random.one_of(&["x", "y"]));
            random.one_of(&["wrote", "synced"]).to_owned() + " " + path + " " + process
        });
        let words = |words: &str| {
            let [what, path, process] = words.split(' ').collect::<Vec<_>>()[..] else { unreachable!("three words") };
            if what == "synced" { format!("{process} synced \"{path}\"") } else { format!("{process} wrote {path} ") }
        };
        let (first, second) = (words(&first), words(&second));
        let checker = match random.below(3) {
            0 => Checker::new(),
            1 => Checker::new().crash(Crash::kill().process("one")),
            _ => Checker::new().crash(Crash::power().process("one")).files(Files::lost()),
        };
        let found = checked(&checker, |net| {
            let (one, other) = (one.clone(), other.clone());
            net.process("one", move || perform(one.clone(), "other"));
            net.process("other", move || perform(other.clone(), "one"));
            net.monitor(needs_first(first.clone(), second.clone()));
        });
        counts[usize::from(found.is_some())] += 1;
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}
