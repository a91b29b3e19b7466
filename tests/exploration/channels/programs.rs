//! Processes of a few tasks that share something, each of which waits for a second before it goes on.

use super::tokio;
use netcheck::Network;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Barrier, Notify, broadcast, mpsc, watch};

async fn second() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

pub(crate) fn bounded_channels(net: &mut Network) {
    net.daemon("it", || async {
        let (sender, mut receiver) = mpsc::channel(2);
        tokio::spawn(async move { while let Some(()) = receiver.recv().await {} });
        loop {
            second().await;
            sender.send(()).await.unwrap();
        }
    });
}

pub(crate) fn unbounded_channels(net: &mut Network) {
    net.daemon("it", || async {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        tokio::spawn(async move { while let Some(7) = receiver.recv().await {} });
        loop {
            second().await;
            sender.send(7).unwrap();
        }
    });
}

/// One receiver is always behind, and one misses values.
pub(crate) fn broadcasts(net: &mut Network) {
    net.daemon("it", || async {
        let (sender, mut receiver) = broadcast::channel(2);
        let mut slow = sender.subscribe();
        tokio::spawn(async move { while receiver.recv().await.is_ok() {} });
        loop {
            for value in 0..3 {
                second().await;
                sender.send(value).unwrap();
            }
            assert!(slow.recv().await.is_err(), "it lags");
            while slow.try_recv().is_ok() {}
        }
    });
}

pub(crate) fn watched_values(net: &mut Network) {
    net.daemon("it", || async {
        let (sender, mut receiver) = watch::channel(0);
        let unseen = sender.subscribe();
        tokio::spawn(async move { while receiver.changed().await.is_ok() {} });
        loop {
            second().await;
            sender.send_modify(|value| *value = (*value + 1) % 3);
            assert!(unseen.has_changed().unwrap());
        }
    });
}

pub(crate) fn notifications_of_all(net: &mut Network) {
    net.daemon("it", || async {
        let notify = Arc::new(Notify::new());
        let waiting = Arc::clone(&notify);
        tokio::spawn(async move {
            loop {
                waiting.notified().await;
            }
        });
        loop {
            second().await;
            notify.notify_waiters();
        }
    });
}

pub(crate) fn rounds_of_a_barrier(net: &mut Network) {
    net.daemon("it", || async {
        let barrier = Arc::new(Barrier::new(2));
        let other = Arc::clone(&barrier);
        tokio::spawn(async move {
            loop {
                other.wait().await;
            }
        });
        loop {
            second().await;
            barrier.wait().await;
        }
    });
}

/// Three tasks, one of which misses some of what another one sends.
pub(crate) fn lags(net: &mut Network) {
    net.process("it", || async {
        let (sender, mut receiver) = broadcast::channel(1);
        let mut other = sender.subscribe();
        let first = tokio::spawn(async move {
            let mut heard = Vec::new();
            loop {
                match receiver.recv().await {
                    Ok(value) => heard.push(format!("{value}")),
                    Err(broadcast::error::RecvError::Lagged(missed)) => heard.push(format!("-{missed}")),
                    Err(broadcast::error::RecvError::Closed) => return heard,
                }
            }
        });
        let second = tokio::spawn(async move { other.recv().await });
        for value in 0..3 {
            sender.send(value).unwrap();
            tokio::task::yield_now().await;
        }
        drop(sender);
        (first.await.unwrap(), second.await.unwrap())
    });
}

/// Senders wait for room, one of them in vain.
pub(crate) fn races(net: &mut Network) {
    net.process("it", || async {
        let (sender, mut receiver) = mpsc::channel(1);
        let (mode, mut seen) = watch::channel(0);
        let senders = [1, 2].map(|value| {
            let sender = sender.clone();
            tokio::spawn(async move { sender.send(value).await.is_ok() })
        });
        tokio::spawn(async move { mode.send(1) });
        let changed = seen.changed().await.is_ok();
        let first = receiver.recv().await;
        receiver.close();
        let mut rest = Vec::new();
        while let Some(value) = receiver.recv().await {
            rest.push(value);
        }
        let [one, two] = senders;
        (changed, first, rest, one.await.unwrap(), two.await.unwrap())
    });
}
