//! Setting a check up: the programs, the declared faults and the properties; a fresh system whenever a search has
//! learned that it needs one.

use super::declare::groups;
use super::gain::{Trial, Word};
use super::spent::Spent;
use super::{Checker, Dates, Tasks, order, partitions};
use crate::alone::is_alone;
use crate::error::Error;
use crate::network::{Network, Registered};
use crate::report::Report;
use netcheck_models::host::Addresses;
use netcheck_models::time::FAR_NS;
use netcheck_runtime::id::ProcessId;
use netcheck_runtime::operation::files::Tree;
use netcheck_runtime::property::Properties;
use netcheck_runtime::search::plan::{Limit, Limits};
use netcheck_runtime::search::progress::Progress;
use netcheck_runtime::unit::caller::are_lines_known;
use netcheck_runtime::unit::names::Host;
use netcheck_runtime::unit::program::Program;
use netcheck_runtime::unit::shared::{Dating, Modes, Shared, Statics, Untyped};
use netcheck_runtime::unit::watchdog::Watch;
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::declared::{Declared, Demands};
use netcheck_runtime::world::monitors::observer::Observer;
use netcheck_runtime::world::system::{Asymmetry, Interrupt, LikeTasks, Registration, System};
use std::cell::{Cell, RefCell};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A system with all that was learned in it, and its initial state.
pub(super) struct Learned {
    pub(super) system: System,
    pub(super) initial: StateVector,
    /// The system that later attempts run on, since a demand was raised in this one. Its ids are others.
    pub(super) instead: Option<Box<Learned>>,
}

/// One check on its own thread.
pub(super) struct Job {
    pub(super) checker: Checker,
    pub(super) registered: Network,
    watch: Arc<Watch>,
    pub(super) progress: Arc<Progress>,
    pub(super) spent: Spent,
    /// Words that were tried, and what they save.
    pub(super) trials: RefCell<Vec<(Vec<Word>, Trial)>>,
    /// How often executions were drawn beside the search.
    pub(super) hunts: Cell<u64>,
    /// The report about one of them that violates a property.
    pub(super) hunted: RefCell<Option<Report>>,
    pub(super) declared: Declared,
    pub(super) after: Vec<Vec<ProcessId>>,
    pub(super) properties: Properties,
    pub(super) demands: Demands,
    /// Processes that were seen not to be alike, and why.
    pub(super) asymmetries: Vec<Asymmetry>,
    /// Isolated tasks that were seen to be spawned together, and pairs of them that are not alike.
    pub(super) tasks: Vec<(LikeTasks, Vec<[u32; 2]>)>,
    /// Why the reduction is left out, if it was asked for: not all is known of what depends on what.
    pub(super) unreduced: Option<&'static str>,
}

impl Checker {
    /// Whether the caller runs the check once more, in a system process of its own, if programs change statics: then that is
    /// an error.
    pub(crate) fn may_run_apart(mut self, may_run_apart: bool) -> Self {
        self.may_run_apart = may_run_apart;
        self
    }
}

/// An error if crashes were declared that are not modelled beside the delays of the network.
fn refuse_crashes_beside_delays(declared: &Declared) -> Result<(), Error> {
    if !declared.is_dense() && declared.crashes.iter().any(|crashes| crashes.down.is_some()) {
        return Err(Error::new(
            "`crash(down = …)` is a time of dense time: say `udp(delay)`, or leave it out: a process that has crashed comes \
             back at any time then"
                .to_owned(),
        ));
    }
    Ok(())
}

/// An error if hosts give up, and something is declared beside which their waits are not counted.
fn refuse_retries_beside_other_times(declared: &Declared) -> Result<(), Error> {
    let reason = match () {
        () if declared.tcp.retries_ns.is_none() => return Ok(()),
        () if declared.is_dense() => "`delay`: where packets take time, hosts wait for acknowledgements for ever",
        () if declared.duration_ns.is_some() => "`duration`: what a host gives up later than that is not told apart",
        () => return Ok(()),
    };
    Err(Error::new(format!("`tcp(retries)` can't be combined with {reason}; leave one of them out")))
}

/// Leaves out what is not argued for beside what was declared.
fn leave_reductions_out(declared: &Declared, checker: &mut Checker) {
    let gives_up = declared.tcp.retries_ns.is_some();
    let starts_again_or_is_cut = !declared.crashes.is_empty() || !declared.partitions.is_empty();
    if (starts_again_or_is_cut || gives_up) && checker.tasks == Tasks::Tracked {
        // The argument for them covers neither processes that start again, nor hosts that are cut off, nor time that passes
        // for all at once.
        checker.tasks = Tasks::Shared;
    }
    if gives_up {
        // Time passes beside packets that no receiver can tell apart.
        checker.merges_after = usize::MAX;
    }
    if declared.is_dense() {
        // The arguments for these do not cover steps between which time passes.
        (checker.symmetry, checker.tasks) = (false, Tasks::Shared);
    }
}

