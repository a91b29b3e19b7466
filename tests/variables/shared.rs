//! Where tests run at the same time.

use crate::tokio::task::yield_now;
use netcheck::Network;
use netcheck::check::{Checker, Verdict};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Each check has a thread of its own, so thread-locals are taken over all the same.
#[test]
fn thread_locals_are_each_processs_own() {
    thread_local! {
        static COUNT: Cell<usize> = const { Cell::new(0) };
    }
    let report = Checker::new().check(|net| {
        for name in ["a", "b"] {
            net.process(name, || async {
                COUNT.set(COUNT.get() + 1);
                yield_now().await;
                COUNT.set(COUNT.get() + 1);
                COUNT.get()
            });
        }
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!((report.outputs("a"), report.outputs("b")), (&["2".to_owned()][..], &["2".to_owned()][..]));
}

#[test]
fn a_static_that_runs_share_is_named() {
    static SHARED: AtomicUsize = AtomicUsize::new(0);
    let report = Checker::new().check(|net| {
        net.process("a", || async { SHARED.fetch_max(1, Ordering::Relaxed) });
    });
    let text = report.to_string();
    assert!(text.contains("variables::shared::a_static_that_runs_share_is_named::SHARED"), "{text}");
    assert!(text.contains("cargo netcheck test"), "{text}");
}

static TURNS: AtomicUsize = AtomicUsize::new(0);

async fn takes_a_turn() -> usize {
    yield_now().await;
    TURNS.fetch_add(1, Ordering::Relaxed)
}

/// Tests of attributes are run once more where each process has its own.
#[netcheck::model_check]
fn a_check_that_changes_statics_is_run_apart(net: &mut Network) {
    for name in ["a", "b"] {
        net.process(name, takes_a_turn);
    }
    net.finally(|end| match ["a", "b"].map(|name| end.output(name)) {
        [Some("0"), Some("0")] => Ok(()),
        others => Err(format!("{others:?}")),
    });
}

#[netcheck::model_check(expect = panic, snapshot)]
fn what_is_found_apart_is_pinned(net: &mut Network) {
    net.process("a", || async {
        takes_a_turn().await;
        assert_ne!(takes_a_turn().await, 1, "the second turn");
    });
}

#[netcheck::model_check]
#[should_panic(expected = "the second turn")]
fn a_panic_apart_has_its_message(net: &mut Network) {
    net.process("a", || async {
        takes_a_turn().await;
        assert_ne!(takes_a_turn().await, 1, "the second turn");
    });
}

#[netcheck::test]
async fn an_async_test_is_run_apart() {
    assert_eq!([takes_a_turn().await, takes_a_turn().await], [0, 1]);
}
