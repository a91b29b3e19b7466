//! Programs that can't be checked get a diagnostic: never a hang, a wrong answer or a panic of ours.

use netcheck as tokio;
use netcheck::check::{Checker, Identity, Report, Search, Tcp, Udp, Verdict, ViolationKind};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

#[test]
fn non_determinism_is_named_with_operation_place_and_both_menus() {
    static RUNS: AtomicU8 = AtomicU8::new(0);
    let error = Checker::new()
        .try_check(|net| {
            net.process("fickle", || async {
                let run = RUNS.fetch_add(1, Ordering::Relaxed);
                let _: usize = netcheck::choose(0..2).await;
                if run == 0 {
                    sleep(Duration::from_secs(1)).await;
                }
                let _: usize = netcheck::choose(0..2).await;
                let _: usize = netcheck::choose(0..2).await;
            });
        })
        .expect_err("the program changes from run to run")
        .to_string();
    for part in [
        "process \"fickle\" is not deterministic",
        "choose of 2",
        "tests/reports/diagnostics.rs:",
        "expected:",
        "seen:",
        "HashMap",
    ] {
        assert!(error.contains(part), "{part} is missing in: {error}");
    }
}

#[test]
fn a_poll_that_does_not_return_is_named() {
    static STUCK: AtomicBool = AtomicBool::new(true);
    let error = Checker::new()
        .max_poll_duration(Duration::from_secs(1))
        .try_check(|net| {
            net.process("stuck", || async {
                UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                while STUCK.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        })
        .expect_err("the poll does not return")
        .to_string();
    STUCK.store(false, Ordering::Relaxed);
    for part in ["\"stuck\"", "has not returned for 1 s", "without an await"] {
        assert!(error.contains(part), "{part} is missing in: {error}");
    }
}

/// The look-alikes know that nobody can come meanwhile.
#[test]
fn a_call_of_a_look_alike_that_blocks_its_thread_is_named_at_once() {
    use netcheck::tracked::sync;
    let blocks = |call: fn()| {
        let checked = Checker::new().try_check(move |net| _ = net.process("blocks", move || async move { call() }));
        checked.map(|report| report.verdict())
    };
    let blocking: [(&str, fn()); 4] = [
        ("blocking_recv", || {
            let (sender, mut receiver) = sync::mpsc::channel::<()>(1);
            drop(sender);
            assert_eq!(receiver.blocking_recv(), None);
        }),
        ("blocking_lock", || {
            let mutex = sync::Mutex::new(());
            let _locked = mutex.try_lock().unwrap();
            drop(mutex.blocking_lock());
        }),
        ("blocking_send", || {
            let (sender, _receiver) = sync::mpsc::channel(1);
            sender.blocking_send(1).unwrap();
            sender.blocking_send(2).unwrap();
        }),
        ("blocking_write", || {
            let lock = sync::RwLock::new(());
            let _read = lock.blocking_read();
            drop(lock.blocking_write());
        }),
    ];
    for (call, blocking) in &blocking[1..] {
        let error = blocks(*blocking).expect_err("it blocks").to_string();
        assert!(error.contains(&format!("`{call}` blocks its thread")), "{error}");
    }
    // The sender is gone.
    assert_eq!(blocks(blocking[0].1).expect("it does not block"), Verdict::Verified);
}

#[test]
fn a_call_that_blocks_its_thread_is_a_poll_that_does_not_return() {
    static SENDER: Mutex<Option<mpsc::Sender<()>>> = Mutex::new(None);
    let error = Checker::new()
        .max_poll_duration(Duration::from_secs(1))
        .try_check(|net| {
            net.process("stuck", || async {
                let (sender, mut receiver) = mpsc::channel::<()>(1);
                *SENDER.lock().unwrap() = Some(sender);
                receiver.blocking_recv()
            });
        })
        .expect_err("the poll does not return")
        .to_string();
    // The thread goes on to its end.
    SENDER.lock().unwrap().take();
    for part in ["\"stuck\"", "has not returned for 1 s", "`blocking_recv`"] {
        assert!(error.contains(part), "{part} is missing in: {error}");
    }
}

/// They are tokio's own, and start what only tokio's own runtime has.
#[test]
fn a_call_that_needs_tokios_own_runtime_says_what_to_write_instead() {
    let said = |report: Report| {
        let counterexample = report.counterexample().expect("it panics");
        assert_eq!(counterexample.kind(), ViolationKind::Panic);
        counterexample.message().to_owned()
    };
    let sends = said(Checker::new().check(|net| {
        net.process("sender", || async {
            let (sender, _receiver) = mpsc::channel(1);
            sender.send(1).await.unwrap();
            sender.send_timeout(2, Duration::from_secs(1)).await.unwrap_err();
        });
    }));
    let reads = said(Checker::new().check(|net| {
        net.process("reader", || async {
            let mut line = [0];
            tokio::io::AsyncReadExt::read(&mut tokio::io::stdin(), &mut line).await.unwrap();
        });
    }));
    for said in [sends, reads] {
        for part in ["there is no reactor running", "write `timeout(d, tx.send(value))`", "are not modelled"] {
            assert!(said.contains(part), "{part} is missing in: {said}");
        }
    }
    let instead = Checker::new().check(|net| {
        net.process("sender", || async {
            let (sender, _receiver) = mpsc::channel(1);
            sender.send(1).await.unwrap();
            tokio::time::timeout(Duration::from_secs(1), sender.send(2)).await.is_err()
        });
    });
    assert_eq!((instead.verdict(), instead.outputs("sender")), (Verdict::Verified, &["true".to_owned()][..]));
}

/// Each process has files of its own.
#[test]
fn a_program_does_not_come_to_the_files_of_the_machine() {
    let report = Checker::new().check(|net| {
        net.process("p", || async {
            let read = tokio::fs::read("Cargo.toml").await;
            tokio::fs::write("never.txt", "x").await.unwrap();
            (read.unwrap_err().kind(), tokio::fs::read("never.txt").await.unwrap())
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("p"), ["(NotFound, [120])"]);
    assert!(!std::path::Path::new("never.txt").exists());
}

#[test]
fn an_unknown_process_is_an_error_that_lists_the_known_ones() {
    let check = |udp: Udp, after: &'static str| {
        let error = Checker::new().udp(udp).try_check(|net| {
            net.process("client", || async {}).after(after);
            net.process("server", || async {});
        });
        error.expect_err("there is no such process").to_string()
    };
    assert!(
        check(Udp::new().process("clinet"), "server")
            .contains("\"clinet\", but there is no such process; there are: client, server")
    );
    assert!(check(Udp::new(), "sever").contains("after of \"client\" names \"sever\""));
}

#[test]
fn processes_that_start_after_each_other_are_an_error_that_names_the_circle() {
    let line = line!() + 2;
    let error = Checker::new().try_check(|net| {
        net.process("logger", || async {}).after("client");
        net.process("client", || async {}).after("server");
        net.daemon("server", || async {}).after("cache");
        net.process("cache", || async {}).after("client");
    });
    let expected = format!(
        "processes wait for each other to start, and none ever does:\n    \
         \"client\" (registered at tests/reports/diagnostics.rs:{}) starts after \"server\"\n    \
         \"server\" (registered at tests/reports/diagnostics.rs:{}) starts after \"cache\"\n    \
         \"cache\" (registered at tests/reports/diagnostics.rs:{}) starts after \"client\"\n  \
         take out one of these `.after(…)`: the process that others need from the start has none",
        line + 1,
        line + 2,
        line + 3,
    );
    assert_eq!(error.expect_err("nobody starts").to_string(), expected);
}

#[test]
fn a_process_that_starts_after_itself_is_an_error() {
    let error = Checker::new().try_check(|net| {
        net.process("client", || async {}).after("client");
    });
    let error = error.expect_err("it never starts").to_string();
    assert!(error.starts_with("\"client\" waits for itself to start, and never does:"), "{error}");
    assert!(error.contains("(registered at tests/reports/diagnostics.rs:"), "{error}");
}

#[test]
fn a_process_can_start_after_several_that_start_after_the_same_one() {
    let report = Checker::new().check(|net| {
        net.process("last", || async {}).after("left").after("right");
        net.process("left", || async {}).after("first");
        net.process("right", || async {}).after("first");
        net.process("first", || async {});
    });
    assert_eq!(report.verdict(), Verdict::Verified);
}

#[test]
fn a_check_without_processes_is_an_error() {
    let error = Checker::new().try_check(|_| ()).expect_err("nothing to check");
    assert!(error.to_string().contains("register a process"), "{error}");
}

#[test]
fn a_failure_of_a_process_that_is_not_there_is_an_error() {
    let tcp = Tcp::new().fail_read().process("sever");
    let error = Checker::new().tcp(tcp).try_check(|net| {
        net.process("server", || async {});
    });
    let error = error.expect_err("no such process").to_string();
    assert_eq!(error, "tcp(process = …) names \"sever\", but there is no such process; there are: server");
}

/// Such a loop must be named before it has filled the memory.
#[test]
fn a_loop_without_an_await_that_emits_values_is_called_stuck() {
    let error = Checker::new().max_poll_duration(Duration::from_secs(1)).try_check(|net| {
        net.process("emits", || async {
            loop {
                netcheck::emit!(1);
            }
        });
    });
    let error = error.expect_err("its poll does not return").to_string();
    assert!(error.contains("a poll of process \"emits\" has not returned for 1 s"), "{error}");
}

/// Tries to receive for ever.
async fn tries(gives_way: bool) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let _ = socket.try_recv(&mut [0]);
        if gives_way {
            tokio::task::yield_now().await;
        }
    }
}

#[test]
fn a_loop_of_tries_without_an_await_is_an_error_that_names_it() {
    let checked = |gives_way: bool| {
        Checker::new().try_check(|net| {
            net.daemon("tries", move || tries(gives_way));
            net.process("sender", async || {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                socket.send_to(b"!", "tries:4000").await.unwrap();
            });
        })
    };
    let error = checked(false).expect_err("its poll does not return").to_string();
    let part =
        "a poll of process \"tries\" has tried 256 times what was not possible, last at tests/reports/diagnostics.rs:";
    assert!(error.contains(part) && error.contains("yield_now().await"), "{error}");
    let report = checked(true).expect("it gives way");
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn a_loop_that_waits_for_a_time_without_an_await_is_an_error_that_names_it() {
    let checked = Checker::new().try_check(|net| {
        net.process("spins", || async {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(1) {}
        });
    });
    let error = checked.expect_err("its poll does not return").to_string();
    let part = "a poll of process \"spins\" has read the clock 1024 times, last at tests/reports/diagnostics.rs:";
    assert!(error.contains(part) && error.contains("sleep_until"), "{error}");
}

#[test]
fn a_limit_that_was_hit_is_never_verified() {
    let forever = |checker: Checker| {
        checker.check(|net| {
            net.process("it", || async {
                loop {
                    tokio::task::yield_now().await;
                }
            });
        })
    };
    // By memory, the loop closes.
    let states = forever(Checker::new().identity(Identity::History).max_states(50));
    assert_eq!(states.verdict(), Verdict::Inconclusive);
    assert!(states.limit().unwrap().contains("max_states = 50"), "{states}");
    let depth = forever(Checker::new().identity(Identity::History).max_depth(20));
    assert_eq!(depth.verdict(), Verdict::Inconclusive);
    assert!(depth.limit().unwrap().contains("max_depth = 20"), "{depth}");
}

#[test]
fn a_deadlock_says_who_waits_for_what_and_where() {
    for search in [Search::Bfs, Search::Dfs, Search::Random { seed: 3 }] {
        let report = Checker::new().search(search).check(|net| {
            net.process("a", || async {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                socket.recv(&mut [0; 8]).await.unwrap()
            });
            net.process("b", || async {}).after("a");
        });
        let counterexample = report.counterexample().expect("nobody sends");
        assert_eq!(counterexample.kind(), ViolationKind::Deadlock);
        assert!(
            counterexample.message().contains("a waits for recv on port 4000 at tests/reports/diagnostics.rs:"),
            "{report}"
        );
    }
}

#[test]
fn a_daemon_may_wait_for_ever_and_is_counted() {
    let report = Checker::new().check(|net| {
        net.daemon("a", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.recv(&mut [0; 8]).await.unwrap()
        });
    });
    assert_eq!((report.verdict(), report.suppressed_deadlocks()), (Verdict::Verified, 1));
}

#[test]
fn a_property_of_the_end_is_evaluated_on_every_end() {
    let check = |bound: usize| {
        Checker::new().check(move |net| {
            net.process("a", || async { netcheck::choose(0..3usize).await });
            net.process("b", || async { netcheck::choose(0..3usize).await });
            net.finally(move |end| {
                let sum = end.value::<usize>("a").unwrap() + end.value::<usize>("b").unwrap();
                if sum <= bound { Ok(()) } else { Err(format!("the sum is {sum}")) }
            });
        })
    };
    assert_eq!(check(4).verdict(), Verdict::Verified);
    // Three of each: they never meet, and all nine combinations are judged.
    assert_eq!(check(4).terminals(), 6);
    let violated = check(3);
    let counterexample = violated.counterexample().expect("2 + 2 > 3");
    assert_eq!(counterexample.kind(), ViolationKind::Property);
    let message = counterexample.message();
    assert!(message.starts_with("the sum is 4 (finally at tests/reports/diagnostics.rs:"), "{message}");
    assert!(message.ends_with(")\n  a ended with 2\n  b ended with 2"), "{message}");
}

#[test]
fn a_value_of_another_type_is_told_at_the_call_that_asks_for_it() {
    let report = Checker::new().check(|net| {
        net.process("it", || async { 5_u8 });
        net.finally(|end| end.value::<usize>("it") == Some(&5));
    });
    let text = report.counterexample().expect("it is no usize").to_string();
    let told = "\"it\" ended with 5, which is no usize: name the type that it returns at tests/reports/diagnostics.rs:";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_process_that_does_not_exist_is_named_at_the_call_that_asks_for_it() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {});
        net.finally(|end| end.output("if").is_some());
    });
    let text = report.counterexample().expect("nobody is called so").to_string();
    assert!(text.contains("no process is named \"if\" at tests/reports/diagnostics.rs:"), "{text}");
    let panic = std::panic::catch_unwind(|| report.outputs("if").len()).expect_err("nobody is called so");
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("no process is named \"if\""));
}

