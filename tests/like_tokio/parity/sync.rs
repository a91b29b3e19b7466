//! Memory that tasks share.

use super::tokio;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use tokio::sync::{MappedMutexGuard, MutexGuard, OwnedMappedMutexGuard, OwnedMutexGuard};
use tokio::sync::{OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard};
use tokio::sync::{OwnedSemaphorePermit, RwLockMappedWriteGuard, RwLockReadGuard, RwLockWriteGuard, SetError};
use tokio::task::yield_now;
use tokio::time::{Duration, timeout};

/// Whether a future is ready when it is polled once.
async fn is_ready<F: Future>(mut future: Pin<&mut F>) -> bool {
    poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx).is_ready())).await
}

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

pub(crate) async fn a_guard_moves_into_a_task() -> (bool, bool, u32) {
    let (mutex, lock) = (Arc::new(Mutex::new(1)), Arc::new(RwLock::new(2)));
    let mut held = Arc::clone(&mutex).lock_owned().await;
    let read = Arc::clone(&lock).read_owned().await;
    let same = Arc::ptr_eq(OwnedMutexGuard::mutex(&held), &mutex);
    let taken = Arc::clone(&mutex).try_lock_owned().is_err() && Arc::clone(&lock).try_write_owned().is_err();
    tokio::spawn(async move { *held += *read }).await.unwrap();
    *Arc::clone(&lock).write_owned().await += *Arc::clone(&mutex).try_lock_owned().unwrap();
    let written = *Arc::clone(&lock).try_write_owned().unwrap();
    let read = *Arc::clone(&lock).try_read_owned().unwrap();
    let (mutex, mut lock) = (Arc::into_inner(mutex).unwrap(), Arc::into_inner(lock).unwrap());
    *lock.get_mut() += mutex.into_inner();
    (same, taken, written + read + lock.into_inner())
}

pub(crate) async fn a_guard_is_narrowed_to_a_part() -> (u32, u32, bool, (u32, u32), (u32, u32)) {
    let mutex = Arc::new(Mutex::new((1, 2)));
    let second = MappedMutexGuard::map(MutexGuard::map(mutex.lock().await, |both| both), |(_, second)| second);
    let none = MappedMutexGuard::try_map(second, |_| None::<&mut u32>);
    *none.unwrap_err() += 10;
    let owned = OwnedMutexGuard::try_map(Arc::clone(&mutex).lock_owned().await, |(first, _)| Some(first)).unwrap();
    *OwnedMappedMutexGuard::map(owned, |first| first) += 20;
    let lock = Arc::new(RwLock::new((1, 2)));
    let first = *RwLockReadGuard::map(lock.read().await, |(first, _)| first);
    let second = *OwnedRwLockReadGuard::map(Arc::clone(&lock).read_owned().await, |(_, second)| second);
    let mapped = RwLockWriteGuard::map(lock.write().await, |both| both);
    *RwLockMappedWriteGuard::map(mapped, |(_, second)| second) += 10;
    let mapped = OwnedRwLockWriteGuard::into_mapped(Arc::clone(&lock).write_owned().await);
    *OwnedRwLockMappedWriteGuard::try_map(mapped, |(first, _)| Some(first)).unwrap() += 20;
    let none = RwLockWriteGuard::try_downgrade_map(lock.write().await, |_| None::<&u32>).is_err();
    let (mutex, lock) = (*mutex.lock().await, *lock.read().await);
    (first, second, none, mutex, lock)
}

pub(crate) async fn a_writer_becomes_a_reader() -> (bool, bool, u32, u32) {
    let lock = Arc::new(RwLock::with_max_readers(1, 2));
    let writer = lock.write().await;
    let none = lock.try_read().is_err();
    let reader = writer.downgrade();
    let another = lock.try_read().unwrap();
    let full = lock.try_read().is_err();
    let sum = *reader + *another;
    drop((reader, another));
    let part = OwnedRwLockWriteGuard::downgrade_map(Arc::clone(&lock).write_owned().await, |value| value);
    (none, full, sum, *part)
}

pub(crate) async fn a_reader_waits_behind_a_writer_that_waits() -> (bool, bool, bool) {
    let lock = RwLock::new(());
    let reader = lock.read().await;
    let before = lock.try_read().is_ok();
    let behind = {
        let mut writer = pin!(lock.write());
        is_ready(writer.as_mut()).await || lock.try_read().is_err()
    };
    let after = lock.try_read().is_ok();
    drop(reader);
    (before, behind, after)
}

pub(crate) async fn who_gives_up_leaves_the_queue() -> (bool, bool, bool) {
    let (mutex, semaphore) = (Mutex::new(()), Semaphore::new(1));
    let held = mutex.lock().await;
    let elapsed = timeout(Duration::from_millis(5), mutex.lock()).await.is_err();
    drop(held);
    let blocked = {
        let mut greedy = pin!(semaphore.acquire_many(2));
        is_ready(greedy.as_mut()).await || semaphore.try_acquire().is_err()
    };
    (elapsed && mutex.try_lock().is_ok(), blocked, semaphore.try_acquire().is_ok())
}

