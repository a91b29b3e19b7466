//! The declaration of a sniffer.

use std::fmt;

/// Which packets to the device the sniffer alone may have heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// Each of them, as in Definition 4: a violation is definite for every monitor.
    Anywhere,
    /// Packets that a rule of the present state takes, as in Algorithm 1. Theorem 1 then holds for monitors that take
    /// each packet to the device in each state at any time; for others, a mutation may be overlooked.
    WhereExpected,
}

/// How a mutation is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// All configurations along the trace: linear in the trace, and the mutation has the fewest guesses.
    Exact,
    /// Algorithm 2 of the paper, with the heuristics of the sniffer. Of the extensions of a prefix it first tries the one
    /// with the fewest guesses to the end of the trace.
    Backtracking {
        /// The greatest number of calls of EXTEND, and of configurations that are looked at to find these guesses. If
        /// there are more configurations, extensions are tried in the paper's order.
        extensions_max: usize,
    },
}

/// The heuristic `NumMissing(d, l, k)`.
pub(super) struct NumMissing<E> {
    pub(super) from_device: Box<dyn Fn(&E) -> bool + Send + Sync>,
    pub(super) length: usize,
    pub(super) most: usize,
}

/// An observer beside the device under test (DUT), which misses packets and hears packets that the device does not.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use netcheck_models::monitor::{Monitor, Rule, Sniffer, Trace, Verdict};
///
/// // The device sends data; each is acknowledged to it.
/// #[derive(Clone, Debug, PartialEq)]
/// enum Packet { Data, Ack }
///
/// let monitor = Monitor::builder("acks")
///     .state("idle")
///     .state("sent")
///     .rule("idle", "sent", Rule::on("Data", |packet| *packet == Packet::Data))
///     .rule("sent", "idle", Rule::on("Ack", |packet| *packet == Packet::Ack))
///     .build()
///     .unwrap();
/// let sniffer = Sniffer::of(|packet| *packet == Packet::Ack).alphabet([Packet::Data, Packet::Ack]);
/// let ms = Duration::from_millis;
/// let trace = Trace::new([(ms(0), Packet::Data), (ms(5), Packet::Data)]).unwrap();
/// let Verdict::Consistent(mutation) = sniffer.validate(&monitor, &trace).unwrap().verdict else { panic!() };
/// assert_eq!(mutation.guesses(), 1);
/// assert_eq!(mutation.parts()[1].event, Packet::Ack);
/// ```
pub struct Sniffer<E> {
    pub(super) to_dut: Box<dyn Fn(&E) -> bool + Send + Sync>,
    pub(super) alphabet: Vec<E>,
    pub(super) extra: Extra,
    pub(super) num_missing: Vec<NumMissing<E>>,
    pub(super) go_back: Option<usize>,
    pub(super) search: Search,
}

/// Rules whose packets the sniffer may miss, but of which it knows no packet: a violation would not be definite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// The rules' labels.
    pub rules: Vec<String>,
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.rules.join("`, `");
        write!(f, "no packet of the alphabet is one of the rules `{rules}`: add one, or `.guessed(…)` to the rule")
    }
}

impl std::error::Error for Unclear {}

impl<E> Sniffer<E> {
    /// A sniffer beside the device to which the packets of this pattern are sent.
    #[must_use]
    pub fn of(to_dut: impl Fn(&E) -> bool + Send + Sync + 'static) -> Self {
        Sniffer {
            to_dut: Box::new(to_dut),
            alphabet: Vec::new(),
            extra: Extra::Anywhere,
            num_missing: Vec::new(),
            go_back: None,
            search: Search::Exact,
        }
    }

    /// Adds packets that the sniffer may miss: the finite alphabet of Definition 2. A rule may add
    /// [its own](super::super::Rule::guessed).
    #[must_use]
    pub fn alphabet(mut self, events: impl IntoIterator<Item = E>) -> Self {
        self.alphabet.extend(events);
        self
    }

    /// Which packets the sniffer alone may have heard; [`Extra::Anywhere`] if it is not said.
    #[must_use]
    pub fn extra(mut self, extra: Extra) -> Self {
        self.extra = extra;
        self
    }

    /// How to search; [`Search::Exact`] if it is not said.
    #[must_use]
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// `NumMissing(d, l, k)`: in each `length` packets in a row of a mutation, at most `most` packets of a device are
    /// missed. For [`Search::Backtracking`].
    ///
    /// # Panics
    ///
    /// If `length` is zero, or less than `most`.
    #[must_use]
    pub fn num_missing(
        mut self,
        from_device: impl Fn(&E) -> bool + Send + Sync + 'static,
        length: usize,
        most: usize,
    ) -> Self {
        assert!(length > 0 && most <= length, "of {length} packets at most {most} are to be missed");
        self.num_missing.push(NumMissing { from_device: Box::new(from_device), length, most });
        self
    }

    /// `GoBack(k)`: the search takes back at most the choices since `packets` packets of the sniffer's trace before
    /// the furthest one that it has reached. For [`Search::Backtracking`].
    #[must_use]
    pub fn go_back(mut self, packets: usize) -> Self {
        self.go_back = Some(packets);
        self
    }
}