/// Panics when it is dropped, after a look at the clock.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        let _ = tokio::time::Instant::now();
        panic!("the output is dropped");
    }
}

#[test]
fn an_output_that_panics_when_it_is_dropped_is_a_violation_where_nothing_is_shown_it() {
    for identity in [Identity::Memory, Identity::History] {
        let checker = Checker::new().identity(identity);
        let ends = |net: &mut netcheck::Network| {
            net.process("bomb", || async {
                sleep(Duration::from_secs(1)).await;
                Bomb
            });
            net.process("other", || async { netcheck::choose(0..3).await });
        };
        let report = checker.check(ends);
        let found = report.counterexample().unwrap_or_else(|| panic!("nothing is found: {report}"));
        assert_eq!(found.kind(), ViolationKind::Panic);
        let message = found.message();
        assert!(message.starts_with("bomb panicked at tests/reports/diagnostics.rs:"), "{message}");
        assert!(message.ends_with(": the output is dropped"), "{message}");
        let again = checker.replay(ends, found).expect("it can be run again");
        assert!(again.is_some_and(|again| again.ends_with("the output is dropped")));
    }
}

/// It is dropped after the check, where no program is polled any more.
#[test]
fn an_output_that_panics_when_it_is_dropped_is_harmless_once_a_property_was_shown_it() {
    let report = Checker::new().check(|net| {
        net.process("bomb", || async {
            let _: u8 = netcheck::choose([1, 2]).await;
            Bomb
        });
        net.finally(|end| end.value::<Bomb>("bomb").is_some());
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// In a child, which has the variable.
#[test]
fn a_word_of_the_log_that_is_not_known_is_an_error_that_names_it() {
    const VALUE: &str = "NETCHECK_TEST_LOG";
    let checked = || Checker::new().try_check(|net| _ = net.process("it", || async {}));
    match std::env::var(VALUE).as_deref() {
        Ok("right") => assert!(checked().is_ok()),
        Ok(_) => println!("THE ERROR: {}", checked().expect_err("it is wrong")),
        Err(_) => {
            let run = |value: &str, log: &str| {
                let program = std::env::current_exe().expect("this program");
                let name = "diagnostics::a_word_of_the_log_that_is_not_known_is_an_error_that_names_it";
                let mut command = std::process::Command::new(program);
                command.args(["--exact", name, "--nocapture"]).env(VALUE, value).env("NETCHECK_LOG", log);
                command.output().expect("it can be run again")
            };
            for right in ["progress", "", " progress ,"] {
                assert!(run("right", right).status.success(), "{right}");
            }
            for (wrong, word) in [("progres", "progres"), ("progress, all", "all"), ("1", "1")] {
                let said = String::from_utf8(run("wrong", wrong).stdout).expect("text");
                let error = format!("NETCHECK_LOG is \"{wrong}\", and \"{word}\" is not known; it can be `progress`");
                assert!(said.contains(&format!("THE ERROR: {error}")), "{said}");
            }
        }
    }
}

#[netcheck::model_check]
fn of_one_process(net: &mut netcheck::Network) {
    net.process("it", || async {});
}

/// Executions of one process, each of which chooses once.
#[netcheck::model_check(search = simulate(seed = 7, runs = 8), expect = simulated)]
fn of_a_choice(net: &mut netcheck::Network) {
    net.process("it", || netcheck::choose(0..100));
}

/// Locks what it logs to when it is dropped.
struct Logs(Arc<Mutex<Vec<Duration>>>);

impl Drop for Logs {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(Duration::ZERO);
    }
}

/// The time that has passed is read while the lock is held, which leaving the poll there would poison.
#[netcheck::model_check]
fn a_lock_that_is_held_while_a_clock_is_read_is_not_poisoned(net: &mut netcheck::Network) {
    net.process("it", || async {
        let log = Arc::new(Mutex::new(Vec::new()));
        let _logs = Logs(log.clone());
        let start = Instant::now();
        sleep(Duration::from_millis(5)).await;
        log.lock().unwrap().push(start.elapsed());
        let passed = log.lock().unwrap()[0];
        assert_eq!(passed, Duration::from_millis(5));
    });
}

/// In a child, which it ends.
#[test]
fn a_poll_that_is_left_while_a_lock_is_held_that_a_destructor_takes_says_so() {
    const ENDS: &str = "NETCHECK_TEST_POISONS";
    async fn poisons() {
        let log = Arc::new(Mutex::new(Vec::new()));
        let _logs = Logs(log.clone());
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let log = log.lock().unwrap();
        socket.try_recv(&mut [0; 1]).unwrap_err();
        drop(log);
    }
    if std::env::var_os(ENDS).is_some() {
        Checker::new().check(|net| _ = net.process("it", poisons));
    }
    let test = "a_poll_that_is_left_while_a_lock_is_held_that_a_destructor_takes_says_so";
    let (passes, said) = with_variable(test, ENDS, "1");
    assert!(!passes, "{said}");
    for part in ["by a poll of process \"it\"", "PoisonError", "in a poll that is left at `try_recv on port 4000` ("] {
        assert!(said.contains(part), "{part} is missing in {said}");
    }
}

/// A test of this file in a child, which has a variable; whether it passes, and what it says.
fn with_variable(test: &str, name: &str, value: &str) -> (bool, String) {
    let mut command = std::process::Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", &format!("diagnostics::{test}"), "--nocapture"]).env(name, value);
    let output = command.output().expect("it can be run again");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text")).concat();
    (output.status.success(), said)
}

#[test]
fn a_word_about_unread_bytes_that_is_not_known_is_an_error_that_names_it() {
    for right in ["compared", "cleared_of_many", "cleared", "overwritten"] {
        let (passes, said) = with_variable("of_one_process", "NETCHECK_UNREAD", right);
        assert!(passes, "{said}");
    }
    let (passes, said) = with_variable("of_one_process", "NETCHECK_UNREAD", "often");
    assert!(!passes, "{said}");
    assert!(said.contains("can't be checked: NETCHECK_UNREAD is `often`, and not `compared`"), "{said}");
}

/// That they draw other executions than each other is tested where their seeds are made.
#[test]
fn a_share_draws_its_part_of_the_executions() {
    for (share, executions) in [("1/1", "8 executions"), ("1/4", "2 executions"), ("4/4", "2 executions")] {
        let (passes, said) = with_variable("of_a_choice", "NETCHECK_SWARM", share);
        assert!(passes && said.contains(executions), "{share}: {said}");
    }
    let (passes, said) = with_variable("of_a_choice", "NETCHECK_SWARM", "5/4");
    let expected = "can't be checked: NETCHECK_SWARM is `5/4`, and not a share such as `3/16`, the third of sixteen";
    assert!(!passes && said.contains(expected), "{said}");
    let (passes, said) = with_variable("of_one_process", "NETCHECK_SWARM", "2/4");
    assert!(passes && said.contains("NETCHECK_SWARM has no effect: nothing of this check is drawn"), "{said}");
}

/// As a file that was not written, or copied, to its end.
#[test]
fn a_trace_whose_end_is_cut_off_is_no_replay_of_what_it_shows() {
    let network = |net: &mut netcheck::Network| {
        net.process("it", || async {
            sleep(Duration::from_secs(1)).await;
            let number = netcheck::choose(0..3).await;
            sleep(Duration::from_secs(1)).await;
            assert_ne!(number, 2, "two");
        });
    };
    let mended = |net: &mut netcheck::Network| {
        net.process("it", || async {
            sleep(Duration::from_secs(1)).await;
            let _: usize = netcheck::choose(0..3).await;
            sleep(Duration::from_secs(1)).await;
            sleep(Duration::from_secs(1)).await;
        });
    };
    let found = Checker::new().check(network);
    let whole = found.counterexample().expect("2 is chosen");
    assert_eq!(Checker::new().replay(mended, whole).expect("it fits"), None, "although the program goes on");
    for left in 1..whole.steps().len() {
        let mut trace: serde_json::Value = serde_json::from_str(&whole.to_json()).expect("it is JSON");
        trace["steps"].as_array_mut().expect("steps").truncate(left);
        let cut = netcheck::check::Counterexample::from_json(&trace.to_string()).expect("it can be read");
        let error = Checker::new().replay(network, &cut).expect_err("what it shows does not happen").to_string();
        let of = format!("the trace has {left} of the {} steps", whole.steps().len());
        assert!(error.contains(&of) && error.contains("cut off"), "{error}");
    }
}

#[test]
fn a_counterexample_survives_json_and_replays() {
    let network = |net: &mut netcheck::Network| {
        net.process("it", || async {
            let number = netcheck::choose(0..3).await;
            assert_ne!(number, 2, "two");
        });
    };
    let report = Checker::new().check(network);
    let counterexample = report.counterexample().expect("2 is chosen");
    let read = netcheck::check::Counterexample::from_json(&counterexample.to_json()).unwrap();
    assert_eq!(read, *counterexample);
    let violation = Checker::new().replay(network, &read).unwrap().expect("it happens again");
    assert!(violation.contains("two"), "{violation}");
    let changed = Checker::new().replay(
        |net| {
            net.process("it", || async { netcheck::choose(0..2).await });
        },
        &read,
    );
    let error = changed.expect_err("the program has changed").to_string();
    assert!(error.contains("step 2 is not possible"), "{error}");
    let future = counterexample.to_json().replacen("\"version\": 1", "\"version\": 99", 1);
    assert!(netcheck::check::Counterexample::from_json(&future).unwrap_err().contains("version 99"));
}

/// The client's automaton grows while the search goes on: at first the server's time-out seems to elapse.
#[test]
fn a_poll_that_does_not_return_is_no_error_where_no_execution_comes_to_it() {
    static STUCK: AtomicBool = AtomicBool::new(true);
    let report = Checker::new().max_poll_duration(Duration::from_millis(300)).check(|net| {
        net.daemon("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            for _ in 0..2 {
                if timeout(Duration::from_millis(20), socket.recv(&mut [0; 8])).await.is_err() {
                    while STUCK.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                }
            }
        });
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            for _ in 0..4 {
                socket.send_to(b"ping", "server:4000").await.unwrap();
                sleep(Duration::from_millis(10)).await;
            }
        });
    });
    STUCK.store(false, Ordering::Relaxed);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// Says something when it is dropped, as long as its program goes on.
