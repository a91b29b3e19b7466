//! The report of a check: its findings and figures.

use crate::printable::printable;
use crate::profile::Profile;
use crate::trace::automaton::Automaton;
use crate::trace::counterexample::Counterexample;
use crate::trace::html;
use netcheck_peer::PeerCounts;
use netcheck_runtime::search::simulate::Simulated;
use std::fmt;
use std::time::Duration;

/// The verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No execution within the declared faults violates a property; with a
    /// [`duration`](crate::check::Checker::duration), within that time; with
    /// [`deviations`](crate::check::Checker::deviations), in none with so few.
    Verified,
    /// An execution violates a property: see the counterexample.
    Violated,
    /// A limit was hit before everything was explored, and no violation had been found by then.
    Inconclusive,
}

/// The report of a check: its findings and figures.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) verdict: Verdict,
    pub(crate) limit: Option<String>,
    /// The horizon, in the programs' time.
    pub(crate) duration: Option<Duration>,
    /// The steps of an execution that could come out of turn, where they were bounded.
    pub(crate) deviations: Option<usize>,
    pub(crate) uncaptured: Vec<String>,
    pub(crate) claims: Vec<(String, bool)>,
    /// A sentence for each of them that did not hold.
    pub(crate) unheld: Vec<String>,
    pub(crate) never_completed: Vec<String>,
    pub(crate) figures: Figures,
    pub(crate) simulated: Option<Simulated>,
    pub(crate) counterexample: Option<Counterexample>,
    /// The walk for executions that never end, if there was one.
    pub(crate) walk: Option<Walk>,
    /// By process: every value that it ended with.
    pub(crate) outputs: Vec<(String, Vec<String>)>,
    /// Real peers by name.
    pub(crate) peers: Vec<(String, PeerCounts)>,
    pub(crate) automata: Vec<Automaton>,
    pub(crate) monitors: Vec<Automaton>,
    pub(crate) profile: Profile,
    pub(crate) like_processes: Vec<Vec<String>>,
    pub(crate) asymmetries: Vec<String>,
    /// Reductions that were asked for and left out, each with the reason, and statics that are no part of local states.
    pub(crate) left_out: Vec<String>,
    /// Declarations that mean nothing.
    pub(crate) warnings: Vec<String>,
    /// Whether local states should be told apart by memory, and were not.
    pub(crate) is_forgetful: bool,
    /// How many runs of the process have ended and left memory behind.
    pub(crate) leaking_runs: usize,
    /// Whether runs had statics of their own, and have changed some.
    pub(crate) has_own_statics: bool,
    /// Whether the reduction was given up.
    pub(crate) is_given_up: bool,
    /// Whether the programs have printed something, which was dropped.
    pub(crate) has_printed: bool,
    /// In dense time: how much was reduced.
    pub(crate) dense: Option<&'static str>,
}

/// A walk for executions that never end.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// The states that were walked.
    pub(crate) states: usize,
    /// Whether a limit was reached.
    pub(crate) is_given_up: bool,
    /// The units that go round without any time that passes.
    pub(crate) standing_still: Vec<String>,
}

impl fmt::Display for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Walk { states, is_given_up, standing_still } = self;
        match is_given_up {
            false if !standing_still.is_empty() => write!(
                f,
                "{states} states walked for executions that never end\n  \
                 a loop in which no time passes, so that timers of those whom it reaches do not fire: {}",
                standing_still.join(", ")
            ),
            true => write!(
                f,
                "whether all processes end at last was not checked: {states} states were walked, and there are more; \
                 `liveness = on` walks all of them"
            ),
            false => write!(f, "{states} states walked for executions that never end"),
        }
    }
}

/// The figures of a check.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) states: usize,
    pub(crate) transitions: u64,
    pub(crate) pruned: u64,
    pub(crate) subsumed: u64,
    pub(crate) omission_probability: Option<f64>,
    pub(crate) confusion_probability: Option<f64>,
    pub(crate) depth: usize,
    pub(crate) terminals: u64,
    pub(crate) suppressed_deadlocks: u64,
    pub(crate) polls: u64,
    pub(crate) operations: u64,
    pub(crate) local_states: usize,
    pub(crate) rounds: usize,
    pub(crate) states_of_all_rounds: usize,
    pub(crate) memory_bytes: usize,
    pub(crate) set_back: u64,
    pub(crate) copies_bytes: usize,
}

