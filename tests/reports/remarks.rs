//! Remarks of a counterexample on the program besides its calls: which branch of a `select!` was taken, which future of a
//! `join!` or which copy has stopped; and what is told with the next step.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Counterexample, Step};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

fn found(network: impl FnOnce(&mut Network)) -> Counterexample {
    let report = Checker::new().check(network);
    report.counterexample().unwrap_or_else(|| panic!("{report}")).clone()
}

/// All remarks, each with the operation of its step, and without the source line.
fn remarks(counterexample: &Counterexample) -> Vec<(String, String)> {
    let of_step = |step: &Step| {
        let what = |remark: &String| {
            let (words, line) = remark.rsplit_once("  (tests/reports/remarks.rs:").expect("a source line");
            assert!(line.trim_end_matches(')').parse::<u32>().is_ok(), "{remark}");
            words.to_owned()
        };
        step.remarks
            .iter()
            .filter(|remark| !remark.ends_with(" is due"))
            .map(move |remark| (step.operation.clone(), what(remark)))
            .collect::<Vec<_>>()
    };
    counterexample.steps().iter().flat_map(of_step).collect()
}

fn pair(operation: &str, remark: &str) -> (String, String) {
    (operation.to_owned(), remark.to_owned())
}

#[test]
fn the_branch_of_a_select_is_named() {
    let found = found(|net| {
        net.process("p", || async {
            let taken = tokio::select! {
                () = sleep(Duration::from_secs(3)) => 1,
                () = sleep(Duration::from_secs(2)), if false => 2,
                _ = async { sleep(Duration::from_secs(1)).await } => 3,
            };
            panic!("{taken}");
        });
    });
    let branch = "`select!` takes branch 3 of 3: `async { sleep(Duration::from_secs(1)).await }`";
    assert_eq!(remarks(&found), [pair("timer", branch)]);
    let text = found.to_string();
    assert!(text.contains(&format!("\n      * {branch}  (tests/reports/remarks.rs:")), "{text}");
}

#[test]
fn the_branches_of_a_join_are_named_as_they_end() {
    let found = found(|net| {
        net.process("p", || async {
            let second = sleep(Duration::from_secs(1));
            let (one, _two) = tokio::join!(
                async {
                    sleep(Duration::from_secs(2)).await;
                    1
                },
                second,
            );
            let tried: Result<(i32, i32), i32> = tokio::try_join!(async { Ok(one) }, async { Err(2) });
            panic!("{tried:?}");
        });
    });
    let ended = |future: &str| pair("timer", &format!("of a `join!`, `{future}` has ended"));
    let all = [
        ended("second"),
        ended("async { sleep(Duration::from_secs(2)).await; 1 }"),
        ended("async { Ok(one) }"),
        ended("async { Err(2) }"),
    ];
    assert_eq!(remarks(&found), all);
}

#[test]
fn copies_say_which_direction_has_ended_and_how() {
    let found = found(|net| {
        net.daemon("echo", || async {
            let listener = TcpListener::bind("0.0.0.0:7").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut reader, mut writer) = stream.split();
            tokio::io::copy(&mut reader, &mut writer).await.unwrap();
        });
        let proxy = || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut client, _) = listener.accept().await.unwrap();
            let mut server = TcpStream::connect("echo:7").await.unwrap();
            tokio::io::copy_bidirectional(&mut client, &mut server).await.unwrap();
        };
        net.daemon("proxy", proxy).after("echo");
        let client = || async {
            let mut stream = TcpStream::connect("proxy:80").await.unwrap();
            stream.write_all(b"hi").await.unwrap();
            stream.shutdown().await.unwrap();
            let mut all = String::new();
            stream.read_to_string(&mut all).await.unwrap();
            panic!("{all}");
        };
        net.process("client", client).after("proxy");
    });
    let remarks: Vec<String> = remarks(&found).into_iter().map(|(_, remark)| remark).collect();
    assert_eq!(
        remarks,
        [
            "`copy_bidirectional` has ended from the first stream to the second",
            "`copy` has ended: 2 bytes",
            "`copy_bidirectional` has ended from the second stream to the first",
            "`copy_bidirectional` has ended: 2 bytes there, 2 bytes back",
        ]
    );
}

/// The time that passes before a step does not say which of two timers that run at the same time is due.
#[test]
fn the_timer_that_is_due_is_named() {
    let found = found(|net| {
        net.process("p", || async {
            let limited = async {
                sleep(Duration::from_millis(20)).await;
                sleep(Duration::from_secs(5)).await;
            };
            tokio::time::timeout(Duration::from_millis(30), limited).await.unwrap();
        });
    });
    let timers = found.steps().iter().filter(|step| step.operation == "timer");
    let told: Vec<(&str, &[String])> = timers.map(|step| (step.outcome.as_str(), &step.remarks[..])).collect();
    let due = ["the timer of 30ms is due".to_owned()];
    assert_eq!(told, [("elapsed after 20ms", &[][..]), ("elapsed after 10ms", &due[..])]);
}

