//! Executions of the naive explorer with monitors that watch them.

use std::collections::BTreeSet;

use ahash::{AHashMap, AHashSet};

use super::operation::Move;
use super::run::compile;
use super::state::{Code, State, World};
use super::{Findings, Limits};
use crate::language::automaton::{Automaton, Places};
use crate::language::program::System;

/// The findings of all executions together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Watched {
    pub findings: Findings,
    /// by monitor: some execution is rejected
    pub rejected: Vec<bool>,
    /// by monitor: the same, if the step counts in which a program panics
    pub rejected_or_panicking: Vec<bool>,
}

/// By monitor: where it may be.
type All = Vec<Places>;

/// Every execution, each from the start, with the monitors beside it; `None` if there are too many.
pub fn explore_each(system: &System, executions_max: u64, automata: &[Automaton]) -> Option<Watched> {
    let code = compiled(system);
    let mut watched = Watched::new(system, automata);
    let mut choices: Vec<(usize, usize)> = Vec::new();
    for _ in 0..executions_max {
        execute(system, &code, &mut choices, automata, &mut watched);
        while choices.pop_if(|(chosen, alternatives)| *chosen + 1 == *alternatives).is_some() {}
        match choices.last_mut() {
            Some((chosen, _)) => *chosen += 1,
            None => return Some(watched),
        }
    }
    None
}

/// Every execution as far as the first state that one before it has been in, with the monitors where they were; `None`
/// if there are too many.
pub fn explore(system: &System, limits: Limits, automata: &[Automaton]) -> Option<Watched> {
    let code = compiled(system);
    let mut watched = Watched::new(system, automata);
    let first = World::new(system, &code);
    let all: All = automata.iter().map(Automaton::first).collect();
    let mut met: AHashSet<(State, All)> = AHashSet::from([(first.state.clone(), all.clone())]);
    let mut numbers: AHashMap<State, usize> = AHashMap::from([(first.state.clone(), 0)]);
    let mut steps = Vec::new();
    let mut open = vec![(first, all)];
    let mut executions = 0;
    while let Some((world, all)) = open.pop() {
        let mut moves = world.moves();
        if world.may_rest(&moves) {
            watched.rest(&world, automata, &all);
        }
        moves.retain(Move::is_step);
        executions += u64::from(moves.is_empty());
        for chosen in &moves {
            let (mut next, mut places) = (world.clone(), all.clone());
            if !watched.make(&mut next, chosen, automata, &mut places) {
                executions += 1;
                continue;
            }
            if next.runs_on || next.state.has_backlog() {
                return None;
            }
            next.state.forget();
            let new = numbers.len();
            let from = numbers[&world.state];
            let to = *numbers.entry(next.state.clone()).or_insert(new);
            if to != from || !matches!(chosen, Move::Pass { .. }) {
                steps.push((from, to));
            }
            match met.insert((next.state.clone(), places.clone())) {
                true => open.push((next, places)),
                false => executions += 1,
            }
        }
        if executions > limits.executions_max || met.len() > 60_000 {
            return None;
        }
    }
    watched.findings.endless = super::between_cycles(&super::targets(numbers.len(), &steps)).contains(&true);
    Some(watched)
}

fn compiled(system: &System) -> Vec<Vec<Vec<Code>>> {
    system.processes.iter().map(|process| process.tasks.iter().map(|task| compile(task)).collect()).collect()
}

/// One execution: follows the choices given, then takes the first alternative each time and records it.
fn execute<'a>(
    system: &'a System,
    code: &'a [Vec<Vec<Code>>],
    choices: &mut Vec<(usize, usize)>,
    automata: &[Automaton],
    watched: &mut Watched,
) {
    let mut made = 0;
    let mut world = World::new(system, code);
    let mut all: All = automata.iter().map(Automaton::first).collect();
    loop {
        let mut moves = world.moves();
        if world.may_rest(&moves) {
            watched.rest(&world, automata, &all);
        }
        moves.retain(Move::is_step);
        if moves.is_empty() {
            return;
        }
        if moves.len() > 1 && made == choices.len() {
            choices.push((0, moves.len()));
        }
        let chosen = if moves.len() > 1 { choices[made].0 } else { 0 };
        made += usize::from(moves.len() > 1);
        if !watched.make(&mut world, &moves[chosen], automata, &mut all) {
            return;
        }
    }
}

impl Watched {
    fn new(system: &System, automata: &[Automaton]) -> Self {
        let findings = Findings { outputs: vec![BTreeSet::new(); system.processes.len()], ..Findings::default() };
        let none = vec![false; automata.len()];
        Watched { findings, rejected: none.clone(), rejected_or_panicking: none }
    }

    /// Makes a move with the monitors; says whether no program panicked.
    fn make(&mut self, world: &mut World<'_>, chosen: &Move, automata: &[Automaton], all: &mut All) -> bool {
        let before_ms = world.state.now_ms;
        world.sighted.clear();
        let made = world.make(chosen, &mut self.findings);
        let passed_ms = world.state.now_ms - before_ms;
        for (number, (automaton, places)) in automata.iter().zip(all.iter_mut()).enumerate() {
            if places.is_empty() {
                continue;
            }
            if passed_ms > 0 {
                *places = automaton.pass(places, passed_ms);
            }
            for &event in &world.sighted {
                *places = automaton.step(places, event);
            }
            self.rejected_or_panicking[number] |= places.is_empty();
            self.rejected[number] |= made.is_ok() && places.is_empty();
        }
        match made {
            Ok(()) => true,
            Err(panic) => {
                self.findings.panics.insert(panic);
                false
            }
        }
    }

    /// Nothing but failures can happen any more.
    fn rest(&mut self, world: &World<'_>, automata: &[Automaton], all: &All) {
        let mut here = Findings::default();
        world.rest(&mut here);
        world.rest(&mut self.findings);
        if here.deadlock {
            return;
        }
        for (number, (automaton, places)) in automata.iter().zip(all).enumerate() {
            let rejects = !places.is_empty() && !automaton.accepts_end(places);
            self.rejected[number] |= rejects;
            self.rejected_or_panicking[number] |= rejects;
        }
    }
}
