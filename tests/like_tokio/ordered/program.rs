//! Programs of one process whose outputs are the orders in which their tasks were polled.

use super::tokio;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Duration, interval, sleep, timeout};

/// The record that tasks append to.
#[derive(Clone, Default)]
struct Order(Arc<Mutex<Vec<u32>>>);

impl Order {
    fn push(&self, number: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(number);
    }

    fn take(&self) -> Vec<u32> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Spawns a task that appends a number.
    fn spawn(&self, number: u32) -> tokio::task::JoinHandle<()> {
        let order = self.clone();
        tokio::spawn(async move { order.push(number) })
    }
}

/// Longer than everything else.
async fn at_the_end(order: &Order) -> Vec<u32> {
    sleep(Duration::from_secs(1_000)).await;
    order.take()
}

/// The running task is woken, and polled again after those that wait in the queue.
async fn wakes_itself() {
    let mut is_woken = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut is_woken, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

pub(crate) async fn spawned() -> Vec<u32> {
    let order = Order::default();
    (0..4).for_each(|number| drop(order.spawn(number)));
    order.push(10);
    at_the_end(&order).await
}

pub(crate) async fn spawned_by_tasks() -> Vec<u32> {
    let order = Order::default();
    for number in 0..3 {
        let own = order.clone();
        tokio::spawn(async move {
            own.push(number);
            own.spawn(10 + number);
            own.spawn(20 + number);
        });
    }
    at_the_end(&order).await
}

pub(crate) async fn woken_by_notify() -> Vec<u32> {
    let (order, notify) = (Order::default(), Arc::new(Notify::new()));
    for number in 0..3 {
        let (order, notify) = (order.clone(), Arc::clone(&notify));
        tokio::spawn(async move {
            notify.notified().await;
            order.push(number);
        });
    }
    yield_now().await;
    order.spawn(10);
    notify.notify_one();
    order.spawn(11);
    notify.notify_waiters();
    order.spawn(12);
    at_the_end(&order).await
}

pub(crate) async fn woken_by_channels() -> Vec<u32> {
    let order = Order::default();
    let (sender, mut receiver) = mpsc::channel(1);
    let (answers, answer) = oneshot::channel();
    for number in 0..3 {
        let (order, sender) = (order.clone(), sender.clone());
        tokio::spawn(async move {
            sender.send(number).await.expect("the receiver is there");
            order.push(number);
        });
    }
    let own = order.clone();
    tokio::spawn(async move {
        answer.await.expect("there is an answer");
        own.push(20);
    });
    let own = order.clone();
    tokio::spawn(async move {
        for _ in 0..3 {
            let received = receiver.recv().await.expect("three are sent");
            own.push(10 + received);
        }
        answers.send(()).expect("it is waited for");
        own.push(21);
    });
    at_the_end(&order).await
}

/// tokio wakes those that have yielded in the reverse order.
pub(crate) async fn yielding() -> Vec<u32> {
    let order = Order::default();
    for number in 0..3 {
        let order = order.clone();
        tokio::spawn(async move {
            for round in 0..3 {
                order.push(10 * round + number);
                yield_now().await;
            }
        });
    }
    let own = order.clone();
    tokio::spawn(async move {
        wakes_itself().await;
        own.push(100);
        own.spawn(101);
        wakes_itself().await;
        own.push(102);
    });
    at_the_end(&order).await
}

/// The future of `block_on` is polled when the queue is empty, and then before all others.
pub(crate) async fn root_first() -> Vec<u32> {
    let (order, notify) = (Order::default(), Arc::new(Notify::new()));
    for number in 0..3 {
        let (order, notify) = (order.clone(), Arc::clone(&notify));
        tokio::spawn(async move {
            order.push(number);
            notify.notify_one();
            order.spawn(10 + number);
            yield_now().await;
            order.push(20 + number);
        });
    }
    notify.notified().await;
    order.push(30);
    yield_now().await;
    order.push(31);
    at_the_end(&order).await
}

pub(crate) async fn joined() -> Vec<u32> {
    let (order, mut set) = (Order::default(), JoinSet::new());
    for number in 0..4 {
        set.spawn(async move {
            for _ in 0..(number * 3) % 4 {
                yield_now().await;
            }
            number
        });
    }
    while let Some(number) = set.join_next().await {
        order.push(number.expect("it is not aborted"));
        order.spawn(10);
    }
    at_the_end(&order).await
}

struct PushedAtItsEnd(Order, u32);

impl Drop for PushedAtItsEnd {
    fn drop(&mut self) {
        self.0.push(self.1);
    }
}

/// A task that stands in the queue keeps its place when it is aborted; one that waits is put there.
pub(crate) async fn aborted() -> Vec<u32> {
    let order = Order::default();
    let spawn = |number| {
        let last = PushedAtItsEnd(order.clone(), number);
        tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop(last);
        })
    };
    let (first, second) = (spawn(0), spawn(1));
    yield_now().await;
    let third = spawn(2);
    order.spawn(10);
    second.abort();
    order.spawn(11);
    third.abort();
    first.abort();
    at_the_end(&order).await
}

