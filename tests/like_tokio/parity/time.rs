//! Time, real and virtual. Durations are compared, never shown.

use super::tokio;
use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use tokio::time::{
    Duration, Instant, MissedTickBehavior, interval, interval_at, sleep, sleep_until, timeout, timeout_at,
};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) async fn a_timeout_elapses() -> (String, String, std::io::ErrorKind) {
    let elapsed = timeout(ms(5), pending::<()>()).await.unwrap_err();
    let (debug, display) = (format!("{elapsed:?}"), elapsed.to_string());
    (debug, display, std::io::Error::from(elapsed).kind())
}

pub(crate) async fn a_ready_future_is_in_time_even_without_time() -> bool {
    timeout(Duration::ZERO, async { 1 }).await == Ok(1)
}

pub(crate) async fn a_timeout_waits_no_longer_than_its_future() -> bool {
    let start = Instant::now();
    let value = timeout(Duration::from_secs(3600), async {
        sleep(ms(5)).await;
        7
    });
    value.await == Ok(7) && start.elapsed() < Duration::from_secs(60)
}

pub(crate) async fn timeout_at_takes_a_point_in_time() -> [bool; 2] {
    let now = Instant::now();
    [timeout_at(now + ms(5), pending::<()>()).await.is_err(), timeout_at(now, async {}).await.is_ok()]
}

pub(crate) async fn sleeps_end_in_the_order_of_their_deadlines() -> Vec<u64> {
    let order = Arc::new(Mutex::new(Vec::new()));
    let tasks = [60, 5, 30].map(|delay| {
        let order = Arc::clone(&order);
        tokio::spawn(async move {
            sleep(ms(delay)).await;
            order.lock().unwrap().push(delay);
        })
    });
    for task in tasks {
        task.await.unwrap();
    }
    order.lock().unwrap().clone()
}

pub(crate) async fn a_sleep_takes_at_least_its_time() -> [bool; 3] {
    let start = Instant::now();
    sleep(ms(10)).await;
    let first = start.elapsed() >= ms(10);
    let deadline = Instant::now() + ms(10);
    sleep_until(deadline).await;
    let second = Instant::now() >= deadline;
    sleep_until(start).await;
    [first, second, Instant::now() > start]
}

pub(crate) async fn a_sleep_can_be_reset() -> [bool; 4] {
    let start = Instant::now();
    let mut sleeping = pin!(sleep(Duration::from_secs(3600)));
    let before = sleeping.is_elapsed();
    sleeping.as_mut().reset(start + ms(10));
    let deadline = sleeping.deadline() == start + ms(10);
    sleeping.as_mut().await;
    [before, deadline, sleeping.is_elapsed(), start.elapsed() < Duration::from_secs(60)]
}

pub(crate) async fn an_interval_ticks_at_once_and_then_after_each_period() -> [bool; 4] {
    let start = Instant::now();
    let mut ticks = interval(ms(100));
    let first = ticks.tick().await;
    let second = ticks.tick().await;
    let third = ticks.tick().await;
    [
        first.duration_since(start) < ms(100),
        second.duration_since(first) == ms(100),
        third - second == ms(100),
        ticks.period() == ms(100),
    ]
}

pub(crate) async fn interval_at_begins_later() -> [bool; 2] {
    let start = Instant::now() + ms(10);
    let mut ticks = interval_at(start, ms(10));
    let first = ticks.tick().await;
    [first == start, ticks.tick().await == start + ms(10)]
}

async fn after_being_late(behavior: MissedTickBehavior) -> (u128, bool) {
    let mut ticks = interval(ms(100));
    ticks.set_missed_tick_behavior(behavior);
    let first = ticks.tick().await;
    sleep(ms(250)).await;
    let late = ticks.tick().await;
    let next = ticks.tick().await;
    // In tenths of a second: when the late tick was due, and whether the next is on the beat.
    ((late - first).as_millis() / 100, (next - first).as_millis() % 100 == 0)
}

pub(crate) async fn a_burst_catches_up() -> (u128, bool) {
    after_being_late(MissedTickBehavior::Burst).await
}

pub(crate) async fn a_skip_stays_on_the_beat() -> (u128, bool) {
    after_being_late(MissedTickBehavior::Skip).await
}

pub(crate) async fn a_delay_counts_from_the_late_tick() -> [bool; 2] {
    let mut ticks = interval(ms(40));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    sleep(ms(60)).await;
    ticks.tick().await;
    let late = Instant::now();
    ticks.tick().await;
    [late.elapsed() >= ms(35), ticks.missed_tick_behavior() == MissedTickBehavior::Delay]
}

