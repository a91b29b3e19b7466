//! Where one test runs after another.

use crate::tokio::task::yield_now;
use netcheck::check::{Checker, Identity, Verdict};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock};

static COUNT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static LOCAL: Cell<usize> = const { Cell::new(0) };
    static NAMES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

async fn counts() -> (usize, usize) {
    for _ in 0..2 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        LOCAL.set(LOCAL.get() + 10);
        yield_now().await;
    }
    (COUNT.load(Ordering::Relaxed), LOCAL.get())
}

#[test]
#[ignore = "run by `each_process_has_its_own`"]
fn two_processes_have_a_copy_each_that_begins_with_the_first_value() {
    COUNT.store(5, Ordering::Relaxed);
    for identity in [Identity::Memory, Identity::History] {
        let report = Checker::new().identity(identity).check(|net| {
            net.process("a", counts);
            net.process("b", counts);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("a"), ["(7, 20)"]);
        assert_eq!(report.outputs("b"), ["(7, 20)"]);
        assert_eq!(COUNT.load(Ordering::Relaxed), 5, "the test's own copy");
    }
}

/// A counter in a static that goes round is as many local states as one in a variable.
#[test]
#[ignore = "run by `each_process_has_its_own`"]
fn a_static_tells_local_states_apart_as_a_variable_does() {
    static ROUND: AtomicU8 = AtomicU8::new(0);
    let endless = |in_static: bool| {
        Checker::new().max_states(1_000).check(move |net| {
            net.daemon("goes round", move || async move {
                let mut own = 0;
                loop {
                    netcheck::choose(0..2).await;
                    if in_static {
                        ROUND.store((ROUND.load(Ordering::Relaxed) + 1) % 5, Ordering::Relaxed);
                    } else {
                        own = (own + 1) % 5;
                    }
                    assert!(own < 5);
                }
            });
        })
    };
    let [with_static, without] = [true, false].map(endless);
    assert_eq!(with_static.verdict(), Verdict::Verified, "{with_static}");
    assert_eq!(with_static.states(), without.states());
}

/// What a lazy static has allocated is its run's, and is freed with it: else a check would run out of heaps.
#[test]
#[ignore = "run by `each_process_has_its_own`"]
fn what_statics_and_thread_locals_hold_is_their_runs_alone() {
    static NUMBERS: OnceLock<Vec<usize>> = OnceLock::new();
    static TABLE: LazyLock<Mutex<BTreeMap<usize, String>>> = LazyLock::new(Mutex::default);
    async fn program(base: usize) -> (usize, String) {
        for round in 0..4 {
            let chosen = netcheck::choose(0..3).await;
            NUMBERS.get_or_init(|| vec![base + chosen; 100]);
            TABLE.lock().unwrap().insert(round, format!("{chosen}"));
            NAMES.with_borrow_mut(|names| names.push(format!("name {chosen}")));
            yield_now().await;
        }
        let names = NAMES.with_borrow(|names| names.join(","));
        (NUMBERS.get().unwrap()[99], format!("{names}: {:?}", TABLE.lock().unwrap()))
    }
    let check = |identity| {
        Checker::new().identity(identity).check(|net| {
            net.process("a", || program(0));
            net.process("b", || program(10));
        })
    };
    let [by_memory, by_history] = [Identity::Memory, Identity::History].map(check);
    for report in [&by_memory, &by_history] {
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("a").len(), 81);
    }
    assert_eq!(by_memory.outputs("b"), by_history.outputs("b"));
    assert!(NUMBERS.get().is_none(), "the test's own copy");
    assert!(!by_memory.to_string().contains("left memory behind"), "{by_memory}");
}

/// A cell of tokio's in a static is its process's, too.
#[test]
#[ignore = "run by `each_process_has_its_own`"]
fn a_cell_of_a_static_is_filled_in_each_process() {
    use netcheck::tracked::sync::OnceCell;
    static CELL: OnceCell<String> = OnceCell::const_new();
    async fn fills(name: &str) -> String {
        let fill = || async {
            yield_now().await;
            name.to_owned()
        };
        CELL.get_or_init(fill).await.clone()
    }
    let programs = |net: &mut netcheck::Network| {
        net.process("a", || fills("a"));
        net.process("b", || fills("b"));
    };
    let report = Checker::new().check(programs);
    assert_eq!((report.outputs("a"), report.outputs("b")), (&["\"a\"".to_owned()][..], &["\"b\"".to_owned()][..]));
    let error = Checker::new().tasks(netcheck::check::Tasks::Tracked).try_check(programs).expect_err("it is no object");
    assert!(error.to_string().contains("`const_new`"), "{error}");
}

/// `futures` draws the order of a `select!` from a thread-local generator, which has no end of values.
#[test]
#[ignore = "run by `each_process_has_its_own`"]
fn a_loop_over_a_select_of_futures_closes() {
    use futures::FutureExt;
    let report = Checker::new().max_states(1_000).check(|net| {
        net.daemon("selects", || async {
            loop {
                let mut one = std::pin::pin!(yield_now().fuse());
                let mut other = std::pin::pin!(async {}.fuse());
                futures::select! { () = one => {}, () = other => {} }
                netcheck::choose(0..2).await;
            }
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

/// Two requests of one process never have the same number, but those of two processes do.
#[test]
#[ignore = "run by `each_process_has_its_own`"]
fn numbers_are_unique_in_a_process_only() {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let report = Checker::new().check(|net| {
        for name in ["a", "b"] {
            net.process(name, || async {
                yield_now().await;
                NEXT.fetch_add(1, Ordering::Relaxed)
            });
        }
        net.finally(|end| match end.output("a") == end.output("b") {
            true => Err("both are the same".to_owned()),
            false => Ok(()),
        });
    });
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
}