/// Gives each real peer that may be killed a place for its history that a kill leaves as it is.
fn let_peers_crash(declared: &Declared, registered: &mut Network) {
    for process in declared.crashes.iter().flat_map(|crashes| &crashes.processes) {
        let process = &mut registered.processes[process.0 as usize];
        if process.peer.is_some() {
            process.files = Arc::new(Tree::with_aside());
        }
    }
}

impl Job {
    pub(super) fn new(
        mut checker: Checker,
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
        let mut declared = Declared {
            ignores_regions: false,
            udp: groups(&checker.udp, &names)?,
            tcp: checker.tcp.as_ref().map(|tcp| tcp.rules(&names)).transpose()?.unwrap_or_default(),
            crashes: {
                let external = |name: &str| {
                    let process = registered.processes.iter().find(|process| process.name == name)?;
                    process.peer.as_ref().map(|peer| peer.can_be_killed())
                };
                let crashes = checker.crashes.iter().map(|crash| crash.crashes(&names, external));
                crashes.collect::<Result<_, _>>()?
            },
            partitions: {
                let partitions = checker.partitions.iter().map(|partition| partition.partition(&names));
                partitions.collect::<Result<_, _>>()?
            },
            at_most: checker.at_most.map(|faults| u32::try_from(faults).unwrap_or(u32::MAX)),
            duration_ns: checker.duration_ns(),
            deviations: checker.deviations.map(|steps| u32::try_from(steps).unwrap_or(u32::MAX)),
            observers: registered.monitors.clone(),
            survives: checker.files.map(|files| files.policy()).unwrap_or_default(),
            files: checker.files.map(|files| files.fails()).unwrap_or_default(),
            has_drawn_delays: checker.has_drawn_delays(),
        };
        if declared.tcp.first.is_some() && !registered.registering.as_deref().is_none_or(are_lines_known) {
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
            monitors_judge: registered.monitors.iter().any(Observer::judges_ends),
        };
        refuse_crashes_beside_delays(&declared)?;
        refuse_retries_beside_other_times(&declared)?;
        partitions::set_up(&declared, &mut checker)?;
        let_peers_crash(&declared, &mut registered);
        // Any last writes may be lost, or wait.
        declared.tcp.streams.keeps_writes = declared.has_power_failures() || !declared.partitions.is_empty();
        leave_reductions_out(&declared, &mut checker);
        let spent = Spent::of(checker.duration_max);
        let (demands, asymmetries, tasks) = (Demands::default(), Vec::new(), Vec::new());
        let watches_tracked = checker.tasks == Tasks::Tracked && !registered.monitors.is_empty();
        let mut job = Job {
            checker,
            registered,
            watch,
            progress,
            spent,
            trials: RefCell::default(),
            hunts: Cell::default(),
            hunted: RefCell::default(),
            declared,
            after,
            properties,
            demands,
            asymmetries,
            tasks,
            unreduced: None,
        };
        job.refuse_what_liveness_does_not_cover()?;
        job.leave_reductions_out_beside_turns()?;
        if watches_tracked {
            job.leave_reduction_out("a monitor watches tracked tasks (`tasks = tracked`)");
        }
        Ok(job)
    }

    /// Goes on without reduction.
    pub(super) fn leave_reduction_out(&mut self, why: &'static str) {
        if std::mem::take(&mut self.checker.reduction) {
            self.unreduced = Some(why);
        }
    }

    /// Whether a monitor watches the executions.
    pub(super) fn has_monitors(&self) -> bool {
        !self.registered.monitors.is_empty()
    }

    /// Whether real peers take part.
    pub(super) fn has_peers(&self) -> bool {
        self.registered.processes.iter().any(|process| process.peer.is_some())
    }

    /// The declared faults as words; nothing if there are none.
    pub(super) fn faults_in_words(&self) -> String {
        Checker { duration: None, deviations: None, ..self.checker.clone() }.faults_in_words()
    }

    /// Whether time is dense: packets take time.
    pub(super) fn is_dense(&self) -> bool {
        self.declared.is_dense()
    }

