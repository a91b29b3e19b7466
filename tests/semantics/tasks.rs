//! Events inside one process: tasks, select!, join!, shared memory, isolated tasks.

use netcheck as tokio;
use netcheck::__private::Handle;
use netcheck::check::{Checker, Search, Tasks, Verdict, ViolationKind};
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::{Notify, mpsc, oneshot};

/// Every output of a single process, over all executions.
fn outputs<F, Fut>(program: F) -> Vec<String>
where
    F: Fn() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future + 'static,
    Fut::Output: std::fmt::Debug + 'static,
{
    let run = |reduction: bool| {
        let program = program.clone();
        let report = Checker::new().reduction(reduction).check(move |net| {
            net.process("it", program);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("it").to_vec()
    };
    let reduced = run(true);
    assert_eq!(reduced, run(false), "reduced and unreduced");
    reduced
}

#[test]
fn which_runnable_task_is_next_is_a_choice() {
    let orders = outputs(|| async {
        let order = Arc::new(Mutex::new(Vec::new()));
        let tasks: Vec<_> = (0..3)
            .map(|number| {
                let order = Arc::clone(&order);
                tokio::spawn(async move { order.lock().unwrap().push(number) })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        Arc::try_unwrap(order).unwrap().into_inner().unwrap()
    });
    assert_eq!(orders.len(), 6, "{orders:?}");
}

#[test]
fn an_update_of_shared_memory_across_an_await_can_be_lost() {
    let sums = outputs(|| async {
        let sum = Rc::new(RefCell::new(0));
        let tasks: Vec<_> = (0..2)
            .map(|_| {
                let sum = Rc::clone(&sum);
                tokio::task::spawn_local(async move {
                    let seen = *sum.borrow();
                    tokio::task::yield_now().await;
                    *sum.borrow_mut() = seen + 1;
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        *sum.borrow()
    });
    assert_eq!(sums, ["1", "2"]);
}

#[test]
fn an_aborted_task_ends_as_cancelled_unless_it_has_ended_before() {
    let ends = outputs(|| async {
        let task = tokio::spawn(async {
            tokio::task::yield_now().await;
            7
        });
        tokio::task::yield_now().await;
        task.abort();
        match task.await {
            Ok(value) => format!("ended with {value}"),
            Err(error) => format!("cancelled: {}", error.is_cancelled()),
        }
    });
    assert_eq!(ends, ["\"cancelled: true\"", "\"ended with 7\""]);
}

#[test]
fn an_aborted_task_drops_what_it_holds() {
    let ends = outputs(|| async {
        let (sender, receiver) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let _sender = sender;
            std::future::pending::<()>().await;
        });
        task.abort();
        receiver.await.is_err()
    });
    assert_eq!(ends, ["true"]);
}

#[test]
fn a_join_set_gives_tasks_in_the_order_in_which_they_end() {
    let orders = outputs(|| async {
        let mut set = tokio::task::JoinSet::new();
        for number in 0..2 {
            set.spawn(async move { number });
        }
        let mut order = Vec::new();
        while let Some(ended) = set.join_next().await {
            order.push(ended.unwrap());
        }
        order
    });
    assert_eq!(orders, ["[0, 1]", "[1, 0]"]);
}

#[test]
fn every_ready_branch_of_an_unbiased_select_wins_once() {
    let winners = outputs(|| async {
        tokio::select! {
            value = std::future::ready(1) => value,
            value = std::future::ready(2) => value,
            value = std::future::pending::<i32>() => value,
            value = std::future::ready(3) => value,
        }
    });
    assert_eq!(winners, ["1", "2", "3"]);
}

#[test]
fn the_first_ready_branch_of_a_biased_select_wins() {
    let winners = outputs(|| async {
        tokio::select! {
            biased;
            value = std::future::pending::<i32>() => value,
            value = std::future::ready(2) => value,
            value = std::future::ready(3) => value,
        }
    });
    assert_eq!(winners, ["2"]);
}

#[test]
fn branches_that_lead_to_the_same_are_one_edge() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let (sender, mut receiver) = mpsc::channel(1);
            sender.send(1).await.unwrap();
            // Only one branch is ready: there is nothing to choose.
            tokio::select! {
                value = receiver.recv() => value,
                () = std::future::pending() => None,
            }
        });
    });
    assert_eq!(report.outputs("it"), ["Some(1)"]);
    // Started, the choice between beginning with either branch, of which one is refused.
    assert_eq!((report.states(), report.terminals()), (3, 1));
}

#[test]
fn a_select_in_a_loop_explores_every_order_of_messages() {
    let orders = outputs(|| async {
        let (a, mut from_a) = mpsc::unbounded_channel();
        let (b, mut from_b) = mpsc::unbounded_channel();
        for number in 0..2 {
            a.send(number).unwrap();
            b.send(10 + number).unwrap();
        }
        drop((a, b));
        let mut order = Vec::new();
        loop {
            tokio::select! {
                Some(number) = from_a.recv() => order.push(number),
                Some(number) = from_b.recv() => order.push(number),
                else => return order,
            }
        }
    });
    assert_eq!(orders.len(), 6, "{orders:?}");
}

#[test]
fn a_dropped_future_withdraws_its_operation() {
    let ends = outputs(|| async {
        let socket = UdpSocket::bind("127.0.0.1:4000").await.unwrap();
        let mut buffer = [0; 8];
        let timed_out = tokio::time::timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await.is_err();
        socket.send_to(b"late", "127.0.0.1:4000").await.unwrap();
        let length = socket.recv(&mut buffer).await.unwrap();
        (timed_out, length)
    });
    assert_eq!(ends, ["(true, 4)"]);
}

#[test]
fn join_and_try_join_wait_for_all() {
    let ends = outputs(|| async {
        let both = tokio::join!(async { 1 }, async {
            tokio::task::yield_now().await;
            2
        });
        let failed: Result<((), ()), &str> = tokio::try_join!(async { Ok(()) }, async { Err("no") });
        (both, failed)
    });
    assert_eq!(ends, ["((1, 2), Err(\"no\"))"]);
}

#[test]
fn a_notification_that_comes_before_it_is_waited_for_is_kept() {
    let ends = outputs(|| async {
        let notify = Arc::new(Notify::new());
        let notifier = Arc::clone(&notify);
        let task = tokio::spawn(async move { notifier.notify_one() });
        notify.notified().await;
        task.await.is_ok()
    });
    assert_eq!(ends, ["true"]);
}

#[test]
fn two_tasks_that_wait_for_each_other_are_a_deadlock() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let (a, b) = (Arc::new(tokio::sync::Mutex::new(())), Arc::new(tokio::sync::Mutex::new(())));
            let (first, second) = (Arc::clone(&a), Arc::clone(&b));
            let other = tokio::spawn(async move {
                let _second = second.lock().await;
                tokio::task::yield_now().await;
                let _first = first.lock().await;
            });
            {
                let _a = a.lock().await;
                tokio::task::yield_now().await;
                let _b = b.lock().await;
            }
            other.await.unwrap();
        });
    });
    let counterexample = report.counterexample().expect("a deadlock");
    assert_eq!(counterexample.kind(), ViolationKind::Deadlock);
}