pub(crate) async fn permits_are_split_merged_and_forgotten() -> (Vec<usize>, bool) {
    let semaphore = Arc::new(Semaphore::new(3));
    let mut seen = Vec::new();
    let mut two = semaphore.acquire_many(2).await.unwrap();
    let one = two.split(1).unwrap();
    seen.extend([two.num_permits(), one.num_permits(), semaphore.available_permits()]);
    two.merge(one);
    two.forget();
    semaphore.add_permits(3);
    seen.push(semaphore.available_permits());
    let mut owned = Arc::clone(&semaphore).acquire_many_owned(2).await.unwrap();
    let other: OwnedSemaphorePermit = Arc::clone(&semaphore).try_acquire_owned().unwrap();
    let same = Arc::ptr_eq(owned.semaphore(), &semaphore);
    owned.merge(other);
    drop(owned.split(1));
    seen.push(semaphore.available_permits());
    owned.forget();
    seen.extend([semaphore.forget_permits(5), semaphore.available_permits()]);
    (seen, same)
}

pub(crate) async fn a_closed_semaphore_has_no_permits() -> (String, String, String, bool) {
    let semaphore = Arc::new(Semaphore::new(0));
    let none = semaphore.try_acquire_many(1).unwrap_err().to_string();
    semaphore.close();
    let closed = semaphore.try_acquire().unwrap_err().to_string();
    let waited = Arc::clone(&semaphore).acquire_owned().await.unwrap_err().to_string();
    (none, closed, waited, semaphore.is_closed())
}

pub(crate) async fn all_that_wait_are_notified() -> (Vec<bool>, bool) {
    let notify = Notify::new();
    let (mut polled, mut enabled, mut new) =
        (pin!(notify.notified()), pin!(notify.notified()), pin!(notify.notified()));
    let mut seen = vec![is_ready(polled.as_mut()).await, enabled.as_mut().enable()];
    notify.notify_waiters();
    seen.extend([is_ready(polled).await, is_ready(enabled).await, is_ready(new.as_mut()).await]);
    let (mut first, mut last) = (pin!(notify.notified()), pin!(notify.notified()));
    first.as_mut().enable();
    last.as_mut().enable();
    notify.notify_last();
    tokio::select! {
        biased;
        () = first => (),
        () = last => seen.push(true),
    }
    let gone = timeout(Duration::from_millis(5), notify.notified()).await.is_err();
    (seen, gone)
}

pub(crate) async fn a_waiter_passes_its_notification_on() -> (bool, bool) {
    let notify = Notify::new();
    let mut second = pin!(notify.notified());
    let mut first = Box::pin(notify.notified());
    first.as_mut().enable();
    let early = is_ready(second.as_mut()).await;
    notify.notify_one();
    drop(first);
    (early, is_ready(second).await)
}

pub(crate) async fn room_can_be_reserved() -> (Vec<u32>, Vec<usize>, bool, bool) {
    let (sender, mut receiver) = mpsc::channel(3);
    let mut rooms = vec![sender.max_capacity()];
    let permit = sender.reserve().await.unwrap();
    let mut permits = sender.try_reserve_many(2).unwrap();
    let full = sender.try_reserve().is_err();
    permits.next().unwrap().send(1);
    rooms.push(permits.len());
    drop(permits);
    permit.send(2);
    rooms.push(sender.capacity());
    let owned = sender.clone().try_reserve_owned().unwrap();
    let again = match sender.try_reserve_owned() {
        Err(mpsc::error::TrySendError::Full(sender)) => sender,
        other => panic!("{other:?}"),
    };
    let sender = owned.send(3);
    let same = again.same_channel(&sender);
    let received = vec![receiver.recv().await.unwrap(), receiver.recv().await.unwrap(), receiver.recv().await.unwrap()];
    for permit in again.reserve_many(3).await.unwrap() {
        drop(permit);
    }
    rooms.push(sender.reserve_owned().await.unwrap().release().capacity());
    rooms.extend([receiver.capacity(), receiver.max_capacity()]);
    (received, rooms, full, same)
}

