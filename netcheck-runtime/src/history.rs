//! Calls on objects that programs share: linearizable, or sequentially consistent.
//!
//! A program tells where it begins a call, with [`invoke`], and with [`Call::returned`] what the answer is. The check says by
//! a [`Sequential`] object which answers are right, with `Network::linearizable` or `Network::sequentially_consistent`: an
//! answer that no order of the calls explains is a violation. The values that are told share no memory with the program, so they
//! are [`Isolated`], and the check knows them by `Eq` and `Hash`.
//!
//! ```
//! use netcheck_runtime::history::{self, RegisterAnswer, RegisterOperation};
//!
//! async fn read(ask: impl Future<Output = u32>) -> u32 {
//!     let call = history::invoke(RegisterOperation::<u32>::Read);
//!     let value = ask.await;
//!     call.returned(RegisterAnswer::Value(value));
//!     value
//! }
//! # let waker = std::task::Waker::noop();
//! # let mut read = std::pin::pin!(read(async { 3 }));
//! # assert!(read.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_ready());
//! ```

use crate::isolated::{HandleId, Isolated};
use crate::operation::monitors::Effect;
use crate::unit::poll::context;
use crate::unit::source_line::place;
use crate::world::monitors::told::{Conclusion, Invocation, Told};
use netcheck_memory::outside;
use std::any::TypeId;
use std::fmt;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;

pub use crate::world::monitors::history::{linearizable, sequentially_consistent};
pub use netcheck_models::history::{Queue, QueueOperation, Register, RegisterAnswer, RegisterOperation, Sequential};

/// Begins a call on the object of the check whose operations are of this type. Its answer is told by [`Call::returned`].
///
/// Without such an object, and outside of a check, nothing happens.
#[track_caller]
pub fn invoke<O>(operation: O) -> Call<O>
where
    O: Isolated + Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    invoke_on((), operation)
}

/// As [`invoke`], on one of several objects that are alike: that with this key. Each key has an object of its own, which begins
/// as the one that the check was given.
///
/// A store with keys and values is a register for each key:
///
/// ```
/// # use netcheck_runtime::history::{self, RegisterAnswer, RegisterOperation};
/// # fn put(key: &str, value: u32) {}
/// let key = "answer".to_owned();
/// let call = history::invoke_on(key.clone(), RegisterOperation::Write(42));
/// put(&key, 42);
/// call.returned(RegisterAnswer::<u32>::Written);
/// ```
#[track_caller]
pub fn invoke_on<K, O>(key: K, operation: O) -> Call<O>
where
    K: Isolated + Clone + Eq + Hash + Debug + Send + Sync + 'static,
    O: Isolated + Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    let line = Location::caller();
    let number = context::try_current().map(|context| {
        let of_key =
            |key: &K| if TypeId::of::<K>() == TypeId::of::<()>() { String::new() } else { format!("{key:?}: ") };
        context.remark(|| format!("calls {}{operation:?}  ({})", of_key(&key), place(line)));
        // The values are kept longer than the memory of the run, as emitted ones are.
        context.begin_call_on_object(|number| {
            outside(|| {
                let (key, operation) = (Told::new(key.clone()), Told::new(operation.clone()));
                Effect::Invoke(Invocation { number, key, operation })
            })
        })
    });
    Call { number, operation: PhantomData }
}

/// A call that has begun. Dropped, it is a call that never returns: it may take effect at any later time, or never. So it is
/// where its process crashes, or where its task is aborted.
#[must_use = "a call that is dropped never returns: tell its answer with `returned`"]
pub struct Call<O: 'static> {
    /// `None`: it was begun outside of a check, or is over.
    number: Option<u32>,
    operation: PhantomData<fn(O)>,
}

impl<O: 'static> Call<O> {
    /// The call returns this answer. Its type is that of the object's answers: another one ends the check with an error.
    #[track_caller]
    pub fn returned<A>(mut self, answer: A)
    where
        A: Isolated + Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        let line = Location::caller();
        let Some(number) = self.number.take() else { return };
        if let Some(context) = context::try_current() {
            context.remark(|| format!("returns {answer:?}  ({})", place(line)));
            context.end_call_on_object(number, || {
                let answer = outside(|| Told::new(answer.clone()));
                Effect::Conclude(Conclusion { number, of: TypeId::of::<O>(), answer: Some((answer, line)) })
            });
        }
    }
}

/// So that a loop which holds it can be captured: its number is all that the rest of the process depends on.
impl<O: 'static> Hash for Call<O> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl<O: 'static> fmt::Debug for Call<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Call")
    }
}

impl<O: 'static> Drop for Call<O> {
    fn drop(&mut self) {
        if let Some((number, context)) = self.number.zip(context::try_current()) {
            context.end_call_on_object(number, || {
                Effect::Conclude(Conclusion { number, of: TypeId::of::<O>(), answer: None })
            });
        }
    }
}

/// Implements `Isolated` for values of the ready-made objects.
macro_rules! isolated {
    ($($type:ident: $($pattern:pat => [$($item:ident),*]),* ;)*) => { $(
        impl<T: Isolated> Isolated for $type<T> {
            fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
                match self {
                    $($pattern => { $($item.visit_handles(visitor);)* })*
                }
            }
        }
    )* };
}

isolated! {
    RegisterOperation:
        RegisterOperation::Read => [],
        RegisterOperation::Write(value) => [value],
        RegisterOperation::CompareAndSwap(expected, value) => [expected, value];
    RegisterAnswer:
        RegisterAnswer::Value(value) => [value],
        RegisterAnswer::Written | RegisterAnswer::Swapped(_) => [];
    QueueOperation:
        QueueOperation::Enqueue(item) => [item],
        QueueOperation::Dequeue => [];
}