struct Farewell(UdpSocket);

impl Drop for Farewell {
    fn drop(&mut self) {
        let _ = self.0.try_send_to(b"farewell", ([10, 0, 0, 1], 4000).into());
    }
}

/// Whether a poll that ends the process is left: functions of the C library are replaced there.
const IS_LEFT: bool = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

/// The error that a check of a program ends with that wants a thread or a socket of the system, at a line of this file.
fn is_refused<F>(program: impl Fn() -> F + Clone + Send + Sync + 'static, line: u32, does: &str)
where
    F: Future<Output: std::fmt::Debug> + 'static,
{
    for identity in [Identity::Memory, Identity::History] {
        let program = program.clone();
        let error = Checker::new().identity(identity).try_check(|net| {
            net.process("client", program);
            net.daemon("heartbeat", || async {
                loop {
                    sleep(Duration::from_secs(1)).await;
                }
            });
        });
        let error = error.expect_err("a check can't have it").to_string();
        assert!(error.starts_with(&format!("client {does} at tests/reports/diagnostics.rs:{line}\n")), "{error}");
    }
}

#[test]
fn threads_and_real_sockets_in_a_program_are_errors_at_its_line() {
    if !IS_LEFT {
        return;
    }
    let thread = || async { std::thread::spawn(|| 1).join().ok() };
    is_refused(thread, line!() - 1, "starts a thread");
    // Also where the program makes do without one, after a wait.
    let line = line!() + 4;
    let in_vain = || async {
        sleep(Duration::from_secs(1)).await;
        tokio::spawn(async {
            let _ = std::thread::Builder::new().spawn(|| ());
            sleep(Duration::from_secs(1)).await;
        })
        .await
        .ok();
    };
    is_refused(in_vain, line, "starts a thread");
    let line = line!() + 3;
    let sends = || async {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.send_to(&[1], "127.0.0.1:9").is_ok()
    };
    is_refused(sends, line, "uses a socket of the operating system");
    let line = line!() + 3;
    let accepts = || async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.accept().is_ok()
    };
    is_refused(accepts, line, "uses a socket of the operating system");
}

