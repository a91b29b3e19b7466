//! The interpreter of random programs.

use super::tokio;
use crate::timed::program::{Block, From, Missed, Op, SLOTS};
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use tokio::time::{
    Duration, Instant, Interval, MissedTickBehavior, Sleep, interval, interval_at, sleep, sleep_until, timeout,
    timeout_at,
};

/// Later than by this, nothing differs for the trace.
const FAR_MS: i64 = 10_000_000_000;

#[derive(Default)]
struct World {
    slots: [Cell<Option<Instant>>; SLOTS],
    interval: RefCell<Option<Interval>>,
    timer: RefCell<Option<Pin<Box<Sleep>>>>,
    trace: RefCell<Vec<i64>>,
}

/// Something that is taken out of its place while it is waited for.
struct Taken<'w, T> {
    place: &'w RefCell<Option<T>>,
    taken: Option<T>,
}

impl<'w, T> Taken<'w, T> {
    fn from(place: &'w RefCell<Option<T>>) -> Option<Self> {
        let taken = place.borrow_mut().take();
        taken.is_some().then_some(Taken { place, taken })
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let mut place = self.place.borrow_mut();
        // Another one may have been made meanwhile.
        if place.is_none() {
            *place = self.taken.take();
        }
    }
}

pub(crate) async fn trace(program: Block) -> Vec<i64> {
    let world = World::default();
    run(&world, &program).await;
    world.trace.take()
}

fn run<'a>(world: &'a World, block: &'a Block) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
    Box::pin(async move {
        for op in block {
            world.step(op).await;
        }
    })
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

impl World {
    fn see(&self, seen: i64) {
        self.trace.borrow_mut().push(seen);
    }

    fn instant(&self, from: From) -> Option<Instant> {
        let at = self.slots[from.slot].get()?;
        let plus = ms(from.plus_ms.unsigned_abs());
        Some(if from.plus_ms < 0 { at - plus } else { at + plus })
    }

    fn keep(&self, slot: usize, at: Option<Instant>) {
        if at.is_some() {
            self.slots[slot].set(at);
        }
    }

    async fn step(&self, op: &Op) {
        match op {
            Op::Sleep(wait) => sleep(ms(*wait)).await,
            Op::SleepUntil(from) => {
                if let Some(at) = self.instant(*from) {
                    sleep_until(at).await;
                }
            }
            Op::Read(slot) => self.keep(*slot, Some(Instant::now())),
            Op::Derive(slot, from) => self.keep(*slot, self.instant(*from)),
            Op::Forget(slot) => self.slots[*slot].set(None),
            Op::Elapsed(from) => {
                if let Some(at) = self.instant(*from) {
                    self.see(at.elapsed().as_millis() as i64);
                }
            }
            Op::Between(from, other) => {
                if let (Some(one), Some(other)) = (self.instant(*from), self.slots[*other].get()) {
                    self.see(match one.cmp(&other) {
                        Ordering::Less => -FAR_MS - (other - one).as_millis() as i64,
                        Ordering::Equal => 0,
                        Ordering::Greater => (one - other).as_millis() as i64,
                    });
                }
            }
            Op::Timeout(wait, block) => self.see(i64::from(timeout(ms(*wait), run(self, block)).await.is_ok())),
            Op::TimeoutAt(from, block) => {
                if let Some(at) = self.instant(*from) {
                    self.see(i64::from(timeout_at(at, run(self, block)).await.is_ok()));
                }
            }
            Op::Select(one, other) => {
                let first = tokio::select! {
                    biased;
                    () = run(self, one) => 1,
                    () = run(self, other) => 2,
                };
                self.see(first);
            }
            Op::Join(one, other) => {
                let mut both = [Some(run(self, one)), Some(run(self, other))];
                let join = poll_fn(|cx| {
                    for one in &mut both {
                        if one.as_mut().is_some_and(|one| one.as_mut().poll(cx).is_ready()) {
                            *one = None;
                        }
                    }
                    if both.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
                });
                join.await;
            }
            of_interval => self.tick(of_interval).await,
        }
    }

    async fn tick(&self, op: &Op) {
        match op {
            Op::Every(period, missed) => self.put(interval(ms(*period)), *missed),
            Op::EveryAfter(period, missed) => {
                let mut interval = interval(ms(*period));
                interval.reset_after(ms(1));
                self.put(interval, *missed);
            }
            Op::EveryAt(from, period, missed) => {
                if let Some(at) = self.instant(*from) {
                    self.put(interval_at(at, ms(*period)), *missed);
                }
            }
            Op::Tick { within_ms, kept } => {
                let Some(mut taken) = Taken::from(&self.interval) else { return };
                let interval = taken.taken.as_mut().expect("it was there");
                let tick = match within_ms {
                    Some(wait) => timeout(ms(*wait), interval.tick()).await.ok(),
                    None => Some(interval.tick().await),
                };
                self.see(i64::from(tick.is_some()));
                if let Some(slot) = kept {
                    self.keep(*slot, tick);
                }
            }
            Op::Reset => self.of_interval(Interval::reset),
            Op::ResetImmediately => self.of_interval(Interval::reset_immediately),
            Op::ResetAfter(wait) => self.of_interval(|interval| interval.reset_after(ms(*wait))),
            Op::ResetAt(from) => {
                if let Some(at) = self.instant(*from) {
                    self.of_interval(|interval| interval.reset_at(at));
                }
            }
            of_timer => self.wait(of_timer).await,
        }
    }

    fn put(&self, mut interval: Interval, missed: Missed) {
        interval.set_missed_tick_behavior(match missed {
            Missed::Burst => MissedTickBehavior::Burst,
            Missed::Delay => MissedTickBehavior::Delay,
            Missed::Skip => MissedTickBehavior::Skip,
        });
        let before = self.interval.borrow_mut().replace(interval);
        drop(before);
    }

    fn of_interval(&self, change: impl FnOnce(&mut Interval)) {
        if let Some(interval) = self.interval.borrow_mut().as_mut() {
            change(interval);
        }
    }

    async fn wait(&self, op: &Op) {
        match op {
            Op::Timer(wait) => drop(self.timer.borrow_mut().replace(Box::pin(sleep(ms(*wait))))),
            Op::TimerUntil(from) => {
                if let Some(at) = self.instant(*from) {
                    drop(self.timer.borrow_mut().replace(Box::pin(sleep_until(at))));
                }
            }
            Op::ResetTimer(from) => {
                if let (Some(timer), Some(at)) = (self.timer.borrow_mut().as_mut(), self.instant(*from)) {
                    timer.as_mut().reset(at);
                }
            }
            Op::AwaitTimer => {
                let Some(mut taken) = Taken::from(&self.timer) else { return };
                taken.taken.as_mut().expect("it was there").as_mut().await;
                taken.taken = None;
            }
            Op::PollTimer => {
                let Some(mut taken) = Taken::from(&self.timer) else { return };
                let timer = taken.taken.as_mut().expect("it was there");
                let has_fired = poll_fn(|cx| Poll::Ready(timer.as_mut().poll(cx).is_ready())).await;
                self.see(i64::from(has_fired));
                if has_fired {
                    taken.taken = None;
                }
            }
            Op::Deadline(slot) => {
                let deadline = self.timer.borrow().as_ref().map(|timer| timer.deadline());
                self.keep(*slot, deadline);
            }
            other => unreachable!("{other:?} is done above"),
        }
    }
}
