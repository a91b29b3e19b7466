//! Declaring that processes crash.

use super::delays::{in_words, interval};
use super::{known_process, named};
use crate::error::Error;
use netcheck_models::time::Delay;
use netcheck_runtime::id::ProcessId;
use netcheck_runtime::operation::Cause;
use netcheck_runtime::world::declared::Crashes;
use netcheck_runtime::world::delays::Delays;
use std::ops::RangeBounds;
use std::time::Duration;

/// Each crash is followed by a unit of its own.
const CRASHES_MAX: usize = 255;

/// The declared crashes of processes.
///
/// A process may crash wherever it waits: all its tasks end at once, isolated ones with them, and no destructor has an
/// effect. Then its factory is called anew, with the same name, address and arguments, at any later time. Each crash is a
/// fault for [`Checker::at_most`](crate::check::Checker::at_most).
#[derive(Clone, Debug)]
#[must_use]
pub struct Crash {
    cause: Cause,
    processes: Vec<String>,
    times: u32,
    stays_down: bool,
    down: Option<Delay>,
}

impl Crash {
    /// The OS ends a process, as by `kill -9`, and cleans up: streams end as by a drop (after the bytes that were written;
    /// with a reset, if bytes are unread), the connections that wait for a listener are reset, datagrams that wait in its
    /// sockets vanish, and connects are refused until it listens again.
    pub fn kill() -> Self {
        Crash::by(Cause::Kill)
    }

    /// The host of a process loses its power, and falls silent: its peers are not told. Of what is under way from it, any last
    /// datagrams and bytes are lost; who reads from it waits for ever, who writes does so until the buffer is full, and
    /// connects are not answered. When it is back, it answers what comes on old connections with a reset. In dense time
    /// ([`Udp::delay`](crate::check::Udp::delay)) a datagram that was sent is not lost; not with
    /// [`Tcp::delay`](crate::check::Tcp::delay).
    pub fn power() -> Self {
        Crash::by(Cause::Power)
    }

    fn by(cause: Cause) -> Self {
        Crash { cause, processes: Vec::new(), times: 1, stays_down: false, down: None }
    }

    /// Only this process crashes; may be called for several. Without it, every process that is not external does. A real peer
    /// (`Network::external`) that is named is killed by a signal, and started again.
    pub fn process(mut self, name: impl Into<String>) -> Self {
        self.processes.push(name.into());
        self
    }

    /// How often each of the processes may crash in one execution, unless it is once.
    ///
    /// # Panics
    /// If `times` is 0, or over 255.
    #[track_caller]
    pub fn times(mut self, times: usize) -> Self {
        assert!(
            (1..=CRASHES_MAX).contains(&times),
            "a process crashes from 1 to 255 times: `times` says how often it may"
        );
        self.times = times as u32;
        self
    }

    /// A process that has crashed may also never come back, which is no deadlock.
    pub fn stays_down(mut self) -> Self {
        self.stays_down = true;
        self
    }

    /// In dense time ([`Udp::delay`](crate::check::Udp::delay), [`Tcp::delay`](crate::check::Tcp::delay)), how long a process
    /// that comes back is down: any time of the interval, such as `1s..=5s`; without an upper bound at any later time. In quiet
    /// time, where a process comes back at any time, the check ends with an error.
    ///
    /// # Panics
    /// If the interval is empty, or excludes its upper bound, or if a bound is not less than 146 years.
    #[track_caller]
    pub fn down(mut self, down: impl RangeBounds<Duration>) -> Self {
        self.down = Some(interval(down.start_bound(), down.end_bound()));
        self
    }

    /// As a word of the attribute.
    pub(in crate::check) fn in_words(&self) -> String {
        let times = (self.times > 1).then(|| format!("times = {}", self.times));
        let stays_down = self.stays_down.then(|| "stays_down".to_owned());
        let cause = match self.cause {
            Cause::Kill => "kill",
            Cause::Power => "power",
        };
        let down = self.down.map(|down| in_words("down", &Delays::Interval(down)));
        let words = [Some(cause.to_owned()), named(&self.processes), times, stays_down, down];
        format!("crash({})", words.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }

    /// `external`: of a real peer, whether it can be killed.
    pub(in crate::check) fn crashes(
        &self,
        names: &[&str],
        external: impl Fn(&str) -> Option<bool>,
    ) -> Result<Crashes, Error> {
        for name in &self.processes {
            let why = match (external(name), self.cause) {
                (Some(_), Cause::Power) => "a check can't take the power from its host: say `crash(kill)`",
                (Some(false), Cause::Kill) => {
                    "a check can't kill what is there already (`External::at`): start it by `External::command`"
                }
                (Some(true), Cause::Kill) | (None, _) => continue,
            };
            return Err(Error::new(format!(
                "\"{name}\" is external, and {why}, or name another process (`crash(process = …)`)"
            )));
        }
        let process = |name: &String| known_process("crash(process = …)", name, names);
        let processes: Vec<_> = match self.processes.is_empty() {
            true => {
                (0..).zip(names).filter(|(_, name)| external(name).is_none()).map(|(id, _)| id).map(ProcessId).collect()
            }
            false => self.processes.iter().map(process).collect::<Result<_, _>>()?,
        };
        let Crash { cause, times, stays_down, down, .. } = *self;
        Ok(Crashes { processes, times, stays_down, down, cause })
    }
}
