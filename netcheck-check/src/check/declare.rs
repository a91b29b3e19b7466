//! Declaring what the network may do.

mod crash;
mod delays;
mod files;
mod partition;

pub use crash::Crash;
pub(in crate::check) use delays::length;
pub use files::Files;
pub use partition::{Hosts, Partition};

use self::delays::{in_words, interval, listed};
use crate::error::Error;
use netcheck_models::time::FAR_NS;
use netcheck_models::udp::Perturbation;
use netcheck_runtime::id::ProcessId;
use netcheck_runtime::operation::Side;
use netcheck_runtime::world::declared::{Direction, UdpFaults};
use netcheck_runtime::world::delays::Delays;
use netcheck_runtime::world::tcp::failures::Failures;
use netcheck_runtime::world::tcp::rules::TcpRules;
use std::ops::RangeBounds;
use std::time::Duration;

/// The declared behaviour of UDP: by default reliable and in order.
///
/// The declarations follow papers/udp-net-iocache.txt, Definition 5: each packet arrives as often as one of the
/// multiplication choices M says, and the network holds at most c packets.
#[derive(Clone, Debug)]
#[must_use]
pub struct Udp {
    copies: Vec<usize>,
    window: Option<usize>,
    direction: Option<Direction>,
    delays: Option<Delays>,
    processes: Vec<String>,
    /// Whether the packets between these processes are meant, and not all that one of them sends or receives.
    is_between: bool,
}

impl Default for Udp {
    fn default() -> Self {
        Udp::new()
    }
}

impl Udp {
    /// Reliable: M = {1}, c = 1.
    pub fn new() -> Self {
        Udp { copies: vec![1], window: None, direction: None, delays: None, processes: Vec::new(), is_between: false }
    }

    /// Packets may be lost: adds 0 to M.
    pub fn loss(self) -> Self {
        self.also(0)
    }

    /// Packets may arrive twice: adds 2 to M.
    pub fn duplication(self) -> Self {
        self.also(2)
    }

    fn also(mut self, copies: usize) -> Self {
        if !self.copies.contains(&copies) {
            self.copies.push(copies);
        }
        self
    }

    /// The network holds up to `packets` packets of a channel: so many may arrive in any order.
    ///
    /// # Panics
    /// If `packets` is 0.
    #[track_caller]
    pub fn reorder(self, packets: usize) -> Self {
        self.window(packets)
    }

    /// M, in full: how often each packet may arrive, in the order of exploration.
    ///
    /// # Panics
    /// If it is empty or has a number over 255.
    #[track_caller]
    pub fn copies(mut self, copies: impl IntoIterator<Item = usize>) -> Self {
        self.copies = copies.into_iter().collect();
        assert!(!self.copies.is_empty(), "`copies` needs at least one number: how often a packet may arrive");
        assert!(self.copies.iter().all(|&copies| copies <= 255), "a packet can arrive at most 255 times");
        self
    }

    /// c: how many packets of a channel the network can hold at a time. 1 keeps the order, `usize::MAX` allows
    /// any.
    ///
    /// # Panics
    /// If `packets` is 0.
    #[track_caller]
    pub fn window(mut self, packets: usize) -> Self {
        assert!(packets > 0, "the network holds at least one packet: `window` starts at 1");
        self.window = Some(packets);
        self
    }

