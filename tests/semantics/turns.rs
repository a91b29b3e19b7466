//! `deviations`: executions in which few steps come out of turn.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use netcheck::Network;
use netcheck::check::{Checker, Report, Search, Tasks, Tcp, Udp, Verdict, ViolationKind};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::{TcpListener, TcpStream};
use netcheck::task::yield_now;
use netcheck::time::sleep;

const ROUNDS: usize = 3;

/// Two tasks that write down in which order they go on.
async fn in_which_order() -> String {
    let order = Arc::new(Mutex::new(String::new()));
    let tasks = ['a', 'b'].map(|name| {
        let order = Arc::clone(&order);
        netcheck::spawn(async move {
            for _ in 0..ROUNDS {
                order.lock().unwrap().push(name);
                yield_now().await;
            }
        })
    });
    for task in tasks {
        task.await.unwrap();
    }
    order.lock().unwrap().clone()
}

fn orders(net: &mut Network) {
    net.process("it", in_which_order);
}

fn orders_with(deviations: usize) -> Report {
    Checker::new().deviations(deviations).check(orders)
}

/// By the definition: the orders of two tasks that take turns, where a task goes on once more than it writes; `left` of each,
/// and whose turn it is.
fn taken_in_turns(order: &str, left: [usize; 2], turn: usize, deviations: usize, all: &mut BTreeSet<String>) {
    if left == [0, 0] {
        all.insert(format!("{order:?}"));
        return;
    }
    let has_choice = left[0] > 0 && left[1] > 0;
    for task in (0..2).filter(|&task| left[task] > 0) {
        let out_of_turn = usize::from(has_choice && task != turn);
        if out_of_turn > deviations {
            continue;
        }
        let mut after = left;
        after[task] -= 1;
        let written = if after[task] > 0 { ["a", "b"][task] } else { "" };
        let next = if has_choice { 1 - task } else { turn };
        taken_in_turns(&format!("{order}{written}"), after, next, deviations - out_of_turn, all);
    }
}

#[test]
fn orders_are_those_with_so_few_steps_out_of_turn() {
    for deviations in 0..=2 * ROUNDS {
        let mut expected = BTreeSet::new();
        taken_in_turns("", [ROUNDS + 1; 2], 0, deviations, &mut expected);
        let report = orders_with(deviations);
        assert_eq!(report.verdict(), Verdict::Verified);
        assert_eq!(report.outputs("it").iter().cloned().collect::<BTreeSet<_>>(), expected, "{deviations}");
    }
    assert_eq!(orders_with(0).outputs("it"), ["\"ababab\""]);
    let all = Checker::new().check(orders);
    assert_eq!(orders_with(255).outputs("it"), all.outputs("it"));
    assert_eq!(all.outputs("it").len(), 20, "3 out of 6");
}

#[test]
fn the_report_says_what_was_bounded() {
    let starts = |report: Report, with: &str| assert!(report.to_string().starts_with(with), "{report}");
    starts(orders_with(0), "verified without a deviation (");
    starts(orders_with(1), "verified with at most 1 deviation (");
    starts(orders_with(2), "verified with at most 2 deviations (");
    assert_eq!((orders_with(2).deviations(), Checker::new().check(orders).deviations()), (Some(2), None));
    let within = Checker::new().deviations(1).duration(Duration::from_secs(4));
    starts(within.check(orders), "verified within 4 s with at most 1 deviation (");
}

#[test]
fn a_violation_out_of_turn_is_found_with_enough_deviations_and_happens_again() {
    let first_is_a = |net: &mut Network| {
        net.process("it", || async {
            let order = in_which_order().await;
            assert!(!order.starts_with("bbb"), "b came first");
        });
    };
    // It is b's turn once after a has waited.
    for (deviations, verdict) in
        [(0, Verdict::Verified), (1, Verdict::Verified), (2, Verdict::Verified), (3, Verdict::Violated)]
    {
        for search in [Search::Bfs, Search::Dfs, Search::Faults] {
            let report = Checker::new().search(search).deviations(deviations).check(first_is_a);
            assert_eq!(report.verdict(), verdict, "{deviations}: {report}");
            if let Some(found) = report.counterexample() {
                assert_eq!(found.faults(), Some("deviations = 3"));
                let again = Checker::new().deviations(deviations).replay(first_is_a, found).expect("it fits");
                assert!(again.is_some_and(|again| again.contains("b came first")));
            }
        }
    }
}

