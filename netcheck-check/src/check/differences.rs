//! Why local states differ: of those of one unit, the places in memory that tell the most of them apart.
//!
//! The memory of each state is laid out as a [`table`]. A column is a word of an allocation, which is named by the way that
//! leads there from a root: two states have an allocation in common if the same pointers lead to one. Columns next to each
//! other make a field, and fields that tell the same states apart are one cause. The cause that tells the most states apart
//! which wait for the same comes first; then the one that tells apart the most of what is left, as long as there is
//! any. A state is a sum of hashes, one for each column: so it is known how many would be left without a cause, and
//! without all that it determines.

mod table;
mod words;

use self::table::{Places, Table};
use super::Checker;
use super::setup::Job;
use crate::error::Error;
use crate::profile::Differences;
use ahash::{AHashMap, AHashSet};
use netcheck_runtime::id::{NodeId, UnitId};
use netcheck_runtime::world::system::System;
use std::cmp::Reverse;

/// How much is looked at, at the most, if it was asked for.
const ASKED: Effort = Effort { states: 2_000, polls: 200_000 };

/// How much is looked at, at the most, if a limit was hit.
const UNASKED: Effort = Effort { states: 400, polls: 20_000 };

/// Causes that are named at the most.
const CAUSES_MAX: usize = 6;

/// Some local states of a unit.
struct Sampled {
    unit: UnitId,
    /// How many it has in all.
    count: usize,
    /// The states, each with a number for what it waits for.
    states: Vec<(NodeId, u64)>,
}

/// How much to look at: not how long, since a report depends on no clock.
#[derive(Clone, Copy)]
struct Effort {
    /// Local states whose memory is looked at.
    states: usize,
    /// Polls of the programs, to come to these states.
    polls: u64,
}

impl Checker {
    /// Whether the report says why the local states of a process differ, also if no limit is hit: see
    /// [`Profile::differences`](crate::profile::Profile::differences). It may take some seconds. Under `cargo test`, the
    /// environment variable `NETCHECK_WHY=1` asks for it.
    pub fn why(mut self, asks_why: bool) -> Self {
        self.asks_why = asks_why;
        self
    }
}

impl Job {
    /// Why local states differ, if it is asked for, or the check has hit a limit.
    pub(super) fn why(&self, system: &mut System, is_too_big: bool) -> Result<Option<Differences>, Error> {
        match (self.checker.asks_why, is_too_big) {
            (true, _) => self.differences(system, ASKED),
            (false, true) => self.differences(system, UNASKED),
            (false, false) => Ok(None),
        }
    }

    /// Why the local states of a unit differ: of the one with the most that wait for the same. `None` if there are no two, or
    /// memory does not tell them apart.
    fn differences(&self, system: &mut System, effort: Effort) -> Result<Option<Differences>, Error> {
        let Some(sampled) = sample(system, effort.states) else { return Ok(None) };
        let polls_max = system.learner.polls + effort.polls;
        let (mut places, mut table, mut looked_at) = (Places::default(), Table::new(), Vec::new());
        for (node, waits) in sampled.states {
            let described = system.learner.describe(node, false);
            let Some(description) = described.map_err(|why| Error::new(why.0))? else { return Ok(None) };
            table.add(&mut places, &description, waits);
            looked_at.push(node);
            if system.learner.polls > polls_max {
                break;
            }
        }
        table.make_fields();
        let causes = table.causes();
        let mut numbers = table.by_waits();
        let (mut told, mut named) = (distinct(&numbers), Vec::new());
        let (waits, different) = (told, table.distinct());
        while named.len() < CAUSES_MAX && told < different {
            let with = causes.iter().map(|cause| distinct(&table.told_apart(&numbers, cause)));
            let most = with.enumerate().max_by_key(|&(number, with)| (with, Reverse(number)));
            let Some((number, most)) = most.filter(|&(_, most)| most > told) else { break };
            numbers = table.told_apart(&numbers, &causes[number]);
            told = most;
            named.push((number, told, table.distinct_without(&causes[number], &causes)));
        }
        let mut words = words::Words { system, places: &mut places, table: &table, looked_at: &looked_at };
        let causes = named.into_iter().map(|(number, told, left)| words.cause(&causes[number].fields, told, left));
        let causes = causes.collect::<Result<_, _>>()?;
        let unit = system.shared().unit(sampled.unit).name;
        let (local_states, looked_at) = (sampled.count, looked_at.len());
        Ok(Some(Differences { unit, local_states, looked_at, waits, different, causes }))
    }
}

fn distinct(numbers: &[u64]) -> usize {
    numbers.iter().collect::<AHashSet<_>>().len()
}

/// Some local states of the unit with the most that wait for the same; the largest sets of these first.
fn sample(system: &System, states_max: usize) -> Option<Sampled> {
    let learner = &system.learner;
    let hasher = ahash::RandomState::with_seeds(1, 2, 3, 4);
    let mut sets: AHashMap<(UnitId, u64), Vec<NodeId>> = AHashMap::new();
    for number in 0..learner.automata.nodes.len() {
        let id = NodeId(number as u32);
        let node = learner.automata.node(id);
        if (node.unit.0 as usize) < system.shared().units() && learner.is_describable(id) {
            sets.entry((node.unit, hasher.hash_one(node.waits()))).or_default().push(id);
        }
    }
    let largest = |(key, states): &(&(UnitId, u64), &Vec<NodeId>)| (states.len(), Reverse(**key));
    let (&(unit, _), _) = sets.iter().max_by_key(largest).filter(|(_, states)| states.len() > 1)?;
    let of_unit = sets.into_iter().filter(|((of, _), _)| *of == unit);
    let mut of_unit: Vec<(u64, Vec<NodeId>)> = of_unit.map(|((_, waits), states)| (waits, states)).collect();
    of_unit.sort_by_key(|(waits, states)| (Reverse(states.len()), *waits));
    let count = of_unit.iter().map(|(_, states)| states.len()).sum();
    let states = of_unit.into_iter().flat_map(|(waits, states)| states.into_iter().map(move |state| (state, waits)));
    Some(Sampled { unit, count, states: states.take(states_max).collect() })
}
