//! The arguments of a process in each of its runs: cloned, or handed over.
//!
//! A process is run many times, and each run needs its arguments. Most are `Clone`. A stream is not, because it has one
//! owner: it moves into the process, and each run gets the same stream.

use super::{HandleId, Isolated};
use crate::id::SocketId;
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::ops::Deref;

/// A socket with one owner, which may hand it over to an isolated task.
pub trait Handle: Isolated + Sized {
    /// The same socket, for a run of the task that it was handed over to. Dropping the original closes nothing from
    /// then on.
    fn duplicate(&self) -> Self;
}

/// Values that each run of a process can own.
#[diagnostic::on_unimplemented(
    message = "a process is run many times and needs `{Self}` in each run, but it is not `Clone`",
    label = "not `Clone`",
    note = "for a type of your own: `#[derive(Clone)]`",
    note = "a `TcpStream` is handed over as an argument of its own, not inside of another value"
)]
pub trait CloneForEachRun: Sized {
    /// As `clone`.
    fn clone_for_run(&self) -> Self;
}

// The message above is more helpful than a hint that some part of the type is not `Clone`.
#[diagnostic::do_not_recommend]
impl<T: Clone> CloneForEachRun for T {
    fn clone_for_run(&self) -> Self {
        self.clone()
    }
}

/// An argument, as a process keeps it.
pub struct Argument<T> {
    value: T,
    for_run: fn(&T) -> T,
    handles: Handles,
}

impl<T> Argument<T> {
    fn duplicate(&self) -> Self {
        let Argument { value, for_run, handles } = self;
        Argument { value: for_run(value), for_run: *for_run, handles: handles.clone() }
    }
}

/// The sockets inside of arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handles {
    /// The sockets that the spawner still holds.
    pub(super) shared: SmallVec<[SocketId; 2]>,
    /// The sockets that the spawner hands over.
    pub(super) moved: SmallVec<[SocketId; 2]>,
}

/// Keeps an argument of a generic type, which is `Clone` by its bounds.
pub fn cloned<T: Isolated + Clone>(value: T) -> Argument<T> {
    shared(value, T::clone)
}

/// Selects by the type of an argument how it is kept: `argument(&value).keep(value)` calls `Moving::keep` if the value
/// is a [`Handle`]; otherwise that method does not apply, and the call resolves to [`Copying::keep`].
pub fn argument<T>(_: &T) -> Moving<T> {
    Moving(Copying, PhantomData)
}

/// Keeps an argument that moves into the process.
pub struct Moving<T>(Copying, PhantomData<fn(T)>);

/// Keeps any other argument, or reports the trait that it lacks.
pub struct Copying;

impl<T: Handle> Moving<T> {
    /// Each run gets a duplicate.
    pub fn keep(&self, value: T) -> Argument<T> {
        let moved = sockets(&value);
        Argument { value, for_run: T::duplicate, handles: Handles { moved, ..Handles::default() } }
    }
}

impl<T> Deref for Moving<T> {
    type Target = Copying;

    fn deref(&self) -> &Copying {
        &self.0
    }
}

impl Copying {
    /// Each run gets a clone.
    pub fn keep<T: Isolated + CloneForEachRun>(&self, value: T) -> Argument<T> {
        shared(value, T::clone_for_run)
    }
}

fn shared<T: Isolated>(value: T, for_run: fn(&T) -> T) -> Argument<T> {
    let shared = sockets(&value);
    Argument { value, for_run, handles: Handles { shared, ..Handles::default() } }
}

fn sockets(value: &impl Isolated) -> SmallVec<[SocketId; 2]> {
    let mut sockets = SmallVec::new();
    value.visit_handles(&mut |HandleId(socket)| add(&mut sockets, socket));
    sockets
}

fn add(sockets: &mut SmallVec<[SocketId; 2]>, socket: SocketId) {
    if !sockets.contains(&socket) {
        sockets.push(socket);
    }
}

