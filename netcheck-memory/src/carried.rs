//! Values of a run that the engine keeps.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr;

/// A value of a run that the engine keeps for it, and whose pointers lead into the run's arena: a future, a waker.
///
/// A copy is a copy of its bits. It belongs to a copy of the arena's memory ([`Saved`](crate::Saved)), as the value does to
/// the memory that is in place: the counts of references that lie there are those of the value that was kept with them.
/// So of all copies, only the one that was kept with the memory in place may be used. That is the engine's to see to: it
/// copies the values when it saves the memory, and puts both back.
///
/// A value that is to be destroyed is [taken](Carried::take): dropping this does nothing, since a copy whose memory is not
/// in place must not touch it.
pub struct Carried<T>(ManuallyDrop<T>);

impl<T> Carried<T> {
    /// A value that belongs to the memory in place.
    pub fn new(value: T) -> Self {
        Carried(ManuallyDrop::new(value))
    }

    /// The value, whose memory is in place.
    pub fn take(self) -> T {
        ManuallyDrop::into_inner(self.0)
    }
}

impl<T> Clone for Carried<T> {
    /// A copy of its bits, for a copy of its memory.
    fn clone(&self) -> Self {
        // SAFETY: the value is initialised, and a `ManuallyDrop` drops no copy of it. At most one of the copies is used: the
        // one that was made with the memory that is in place (the promise of the type).
        Carried(unsafe { ptr::read(&self.0) })
    }
}

impl<T> Deref for Carried<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Carried<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> fmt::Debug for Carried<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Carried").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Carried;
    use std::rc::Rc;

    #[test]
    fn only_a_value_that_is_taken_is_dropped() {
        let counted = Rc::new(7);
        let carried = Carried::new(Rc::clone(&counted));
        drop(carried.clone());
        assert_eq!((Rc::strong_count(&counted), **carried), (2, 7));
        drop(carried.take());
        assert_eq!(Rc::strong_count(&counted), 1);
    }
}
