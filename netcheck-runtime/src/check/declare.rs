//! Declaring what the network may do.

use crate::error::Error;
use crate::id::ProcessId;
use crate::state::system::{Direction, UdpFaults};
use netcheck_models::udp::Perturbation;

/// The declared behaviour of UDP: by default reliable and in order.
///
/// What can be declared is papers/udp-net-iocache.txt Definition 5: each packet arrives as
/// often as one of the multiplication choices M says, and the network holds at most c packets.
#[derive(Clone, Debug)]
#[must_use]
pub struct Udp {
    copies: Vec<usize>,
    window: usize,
    direction: Option<Direction>,
    delay: bool,
    processes: Vec<String>,
}

impl Default for Udp {
    fn default() -> Self {
        Udp::new()
    }
}

impl Udp {
    /// Reliable: M = {1}, c = 1.
    pub fn new() -> Self {
        Udp { copies: vec![1], window: 1, direction: None, delay: false, processes: Vec::new() }
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

    /// c: how many packets of a channel the network can hold at a time. 1 keeps the order.
    ///
    /// # Panics
    /// If `packets` is 0.
    #[track_caller]
    pub fn window(mut self, packets: usize) -> Self {
        assert!(packets > 0, "the network holds at least one packet: `window` starts at 1");
        self.window = packets;
        self
    }

    /// Which side is perturbed: what the processes send, what they receive, or each in turn
    /// (then a packet can be multiplied twice). Without it, each packet that one of the
    /// processes sends or receives is perturbed once.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = Some(direction);
        self
    }

    /// Timers may fire while packets are under way: premature time-outs and late packets.
    pub fn delay(mut self) -> Self {
        self.delay = true;
        self
    }

    /// Only this process's traffic is perturbed; may be called for several.
    pub fn process(mut self, name: impl Into<String>) -> Self {
        self.processes.push(name.into());
        self
    }

    pub(super) fn faults(&self, names: &[&str]) -> Result<UdpFaults, Error> {
        let named = |name: &String| match names.iter().position(|known| known == name) {
            Some(index) => Ok(ProcessId(index as u32)),
            None => Err(Error::unknown_process("udp(process = …)", name, names)),
        };
        let processes = self.processes.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        Ok(UdpFaults {
            perturbation: Perturbation::new(self.copies.iter().copied(), self.window),
            direction: self.direction,
            delay: self.delay,
            processes: (!processes.is_empty()).then_some(processes),
        })
    }
}

/// The declared failures of TCP.
///
/// The words are there; the model is not yet: a check that declares them is refused with an
/// [`Error`](crate::Error), so that nothing is taken for checked that was not.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Tcp {
    declared: Vec<&'static str>,
}

impl Tcp {
    /// No failures.
    pub fn new() -> Self {
        Tcp::default()
    }

    fn also(mut self, word: &'static str) -> Self {
        self.declared.push(word);
        self
    }

    /// `connect` and `accept` may fail.
    pub fn fail_open(self) -> Self {
        self.also("open")
    }

    /// `shutdown` may fail.
    pub fn fail_close(self) -> Self {
        self.also("close")
    }

    /// A read may fail.
    pub fn fail_read(self) -> Self {
        self.also("read")
    }

    /// A write may fail.
    pub fn fail_write(self) -> Self {
        self.also("write")
    }

    /// A connection may die for both ends.
    pub fn reset(self) -> Self {
        self.also("reset")
    }

    /// `connect` may never answer.
    pub fn hang(self) -> Self {
        self.also("hang")
    }

    /// A read may return any non-empty prefix of what is there.
    pub fn split(self) -> Self {
        self.also("split")
    }

    pub(super) fn refused(&self) -> Error {
        Error::new(format!(
            "tcp({}) is declared, but TCP is not modelled yet: take it out; what is checked is UDP, time and tasks",
            self.declared.join(", ")
        ))
    }
}
