//! The successors of states: worked out in their turn, or before it by several threads.
//!
//! To expand a state only reads. So many states are expanded at once, those that the frontier will give next, and taken
//! one by one when their turn comes. Whatever the number of threads, the same states are met in the same order and get
//! the same numbers: each expansion is the one that would have been worked out in its turn.
//!
//! - An edge that is not known yet is learned in its turn, by the one thread that explores. So user code runs on that
//!   thread only, and futures need not be `Send`.
//! - Which steps a reduced search explores depends on footprints, and they grow with the automata: if an edge was
//!   learned since, states that were expanded before are expanded again; while edges are learned at every state, no
//!   state is expanded before its turn.
//! - A target that was visited before the batch began is found by the threads, too; the others are found, or stored, in
//!   their turn.
//!
//! Threads share only data that none of them writes, and meet only at the end of a batch: there is no lock, nothing
//! atomic and nothing unsafe of ours.

use super::frontier::Frontier;
use super::progress::Progress;
use crate::reduction::footprint::{Footprints, Row};
use crate::reduction::parts::Part;
use crate::reduction::stubborn::StubbornSet;
use crate::reduction::successors::{Extent, Successors};
use crate::world::step::Transition;
use crate::world::store::{Encoded, StateId, Store};
use crate::world::system::{Interrupt, System};
use crate::world::tables::{Lookup, View};
use ahash::AHashMap;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// States that one thread expands before it looks for more of them.
const PORTION: usize = 8;

/// Fewer states than this are not worth waking a thread.
const AHEAD_MIN: usize = 2 * PORTION;

/// States that are expanded before their turn, at the most.
const AHEAD_MAX: usize = 2_048;

/// The successors of a state.
pub(crate) struct Expansion<'a> {
    pub(crate) steps: &'a [Transition],
    /// The stubborn sets of the steps, in their order, each with the number of the steps up to its last one.
    scopes: &'a [(usize, Arc<StubbornSet>)],
    /// Moves that are left out.
    pub(crate) pruned: u64,
    /// Whether steps are put off.
    pub(crate) puts_off: bool,
    /// The processes that wait for ever while others go on, with the units that could have helped them.
    pub(crate) helpless: &'a [Part],
    portion: &'a Portion,
    targets: &'a [Target],
}

impl<'a> Expansion<'a> {
    /// The steps, each with its stubborn set, the state that it leads to, and that state's id if it is known to have been
    /// visited.
    pub(crate) fn successors(&self) -> impl Iterator<Item = Step<'a>> {
        let bytes = &self.portion.bytes;
        let mut scopes = self.scopes;
        self.steps.iter().zip(self.targets).enumerate().map(move |(index, (transition, target))| {
            while let [(until, _), rest @ ..] = scopes
                && *until <= index
            {
                scopes = rest;
            }
            let Target { from, to, hash, visited } = *target;
            let encoded = Encoded { bytes: &bytes[from as usize..to as usize], hash };
            Step { transition, scope: scopes.first().map(|(_, scope)| scope), encoded, visited }
        })
    }
}

/// One step of an expansion.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) transition: &'a Transition,
    /// The stubborn set that it belongs to.
    pub(crate) scope: Option<&'a Arc<StubbornSet>>,
    /// The state that it leads to.
    pub(crate) encoded: Encoded<'a>,
    /// The state that a step leads to, if it is known to have been visited.
    pub(crate) visited: Option<StateId>,
}

/// Expands states.
pub(crate) struct Expander {
    own: Portion,
    ahead: Option<Ahead>,
}

impl Expander {
    /// With so many threads.
    pub(crate) fn new(threads: usize) -> Expander {
        Expander { own: Portion::default(), ahead: (threads > 1).then(|| Ahead::new(threads)) }
    }