#[test]
fn a_panic_in_any_task_is_a_violation_with_message_and_place() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let task = tokio::spawn(async { panic!("seven is out") });
            let _: Result<(), _> = task.await;
        });
    });
    let counterexample = report.counterexample().expect("a panic");
    assert_eq!(counterexample.kind(), ViolationKind::Panic);
    assert!(counterexample.message().contains("seven is out"), "{counterexample}");
    assert!(counterexample.message().contains("tests/semantics/tasks.rs:"), "{counterexample}");
}

#[test]
fn when_the_root_ends_the_tasks_of_its_process_end_with_it() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            tokio::spawn(async {
                let _socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                std::future::pending::<()>().await;
            });
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[netcheck::process]
async fn add(a: u32, b: u32) -> u32 {
    tokio::task::yield_now().await;
    a + b
}

#[test]
fn an_isolated_task_is_joined_with_its_output() {
    let ends = outputs(|| async {
        let tasks = [tokio::spawn(add(1, 2)), tokio::spawn(add(3, 4))];
        let mut sums = Vec::new();
        for task in tasks {
            sums.push(task.await.unwrap());
        }
        sums.push(add(5, 6).await);
        sums
    });
    assert_eq!(ends, ["[3, 7, 11]"]);
}

#[netcheck::process]
async fn who() -> String {
    // A task of the isolated one's own, and one that is isolated again.
    let inner = tokio::spawn(async { tokio::task::id() }).await.unwrap();
    let again = tokio::spawn(nobody());
    assert!(inner != tokio::task::id() && again.id() != tokio::task::id() && again.id() != inner);
    again.abort();
    format!("{} {inner}", tokio::task::id())
}

