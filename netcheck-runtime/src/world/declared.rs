//! The declarations of one check, and the facts about its programs that a search must know at its start.

use crate::id::ProcessId;
use crate::operation::storage::Failures as FileFailures;
use crate::operation::tasks::Cause;
use crate::world::delays::Delays;
use crate::world::monitors::observer::Observer;
use crate::world::tcp::failures::Failures;
use crate::world::tcp::rules::TcpRules;
use netcheck_models::host::reach::Partition;
use netcheck_models::storage::Policy;
use netcheck_models::tcp::StreamRules;
use netcheck_models::time::Delay;
use netcheck_models::udp::Perturbation;

/// Which side of a process's traffic is perturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Packets that the process sends.
    Send,
    /// Packets that the process receives.
    Receive,
    /// Both sides, one after the other: a packet between two such processes can be multiplied twice.
    Both,
}

/// The declared behaviour of UDP, of all datagrams or of a group of them.
#[derive(Clone, Debug)]
pub struct UdpFaults {
    pub perturbation: Perturbation,
    /// `None`: every packet that a named process sends or receives, once.
    pub direction: Option<Direction>,
    /// `None`: the network is fast, and time is quiet.
    pub delays: Option<Delays>,
    /// Whether `window` says in which order packets arrive, and not their delays alone.
    pub is_ordered: bool,
    /// `None`: every process.
    pub processes: Option<Vec<ProcessId>>,
    /// Whether only datagrams from one of these processes to another one belong to the group.
    pub is_between: bool,
}

impl UdpFaults {
    /// Whether a datagram from one process to another is perturbed on the sending and on the receiving side.
    pub fn sides(&self, sender: ProcessId, receiver: ProcessId) -> (bool, bool) {
        let named = |process| self.processes.as_ref().is_none_or(|named| named.contains(&process));
        if self.is_between && !(sender != receiver && named(sender) && named(receiver)) {
            return (false, false);
        }
        match self.direction {
            None => (named(sender) || named(receiver), false),
            Some(Direction::Send) => (named(sender), false),
            Some(Direction::Receive) => (false, named(receiver)),
            Some(Direction::Both) => (named(sender), named(receiver)),
        }
    }
}

/// The declared crashes of some processes.
#[derive(Clone, Debug)]
pub struct Crashes {
    pub processes: Vec<ProcessId>,
    /// How often each process may crash.
    pub times: u32,
    /// Whether a process may stay down after a crash.
    pub stays_down: bool,
    /// In dense time, how long a process is down that comes back; `None`: any time.
    pub down: Option<Delay>,
    /// The reason of the crashes.
    pub cause: Cause,
}

/// The declarations of one check.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// A datagram belongs to the first group that names it.
    pub udp: Vec<UdpFaults>,
    pub tcp: TcpRules,
    pub at_most: Option<u32>,
    /// A process belongs to the first group that names it.
    pub crashes: Vec<Crashes>,
    /// The links that may be cut, by the numbers of processes.
    pub partitions: Vec<Partition>,
    /// The horizon, in nanoseconds of the programs' time: nothing is explored that happens later.
    pub duration_ns: Option<u64>,
    /// How many steps of an execution may come out of turn, 255 at the most; `None`: all.
    pub deviations: Option<u32>,
    pub observers: Vec<Observer>,
    /// Whether nothing is perturbed and nothing fails in the regions that programs enter with `faults::with`.
    pub ignores_regions: bool,
    /// The calls on files that may fail.
    pub files: FileFailures,
    /// What a power failure leaves of files.
    pub survives: Policy,
    /// Whether the delays of copies are drawn: each copy then arrives at an instant of its own, whoever receives it.
    pub has_drawn_delays: bool,
}

impl Declared {
    /// With fewer faults in one execution. Packets that always arrive twice may then also arrive once.
    pub fn with_fewer_faults_than(self, faults: u32) -> Declared {
        match faults.saturating_sub(1) {
            // A limit would take part in the states.
            0 => {
                let streams = StreamRules { keeps_writes: false, ..self.tcp.streams };
                let tcp = TcpRules { fails: Failures::default(), streams, ..self.tcp };
                let reliable = |udp| UdpFaults { perturbation: Perturbation::reliable(), ..udp };
                Declared {
                    udp: self.udp.into_iter().map(reliable).collect(),
                    tcp,
                    at_most: None,
                    crashes: Vec::new(),
                    partitions: Vec::new(),
                    files: FileFailures::default(),
                    ignores_regions: true,
                    ..self
                }
            }
            fewer => Declared { at_most: Some(self.at_most.map_or(fewer, |at_most| at_most.min(fewer))), ..self },
        }
    }