impl Handles {
    fn extend(&mut self, other: &Handles) {
        other.shared.iter().for_each(|&socket| add(&mut self.shared, socket));
        other.moved.iter().for_each(|&socket| add(&mut self.moved, socket));
    }
}

/// A tuple of arguments, at most 12: `#[netcheck::process]` refuses more.
pub trait Arguments {
    /// The tuple of the values that the function takes.
    type Values;

    /// The values for one run of the process.
    fn values(&self) -> Self::Values;

    /// The same arguments, with values of their own.
    fn duplicate(&self) -> Self;

    /// The sockets in all of them.
    fn handles(&self) -> Handles;
}

impl Arguments for () {
    type Values = ();

    fn values(&self) {}

    fn duplicate(&self) {}

    fn handles(&self) -> Handles {
        Handles::default()
    }
}

macro_rules! tuples {
    ($($($name:ident)+),* $(,)?) => { $(
        #[allow(non_snake_case, reason = "a tuple's fields are named as their types")]
        impl<$($name),+> Arguments for ($(Argument<$name>,)+) {
            type Values = ($($name,)+);

            fn values(&self) -> Self::Values {
                let ($($name,)+) = self;
                ($(($name.for_run)(&$name.value),)+)
            }

            fn duplicate(&self) -> Self {
                let ($($name,)+) = self;
                ($($name.duplicate(),)+)
            }

            fn handles(&self) -> Handles {
                let ($($name,)+) = self;
                let mut handles = Handles::default();
                $(handles.extend(&$name.handles);)+
                handles
            }
        }
    )* };
}

tuples!(
    A, A B, A B C, A B C D, A B C D E, A B C D E F, A B C D E F G, A B C D E F G H,
    A B C D E F G H I, A B C D E F G H I J, A B C D E F G H I J K, A B C D E F G H I J K L,
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::UnitId;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    const A: SocketId = SocketId { unit: UnitId(0), index: 0 };
    const B: SocketId = SocketId { unit: UnitId(0), index: 1 };

    /// Has one owner, and counts how often it was duplicated.
    struct Stream(SocketId, Arc<AtomicU32>);

    impl Isolated for Stream {
        fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
            visitor(HandleId(self.0));
        }
    }

    impl Handle for Stream {
        fn duplicate(&self) -> Self {
            self.1.fetch_add(1, Ordering::Relaxed);
            Stream(self.0, Arc::clone(&self.1))
        }
    }

    #[test]
    fn what_has_one_owner_is_moved_and_what_is_clone_is_shared() {
        let moved = Stream(A, Arc::default());
        let shared = Arc::new(Stream(B, Arc::default()));
        let arguments =
            (argument(&shared).keep(Arc::clone(&shared)), argument(&moved).keep(moved), argument(&shared).keep(shared));
        let Handles { shared, moved } = arguments.handles();
        assert_eq!((shared.as_slice(), moved.as_slice()), (&[B][..], &[A][..]));
    }

    #[test]
    fn each_run_gets_a_duplicate_and_nobody_else_does() {
        let count = Arc::new(AtomicU32::new(0));
        let (stream, name) = (Stream(A, Arc::clone(&count)), "name".to_owned());
        let arguments = (argument(&stream).keep(stream), argument(&name).keep(name));
        assert_eq!(count.load(Ordering::Relaxed), 0);
        for runs in 1..=2 {
            let (stream, name) = arguments.values();
            assert_eq!((stream.0, name.as_str()), (A, "name"));
            assert_eq!(count.load(Ordering::Relaxed), runs);
        }
    }

    #[test]
    fn a_generic_argument_is_cloned() {
        fn twice<T: Isolated + Clone>(value: T) -> (T, T) {
            let arguments = (argument(&value).keep(value),);
            (arguments.values().0, arguments.values().0)
        }
        assert_eq!(twice(7), (7, 7));
    }
}