#[netcheck::process]
async fn nobody() {}

/// It does not depend on the order in which the check comes across tasks, nor on what is checked besides.
#[test]
fn the_id_of_a_task_is_the_same_in_every_execution_and_every_check() {
    async fn ids() -> Vec<String> {
        let known = [tokio::spawn(who()), tokio::spawn(who())];
        let plain = [(); 2].map(|()| tokio::spawn(async { tokio::task::id() }));
        assert!(known[0].id() != known[1].id() && plain[0].id() != plain[1].id());
        let mut all = Vec::new();
        for task in plain {
            let id = task.id();
            assert_eq!(task.await.unwrap(), id);
            all.push(id.to_string());
        }
        for task in known {
            let id = task.id().to_string();
            let text = task.await.unwrap();
            assert!(text.starts_with(&id), "{text} begins with {id}");
            all.push(text);
        }
        all
    }
    let alone = outputs(ids);
    let [only] = &alone[..] else { panic!("the same in every execution: {alone:?}") };
    assert!(only.starts_with("[\"1\", \"2\", "), "{only}");
    for search in [Search::Bfs, Search::Dfs] {
        let report = Checker::new().search(search).check(|net| {
            net.process("other", || async { tokio::spawn(who()).await.unwrap() });
            net.process("it", ids);
        });
        assert_eq!((report.verdict(), report.outputs("it")), (Verdict::Verified, &alone[..]), "{report}");
    }
}

#[test]
fn an_isolated_task_that_was_aborted_is_named_by_its_error() {
    let ends = outputs(|| async {
        let task = tokio::spawn(wait_for_ever());
        let (id, abort) = (task.id(), task.abort_handle());
        let before = abort.is_finished();
        abort.abort();
        let error = task.await.unwrap_err();
        (before, error.id() == id, abort.id() == id, abort.is_finished())
    });
    assert_eq!(ends, ["(false, true, true, true)"]);
}