pub(crate) async fn an_interval_can_be_reset() -> [bool; 3] {
    let start = Instant::now();
    let mut ticks = interval(ms(200));
    ticks.tick().await;
    sleep(ms(10)).await;
    ticks.reset();
    ticks.tick().await;
    let after_reset = start.elapsed() >= ms(210);
    ticks.reset_immediately();
    let before = Instant::now();
    ticks.tick().await;
    let at_once = before.elapsed() < ms(200);
    ticks.reset_after(ms(30));
    ticks.tick().await;
    [after_reset, at_once, before.elapsed() >= ms(30)]
}

#[allow(clippy::op_ref, reason = "programs compare references to instants too")]
pub(crate) async fn instants_are_ordered_and_can_be_reckoned_with() -> Vec<bool> {
    let first = Instant::now();
    sleep(ms(5)).await;
    let second = Instant::now();
    let mut third = second;
    third += ms(5);
    vec![
        first < second,
        &first < &second,
        second > first,
        third >= second,
        second.duration_since(first) >= ms(5),
        first.duration_since(second) == Duration::ZERO,
        first.checked_duration_since(second).is_none(),
        first.saturating_duration_since(second).is_zero(),
        first + ms(5) > first,
        third - second == ms(5),
        third - ms(5) == second,
        first.checked_add(ms(1)).is_some_and(|later| later - first == ms(1)),
        first.elapsed() >= ms(5),
    ]
}

/// A machine has been up for longer than a minute when a program starts.
pub(crate) async fn there_are_instants_before_the_start() -> Vec<bool> {
    let now = Instant::now();
    let seen = now - Duration::from_secs(60);
    let mut earlier = seen;
    earlier -= Duration::from_secs(3);
    vec![
        seen < now,
        earlier < seen,
        seen.elapsed() >= Duration::from_secs(60),
        now.duration_since(earlier) == Duration::from_secs(63),
        earlier.checked_duration_since(seen).is_none(),
        earlier + Duration::from_secs(63) == now,
        Instant::now().checked_sub(ms(1)).is_some(),
        now.checked_sub(Duration::MAX).is_none(),
    ]
}

pub(crate) async fn an_instant_before_the_start_is_over() -> [bool; 4] {
    let start = Instant::now();
    let before = start - Duration::from_secs(60);
    sleep_until(before).await;
    let elapsed = timeout_at(before, pending::<()>()).await.is_err();
    let ready = timeout_at(before, async { 1 }).await == Ok(1);
    let mut reset = pin!(sleep(Duration::from_secs(3600)));
    reset.as_mut().reset(before);
    reset.await;
    [start.elapsed() < Duration::from_secs(1), elapsed, ready, start.elapsed() < Duration::from_secs(60)]
}

/// The instants of the ticks that come at once, from the first one on.
async fn ticks_at_once(start: Instant, missed: MissedTickBehavior) -> Vec<Duration> {
    let mut ticks = interval_at(start, Duration::from_secs(10));
    ticks.set_missed_tick_behavior(missed);
    let mut at_once = Vec::new();
    while let Ok(tick) = timeout(ms(500), ticks.tick()).await {
        at_once.push(tick - start);
    }
    at_once
}

pub(crate) async fn an_interval_from_an_instant_that_is_over_is_late() -> Vec<Vec<Duration>> {
    let start = Instant::now() - Duration::from_secs(35);
    let mut all = Vec::new();
    for missed in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip] {
        all.push(ticks_at_once(start, missed).await);
    }
    all
}

/// Says how long it was there when it is dropped: in a check also while a poll is abandoned.
struct Measured {
    start: Instant,
    into: Arc<Mutex<Duration>>,
}

impl Drop for Measured {
    fn drop(&mut self) {
        *self.into.lock().unwrap() = self.start.elapsed();
    }
}

pub(crate) async fn a_guard_reads_the_clock_when_it_is_dropped() -> [bool; 2] {
    let into = Arc::new(Mutex::new(Duration::ZERO));
    let start = Instant::now();
    let measured = Measured { start, into: Arc::clone(&into) };
    sleep(ms(5)).await;
    let later = Instant::now();
    drop(measured);
    let took = *into.lock().unwrap();
    [later - start >= ms(5), took >= later - start]
}
