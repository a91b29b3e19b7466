//! Captured loops: the functions with which the macros and `checkpoint!` record the local state of a function.
//!
//! A unit's local state is its history, unless the program records the part of it that still matters. At the head of a
//! loop an annotated function records the variables that the loop can change; everything else follows from the position
//! at which the loop was entered. Two arrivals at one head that entered it at the same position, with the same values,
//! are one local state.
//!
//! A checkpoint is the whole local state only if no state that changes during the loop exists between the function and
//! the root of its program. So a caller marks each future that it awaits directly, and a head that is reached in any
//! other way is not captured.

use crate::unit::identity::checkpoint::CheckpointId;
pub use crate::unit::identity::checkpoint::Values;
use crate::unit::poll::capture::{Looping, in_words};
use crate::unit::poll::context;
use crate::unit::poll::frames::Activation;
use pin_project_lite::pin_project;
use std::any::type_name;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, BufReader, BufWriter};

/// The name of the future whose body contains a closure.
fn future_of<C>(_: &C) -> &'static str {
    type_name::<C>().strip_suffix("::{{closure}}").unwrap_or_default()
}

/// One run of an annotated function's body.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    activation: Option<Activation>,
}

/// Begins a run of the function whose body contains the closure.
pub fn frame<C>(here: C) -> Frame {
    Frame { activation: context::try_current().and_then(|context| context.activate(future_of(&here))) }
}

impl Frame {
    /// Enters a loop that is in so many others of the function.
    pub fn enter(self, depth: u32) -> Loop {
        if let (Some(context), Some(activation)) = (context::try_current(), self.activation) {
            context.enter_loop(activation, depth);
        }
        Loop { frame: self, depth, is_past_head: false }
    }

    /// The loop head is reached, but too little is known to capture it.
    #[track_caller]
    pub fn uncaptured(self, why: &'static str) {
        if let Some(context) = context::try_current() {
            context.pass(why, Location::caller());
        }
    }
}

/// One run of a loop.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    frame: Frame,
    /// The number of loops of the function around it.
    depth: u32,
    is_past_head: bool,
}

impl Loop {
    /// Whether the head was reached and the body comes next.
    pub fn leave_head(&mut self) -> bool {
        std::mem::take(&mut self.is_past_head)
    }

    /// An empty record.
    pub fn values(&self) -> Values {
        Values::default()
    }

    /// The head of the loop is reached with these values. Returns the checkpoint if it is new: its values must be shown
    /// then.
    #[track_caller]
    pub fn head(&mut self, values: Values) -> Option<Shown> {
        self.is_past_head = true;
        let context = context::try_current()?;
        let of = Looping::Loop(self.frame.activation, self.depth);
        context.arrive(of, values, Location::caller()).map(Shown)
    }
}

/// An empty record for a checkpoint that the program states itself.
pub fn values() -> Values {
    Values::default()
}

/// The rest of the function whose body contains the closure depends on these values alone. Returns the checkpoint if it
/// is new: its values must be shown then.
#[track_caller]
pub fn checkpoint<C>(here: C, values: Values) -> Option<Shown> {
    let context = context::try_current()?;
    context.arrive(Looping::Function(future_of(&here)), values, Location::caller()).map(Shown)
}

/// A checkpoint whose values are shown in the automaton.
#[derive(Debug)]
pub struct Shown(CheckpointId);

impl Shown {
    pub fn tell(&self, words: String) {
        if let Some(context) = context::try_current() {
            context.tell(self.0, words);
        }
    }

    /// Records the progress of a `for` loop.
    pub fn items<I, T>(&self, items: &Items<I, T>) {
        self.tell(match items.taken {
            1 => "1 item taken".to_owned(),
            taken => format!("{taken} items taken"),
        });
    }
}

/// A variable and its name.
#[derive(Clone, Copy)]
pub struct Value<'a, T: ?Sized>(pub &'a T, pub &'static str);