    /// The modes in which units are run, unless every call has to be traced for a reader.
    pub(super) fn modes(&self) -> Modes {
        let first = self.declared.tcp.first;
        Modes {
            // How often the line of a call was executed before is known only if calls are traced.
            traces: first.is_some(),
            explains: false,
            tracks: self.checker.tasks == Tasks::Tracked,
            queues: self.checker.tasks == Tasks::Fifo,
            captures: self.captures(),
            remembers: self.checker.remembers(),
            unread: self.unread(),
            untyped_max: {
                let unread = self.checker.unread;
                Untyped { nodes: unread.nodes_max(), states: unread.states_max() }
            },
            dating: self.dating(),
            reach_ns: self.demands.reach_ns(),
            relative_dates: self.checker.dates == Dates::Relative,
            shows_outputs: !self.properties.finally.is_empty(),
            executions_max: first.map_or(u32::MAX, |first| first.saturating_add(1)),
            seed: self.checker.seed,
            copies_bytes_max: self.checker.copies_bytes_max,
            written_bytes_max: self.declared.tcp.streams.capacity,
            file_failures: self.declared.files,
            statics: match () {
                () if is_alone() => Statics::Own,
                () if self.checker.may_run_apart => Statics::Unchanged,
                () => Statics::Shared,
            },
        }
    }

    /// By what programs are told instants: by others that their memory holds, if it tells local states apart and no program
    /// depends on when the clock began.
    fn dating(&self) -> Dating {
        let is_tracked = self.checker.tasks == Tasks::Tracked;
        match () {
            () if !self.checker.remembers() || is_tracked || self.demands.start => Dating::Start,
            () if self.declared.is_dense() => Dating::Marks,
            () => Dating::Latest,
        }
    }

    /// Whether loop heads identify local states. The values there tell instants by the numbers of one run, where marks do by
    /// those of each.
    fn captures(&self) -> bool {
        self.checker.capture && !(self.demands.clock && self.dating() == Dating::Marks)
    }

    /// The number that is written over bytes that no program can read.
    fn unread(&self) -> Option<u64> {
        self.demands.types.then(|| self.checker.unread.number())
    }

