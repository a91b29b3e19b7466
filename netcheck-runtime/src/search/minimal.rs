//! The least execution with a violation of one kind: of the shortest those with the fewest faults, of these one with
//! the fewest context switches.
//!
//! On a shortest execution, each state is at its breadth-first depth, else there were a shorter one. So only steps from
//! one *layer* of the full space to the next matter. The cost of an execution from a state on depends on the state and
//! on the last mover. So a dynamic program goes through the layers and keeps for each state and each possible last
//! mover the least cost of the ways there, until a layer shows the violation. Of equal ones it keeps the first, in the
//! order in which the states offer their steps: the same in every run, whatever found the violation.
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

/// How far to look.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    pub(crate) steps_max: usize,
    pub(crate) states_max: usize,
    pub(crate) memory_bytes_max: usize,
    pub(crate) progress: &'a Progress,
}

/// The result within the bounds.
pub(crate) struct Minimal {
    /// The least execution, or the least that was met before a bound was reached; with its cost.
    pub(crate) least: Option<(Vec<PathStep>, Found, Cost)>,
    /// A bound was reached: there may be a lesser one.
    pub(crate) gave_up: bool,
}

/// The cost that orders executions of the same length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost {
    pub(crate) faults: u32,
    pub(crate) switches: u32,
}

/// The mover of a step; steps of the network have none.
type Mover = (UnitId, TaskId);

/// States are expanded between checks of a wish to end.
const LOOKS_UP_EVERY: usize = 1024;

/// The cost of an execution.
pub(crate) fn cost(system: &System, path_steps: &[PathStep]) -> Cost {
    let steps = path_steps.iter().map(|path_step| &path_step.transition);
    steps.fold((None, Cost::default()), |so_far, step| and(so_far, system, step)).1
}

/// The least execution with a violation of the given kind.
pub(crate) fn minimal(
    system: &mut System,
    initial: &StateVector,
    properties: &Properties,
    kind: ViolationKind,
    bounds: Bounds<'_>,
) -> Result<Minimal, Interrupt> {
    let mut layers = Layers::new(initial);
    let mut layer = vec![layers.ways[0].state];
    let mut expanded = 0;
    for depth in 0.. {
        for id in std::mem::take(&mut layer) {
            expanded += 1;
            if layers.is_over(system, depth, expanded, bounds) {
                return layers.minimal(system, true);
            }
            layers.expand(system, properties, kind, (id, depth), bounds.steps_max, &mut layer)?;
        }
        // Steps into a violation were found a layer ago; ends of this layer were as short.
        if layer.is_empty() || layers.least.as_ref().is_some_and(|least| least.length <= depth) {
            break;
        }
    }
    layers.minimal(system, false)
}

/// A way to a state: the least of those with this last mover.
struct Way {
    state: StateId,
    last: Option<Mover>,
    cost: Cost,
    /// The way to the state before, if there is one.
    before: Option<usize>,
}

/// An execution that shows the violation.
struct Violating {
    length: usize,
    cost: Cost,
    way: usize,
    /// The step after that, if the step violates the property.
    step: Option<Transition>,
    found: Found,
}

struct Layers {
    store: Store,
    ways: Vec<Way>,
    ways_to: AHashMap<StateId, SmallVec<[usize; 2]>>,
    least: Option<Violating>,
    successors: Successors,
    /// A buffer for successors.
    next: Vec<u32>,
}

impl Layers {
    fn new(initial: &StateVector) -> Self {
        let mut store = Store::new(Keep::Exact);
        let (first, _) = store.insert(initial, None);
        let way = Way { state: first, last: None, cost: Cost::default(), before: None };
        let ways_to = [(first, SmallVec::from_slice(&[0]))].into_iter().collect();
        let (successors, next) = (Successors::default(), Vec::new());
        Layers { store, ways: vec![way], ways_to, least: None, successors, next }
    }

