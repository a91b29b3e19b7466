//! A deadlock names each task that waits, and for what: also for what is no operation of the network.

use netcheck as tokio;
use netcheck::check::{Checker, ViolationKind};
use std::future::Future;
use std::sync::Arc;
use tokio::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};

/// The report on a process that waits for ever.
fn told<F: Future<Output = ()> + 'static>(process: impl Fn() -> F + Send + Sync + 'static) -> String {
    let report = Checker::new().check(|net| {
        net.process("p", process);
    });
    let counterexample = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(counterexample.kind(), ViolationKind::Deadlock);
    counterexample.message().to_owned()
}

/// This file, with the line of a text in it.
fn at(text: &str) -> String {
    let mut lines = (1..).zip(include_str!("waiting.rs").lines());
    let (number, _): (usize, _) = lines.find(|(_, line)| line.contains(text)).expect("it stands here");
    format!("tests/reports/waiting.rs:{number}")
}

#[test]
fn each_task_is_named_with_its_lock_and_its_line() {
    let message = told(|| async {
        let (one, other) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
        let both = (Arc::clone(&one), Arc::clone(&other));
        let task = tokio::spawn(async move {
            let _other = both.1.lock().await;
            tokio::task::yield_now().await;
            let _one = both.0.lock().await; // the task
        });
        let _one = one.lock().await;
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        let _other = other.lock().await; // the process
        task.await.unwrap();
    });
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[3..], ["  probably to blame: p and p (task 1), which wait for each other"], "{message}");
    let is_said = |waits: [String; 2]| lines[1..3] == waits;
    let spawned = at("let task = tokio::spawn");
    let process = format!("  p waits for the lock of a Mutex at {}", at("// the process"));
    let task = format!("  p (task 1, spawned at {spawned}) waits for the lock of a Mutex at {}", at("// the task"));
    let ended = format!("  p waits for the end of a task at {}", at("        task.await"));
    let first = format!("  p (task 1, spawned at {spawned}) waits for the lock of a Mutex at {}", at("both.1.lock"));
    assert!(is_said([process, task]) || is_said([ended, first]), "{message}");
}

/// A process that waits for one thing, and the words for that.
macro_rules! waits {
    ($($name:ident: $words:literal, $process:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let message = told($process);
                let expected = format!("\n  p waits for {} at tests/reports/waiting.rs:", $words);
                assert!(message.contains(&expected), "{message}");
            }
        )*
    };
}

waits! {
    for_a_value_of_a_oneshot_channel: "a oneshot channel's value", || async {
        let (_sender, receiver) = oneshot::channel::<()>();
        receiver.await.unwrap();
    };
    for_the_end_of_a_oneshot_channel: "the end of a oneshot channel's receiver", || async {
        let (mut sender, _receiver) = oneshot::channel::<()>();
        sender.closed().await;
    };
    for_a_value_in_a_channel: "a value in an mpsc channel", || async {
        let (_sender, mut receiver) = mpsc::channel::<()>(1);
        receiver.recv().await;
    };
    for_a_value_in_an_unbounded_channel: "a value in an mpsc channel", || async {
        let (_sender, mut receiver) = mpsc::unbounded_channel::<()>();
        receiver.recv().await;
    };
    for_room_in_a_channel: "room in an mpsc channel", || async {
        let (sender, _receiver) = mpsc::channel(1);
        sender.send(1).await.unwrap();
        sender.send(2).await.unwrap();
    };
    for_a_notification: "a Notify", || async { Notify::new().notified().await };
    for_a_change: "a change in a watch channel", || async {
        let (_sender, mut receiver) = watch::channel(0);
        receiver.changed().await.unwrap();
    };
    for_a_broadcast: "a value in a broadcast channel", || async {
        let (_sender, mut receiver) = broadcast::channel::<()>(1);
        receiver.recv().await.unwrap();
    };
    for_others_at_a_barrier: "others at a Barrier", || async { _ = Barrier::new(2).wait().await };
    for_a_permit: "a permit of a Semaphore", || async { _ = Semaphore::new(0).acquire().await };
    for_the_lock_of_a_writer: "the lock of a RwLock", || async {
        let lock = RwLock::new(());
        let _reads = lock.read().await;
        drop(lock.write().await);
    };
    for_another_initialization: "the value of a OnceCell", || async {
        let cell = OnceCell::new();
        let never = std::future::pending::<()>;
        tokio::join!(cell.get_or_init(never), cell.get_or_init(never));
    };
    for_the_end_of_a_task: "the end of a task", || async {
        tokio::spawn(std::future::pending::<()>()).await.unwrap();
    };
    for_a_task_of_a_set: "a task of a JoinSet", || async {
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(std::future::pending::<()>());
        tasks.join_next().await;
    };
    for_the_other_end: "the other end of a DuplexStream", || async {
        use tokio::io::AsyncReadExt;
        let (mut one, _other) = tokio::io::duplex(1);
        one.read_u8().await.unwrap();
    };
    for_a_branch: "a branch of a `select!`", || async {
        let notify = Notify::new();
        tokio::select! {
            () = notify.notified() => {}
            () = std::future::pending() => {}
        }
    };
}

#[test]
fn what_was_given_up_is_not_waited_for() {
    let message = told(|| async {
        let (lock, notify) = (Mutex::new(()), Notify::new());
        let _locked = lock.lock().await;
        let limit = std::time::Duration::from_secs(1);
        tokio::time::timeout(limit, lock.lock()).await.expect_err("it is locked");
        notify.notified().await;
    });
    let expected = format!(
        "nothing can happen any more\n  p waits for a Notify at {}\n  probably to blame: p, which is the only task left \
         there: nobody else could end the wait",
        at("        notify.notified()")
    );
    assert_eq!(message, expected);
}

#[test]
fn an_end_that_is_refused_is_shown_with_the_line_and_all_outputs() {
    let report = Checker::new().check(|net| {
        net.process("p", || async { 3 });
        net.process("q", || async { netcheck::choose(0..2).await });
        net.daemon("d", std::future::pending::<()>);
        net.finally(|end| match end.output("q") {
            Some("1") => Err("q has chosen 1"),
            _ => Ok(()),
        });
    });
    let message = report.counterexample().expect("q may choose 1").message();
    let finally = at("net.finally(");
    assert_eq!(
        message,
        format!("q has chosen 1 (finally at {finally})\n  p ended with 3\n  q ended with 1\n  d has not ended")
    );
}