    /// A system in which nothing has been learned.
    fn system(&self, modes: Modes) -> Learned {
        let host = |(index, process): (usize, &Registered)| {
            let number = index as u32 + 1;
            let [_, b, c, d] = number.to_be_bytes();
            Host {
                name: process.name.clone(),
                args: Arc::clone(&process.args),
                files: Arc::clone(&process.files),
                addresses: Addresses {
                    v4: Ipv4Addr::new(10, b, c, d),
                    v6: Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, (number >> 16) as u16, number as u16),
                },
            }
        };
        let hosts = self.registered.processes.iter().enumerate().map(host).collect();
        let shared = Rc::new(Shared::new(hosts, self.registered.payloads.clone(), modes, Arc::clone(&self.watch)));
        let process = |(process, after): (&Registered, &Vec<ProcessId>)| {
            let (factory, may_fail) = (Arc::clone(&process.factory), process.may_fail);
            let program = Program::new(Box::new(move || factory(may_fail)), process.location);
            Registration { daemon: process.daemon, after: after.clone(), program }
        };
        let processes = self.registered.processes.iter().zip(&self.after).map(process).collect();
        let mut system = System::new(shared, processes, self.declared.clone(), self.demands);
        let initial = system.initial();
        Learned { system, initial, instead: None }
    }

    /// Runs `attempt` on a fresh system, again whenever it learns of a demand.
    pub(super) fn attempt<R>(
        &mut self,
        attempt: impl FnMut(&Job, &mut System, &StateVector) -> Result<R, Interrupt>,
    ) -> Result<(R, Learned), Error> {
        self.attempt_in(self.modes(), attempt)
    }

    /// Runs `attempt` on a system in which something was learned, which it adds to. If it learns of a demand, it runs again on a
    /// fresh one, and so does each attempt after it: a system raises no demand for what it has learned already.
    pub(super) fn attempt_on<R>(
        &mut self,
        learned: &mut Learned,
        mut attempt: impl FnMut(&Job, &mut System, &StateVector) -> Result<R, Interrupt>,
    ) -> Result<R, Error> {
        if let Some(instead) = &mut learned.instead {
            return self.attempt_on(instead, attempt);
        }
        match attempt(self, &mut learned.system, &learned.initial) {
            Ok(result) => Ok(result),
            Err(interrupt @ (Interrupt::Diagnostic(_) | Interrupt::Statics(_))) => Err(interrupted(interrupt)),
            // A fresh system learns of it again.
            Err(_) => {
                let (result, instead) = self.attempt(attempt)?;
                learned.instead = Some(Box::new(instead));
                Ok(result)
            }
        }
    }

    /// As `attempt`, with units that are run in these modes.
    pub(super) fn attempt_in<R>(
        &mut self,
        modes: Modes,
        mut attempt: impl FnMut(&Job, &mut System, &StateVector) -> Result<R, Interrupt>,
    ) -> Result<(R, Learned), Error> {
        loop {
            let (dating, captures, reach_ns) = (self.dating(), self.captures(), self.demands.reach_ns());
            let unread = self.unread();
            let mut learned = self.system(Modes { dating, captures, reach_ns, unread, ..modes });
            match attempt(self, &mut learned.system, &learned.initial) {
                Ok(result) => return Ok((result, learned)),
                Err(interrupt @ (Interrupt::Diagnostic(_) | Interrupt::Statics(_))) => {
                    return Err(interrupted(interrupt));
                }
                Err(Interrupt::Demands(demands)) => {
                    self.progress.begin_again(demands.reason(self.demands));
                    self.demands = demands;
                    if demands.ports {
                        // Symmetry takes a port for one of the unit whose sockets prefer it.
                        self.checker.symmetry = false;
                        self.leave_reduction_out(
                            "a socket that asks for any port is given one that other sockets of the process prefer; nor \
                             are processes taken to be alike",
                        );
                    }
                }
                Err(Interrupt::Likeness(tasks)) => {
                    self.progress.begin_again("since isolated tasks seem to be alike");
                    self.tasks.push((tasks, Vec::new()));
                }
                Err(Interrupt::Asymmetry(asymmetry)) => {
                    self.progress.begin_again("since processes or tasks are not alike that seemed to be");
                    self.tell_tasks_apart(&learned.system, &asymmetry);
                    self.asymmetries.push(asymmetry);
                }
            }
        }
    }

    /// Notes which isolated tasks an asymmetry tells apart, if it is about isolated tasks.
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
            messages_max: self.checker.messages_max,
            memory_bytes_max: self.checker.memory_bytes_max,
        }
    }

    /// The message that the time of the check is over.
    fn expired(&self) -> String {
        let seconds = self.checker.duration_max.unwrap_or_default().as_secs_f64();
        format!("max_time = {seconds} s was reached")
    }

    /// The limit that was reached, and what to do.
    pub(super) fn limit_in_words(&self, limit: Limit) -> String {
        let Checker { states_max, depth_max, memory_bytes_max, .. } = self.checker;
        let else_what = match self.faults_in_words().is_empty() {
            true => "bound what the programs do",
            false => "declare fewer faults or smaller bounds",
        };
        match limit {
            Limit::States => format!("max_states = {states_max} was reached; raise it, or {else_what}"),
            Limit::Depth => {
                format!("max_depth = {depth_max} was reached; raise it, or bound the loops of the programs")
            }
            Limit::Messages => {
                let messages_max = self.checker.messages_max.unwrap_or_default();
                format!("max_messages = {messages_max} was reached; raise it, or bound the loops of the programs")
            }
            Limit::Memory => format!(
                "max_memory = {memory_bytes_max} bytes was reached; raise it, or keep fingerprints of states only \
                 (`store = fingerprint`)"
            ),
            Limit::Files(of) => {
                let process = &self.registered.processes[of.process.0 as usize].name;
                format!("of the files of \"{process}\", {}", of.operations)
            }
            Limit::Simulated => String::new(),
            Limit::LocalStates => {
                "; they came to too many local states to go on: bound the loops of the programs, or let them be \
                                   captured (`#[netcheck::process]`)"
                    .to_owned()
            }
            Limit::Interrupt if self.progress.is_expired() && self.checker.simulation.is_some() => {
                format!(", when {}", self.expired())
            }
            Limit::Interrupt if self.progress.is_expired() => {
                format!("{} while {}; raise it, or {else_what}", self.expired(), self.progress.phase())
            }
            Limit::Interrupt if self.checker.simulation.is_some() => ", interrupted".to_owned(),
            Limit::Interrupt => format!("interrupted while {}", self.progress.phase()),
        }
    }
}

impl Checker {
    /// The horizon in nanoseconds.
    pub(super) fn duration_ns(&self) -> Option<u64> {
        let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        // No timer is set for later.
        self.duration.map(|duration| ns(duration).min(FAR_NS.unsigned_abs() - 1))
    }
}

/// The error that an interrupted search of known executions ends with.
pub(super) fn interrupted(interrupt: Interrupt) -> Error {
    match interrupt {
        Interrupt::Diagnostic(diagnostic) => Error::new(diagnostic.0),
        Interrupt::Statics(names) => Error::changed_statics(&names),
        Interrupt::Demands(_) => unreachable!("a path was explored with all demands known"),
        Interrupt::Asymmetry(_) | Interrupt::Likeness(_) => unreachable!("a path was explored with all of it compared"),
    }
}
