//! The demands of fairness on each step, and things that must not stay as they are for ever.

use super::fair::{Demand, Graph};
use super::space::{Expander, ScopedStep, Space, Steps};
use crate::id::{NodeId, ProcessId, TaskId, UnitId};
use crate::operation::OperationKey;
use crate::property::Properties;
use crate::world::step::{Delivered, Move, Transition};
use crate::world::system::{Interrupt, System};
use ahash::AHashMap;
use std::collections::BTreeSet;

/// A demand by what it is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum About {
    /// A task that has a possible step takes one.
    Task(UnitId, TaskId),
    /// An operation that could complete in a local state does, or its waker is called.
    Operation(NodeId, OperationKey, IsWoken),
    /// A datagram that could be delivered is.
    Datagram(Delivered),
    /// Datagrams under way on a channel are delivered, or all of them are lost.
    Channel(u32),
    /// Links that are cut heal.
    Heal(u32, u32),
}

type IsWoken = bool;

impl About {
    fn demand(self) -> Demand {
        match self {
            About::Task(..) | About::Channel(_) => Demand::Weak,
            About::Operation(..) | About::Datagram(_) | About::Heal(..) => Demand::Strong,
        }
    }
}

/// A thing that must not stay as it is for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owing {
    /// A process that has to end has not.
    Process(ProcessId),
    /// A monitor is in states that it has to leave.
    Monitor(usize),
}

impl Owing {
    /// All that must not stay as it is in a state.
    pub(super) fn all(system: &System, properties: &Properties, state: &[u32]) -> Vec<Owing> {
        let processes = properties.unfinished(system, state).processes.into_iter().map(Owing::Process);
        processes.chain(system.view().hot_monitors(state).into_iter().map(Owing::Monitor)).collect()
    }
}

/// The numbers of demands.
#[derive(Default)]
struct Numbers(AHashMap<About, u32>);

impl Numbers {
    fn of(&mut self, about: About, graph: &mut Graph) -> u32 {
        *self.0.entry(about).or_insert_with(|| {
            graph.demands.push(about.demand());
            graph.demands.len() as u32 - 1
        })
    }
}

/// The states on cycles, with what is demanded there.
#[derive(Default)]
pub(super) struct Labelled {
    pub(super) graph: Graph,
    /// By state of the graph: its number in the space, and its depth there.
    pub(super) states: Vec<u32>,
    pub(super) depths: Vec<usize>,
    /// By edge of the graph: its number among the steps of its source, and whether time passes in it.
    pub(super) steps: Vec<u32>,
    takes_time: Vec<bool>,
    /// The states in which timers are put off that only strangers hold up.
    held_up: Vec<u32>,
    /// The states in which each is so that it must not stay for ever.
    owing: Vec<(Owing, Vec<u32>)>,
}

impl Labelled {
    /// Looks at the steps of some states of a space, which lie on cycles.
    pub(super) fn of(
        system: &mut System,
        properties: &Properties,
        space: &mut Space,
        expander: &mut Expander,
        states: Vec<u32>,
    ) -> Result<Labelled, Interrupt> {
        let places: AHashMap<u32, u32> = states.iter().zip(0..).map(|(&state, place)| (state, place)).collect();
        let depths = states.iter().map(|&state| space.depth(state)).collect();
        let mut labelled = Labelled { states, depths, ..Labelled::default() };
        let mut numbers = Numbers::default();
        let mut next = Vec::new();
        for place in 0..labelled.states.len() {
            let state = space.state(labelled.states[place]);
            let Steps { all, puts_off } = expander.steps(system, &state)?;
            labelled.held_up.extend(puts_off.then_some(place as u32));
            if !is_in_vain(system, &state, &all) {
                for owing in Owing::all(system, properties, &state) {
                    labelled.add(owing, place as u32);
                }
            }
            let mut raised = Vec::new();
            let mut targets = Vec::new();
            for (index, (step, _)) in (0..).zip(&all).filter(|(_, (step, _))| !step.is_failure()) {
                let about = about(system, &state, step);
                let met: Vec<u32> = about.iter().map(|about| numbers.of(*about, &mut labelled.graph)).collect();
                raised.extend(
                    about.into_iter().zip(&met).filter(|(about, _)| is_demanded(*about, step)).map(|(_, met)| *met),
                );
                system.apply(&state, step, &mut next)?;
                if let Some(&target) = space.find(&next).and_then(|target| places.get(&target)) {
                    targets.push(target);
                    labelled.steps.push(index);
                    labelled.takes_time.push(super::takes_time(step));
                    labelled.graph.met.push(met);
                }
            }
            raised.sort_unstable();
            raised.dedup();
            let held = held(system, &state).into_iter().map(|about| numbers.of(about, &mut labelled.graph));
            let held: Vec<u32> = held.filter(|demand| raised.binary_search(demand).is_err()).collect();
            labelled.graph.edges.push(targets);
            labelled.graph.raised.push(raised);
            labelled.graph.held.push(held);
        }
        Ok(labelled)
    }