pub(crate) async fn what_is_there_is_received_at_once() -> (Vec<u32>, Vec<usize>, Vec<String>) {
    let (sender, mut bounded) = mpsc::channel(4);
    let (other, mut unbounded) = mpsc::unbounded_channel();
    let (mut values, mut lengths, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    errors.push(bounded.try_recv().unwrap_err().to_string());
    for value in [1, 2, 3] {
        sender.send(value).await.unwrap();
        other.send(value + 10).unwrap();
    }
    lengths.extend([bounded.len(), unbounded.len()]);
    lengths.push(bounded.recv_many(&mut values, 2).await);
    lengths.push(unbounded.recv_many(&mut values, 9).await);
    values.extend(poll_fn(|cx| bounded.poll_recv(cx)).await);
    other.send(14).unwrap();
    lengths.push(poll_fn(|cx| unbounded.poll_recv_many(cx, &mut values, 9)).await);
    drop((sender, other));
    errors.push(bounded.try_recv().unwrap_err().to_string());
    errors.push(format!("{:?} {}", unbounded.recv().await, unbounded.is_empty() && bounded.is_empty()));
    (values, lengths, errors)
}

pub(crate) async fn a_closed_channel_still_gives_what_it_has() -> (Vec<u32>, Vec<bool>) {
    let (sender, mut receiver) = mpsc::channel(2);
    let (other, mut unbounded) = mpsc::unbounded_channel();
    sender.send(1).await.unwrap();
    other.send(2).unwrap();
    let mut closed = vec![sender.is_closed(), receiver.is_closed(), unbounded.is_closed()];
    receiver.close();
    unbounded.close();
    closed.extend([sender.is_closed(), other.is_closed(), receiver.is_closed(), unbounded.is_closed()]);
    closed.extend([sender.try_send(3).is_err(), other.send(3).is_err()]);
    let mut values = Vec::new();
    values.extend(receiver.recv().await);
    values.extend(receiver.recv().await);
    values.extend(unbounded.recv().await);
    (values, closed)
}

pub(crate) async fn a_weak_sender_keeps_no_channel_open() -> (Vec<usize>, Vec<bool>, Option<u32>) {
    let (sender, mut receiver) = mpsc::channel::<u32>(1);
    let (other, unbounded) = mpsc::unbounded_channel::<u32>();
    let (third, fourth) = broadcast::channel::<u32>(1);
    let (weak, other_weak, third_weak) = (sender.downgrade(), other.downgrade(), third.downgrade());
    let mut counts = vec![sender.strong_count(), sender.weak_count(), receiver.sender_weak_count()];
    counts.extend([other.strong_count(), other_weak.clone().weak_count(), unbounded.sender_strong_count()]);
    counts.extend([third.strong_count(), third_weak.weak_count(), fourth.sender_weak_count()]);
    let mut upgraded = vec![weak.upgrade().is_some_and(|again| again.same_channel(&sender))];
    upgraded.extend([other_weak.upgrade().is_some(), third_weak.upgrade().is_some()]);
    drop((sender, other, third));
    upgraded.extend([weak.upgrade().is_some(), other_weak.upgrade().is_some(), third_weak.upgrade().is_some()]);
    (counts, upgraded, receiver.recv().await)
}

pub(crate) async fn a_sender_learns_that_nobody_receives() -> Vec<bool> {
    let (bounded, receiver) = mpsc::channel::<u32>(1);
    let (unbounded, unbounded_receiver) = mpsc::unbounded_channel::<u32>();
    let (mut oneshot, oneshot_receiver) = oneshot::channel::<u32>();
    let (watch, watch_receiver) = watch::channel(0);
    let (broadcast, broadcast_receiver) = broadcast::channel::<u32>(1);
    let mut seen = vec![bounded.is_closed(), unbounded.is_closed(), oneshot.is_closed(), watch.is_closed()];
    tokio::spawn(async move {
        yield_now().await;
        drop((receiver, unbounded_receiver, oneshot_receiver, watch_receiver, broadcast_receiver));
    });
    tokio::join!(bounded.closed(), unbounded.closed(), oneshot.closed(), watch.closed(), broadcast.closed());
    seen.extend([bounded.is_closed(), unbounded.is_closed(), oneshot.is_closed(), watch.is_closed()]);
    seen.push(poll_fn(|cx| Poll::Ready(oneshot.poll_closed(cx).is_ready())).await);
    seen
}

pub(crate) async fn a_oneshot_can_be_tried_and_closed() -> (Vec<String>, Vec<bool>, u32) {
    let (sender, mut receiver) = oneshot::channel();
    let mut texts = vec![receiver.try_recv().unwrap_err().to_string()];
    let mut seen = vec![receiver.is_empty(), is_ready(Pin::new(&mut receiver)).await];
    sender.send(1).unwrap();
    let value = (&mut receiver).await.unwrap();
    seen.push(receiver.is_terminated());
    let (sender, mut receiver) = oneshot::channel::<u32>();
    receiver.close();
    seen.extend([sender.is_closed(), sender.send(2).is_err()]);
    texts.push(receiver.try_recv().unwrap_err().to_string());
    (texts, seen, value)
}

pub(crate) async fn a_watch_value_is_new_once() -> (Vec<u32>, Vec<bool>, Vec<usize>, String) {
    let (sender, mut receiver) = watch::channel(0);
    let mut late = sender.subscribe();
    let (mut values, mut seen) = (Vec::new(), vec![receiver.has_changed().unwrap()]);
    sender.send_modify(|value| *value += 1);
    seen.extend([receiver.has_changed().unwrap(), receiver.borrow().has_changed()]);
    values.push(*receiver.borrow_and_update());
    seen.push(receiver.has_changed().unwrap());
    late.changed().await.unwrap();
    values.push(*late.borrow());
    values.push(sender.send_replace(2));
    values.push(*sender.borrow());
    seen.push(sender.send_if_modified(|_| false));
    receiver.mark_unchanged();
    seen.push(receiver.has_changed().unwrap());
    receiver.mark_changed();
    seen.push(receiver.has_changed().unwrap());
    let other = sender.clone();
    let counts = vec![sender.receiver_count(), other.sender_count()];
    seen.extend([sender.same_channel(&other), receiver.same_channel(&late)]);
    drop((sender, other));
    receiver.changed().await.unwrap();
    (values, seen, counts, receiver.changed().await.unwrap_err().to_string())
}

pub(crate) async fn a_broadcast_can_be_tried() -> (Vec<u32>, Vec<String>, Vec<usize>) {
    let sender = broadcast::Sender::new(2);
    let mut receiver = sender.subscribe();
    let mut errors = vec![receiver.try_recv().unwrap_err().to_string()];
    for value in [1, 2, 3] {
        sender.send(value).unwrap();
    }
    let mut counts = vec![sender.len(), receiver.len(), sender.receiver_count()];
    let mut late = receiver.resubscribe();
    errors.push(receiver.try_recv().unwrap_err().to_string());
    let values = vec![receiver.try_recv().unwrap(), receiver.recv().await.unwrap()];
    errors.push(late.try_recv().unwrap_err().to_string());
    let other = sender.clone();
    counts.extend([other.strong_count(), usize::from(other.same_channel(&sender) && late.same_channel(&receiver))]);
    drop((sender, other));
    counts.push(usize::from(receiver.is_closed() && receiver.is_empty()));
    errors.push(receiver.try_recv().unwrap_err().to_string());
    errors.push(late.recv().await.unwrap_err().to_string());
    (values, errors, counts)
}

pub(crate) async fn a_cell_can_be_tried_and_taken() -> (Vec<Option<u32>>, Vec<String>, bool) {
    let mut cell = OnceCell::new();
    let mut texts = vec![format!("{:?}", cell.get_or_try_init(|| async { Err("no") }).await)];
    let mut values = vec![cell.get().copied()];
    texts.push(format!("{:?}", cell.get_or_try_init(|| async { Ok::<_, u32>(1) }).await));
    texts.push(cell.set(2).unwrap_err().to_string());
    *cell.get_mut().unwrap() += 1;
    values.extend([cell.clone().into_inner(), cell.take(), cell.take()]);
    let busy = OnceCell::new();
    let mut initializing = pin!(busy.get_or_init(|| async {
        yield_now().await;
        3
    }));
    is_ready(initializing.as_mut()).await;
    texts.push(format!("{:?}", busy.set(4)));
    let given_up = matches!(busy.set(4), Err(SetError::InitializingError(4))) && !busy.initialized();
    values.push(Some(*initializing.await));
    (values, texts, given_up && busy == OnceCell::from(3))
}

pub(crate) async fn shared_memory_has_a_debug_text() -> Vec<String> {
    let (mutex, lock, semaphore) = (Mutex::new(1), RwLock::new(2), Semaphore::new(3));
    let (sender, receiver) = watch::channel(4);
    let mut texts = vec![format!("{mutex:?} {lock:?} {semaphore:?} {:?}", OnceCell::from(5))];
    let (held, read) = (mutex.lock().await, lock.read().await);
    texts.push(format!("{mutex:?} {held:?} {held} {read:?} {read}"));
    texts.push(format!("{:?} {:?}", *sender.borrow(), receiver.borrow().has_changed()));
    texts
}

pub(crate) async fn futures_of_shared_memory_can_be_sent() -> u32 {
    let (mutex, notify, semaphore) = (Arc::new(Mutex::new(1)), Arc::new(Notify::new()), Arc::new(Semaphore::new(1)));
    let (sender, mut receiver) = mpsc::channel(1);
    let future: Pin<Box<dyn Future<Output = u32> + Send>> = Box::pin(async move {
        notify.notify_one();
        notify.notified().await;
        let permit = semaphore.acquire_owned().await.unwrap();
        sender.send(2).await.unwrap();
        let sum = *mutex.lock().await + receiver.recv().await.unwrap();
        drop(permit);
        sum
    });
    tokio::spawn(future).await.unwrap()
}
