//! Handles to objects: the part of each look-alike besides the type that it wraps.

use super::object::Object;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;

/// A type whose uses an object tracks.
pub(super) trait Tracked {
    fn object(&self) -> &Object;
}

impl Tracked for Object {
    fn object(&self) -> &Object {
        self
    }
}

impl<T: Tracked + ?Sized> Tracked for &T {
    fn object(&self) -> &Object {
        T::object(self)
    }
}

impl<T: Tracked + ?Sized> Tracked for Arc<T> {
    fn object(&self) -> &Object {
        T::object(self)
    }
}

/// A handle to a tracked value. To clone a handle or to drop it is an access.
///
/// In a struct it is declared before the tracked value, so that it is dropped first.
pub(super) struct Handle<T: Tracked>(T);

impl Handle<Object> {
    pub(super) fn new() -> Self {
        Handle(Object::new())
    }

    /// For a value that a static keeps.
    pub(super) const fn of_static() -> Self {
        Handle(Object::of_static())
    }
}

impl Handle<Arc<Object>> {
    /// An object with two ends, such as a channel.
    pub(super) fn pair() -> (Self, Self) {
        let object = Arc::new(Object::new());
        (Handle(Arc::clone(&object)), Handle(object))
    }
}

impl<T: Tracked> Handle<T> {
    /// A handle for a guard that keeps `owner` alive.
    pub(super) fn of(owner: T) -> Self {
        Handle(owner)
    }

    /// The value that the handle keeps alive.
    pub(super) fn owner(&self) -> &T {
        &self.0
    }

    /// A handle for a guard that borrows.
    pub(super) fn borrow(&self) -> Handle<&Object> {
        Handle(self.0.object())
    }

    pub(super) fn touch(&self) {
        self.0.object().touch();
    }

    /// Awaits a future of the wrapped type, with an access at every poll, and when the future is dropped early.
    pub(super) async fn during<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let _given_up_first = self.borrow();
        poll_fn(|cx| {
            self.touch();
            future.as_mut().poll(cx)
        })
        .await
    }
}

impl Handle<&Object> {
    /// Another handle to the same object, for example when a permit is split.
    pub(super) fn again(&self) -> Self {
        Handle(self.0)
    }
}

impl<T: Tracked> Tracked for Handle<T> {
    fn object(&self) -> &Object {
        self.0.object()
    }
}

impl<T: Tracked> Clone for Handle<Arc<T>> {
    fn clone(&self) -> Self {
        self.touch();
        Handle(Arc::clone(&self.0))
    }
}

impl<T: Tracked> Drop for Handle<T> {
    fn drop(&mut self) {
        self.touch();
    }
}
