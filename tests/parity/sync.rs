//! Memory that tasks share.

use super::tokio;
use std::sync::Arc;
use tokio::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use tokio::task::yield_now;
use tokio::time::{Duration, timeout};

pub(crate) async fn a_mutex_excludes() -> (u32, bool) {
    let sum = Arc::new(Mutex::new(0));
    let tasks = [1, 2, 3].map(|number| {
        let sum = Arc::clone(&sum);
        tokio::spawn(async move {
            let mut sum = sum.lock().await;
            let before = *sum;
            yield_now().await;
            *sum = before + number;
        })
    });
    for task in tasks {
        task.await.unwrap();
    }
    let held = sum.lock().await;
    (*held, sum.try_lock().is_err())
}

pub(crate) async fn a_lock_has_one_writer_or_many_readers() -> (u32, bool) {
    let value = RwLock::new(1);
    *value.write().await += 1;
    let (a, b) = (value.read().await, value.read().await);
    (*a + *b, value.try_write().is_err())
}

pub(crate) async fn a_notification_is_kept_for_one_waiter() -> (bool, bool) {
    let notify = Arc::new(Notify::new());
    notify.notify_one();
    notify.notify_one();
    notify.notified().await;
    let again = timeout(Duration::from_millis(5), notify.notified()).await.is_ok();
    let waiter = tokio::spawn({
        let notify = Arc::clone(&notify);
        async move { notify.notified().await }
    });
    notify.notify_one();
    (again, waiter.await.is_ok())
}

pub(crate) async fn a_semaphore_gives_what_it_has() -> (usize, bool, usize) {
    let semaphore = Arc::new(Semaphore::new(2));
    let first = Arc::clone(&semaphore).acquire_owned().await.unwrap();
    let second = Arc::clone(&semaphore).acquire_owned().await.unwrap();
    let none = semaphore.available_permits();
    let waits = timeout(Duration::from_millis(5), semaphore.acquire()).await.is_err();
    drop((first, second));
    (none, waits, semaphore.available_permits())
}

pub(crate) async fn a_bounded_channel_is_full_and_closes() -> (Vec<u32>, bool, bool) {
    let (sender, mut receiver) = mpsc::channel(2);
    let other = sender.clone();
    sender.send(1).await.unwrap();
    other.try_send(2).unwrap();
    let full = matches!(sender.try_send(3), Err(mpsc::error::TrySendError::Full(3)));
    let third = tokio::spawn(async move { other.send(3).await });
    let mut received = Vec::new();
    for _ in 0..3 {
        received.extend(receiver.recv().await);
    }
    third.await.unwrap().unwrap();
    drop(receiver);
    (received, full, sender.send(4).await.is_err())
}

pub(crate) async fn an_unbounded_channel_ends_with_its_senders() -> Vec<u32> {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    drop(sender);
    let mut received = Vec::new();
    while let Some(value) = receiver.recv().await {
        received.push(value);
    }
    received
}

pub(crate) async fn a_oneshot_carries_one_value() -> (Result<u32, String>, String, Result<(), u32>) {
    let (sender, receiver) = oneshot::channel();
    tokio::spawn(async move { sender.send(7) });
    let value = receiver.await.map_err(|error| error.to_string());
    let (sender, receiver) = oneshot::channel::<u32>();
    drop(sender);
    let dropped: Box<dyn std::error::Error + Send + Sync> = receiver.await.unwrap_err().into();
    let (sender, receiver) = oneshot::channel();
    drop(receiver);
    (value, dropped.to_string(), sender.send(8))
}

pub(crate) async fn a_broadcast_reaches_every_subscriber() -> (Vec<u32>, Vec<u32>, String) {
    let (sender, mut first) = broadcast::channel(2);
    let mut second = sender.subscribe();
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    let both = vec![first.recv().await.unwrap(), first.recv().await.unwrap()];
    sender.send(3).unwrap();
    let lagged = second.recv().await.unwrap_err().to_string();
    (both, vec![second.recv().await.unwrap(), second.recv().await.unwrap()], lagged)
}

pub(crate) async fn a_watch_shows_the_latest_value() -> (u32, bool, bool) {
    let (sender, receiver) = watch::channel(0);
    let mut waiting = receiver.clone();
    let waiter = tokio::spawn(async move { *waiting.wait_for(|value| *value == 2).await.unwrap() });
    sender.send(1).unwrap();
    yield_now().await;
    sender.send(2).unwrap();
    let awaited = waiter.await.unwrap() == 2;
    let latest = *receiver.borrow();
    drop(receiver);
    (latest, awaited, sender.send(3).is_err())
}

pub(crate) async fn a_barrier_lets_one_lead() -> usize {
    let barrier = Arc::new(Barrier::new(2));
    let tasks = [(); 2].map(|()| {
        let barrier = Arc::clone(&barrier);
        tokio::spawn(async move { barrier.wait().await.is_leader() })
    });
    let mut leaders = 0;
    for task in tasks {
        leaders += usize::from(task.await.unwrap());
    }
    leaders
}

pub(crate) async fn a_cell_is_initialized_once() -> (u32, u32) {
    let cell = OnceCell::new();
    let first = *cell.get_or_init(|| async { 1 }).await;
    (first, *cell.get_or_init(|| async { 2 }).await)
}

pub(crate) async fn the_first_of_two_senders_may_be_either() -> Vec<u32> {
    let (sender, mut receiver) = mpsc::channel(2);
    for number in [1, 2] {
        let sender = sender.clone();
        tokio::spawn(async move { sender.send(number).await });
    }
    drop(sender);
    let mut received = Vec::new();
    while let Some(value) = receiver.recv().await {
        received.push(value);
    }
    received
}
