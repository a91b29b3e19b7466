//! Tracked tasks: the order of steps that share nothing does not show.

use netcheck as tokio;
use netcheck::check::{Checker, Error, Identity, Report, Search, Tasks, Verdict};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UdpSocket;

/// `tasks` tasks that each receive `steps` datagrams of their own.
fn receivers(checker: Checker, tasks: u16, steps: usize) -> Report {
    checker.check(|net| {
        net.process("server", move || async move {
            let mut handles = Vec::new();
            for task in 0..tasks {
                handles.push(tokio::spawn(async move {
                    let socket = UdpSocket::bind(("0.0.0.0", 10 + task)).await.unwrap();
                    for _ in 0..steps {
                        socket.recv(&mut [0; 4]).await.unwrap();
                    }
                }));
            }
            for handle in handles {
                handle.await.unwrap();
            }
        });
        net.process("client", move || async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for _ in 0..steps {
                for task in 0..tasks {
                    socket.send_to(b"x", ("server", 10 + task)).await.unwrap();
                }
            }
        })
        .after("server");
    })
}

#[test]
fn tasks_that_share_nothing_are_a_grid_of_local_states_and_not_a_tree() {
    let states = |tasks, reduction| {
        let checker = Checker::new().identity(Identity::History).tasks(tasks).reduction(reduction);
        let report = receivers(checker, 2, 3);
        assert_eq!(report.verdict(), Verdict::Verified);
        report.states()
    };
    assert_eq!((states(Tasks::Shared, false), states(Tasks::Tracked, false)), (1203, 69));
    assert_eq!((states(Tasks::Shared, true), states(Tasks::Tracked, true)), (693, 24));
}

/// Two tasks that each wait for a datagram and then say who they are in a list; the one that comes last sends it.
async fn lister() {
    let list = Rc::new(RefCell::new(Vec::new()));
    let mut handles = Vec::new();
    for number in 0..2u8 {
        let list = Rc::clone(&list);
        handles.push(tokio::task::spawn_local(async move {
            let socket = UdpSocket::bind(("0.0.0.0", 10 + u16::from(number))).await.unwrap();
            socket.recv(&mut [0; 4]).await.unwrap();
            list.borrow_mut().push(number);
            tokio::task::yield_now().await;
        }));
    }
    for handle in handles {
        handle.await.unwrap();
    }
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let list = list.borrow().clone();
    socket.send_to(&list, "client:9").await.unwrap();
}

fn listed(tasks: Tasks) -> Result<Report, Error> {
    Checker::new().tasks(tasks).try_check(|net| {
        net.process("server", lister);
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:9").await.unwrap();
            for port in [10, 11] {
                socket.send_to(b"go", ("server", port)).await.unwrap();
            }
            let mut list = [0; 4];
            let count = socket.recv(&mut list).await.unwrap();
            list[..count].to_vec()
        })
        .after("server");
    })
}

#[test]
fn a_broken_promise_is_found() {
    let report = listed(Tasks::Shared).expect("any memory may be shared");
    assert_eq!(report.outputs("client"), ["[0, 1]", "[1, 0]"]);
    let error = listed(Tasks::Tracked).expect_err("the list is shared, and nobody tracks it").to_string();
    assert!(
        error.contains("process \"server\" is checked with `tasks = tracked`, but its tasks share memory"),
        "{error}"
    );
    assert!(error.contains("`use netcheck::tracked as tokio`"), "{error}");
}

/// Two tasks that each take a datagram and write their number into a list behind a lock.
async fn tracked_lister() -> Vec<u8> {
    use netcheck::tracked as tokio;
    let list = Arc::new(tokio::sync::Mutex::new(Vec::new()));
    let mut handles = Vec::new();
    for number in 0..2u8 {
        let list = Arc::clone(&list);
        handles.push(tokio::spawn(async move {
            let socket = UdpSocket::bind(("0.0.0.0", 10 + u16::from(number))).await.unwrap();
            for _ in 0..2 {
                socket.recv(&mut [0; 4]).await.unwrap();
            }
            list.lock().await.push(number);
        }));
    }
    for handle in handles {
        handle.await.unwrap();
    }
    list.lock().await.clone()
}

#[test]
fn the_order_in_which_an_object_is_used_is_kept_and_no_other() {
    let states = [Tasks::Shared, Tasks::Tracked].map(|tasks| {
        let report = Checker::new().identity(Identity::History).tasks(tasks).check(|net| {
            net.process("server", tracked_lister);
            net.process("client", || async {
                let socket = UdpSocket::bind("0.0.0.0:9").await.unwrap();
                for port in [10, 11, 10, 11] {
                    socket.send_to(b"go", ("server", port)).await.unwrap();
                }
            })
            .after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified);
        assert_eq!(report.outputs("server"), ["[0, 1]", "[1, 0]"]);
        report.states()
    });
    assert_eq!(states, [220, 25]);
}

#[netcheck::model_check(tasks = tracked, max_states = 100)]
fn the_attribute_says_it_too(net: &mut netcheck::Network) {
    net.process("server", tracked_lister);
    net.process("client", || async {
        let socket = UdpSocket::bind("0.0.0.0:9").await.unwrap();
        for port in [10, 11, 10, 11] {
            socket.send_to(b"go", ("server", port)).await.unwrap();
        }
    })
    .after("server");
}

/// `#[tokio::test]` and what builds runtimes compile where `tokio` is the tracked tree.
mod a_test_that_was_written_for_tokio {
    use netcheck::tracked as tokio;
    use std::sync::Arc;
    use tokio::sync::Mutex;

    #[tokio::test]
    async fn is_checked_with_tracked_memory() {
        let sum = Arc::new(Mutex::new(0));
        let tasks = [1, 2].map(|number| {
            let sum = Arc::clone(&sum);
            tokio::runtime::Handle::current().spawn(async move { *sum.lock().await += number })
        });
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*sum.lock().await, 3);
    }
}

/// A socket's number goes back to the task that has made it when that task knows of it, and not before.
#[test]
fn a_socket_that_is_handed_to_another_task_and_dropped_there_is_no_memory_that_tasks_share() {
    async fn rebinds() {
        let handed = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
        let task = tokio::spawn(async move {
            drop(handed);
            UdpSocket::bind("0.0.0.0:4001").await.unwrap();
        });
        tokio::time::sleep(Duration::from_millis(10)).await;
        let own = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        task.await.unwrap();
        drop((own, UdpSocket::bind("0.0.0.0:4002").await.unwrap()));
    }
    for seed in 0..20 {
        for search in [Search::Bfs, Search::Pct { seed, depth: 3 }] {
            for reduction in [true, false] {
                let checker = Checker::new().tasks(Tasks::Tracked).search(search).reduction(reduction);
                let report = checker.check(|net| _ = net.process("server", rebinds));
                assert_eq!(report.verdict(), Verdict::Verified);
            }
        }
    }
}