    /// Whether time is dense: something in the network takes time.
    pub fn is_dense(&self) -> bool {
        self.tcp.delays.is_some() || self.udp.iter().any(|udp| udp.delays.is_some())
    }

    /// How a process crashes, if it does.
    pub(crate) fn crashes_of(&self, process: ProcessId) -> Option<&Crashes> {
        self.crashes.iter().find(|crashes| crashes.processes.contains(&process))
    }

    /// Whether the host of a process may lose its power.
    pub(crate) fn loses_power(&self, process: ProcessId) -> bool {
        self.crashes_of(process).is_some_and(|crashes| crashes.cause == Cause::Power)
    }

    /// Whether some host may lose its power.
    pub fn has_power_failures(&self) -> bool {
        self.crashes.iter().any(|crashes| crashes.cause == Cause::Power)
    }

    /// The group that a datagram from one process to another belongs to.
    pub(crate) fn udp_between(&self, sender: ProcessId, receiver: ProcessId) -> Option<&UdpFaults> {
        self.udp.iter().find(|udp| udp.sides(sender, receiver) != (false, false))
    }
}

/// Facts about the programs, known before the search or learned in an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// A program reads the clock.
    pub clock: bool,
    /// A program that does depends on when it began: by the date, or by an instant that it takes for a number.
    pub start: bool,
    /// How far before the latest instant that it holds a program asks for others, in nanoseconds.
    pub reach_ns: i64,
    /// A program uses `faults::scope`: there are no faults outside such regions.
    pub(crate) scope: bool,
    /// A program uses `faults::with`: the failures of TCP that its regions name, together.
    pub(crate) regions: Option<Failures>,
    /// A program sets that closing a stream that it has accepted resets the connection.
    pub(crate) lingers: bool,
    /// A socket that asks for any port is given one that the dependence relation does not reckon with.
    pub ports: bool,
    /// It makes a difference to a program of what tokio's driver has told: only then is that part of the state.
    pub(crate) driver: bool,
    /// There are so many local states that the types of what lies in memory are looked at.
    pub types: bool,
    /// The monitors that see a datagram being lost, as a set of bits.
    pub losses: u64,
    /// The monitors that see cuts and heals of links, as a set of bits.
    pub cuts: u64,
}

impl Demands {
    /// How far before the latest instant that a unit holds others are told apart, in nanoseconds: a program that asks for so
    /// much will ask for somewhat more, and one that has asked for long may do so for ever.
    pub fn reach_ns(self) -> i64 {
        let more = if self.reach_ns < REACH_LONG_NS { self.reach_ns / 4 } else { self.reach_ns };
        self.reach_ns.saturating_add(more).max(REACH_MIN_NS)
    }

    /// Why a search with the demands `before` has to begin again.
    pub fn reason(self, before: Demands) -> &'static str {
        let new = |of: fn(&Demands) -> bool| of(&self) && !of(&before);
        match () {
            () if new(|demands| demands.clock) => "since a program reads the clock",
            () if new(|demands| demands.start) => "since a program reads the date, or takes an instant for a number",
            () if self.reach_ns > before.reach_ns => "since a program asks for instants that are farther apart",
            () if new(|demands| demands.scope) => "since a program uses `faults::scope`",
            () if self.regions != before.regions => "since a program uses `faults::with`",
            () if new(|demands| demands.lingers) => "since a program resets connections by closing them",
            () if new(|demands| demands.ports) => "since a socket is given a port that others prefer",
            () if new(|demands| demands.driver) => "since a program tries what may not be there yet",
            () if new(|demands| demands.types) => {
                "without the bytes that no program can read, since there are many local states"
            }
            () if self.cuts != before.cuts => "since a monitor sees links being cut",
            () => "since a monitor sees datagrams being lost",
        }
    }

    /// Whether the faults depend on the regions that programs are in.
    pub(crate) fn has_regions(&self) -> bool {
        self.scope || self.regions.is_some()
    }

    /// Whether a monitor sees a datagram being lost.
    pub(crate) fn sees_losses(&self, monitor: usize) -> bool {
        self.losses & bit(monitor) != 0
    }

    /// Whether a monitor sees cuts or heals of links.
    pub(crate) fn sees_cuts(&self, monitor: usize) -> bool {
        self.cuts & bit(monitor) != 0
    }
}

/// From a minute on, a search begins again with twice as much: the search before has taken half as long.
const REACH_LONG_NS: i64 = 60_000_000_000;

/// Where no program has asked how far two instants lie apart: a millisecond.
const REACH_MIN_NS: i64 = 1_000_000;

/// More monitors than this share the last bit.
const BITS: usize = 64;

/// The set of one monitor.
pub(in crate::world) fn bit(monitor: usize) -> u64 {
    1 << monitor.min(BITS - 1)
}