    /// The successors of a state, which is `id` in the store and was popped from the frontier; `None` if the check is over
    /// before they are worked out: where a program has many tasks, a state may take thousands of polls.
    pub(crate) fn expand(
        &mut self,
        system: &mut System,
        mut reduction: Option<&mut Footprints>,
        (store, frontier): (&Store, &Frontier),
        (id, state): (StateId, &[u32]),
        progress: &Progress,
    ) -> Result<Option<Expansion<'_>>, Interrupt> {
        if let Some(footprints) = &mut reduction {
            footprints.update(system);
        }
        let ahead = self.ahead.as_mut();
        let found = ahead.and_then(|ahead| ahead.find(system.view(), reduction.as_deref(), (store, frontier), id));
        let (portion, index) = match (found, &self.ahead) {
            (Some((portion, index)), Some(ahead)) => (&ahead.portions[portion], index),
            _ => {
                let extent = Extent::Reduced { depth: store.depth(id) };
                if !self.own.expand(system, reduction.as_deref_mut(), extent, state, progress)? {
                    return Ok(None);
                }
                (&self.own, 0)
            }
        };
        Ok(Some(portion.expansion(index, reduction)))
    }

    /// All successors of a state; `None` if the check is over before they are worked out.
    pub(crate) fn expand_whole(
        &mut self,
        system: &mut System,
        footprints: &mut Footprints,
        state: &[u32],
        progress: &Progress,
    ) -> Result<Option<Expansion<'_>>, Interrupt> {
        let is_done = self.own.expand(system, Some(&mut *footprints), Extent::Whole, state, progress)?;
        Ok(is_done.then(|| self.own.expansion(0, Some(footprints))))
    }
}

/// States that were expanded before their turn.
struct Ahead {
    threads: ThreadPool,
    portions: Vec<Portion>,
    /// By state: the portion, and the index in it. `None`: an edge was not known.
    expanded: AHashMap<StateId, Option<(usize, usize)>>,
    /// How many are expanded at once: fewer as long as more has to be learned.
    count: usize,
    /// How many local states and steps were known.
    known: (usize, usize),
    /// How many states have been expanded since something was learned.
    since: usize,
}

impl Ahead {
    fn new(threads: usize) -> Ahead {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let builder = builder.start_handler(|_| netcheck_memory::mute());
        let threads = builder.thread_name(|index| format!("netcheck {index}")).build();
        Ahead {
            threads: threads.expect("threads can be started"),
            portions: Vec::new(),
            expanded: AHashMap::new(),
            count: AHEAD_MIN,
            known: (0, 0),
            since: 0,
        }
    }

    /// The expansion of a state: worked out before its turn, or now together with those that come next.
    fn find(
        &mut self,
        view: View<'_>,
        footprints: Option<&Footprints>,
        (store, frontier): (&Store, &Frontier),
        id: StateId,
    ) -> Option<(usize, usize)> {
        let is_reduced = footprints.is_some();
        self.note(view, is_reduced);
        if let Some(found) = self.expanded.remove(&id) {
            return found;
        }
        // While edges are learned at every state, this would be for nothing.
        if is_reduced && self.since < AHEAD_MIN {
            return None;
        }
        let coming: Vec<StateId> = std::iter::once(id).chain(frontier.coming(self.count - 1)).collect();
        if coming.len() < AHEAD_MIN {
            return None;
        }
        self.count = (2 * self.count).min(AHEAD_MAX);
        self.expand(view, footprints, store, &coming);
        self.expanded.remove(&id).flatten()
    }

    /// Notes whether something was learned. A reduced search may then choose otherwise.
    fn note(&mut self, view: View<'_>, is_reduced: bool) {
        let known = (view.automata.nodes.len(), view.automata.edges.len());
        if self.known == known {
            self.since += 1;
            return;
        }
        (self.known, self.since) = (known, 0);
        if is_reduced {
            self.expanded.clear();
            self.count = AHEAD_MIN;
        }
    }

    fn expand(&mut self, view: View<'_>, footprints: Option<&Footprints>, store: &Store, states: &[StateId]) {
        let Ahead { threads, portions, expanded, .. } = self;
        let count = states.len().div_ceil(PORTION);
        portions.resize_with(portions.len().max(count), Portion::default);
        threads.install(|| {
            portions.par_iter_mut().zip(states.par_chunks(PORTION)).for_each(|(portion, states)| {
                portion.fill(view, footprints, store, states);
            });
        });
        expanded.clear();
        expanded.extend(states.iter().map(|&id| (id, None)));
        for (number, portion) in portions[..count].iter().enumerate() {
            let states = portion.states.iter().enumerate().map(|(index, &id)| (id, Some((number, index))));
            expanded.extend(states);
        }
    }
}

/// Some states, with their successors.
#[derive(Default)]
struct Portion {
    /// The states that could be expanded.
    states: Vec<StateId>,
    expanded: Vec<Expanded>,
    steps: Vec<Transition>,
    /// The target of each step.
    targets: Vec<Target>,
    bytes: Vec<u8>,
    rows: Vec<Row>,
    successors: Successors,
    state: Vec<u32>,
    next: Vec<u32>,
}

