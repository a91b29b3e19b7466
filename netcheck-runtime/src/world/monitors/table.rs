//! The monitors of a check: the configurations that were met, and where each sighting leads.

use super::at::{At, Refusal};
use super::observer::Observer;
use super::sighting::Sighting;
use crate::unit::automaton::EdgeId;
use crate::world::components::ComponentId;
use crate::world::declared::bit;
use crate::world::intern::Interner;
use crate::world::time::names::monitor_mark;
use ahash::AHashMap;
use netcheck_models::monitor::{Drawing, Question};
use netcheck_models::time::{Delay, Time, Zone};
use smallvec::SmallVec;
use std::sync::Arc;

/// Where a monitor is. Its number in the table of the monitor is the value of the monitor's component.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    /// Where it begins.
    #[default]
    Initial,
    At(At),
    /// It has rejected, and sees nothing more.
    Rejected(Refusal),
}

/// A step of a monitor that is not known yet: its number, its status and the number of the sighting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwatched {
    pub(super) monitor: usize,
    pub(super) status: u32,
    pub(super) sighting: u32,
}

/// The answers to the questions of a monitor, in their order.
pub(crate) type Answers = SmallVec<[bool; 8]>;

/// The effect of a sighting on a monitor with clocks, given some answers.
#[derive(Clone, Debug)]
pub(super) enum Led {
    /// The monitor does not see it.
    Unseen,
    /// The status after it, and for each of its marks that before it; `None` stands for now.
    To { status: u32, marks: Arc<[Option<u32>]> },
    /// One more answer is needed.
    Asks(Question),
}

/// A step of a monitor with clocks that is not known yet: the numbers of the status and of the sighting, and answers.
#[derive(Clone, Debug)]
pub(crate) struct Unmarked {
    pub(super) monitor: usize,
    pub(super) status: u32,
    pub(super) sighting: u32,
    pub(super) answers: Answers,
}

/// One monitor of a check.
pub(super) struct Watching {
    pub(super) observer: Observer,
    pub(super) component: ComponentId,
    pub(super) statuses: Interner<Status>,
    initial: At,
    is_timed: bool,
    /// By status and sighting: the status after it; `None` if the monitor does not see it.
    after: AHashMap<(u32, u32), Option<u32>>,
    /// The effects on a monitor with clocks in dense time, by status, sighting and answers.
    pub(super) marked: AHashMap<(u32, u32, Answers), Led>,
}

/// The monitors of a check.
#[derive(Default)]
pub struct Monitors {
    each: Vec<Watching>,
    sightings: Option<Interner<Sighting>>,
    /// By edge: the monitors that see a step along it, as a set of bits.
    edges: Vec<u64>,
}

impl Watching {
    /// Where the monitor is with a status that is no rejection.
    pub(super) fn at(&self, status: u32) -> &At {
        match self.statuses.get(status) {
            Status::Initial => &self.initial,
            Status::At(at) => at,
            Status::Rejected(_) => unreachable!("a monitor that has rejected sees nothing more"),
        }
    }

    pub(super) fn rejection(&self, status: u32) -> Option<&Refusal> {
        match self.statuses.get(status) {
            Status::Rejected(rejection) => Some(rejection),
            Status::Initial | Status::At(_) => None,
        }
    }

    pub(super) fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// The number of the status of a place, or of a rejection.
    pub(super) fn status(&mut self, of: Result<At, Refusal>) -> u32 {
        let status = match of {
            Ok(at) if at == self.initial => Status::Initial,
            Ok(at) => Status::At(at),
            Err(rejection) => Status::Rejected(rejection),
        };
        self.statuses.intern(&status)
    }

    /// Notes where a sighting leads.
    pub(super) fn lead(&mut self, from: (u32, u32), to: Option<Result<At, Refusal>>) {
        let status = to.map(|to| self.status(to));
        self.after.insert(from, status);
    }
}