    /// How many steps a lasso has, with the number of the state at which its loop begins.
    pub(super) fn length(&self, start: u32, edges: &[(u32, u32)]) -> (usize, u32) {
        (self.depths[start as usize] + edges.len(), start)
    }

    /// Whether timers that only strangers hold up are put off for ever: in a fair component in which no time passes.
    pub(super) fn puts_off_for_ever(&self) -> bool {
        if self.held_up.is_empty() {
            return false;
        }
        let (_, _, components) = self.without_time();
        components.iter().flatten().any(|state| self.held_up.binary_search(state).is_ok())
    }

    /// The names of the units that take steps in a fair component in which no time passes.
    pub(super) fn standing_still(
        &self,
        system: &mut System,
        space: &Space,
        expander: &mut Expander,
    ) -> Result<Vec<String>, Interrupt> {
        let (graph, edges, mut components) = self.without_time();
        let Some(mut component) = components.pop() else { return Ok(Vec::new()) };
        component.sort_unstable();
        let mut names = BTreeSet::new();
        for &state in &component {
            for (edge, target) in graph.leaving(state) {
                if component.binary_search(&target).is_ok() {
                    let index = self.steps[edges[edge as usize] as usize];
                    let step = space.step(system, expander, self.states[state as usize], index)?;
                    names.extend(step.transition.unit().map(|unit| system.shared().unit(unit).name));
                }
            }
        }
        Ok(names.into_iter().collect())
    }

    /// The graph of the edges in which no time passes, their numbers among all edges, and its fair components.
    fn without_time(&self) -> (Graph, Vec<u32>, Vec<Vec<u32>>) {
        let (graph, edges) = self.graph.with(|edge| !self.takes_time[edge as usize]);
        let components = graph.fair_components((0..graph.len() as u32).collect());
        (graph, edges, components)
    }

    fn add(&mut self, owing: Owing, place: u32) {
        match self.owing.iter_mut().find(|(of, _)| *of == owing) {
            Some((_, states)) => states.push(place),
            None => self.owing.push((owing, vec![place])),
        }
    }

    /// All things that must not stay as they are for ever, each with the states in which it is so.
    pub(super) fn owing(&self) -> impl Iterator<Item = (Owing, Vec<u32>)> + '_ {
        self.owing.iter().cloned()
    }
}

/// Whether a unit is in the middle of a poll that cannot go on here: nobody sees it in this state.
fn is_in_vain(system: &System, state: &[u32], steps: &[ScopedStep]) -> bool {
    let view = system.view();
    let is_own = |unit: UnitId, step: &Transition| match step.step {
        Move::Unit { unit: of, .. } | Move::Dial { unit: of, .. } => of == unit,
        _ => false,
    };
    view.live_units(state).any(|(unit, node)| {
        view.automata.node(node).is_synchronous()
            && !steps.iter().any(|(step, _)| !step.is_failure() && is_own(unit, step))
    })
}

/// Whether a demand is raised where a step that meets it is possible. A fault need not happen, also one that would help; but
/// what is under way comes or is lost.
fn is_demanded(about: About, step: &Transition) -> bool {
    step.faults == 0 || matches!(about, About::Channel(_))
}

/// The demands that a step meets.
fn about(system: &System, state: &[u32], step: &Transition) -> Vec<About> {
    let view = system.view();
    let mut all = Vec::new();
    match step.step {
        Move::Unit { unit, node, input, .. } => {
            let task = view.automata.node(node).offer(input).map_or(TaskId(0), |offer| offer.task);
            all.push(About::Task(unit, task));
            if input.outcome != view.known.would_block {
                all.push(About::Operation(node, input.key, input.outcome == view.known.woken));
            }
        }
        Move::Dial { unit, node, key } => {
            let offer = view.automata.node(node).offers.iter().find(|offer| offer.key == key);
            all.push(About::Task(unit, offer.map_or(TaskId(0), |offer| offer.task)));
        }
        Move::Heal { cut: (of, number), .. } => all.push(About::Heal(of, number)),
        Move::LoseInFlight => all.extend(step.writes.iter().map(|(channel, _)| About::Channel(channel.0))),
        _ => {}
    }
    let delivered = view.delivered(state, step);
    all.extend(delivered.map(About::Datagram));
    all.extend(delivered.map(|Delivered { channel, .. }| About::Channel(channel)));
    all
}

/// The demands of tasks of units in the middle of a poll: nothing is offered to them before it is over.
fn held(system: &System, state: &[u32]) -> Vec<About> {
    let automata = &system.learner.automata;
    let polled = system.live_units(state).filter(|&(_, node)| automata.node(node).is_synchronous());
    let before = polled.flat_map(|(unit, node)| {
        let offers = automata.node(automata.before_poll(node)).offers.iter();
        offers.map(move |offer| About::Task(unit, offer.task))
    });
    before.collect()
}