/// The end of a task counts as long as anybody can see it.
#[test]
fn an_end_is_seen_by_who_can_only_abort_too() {
    let seen = |tasks: Tasks| {
        let report = Checker::new().tasks(tasks).check(|net| {
            net.process("it", || async {
                let abort = tokio::spawn(tokio::task::yield_now()).abort_handle();
                let looks = tokio::spawn(async move {
                    let first = abort.is_finished();
                    tokio::task::yield_now().await;
                    (first, abort.is_finished())
                });
                looks.await.unwrap()
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("it").to_vec()
    };
    let all = ["(false, false)", "(false, true)", "(true, true)"];
    assert_eq!(
        (seen(Tasks::Shared), seen(Tasks::Tracked)),
        (all.map(str::to_owned).to_vec(), all.map(str::to_owned).to_vec())
    );
}

/// Else a loop that spawns would never come back to where it was.
#[test]
fn an_id_is_free_again_when_its_task_and_all_handles_to_it_are_gone() {
    let ids = outputs(|| async {
        let mut ids = Vec::new();
        for _ in 0..2 {
            let task = tokio::spawn(async { tokio::task::id() });
            ids.push(task.await.unwrap().to_string());
        }
        ids
    });
    assert_eq!(ids, ["[\"1\", \"1\"]"]);
}

#[netcheck::process]
async fn wait_for_ever() {
    std::future::pending::<()>().await;
}

#[test]
fn an_isolated_task_can_be_aborted() {
    let ends = outputs(|| async {
        let task = tokio::spawn(wait_for_ever());
        let before = task.is_finished();
        task.abort();
        (before, task.await.unwrap_err().is_cancelled())
    });
    assert_eq!(ends, ["(false, true)"]);
}

#[netcheck::process]
async fn echo_once(socket: Arc<UdpSocket>) {
    let mut buffer = [0; 8];
    let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
    socket.send_to(&buffer[..length], from).await.unwrap();
}

#[test]
fn a_socket_can_be_shared_with_an_isolated_task() {
    let ends = outputs(|| async {
        let server = Arc::new(UdpSocket::bind("127.0.0.1:4000").await.unwrap());
        let task = tokio::spawn(echo_once(server));
        let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        client.send_to(b"hi", "127.0.0.1:4000").await.unwrap();
        let mut buffer = [0; 8];
        let length = client.recv(&mut buffer).await.unwrap();
        task.await.unwrap();
        length
    });
    assert_eq!(ends, ["2"]);
}

/// Has one owner, as a stream has, and counts how often it was closed.
struct Parcel {
    number: u32,
    belongs: AtomicBool,
    closed: Arc<AtomicU32>,
}

impl netcheck::Isolated for Parcel {}

impl Handle for Parcel {
    fn duplicate(&self) -> Self {
        self.belongs.store(false, Ordering::Relaxed);
        Parcel { number: self.number, belongs: AtomicBool::new(true), closed: Arc::clone(&self.closed) }
    }
}

impl Drop for Parcel {
    fn drop(&mut self) {
        let closed = self.belongs.load(Ordering::Relaxed);
        self.closed.fetch_add(u32::from(closed), Ordering::Relaxed);
    }
}

#[netcheck::process]
async fn open(parcel: Parcel, name: &'static str) -> String {
    tokio::task::yield_now().await;
    format!("{name} {}", parcel.number)
}

#[test]
fn what_has_one_owner_is_handed_over_to_an_isolated_task() {
    let ends = outputs(|| async {
        let closed = Arc::new(AtomicU32::new(0));
        let parcel = |number| Parcel { number, belongs: AtomicBool::new(true), closed: Arc::clone(&closed) };
        let spawned = tokio::spawn(open(parcel(1), "spawned")).await.unwrap();
        let before = closed.load(Ordering::Relaxed);
        let inside = open(parcel(2), "inside").await;
        drop(open(parcel(3), "never run"));
        (spawned, inside, closed.load(Ordering::Relaxed) - before)
    });
    assert_eq!(ends, [r#"("spawned 1", "inside 2", 2)"#]);
}

#[test]
fn isolated_tasks_are_units_of_their_own_and_plain_ones_are_not() {
    let states = |isolated: bool| {
        let report = Checker::new().reduction(false).check(move |net| {
            net.process("it", move || async move {
                let handles: Vec<_> = (0..3)
                    .map(|number| match isolated {
                        true => tokio::spawn(add(number, 1)),
                        false => tokio::spawn(async move {
                            tokio::task::yield_now().await;
                            number + 1
                        }),
                    })
                    .collect();
                for handle in handles {
                    handle.await.unwrap();
                }
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified);
        report.polls()
    };
    // Six steps in any order are 90 histories of one unit; apart, each is learned once.
    assert!(states(true) < 20 && states(false) > 90, "{} and {}", states(true), states(false));
}

#[test]
fn choose_explores_every_alternative() {
    let sums = outputs(|| async {
        let a: usize = netcheck::choose(0..3).await;
        let b = netcheck::choose([10, 20]).await;
        a + b
    });
    assert_eq!(sums, ["10", "11", "12", "20", "21", "22"]);
}

#[test]
fn a_guard_may_read_the_clock_when_a_suspended_run_is_given_up() {
    struct Guard(tokio::time::Instant);
    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = self.0.elapsed();
        }
    }
    let ends = outputs(|| async {
        let _guard = Guard(tokio::time::Instant::now());
        // Two ways on from here: one run goes on, the other is built anew.
        let chosen: usize = netcheck::choose(0..2).await;
        netcheck::choose([chosen, 10]).await
    });
    assert_eq!(ends, ["0", "1", "10"]);
}

/// A pass means that tasks interleave where they wait, and a free lock is not waited for.
#[test]
fn locks_in_opposite_orders_block_each_other_where_something_is_waited_for_in_between() {
    let check = |waits: bool| {
        Checker::new().check(move |net| {
            net.process("it", move || async move {
                let locks = [Arc::new(tokio::sync::Mutex::new(())), Arc::new(tokio::sync::Mutex::new(()))];
                let take = move |first: Arc<tokio::sync::Mutex<()>>, second: Arc<tokio::sync::Mutex<()>>| async move {
                    let _first = first.lock().await;
                    if waits {
                        tokio::task::yield_now().await;
                    }
                    let _second = second.lock().await;
                };
                let [a, b] = locks;
                let other = tokio::spawn(take(Arc::clone(&b), Arc::clone(&a)));
                take(a, b).await;
                other.await.unwrap();
            });
        })
    };
    assert_eq!(check(false).verdict(), Verdict::Verified);
    assert_eq!(check(true).counterexample().map(|found| found.kind()), Some(ViolationKind::Deadlock));
}
