//! Memory that tasks share by what `std::sync` has.

use super::{std, tokio};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock, TryLockError};
use tokio::task::yield_now;

pub(crate) async fn a_lock_excludes() -> (u32, bool, bool, u32) {
    let sum = Arc::new(Mutex::new(0));
    let tasks = [1, 2].map(|number| {
        let sum = Arc::clone(&sum);
        tokio::spawn(async move { *sum.lock().unwrap() += number })
    });
    for task in tasks {
        task.await.unwrap();
    }
    let held = sum.lock().unwrap();
    let blocked = matches!(sum.try_lock(), Err(TryLockError::WouldBlock));
    let seen = *held;
    drop(held);
    let free = sum.try_lock().is_ok();
    let mut sum = Arc::into_inner(sum).unwrap();
    *sum.get_mut().unwrap() += 1;
    (seen, blocked, free, sum.into_inner().unwrap())
}

pub(crate) async fn readers_share_a_lock() -> (u32, bool, bool, u32) {
    let lock = RwLock::new(1);
    *lock.write().unwrap() += 1;
    let (one, other) = (lock.read().unwrap(), lock.try_read().unwrap());
    let (sum, no_writer) = (*one + *other, lock.try_write().is_err());
    drop((one, other));
    let writer = lock.try_write().unwrap();
    let no_reader = lock.try_read().is_err();
    drop(writer);
    (sum, no_writer, no_reader, lock.into_inner().unwrap())
}

pub(crate) async fn a_panic_poisons_a_lock() -> (u32, u32, Vec<bool>) {
    let (mutex, lock) = (Mutex::new(1), RwLock::new(2));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _both = (mutex.lock().unwrap(), lock.write().unwrap());
        std::panic::resume_unwind(Box::new("unheard"));
    }));
    let mut seen = vec![panicked.is_err(), mutex.is_poisoned(), lock.is_poisoned()];
    seen.push(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
    let (one, other) = (*mutex.lock().unwrap_err().into_inner(), *lock.read().unwrap_err().into_inner());
    mutex.clear_poison();
    lock.clear_poison();
    seen.extend([mutex.lock().is_ok(), lock.write().is_ok()]);
    (one, other, seen)
}

pub(crate) async fn a_lock_can_hide_its_type() -> String {
    let hidden: Arc<Mutex<dyn Debug>> = Arc::new(Mutex::new(1));
    let lock: Box<RwLock<[u8]>> = Box::new(RwLock::new([1, 2]));
    lock.write().unwrap()[0] = 3;
    let held = hidden.lock().unwrap();
    format!("{held:?} {hidden:?} {lock:?}")
}

pub(crate) async fn a_lock_is_set_once() -> (Vec<u32>, Result<(), u32>, Option<u32>) {
    let cell = Arc::new(OnceLock::new());
    let task = tokio::spawn({
        let cell = Arc::clone(&cell);
        async move { *cell.get_or_init(|| 1) }
    });
    let mut seen = vec![task.await.unwrap(), *cell.get_or_init(|| 2)];
    let set = cell.set(3);
    seen.extend(cell.get());
    let mut cell = Arc::into_inner(cell).unwrap();
    let equal = OnceLock::clone(&cell) == OnceLock::from(1);
    *cell.get_mut().unwrap() += u32::from(equal);
    (seen, set, cell.take().or(cell.into_inner()))
}

pub(crate) async fn atomics_are_changed_in_one_step() -> Vec<String> {
    let count = Arc::new(AtomicUsize::new(0));
    let tasks = [(); 2].map(|()| {
        let count = Arc::clone(&count);
        tokio::spawn(async move { count.fetch_add(1, Ordering::SeqCst) })
    });
    let mut before = 0;
    for task in tasks {
        before += task.await.unwrap();
    }
    let mut number = AtomicU32::from(6);
    let small = AtomicI8::default();
    let mut seen = vec![before, count.load(Ordering::SeqCst)].into_iter().map(|n| n.to_string()).collect::<Vec<_>>();
    seen.push(format!("{:?}", number.compare_exchange(1, 2, Ordering::AcqRel, Ordering::Acquire)));
    seen.push(format!("{:?}", number.compare_exchange_weak(6, 7, Ordering::AcqRel, Ordering::Acquire)));
    seen.push(format!("{:?}", number.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(8))));
    seen.push(format!("{} {}", number.swap(8, Ordering::Relaxed), number.fetch_max(9, Ordering::Relaxed)));
    *number.get_mut() += 1;
    seen.push(format!("{number:?} {} {small:?}", small.fetch_sub(1, Ordering::Relaxed)));
    seen.push(number.into_inner().to_string());
    seen
}

pub(crate) async fn flags_and_pointers_are_exchanged() -> (Vec<bool>, bool) {
    let flag = AtomicBool::new(false);
    let mut seen = vec![flag.swap(true, Ordering::AcqRel), flag.fetch_not(Ordering::AcqRel)];
    seen.push(flag.fetch_or(true, Ordering::AcqRel));
    flag.store(flag.fetch_and(false, Ordering::AcqRel), Ordering::Release);
    seen.push(flag.into_inner());
    let mut value = 1;
    let pointer = AtomicPtr::new(&raw mut value);
    let old = pointer.swap(std::ptr::null_mut(), Ordering::AcqRel);
    (seen, old == &raw mut value && pointer.load(Ordering::Acquire).is_null())
}

pub(crate) async fn an_update_in_two_steps_may_be_lost() -> u32 {
    let count = Arc::new(AtomicU32::new(0));
    let tasks = [(); 2].map(|()| {
        let count = Arc::clone(&count);
        tokio::spawn(async move {
            let before = count.load(Ordering::SeqCst);
            yield_now().await;
            count.store(before + 1, Ordering::SeqCst);
        })
    });
    for task in tasks {
        task.await.unwrap();
    }
    count.load(Ordering::SeqCst)
}