/// A check refuses a program that ends the process, at a line of this file.
fn exits(process: impl Fn(&mut netcheck::Network) + Clone, line: u32, code: i32) {
    for identity in [Identity::Memory, Identity::History] {
        let checker = Checker::new().identity(identity);
        let report = checker.check(process.clone());
        let found = report.counterexample().unwrap_or_else(|| panic!("no violation: {report}"));
        assert_eq!(found.kind(), ViolationKind::Panic);
        for part in [
            "client exits at tests/reports/diagnostics.rs:",
            &format!("diagnostics.rs:{line}: `std::process::exit({code})` would end the test program"),
        ] {
            assert!(found.message().contains(part), "{part} is missing in {}", found.message());
        }
        let again = checker.replay(process.clone(), found).expect("it can be run again");
        assert!(again.is_some_and(|again| again.contains(&format!("exit({code})"))));
    }
}

#[test]
fn a_program_that_ends_the_process_is_a_violation_at_its_line() {
    if !IS_LEFT {
        return;
    }
    exits(|net| _ = net.process("client", || async { std::process::exit(0) }), line!(), 0);
    // In a task, after a wait, with something to drop, where panics are caught; and another process goes on.
    let line = line!() + 7;
    let in_task = |net: &mut netcheck::Network| {
        net.process("client", || async {
            let _farewell = Farewell(UdpSocket::bind("0.0.0.0:0").await.unwrap());
            let task = tokio::spawn(async {
                sleep(Duration::from_secs(1)).await;
                let farewell = Farewell(UdpSocket::bind("0.0.0.0:0").await.unwrap());
                let caught = std::panic::catch_unwind(|| std::process::exit(3));
                drop(farewell);
                caught
            });
            task.await.unwrap().ok()
        });
        net.process("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            timeout(Duration::from_secs(5), socket.recv(&mut [0; 8])).await.is_ok()
        });
    };
    exits(in_task, line, 3);
    // In what makes the future.
    fn begins() -> std::future::Ready<()> {
        std::process::exit(7)
    }
    exits(|net| _ = net.process("client", begins), line!() - 2, 7);
}