impl Monitors {
    /// Adds a monitor with its component.
    pub(crate) fn add(&mut self, observer: Observer, component: ComponentId) {
        let (initial, is_timed) = (observer.0.initial(), observer.0.is_timed());
        self.sightings.get_or_insert_with(Interner::new);
        let (statuses, after, marked) = (Interner::new(), AHashMap::new(), AHashMap::new());
        self.each.push(Watching { observer, component, statuses, initial, is_timed, after, marked });
    }

    pub fn len(&self) -> usize {
        self.each.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    pub(crate) fn is_timed(&self, monitor: usize) -> bool {
        self.each[monitor].is_timed
    }

    /// Whether some monitor has clocks.
    pub fn has_timed(&self) -> bool {
        self.each.iter().any(|watching| watching.is_timed)
    }

    /// A zone in which the clocks of the monitors run since now, too.
    pub(in crate::world) fn with_marks(&self, mut zone: Zone) -> Zone {
        let timed = (0..self.each.len()).filter(|&monitor| self.is_timed(monitor));
        timed.for_each(|monitor| zone.arm(monitor_mark(monitor, 0), Delay::NONE));
        zone
    }

    /// The number of each monitor's status in a state.
    pub fn statuses(&self, state: &[u32]) -> impl Iterator<Item = u32> {
        self.each.iter().map(|watching| watching.component.of(state))
    }

    /// A monitor by its name, and the states in which it may be, in words; none if it has rejected. The second of one name
    /// is told apart by a number.
    pub fn in_words(&self, monitor: usize, status: u32) -> (String, Vec<String>) {
        let watching = &self.each[monitor];
        let words = match watching.rejection(status) {
            Some(_) => Vec::new(),
            None => watching.observer.0.describe(watching.at(status)),
        };
        (self.title(monitor), words)
    }

    fn title(&self, monitor: usize) -> String {
        let name = self.each[monitor].observer.name();
        let others = self.each[..monitor].iter().filter(|other| other.observer.name() == name).count();
        let number = if others == 0 { String::new() } else { format!(" ({})", others + 1) };
        format!("monitor {name}{number}")
    }

    /// Each monitor that is drawn by its name, and what is drawn of it.
    pub fn drawings(&self) -> impl Iterator<Item = (String, Drawing)> {
        let each = self.each.iter().enumerate();
        each.filter_map(|(monitor, watching)| Some((self.title(monitor), watching.observer.0.drawing()?)))
    }

    pub(super) fn each(&self) -> &[Watching] {
        &self.each
    }

    pub(super) fn of(&mut self, monitor: usize) -> &mut Watching {
        &mut self.each[monitor]
    }

    /// The number of a sighting that was met.
    pub(super) fn number(&self, sighting: &Sighting) -> Option<u32> {
        self.sightings.as_ref()?.find(sighting)
    }

    pub(super) fn sighting(&self, number: u32) -> Option<&Sighting> {
        Some(self.sightings.as_ref()?.get(number))
    }

    pub(in crate::world) fn add_sighting(&mut self, sighting: &Sighting) {
        self.sightings.get_or_insert_with(Interner::new).intern(sighting);
    }

    /// Where a sighting leads a monitor from a status: `None` if it is not known yet, `Some(None)` if the monitor does
    /// not see it.
    pub(super) fn after(&self, monitor: usize, status: u32, sighting: u32) -> Option<Option<u32>> {
        self.each[monitor].after.get(&(status, sighting)).copied()
    }

    /// The effect of a sighting on a monitor with clocks in dense time, from a status and given some answers; `None` if it is
    /// not known yet.
    pub(super) fn led(&self, monitor: usize, (status, sighting, answers): (u32, u32, &Answers)) -> Option<&Led> {
        self.each[monitor].marked.get(&(status, sighting, answers.clone()))
    }

    /// The number of edges of which it is known which monitors see them.
    pub(super) fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Notes which monitors see the next edge.
    pub(super) fn add_edge(&mut self, seen_by: u64) {
        self.edges.push(seen_by);
    }

    /// Whether a monitor sees steps along an edge.
    pub(super) fn sees_edge(&self, monitor: usize, EdgeId(edge): EdgeId) -> bool {
        self.edges.get(edge as usize).is_none_or(|seen_by| seen_by & bit(monitor) != 0)
    }
}
