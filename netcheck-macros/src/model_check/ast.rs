//! What the words of `#[model_check(…)]` say, as typed values with their spans.

use syn::{Expr, Ident, Lit, LitBool, LitInt, LitStr, Path};

/// Every word is `None` if it was not said or not understood (and then reported).
#[derive(Default)]
pub(crate) struct ModelCheck {
    /// The attribute, if it is not the function's first one.
    pub(crate) attribute: Option<Path>,
    /// What the words would be called.
    pub(crate) default_name: String,
    /// The words that were said, understood or not.
    pub(crate) said: Said,
    /// Groups of packets, each with its word.
    pub(crate) udp: Vec<(Ident, Udp)>,
    pub(crate) tcp: Option<Tcp>,
    pub(crate) tasks: Option<Choice>,
    pub(crate) deadlocks: Option<Choice>,
    pub(crate) at_most: Option<Expr>,
    /// Seconds of the programs' time.
    pub(crate) duration: Option<Time>,
    pub(crate) search: Option<Search>,
    pub(crate) seed: Option<Expr>,
    pub(crate) max_states: Option<Expr>,
    pub(crate) max_depth: Option<Expr>,
    pub(crate) max_messages: Option<Expr>,
    pub(crate) max_memory: Option<Expr>,
    /// Seconds.
    pub(crate) max_time: Option<Time>,
    pub(crate) reduction: Option<LitBool>,
    pub(crate) subsumption: Option<LitBool>,
    pub(crate) symmetry: Option<LitBool>,
    pub(crate) store: Option<Choice>,
    pub(crate) threads: Option<Number>,
    pub(crate) capture: Option<LitBool>,
    pub(crate) identity: Option<Choice>,
    pub(crate) dates: Option<Choice>,
    pub(crate) audit: Option<LitBool>,
    pub(crate) expect: Option<Expect>,
    /// The file of an execution to run instead of a check.
    pub(crate) replay: Option<LitStr>,
    pub(crate) name: Option<Ident>,
}

#[derive(Default)]
pub(crate) struct Udp {
    pub(crate) said: Said,
    pub(crate) reorder: Option<Number>,
    pub(crate) copies: Option<Vec<Number>>,
    pub(crate) window: Option<Number>,
    pub(crate) direction: Option<Choice>,
    pub(crate) delays: Option<Delays>,
    pub(crate) processes: Option<Vec<LitStr>>,
    /// The processes of a link.
    pub(crate) between: Option<Vec<LitStr>>,
}

#[derive(Default)]
pub(crate) struct Tcp {
    pub(crate) said: Said,
    pub(crate) buffer: Option<Number>,
    pub(crate) delays: Option<Delays>,
    pub(crate) processes: Option<Vec<LitStr>>,
    pub(crate) side: Option<Choice>,
    pub(crate) first: Option<Number>,
}

/// The names of the words of one list, in order.
#[derive(Default)]
pub(crate) struct Said(pub(crate) Vec<Ident>);

impl Said {
    pub(crate) fn get(&self, name: &str) -> Option<&Ident> {
        self.0.iter().find(|ident| *ident == name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }
}

/// How long packets may take.
pub(crate) struct Delays {
    /// As the user wrote them.
    pub(crate) value: Expr,
    pub(crate) kind: DelaysKind,
}

pub(crate) enum DelaysKind {
    /// Any time of an interval with its bounds; without an upper one, a packet may never arrive.
    Interval { least: Length, most: Option<Length> },
    /// One of these.
    Listed(Vec<Length>),
}

/// A length of time: `200ms`.
pub(crate) struct Length {
    pub(crate) ns: u64,
    /// As the user wrote it.
    pub(crate) literal: Lit,
}

/// A time that something may take: `30` seconds, or `500ms`.
pub(crate) struct Time {
    /// Of a literal with a unit.
    pub(crate) ns: Option<u64>,
    /// As the user wrote it; without a unit, in seconds.
    pub(crate) value: Expr,
}

/// A literal whose value is looked at here.
pub(crate) struct Number {
    pub(crate) value: usize,
    /// As the user wrote it.
    pub(crate) literal: LitInt,
}

/// One of a fixed list of names.
pub(crate) struct Choice {
    /// The name that the user wrote.
    pub(crate) name: Ident,
    /// The variant of the enum in `netcheck::check` that it stands for, at the user's span.
    pub(crate) variant: Ident,
}

/// `random(seed = 7)`: a name, and what may stand in parentheses behind it.
pub(crate) struct Search {
    pub(crate) choice: Choice,
    pub(crate) said: Said,
    pub(crate) seed: Option<Expr>,
    pub(crate) depth: Option<Number>,
    /// The number of `retransmissions`.
    pub(crate) arrivals: Option<Number>,
    pub(crate) runs: Option<Expr>,
    pub(crate) time: Option<Time>,
}

pub(crate) type Expect = Choice;