    /// Whether a bound is reached.
    fn is_over(&self, system: &System, depth: usize, expanded: usize, bounds: Bounds<'_>) -> bool {
        if self.store.len() > bounds.states_max {
            return true;
        }
        if !expanded.is_multiple_of(LOOKS_UP_EVERY) {
            return false;
        }
        let memory_bytes = self.store.memory_bytes() + self.ways.len() * 2 * size_of::<Way>();
        let is_unwanted = bounds.progress.note(Seen {
            states: self.store.len() as u64,
            frontier: (self.store.len() - expanded) as u64,
            depth: depth as u64,
            local_states: system.learner.automata.nodes.len() as u64,
            memory_bytes: memory_bytes as u64,
            fault_points: 0,
        });
        is_unwanted || memory_bytes > bounds.memory_bytes_max
    }

    /// Takes each way to a state one step further, and looks whether it violates a property.
    fn expand(
        &mut self,
        system: &mut System,
        properties: &Properties,
        kind: ViolationKind,
        (id, depth): (StateId, usize),
        steps_max: usize,
        layer: &mut Vec<StateId>,
    ) -> Result<(), Interrupt> {
        let state = self.store.state(id);
        let steps = self.successors.within(system, &state, None)?.to_vec();
        let ways = self.ways_to.get(&id).cloned().unwrap_or_default();
        if steps.iter().all(Transition::is_failure)
            && let Some(found) = properties.violated_at_end(system, &state).filter(|found| found.kind == kind)
        {
            for &way in &ways {
                self.violates(Violating {
                    length: depth,
                    cost: self.ways[way].cost,
                    way,
                    step: None,
                    found: found.clone(),
                });
            }
        }
        if depth == steps_max || self.least.as_ref().is_some_and(|least| least.length <= depth) {
            return Ok(());
        }
        for step in steps {
            let found = properties.step(system, &step);
            let after = match found {
                // An execution ends with a violation, of whatever kind.
                Some(_) => None,
                None => self.successor(system, &state, &step, (id, depth), layer),
            };
            for &way in &ways {
                let (last, cost) = self.ways[way].and(system, &step);
                match (&found, after) {
                    (Some(found), _) if found.kind == kind && !found.is_error => {
                        let (step, found) = (Some(step.clone()), found.clone());
                        self.violates(Violating { length: depth + 1, cost, way, step, found });
                    }
                    (None, Some(state)) => self.reach(Way { state, last, cost, before: Some(way) }),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The state that a step leads to, if that is in the next layer.
    fn successor(
        &mut self,
        system: &mut System,
        state: &[u32],
        step: &Transition,
        (id, depth): (StateId, usize),
        layer: &mut Vec<StateId>,
    ) -> Option<StateId> {
        system.apply(state, step, &mut self.next);
        let (after, is_new) = self.store.insert(&self.next, Some(id));
        if is_new {
            layer.push(after);
        }
        (self.store.depth(after) == depth + 1).then_some(after)
    }

    /// Keeps a way if it is the least with its state and last mover.
    fn reach(&mut self, way: Way) {
        let ways = self.ways_to.entry(way.state).or_default();
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
        if self.least.as_ref().is_none_or(|least| (new.length, new.cost) < (least.length, least.cost)) {
            self.least = Some(new);
        }
    }

    fn minimal(mut self, system: &mut System, gave_up: bool) -> Result<Minimal, Interrupt> {
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
            let state = self.store.state(self.ways[way].state);
            path_steps.push(PathStep { state, transition, scope: None });
        }
        Ok(Minimal { least: Some((path_steps, found, cost)), gave_up })
    }

    /// The step from one way to the next.
    fn path_step(&mut self, system: &mut System, from: usize, to: usize) -> Result<PathStep, Interrupt> {
        let state = self.store.state(self.ways[from].state);
        let possible = self.successors.within(system, &state, None)?.to_vec();
        let (from, to) = (&self.ways[from], &self.ways[to]);
        let taken = possible.into_iter().find(|step| {
            system.apply(&state, step, &mut self.next);
            self.store.find(&self.next) == Some(to.state) && from.and(system, step) == (to.last, to.cost)
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
    let Cost { faults, switches } = cost;
    (mover.or(last), Cost { faults: faults + step.faults, switches: switches + u32::from(is_switch) })
}

fn mover(system: &System, step: &Transition) -> Option<Mover> {
    let Move::Unit { unit, node, input, .. } = step.step else { return None };
    let offer = system.learner.automata.node(node).offer(input)?;
    Some((unit, offer.task))
}