impl<T: ?Sized> fmt::Debug for Value<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Value").field(&self.1).finish()
    }
}

/// A type whose state can be recorded although it has no `Hash`.
pub trait Capture {
    /// Records the state.
    fn capture(&self, values: &mut Values);
}

/// Recording of `Hash` values. Of the three traits, method resolution on `&&&Value` takes the first that applies; for a
/// type that is not known yet, it takes this one.
pub trait Hashed {
    /// Records the value.
    fn record(&self, values: &mut Values);
    /// Records the value, if its destructor could see it.
    fn record_if_dropped(&self, values: &mut Values);
}

/// Recording of [`Capture`] values.
pub trait Captured {
    /// Records the value.
    fn record(&self, values: &mut Values);
    /// Records the value, if its destructor could see it.
    fn record_if_dropped(&self, values: &mut Values);
}

/// A value of an unknown state: the loop is not captured.
pub trait Opaque {
    /// Records that such a value exists.
    fn record(&self, values: &mut Values);
    /// Records that such a value exists, if its destructor could see it.
    fn record_if_dropped(&self, values: &mut Values);
}

impl<T: Hash + ?Sized> Hashed for &&Value<'_, T> {
    fn record(&self, values: &mut Values) {
        // Recorded with its length, because a `Hash` may not mark where a value ends.
        let mut own = Values::default();
        self.0.hash(&mut own);
        own.bytes.hash(values);
    }

    fn record_if_dropped(&self, values: &mut Values) {
        if std::mem::needs_drop::<T>() {
            self.record(values);
        }
    }
}

impl<T: Capture + ?Sized> Captured for &Value<'_, T> {
    fn record(&self, values: &mut Values) {
        self.0.capture(values);
    }

    fn record_if_dropped(&self, values: &mut Values) {
        if std::mem::needs_drop::<T>() {
            self.record(values);
        }
    }
}

impl<T: ?Sized> Opaque for Value<'_, T> {
    fn record(&self, values: &mut Values) {
        values.refuse(self.1, type_name::<T>());
    }

    fn record_if_dropped(&self, values: &mut Values) {
        if std::mem::needs_drop::<T>() {
            self.record(values);
        }
    }
}

/// Showing of `Debug` values. Of the two traits, method resolution on `&&Value` takes the first that applies.
pub trait Debugged {
    /// Shows the value.
    fn show_captured(&self, shown: &Shown);
}

/// A value that has no text.
pub trait Unshown {
    /// Shows nothing.
    fn show_captured(&self, shown: &Shown);
}

impl<T: fmt::Debug + ?Sized> Debugged for &Value<'_, T> {
    fn show_captured(&self, shown: &Shown) {
        let Value(value, name) = **self;
        // Sockets and timers are not shown: no part of them is changed by the loop.
        let is_ours =
            type_name::<T>().trim_start_matches("&mut ").trim_start_matches('&').starts_with("netcheck_runtime::");
        if let Some(words) = (!is_ours).then(|| in_words(&value)).flatten() {
            shown.tell(format!("{name} = {words}"));
        }
    }
}

impl<T: ?Sized> Unshown for Value<'_, T> {
    fn show_captured(&self, _: &Shown) {}
}

/// A `for` loop's iterator. Its state follows from the position at which the loop was entered and the number of items
/// that were taken.
#[derive(Clone, Debug)]
pub struct Items<I, T> {
    items: I,
    // Not a bound of the methods, so that a value that is no iterator gives one error, at `items`.
    next: fn(&mut I) -> Option<T>,
    taken: u64,
}

/// An iterator from which no item was taken.
pub fn items<I: IntoIterator>(items: I) -> Items<I::IntoIter, I::Item> {
    Items { items: items.into_iter(), next: I::IntoIter::next, taken: 0 }
}

impl<I, T> Items<I, T> {
    /// The next item.
    #[allow(clippy::should_implement_trait, reason = "called by expansions, where no trait is in scope")]
    pub fn next(&mut self) -> Option<T> {
        self.taken += 1;
        (self.next)(&mut self.items)
    }

