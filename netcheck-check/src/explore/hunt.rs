//! A way from a state to one that is wanted: breadth-first in the full semantics, bounded by the states it visits.

use crate::explore::query::Search;
use crate::trace::describe::describe;
use crate::trace::situation;
use crate::trace::step::Step;
use ahash::{AHashMap, AHashSet};
use netcheck_runtime::id::{NodeId, UnitId};
use netcheck_runtime::property::Properties;
use netcheck_runtime::reduction::successors::{PathStep, Successors};
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::step::Transition;
use netcheck_runtime::world::system::{Interrupt, System};

/// The result of a search.
pub(crate) struct Hunted {
    /// The way to the wanted state, if one was found.
    pub(crate) path: Option<Vec<PathStep>>,
    /// Distinct states that were visited.
    pub(crate) visited: usize,
    /// Whether these are all that can be reached.
    pub(crate) is_complete: bool,
}

/// The wanted text, and the situations that have been put into words.
struct Wanted<'a> {
    text: String,
    process: Option<&'a str>,
    words: AHashMap<NodeId, String>,
}

impl Wanted<'_> {
    fn is_in(&self, words: &str) -> bool {
        words.to_lowercase().contains(&self.text)
    }

    fn is_about(&self, unit: &str) -> bool {
        self.process.is_none_or(|process| process == unit)
    }

    /// Whether a process is in a wanted situation.
    fn is_met(&mut self, system: &System, state: &[u32]) -> bool {
        (0..system.shared().units()).any(|index| {
            let unit = UnitId(index as u32);
            let node = NodeId(system.unit_component(unit).of(state));
            if node == NodeId::ABSENT || !self.is_about(&system.shared().unit(unit).name) {
                return false;
            }
            let Wanted { words, text, .. } = self;
            words.entry(node).or_insert_with(|| situation::in_words(system, node).to_lowercase()).contains(&**text)
        })
    }

    fn is_step(&self, step: &Step) -> bool {
        self.is_about(&step.process)
            && (self.is_in(&step.what()) || step.network.iter().any(|doing| self.is_in(&doing.to_string())))
    }
}

/// A state that was visited, and how it was reached.
struct Visited {
    state: StateVector,
    from: Option<(usize, Transition)>,
}

/// Searches from a state; `is_over` says whether to give up.
pub(crate) fn hunt(
    system: &mut System,
    properties: &Properties,
    start: &StateVector,
    search: &Search,
    is_over: &dyn Fn() -> bool,
) -> Result<Hunted, Interrupt> {
    let process = search.process.as_deref().filter(|process| !process.is_empty());
    let mut wanted = Wanted { text: search.text.to_lowercase(), process, words: AHashMap::default() };
    if wanted.is_met(system, start) {
        return Ok(Hunted { path: Some(Vec::new()), visited: 1, is_complete: false });
    }
    let mut successors = Successors::default();
    let mut visited = vec![Visited { state: start.clone(), from: None }];
    let mut known: AHashSet<StateVector> = std::iter::once(start.clone()).collect();
    let mut next = Vec::new();
    let mut at = 0;
    while let Some(Visited { state, .. }) = visited.get(at) {
        let state = state.clone();
        if is_over() {
            return Ok(Hunted { path: None, visited: visited.len(), is_complete: false });
        }
        let possible = successors.within(system, &state, None)?.to_vec();
        if possible.iter().all(Transition::is_failure)
            && let Some(found) = properties.violated_at_end(system, &state)
            && wanted.is_in(&found.to_string())
            && wanted.process.is_none_or(|process| found.units.iter().any(|unit| unit == process))
        {
            return Ok(Hunted { path: Some(way(&visited, at)), visited: visited.len(), is_complete: false });
        }
        for transition in possible {
            let violation = properties.step(system, &transition);
            system.apply(&state, &transition, &mut next)?;
            let is_wanted = describe(system, &state, &transition).is_some_and(|step| wanted.is_step(&step))
                || violation.as_ref().is_some_and(|found| wanted.process.is_none() && wanted.is_in(&found.to_string()))
                || wanted.is_met(system, &next);
            if is_wanted {
                let mut path = way(&visited, at);
                path.push(PathStep { state, transition, scope: None });
                return Ok(Hunted { path: Some(path), visited: visited.len(), is_complete: false });
            }
            if violation.is_some() || known.contains(&next[..]) {
                continue;
            }
            if visited.len() >= search.states_max {
                return Ok(Hunted { path: None, visited: visited.len(), is_complete: false });
            }
            let state = StateVector::from_slice(&next);
            known.insert(state.clone());
            visited.push(Visited { state, from: Some((at, transition)) });
        }
        at += 1;
    }
    Ok(Hunted { path: None, visited: visited.len(), is_complete: true })
}

/// The steps to a visited state.
fn way(visited: &[Visited], mut at: usize) -> Vec<PathStep> {
    let mut path = Vec::new();
    while let Some((from, transition)) = &visited[at].from {
        path.push(PathStep { state: visited[*from].state.clone(), transition: transition.clone(), scope: None });
        at = *from;
    }
    path.reverse();
    path
}