    /// Which side is perturbed: the packets that the processes send, those that they receive, or both in turn (then a
    /// packet can be multiplied twice). Without it, each packet that one of the processes sends or receives is
    /// perturbed once.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = Some(direction);
        self
    }

    /// Packets take time: each copy takes any delay of the interval, independently, so that copies arrive in the order of
    /// their instants, and timers fire before, between and after them. Without an upper bound a copy may also never
    /// arrive, and that is no fault; `..` is any delay at all.
    ///
    /// Time is then *dense*: all real numbers of the interval are explored. A program may wait by relative times
    /// (`sleep`, `timeout`, `interval`), and until an instant that it has computed from one it could read; it may read
    /// the clock only where the time is one number, else the check ends with an error that says so.
    ///
    /// With [`Udp::window`] or [`Udp::reorder`], `..` takes any time, but keeps the order that these allow, and each
    /// packet arrives as often as `copies` says. Such a bound can't be combined with a narrower interval.
    ///
    /// # Panics
    /// If the interval is empty, or excludes its upper bound, or if a bound is not less than 146 years.
    #[track_caller]
    pub fn delay(mut self, delays: impl RangeBounds<Duration>) -> Self {
        self.delays = Some(Delays::Interval(interval(delays.start_bound(), delays.end_bound())));
        self
    }

    pub(super) fn has_delay(&self) -> bool {
        self.delays.is_some()
    }

    /// Each copy of a packet takes one of these delays. Then every instant is one number, and programs may read the
    /// clock.
    ///
    /// # Panics
    /// If none is listed, or one is not less than 146 years.
    #[track_caller]
    pub fn delays(mut self, delays: impl IntoIterator<Item = Duration>) -> Self {
        self.delays = Some(listed(delays));
        self
    }

    /// Only this process's traffic is perturbed; may be called for several.
    pub fn process(mut self, name: impl Into<String>) -> Self {
        self.processes.push(name.into());
        self
    }

    /// Only packets from one of these processes to another one of them are perturbed: those of a link.
    ///
    /// # Panics
    /// If there are fewer than two names.
    #[track_caller]
    pub fn between<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.processes = names.into_iter().map(Into::into).collect();
        assert!(self.processes.len() > 1, "packets go between two processes at least: name both");
        self.is_between = true;
        self
    }

    /// As a word of the attribute; `None` if nothing is declared.
    pub(super) fn in_words(&self) -> Option<String> {
        let mut words = Vec::new();
        match &self.copies[..] {
            [1, more @ ..] if matches!(more, [] | [0] | [2] | [0, 2] | [2, 0]) => {
                let word = |copies: &usize| if *copies == 0 { "loss" } else { "duplication" };
                words.extend(more.iter().map(|copies| word(copies).to_owned()));
            }
            copies => words.push(format!("copies = {copies:?}")),
        }
        match (self.window, &self.delays) {
            (None | Some(1), None) | (None, Some(_)) => {}
            (Some(1), _) => words.push("window = 1".to_owned()),
            (Some(packets), _) => words.push(format!("reorder = {packets}")),
        }
        words.extend(self.delays.as_ref().map(|delays| in_words("delay", delays)));
        if words.is_empty() {
            return None;
        }
        words.extend(self.direction.map(|direction| format!("direction = {direction:?}").to_lowercase()));
        words.extend(match self.is_between {
            true => Some(format!("between = {:?}", self.processes)),
            false => named(&self.processes),
        });
        Some(format!("udp({})", words.join(", ")))
    }

    /// The multiplication choices and the capacity.
    pub(super) fn perturbation(&self) -> Perturbation {
        Perturbation::new(self.copies.iter().copied(), self.window.unwrap_or(1))
    }

    pub(super) fn faults(&self, names: &[&str]) -> Result<UdpFaults, Error> {
        let word = if self.is_between { "udp(between = …)" } else { "udp(process = …)" };
        let named = |name: &String| known_process(word, name, names);
        let processes = self.processes.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let is_any = |delays: &Delays| matches!(delays, Delays::Interval(delay) if delay.is_any());
        if self.window.is_some() && self.delays.as_ref().is_some_and(|delays| !is_any(delays)) {
            return Err(Error::new(
                "`reorder` and `window` can't be combined with the lengths of delays: they decide in which order \
                 packets arrive; keep one"
                    .to_owned(),
            ));
        }
        Ok(UdpFaults {
            perturbation: self.perturbation(),
            direction: self.direction,
            delays: self.delays.clone(),
            is_ordered: self.window.is_some(),
            processes: (!processes.is_empty()).then_some(processes),
            is_between: self.is_between,
        })
    }
}

/// Why several groups of packets mean nothing together.
pub(super) enum Misplaced {
    /// Every packet belongs to the group at this position, and none to the next one.
    TakesAll(usize),
    /// The group at this position bounds the order of its packets, where delays decide that of others.
    Ordered(usize),
}

/// Why the groups mean nothing together, if they don't.
pub(super) fn misplaced(groups: &[Udp]) -> Option<Misplaced> {
    let (_, before) = groups.split_last().filter(|(_, before)| !before.is_empty())?;
    if let Some(all) = before.iter().position(|udp| udp.processes.is_empty()) {
        return Some(Misplaced::TakesAll(all));
    }
    let ordered = groups.iter().position(|udp| udp.window.is_some())?;
    groups.iter().any(|udp| udp.delays.is_some()).then_some(Misplaced::Ordered(ordered))
}

/// The groups of packets that are declared, in the order in which packets are looked for there.
pub(super) fn groups(declared: &[Udp], names: &[&str]) -> Result<Vec<UdpFaults>, Error> {
    match misplaced(declared) {
        None => declared.iter().map(|udp| udp.faults(names)).collect(),
        Some(Misplaced::TakesAll(all)) => {
            let words = declared[all].in_words().unwrap_or_else(|| "udp(…)".to_owned());
            Err(Error::new(format!(
                "`{words}` names no process, so every packet belongs to it and none to what is declared after it: name \
                 processes (`process = \"…\"`, `between = [\"…\", \"…\"]`), or put it last"
            )))
        }
        Some(Misplaced::Ordered(_)) => Err(Error::new(
            "`reorder` and `window` can't be combined with the `delay` of other packets: there, delays decide in which \
             order packets arrive"
                .to_owned(),
        )),
    }
}

