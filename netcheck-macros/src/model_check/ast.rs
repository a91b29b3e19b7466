//! The words of `#[model_check(…)]`, as typed values with their spans.

use syn::{Expr, Ident, Lit, LitBool, LitInt, LitStr, Path};

/// One attribute.
#[derive(Default)]
pub(crate) struct ModelCheck {
    /// The attribute, if it is not the function's first one.
    pub(crate) attribute: Option<Path>,
    /// The name of the test after its words.
    pub(crate) default_name: String,
    pub(crate) words: Words,
}

/// The words of one list, understood or not, in order.
#[derive(Default)]
pub(crate) struct Words(pub(crate) Vec<Said>);

/// A word that was said.
pub(crate) struct Said {
    pub(crate) name: Ident,
    /// `None` if it was not understood (and then reported).
    pub(crate) value: Option<Value>,
}

/// The processes on one side of a cut.
pub(crate) struct Side {
    /// The list of their names; `None`: one name stands alone.
    pub(crate) of: Option<Expr>,
    pub(crate) names: Vec<LitStr>,
}

pub(crate) enum Value {
    /// The word stands alone.
    Nothing,
    List(Words),
    Boolean(LitBool),
    Expression(Expr),
    Time(Time),
    Number(Number),
    Numbers(Vec<Number>),
    Delays(Delays),
    /// The name of a process.
    Process(LitStr),
    Processes(Vec<LitStr>),
    /// Processes, or sets of them.
    Sides(Vec<Side>),
    Choice(Choice),
    Search(Search),
    File(LitStr),
    Identifier(Ident),
}

impl Words {
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Said> {
        self.0.iter().filter(move |said| said.name == name)
    }

    fn said(&self, name: &str) -> Option<&Said> {
        self.0.iter().find(|said| said.name == name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Ident> {
        self.said(name).map(|said| &said.name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.said(name).is_some()
    }

    pub(crate) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.said(name)?.value.as_ref()
    }

    /// The words of each list of this name that was understood, with the name.
    pub(crate) fn lists<'a>(&'a self, name: &'a str) -> Vec<(&'a Ident, &'a Words)> {
        let list = |said: &'a Said| match &said.value {
            Some(Value::List(words)) => Some((&said.name, words)),
            _ => None,
        };
        self.all(name).filter_map(list).collect()
    }
}

macro_rules! values {
    ($($variant:ident($value:ty): $name:ident,)*) => {
        /// The values of words that were understood.
        impl Words {
            $(pub(crate) fn $name(&self, name: &str) -> Option<&$value> {
                match self.value(name) {
                    Some(Value::$variant(value)) => Some(value),
                    _ => None,
                }
            })*
        }
    };
}

values! {
    Choice(Choice): choice,
    Expression(Expr): expression,
    File(LitStr): file,
    Number(Number): number,
    Search(Search): search,
    Time(Time): time,
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
    /// The nanoseconds of a literal with a unit.
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
    pub(crate) words: Words,
    /// The number of `retransmissions`.
    pub(crate) arrivals: Option<Number>,
}
