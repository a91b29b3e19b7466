//! The words of everyday programs on netcheck's own types.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use netcheck::net::UdpSocket;
use netcheck::time::{Instant, Interval, interval, sleep, sleep_until, timeout};
use netcheck::tracked::std::sync::atomic::AtomicBool;

use crate::memory::Memory;
use crate::{plain, tracked};
use oracle::language::everyday::{Everyday, OUTER_ELAPSED, Share};
use oracle::language::program::{ELAPSED, System, name};

pub struct Shared {
    objects: Objects,
    interval: RefCell<Ticks>,
    stamps: [Cell<Option<Stamp>>; 2],
    clock: Clock,
    /// says of each use of the interval and of the stamp that it is one
    uses: AtomicBool,
}

/// The clock that a process reads.
#[derive(Clone, Copy)]
pub enum Clock {
    Own,
    Std,
    Date,
}

/// A reading of a clock.
#[derive(Clone, Copy)]
enum Stamp {
    Own(Instant),
    Std(std::time::Instant),
    Date(SystemTime),
}

impl Clock {
    /// One of the three, where packets take no time; no date, where the instants of ticks are kept. In dense time, that of the
    /// standard library can be read where each instant is a number. What these have said is never too old to be told apart, so
    /// loops may never close.
    pub fn of(system: &System, process: usize) -> Clock {
        match (system.to_string().len() + process) % 3 {
            _ if system.has_loops() => Clock::Own,
            1 if system.network.has_numbers() => Clock::Std,
            _ if system.network.takes_time() => Clock::Own,
            0 => Clock::Own,
            1 => Clock::Std,
            _ if system.keeps_ticks() => Clock::Std,
            _ => Clock::Date,
        }
    }
}

impl Stamp {
    /// For the naive explorer each reading is a step, between which others take theirs. Of the clocks of the standard library
    /// only the first reading of a poll is one, since no time passes within a poll; so netcheck's own is read as well.
    #[expect(clippy::disallowed_methods, reason = "the date of a check")]
    fn now(clock: Clock) -> Stamp {
        let own = Instant::now();
        match clock {
            Clock::Own => Stamp::Own(own),
            Clock::Std => Stamp::Std(std::time::Instant::now()),
            Clock::Date => Stamp::Date(SystemTime::now()),
        }
    }

    fn later(self, by: Duration) -> Stamp {
        match self {
            Stamp::Own(at) => Stamp::Own(at + by),
            Stamp::Std(at) => Stamp::Std(at + by),
            Stamp::Date(at) => Stamp::Date(at + by),
        }
    }

    fn is_over(self) -> bool {
        let clock = match self {
            Stamp::Own(_) => Clock::Own,
            Stamp::Std(_) => Clock::Std,
            Stamp::Date(_) => Clock::Date,
        };
        Stamp::now(clock).is_from(self)
    }

    fn is_from(self, earlier: Stamp) -> bool {
        match (self, earlier) {
            (Stamp::Own(at), Stamp::Own(earlier)) => at >= earlier,
            (Stamp::Std(at), Stamp::Std(earlier)) => at >= earlier,
            (Stamp::Date(at), Stamp::Date(earlier)) => at >= earlier,
            _ => unreachable!("a process reads one clock"),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the date of a check")]
    async fn wait(self) {
        match self {
            Stamp::Own(at) => sleep_until(at).await,
            Stamp::Std(at) => sleep_until(at.into()).await,
            Stamp::Date(at) => sleep(at.duration_since(SystemTime::now()).unwrap_or_default()).await,
        }
    }
}

enum Objects {
    Plain(plain::shared::Objects),
    Tracked(tracked::shared::Objects),
}

enum Ticks {
    Never,
    Awaited,
    Every(Interval),
}

impl Shared {
    pub fn new(is_tracked: bool, clock: Clock) -> Self {
        let objects = match is_tracked {
            true => Objects::Tracked(tracked::shared::Objects::new()),
            false => Objects::Plain(plain::shared::Objects::new()),
        };
        Shared {
            objects,
            interval: RefCell::new(Ticks::Never),
            stamps: Default::default(),
            clock,
            uses: AtomicBool::new(false),
        }
    }

    async fn step(&self, memory: &Memory, share: Share) {
        match &self.objects {
            Objects::Plain(objects) => objects.step(memory, share).await,
            Objects::Tracked(objects) => objects.step(memory, share).await,
        }
    }

    /// Puts another interval into its place, unless a task waits for it.
    fn tick_every(&self, ms: u16) {
        self.uses.store(true, Ordering::Relaxed);
        if !matches!(*self.interval.borrow(), Ticks::Awaited) {
            let before = self.interval.replace(Ticks::Every(interval(milliseconds(ms))));
            drop(before);
        }
    }

    fn read_clock(&self, which: usize) {
        self.uses.store(true, Ordering::Relaxed);
        self.stamps[which].set(Some(Stamp::now(self.clock)));
    }

    /// Keeps the instant of a tick as a reading of the clock.
    fn keep(&self, which: usize, at: Instant) {
        self.uses.store(true, Ordering::Relaxed);
        let stamp = match self.clock {
            Clock::Own => Stamp::Own(at),
            Clock::Std => Stamp::Std(at.into_std()),
            Clock::Date => unreachable!("a process that keeps the instants of ticks reads no dates"),
        };
        self.stamps[which].set(Some(stamp));
    }

    fn later(&self, which: usize, ms: u16) -> Option<Stamp> {
        self.uses.store(true, Ordering::Relaxed);
        self.stamps[which].get().map(|stamp| stamp.later(milliseconds(ms)))
    }

    /// Whether the second stamp was so much later than the first.
    fn is_later(&self, ms: u16) -> Option<bool> {
        let later = self.later(0, ms)?;
        Some(self.later(1, 0)?.is_from(later))
    }

    fn take_interval(&self) -> Option<Ticking<'_>> {
        self.uses.store(true, Ordering::Relaxed);
        match self.interval.replace(Ticks::Awaited) {
            Ticks::Every(interval) => Some(Ticking { shared: self, interval: Some(interval) }),
            other => {
                self.interval.replace(other);
                None
            }
        }
    }
}

/// The interval that a task waits for: it is put back at the end.
struct Ticking<'a> {
    shared: &'a Shared,
    interval: Option<Interval>,
}

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.shared.uses.store(true, Ordering::Relaxed);
        if let Some(interval) = self.interval.take() {
            self.shared.interval.replace(Ticks::Every(interval));
        }
    }
}