/// The positions of the steps of a state, and the footprints that their choice relied on.
struct Expanded {
    steps: Range<usize>,
    rows: Range<usize>,
    scopes: SmallVec<[(usize, Arc<StubbornSet>); 1]>,
    pruned: u64,
    puts_off: bool,
    helpless: SmallVec<[Part; 1]>,
}

/// The position of the encoded target of a step.
struct Target {
    from: u32,
    to: u32,
    hash: u64,
    visited: Option<StateId>,
}

impl Portion {
    fn clear(&mut self) {
        self.states.clear();
        self.expanded.clear();
        self.steps.clear();
        self.targets.clear();
        self.bytes.clear();
        self.rows.clear();
    }

    /// Expands the given states for which all is known.
    fn fill(&mut self, view: View<'_>, footprints: Option<&Footprints>, store: &Store, states: &[StateId]) {
        self.clear();
        let mut state = std::mem::take(&mut self.state);
        for &id in states {
            store.look_at(id, &mut state);
            let extent = Extent::Reduced { depth: store.depth(id) };
            if self.add(view, (footprints, extent), Some(store), &state).is_ok() {
                self.states.push(id);
            }
        }
        self.state = state;
    }

    /// Expands one state; learns what is not known for it, as long as the check is not over. Says whether it was done.
    fn expand(
        &mut self,
        system: &mut System,
        mut reduction: Option<&mut Footprints>,
        extent: Extent,
        state: &[u32],
        progress: &Progress,
    ) -> Result<bool, Interrupt> {
        self.clear();
        while let Err(missing) = self.add(system.view(), (reduction.as_deref(), extent), None, state) {
            if progress.is_over() {
                return Ok(false);
            }
            system.find_out(*missing)?;
            if let Some(footprints) = &mut reduction {
                footprints.update(system);
            }
        }
        Ok(true)
    }

    /// An expansion, which relies on footprints.
    fn expansion(&self, index: usize, reduction: Option<&mut Footprints>) -> Expansion<'_> {
        let Expanded { steps, rows, scopes, pruned, puts_off, helpless } = &self.expanded[index];
        if let Some(footprints) = reduction {
            self.rows[rows.clone()].iter().for_each(|&row| footprints.consult(row));
        }
        let (chosen, targets) = (&self.steps[steps.clone()], &self.targets[steps.clone()]);
        let (pruned, puts_off) = (*pruned, *puts_off);
        Expansion { steps: chosen, scopes, pruned, puts_off, helpless, portion: self, targets }
    }

    /// Expands a state; if an edge is not known, nothing is added. `visited`: the store in which targets are looked up.
    fn add(
        &mut self,
        view: View<'_>,
        (footprints, extent): (Option<&Footprints>, Extent),
        visited: Option<&Store>,
        state: &[u32],
    ) -> Lookup<()> {
        let choice = self.successors.look(view, state, extent, footprints)?;
        let (first, bytes) = (self.steps.len(), self.bytes.len());
        if let Err(missing) = self.follow(view, visited, state) {
            self.targets.truncate(first);
            self.bytes.truncate(bytes);
            return Err(missing);
        }
        self.successors.move_to(&mut self.steps);
        let row = self.rows.len();
        self.rows.extend(choice.rows);
        self.expanded.push(Expanded {
            steps: first..self.steps.len(),
            rows: row..self.rows.len(),
            scopes: choice.scopes.into_iter().map(|(until, set)| (until, Arc::new(set))).collect(),
            pruned: choice.pruned,
            puts_off: choice.puts_off,
            helpless: choice.helpless,
        });
        Ok(())
    }

    /// Writes down the targets of the chosen steps of a state.
    fn follow(&mut self, view: View<'_>, visited: Option<&Store>, state: &[u32]) -> Lookup<()> {
        let Portion { successors, targets, bytes, next, .. } = self;
        for step in successors.chosen() {
            view.apply(state, step, next)?;
            let from = bytes.len();
            let hash = Store::encode(next, bytes);
            let encoded = Encoded { bytes: &bytes[from..], hash };
            let visited = visited.and_then(|store| store.find_encoded(encoded));
            targets.push(Target { from: position(from), to: position(bytes.len()), hash, visited });
        }
        Ok(())
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("a portion takes less than 4 GiB")
}
