//! Socket options that can be set through a shared reference.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard};

/// The value of a socket option.
pub(super) struct Setting<T>(Mutex<T>);

impl<T: Copy> Setting<T> {
    pub(super) fn new(value: T) -> Self {
        Setting(Mutex::new(value))
    }

    pub(super) fn get(&self) -> T {
        *self.lock()
    }

    pub(super) fn set(&self, value: T) {
        *self.lock() = value;
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().expect("nobody panics with an option")
    }
}

impl<T: Copy + Hash> Hash for Setting<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.get().hash(state);
    }
}