/// The declared behaviour of TCP: by default nothing fails, and reads and writes are whole.
///
/// The failures are those of papers/tcp-transmission-failures.txt, Table 2: a call fails with the error that Linux
/// gives, and the connection is then broken for both ends, unless failures are [transient](Tcp::transient). A failure is possible whenever the call is waited for, and
/// never has to happen. How many there can be in one execution is [`Checker::at_most`](crate::check::Checker::at_most);
/// without it, any number.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Tcp {
    rules: TcpRules,
    processes: Vec<String>,
}

impl Tcp {
    /// Nothing fails; a half-stream holds 64 KiB.
    pub fn new() -> Self {
        Tcp::default()
    }

    /// `connect` may fail with `TimedOut`, `accept` with `ConnectionAborted`.
    pub fn fail_open(mut self) -> Self {
        self.rules.fails.open = true;
        self
    }

    /// `shutdown` may fail with `NotConnected`. A drop cannot fail.
    pub fn fail_close(mut self) -> Self {
        self.rules.fails.close = true;
        self
    }

    /// A read may fail with `ConnectionReset`; the peer meets the reset after the bytes that it has got.
    pub fn fail_read(mut self) -> Self {
        self.rules.fails.read = true;
        self
    }

    /// A write may fail with `BrokenPipe`; the peer sees the end of the stream after the bytes that it has got.
    pub fn fail_write(mut self) -> Self {
        self.rules.fails.write = true;
        self
    }

    /// A connection may die for both ends while one of them reads or writes, with the bytes
    /// that are under way.
    pub fn reset(mut self) -> Self {
        self.rules.fails.reset = true;
        self
    }

    /// `connect` may never answer.
    pub fn hang(mut self) -> Self {
        self.rules.fails.hang = true;
        self
    }

    /// A failed call is all that happens, as where the paper's instrumented methods throw
    /// (papers/tcp-transmission-failures.txt, section 3): an `accept`, a read, a write or a `shutdown` that is declared to
    /// fail does so with `OutOfMemory` (Linux's `ENOMEM`), and its connection goes on as if the call had not been made.
    /// Without it a failure breaks the connection for both ends, as nearly all failures do on Linux.
    pub fn transient(mut self) -> Self {
        self.rules.fails.transient = true;
        self
    }

    /// A read may return any non-empty prefix of the bytes that are there, and a write may accept any of the bytes that
    /// it is given.
    pub fn split(mut self) -> Self {
        self.rules.streams.split = true;
        self
    }

    /// Packets take time: each write's bytes, the end of a stream and a reset take any delay of the interval, and come in
    /// the order in which they were sent, so that one waits for those before it. A connect takes one such delay to the
    /// listener, and its answer, also a refusal, one back. Everything comes at last, also without an upper bound; `..` is
    /// any delay at all. Acknowledgements take no time. Time is then *dense*, as with [`Udp::delay`].
    ///
    /// # Panics
    /// If the interval is empty, or excludes its upper bound, or if a bound is not less than 146 years.
    #[track_caller]
    pub fn delay(mut self, delays: impl RangeBounds<Duration>) -> Self {
        self.rules.delays = Some(Delays::Interval(interval(delays.start_bound(), delays.end_bound())));
        self
    }

    /// As [`Tcp::delay`], with one of these delays each time. Then every instant is one number, and programs may read the
    /// clock.
    ///
    /// # Panics
    /// If none is listed, or one is not less than 146 years.
    #[track_caller]
    pub fn delays(mut self, delays: impl IntoIterator<Item = Duration>) -> Self {
        self.rules.delays = Some(listed(delays));
        self
    }

    /// How many bytes a half-stream holds: more are written only when some have been read.
    ///
    /// # Panics
    /// If `bytes` is 0.
    #[track_caller]
    pub fn buffer(mut self, bytes: usize) -> Self {
        assert!(bytes > 0, "a half-stream holds at least one byte: `buffer` starts at 1");
        self.rules.streams.capacity = bytes;
        self
    }

    /// How long an OS sends again what is not acknowledged, because a host has [no power](Crash::power) or a link is
    /// [cut](crate::check::Partition): from the instant at which it was sent. Then it gives up: the next call at that end fails with
    /// `TimedOut`, and the other end is not told. A connect that has no answer for so long fails with `TimedOut` as well.
    /// A program that waits for bytes and has sent nothing that is not acknowledged waits for ever still: nobody keeps connections
    /// alive. Without this, nothing is given up.
    ///
    /// # Panics
    /// If the time is zero.
    #[track_caller]
    pub fn retries(mut self, time: Duration) -> Self {
        assert!(!time.is_zero(), "an OS sends a segment before it gives up: `retries` is longer than no time");
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.rules.retries_ns = Some(ns.min(FAR_NS.unsigned_abs() - 1));
        self
    }

