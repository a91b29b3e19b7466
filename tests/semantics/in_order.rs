//! Tasks in tokio's order beside what has no order: sockets, isolated tasks, failures.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Tasks, Udp, Verdict};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::Notify;
use tokio::time::timeout;

type Log = Arc<Mutex<String>>;

fn log(log: &Log, letter: char) {
    log.lock().unwrap().push(letter);
}

/// The outputs of a process in all executions, which are the same however they are explored.
fn outputs(name: &str, register: impl Fn(&mut Network) + Copy) -> BTreeSet<String> {
    let run = |reduction, identity| {
        let checker = Checker::new().tasks(Tasks::Fifo).reduction(reduction).identity(identity);
        let report = checker.check(register);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs(name).iter().map(|output| output.trim_matches('"').to_owned()).collect::<BTreeSet<String>>()
    };
    let base = run(true, Identity::History);
    for (reduction, identity) in [(false, Identity::History), (true, Identity::Memory), (false, Identity::Memory)] {
        assert_eq!(base, run(reduction, identity), "reduction {reduction}, {identity:?}");
    }
    base
}

fn set<const N: usize>(all: [&str; N]) -> BTreeSet<String> {
    all.into_iter().map(str::to_owned).collect()
}

/// One task waits for each socket; the first spawns two others.
async fn listens() -> String {
    let all = Log::default();
    let end = Arc::new(Notify::new());
    let mut tasks = Vec::new();
    for (letter, port) in [('a', 4000), ('b', 4001)] {
        let socket = UdpSocket::bind(("0.0.0.0", port)).await.unwrap();
        let (all, end) = (Arc::clone(&all), Arc::clone(&end));
        tasks.push(tokio::spawn(async move {
            socket.recv(&mut [0; 1]).await.unwrap();
            log(&all, letter);
            if letter == 'a' {
                for letter in ['c', 'd'] {
                    let (all, end) = (Arc::clone(&all), Arc::clone(&end));
                    tokio::spawn(async move {
                        log(&all, letter);
                        if letter == 'd' {
                            end.notify_one();
                        }
                    });
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    end.notified().await;
    let all = all.lock().unwrap();
    all.clone()
}

async fn sends() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"a", "listener:4000").await.unwrap();
    socket.send_to(b"b", "listener:4001").await.unwrap();
}

/// Sockets that are ready together wake their tasks in any order, before those that these tasks spawn; but nothing comes
/// between two tasks that are spawned in one poll.
#[test]
fn which_socket_is_ready_first_is_explored() {
    let in_order = outputs("listener", |net| {
        net.process("listener", listens);
        net.process("sender", sends).after("listener");
    });
    assert_eq!(in_order, set(["abcd", "acdb", "bacd"]));
    let report = Checker::new().check(|net| {
        net.process("listener", listens);
        net.process("sender", sends).after("listener");
    });
    assert!(report.outputs("listener").contains(&r#""acbd""#.to_owned()), "in another order of tasks: {report}");
}

#[netcheck::process]
async fn child(number: u32) -> u32 {
    tokio::task::yield_now().await;
    number
}

/// Isolated tasks end in any order, each between any two tasks of their parent.
#[test]
fn isolated_tasks_keep_all_their_orders() {
    let ends = outputs("parent", |net| {
        net.process("parent", || async {
            let all = Log::default();
            let mut tasks = Vec::new();
            for (number, letter) in [(0, 'a'), (1, 'b')] {
                let all = Arc::clone(&all);
                let child = tokio::spawn(child(number));
                tasks.push(tokio::spawn(async move {
                    child.await.unwrap();
                    log(&all, letter);
                }));
            }
            let own = Arc::clone(&all);
            tasks.push(tokio::spawn(async move {
                log(&own, 'x');
                tokio::task::yield_now().await;
                log(&own, 'y');
            }));
            for task in tasks {
                task.await.unwrap();
            }
            let all = all.lock().unwrap();
            all.clone()
        });
    });
    let any = ["abxy", "baxy", "axby", "bxay", "axyb", "bxya", "xaby", "xbay", "xayb", "xbya", "xyab", "xyba"];
    assert_eq!(ends, set(any));
}

/// A datagram may be lost in tokio's order, too; and what is found happens again.
#[test]
fn faults_are_explored_and_violations_are_found() {
    let network = |net: &mut Network| {
        net.process("listener", || async {
            timeout(Duration::from_secs(1), listens()).await.expect("both datagrams arrive")
        });
        net.process("sender", sends).after("listener");
    };
    let checker = Checker::new().udp(Udp::new().loss()).tasks(Tasks::Fifo);
    let report = checker.check(network);
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    let found = report.counterexample().expect("a violation has one");
    assert!(found.message().contains("both datagrams arrive"), "{found}");
    let again = checker.replay(network, found).expect("it fits the programs").expect("it is violated again");
    assert!(again.contains("both datagrams arrive"), "{again}");
}

/// A task aborts itself and then chooses: it ends there, and the process goes on.
async fn aborts_itself() -> String {
    let own = Arc::new(Mutex::new(None::<tokio::task::AbortHandle>));
    let kept = Arc::clone(&own);
    let task = tokio::spawn(async move {
        kept.lock().unwrap().as_ref().expect("the root has kept it").abort();
        netcheck::choose(0..3).await
    });
    *own.lock().unwrap() = Some(task.abort_handle());
    tokio::spawn(async {}).await.unwrap();
    format!("{:?}", task.await.map_err(|error| error.is_cancelled()))
}

#[test]
fn a_task_that_has_aborted_itself_takes_no_choice() {
    let ends = outputs("process", |net| {
        net.process("process", aborts_itself);
    });
    assert_eq!(ends, set(["Err(true)"]));
}

/// Two timers of one instant have fired before tokio polls a task, so a `select!` that the first of them makes ready by
/// another branch takes either.
#[test]
fn a_select_takes_either_of_two_that_are_ready_at_one_instant() {
    async fn asks() -> String {
        let (mut answer, wanted) = tokio::sync::oneshot::channel::<()>();
        let worker = tokio::spawn(async move {
            tokio::select! {
                () = answer.closed() => "nobody waits",
                () = tokio::time::sleep(Duration::from_millis(5)) => "too late",
            }
        });
        assert!(timeout(Duration::from_millis(5), wanted).await.is_err());
        worker.await.unwrap().to_owned()
    }
    let found = outputs("client", |net| {
        net.process("client", asks);
    });
    assert_eq!(found, set(["nobody waits", "too late"]));
}

/// A `yield_now` is ready when it is polled again, whether or not it was woken.
#[test]
fn branches_that_have_yielded_are_ready_when_their_task_is_polled_for_something_else() {
    async fn yields() -> String {
        let kept = async {
            tokio::select! {
                () = tokio::task::yield_now() => "first",
                () = tokio::task::yield_now() => "second",
            }
        };
        tokio::pin!(kept);
        let mut rounds = 0;
        loop {
            tokio::select! {
                biased;
                taken = &mut kept => return taken.to_owned(),
                () = async {} => rounds += 1,
            }
            assert_eq!(rounds, 1);
        }
    }
    let found = outputs("client", |net| {
        net.process("client", yields);
    });
    assert_eq!(found, set(["first", "second"]));
}
