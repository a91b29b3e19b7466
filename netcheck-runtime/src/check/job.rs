//! One check: searches to the fixpoint, shortens what it found and confirms it.

use super::automata::automata;
use super::coverage::Coverage;
use super::{Checker, Tasks, order};
use crate::error::Error;
use crate::id::{ProcessId, UnitId};
use crate::network::{Network, Registered};
use crate::property::Properties;
use crate::reduction::footprint::Footprints;
use crate::reduction::proviso;
use crate::reduction::successors::Leg;
use crate::reduction::symmetry::{Classes, Known};
use crate::replay::{End, Replayed, perform, replay, script};
use crate::report::{Figures, Report, Verdict};
use crate::search::audit::audit;
use crate::search::estimate::{Estimate, estimate};
use crate::search::explore::explore;
use crate::search::explored::Explored;
use crate::search::frontier::Search;
use crate::search::minimal::{Bounds, Cost, Minimal, cost, minimal};
use crate::search::plan::{Limit, Limits, Plan};
use crate::search::progress::{Phase, Progress};
use crate::state::declared::{Declared, Demands};
use crate::state::enabled::Transition;
use crate::state::place::StateVector;
use crate::state::store::Keep;
use crate::state::store::StateId;
use crate::state::system::{Asymmetry, Interrupt, LikeTasks, Registration, System};
use crate::trace::counterexample::Counterexample;
use crate::trace::situation::Situations;
use crate::trace::source;
use crate::trace::step::Step;
use crate::unit::caller::are_lines_known;
use crate::unit::context::{Host, Shared, task_name};
use crate::unit::instance::Program;
use crate::unit::watchdog::Watch;
use crate::violation::{Found, ViolationKind};
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::rc::Rc;
use std::sync::Arc;

/// States that the first round of the reduced search goes on for when a footprint has grown; each further round, twice
/// as many.
const PATIENCE_STATES: u64 = 4_096;

/// Rounds of the reduced search that may hit `max_states`, but for one.
const LIMITED_ROUNDS_MAX: usize = 4;

/// States that are visited at the most to find the least counterexample.
const SHORTENING_STATES_MAX: usize = 50_000;

/// One check on its own thread.
pub(super) struct Job {
    pub(super) checker: Checker,
    pub(super) registered: Network,
    watch: Arc<Watch>,
    pub(super) progress: Arc<Progress>,
    pub(super) declared: Declared,
    after: Vec<Vec<ProcessId>>,
    pub(super) properties: Properties,
    demands: Demands,
    /// What was seen of processes that are not alike.
    asymmetries: Vec<Asymmetry>,
    /// Isolated tasks that were seen to be spawned together, and pairs of them that are not alike.
    tasks: Vec<(LikeTasks, Vec<[u32; 2]>)>,
}

impl Job {
    pub(super) fn new(
        checker: Checker,
        mut registered: Network,
        watch: Arc<Watch>,
        progress: Arc<Progress>,
    ) -> Result<Job, Error> {
        let names: Vec<&str> = registered.processes.iter().map(|process| process.name.as_str()).collect();
        if names.is_empty() {
            return Err(Error::new(
                "there is nothing to check: register a process with `net.process(\"name\", || async { … })`".to_owned(),
            ));
        }
        let declared = Declared {
            udp: checker.udp.as_ref().map(|udp| udp.faults(&names)).transpose()?,
            tcp: checker.tcp.as_ref().map(|tcp| tcp.rules(&names)).transpose()?.unwrap_or_default(),
            at_most: checker.at_most.map(|faults| u32::try_from(faults).unwrap_or(u32::MAX)),
        };
        if declared.tcp.first.is_some() && !are_lines_known() {
            return Err(Error::new(
                "tcp(first = …) counts how often each source line makes a call, and this build does not tell lines: \
                 add `debug = \"line-tables-only\"` to its profile in Cargo.toml"
                    .to_owned(),
            ));
        }
        let after = order::of(&registered.processes)?;
        let properties = Properties {
            finally: std::mem::take(&mut registered.finally),
            closed: registered.closed,
            deadlocks: checker.deadlocks,
        };
        let (demands, asymmetries, tasks) = (Demands::default(), Vec::new(), Vec::new());
        Ok(Job { checker, registered, watch, progress, declared, after, properties, demands, asymmetries, tasks })
    }