pub async fn step(memory: &Rc<Memory>, word: Everyday) {
    match word {
        Everyday::BindAny { socket } => memory.bind(socket, 0).await,
        Everyday::Connect { socket: index, to, port } => {
            if let Some(socket) = memory.socket(index) {
                socket.connect((name(to), port)).await.expect("a connect succeeds");
                memory.use_socket(index);
            }
        }
        Everyday::ConnectBack { socket: index } => {
            if let (Some(socket), Some(to)) = (memory.socket(index), memory.heard(index)) {
                socket.connect(to).await.expect("a connect succeeds");
                memory.use_socket(index);
            }
        }
        Everyday::SendOn { socket: index, value } => {
            if let Some(socket) = memory.socket(index)
                && socket.peer_addr().is_ok()
            {
                let sent = socket.send(&[memory.value(value)]).await.expect("a send succeeds");
                assert_eq!(sent, 1, "the whole datagram is sent");
            }
        }
        Everyday::RecvOn { socket: index, limit_ms, into } => {
            if let Some(socket) = memory.socket(index) {
                let received = within(limit_ms, receive(&socket)).await;
                memory.write(into, received.unwrap_or(ELAPSED));
            }
        }
        Everyday::RecvNested { socket: index, outer_ms, inner_ms, into } => {
            if let Some(socket) = memory.socket(index) {
                let received = memory.receive(index, &socket);
                let received = timeout(milliseconds(outer_ms), timeout(milliseconds(inner_ms), received)).await;
                let received = received.map_or(OUTER_ELAPSED, |received| received.unwrap_or(ELAPSED));
                memory.write(into, received);
            }
        }
        Everyday::DropSocket { socket } => memory.drop_socket(socket),
        Everyday::Every { ms } => memory.shared.tick_every(ms),
        Everyday::Tick { limit_ms, into, stamp } => {
            if let Some(mut ticking) = memory.shared.take_interval() {
                let interval = ticking.interval.as_mut().expect("it was there");
                let ticked = within(limit_ms, interval.tick()).await;
                if let (Some(at), Some(which)) = (ticked, stamp) {
                    memory.shared.keep(which, at);
                }
                memory.write(into, ticked.map_or(ELAPSED, |_| 0));
            }
        }
        Everyday::SleepUntil { ms } => sleep_until(Instant::now() + milliseconds(ms)).await,
        Everyday::Stamp { which } => memory.shared.read_clock(which),
        Everyday::IsLater { ms, into } => {
            let is_later = memory.shared.is_later(ms);
            memory.write(into, is_later.map_or(2, u8::from));
        }
        Everyday::IsOver { which, ms, into } => {
            let is_over = memory.shared.later(which, ms).map(Stamp::is_over);
            memory.write(into, is_over.map_or(2, u8::from));
        }
        Everyday::SleepUntilLater { which, ms } => {
            if let Some(later) = memory.shared.later(which, ms) {
                later.wait().await;
            }
        }
        Everyday::Share(share) => memory.shared.step(memory, share).await,
    }
}

async fn receive(socket: &UdpSocket) -> u8 {
    let mut buffer = [0; 8];
    let length = socket.recv(&mut buffer).await.expect("a receive succeeds");
    assert_eq!(length, 1, "a datagram arrives whole");
    buffer[0]
}

/// `None` says that the time was up.
pub async fn within<T>(limit_ms: Option<u16>, operation: impl Future<Output = T>) -> Option<T> {
    match limit_ms {
        None => Some(operation.await),
        Some(ms) => timeout(milliseconds(ms), operation).await.ok(),
    }
}

fn milliseconds(ms: u16) -> Duration {
    Duration::from_millis(u64::from(ms))
}
