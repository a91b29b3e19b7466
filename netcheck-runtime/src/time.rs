//! Virtual time, shaped like `tokio::time`.
//!
//! A timer fires only when no other step is possible, the earliest timer first. Relative timers never read the clock,
//! so that loops with time-outs close; of a program that reads it (`Instant::now`, `sleep_until`), a state has how far its
//! instants lie apart, and from now.

use crate::operation::time;
use crate::operation::{Effect, Missed, Operation, Outcome};
use crate::unit::poll::context;
use crate::unit::poll::handles::Called;
use crate::unit::poll::operations::Pending;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

mod instant;
mod of_std;

pub use instant::Instant;
pub(crate) use instant::number;
pub use std::time::Duration;

/// Errors of this module, as `tokio::time::error`.
pub mod error {
    pub use tokio::time::error::Error;

    /// A `timeout` elapsed.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Elapsed(pub(super) ());

    impl std::fmt::Display for Elapsed {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("deadline has elapsed")
        }
    }

    impl std::error::Error for Elapsed {}

    impl From<Elapsed> for std::io::Error {
        fn from(_: Elapsed) -> Self {
            std::io::ErrorKind::TimedOut.into()
        }
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A timer of the current unit: armed when created, disarmed when dropped.
struct Timer {
    number: u32,
    location: &'static Location<'static>,
    repeats: bool,
    pending: Option<Pending>,
}

impl Timer {
    fn after(duration: Duration, repeats: bool, location: &'static Location<'static>) -> Timer {
        let context = context::current();
        let number = context.new_timer();
        context.effect(Effect::Time(time::Effect::Arm { timer: number, after_ns: nanoseconds(duration), repeats }));
        Timer { number, location, repeats, pending: None }
    }

    #[track_caller]
    fn at(deadline: Instant, repeats: bool, location: &'static Location<'static>) -> Timer {
        let context = context::current();
        let at = context.untold(deadline.known());
        let number = context.new_timer();
        context.effect(Effect::Time(time::Effect::ArmAt { timer: number, at, repeats }));
        Timer { number, location, repeats, pending: None }
    }

    /// Polls until it fires; returns the time, if it is tracked.
    fn poll_elapsed(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        let operation = Operation::Time(time::Operation::Timer { timer: self.number, repeats: self.repeats });
        let pending = self.pending.get_or_insert_with(|| Pending::new(operation, self.location));
        let outcome = ready!(Pin::new(pending).poll(cx));
        self.pending = None;
        match outcome {
            Outcome::Elapsed { at, .. } => Poll::Ready(Instant { at }),
            other => unreachable!("a timer does not answer {other:?}"),
        }
    }

    /// Another deadline is set: what is known of the earlier one is forgotten.
    fn renew(&self) {
        self.pending.iter().for_each(|pending| context::current().renew(pending));
    }

    #[track_caller]
    fn deadline(&self) -> Instant {
        Instant::read(time::Operation::Deadline { timer: self.number })
    }
}

impl Hash for Timer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.number, self.location, self.repeats).hash(state);
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.pending = None;
        if let Some(context) = context::try_current() {
            context.drop_timer(self.number);
        }
    }
}

/// Waits for a duration from now, as `tokio::time::sleep`.
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    Sleep { timer: Timer::after(duration, false, Location::caller()), elapsed: false }
}

/// Waits until a point in time, as `tokio::time::sleep_until`.
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep { timer: Timer::at(deadline, false, Location::caller()), elapsed: false }
}

/// The future of [`sleep`].
#[derive(Hash)]
pub struct Sleep {
    timer: Timer,
    elapsed: bool,
}

impl Sleep {
    /// The time at which it fires; now, if that is over.
    #[track_caller]
    pub fn deadline(&self) -> Instant {
        self.timer.deadline()
    }

    /// Whether it has fired and its wait is over.
    pub fn is_elapsed(&self) -> bool {
        self.elapsed
    }

    /// Sets another deadline.
    #[track_caller]
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        let at = context::current().untold(deadline.known());
        let sleep = self.get_mut();
        sleep.elapsed = false;
        sleep.timer.renew();
        let arm = time::Effect::ArmAt { timer: sleep.timer.number, at, repeats: false };
        context::current().effect(Effect::Time(arm));
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if !self.elapsed {
            ready!(self.timer.poll_elapsed(cx));
            self.elapsed = true;
        }
        Poll::Ready(())
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("elapsed", &self.elapsed).finish_non_exhaustive()
    }
}

/// Gives a future a duration to complete in, as `tokio::time::timeout`.
#[track_caller]
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    Timeout { value: Box::pin(future.into_future()), delay: sleep(duration), called: Called::new() }
}

/// Gives a future until a point in time, as `tokio::time::timeout_at`.
#[track_caller]
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    Timeout { value: Box::pin(future.into_future()), delay: sleep_until(deadline), called: Called::new() }
}

