//! The least execution with a violation of one kind: of those with the fewest faults the shortest, of these one with the
//! fewest context switches. Or of the shortest one with the fewest faults, and so on: see [`First`].
//!
//! Each step makes an execution longer, and no step takes a fault away. So a state that was reached with fewer faults or
//! as many, and in fewer steps or as many, need not be reached again (E. Dijkstra, "A note on two problems in connexion
//! with graphs", 1959; with two costs, E. Martins, "On a multicriteria shortest path problem", 1984): its *places* are the
//! pairs of faults and steps that are no worse than all others, and with [`First::Faults`] the least one alone. Places
//! are expanded from the least on. The switches from a state on depend on the state and on the last mover, so for each
//! place and each possible last mover the fewest switches of the ways there are kept, until a violation is as cheap as
//! the places whose turn it is. Of equal ones the first is kept, in the order in which the states offer their steps: the
//! same in every run, whatever found the violation.
//!
//! The *faults* of a step are those that `at_most` counts: packets that are lost or overtaken, copies after the first,
//! calls that fail or are never answered. Where nothing limits them, a channel may forget that a packet was overtaken;
//! it then counts again with the next packet that overtakes it, and when it is lost. These are the marks in the text.
//!
//! A *context switch* is a step by another task than the one before. The network's own steps are by no task.

use crate::id::{TaskId, UnitId};
use crate::property::Properties;
use crate::reduction::successors::{PathStep, Successors};
use crate::search::progress::{Progress, Seen};
use crate::violation::{Found, ViolationKind};
use crate::world::components::StateVector;
use crate::world::step::{Move, Transition};
use crate::world::store::{Keep, StateId, Store};
use crate::world::system::{Interrupt, System};
use ahash::AHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::fmt;

/// Which of two executions is the lesser one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// The one with fewer faults; of these the shorter one.
    Faults,
    /// The shorter one; of these the one with fewer faults. If none has fewer faults than the known one, this is the
    /// same, and is found after fewer states.
    Steps,
}

/// How far to look.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    pub first: First,
    /// The cost of an execution that is known: neither a greater one nor one with more faults is looked at.
    pub known: Cost,
    pub states_max: usize,
    pub memory_bytes_max: usize,
    pub progress: &'a Progress,
}

/// The result within the bounds.
pub struct Minimal {
    /// The least execution, or the least that was met before a bound was reached; with its cost.
    pub least: Option<(Vec<PathStep>, Found, Cost)>,
    /// The bound that was reached: there may be a lesser one.
    pub gave_up: Option<GaveUp>,
}

/// Why a search for the least execution was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// It met so many states.
    States(usize),
    Memory,
    /// It took so many seconds.
    Seconds(u64),
    /// The check is to end.
    Interrupted,
    /// It was not begun: others may go on for ever beside the violation.
    Endless,
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GaveUp::States(states) => write!(f, "after {states} states"),
            GaveUp::Memory => f.write_str("at max_memory"),
            GaveUp::Seconds(seconds) => write!(f, "after {seconds} s"),
            GaveUp::Interrupted => f.write_str("as the check was to end"),
            GaveUp::Endless => f.write_str("as other processes may go on for ever"),
        }
    }
}

/// The cost of an execution. The lesser of two is the one with fewer faults, then steps, then switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    pub faults: u32,
    pub steps: u32,
    pub switches: u32,
}

/// Faults and steps, in the order that decides.
type Place = (u32, u32);

impl First {
    fn place(self, Cost { faults, steps, .. }: Cost) -> Place {
        match self {
            First::Faults => (faults, steps),
            First::Steps => (steps, faults),
        }
    }

    /// Whether a state with the one place need not be looked at from the other.
    fn covers(self, known: Place, other: Place) -> bool {
        match self {
            First::Faults => known <= other,
            First::Steps => known.0 <= other.0 && known.1 <= other.1,
        }
    }
}

/// The mover of a step; steps of the network have none.
type Mover = (UnitId, TaskId);

/// So many states are expanded between checks of a wish to end.
const LOOKS_UP_EVERY: usize = 1024;

/// The cost of an execution. A unit that is parked takes no step of its own.
pub fn cost(system: &System, path_steps: &[PathStep]) -> Cost {
    let steps = path_steps.iter().map(|path_step| &path_step.transition);
    let steps = steps.filter(|transition| !transition.is_of_search());
    steps.fold((None, Cost::default()), |so_far, step| and(so_far, system, step)).1
}

/// The least execution with a violation of the given kind.
pub fn minimal(
    system: &mut System,
    initial: &StateVector,
    properties: &Properties,
    kind: ViolationKind,
    bounds: Bounds<'_>,
) -> Result<Minimal, Interrupt> {
    let mut layers = Layers::new(initial, bounds);
    let mut expanded = 0;
    while let Some((place, layer)) = layers.open.pop_first() {
        for label in layer {
            // A lesser place may have been found since.
            let state = layers.labels[label].state;
            if !layers.labels_of[&state].contains(&label) {
                continue;
            }
            expanded += 1;
            if let Some(gave_up) = layers.bound(system, expanded) {
                return layers.minimal(system, Some(gave_up));
            }
            layers.expand(system, properties, kind, label)?;
        }
        // Steps into a violation were found before; ends of this layer were as cheap.
        if layers.is_found_by(place) {
            break;
        }
    }
    layers.minimal(system, None)
}

