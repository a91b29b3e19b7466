//! Captured loops: what the macros and `checkpoint!` tell of a function's own state.
//!
//! A unit's local state is its history, unless the program says what is left of it. At the
//! head of a loop an annotated function records the variables that the loop can change; where
//! the loop was entered says all the rest. Two arrivals at one head that were entered at the
//! same position, with the same values, are one local state.
//!
//! That holds only as long as nothing stands between the function and the root of its
//! program that changes while the loop runs. So each function that is awaited directly is
//! told so by its caller, and a head that is reached in any other way counts for nothing.

use crate::unit::checkpoint::PositionId;
pub use crate::unit::checkpoint::Values;
use crate::unit::context::{self, Activation};
use pin_project_lite::pin_project;
use std::any::type_name;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::hash::Hash;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, BufReader, BufWriter};

/// The name of the future in whose body a closure stands.
fn future_of<C>(_: &C) -> &'static str {
    type_name::<C>().strip_suffix("::{{closure}}").unwrap_or_default()
}

/// A run of an annotated function's body.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    activation: Option<Activation>,
}

/// The function in whose body the closure stands begins.
pub fn frame<C>(here: C) -> Frame {
    Frame { activation: context::try_current().and_then(|context| context.activate(future_of(&here))) }
}

impl Frame {
    /// Enters a loop.
    pub fn enter(self) -> Loop {
        Loop { frame: self, entry: context::try_current().map(|context| context.position()) }
    }
}

/// A loop that was entered.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    frame: Frame,
    entry: Option<PositionId>,
}

impl Loop {
    /// Nothing recorded yet.
    pub fn values(&self) -> Values {
        Values::default()
    }

    /// The head of the loop is reached with these values.
    #[track_caller]
    pub fn head(&self, values: Values) {
        if let Some(context) = context::try_current() {
            let entry = self.entry.filter(|_| context.is_direct(self.frame.activation));
            context.arrive(entry, values, Location::caller());
        }
    }
}

/// Nothing recorded yet, for a checkpoint stated by hand.
pub fn values() -> Values {
    Values::default()
}

/// The values are all that the rest of the function in whose body the closure stands depends on.
#[track_caller]
pub fn checkpoint<C>(here: C, values: Values) {
    if let Some(context) = context::try_current() {
        context.arrive(context.entry_of(future_of(&here)), values, Location::caller());
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

/// A type whose state can be told although it has no `Hash`.
pub trait Capture {
    /// Records the state.
    fn capture(&self, values: &mut Values);
}

/// Recording what is [`Capture`]. Of the three traits, method resolution on `&&&Value` takes
/// the first that applies.
pub trait Captured {
    /// Records the value.
    fn record(&self, values: &mut Values);
    /// Records the value, if its destructor could see it.
    fn record_if_dropped(&self, values: &mut Values);
}

/// Recording what is `Hash`.
pub trait Hashed {
    /// Records the value.
    fn record(&self, values: &mut Values);
    /// Records the value, if its destructor could see it.
    fn record_if_dropped(&self, values: &mut Values);
}

/// A value of which nothing is known: the loop is not captured.
pub trait Opaque {
    /// Notes that there is such a value.
    fn record(&self, values: &mut Values);
    /// Notes that there is such a value, if its destructor could see it.
    fn record_if_dropped(&self, values: &mut Values);
}

impl<T: Capture + ?Sized> Captured for &&Value<'_, T> {
    fn record(&self, values: &mut Values) {
        self.0.capture(values);
    }

    fn record_if_dropped(&self, values: &mut Values) {
        if std::mem::needs_drop::<T>() {
            self.record(values);
        }
    }
}

impl<T: Hash + ?Sized> Hashed for &Value<'_, T> {
    fn record(&self, values: &mut Values) {
        self.0.hash(values);
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

/// A `for` loop's iterator: where the loop was entered and how many items were taken say where
/// it stands.
#[derive(Clone, Debug)]
pub struct Items<I> {
    items: I,
    taken: u64,
}

impl<I: Iterator> Items<I> {
    /// The items of an iterator of which none was taken.
    pub fn new(items: I) -> Self {
        Items { items, taken: 0 }
    }

    /// The next item.
    #[allow(clippy::should_implement_trait, reason = "called by expansions, where no trait is in scope")]
    pub fn next(&mut self) -> Option<I::Item> {
        self.taken += 1;
        self.items.next()
    }
}

impl<I> Capture for Items<I> {
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

pin_project! {
    /// A future that is awaited by an annotated function itself.
    pub struct Direct<F> {
        #[pin]
        future: F,
        frame: Frame,
        entry: Option<PositionId>,
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
    Direct { future: future.into_future(), frame, entry: None, activation: None }
}

impl<F: Future> Future for Direct<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let Some(context) = context::try_current() else { return this.future.poll(cx) };
        let entry = *this.entry.get_or_insert_with(|| context.position());
        let is_direct = context.is_direct(this.frame.activation);
        context.call(type_name::<F>(), Some(entry), this.activation, |_, _| is_direct, || this.future.poll(cx))
    }
}

pin_project! {
    /// The root of a program.
    pub(crate) struct Root<F> {
        #[pin]
        future: F,
        name: &'static str,
        entry: Option<PositionId>,
        activation: Option<Activation>,
    }
}

/// A future, of a type of this name, that nobody awaits.
pub(crate) fn root<F: Future>(future: F, name: &'static str) -> Root<F> {
    Root { future, name, entry: None, activation: None }
}

impl<F: Future> Future for Root<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let context = context::current();
        let entry = *this.entry.get_or_insert_with(|| context.position());
        context.call(this.name, Some(entry), this.activation, |_, _| true, || this.future.poll(cx))
    }
}