/// In processes of their own: the harness ends each by the same function, which must do so after a check as before.
#[test]
#[allow(clippy::disallowed_methods, reason = "it waits for a process, which may never end")]
fn a_test_program_ends_as_ever_after_a_program_that_would_have_ended_it() {
    const ENDS: &str = "NETCHECK_TEST_ENDS";
    let exits = || Checker::new().check(|net| _ = net.process("client", || async { std::process::exit(0) }));
    match std::env::var(ENDS).as_deref() {
        Ok("passes") => assert_eq!(exits().verdict(), Verdict::Violated),
        Ok("fails") => panic!("{}", exits()),
        Ok("exits") => {
            exits();
            std::process::exit(5)
        }
        _ if IS_LEFT => {
            for (ends, code) in [("passes", 0), ("fails", 101), ("exits", 5)] {
                let name = "diagnostics::a_test_program_ends_as_ever_after_a_program_that_would_have_ended_it";
                let program = std::env::current_exe().expect("this program");
                let mut child = std::process::Command::new(program)
                    .args(["--exact", name])
                    .env(ENDS, ends)
                    .stdout(std::process::Stdio::null())
                    .stderr(std::process::Stdio::null())
                    .spawn()
                    .expect("it can be run again");
                let ended = (0..600).find_map(|_| {
                    std::thread::sleep(Duration::from_millis(100));
                    child.try_wait().expect("it can be waited for")
                });
                if ended.is_none() {
                    child.kill().expect("it can be ended");
                }
                assert_eq!(ended.expect("it comes to an end").code(), Some(code), "{ends}");
            }
        }
        _ => {}
    }
}