    /// A system in which nothing has been learned.
    fn system(&self) -> (System, StateVector) {
        let host = |(index, process): (usize, &Registered)| {
            let number = index as u32 + 1;
            let [_, b, c, d] = number.to_be_bytes();
            Host {
                name: process.name.clone(),
                v4: Ipv4Addr::new(10, b, c, d),
                v6: Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, (number >> 16) as u16, number as u16),
            }
        };
        let hosts = self.registered.processes.iter().enumerate().map(host).collect();
        let shared = Rc::new(Shared::new(hosts, Arc::clone(&self.watch)));
        let process = |(process, after): (&Registered, &Vec<ProcessId>)| {
            let factory = Arc::clone(&process.factory);
            let program = Program {
                factory: Box::new(move || factory()),
                location: process.location,
                endpoints: Vec::new(),
                streams: Vec::new(),
            };
            Registration { daemon: process.daemon, after: after.clone(), program }
        };
        let processes = self.registered.processes.iter().zip(&self.after).map(process).collect();
        shared.tracks.set(self.checker.tasks == Tasks::Tracked);
        shared.captures.set(self.checker.capture);
        // Which execution of its line a call is, is known only if calls are traced.
        shared.traces.set(self.declared.tcp.first.is_some());
        shared.executions_max.set(self.declared.tcp.first.map_or(u32::MAX, |first| first.saturating_add(1)));
        let mut system = System::new(shared, processes, self.declared.clone(), self.demands);
        let initial = system.initial();
        (system, initial)
    }

    /// Runs `attempt` on a fresh system, again whenever it learns of a demand.
    pub(super) fn attempt<R>(
        &mut self,
        mut attempt: impl FnMut(&Job, &mut System, &StateVector) -> Result<R, Interrupt>,
    ) -> Result<(R, System), Error> {
        loop {
            let (mut system, initial) = self.system();
            match attempt(self, &mut system, &initial) {
                Ok(result) => return Ok((result, system)),
                Err(Interrupt::Diagnostic(diagnostic)) => return Err(Error::new(diagnostic.0)),
                Err(Interrupt::Demands(demands)) => self.demands = demands,
                Err(Interrupt::Likeness(tasks)) => self.tasks.push((tasks, Vec::new())),
                Err(Interrupt::Asymmetry(asymmetry)) => {
                    self.tell_tasks_apart(&system, &asymmetry);
                    self.asymmetries.push(asymmetry);
                }
            }
        }
    }

    /// If it is about isolated tasks.
    fn tell_tasks_apart(&mut self, system: &System, asymmetry: &Asymmetry) {
        let Some(pair) = asymmetry.between else { return };
        let infos = pair.map(|unit| system.shared().unit(unit));
        let [Some((name, a)), Some((_, b))] = infos.each_ref().map(|info| info.ordinal) else { return };
        for (tasks, unlike) in &mut self.tasks {
            if tasks.of == infos[0].process && tasks.name == name && tasks.indices.contains(&a) {
                unlike.push([a, b]);
            }
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            states_max: self.checker.states_max,
            depth_max: self.checker.depth_max,
            memory_bytes_max: self.checker.memory_bytes_max,
        }
    }

    /// Which limit was reached, and what to do.
    pub(super) fn limit_in_words(&self, limit: Limit) -> String {
        let Checker { states_max, depth_max, memory_bytes_max, .. } = self.checker;
        match limit {
            Limit::States => {
                format!("max_states = {states_max} was reached; raise it, or declare fewer faults or smaller bounds")
            }
            Limit::Depth => {
                format!("max_depth = {depth_max} was reached; raise it, or bound the loops of the programs")
            }
            Limit::Memory => format!(
                "max_memory = {memory_bytes_max} bytes was reached; raise it, or keep fingerprints of states only \
                 (`store = fingerprint`)"
            ),
            Limit::Interrupt => format!("interrupted while {}", self.progress.phase()),
        }
    }

    pub(super) fn check(mut self) -> Result<Report, Error> {
        let (explored, rounds, mut system, counterexample) = loop {
            let ((mut explored, rounds), mut system) = self.attempt(Job::explore)?;
            explored.spread();
            let Some((at, found)) = explored.found.clone() else { break (explored, rounds, system, None) };
            // In the full semantics the execution may come to something else first.
            let first = explored.concrete.as_ref().map_or(&found, |(_, first)| first);
            if first.is_error {
                return Err(Error::new(first.message.clone()));
            }
            let demands = self.demands;
            match self.counterexample(&mut system, &mut explored, at, &found) {
                // Only on the way to the least execution was it seen what the programs demand.
                _ if self.demands != demands => {}
                counterexample => break (explored, rounds, system, Some(counterexample?)),
            }
        };
        let coverage = Coverage::of(&system, &explored.taken, &self.registered);
        let vacuous = coverage.vacuous().filter(|_| counterexample.is_none() && explored.limit.is_none());
        let verdict = match (&counterexample, explored.limit) {
            (Some(_), _) => Verdict::Violated,
            (None, None) if vacuous.is_none() => Verdict::Verified,
            (None, _) => Verdict::Inconclusive,
        };
        let limit = explored.limit.map(|limit| self.limit_in_words(limit));
        let limit = limit.or(vacuous);
        let learned = &system.learner.automata;
        let figures = Figures {
            states: explored.store.len(),
            transitions: explored.transitions,
            pruned: explored.pruned,
            subsumed: explored.subsumed,
            omission_probability: explored.store.omission_probability(),
            depth: explored.depth,
            terminals: explored.terminals,
            suppressed_deadlocks: explored.suppressed_deadlocks,
            polls: system.learner.polls,
            operations: learned.edges.len() as u64,
            local_states: learned.nodes.len(),
            rounds,
            memory_bytes: explored.store.memory_bytes(),
        };
        if verdict == Verdict::Verified {
            self.audit(&mut system, &explored)?;
        }
        let outputs = self.outputs(&system, &explored);
        let Coverage { claims, never_completed } = coverage;
        let claims = claims.into_iter().collect();
        let automata = automata(&system, &explored.taken);
        let (like_processes, asymmetries) = self.symmetry();
        let checkpoints = system.shared().checkpoints.borrow();
        let uncaptured = checkpoints.all_uncaptured().map(|(line, why)| format!("{line}: {why}")).collect();
        Ok(Report {
            verdict,
            limit,
            figures,
            counterexample,
            outputs,
            uncaptured,
            claims,
            never_completed,
            automata,
            like_processes,
            asymmetries,
        })
    }

    /// Explores some of the states again, without reduction; an error if that shows what the search should have seen.
    fn audit(&self, system: &mut System, explored: &Explored) -> Result<(), Error> {
        let Checker { reduction, symmetry, audit: is_asked_for, .. } = self.checker;
        // With symmetry, a state stands for others whose steps have not all been taken.
        if !is_asked_for || !reduction || symmetry {
            return Ok(());
        }
        self.progress.begin(Phase::Auditing);
        let missed = match audit(system, &self.properties, explored, &self.progress) {
            Ok(missed) => missed,
            Err(Interrupt::Demands(_)) => Some("that a program reads the clock, or uses `faults::scope`".to_owned()),
            Err(interrupt) => return Err(interrupted(interrupt)),
        };
        match missed {
            None => Ok(()),
            Some(missed) => Err(Error::new(format!(
                "the reduction has missed something, which is a defect of netcheck: please report it\n  \
                 missed: {missed}\n  \
                 until it is mended, check with `reduction = false`"
            ))),
        }
    }

    /// The processes and tasks that may be alike, as far as is known; `None` if nobody asks, or it is given up.
    fn like_processes(&self) -> Option<Classes> {
        let processes = &self.registered.processes;
        let (tracked, given_up) = (self.checker.tasks == Tasks::Tracked, self.asymmetries.iter().any(is_hopeless));
        let tasks: usize = self.tasks.iter().map(|(tasks, _)| tasks.indices.len()).sum();
        let are_too_many = self.asymmetries.len() > 2 * (processes.len() + tasks);
        if !self.checker.symmetry || tracked || given_up || are_too_many {
            return None;
        }
        let kind = |process: &Registered| (process.factory_type, process.daemon);
        let first = |of: &Registered| processes.iter().position(|process| kind(process) == kind(of));
        let kinds: Vec<usize> = processes.iter().filter_map(first).collect();
        let unlike = self.asymmetries.iter().filter_map(|seen| seen.between);
        let unlike: Vec<[ProcessId; 2]> = unlike.map(|pair| pair.map(|UnitId(index)| ProcessId(index))).collect();
        let (after, declared, tasks) = (&self.after, &self.declared, &self.tasks);
        Some(Classes::of(&Known { kinds: &kinds, after, declared, unlike: &unlike, tasks }))
    }

    /// Which processes were taken to be alike, and why others were not.
    fn symmetry(&self) -> (Vec<Vec<String>>, Vec<String>) {
        let like = self.like_processes().unwrap_or_default();
        let are_empty = like.are_empty();
        let Classes { classes, tasks, left_out, .. } = like;
        let names = |processes: &Vec<ProcessId>| -> Vec<String> {
            processes.iter().map(|process| self.registered.processes[process.0 as usize].name.clone()).collect()
        };
        let mut reasons: Vec<String> = self.asymmetries.iter().map(|seen| seen.reason.clone()).collect();
        reasons.dedup();
        if !left_out.is_empty() {
            reasons.push(format!("of {}, there would be too many permutations", names(&left_out).join(", ")));
        }
        if self.checker.symmetry && self.checker.tasks == Tasks::Tracked {
            reasons.push("what tracked tasks share is not known by number (`tasks = tracked`)".to_owned());
        } else if self.checker.symmetry && are_empty && reasons.is_empty() {
            reasons
                .push("no two processes are registered with the same closure or function, in the same way".to_owned());
        }
        let task_names = |LikeTasks { of, name, indices }: &LikeTasks| -> Vec<String> {
            let process = &self.registered.processes[of.0 as usize].name;
            indices.iter().map(|&index| task_name(process, name, index)).collect()
        };
        (classes.iter().map(names).chain(tasks.iter().map(task_names)).collect(), reasons)
    }

    pub(super) fn estimate(mut self) -> Result<Estimate, Error> {
        let attempt = |job: &Job, system: &mut System, initial: &StateVector| {
            let mut footprints = job.checker.reduction.then(Footprints::default);
            estimate(system, initial, footprints.as_mut(), &job.properties, job.checker.states_max)
        };
        Ok(self.attempt(attempt)?.0)
    }

    /// Explores until the stubborn sets have relied on nothing that grew.
    fn explore(&self, system: &mut System, initial: &StateVector) -> Result<(Explored, usize), Interrupt> {
        let Checker { reduction, subsumption, keep, threads, .. } = self.checker;
        let classes = self.like_processes();
        let mut plan = Plan {
            search: self.checker.order(),
            score: self.checker.score.as_ref(),
            keep,
            subsumes: subsumption,
            symmetry: classes.as_ref(),
            patience: PATIENCE_STATES,
            limits: self.limits(),
            threads,
            progress: &self.progress,
        };
        let mut footprints = reduction.then(Footprints::default);
        let mut limited = 0;
        for round in 1.. {
            let mut explored = explore(system, initial, plan, footprints.as_mut(), &self.properties)?;
            let mut grew = footprints.as_mut().is_some_and(|footprints| {
                footprints.update(system);
                let grew = footprints.grew();
                if grew {
                    footprints.forget_endless();
                }
                grew
            });
            if let Some(footprints) = footprints.as_mut().filter(|_| !grew && explored.is_complete()) {
                let violates = |system: &System, step: &Transition| self.properties.step(system, step).is_some();
                let is_over = || self.progress.is_over();
                let phase = self.progress.begin(Phase::Cycles);
                grew = proviso::update(system, footprints, initial, explored.visited(&violates, &is_over))?;
                if self.progress.is_over() {
                    explored.limit = Some(Limit::Interrupt);
                } else {
                    self.progress.begin(phase);
                }
            }
            let is_believed = explored.found.is_some() && (footprints.is_none() || explored.is_believed());
            // With what has been learned since, another round may stay below the limit.
            limited += usize::from(explored.limit == Some(Limit::States));
            let is_over = !grew || explored.is_cut_off() || limited > LIMITED_ROUNDS_MAX;
            if is_over {
                explored.judge_ends(system, &self.properties, !grew)?;
            }
            if is_believed || is_over {
                let explored = explored.unless_doubtful(grew);
                let mut explored = self.unless_refuted(system, initial, plan, explored)?;
                explored.name_processes(system, &self.properties)?;
                return Ok((explored, round));
            }
            plan.patience = plan.patience.saturating_mul(2);
            plan.subsumes &= footprints.as_ref().is_none_or(|footprints| !footprints.has_endless());
        }
        unreachable!("footprints are finite")
    }

    /// A violation that could not be taken through the full semantics may be none: a unit that was not begun may
    /// go round for ever without any time passing, so that no timer fires. If the full space is small, it tells.
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
        let states_max = SHORTENING_STATES_MAX.min(self.checker.states_max);
        let plan = Plan { limits: Limits { states_max, ..plan.limits }, ..plan };
        let full = explore(system, initial, plan, None, &self.properties)?;
        // Beyond our own bound it is believed; beyond the user's, nothing is known.
        let tells = full.limit.is_none() || self.checker.states_max <= SHORTENING_STATES_MAX;
        Ok(if tells { full } else { explored })
    }

    /// Every value that each process ended with.
    fn outputs(&self, system: &System, explored: &Explored) -> Vec<(String, Vec<String>)> {
        let of_unit = |index: usize| {
            let outputs = explored.outputs.iter().filter(|(unit, _)| unit.0 as usize == index);
            let texts: BTreeSet<String> =
                outputs.map(|&(_, output)| system.shared().output(output).text.to_string()).collect();
            texts.into_iter().collect()
        };
        let names = self.registered.processes.iter().enumerate();
        names.map(|(index, process)| (process.name.clone(), of_unit(index))).collect()
    }

    /// The steps to a violation: shortened, and confirmed on fresh futures.
    fn counterexample(
        &mut self,
        system: &mut System,
        explored: &mut Explored,
        at: StateId,
        found: &Found,
    ) -> Result<Counterexample, Error> {
        let (legs, mut found) = match explored.concrete.take() {
            Some(concrete) => concrete,
            None => (explored.path(system, at).map_err(interrupted)?, found.clone()),
        };
        let mut steps = script(system, &legs).map_err(interrupted)?;
        let Shortened { instead, is_least } = match (self.checker.search, &self.checker.score) {
            (Some(Search::Faults), None) => self.with_fewer_faults(&legs)?,
            _ => self.minimal(&found, (legs.len(), cost(system, &legs)))?,
        };
        if let Some(instead) = instead {
            (steps, found) = instead;
        }
        // The steps as they were confirmed: each with the program's own source line.
        let Replayed { steps, situations, end, .. } = self.replay(&steps)?;
        match end {
            End::Violated(again) if is_same(&again, &found) => {
                let confirmed = self.confirmed(again, steps, situations);
                Ok(if is_least { confirmed } else { confirmed.perhaps_not_least() })
            }
            End::Diverged { expected, possible } => Err(Error::diverged(steps.len() + 1, &expected, &possible)),
            end => Err(Error::new(format!(
                "a {} was found that does not happen again on a fresh run of the same execution\n  \
                 found: {}\n  again: {}\n  \
                 if the program uses nothing that differs from run to run (random numbers, std HashMap, statics), \
                 this is a defect of netcheck",
                found.kind,
                found.message,
                match end {
                    End::Violated(again) => again.message,
                    _ => "nothing".to_owned(),
                }
            ))),
        }
    }

    /// An execution with fewer faults, or as many and fewer steps, by faults over all schedules.
    fn with_fewer_faults(&mut self, legs: &[Leg]) -> Result<Shortened, Error> {
        if !self.checker.reduction {
            return Ok(Shortened { is_least: true, instead: None });
        }
        let limits = Limits { states_max: SHORTENING_STATES_MAX.min(self.checker.states_max), ..self.limits() };
        let (better, _) = self.attempt(|job, system, initial| {
            let plan = Plan {
                search: Search::Faults,
                score: None,
                keep: Keep::Exact,
                subsumes: false,
                symmetry: None,
                patience: u64::MAX,
                limits,
                threads: job.checker.threads,
                progress: &job.progress,
            };
            let mut explored = explore(system, initial, plan, None, &job.properties)?;
            let is_least = explored.limit.is_none();
            let Some((at, instead)) = explored.found.clone().filter(|(_, found)| !found.is_error) else {
                return Ok(Shortened { is_least, instead: None });
            };
            let better = explored.path(system, at)?;
            let instead = match (faults(&better), better.len()) < (faults(legs), legs.len()) {
                true => Some((script(system, &better)?, instead)),
                false => None,
            };
            Ok(Shortened { is_least, instead })
        })?;
        Ok(better)
    }

    /// The least execution with the same kind of violation, unless it costs more than the one at hand.
    fn minimal(&mut self, found: &Found, known: (usize, Cost)) -> Result<Shortened, Error> {
        let steps_max = known.0;
        let states_max = SHORTENING_STATES_MAX.min(self.checker.states_max);
        let memory_bytes_max = self.checker.memory_bytes_max;
        self.progress.begin(Phase::Shortening);
        let (shortened, _) = self.attempt(|job, system, initial| {
            let bounds = Bounds { steps_max, states_max, memory_bytes_max, progress: &job.progress };
            let Minimal { least, gave_up } = minimal(system, initial, &job.properties, found.kind, bounds)?;
            let is_least = !gave_up && least.is_some();
            // One that was met before a bound may be no better.
            let better = least.filter(|(legs, _, cost)| is_least || (legs.len(), *cost) < known);
            let instead = match better {
                Some((legs, instead, _)) => Some((script(system, &legs)?, instead)),
                None => None,
            };
            Ok(Shortened { is_least, instead })
        })?;
        Ok(shortened)
    }

    /// Runs steps again on fresh futures.
    pub(super) fn replay(&mut self, steps: &[Step]) -> Result<Replayed, Error> {
        Ok(self.run_again(steps)?.0)
    }

    /// As `replay`; then takes the steps that are possible once more, each after a call of `show`.
    pub(super) fn perform(&mut self, steps: &[Step], show: impl FnMut(usize, &Step)) -> Result<Replayed, Error> {
        let (mut replayed, mut system) = self.run_again(steps)?;
        source::read_lines(&mut replayed.steps);
        perform(&mut system, &replayed, show).map_err(interrupted)?;
        Ok(replayed)
    }

    /// The execution as it reads now, if it violates something.
    pub(super) fn violated(&self, replayed: Replayed) -> Result<Option<Counterexample>, Error> {
        let Replayed { steps, situations, end, .. } = replayed;
        match end {
            End::Violated(found) => Ok(Some(self.confirmed(found, steps, situations))),
            End::Held => Ok(None),
            End::Diverged { expected, possible } => Err(Error::diverged(steps.len() + 1, &expected, &possible)),
        }
    }

    fn confirmed(&self, found: Found, mut steps: Vec<Step>, situations: Situations) -> Counterexample {
        source::read_lines(&mut steps);
        Counterexample::new(found, self.checker.faults_in_words(), steps, situations)
    }

    /// Runs steps again on fresh futures, every call traced to its source line.
    fn run_again(&mut self, steps: &[Step]) -> Result<(Replayed, System), Error> {
        self.attempt(|job, system, initial| {
            system.shared().traces.set(true);
            replay(system, initial, &job.properties, steps)
        })
    }
}

/// What became of the search for a lesser execution.
struct Shortened {
    instead: Option<(Vec<Step>, Found)>,
    /// Whether no execution of the full space is less.
    is_least: bool,
}

/// Whether a violation happened again. Where a task waits is known more exactly the second time.
fn is_same(again: &Found, found: &Found) -> bool {
    again.kind == found.kind && (again.kind == ViolationKind::Deadlock || again.message == found.message)
}

/// Whether it says that no processes may be taken to be alike.
fn is_hopeless(asymmetry: &Asymmetry) -> bool {
    asymmetry.between.is_none()
}

fn faults(legs: &[Leg]) -> u32 {
    legs.iter().map(|leg| leg.transition.faults).sum()
}

fn interrupted(interrupt: Interrupt) -> Error {
    match interrupt {
        Interrupt::Diagnostic(diagnostic) => Error::new(diagnostic.0),
        Interrupt::Demands(_) => unreachable!("a path was explored with all demands known"),
        Interrupt::Asymmetry(_) | Interrupt::Likeness(_) => unreachable!("a path was explored with all of it compared"),
    }
}

#[cfg(test)]
mod orbits;
#[cfg(test)]
mod tests;