/// A way to a place of a state: the least of those with this last mover.
struct Way {
    label: LabelId,
    last: Option<Mover>,
    cost: Cost,
    /// The way to the state before, if there is one.
    before: Option<usize>,
}

/// A state at one of its places, and the ways there.
struct Label {
    state: StateId,
    place: Place,
    ways: SmallVec<[usize; 2]>,
}

type LabelId = usize;

/// An execution that shows the violation.
struct Violating {
    cost: Cost,
    way: usize,
    /// The step after that, if the step violates the property.
    step: Option<Transition>,
    found: Found,
}

struct Layers<'a> {
    bounds: Bounds<'a>,
    store: Store,
    ways: Vec<Way>,
    labels: Vec<Label>,
    /// Without those for which there are lesser ones.
    labels_of: AHashMap<StateId, SmallVec<[LabelId; 2]>>,
    /// The labels that are to be expanded, by place.
    open: BTreeMap<Place, Vec<LabelId>>,
    least: Option<Violating>,
    successors: Successors,
    /// A buffer for successors.
    next: Vec<u32>,
}

impl<'a> Layers<'a> {
    fn new(initial: &StateVector, bounds: Bounds<'a>) -> Self {
        let mut store = Store::new(Keep::Exact);
        let (first, _) = store.insert(initial, None);
        let way = Way { label: 0, last: None, cost: Cost::default(), before: None };
        let label = Label { state: first, place: Place::default(), ways: SmallVec::from_slice(&[0]) };
        Layers {
            bounds,
            store,
            ways: vec![way],
            labels: vec![label],
            labels_of: [(first, SmallVec::from_slice(&[0]))].into_iter().collect(),
            open: [(Place::default(), vec![0])].into(),
            least: None,
            successors: Successors::default(),
            next: Vec::new(),
        }
    }

    /// The bound that is reached, if one is.
    fn bound(&self, system: &System, expanded: usize) -> Option<GaveUp> {
        let Bounds { states_max, memory_bytes_max, progress, .. } = self.bounds;
        if self.labels.len() > states_max {
            return Some(GaveUp::States(states_max));
        }
        let has_to_end = progress.is_over() || progress.shortening_ended_after().is_some();
        if !has_to_end && !expanded.is_multiple_of(LOOKS_UP_EVERY) {
            return None;
        }
        let of_label = 2 * size_of::<(StateId, Label, SmallVec<[LabelId; 2]>)>();
        let memory_bytes =
            self.store.memory_bytes() + self.ways.len() * 2 * size_of::<Way>() + self.labels.len() * of_label;
        progress.note(Seen {
            states: self.labels.len() as u64,
            frontier: self.labels.len().saturating_sub(expanded) as u64,
            depth: self.open.first_key_value().map_or(0, |(&(faults, steps), _)| u64::from(faults.max(steps))),
            local_states: system.learner.automata.nodes.len() as u64,
            memory_bytes: memory_bytes as u64,
            fault_points: 0,
        });
        match progress.shortening_ended_after() {
            _ if progress.is_over() => Some(GaveUp::Interrupted),
            Some(seconds) => Some(GaveUp::Seconds(seconds)),
            None => (memory_bytes > memory_bytes_max).then_some(GaveUp::Memory),
        }
    }

    /// Whether no execution beyond a place is less than the one that was found.
    fn is_found_by(&self, place: Place) -> bool {
        self.least.as_ref().is_some_and(|least| self.bounds.first.place(least.cost) <= place)
    }