#[test]
fn instants_are_told_by_their_distance_from_the_start() {
    let found = found(|net| {
        net.process("p", || async {
            let now = Instant::now();
            let before = now - Duration::from_secs(60);
            let mut ticks = netcheck::time::interval_at(before, Duration::from_secs(70));
            let seen = [before, ticks.tick().await, ticks.tick().await];
            panic!("{seen:?}");
        });
    });
    let text = found.without_lines();
    assert!(text.contains("[Instant(-60s), Instant(-60s), Instant(10s)]"), "{text}");
    assert!(text.contains("Instant::now -> 0ns after the start"), "{text}");
    let slept = |until: fn(Instant) -> Instant| {
        crate::remarks::found(move |net| {
            net.process("p", move || async move {
                netcheck::time::sleep_until(until(Instant::now())).await;
                panic!("it is over");
            });
        })
        .to_string()
    };
    let before = slept(|now| now - Duration::from_secs(60));
    assert!(before.contains("the timer that was set to 60s before the start is due"), "{before}");
    let after = slept(|now| now + Duration::from_secs(60));
    assert!(!after.contains("before the start"), "{after}");
}

/// The clock is read twice before the sleep, and once after it, before the panic: that step stands alone.
#[test]
fn readings_of_the_clock_are_told_with_the_next_step() {
    let found = found(|net| {
        net.process("p", || async {
            let begun = Instant::now();
            assert!(begun.elapsed().is_zero());
            sleep(Duration::from_secs(1)).await;
            panic!("{:?}", begun.elapsed());
        });
    });
    assert_eq!(found.steps().len(), 5);
    let text = found.without_lines();
    let steps: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(
        steps,
        [
            "1. p  start  (tests/reports/remarks.rs)",
            "4. p  timer -> elapsed after 1s  (tests/reports/remarks.rs)",
            "      + #2, #3 Instant::now -> 0ns after the start",
            "5. p  Instant::now -> 1s after the start  (tests/reports/remarks.rs)",
        ]
    );
    assert!(!found.mermaid().contains(" 2 Instant"), "{}", found.mermaid());
    let again = Counterexample::from_json(&found.to_json()).unwrap();
    assert_eq!(again.steps().len(), 5);
}

async fn connects() {
    TcpStream::connect("server:4000").await.unwrap();
}

/// The remarks on the connection that is refused.
fn remarks_on_refusal(network: impl FnOnce(&mut Network)) -> Vec<String> {
    let found = found(network);
    let refused = found.steps().iter().find(|step| step.outcome == "connection refused");
    refused.expect("a connection is refused").remarks.clone()
}

/// It is the commonest mistake of a first test that a client begins before the server listens.
#[test]
fn a_connection_is_refused_since_nobody_has_listened_yet() {
    let said = remarks_on_refusal(|net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
            let _ = listener.accept().await;
        });
        net.process("client", connects);
    });
    let after = "`.after(\"server\")` would let client begin once server waits";
    assert_eq!(said, [format!("nobody has listened at server:4000 yet; {after}")]);
}

#[test]
fn a_connection_that_is_refused_by_a_server_that_has_gone_is_no_such_mistake() {
    let said = remarks_on_refusal(|net| {
        net.process("server", || async {
            drop(TcpListener::bind("0.0.0.0:4000").await.unwrap());
        });
        net.process("client", || async {
            sleep(Duration::from_secs(1)).await;
            connects().await;
        });
    });
    assert_eq!(said, [""; 0]);
}

/// Two tasks that ask again and again, one step of theirs between those of the other.
#[test]
fn steps_that_repeat_in_a_long_execution_are_counted() {
    let found = found(|net| {
        net.process("p", || async {
            let other = tokio::spawn(async {
                for _ in 0..45 {
                    sleep(Duration::from_secs(2)).await;
                }
            });
            for _ in 0..30 {
                sleep(Duration::from_secs(3)).await;
            }
            other.await.unwrap();
            panic!("at last");
        });
    });
    let text = found.to_string();
    let told = text.lines().filter(|line| line.contains("timer ->")).count();
    assert!(found.steps().len() >= 60 && told < 30, "{text}");
    let counted = |line: &str| line.contains("…  ") && line.ends_with(" steps of p again");
    assert!(text.lines().any(counted), "{text}");
}
