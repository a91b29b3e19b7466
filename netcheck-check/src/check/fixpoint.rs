//! The search: rounds of exploration, until no stubborn set has relied on a footprint that grew.

use super::setup::{Job, Learned};
use super::{Checker, Keep, Tasks};
use crate::error::Error;
use crate::report::Figures;
use netcheck_runtime::property::Deadlocks;
use netcheck_runtime::reduction::footprint::{Footprints, Uses};
use netcheck_runtime::reduction::symmetry::Classes;
use netcheck_runtime::search::explore::explore;
use netcheck_runtime::search::explored::Explored;
use netcheck_runtime::search::frontier::Search;
use netcheck_runtime::search::plan::{Limit, Limits, Plan};
use netcheck_runtime::search::simulate::Simulated;
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::system::{Interrupt, System};

/// States that the first round of the reduced search goes on for when a footprint has grown; each further round, twice
/// as many.
const PATIENCE_STATES: u64 = 4_096;

/// Rounds of the reduced search after which footprints are taken to grow for ever, with a loop that never closes: then the
/// search goes on without them.
const ROUNDS_MAX: usize = 48;

/// Rounds of the reduced search that may hit `max_states`, but for one.
const LIMITED_ROUNDS_MAX: usize = 4;

/// States of the full space that are visited at the most to find a violation near the initial state, or to refute one,
/// and at the least to find a less costly one.
pub(super) const FULL_STATES_MAX: usize = 50_000;

/// A search that is over: the explored states, and the system with everything that was learned.
pub(super) struct Searched {
    pub(super) explored: Explored,
    pub(super) rounds: usize,
    /// Whether states were split into parts that never meet.
    pub(super) apart: bool,
    /// The figures of a simulation, if it was one.
    pub(super) simulated: Option<Simulated>,
    pub(super) learned: Learned,
}

impl Searched {
    /// How much was explored and learned.
    pub(super) fn figures(&self) -> Figures {
        let Searched { explored, rounds, learned: Learned { system, .. }, .. } = self;
        let learned = &system.learner.automata;
        let (set_back, copies_bytes) = system.learner.copied();
        Figures {
            states: explored.store.len(),
            transitions: explored.transitions,
            pruned: explored.pruned,
            subsumed: explored.subsumed,
            omission_probability: explored.store.omission_probability(),
            confusion_probability: learned.confusion_probability(),
            depth: explored.depth,
            terminals: explored.terminals,
            suppressed_deadlocks: explored.suppressed_deadlocks,
            polls: system.learner.polls,
            operations: learned.edges.len() as u64,
            local_states: learned.nodes.len(),
            rounds: *rounds,
            states_of_all_rounds: explored.states_before + explored.store.len(),
            memory_bytes: explored.store.memory_bytes(),
            set_back,
            copies_bytes,
        }
    }
}

impl Job {
    /// Searches to the fixpoint.
    pub(super) fn search(&mut self) -> Result<Searched, Error> {
        let ((mut explored, rounds), learned) = self.attempt(Job::explore)?;
        explored.spread(&learned.system);
        let apart = explored.split > 0;
        Ok(Searched { explored, rounds, apart, simulated: None, learned })
    }

    /// Explores until the stubborn sets have relied on nothing that grew; a violation has to stand up.
    fn explore(&self, system: &mut System, initial: &StateVector) -> Result<(Explored, usize), Interrupt> {
        let classes = self.like_processes();
        let mut plan = self.plan(system, classes.as_ref());
        let (explored, rounds) = self.to_fixpoint(system, initial, &mut plan, self.uses())?;
        let mut explored = self.unless_refuted(system, initial, plan, explored)?;
        explored.name_processes(system, &self.properties)?;
        Ok((explored, rounds))
    }

    /// The order of exploration.
    pub(super) fn order(&self) -> Search {
        self.checker.search.unwrap_or(match self.checker.subsumption {
            _ if self.is_dense() => Search::Reads,
            true => Search::Faults,
            false => Search::Bfs,
        })
    }

    /// The uses of footprints that this check allows. Ends of parts can't be combined where states stand for their orbits; a
    /// walk that hunts for bugs has to come to ends of the whole; and with `deadlocks = paper` what a process waits for is
    /// worth what all others wait for.
    pub(super) fn uses(&self) -> Uses {
        let hunts = self.checker.score.is_none() && self.order().hunts();
        let is_whole = self.checker.deadlocks == Deadlocks::Paper
            || !self.properties.is_empty() && (hunts || self.like_processes().is_some());
        let splits = self.checker.reduction && !is_whole;
        let reduces = self.checker.reduction;
        // Where datagrams are forgotten, states are expanded once more, for which they have to be kept.
        let forgets = reduces && self.checker.keep == Keep::Exact;
        let (seeks_helpless, merges_after) = (self.seeks_helpless(), self.merges_after());
        Uses { splits, stubborn: reduces, clocks: true, forgets, seeks_helpless, merges_after }
    }

    /// Whether a process that waits for ever while others go on is a deadlock.
    fn seeks_helpless(&self) -> bool {
        self.checker.deadlocks != Deadlocks::Paper
    }

    /// The number of states after which states that no receiver can tell apart are merged, if that is allowed.
    fn merges_after(&self) -> Option<usize> {
        let Checker { reduction, subsumption, depth_max, messages_max, at_most, tasks, keep, .. } = self.checker;
        let has_budget = at_most.is_some() || !self.declared.crashes.is_empty();
        let is_bounded = depth_max < usize::MAX || messages_max.is_some() || has_budget;
        // With subsumption, a state is left out for one with more faults as it is.
        let is_by_faults = self.order() == Search::Faults && subsumption;
        let is_plain = matches!(self.order(), Search::Bfs | Search::Dfs) || is_by_faults;
        let is_watched = self.has_monitors() || self.has_peers();
        let excludes = is_bounded || is_watched || self.is_dense() || self.demands.clock || tasks == Tasks::Tracked;
        let may = reduction
            && is_plain
            && self.checker.score.is_none()
            && keep == Keep::Exact
            && !excludes
            && self.like_processes().is_none();
        may.then_some(self.checker.merges_after)
    }