/// Tells a task that it may go on, for ever; the task does something else in each run of the program.
fn changes(turns: &'static AtomicU8) -> impl Fn(&mut netcheck::Network) {
    move |net| {
        net.process("fickle", move || async move {
            let told = std::sync::Arc::new(tokio::sync::Notify::new());
            let waits = std::sync::Arc::clone(&told);
            tokio::spawn(async move {
                loop {
                    sleep(Duration::from_secs(1)).await;
                    waits.notified().await;
                    if turns.fetch_add(1, Ordering::Relaxed) % 3 == 1 {
                        let _: usize = netcheck::choose(0..2).await;
                    }
                }
            });
            loop {
                sleep(Duration::from_secs(2)).await;
                told.notify_one();
            }
        });
    }
}

/// A poll of a woken task has no line of its own: the line is that of what the task has done last.
#[test]
fn a_difference_after_a_task_was_woken_is_told_at_a_line_of_the_program() {
    static TURNS: [AtomicU8; 2] = [AtomicU8::new(0), AtomicU8::new(0)];
    let sleeps = line!() - 19;
    for (turns, identity) in TURNS.iter().zip([Identity::Memory, Identity::History]) {
        let checker = Checker::new().identity(identity).max_states(1_000);
        let error = checker.try_check(changes(turns)).expect_err("the program changes").to_string();
        let after = error.lines().find(|line| line.contains("after:")).expect("a step");
        let place = format!("run task 1, last at tests/reports/diagnostics.rs:{sleeps} -> done");
        assert!(after.ends_with(&place), "{place} is missing in {error}");
        assert!(!error.contains("netcheck-runtime"), "{error}");
    }
}