impl Report {
    /// The verdict of the check.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The steps of an execution that could come out of turn; `None`: all. See
    /// [`Checker::deviations`](crate::check::Checker::deviations).
    pub fn deviations(&self) -> Option<usize> {
        self.deviations
    }

    /// The first so much of the programs' time that was explored; `None`: all of it. See
    /// [`Checker::duration`](crate::check::Checker::duration).
    pub fn duration(&self) -> Option<Duration> {
        self.duration
    }

    /// Distinct global states that were visited; with symmetry, one of each orbit.
    pub fn states(&self) -> usize {
        self.figures.states
    }

    /// Steps that were taken between them.
    pub fn transitions(&self) -> u64 {
        self.figures.transitions
    }

    /// The number of steps to the state that is farthest from the start, in the order of the search.
    pub fn depth(&self) -> usize {
        self.figures.depth
    }

    /// States in which no step is possible any more; of processes that never meet, the ends of each by itself.
    pub fn terminals(&self) -> u64 {
        self.figures.terminals
    }

    /// Terminal states that would be deadlocks if daemons were not allowed to wait for ever.
    pub fn suppressed_deadlocks(&self) -> u64 {
        self.figures.suppressed_deadlocks
    }

    /// How often user code was polled.
    pub fn polls(&self) -> u64 {
        self.figures.polls
    }

    /// How many operations user code really executed: outcomes that were taken for the first time.
    pub fn operations(&self) -> u64 {
        self.figures.operations
    }

    /// Local states learned, of all processes together.
    pub fn local_states(&self) -> usize {
        self.figures.local_states
    }

    /// How often the space was explored until the stubborn sets relied on no footprint that grew.
    pub fn rounds(&self) -> usize {
        self.figures.rounds
    }

    /// States that were visited in all of these rounds together; [`Report::states`] are those of the last one.
    pub fn states_of_all_rounds(&self) -> usize {
        self.figures.states_of_all_rounds
    }

    /// Bytes held for the visited states.
    pub fn memory_bytes(&self) -> usize {
        self.figures.memory_bytes
    }

    /// How often a run of a program was set back to a copy, instead of being polled through its whole history; see
    /// [`Checker::max_copies`](crate::check::Checker::max_copies).
    pub fn set_back(&self) -> u64 {
        self.figures.set_back
    }

    /// Bytes that copies of runs take.
    pub fn copies_bytes(&self) -> usize {
        self.figures.copies_bytes
    }

    /// Moves that were possible in the states and were not explored, because a stubborn set without
    /// them shows the same.
    pub fn pruned(&self) -> u64 {
        self.figures.pruned
    }

    /// States that were not explored because a visited one covers them, or can't be told apart by any receiver; see
    /// [`Checker::subsumption`](crate::check::Checker::subsumption) and
    /// [`Checker::merge_after`](crate::check::Checker::merge_after).
    pub fn subsumed(&self) -> u64 {
        self.figures.subsumed
    }

    /// The processes and isolated tasks that were taken to be alike, class by class: states that differ only by a
    /// permutation of them were visited once; see [`Checker::symmetry`](crate::check::Checker::symmetry).
    pub fn like_processes(&self) -> &[Vec<String>] {
        &self.like_processes
    }

    /// Why processes that seemed to be alike were told apart, where symmetry was asked for.
    pub fn asymmetries(&self) -> &[String] {
        &self.asymmetries
    }

    /// The reductions that were left out because of a monitor, each with the reason.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// A sentence for each declaration that means nothing: a group of packets to which no packet can belong, because the groups before it
    /// take all of its packets. The check is right without it.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How probable it is, at the most, that states were missed because only fingerprints were
    /// kept; `None` if whole states were.
    pub fn omission_probability(&self) -> Option<f64> {
        self.figures.omission_probability
    }