    /// Takes each way to a state one step further, and looks whether it violates a property.
    fn expand(
        &mut self,
        system: &mut System,
        properties: &Properties,
        kind: ViolationKind,
        label: LabelId,
    ) -> Result<(), Interrupt> {
        let Label { state: id, place, ref ways } = self.labels[label];
        let ways = ways.clone();
        let state = self.store.state(id);
        let steps = self.successors.within(system, &state, None)?.to_vec();
        if steps.iter().all(Transition::is_failure)
            && let Some(found) = properties.violated_at_end(system, &state).filter(|found| found.kind == kind)
        {
            for &way in &ways {
                self.violates(Violating { cost: self.ways[way].cost, way, step: None, found: found.clone() });
            }
        }
        if self.is_found_by(place) {
            return Ok(());
        }
        for step in steps {
            let found = properties.step(system, &step);
            let Some(first) = ways.first().map(|&way| self.ways[way].and(system, &step).1) else { continue };
            if !self.is_within_bounds(first) {
                continue;
            }
            let after = match found {
                // An execution ends with a violation, of whatever kind.
                Some(_) => None,
                None => self.successor(system, &state, &step, (id, self.bounds.first.place(first)))?,
            };
            for &way in &ways {
                let (last, cost) = self.ways[way].and(system, &step);
                match (&found, after) {
                    (Some(found), _) if found.kind == kind && !found.is_error => {
                        let (step, found) = (Some(step.clone()), found.clone());
                        self.violates(Violating { cost, way, step, found });
                    }
                    (None, Some(label)) => self.reach(Way { label, last, cost, before: Some(way) }),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether executions of this cost are looked at, however many switches they have.
    fn is_within_bounds(&self, cost: Cost) -> bool {
        let Bounds { first, known, .. } = self.bounds;
        cost.faults <= known.faults && first.place(cost) <= first.place(known)
    }

    /// The state that a step leads to, at its place there, unless it has a lesser one.
    fn successor(
        &mut self,
        system: &mut System,
        state: &[u32],
        step: &Transition,
        (id, place): (StateId, Place),
    ) -> Result<Option<LabelId>, Interrupt> {
        let Layers { bounds: Bounds { first, .. }, store, labels, labels_of, open, next, .. } = self;
        system.apply(state, step, next)?;
        let (after, _) = store.insert(next, Some(id));
        let known = labels_of.entry(after).or_default();
        if let Some(&same) = known.iter().find(|&&label| labels[label].place == place) {
            return Ok(Some(same));
        }
        if known.iter().any(|&label| first.covers(labels[label].place, place)) {
            return Ok(None);
        }
        known.retain(|label| !first.covers(place, labels[*label].place));
        known.push(labels.len());
        open.entry(place).or_default().push(labels.len());
        labels.push(Label { state: after, place, ways: SmallVec::new() });
        Ok(Some(labels.len() - 1))
    }

    /// Keeps a way if it is the least with its label and last mover.
    fn reach(&mut self, way: Way) {
        let Label { ways, .. } = &mut self.labels[way.label];
        match ways.iter().find(|&&known| self.ways[known].last == way.last) {
            Some(&known) if way.cost < self.ways[known].cost => self.ways[known] = way,
            Some(_) => {}
            None => {
                ways.push(self.ways.len());
                self.ways.push(way);
            }
        }
    }

    fn violates(&mut self, new: Violating) {
        let rank = |Violating { cost, .. }: &Violating| (self.bounds.first.place(*cost), cost.switches);
        if self.least.as_ref().is_none_or(|least| rank(&new) < rank(least)) {
            self.least = Some(new);
        }
    }

    fn minimal(mut self, system: &mut System, gave_up: Option<GaveUp>) -> Result<Minimal, Interrupt> {
        let Some(Violating { cost, way, step, found, .. }) = self.least.take() else {
            return Ok(Minimal { least: None, gave_up });
        };
        let mut ways: Vec<usize> = std::iter::successors(Some(way), |&way| self.ways[way].before).collect();
        ways.reverse();
        let mut path_steps = Vec::new();
        for pair in ways.windows(2) {
            path_steps.push(self.path_step(system, pair[0], pair[1])?);
        }
        if let Some(transition) = step {
            let state = self.store.state(self.labels[self.ways[way].label].state);
            path_steps.push(PathStep { state, transition, scope: None });
        }
        Ok(Minimal { least: Some((path_steps, found, cost)), gave_up })
    }

    /// The step from one way to the next.
    fn path_step(&mut self, system: &mut System, from: usize, to: usize) -> Result<PathStep, Interrupt> {
        let state = self.store.state(self.labels[self.ways[from].label].state);
        let possible = self.successors.within(system, &state, None)?.to_vec();
        let (from, to) = (&self.ways[from], &self.ways[to]);
        let taken = possible.into_iter().find(|step| {
            system.apply(&state, step, &mut self.next).is_ok()
                && self.store.find(&self.next) == Some(self.labels[to.label].state)
                && from.and(system, step) == (to.last, to.cost)
        });
        Ok(PathStep { state, transition: taken.expect("a way goes on by a step of its state"), scope: None })
    }
}

impl Way {
    fn and(&self, system: &System, step: &Transition) -> (Option<Mover>, Cost) {
        and((self.last, self.cost), system, step)
    }
}

/// The last mover and the cost after one step more.
fn and((last, cost): (Option<Mover>, Cost), system: &System, step: &Transition) -> (Option<Mover>, Cost) {
    let mover = mover(system, step);
    let is_switch = mover.is_some() && last.is_some() && mover != last;
    let Cost { faults, steps, switches } = cost;
    let cost = Cost { faults: faults + step.faults, steps: steps + 1, switches: switches + u32::from(is_switch) };
    (mover.or(last), cost)
}

fn mover(system: &System, step: &Transition) -> Option<Mover> {
    let Move::Unit { unit, node, input, .. } = step.step else { return None };
    let offer = system.learner.automata.node(node).offer(input)?;
    Some((unit, offer.task))
}
