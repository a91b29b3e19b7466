//! Calls on `Notify` and `Barrier`.

use super::super::Record;
use super::super::record::{Sequence, Woken, any};
use super::sync::futures::Notified;
use super::sync::{Barrier, Notify};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};

pub(crate) fn notify(seed: u64, steps: usize) -> Record {
    let mut sequence = Sequence::new(seed, false);
    let notify = Notify::new();
    let mut notified: Vec<Option<Pin<Box<Notified<'_>>>>> = Vec::new();
    for _ in 0..steps {
        notify_step(&notify, &mut notified, &mut sequence);
    }
    drop(notified);
    sequence.end(notify)
}

fn notify_step<'a>(
    notify: &'a Notify,
    notified: &mut Vec<Option<Pin<Box<Notified<'a>>>>>,
    sequence: &mut Sequence,
) -> Option<()> {
    match sequence.dice.index(16) {
        0..=4 => {
            notified.push(Some(Box::pin(notify.notified())));
            sequence.end_step("notified", notified.len());
        }
        5..=9 => {
            let index = any(&mut sequence.dice, notified)?;
            let variant = sequence.dice.index(2);
            let waker = Waker::from(Arc::new(Woken(index, variant)));
            let poll = notified[index].as_mut()?.as_mut().poll(&mut Context::from_waker(&waker));
            sequence.end_step("poll", (index, variant, poll));
        }
        10 => {
            let index = any(&mut sequence.dice, notified)?;
            let is_enabled = notified[index].as_mut()?.as_mut().enable();
            sequence.end_step("enable", (index, is_enabled));
        }
        11 | 12 => {
            let index = any(&mut sequence.dice, notified)?;
            notified[index] = None;
            sequence.end_step("drop", index);
        }
        13 => {
            notify.notify_one();
            sequence.end_step("notify_one", ());
        }
        14 => {
            notify.notify_last();
            sequence.end_step("notify_last", ());
        }
        _ => {
            notify.notify_waiters();
            sequence.end_step("notify_waiters", ());
        }
    }
    Some(())
}

pub(crate) fn barrier(seed: u64, steps: usize) -> Record {
    let mut sequence = Sequence::new(seed, true);
    let barrier = Rc::new(Barrier::new(sequence.dice.index(5)));
    for _ in 0..steps {
        if sequence.dice.one_in(3) {
            let barrier = Rc::clone(&barrier);
            sequence.start("wait", async move { barrier.wait().await.is_leader() });
        } else {
            sequence.go_on();
        }
    }
    sequence.end(barrier)
}
