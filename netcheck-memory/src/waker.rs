//! Wakers that are told apart from their clones.
//!
//! A waker made of an [`Arc`] does not show that it is cloned. One of [`waker`] tells its target of each clone, and of the
//! end of each: so the target knows where a task waits, whatever it waits for.

use crate::place::{engine, outside};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{RawWaker, RawWakerVTable, Waker};

/// The target of wakers that tell of their clones.
///
/// No method may unwind: programs call them wherever they clone, use or drop a waker.
pub trait Target: Send + Sync + 'static {
    /// A waker is used.
    fn wake(&self);

    /// A waker is cloned. Returns the clone's number.
    fn cloned(&self) -> u64;

    /// The clone with this number is there no more.
    fn dropped(&self, clone: u64);

    /// The address by which [`target`] tells what its wakers are for.
    fn address(&self) -> *const ();
}

/// The targets of the wakers that are there, by their addresses.
static TARGETS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

fn targets() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    TARGETS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The address of the target of a waker that [`waker`] has made, or of a clone.
pub fn target(waker: &Waker) -> Option<*const ()> {
    targets().get(&waker.data().addr()).map(|&target| std::ptr::without_provenance(target))
}

/// A clone of a waker, or the first one.
struct One<T> {
    target: Arc<T>,
    /// `None`: the first one.
    clone: Option<u64>,
}

impl<T: Target> One<T> {
    const VTABLE: RawWakerVTable = RawWakerVTable::new(clone::<T>, wake::<T>, wake_by_ref::<T>, drop_one::<T>);

    fn into_raw(self) -> RawWaker {
        let one = engine(|| {
            let target = self.target.address().addr();
            let one = Box::into_raw(Box::new(self));
            outside(|| targets().insert(one.addr(), target));
            one
        });
        RawWaker::new(one.cast_const().cast(), &One::<T>::VTABLE)
    }
}

/// A waker for a target, which is told of its clones. No clone is said to [wake](Waker::will_wake) the same as another.
pub fn waker<T: Target>(target: Arc<T>) -> Waker {
    // SAFETY: the functions of the table keep the contract of `RawWaker`: `clone` makes a box of its own, `wake` and
    // `drop_one` free the one that they are given, `wake_by_ref` only uses it, and all of them may be called on any
    // thread, because `T` is `Send` and `Sync`.
    unsafe { Waker::from_raw(One { target, clone: None }.into_raw()) }
}

/// # Safety
/// The pointer is one of `One::into_raw`, for the same `T`, that was not freed.
unsafe fn clone<T: Target>(one: *const ()) -> RawWaker {
    // SAFETY: the caller's.
    let one = unsafe { &*one.cast::<One<T>>() };
    let clone = Some(one.target.cloned());
    One { target: Arc::clone(&one.target), clone }.into_raw()
}

/// # Safety
/// As for [`clone`]; the pointer is not used afterwards.
unsafe fn wake<T: Target>(one: *const ()) {
    // SAFETY: the caller's.
    unsafe {
        wake_by_ref::<T>(one);
        drop_one::<T>(one);
    }
}

/// # Safety
/// As for [`clone`].
unsafe fn wake_by_ref<T: Target>(one: *const ()) {
    // SAFETY: the caller's.
    unsafe { &*one.cast::<One<T>>() }.target.wake();
}

/// # Safety
/// As for [`wake`].
unsafe fn drop_one<T: Target>(one: *const ()) {
    // SAFETY: the pointer is of a box, and the caller does not use it any more.
    let one = unsafe { Box::from_raw(one.cast::<One<T>>().cast_mut()) };
    if let Some(clone) = one.clone {
        one.target.dropped(clone);
    }
    engine(|| {
        outside(|| targets().remove(&std::ptr::from_ref(&*one).addr()));
        drop(one);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<String>>);

    impl Told {
        fn note(&self, what: String) -> u64 {
            let mut told = self.0.lock().expect("no test panics with it");
            told.push(what);
            told.len() as u64
        }
    }

    impl Target for Told {
        fn wake(&self) {
            self.note("wake".to_owned());
        }

        fn cloned(&self) -> u64 {
            self.note("clone".to_owned())
        }

        fn dropped(&self, clone: u64) {
            self.note(format!("drop {clone}"));
        }

        fn address(&self) -> *const () {
            std::ptr::from_ref(self).cast()
        }
    }

    #[test]
    fn each_clone_is_told_of_and_so_is_its_end() {
        let told = Arc::new(Told::default());
        let first = waker(Arc::clone(&told));
        let (one, other) = (first.clone(), first.clone());
        assert_eq!(target(&one), Some(Arc::as_ptr(&told).cast()));
        assert_eq!(target(Waker::noop()), None);
        assert!(!first.will_wake(&one) && !one.will_wake(&other));
        let third = one.clone();
        one.wake_by_ref();
        one.wake();
        drop((first, other));
        third.wake();
        assert_eq!(
            *told.0.lock().expect("no test panics with it"),
            ["clone", "clone", "clone", "wake", "wake", "drop 1", "drop 2", "wake", "drop 3"]
        );
        assert_eq!(Arc::strong_count(&told), 1);
    }
}