    /// How probable it is, at the most, that two different local states were taken to be one because of their hashes:
    /// 128 bits of an image of the program's memory. `None` if they were not told apart by memory
    /// ([`Identity`](crate::check::Identity)).
    pub fn confusion_probability(&self) -> Option<f64> {
        self.figures.confusion_probability
    }

    /// The figures of a simulation; `None` if a search was made. With them, [`Report::transitions`] counts the steps of
    /// all executions, [`Report::terminals`] their ends, and there is no visited state but the first.
    pub fn simulated(&self) -> Option<&Simulated> {
        self.simulated.as_ref()
    }

    /// Why the verdict is `Inconclusive`: which limit was hit, or which claim never held.
    pub fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }

    /// The annotated loops whose heads identified no local state, each with the reason: their local states are told
    /// apart by their whole histories, so that an endless loop never closes.
    pub fn uncaptured_loops(&self) -> &[String] {
        &self.uncaptured
    }

    /// The names of all `sometimes!` that were met or demanded, sorted, and whether each held in
    /// some execution. If one did not, the verdict is `Inconclusive`: the check is vacuous.
    pub fn claims(&self) -> &[(String, bool)] {
        &self.claims
    }

    /// The operations that were waited for in some execution and completed in none, each with its source line: a
    /// time-out that never elapses, an accept to which no client connects.
    pub fn never_completed(&self) -> &[String] {
        &self.never_completed
    }

    /// The states that were walked for executions that never end ([`Checker::liveness`](crate::check::Checker::liveness)): 0 if
    /// what the processes do tells that there is none; `None` if that was not checked, or not to its end.
    pub fn walked(&self) -> Option<usize> {
        self.walk.as_ref().filter(|walk| !walk.is_given_up).map(|walk| walk.states)
    }

    /// The execution that violates a property.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        self.counterexample.as_ref()
    }

    /// The counterexample as a page for a browser, complete in itself: a sequence diagram to step through, and what
    /// each process was seen to do as a state machine, and the monitors.
    pub fn html(&self) -> Option<String> {
        let counterexample = self.counterexample.as_ref()?;
        Some(html::page(counterexample, &self.machines(), "", None))
    }

    /// The automata and monitors that the page draws below the diagram.
    pub(crate) fn machines(&self) -> Vec<Automaton> {
        [&self.automata[..], &self.monitors].concat()
    }

    /// Every value that a process ended with, as its Debug text, sorted, without repeats.
    /// Complete if the verdict is `Verified`.
    ///
    /// # Panics
    /// If no process has this name.
    #[track_caller]
    pub fn outputs(&self, process: &str) -> &[String] {
        match self.outputs.iter().find(|(name, _)| name == process) {
            Some((_, outputs)) => outputs,
            // Not in a closure: that would be the caller.
            None => panic!("no process is named \"{process}\""),
        }
    }

    /// How much was asked of each real peer ([`Network::external`](crate::Network::external)), by its name.
    pub fn peers(&self) -> &[(String, PeerCounts)] {
        &self.peers
    }

    /// The automata of the processes, as they were seen, then those of the isolated tasks of each name. Processes that took no
    /// step are left out. Each of several like processes is shown with all that any of them was seen to do.
    pub fn automata(&self) -> &[Automaton] {
        &self.automata
    }

    /// Where the size of the check comes from, and what may make it smaller. An inconclusive report prints it.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The automaton of a process, or of an isolated task as `process/function`, as it was seen.
    ///
    /// # Panics
    /// If no process or task has this name, or it took no step.
    #[track_caller]
    pub fn automaton(&self, name: &str) -> &Automaton {
        let names = || self.automata.iter().map(Automaton::name).collect::<Vec<_>>().join(", ");
        let named = self.automata.iter().find(|automaton| automaton.name() == name);
        named.unwrap_or_else(|| panic!("nobody named \"{name}\" took a step; there are: {}", names()))
    }
}