    /// Only this process's calls fail; may be called for several.
    pub fn process(mut self, name: impl Into<String>) -> Self {
        self.processes.push(name.into());
        self
    }

    /// Only calls at one end fail: `connect` and calls on streams that connected, or `accept`
    /// and calls on streams that were accepted.
    pub fn side(mut self, side: Side) -> Self {
        self.rules.side = Some(side);
        self
    }

    /// Only the first executions of each call's source line fail (the paper's section 7): the behaviour of a loop after
    /// a failure seldom depends on how often it has gone round. With `tasks = tracked`, executions are counted for each
    /// task by itself.
    ///
    /// # Panics
    /// If `executions` is 0.
    #[track_caller]
    pub fn first(mut self, executions: usize) -> Self {
        assert!(executions > 0, "with `first(0)` nothing would ever fail: leave the failures out");
        self.rules.first = Some(u32::try_from(executions).unwrap_or(u32::MAX));
        self
    }

    /// As a word of the attribute; `None` if nothing is declared.
    pub(super) fn in_words(&self) -> Option<String> {
        let TcpRules { streams, fails, side, first, delays, retries_ns, .. } = &self.rules;
        let flags = [
            (fails.open, "open"),
            (fails.close, "close"),
            (fails.read, "read"),
            (fails.write, "write"),
            (fails.reset, "reset"),
            (fails.hang, "hang"),
            (fails.transient, "transient"),
            (streams.split, "split"),
        ];
        let mut words: Vec<String> = flags.iter().filter(|(on, _)| *on).map(|(_, word)| (*word).to_owned()).collect();
        words.extend(delays.as_ref().map(|delays| in_words("delay", delays)));
        if streams.capacity != TcpRules::default().streams.capacity {
            words.push(format!("buffer = {}", streams.capacity));
        }
        words.extend(retries_ns.map(|ns| format!("retries = {}", length(ns))));
        if words.is_empty() {
            return None;
        }
        words.extend(side.map(|side| format!("side = {side:?}").to_lowercase()));
        words.extend(first.map(|first| format!("first = {first}")));
        words.extend(named(&self.processes));
        Some(format!("tcp({})", words.join(", ")))
    }

    /// The calls that may fail.
    pub(super) fn failures(&self) -> Failures {
        self.rules.fails
    }

    pub(super) fn rules(&self, names: &[&str]) -> Result<TcpRules, Error> {
        let named = |name: &String| known_process("tcp(process = …)", name, names);
        let processes = self.processes.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        Ok(TcpRules { processes: (!processes.is_empty()).then_some(processes), ..self.rules.clone() })
    }
}

/// The memory that the tasks of a process share (isolated tasks share none), and the order in which they are polled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tasks {
    /// Any memory: the order in which tasks run is part of the process's local state.
    #[default]
    Shared,
    /// Only tracked objects: the types of `netcheck::tracked`, and the ends of tasks that others wait for. Then
    /// histories that differ only in the order of steps that share nothing are one local state (a Mazurkiewicz trace),
    /// which makes processes of many tasks much smaller. Every so often two such histories are compared; if they behave
    /// differently, that is an error that says so.
    Tracked,
    /// Any memory, and the tasks of a process are polled in the order of tokio's runtime of one thread, first in, first
    /// out: a task that is woken or spawned goes to the back of a queue, the future of the process itself (that of
    /// `block_on`) comes first whenever the queue is empty, and `yield_now` waits until then, too. Timers that are due
    /// together fire in the order in which they were first waited for. The network and faults are explored in full, so
    /// which socket is ready first is still a choice; so is the order of processes, of isolated tasks, of blocking
    /// closures, and of the branches of a `select!`.
    ///
    /// It leaves out all other orders: those of a runtime of several threads, and those in which tokio's budget sends a
    /// task to the back of the queue, after 128 operations in one poll. A [`LocalSet`](netcheck_runtime::task::LocalSet) has a queue of
    /// its own and is refused.
    Fifo,
}

/// The word that names processes, if there are any.
fn named(processes: &[String]) -> Option<String> {
    match processes {
        [] => None,
        [only] => Some(format!("process = {only:?}")),
        several => Some(format!("processes = {several:?}")),
    }
}

fn known_process(word: &str, name: &str, names: &[&str]) -> Result<ProcessId, Error> {
    match names.iter().position(|known| *known == name) {
        Some(index) => Ok(ProcessId(index as u32)),
        None => Err(Error::unknown_process(word, name, names)),
    }
}
