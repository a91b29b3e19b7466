//! The order in which tokio's runtime of one thread polls tasks, with time paused, and `tasks = fifo`: each program is
//! compiled against both, and its only output is what tokio gives. Random programs of this kind are in `observed`.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the programs are for")]

mod checked;
mod real;

use netcheck::check::{Checker, Identity, Tasks, Verdict};
use std::future::Future;

type Order = Vec<u32>;

/// The output on tokio.
fn observed<F: Future<Output = Order>>(program: impl Fn() -> F) -> String {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().expect("a runtime");
    format!("{:?}", runtime.block_on(program()))
}

/// The outputs of a check; `None` if there are too many states.
fn explored<F>(checker: Checker, program: impl Fn() -> F + Copy + Send + Sync + 'static) -> Option<Vec<String>>
where
    F: Future<Output = Order> + 'static,
{
    let report = checker.check(|net| {
        net.process("it", program);
    });
    match report.verdict() {
        Verdict::Verified => Some(report.outputs("it").to_vec()),
        Verdict::Inconclusive => None,
        Verdict::Violated => panic!("nothing in it is a violation: {report}"),
    }
}

macro_rules! tokios_order {
    ($($program:ident),* $(,)?) => {
        $(
            #[test]
            fn $program() {
                let seen = observed(real::program::$program);
                let program = || checked::program::$program();
                for identity in [Identity::History, Identity::Memory] {
                    let checker = Checker::new().tasks(Tasks::Fifo).identity(identity);
                    assert_eq!(explored(checker, program), Some(vec![seen.clone()]), "{identity:?}");
                }
                let any = explored(Checker::new().max_states(2_000), program);
                assert!(any.is_none_or(|any| any.len() > 1 && any.contains(&seen)), "other orders are possible");
            }
        )*
    };
}

tokios_order! {
    spawned,
    spawned_by_tasks,
    woken_by_notify,
    woken_by_channels,
    yielding,
    root_first,
    joined,
    aborted,
    abort_of_itself,
    timers,
    intervals,
    more_than_one_round,
    never_quiet,
}

#[test]
#[should_panic(expected = "a `LocalSet` polls its tasks in an order of its own")]
fn a_local_set_is_refused() {
    let report = Checker::new().tasks(Tasks::Fifo).check(|net| {
        net.process("it", || async { netcheck::task::LocalSet::new().run_until(async { 1 }).await });
    });
    panic!("{report}");
}

/// A blocking closure runs on a thread of its own: at any time beside the tasks.
#[test]
fn blocking_closures_keep_all_their_orders() {
    let program = || async {
        let order = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let push = |number: u32| {
            let order = std::sync::Arc::clone(&order);
            move || order.lock().expect("nothing panics").push(number)
        };
        let closure = netcheck::task::spawn_blocking(push(0));
        let (first, second) = (push(1), push(2));
        let tasks = [netcheck::spawn(async move { first() }), netcheck::spawn(async move { second() })];
        closure.await.expect("it does not panic");
        for task in tasks {
            task.await.expect("it does not panic");
        }
        order.lock().expect("nothing panics").clone()
    };
    let orders = explored(Checker::new().tasks(Tasks::Fifo), program);
    assert_eq!(orders, Some(["[0, 1, 2]", "[1, 0, 2]", "[1, 2, 0]"].map(str::to_owned).to_vec()));
}