impl Report {
    /// The bounds within which everything was explored, behind `verified`.
    fn bounds_in_words(&self) -> String {
        let within = self.duration.map(|duration| format!(" within {} s", duration.as_secs_f64()));
        let with = self.deviations.map(|steps| match steps {
            0 => " without a deviation".to_owned(),
            1 => " with at most 1 deviation".to_owned(),
            _ => format!(" with at most {steps} deviations"),
        });
        [within, with].into_iter().flatten().collect()
    }

    /// The verdict and the figures.
    pub(crate) fn summary(&self) -> String {
        let Figures { states, transitions, depth, terminals, suppressed_deadlocks, polls, .. } = self.figures;
        let verdict = match (self.verdict, &self.limit) {
            (Verdict::Verified, _) => format!("verified{}", self.bounds_in_words()),
            (Verdict::Violated, _) => "violated".to_owned(),
            (Verdict::Inconclusive, Some(limit)) => format!("inconclusive: {limit}"),
            (Verdict::Inconclusive, None) => "inconclusive".to_owned(),
        };
        let mut text = format!(
            "{verdict} ({states} states, {transitions} transitions, depth {depth}, {terminals} ends, \
             {suppressed_deadlocks} suppressed deadlocks, {polls} polls of the programs)\n"
        );
        if let Some(simulated) = &self.simulated {
            let Figures { local_states, .. } = self.figures;
            let about = simulated.coverage();
            text = format!(
                "{verdict} ({transitions} steps, the longest execution {depth}, {about}, {local_states} local states, \
                 {polls} polls of the programs)\n"
            );
        }
        if let Some(probability) = self.figures.omission_probability {
            text.push_str(&format!(
                "  fingerprints of states were kept: with a probability of up to {probability:.0e} some were missed\n"
            ));
        }
        let is_worth_telling = |walk: &&Walk| walk.states > 0 && self.verdict != Verdict::Inconclusive;
        text.extend(self.walk.iter().filter(is_worth_telling).map(|walk| format!("  {walk}\n")));
        text.extend(self.like_processes.iter().map(|class| format!("  like processes: {}\n", class.join(", "))));
        text.extend(self.asymmetries.iter().map(|reason| format!("  no symmetry: {reason}\n")));
        text.extend(self.left_out.iter().map(|reason| format!("  {reason}\n")));
        if self.verdict == Verdict::Inconclusive {
            text.extend(self.unheld.iter().map(|claim| format!("  {claim}\n")));
        }
        text.extend(self.warnings.iter().map(|warning| format!("  warning: {warning}\n")));
        if self.is_forgetful && self.leaking_runs > 0 {
            text.push_str(&format!(
                "  local states by history, not by memory, where there was no room for another run: {} runs of programs \
                 that are checked in this process have left memory behind (`Box::leak`, a cycle of `Arc`s)\n",
                self.leaking_runs
            ));
        } else if self.is_forgetful {
            text.push_str(
                "  local states by history, not by memory: this needs 64-bit Linux on x86_64 or aarch64, the feature \
                 `memory`, no other global allocator, and address space\n",
            );
        }
        if self.is_given_up {
            text.push_str(
                "  without reduction: with it, timers fired too early, and a loop without an await was never left\n",
            );
        }
        text.extend(self.peers.iter().map(|(name, counts)| format!("  external \"{name}\": {counts}\n")));
        if let Some(reduced) = self.dense {
            let subsumed = self.figures.subsumed;
            text.push_str(&format!(
                "  in dense time (`delay`): {subsumed} states subsumed; {reduced}; without symmetry and orders of tasks, \
                 which are not argued there\n"
            ));
        }
        if self.verdict == Verdict::Inconclusive {
            let each = self.uncaptured.iter().map(|line| format!("  not captured: the loop at {line}\n"));
            text.extend(each);
            if self.simulated.is_none() {
                text.push_str(&self.profile.to_string());
            }
        } else if let Some(differences) = self.profile.differences() {
            text.push_str(&differences.to_string());
        }
        printable(&text).into_owned()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())?;
        self.counterexample.iter().try_for_each(|counterexample| counterexample.fmt(f))
    }
}