    /// Whether footprints tell what processes have to do with each other: unless it was seen that not all is known of what
    /// depends on what, or turns are those of all.
    fn has_footprints(&self) -> bool {
        self.unreduced.is_none() && self.declared.deviations.is_none()
    }

    fn footprints(&self, uses: Uses) -> Option<Footprints> {
        self.has_footprints().then(|| Footprints::new(uses))
    }

    /// How the space is explored.
    pub(super) fn plan<'a>(&'a self, system: &System, classes: Option<&'a Classes>) -> Plan<'a> {
        let Checker { subsumption, keep, threads, .. } = self.checker;
        Plan {
            search: self.order(),
            score: self.checker.score.as_ref(),
            keep,
            // A state that covers another may lose more datagrams.
            subsumes: subsumption && system.demands.losses == 0 || self.is_dense(),
            compares_channels: subsumption && system.demands.losses == 0,
            symmetry: classes,
            patience: PATIENCE_STATES,
            limits: self.limits(),
            threads,
            progress: &self.progress,
            advisor: self,
        }
    }

    /// Explores until the footprints that were relied on have not grown; also says in how many rounds.
    pub(super) fn to_fixpoint(
        &self,
        system: &mut System,
        initial: &StateVector,
        plan: &mut Plan<'_>,
        uses: Uses,
    ) -> Result<(Explored, usize), Interrupt> {
        // Without reduction, a first round with one clock for all learns what the programs do in earnest. Only if one of
        // them can go round may it keep time from passing for others, which then needs to be known not to meet it.
        let mut has_one_clock = !uses.stubborn && self.has_footprints();
        let mut footprints = match has_one_clock {
            true => self.footprints(Uses { clocks: false, ..uses }).filter(|_| uses.forgets),
            false => self.footprints(uses),
        };
        let outcomes_max = self.checker.states_max;
        let (mut limited, mut states_before) = (0, 0);
        for round in 1.. {
            let mut explored = explore(system, initial, *plan, footprints.as_mut(), &self.properties)?;
            explored.states_before = states_before;
            states_before += explored.store.len();
            let grew = match &mut footprints {
                Some(footprints) => footprints.end_round(system, &explored.store)?,
                None => false,
            };
            let is_believed = explored.found.is_some() && (footprints.is_none() || explored.is_believed());
            // With what has been learned since, another round may stay below the limit.
            limited += usize::from(explored.limit == Some(Limit::States));
            let is_over = !grew || explored.is_cut_off() || limited > LIMITED_ROUNDS_MAX;
            if is_over {
                explored.judge_ends(system, &self.properties, footprints.as_mut().filter(|_| !grew), outcomes_max)?;
            }
            let goes_on = is_over && explored.limit.is_none() && explored.found.is_none();
            if has_one_clock && goes_on && system.learner.has_cycles() {
                has_one_clock = false;
                self.progress.begin_again("with a clock for each of the processes that never meet");
                footprints = self.footprints(uses);
                continue;
            }
            if explored.is_combination_doubtful {
                self.progress.begin_again("with all processes together, since ends of each may not go together");
                footprints = self.footprints(Uses { splits: false, ..uses });
                continue;
            }
            if let (true, Some(footprints)) = (is_over, &footprints) {
                explored.close_classes(system, footprints);
            }
            if is_over && !grew {
                explored.believe(system, &self.properties)?;
            }
            if is_believed || is_over {
                return Ok((explored.unless_doubtful(grew), round));
            }
            if round >= ROUNDS_MAX {
                footprints = None;
            }
            self.progress.begin_again("since more was learned of what the programs do");
            plan.search = plan.search.again();
            plan.patience = plan.patience.saturating_mul(2);
        }
        unreachable!("footprints are finite")
    }

    /// A violation that could not be taken through the full semantics, where all units have one clock, is looked for
    /// without reduction. If the full space is small, that tells.
    fn unless_refuted(
        &self,
        system: &mut System,
        initial: &StateVector,
        plan: Plan<'_>,
        explored: Explored,
    ) -> Result<Explored, Interrupt> {
        if explored.found.is_none() || explored.is_believed() || !self.checker.reduction {
            return Ok(explored);
        }
        self.progress.begin_again("without reduction, to see whether what was found can really happen");
        let full = self.explore_in_full(system, initial, plan)?;
        // Beyond our own bound it is believed; beyond the user's, nothing is known.
        let tells = full.limit.is_none() || self.checker.states_max <= FULL_STATES_MAX;
        Ok(if tells { full } else { explored })
    }

    /// Explores without reduction, up to a bound.
    fn explore_in_full(
        &self,
        system: &mut System,
        initial: &StateVector,
        plan: Plan<'_>,
    ) -> Result<Explored, Interrupt> {
        let states_max = FULL_STATES_MAX.min(self.checker.states_max);
        let mut plan = Plan { limits: Limits { states_max, ..plan.limits }, ..plan };
        let (forgets, seeks_helpless) = (plan.keep == Keep::Exact, self.seeks_helpless());
        let uses = Uses { clocks: true, forgets, seeks_helpless, ..Uses::default() };
        Ok(self.to_fixpoint(system, initial, &mut plan, uses)?.0)
    }
}
