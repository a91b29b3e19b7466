//! A monitor together with the decoder that makes its events of what is seen; its type of events is erased.

use super::at::{At, Refusal};
use super::seen::Seen;
use super::story::{Event, Story};
use netcheck_models::monitor::{Configurations, Drawing, Marked, Monitor, Question, Rejection};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A monitor with its decoder, for `Network::monitor`.
///
/// # Examples
///
/// ```
/// # use netcheck_runtime::monitor::{Monitor, Observer, Rule, Seen};
/// let monitor = Monitor::builder("one request")
///     .state("waiting")
///     .state("asked")
///     .rule("waiting", "asked", Rule::on("request", |bytes: &Vec<u8>| bytes == b"request"))
///     .build()
///     .unwrap();
/// let observer = Observer::new(monitor, |seen| match seen {
///     Seen::Departed { process: "client", payload, .. } => Some(payload.to_vec()),
///     _ => None,
/// });
/// # drop(observer);
/// ```
#[derive(Clone)]
pub struct Observer(pub(super) Arc<dyn Observing>);

/// An event of a monitor, decoded from what is seen: so that a [`Monitor`] can be given to `Network::monitor` as it is.
///
/// # Examples
///
/// ```
/// # use netcheck_runtime::monitor::{Observe, Seen};
/// #[derive(Debug)]
/// enum Packet { Request, Answer }
///
/// impl Observe for Packet {
///     fn observe(seen: &Seen<'_>) -> Option<Self> {
///         match seen {
///             Seen::Departed { process: "client", .. } => Some(Packet::Request),
///             Seen::Arrived { process: "client", .. } => Some(Packet::Answer),
///             _ => None,
///         }
///     }
/// }
/// ```
pub trait Observe: fmt::Debug + Sized + 'static {
    /// The event; `None` if monitors over such events do not observe what is seen. It must depend on nothing else.
    fn observe(seen: &Seen<'_>) -> Option<Self>;
}

impl Observer {
    /// A monitor, and how it decodes what is seen; it does not observe what is decoded to `None`. The decoder must be a
    /// function of what is seen alone.
    pub fn new<E: fmt::Debug + 'static>(
        monitor: impl IntoMonitor<Event = E>,
        decode: impl Fn(&Seen<'_>) -> Option<E> + Send + Sync + 'static,
    ) -> Observer {
        Observer(Arc::new(Decoding { monitor: monitor.into_monitor(), decode }))
    }

    pub(crate) fn name(&self) -> String {
        self.0.name()
    }

    /// Whether it may reject an end.
    pub fn judges_ends(&self) -> bool {
        self.0.judges_ends()
    }
}

/// Whatever is a monitor: a [`Monitor`] itself, and each type that `monitor!` declares.
pub trait IntoMonitor {
    /// The events of the monitor.
    type Event: fmt::Debug + 'static;

    /// The monitor.
    fn into_monitor(self) -> Monitor<Self::Event>;
}

impl<E: fmt::Debug + 'static> IntoMonitor for Monitor<E> {
    type Event = E;

    fn into_monitor(self) -> Monitor<E> {
        self
    }
}

impl<M: IntoMonitor<Event: Observe>> From<M> for Observer {
    fn from(monitor: M) -> Observer {
        Observer::new(monitor, M::Event::observe)
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Observer").field(&self.0.name()).finish()
    }
}

/// A monitor whose type of events is erased.
pub(super) trait Observing: Send + Sync {
    fn name(&self) -> String;

    /// Whether it has clocks.
    fn is_timed(&self) -> bool;

    /// Whether it may reject an end.
    fn judges_ends(&self) -> bool;

    fn initial(&self) -> At;

    fn observes(&self, seen: &Seen<'_>) -> bool;

    /// Where what is seen leads; `None` if it is not observed.
    fn step(&self, from: &At, seen: &Seen<'_>) -> Option<Result<At, Refusal>>;

    fn pass(&self, from: &At, elapsed: Duration) -> Result<At, Refusal>;

    /// As `step`, in dense time: given these answers.
    fn step_marked(&self, from: &Configurations, seen: &Seen<'_>, answers: &[bool])
    -> Option<Result<Marked, Question>>;

    /// As `pass`, in dense time: given these answers.
    fn pass_marked(&self, from: &Configurations, answers: &[bool]) -> Result<Marked, Question>;

    fn end(&self, from: &At) -> Result<(), Rejection>;

    /// Whether some state has to be left.
    fn has_hot(&self) -> bool {
        false
    }

    /// Whether it is in states alone that it has to leave.
    fn is_hot(&self, _at: &At) -> bool {
        false
    }

    /// The states in which it may be, in words.
    fn describe(&self, at: &At) -> Vec<String>;

    /// Its drawing, if it has one.
    fn drawing(&self) -> Option<Drawing>;

    /// The story, for people, of an execution with an answer that no order of the calls explains.
    fn story(&self, _events: &[Event]) -> Option<Story> {
        None
    }
}

struct Decoding<E, D> {
    monitor: Monitor<E>,
    decode: D,
}

impl<E, D> Observing for Decoding<E, D>
where
    E: fmt::Debug + 'static,
    D: Fn(&Seen<'_>) -> Option<E> + Send + Sync,
{
    fn name(&self) -> String {
        self.monitor.name().to_owned()
    }

    fn is_timed(&self) -> bool {
        self.monitor.is_timed()
    }

    fn judges_ends(&self) -> bool {
        self.monitor.judges_ends()
    }

    fn initial(&self) -> At {
        At::Configurations(self.monitor.initial())
    }

    fn observes(&self, seen: &Seen<'_>) -> bool {
        (self.decode)(seen).is_some_and(|event| self.monitor.observes(&event))
    }

    fn step(&self, from: &At, seen: &Seen<'_>) -> Option<Result<At, Refusal>> {
        let event = (self.decode)(seen).filter(|event| self.monitor.observes(event))?;
        let after = self.monitor.step(from.configurations(), &event);
        Some(after.map(At::Configurations).map_err(Refusal::from))
    }

    fn pass(&self, from: &At, elapsed: Duration) -> Result<At, Refusal> {
        Ok(At::Configurations(self.monitor.pass(from.configurations(), elapsed)?))
    }

    fn step_marked(
        &self,
        from: &Configurations,
        seen: &Seen<'_>,
        answers: &[bool],
    ) -> Option<Result<Marked, Question>> {
        let event = (self.decode)(seen).filter(|event| self.monitor.observes(event))?;
        Some(self.monitor.step_marked(from, &event, answers))
    }

    fn pass_marked(&self, from: &Configurations, answers: &[bool]) -> Result<Marked, Question> {
        self.monitor.pass_marked(from, answers)
    }

    /// Nothing more will ever happen: time passes without end.
    fn end(&self, from: &At) -> Result<(), Rejection> {
        self.monitor.end(&self.monitor.pass(from.configurations(), Duration::MAX)?)
    }

    fn has_hot(&self) -> bool {
        self.monitor.has_hot()
    }

    fn is_hot(&self, at: &At) -> bool {
        self.monitor.is_hot(at.configurations())
    }

    fn describe(&self, at: &At) -> Vec<String> {
        self.monitor.describe(at.configurations())
    }

    fn drawing(&self) -> Option<Drawing> {
        Some(self.monitor.drawing())
    }
}