/// The future of [`timeout`].
pub struct Timeout<F> {
    value: Pin<Box<F>>,
    delay: Sleep,
    /// The operations of `poll_` functions that the future has pending.
    called: Called,
}

impl<F> Timeout<F> {
    /// The future that is waited for.
    pub fn get_ref(&self) -> &F {
        &self.value
    }

    /// The future that is waited for. Unlike tokio's, it has to be `Unpin`.
    pub fn get_mut(&mut self) -> &mut F
    where
        F: Unpin,
    {
        &mut self.value
    }

    /// The future that was waited for. Unlike tokio's, it has to be `Unpin`.
    pub fn into_inner(self) -> F
    where
        F: Unpin,
    {
        *Pin::into_inner(self.value)
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, error::Elapsed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let context = context::current();
        let before = context.called();
        if let Poll::Ready(value) = self.value.as_mut().poll(cx) {
            return Poll::Ready(Ok(value));
        }
        context.called_since(before, &mut self.called);
        if context.in_timeout(|| Pin::new(&mut self.delay).poll(cx)).is_pending() {
            return Poll::Pending;
        }
        context.abandon(&self.called, Some(cx.waker()));
        Poll::Ready(Err(error::Elapsed(())))
    }
}

impl<F> fmt::Debug for Timeout<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout").finish_non_exhaustive()
    }
}

/// The behaviour of an interval for missed ticks, as `tokio::time::MissedTickBehavior`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MissedTickBehavior {
    /// Ticks as fast as it can until it has caught up.
    #[default]
    Burst,
    /// The next tick comes a period after the late one.
    Delay,
    /// Missed ticks are left out.
    Skip,
}

/// Ticks now and then after each period, as `tokio::time::interval`.
///
/// # Panics
/// If `period` is zero.
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "`period` must be non-zero.");
    let timer = Timer::after(Duration::ZERO, true, Location::caller());
    Interval { timer, period, missed: MissedTickBehavior::default() }
}

/// Ticks at `start` and then after each period, as `tokio::time::interval_at`.
///
/// # Panics
/// If `period` is zero.
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    assert!(!period.is_zero(), "`period` must be non-zero.");
    let location = Location::caller();
    Interval { timer: Timer::at(start, true, location), period, missed: MissedTickBehavior::default() }
}

/// See [`interval`].
#[derive(Hash)]
pub struct Interval {
    timer: Timer,
    period: Duration,
    missed: MissedTickBehavior,
}

impl Interval {
    /// Waits for the next tick.
    pub async fn tick(&mut self) -> Instant {
        std::future::poll_fn(|cx| self.poll_tick(cx)).await
    }

    /// Polls for the next tick.
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        let at = ready!(self.timer.poll_elapsed(cx));
        let missed = match self.missed {
            MissedTickBehavior::Burst => Missed::Burst,
            MissedTickBehavior::Delay => Missed::Delay,
            MissedTickBehavior::Skip => Missed::Skip,
        };
        let (timer, period_ns) = (self.timer.number, nanoseconds(self.period));
        context::current().effect(Effect::Time(time::Effect::Rearm { timer, period_ns, missed }));
        Poll::Ready(at)
    }

    fn arm(&mut self, after: Duration) {
        let (timer, after_ns) = (self.timer.number, nanoseconds(after));
        self.timer.renew();
        context::current().effect(Effect::Time(time::Effect::Arm { timer, after_ns, repeats: true }));
    }

    /// The next tick comes a period from now.
    pub fn reset(&mut self) {
        self.arm(self.period);
    }

    /// The next tick comes now.
    pub fn reset_immediately(&mut self) {
        self.arm(Duration::ZERO);
    }

    /// The next tick comes after `after`.
    pub fn reset_after(&mut self, after: Duration) {
        self.arm(after);
    }

    /// The next tick comes at `deadline`.
    #[track_caller]
    pub fn reset_at(&mut self, deadline: Instant) {
        let context = context::current();
        let at = context.untold(deadline.known());
        self.timer.renew();
        context.effect(Effect::Time(time::Effect::ArmAt { timer: self.timer.number, at, repeats: true }));
    }

    /// The behaviour for missed ticks.
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.missed
    }

    /// Sets the behaviour for missed ticks.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed = behavior;
    }

    /// The time between ticks.
    pub fn period(&self) -> Duration {
        self.period
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interval").field("period", &self.period).finish_non_exhaustive()
    }
}

/// Time is always virtual in a check: nothing to do.
pub fn pause() {}

/// Time stays virtual in a check: nothing to do.
pub fn resume() {}

/// Waits until virtual time has passed by `duration`.
#[track_caller]
pub fn advance(duration: Duration) -> Sleep {
    sleep(duration)
}
