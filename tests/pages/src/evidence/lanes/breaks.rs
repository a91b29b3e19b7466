//! The lanes of a process break where it crashes, and go on beneath where it starts again.

use super::super::found;
use netcheck as tokio;
use netcheck::check::{Checker, Counterexample, Crash};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::sleep;

/// A process says in two tasks that it begins, and does so twice.
fn begun_twice(crash: Crash) -> Counterexample {
    found(&Checker::new().crash(crash.process("sender")), |net| {
        net.daemon("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            for _ in 0..3 {
                socket.recv_from(&mut [0; 1]).await.unwrap();
            }
            panic!("it has begun twice");
        });
        let say = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"!", "receiver:4000").await.unwrap();
        };
        let sender = move || async move {
            tokio::spawn(say());
            say().await;
            sleep(Duration::from_secs(1)).await;
        };
        net.daemon("sender", sender).after("receiver");
    })
}

/// The number of the first step with these words.
fn number(counterexample: &Counterexample, words: &str) -> usize {
    let has_words = |step: &netcheck::check::Step| step.operation == words;
    counterexample.steps().iter().position(has_words).expect("there is such a step") + 1
}

/// The lines of the lanes of a page: where each begins and ends.
fn lives(html: &str) -> Vec<(usize, usize, usize)> {
    let paths = html.split("<path class=\"life\" d=\"M").skip(1);
    let numbers = paths.map(|path| {
        let (path, _) = path.split_once('"').expect("the end of a path");
        let (x, path) = path.split_once(' ').expect("a column");
        let (from, to) = path.split_once('V').expect("an end");
        [x, from, to].map(|number| number.parse().expect("a number"))
    });
    numbers.map(|[x, from, to]| (x, from, to)).collect()
}

const CRASHES: [fn() -> Crash; 2] = [Crash::kill, Crash::power];

#[test]
fn a_lane_breaks_at_a_crash_and_goes_on_where_the_process_starts_again() {
    for (crash, mark) in CRASHES.into_iter().zip(["✗ killed", "✗ no power"]) {
        let found = begun_twice(crash());
        let html = found.html();
        let (crashed, started) = (number(&found, "crash"), number(&found, "start again"));
        let middle = |number: usize| (number - 1) * 32 + 16;
        let lives = lives(&html);
        let of_column = |x: usize| lives.iter().filter(|life| life.0 == x).count();
        let broken: Vec<_> = lives.iter().filter(|life| life.2 == middle(crashed)).collect();
        assert_eq!(broken.len(), html.matches("<path class=\"break\"").count(), "{lives:?}\n{found}");
        let tasks = found.steps()[..crashed].iter().filter(|step| step.process == "sender");
        let lanes: std::collections::BTreeSet<_> = tasks.map(|step| step.task).collect();
        assert_eq!(broken.len(), lanes.len(), "{lives:?}\n{found}");
        let again: Vec<_> = lives.iter().filter(|life| life.1 == middle(started)).collect();
        assert_eq!(again.len(), 1, "the lane of the root: {lives:?}\n{found}");
        assert!(of_column(again[0].0) == 2 && broken.iter().any(|life| life.0 == again[0].0), "{lives:?}\n{found}");
        assert!(
            lives.iter().any(|life| life.1 == 0 && life.2 > middle(found.steps().len())),
            "the receiver's: {lives:?}"
        );
        assert!(html.contains(&format!(">{mark}</text>")) && html.contains(">start again</text>"), "{html}");
    }
}

#[test]
fn text_breaks_off_beneath_a_crash() {
    for crash in CRASHES {
        let found = begun_twice(crash());
        let started = number(&found, "start again");
        let text = found.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| line.contains(" crash -> ")).expect("a crash");
        assert!(lines[at + 1].trim_start().starts_with('✗'), "{text}");
        let (dashes, words) = lines[at + 2].trim_start().split_once("  ").expect("a break");
        assert!(dashes.chars().all(|sign| sign == '╌'), "{text}");
        assert_eq!(words, format!("down until #{started}"), "{text}");
    }
}

#[test]
fn text_says_that_a_process_stays_down() {
    let found = found(&Checker::new().crash(Crash::kill().process("sender").stays_down()), |net| {
        net.daemon("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let received = tokio::time::timeout(Duration::from_secs(1), socket.recv_from(&mut [0; 1])).await;
            received.expect("it says that it begins").unwrap();
        });
        let sender = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"!", "receiver:4000").await.unwrap();
        };
        net.process("sender", sender).after("receiver");
    });
    let text = found.to_string();
    assert!(text.contains("  down to the end\n") && !text.contains("start again"), "{text}");
    let lives = lives(&found.html());
    let crashed = (number(&found, "crash") - 1) * 32 + 16;
    let broken: Vec<_> = lives.iter().filter(|life| life.2 == crashed).collect();
    assert!(broken.len() == 1 && lives.iter().filter(|life| life.0 == broken[0].0).count() == 1, "{lives:?}\n{found}");
}

#[test]
fn mermaid_notes_a_crash_and_a_start() {
    let found = begun_twice(Crash::kill());
    let (crashed, started) = (number(&found, "crash"), number(&found, "start again"));
    let mermaid = found.mermaid();
    for note in [format!(": {crashed} crash"), format!(": {started} start again")] {
        assert!(mermaid.lines().any(|line| line.contains("Note over p") && line.contains(&note)), "{mermaid}");
    }
}