pub(crate) async fn abort_of_itself() -> Vec<u32> {
    let order = Order::default();
    let (handles, handle) = oneshot::channel::<tokio::task::AbortHandle>();
    let own = order.clone();
    let task = tokio::spawn(async move {
        let _last = PushedAtItsEnd(own.clone(), 0);
        handle.await.expect("it is sent").abort();
        own.spawn(1);
        own.push(2);
        yield_now().await;
        own.push(3);
    });
    handles.send(task.abort_handle()).expect("it is waited for");
    order.spawn(4);
    at_the_end(&order).await
}

/// Timers that are due together fire in the order in which they were first polled, and wake others afterwards.
pub(crate) async fn timers() -> Vec<u32> {
    let order = Order::default();
    for (number, wait_ms) in [(0, [70, 30]), (1, [30, 70]), (2, [100, 0]), (3, [99, 1])] {
        let order = order.clone();
        tokio::spawn(async move {
            for wait_ms in wait_ms {
                sleep(Duration::from_millis(wait_ms)).await;
            }
            order.push(number);
            order.spawn(10 + number);
        });
    }
    sleep(Duration::from_millis(100)).await;
    order.push(20);
    at_the_end(&order).await
}

/// Heartbeats with one period, and a limit that is due with the third.
pub(crate) async fn intervals() -> Vec<u32> {
    let order = Order::default();
    for number in 0..3 {
        let order = order.clone();
        tokio::spawn(async move {
            let mut beats = interval(Duration::from_millis(10 + u64::from(number % 2) * 10));
            let beat = async {
                loop {
                    beats.tick().await;
                    order.push(number);
                }
            };
            let _ = timeout(Duration::from_millis(35), beat).await;
            order.push(10 + number);
        });
    }
    at_the_end(&order).await
}

/// tokio asks the driver after 61 tasks, whatever waits.
pub(crate) async fn more_than_one_round() -> Vec<u32> {
    let (order, notify) = (Order::default(), Arc::new(Notify::new()));
    let (own, notified) = (order.clone(), Arc::clone(&notify));
    let early = tokio::spawn(async move {
        yield_now().await;
        own.push(1_000);
        notified.notify_one();
    });
    for number in 0..150 {
        let own = order.clone();
        tokio::spawn(async move {
            own.push(number);
            if number % 40 == 0 {
                wakes_itself().await;
                own.push(2_000 + number);
            }
        });
    }
    notify.notified().await;
    order.push(3_000);
    early.await.expect("it does not panic");
    order.push(3_001);
    at_the_end(&order).await
}

/// A task that is woken all the time: timers fire and others yield only between rounds.
pub(crate) async fn never_quiet() -> Vec<u32> {
    let order = Order::default();
    let own = order.clone();
    let busy = tokio::spawn(async move {
        for number in 0..200 {
            wakes_itself().await;
            if number % 20 == 0 {
                own.push(number);
            }
        }
    });
    for number in 0..2 {
        let own = order.clone();
        tokio::spawn(async move {
            for _ in 0..3 {
                yield_now().await;
                own.push(1_000 + number);
            }
        });
    }
    busy.await.expect("it does not panic");
    order.push(2_000);
    at_the_end(&order).await
}