#[test]
fn nobody_waits_for_ever_beside_others_that_go_on() {
    let report = Checker::new().deviations(0).check(|net| {
        net.daemon("spins", || async {
            loop {
                yield_now().await;
            }
        });
        net.process("steps", || async {
            for _ in 0..5 {
                yield_now().await;
            }
            panic!("it has come to its turn");
        });
    });
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
}

/// Answers one byte.
async fn server() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        while let Ok(byte) = stream.read_u8().await {
            if stream.write_u8(byte).await.is_err() {
                break;
            }
        }
    }
}

async fn client() -> bool {
    let Ok(mut stream) = TcpStream::connect("server:80").await else { return false };
    stream.write_u8(1).await.is_ok() && stream.read_u8().await.is_ok()
}

#[test]
fn answers_and_faults_are_no_matter_of_order() {
    let outputs = |checker: Checker| {
        let report = checker.check(|net| {
            net.daemon("server", server);
            net.process("client", || async { (netcheck::choose(0..3).await, client().await) }).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("client").to_vec()
    };
    let failing = || Checker::new().tcp(Tcp::new().fail_read().fail_write()).at_most(1);
    assert_eq!(outputs(failing().deviations(0)), outputs(failing()));
    assert_eq!(outputs(failing().deviations(0)).len(), 6);
}

#[test]
fn timers_fire_once_nobody_has_a_turn() {
    let report = Checker::new().deviations(0).check(|net| {
        for name in ["one", "other"] {
            net.process(name, || async {
                sleep(Duration::from_secs(1)).await;
                yield_now().await;
                netcheck::time::Instant::now().elapsed()
            });
        }
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!((report.terminals(), report.outputs("other")), (1, &["0ns".to_owned()][..]));
}

/// Two processes that go on for ever, and never meet, take turns whether the reduction is asked for or not.
#[test]
fn turns_are_those_of_all() {
    let reports = [true, false].map(|reduction| {
        let report = Checker::new().reduction(reduction).deviations(1).check(|net| {
            for name in ["one", "other"] {
                net.daemon(name, || async {
                    loop {
                        sleep(Duration::from_secs(1)).await;
                    }
                });
            }
            net.process("last", || async {
                sleep(Duration::from_secs(3)).await;
                panic!("it is found");
            });
        });
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
        report.states()
    });
    assert_eq!(reports[0], reports[1]);
}

/// A task ticks for ever, and the process waits for nothing.
#[test]
fn what_waits_for_ever_beside_a_task_that_goes_on_is_seen() {
    let report = Checker::new().deviations(0).check(|net| {
        net.process("it", || async {
            netcheck::spawn(async {
                loop {
                    sleep(Duration::from_secs(1)).await;
                }
            });
            std::future::pending::<()>().await;
        });
    });
    assert_eq!(report.counterexample().map(|found| found.kind()), Some(ViolationKind::Liveness), "{report}");
}

#[test]
fn what_it_is_not_argued_beside_is_refused() {
    let refused = |checker: Checker| checker.deviations(1).try_check(orders).unwrap_err();
    let error = refused(Checker::new().udp(Udp::new().delay(Duration::ZERO..)));
    assert!(error.to_string().contains("`deviations` can't be combined with `delay`"), "{error}");
    let error = refused(Checker::new().tasks(Tasks::Tracked));
    assert!(error.to_string().contains("say `tasks = fifo`"), "{error}");
    let error = "deviations = 256".parse::<Checker>().unwrap_err();
    assert!(error.to_string().contains("from 0 to 255"), "{error}");
    let panic = catch_unwind(AssertUnwindSafe(|| Checker::new().deviations(256))).unwrap_err();
    assert!(panic.downcast_ref::<String>().is_some_and(|text| text.contains("from 0 to 255")));
}
