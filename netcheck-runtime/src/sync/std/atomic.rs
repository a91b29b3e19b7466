//! `std::sync::atomic`, tracked.
//!
//! Tasks run one at a time, so an `Ordering` makes no difference in a check.

use crate::sync::handle::Handle;
use crate::sync::object::Object;
use std::fmt;
use std::sync::atomic;

pub use std::sync::atomic::{Ordering, compiler_fence, fence};

/// Defines the methods of all atomics, from the name, its parameter, and the value inside.
macro_rules! atomic {
    ($name:ident $(<$param:ident>)?, $value:ty) => {
        #[doc = concat!("As std's `", stringify!($name), "`.")]
        pub struct $name $(<$param>)? {
            object: Handle<Object>,
            inner: atomic::$name $(<$param>)?,
        }

        impl $(<$param>)? $name $(<$param>)? {
            /// As std's, but not const.
            pub fn new(value: $value) -> Self {
                $name { object: Handle::new(), inner: atomic::$name::new(value) }
            }

            /// As std's.
            ///
            /// # Panics
            /// If `order` is not valid for a load.
            pub fn load(&self, order: Ordering) -> $value {
                self.object.touch();
                self.inner.load(order)
            }

            /// As std's.
            ///
            /// # Panics
            /// If `order` is not valid for a store.
            pub fn store(&self, value: $value, order: Ordering) {
                self.object.touch();
                self.inner.store(value, order);
            }

            /// As std's.
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.object.touch();
                self.inner.swap(value, order)
            }

            /// As std's.
            pub fn get_mut(&mut self) -> &mut $value {
                self.object.touch();
                self.inner.get_mut()
            }

            /// As std's.
            pub fn into_inner(self) -> $value {
                self.object.touch();
                self.inner.into_inner()
            }

            /// As std's.
            ///
            /// # Errors
            /// The value, if it is not `current`.
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.object.touch();
                self.inner.compare_exchange(current, new, success, failure)
            }

            /// As std's, but never fails spuriously, because an execution must be repeatable.
            ///
            /// # Errors
            /// The value, if it is not `current`.
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            /// As std's.
            ///
            /// # Errors
            /// The value, if `f` returns `None` for it.
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                self.object.touch();
                self.inner.fetch_update(set_order, fetch_order, f)
            }
        }

        impl $(<$param>)? From<$value> for $name $(<$param>)? {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $(<$param>)? Default for $name $(<$param>)? {
            fn default() -> Self {
                Self::new(atomic::$name::default().into_inner())
            }
        }

        impl $(<$param>)? fmt::Debug for $name $(<$param>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.object.touch();
                self.inner.fmt(f)
            }
        }
    };
}

/// Defines operations that combine the value with another one, and return the old value.
macro_rules! fetch {
    ($name:ident, $value:ty: $($operation:ident)*) => {
        impl $name { $(
            /// As std's.
            pub fn $operation(&self, value: $value, order: Ordering) -> $value {
                self.object.touch();
                self.inner.$operation(value, order)
            }
        )* }
    };
}

macro_rules! integers {
    ($($name:ident of $value:ty,)*) => { $(
        atomic! { $name, $value }
        fetch! { $name, $value: fetch_add fetch_sub fetch_max fetch_min fetch_and fetch_nand fetch_or fetch_xor }
    )* };
}

integers! {
    AtomicI8 of i8,
    AtomicI16 of i16,
    AtomicI32 of i32,
    AtomicI64 of i64,
    AtomicIsize of isize,
    AtomicU8 of u8,
    AtomicU16 of u16,
    AtomicU32 of u32,
    AtomicU64 of u64,
    AtomicUsize of usize,
}

atomic! { AtomicBool, bool }
fetch! { AtomicBool, bool: fetch_and fetch_nand fetch_or fetch_xor }

impl AtomicBool {
    /// As std's.
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.object.touch();
        self.inner.fetch_not(order)
    }
}

atomic! { AtomicPtr<T>, *mut T }