    /// The type of the items: a value without `Hash` may refer to memory that the loop changes and none of its
    /// variables shows.
    pub fn item(&self) -> Item<T> {
        Item(PhantomData)
    }
}

/// The type of an iterator's items.
pub struct Item<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Item")
    }
}

impl<T: Capture> Capture for Item<T> {
    fn capture(&self, _: &mut Values) {}
}

impl<T: Hash> Hash for Item<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<I, T> Capture for Items<I, T> {
    fn capture(&self, values: &mut Values) {
        self.taken.hash(values);
    }
}

impl<R: AsyncRead + Hash> Capture for BufReader<R> {
    fn capture(&self, values: &mut Values) {
        (self.buffer(), self.get_ref()).hash(values);
    }
}

impl<W: AsyncWrite + Hash> Capture for BufWriter<W> {
    fn capture(&self, values: &mut Values) {
        (self.buffer(), self.get_ref()).hash(values);
    }
}

impl Capture for f32 {
    fn capture(&self, values: &mut Values) {
        self.to_bits().hash(values);
    }
}

impl Capture for f64 {
    fn capture(&self, values: &mut Values) {
        self.to_bits().hash(values);
    }
}

macro_rules! capture_what_they_lead_to {
    ($($pointer:ty),* $(,)?) => { $(
        impl<T: Capture + ?Sized> Capture for $pointer {
            fn capture(&self, values: &mut Values) {
                (**self).capture(values);
            }
        }
    )* };
}

capture_what_they_lead_to!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

impl<T: Capture> Capture for Option<T> {
    fn capture(&self, values: &mut Values) {
        self.is_some().hash(values);
        if let Some(value) = self {
            value.capture(values);
        }
    }
}

impl<T: Capture> Capture for [T] {
    fn capture(&self, values: &mut Values) {
        self.len().hash(values);
        self.iter().for_each(|value| value.capture(values));
    }
}

impl<T: Capture> Capture for Vec<T> {
    fn capture(&self, values: &mut Values) {
        self.as_slice().capture(values);
    }
}

impl<T: Capture, const N: usize> Capture for [T; N] {
    fn capture(&self, values: &mut Values) {
        self.as_slice().capture(values);
    }
}

pin_project! {
    /// A future that is awaited by an annotated function itself.
    pub struct Direct<F> {
        #[pin]
        future: F,
        frame: Frame,
        is_polled: bool,
        activation: Option<Activation>,
    }
}

impl<F> fmt::Debug for Direct<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Direct").field("frame", &self.frame).finish_non_exhaustive()
    }
}

/// A call that the function of this frame awaits itself.
pub fn direct<F: IntoFuture>(future: F, frame: Frame) -> Direct<F::IntoFuture> {
    Direct { future: future.into_future(), frame, is_polled: false, activation: None }
}

impl<F: Future> Future for Direct<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let Some(context) = context::try_current() else { return this.future.poll(cx) };
        let is_new = !std::mem::replace(this.is_polled, true);
        let is_direct = context.is_direct(this.frame.activation);
        context.call((type_name::<F>(), true), is_new, this.activation, |_, _| is_direct, || this.future.poll(cx))
    }
}

pin_project! {
    /// The root of a program.
    pub struct Root<F> {
        #[pin]
        future: F,
        name: &'static str,
        is_polled: bool,
        activation: Option<Activation>,
    }
}

/// A future that no function awaits; `name` is the name of its type.
pub fn root<F: Future>(future: F, name: &'static str) -> Root<F> {
    Root { future, name, is_polled: false, activation: None }
}

impl<F: Future> Future for Root<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let context = context::current();
        let is_new = !std::mem::replace(this.is_polled, true);
        context.call((this.name, true), is_new, this.activation, |_, _| true, || this.future.poll(cx))
    }
}
