//! Tells executions apart by their first fault, and gathers how their processes end.
//!
//! Until there is a fault, the state has to say which operation sent each datagram under way: a loss shows only when a
//! later datagram arrives or nothing else can happen, and is then traced to the sender of the lost datagram. From the
//! fault on, only the fault is kept. A datagram that was overtaken may come late or never; the later events on its
//! channel tell which.

use crate::propagation::{Did, Effect, Ending, Fault, Mode, Reference, Row};
use crate::trace::describe::describe;
use crate::trace::flow::{Arrived, Datagrams, Passed};
use ahash::AHashMap;
use netcheck_models::event::Event as NetworkEvent;
use netcheck_runtime::id::{NodeId, OutcomeId, ProcessId};
use netcheck_runtime::operation::{Cause, OperationKey, Outcome};
use netcheck_runtime::property::{Terminal, root, waits_for};
use netcheck_runtime::search::plan::Observer;
use netcheck_runtime::unit::automaton::NodeKind;
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::components::{Component, ComponentId};
use netcheck_runtime::world::intern::Interner;
use netcheck_runtime::world::prepared::Prepared;
use netcheck_runtime::world::step::{Move, Transition};
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::udp;
use std::collections::{BTreeMap, BTreeSet};

/// A fault that was met, or that a datagram may come to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FaultId(u32);

/// The memory of the way to a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Memory {
    /// No fault yet.
    Clean(Datagrams),
    /// A datagram was overtaken; the datagrams on its channel.
    Late {
        datagram: u32,
        datagrams: Datagrams,
    },
    Faulty(FaultId),
}

impl Default for Memory {
    fn default() -> Self {
        Memory::Clean(Datagrams::default())
    }
}

/// A datagram under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parcel {
    /// Any fault of the operation that sent it.
    sent: FaultId,
    content: OutcomeId,
    /// The number of this datagram among those under way that are the same otherwise.
    ordinal: u32,
}

/// The effect of a step on datagrams.
enum Event {
    Nothing,
    Sent,
    Arrived { number: u32, passed: Vec<Passed> },
    GivenUp(Vec<u32>),
}

/// Follows a search.
pub(super) struct FirstFaults {
    component: ComponentId,
    /// How processes end without faults; empty in the search that finds this out.
    reference: Vec<Reference>,
    memories: Interner<Memory>,
    faults: Vec<Fault>,
    parcels: Vec<Parcel>,
    /// Operations that were met, each as a fault that it may have.
    operations: AHashMap<(NodeId, OperationKey), FaultId>,
    /// Faults that have happened, and those of datagrams that were late when they were last seen.
    happened: BTreeSet<FaultId>,
    late: BTreeSet<FaultId>,
    ends: BTreeMap<Option<FaultId>, Ends>,
}

/// The ends after one fault.
#[derive(Default)]
struct Ends {
    count: u64,
    correct: u64,
    endings: BTreeSet<(ProcessId, Ending)>,
}

impl Observer for FirstFaults {
    fn step(&mut self, system: &mut System, state: &[u32], transition: &Transition, next: &mut Vec<u32>) {
        if let Move::Unit { unit, edge, .. } = transition.step {
            let target = system.learner.automata.edge(edge).target;
            if matches!(system.learner.automata.node(target).kind, NodeKind::Panicked(_)) {
                system.crash(unit, next);
            }
        }
        let known = self.component.of(state);
        if let Some(memory) = self.after(system, state, transition, next, known) {
            let known = self.memories.intern(&memory);
            system.observe(known, next);
        }
    }

    fn end(&mut self, system: &System, state: &[u32], terminal: &Terminal) {
        let fault = match *self.memories.get(self.component.of(state)) {
            Memory::Clean(_) => None,
            Memory::Faulty(fault) => Some(fault),
            Memory::Late { datagram, .. } => {
                let fault = self.fault_of(datagram, Did::Overtaken);
                self.happened.insert(fault);
                Some(fault)
            }
        };
        let is_stuck = |process: ProcessId| match terminal {
            Terminal::Deadlock { stuck, .. } => stuck.contains(&process),
            _ => false,
        };
        let processes = (0..system.processes.len()).map(|index| ProcessId(index as u32));
        let endings = processes.map(|process| (process, ending(system, state, process, is_stuck(process))));
        let endings: Vec<(ProcessId, Ending)> = endings.collect();
        let is_correct = endings.iter().all(|(process, ending)| self.mode(*process, ending) == Mode::Correct);
        let ends = self.ends.entry(fault).or_default();
        ends.count += 1;
        ends.correct += u64::from(is_correct);
        ends.endings.extend(endings);
    }
}

impl FirstFaults {
    pub(super) fn new(system: &mut System, reference: Vec<Reference>) -> Self {
        FirstFaults {
            component: system.components.id(Component::Observed),
            reference,
            memories: Interner::new(),
            faults: Vec::new(),
            parcels: Vec::new(),
            operations: AHashMap::new(),
            happened: BTreeSet::new(),
            late: BTreeSet::new(),
            ends: BTreeMap::new(),
        }
    }

    /// How processes end where there was no fault; each with whether it is a daemon.
    pub(super) fn without_faults(self, processes: impl Iterator<Item = (String, bool)>) -> Vec<Reference> {
        let endings = self.ends.get(&None).map(|ends| &ends.endings);
        let of = |process: ProcessId| endings.into_iter().flatten().filter(move |(other, _)| *other == process);
        let process = |(index, (name, daemon))| {
            let endings = of(ProcessId(index)).map(|(_, ending)| ending.clone()).collect();
            Reference { name, daemon, endings }
        };
        (0..).zip(processes).map(process).collect()
    }

    /// A row for each fault; `is_complete` if no execution is missing.
    pub(super) fn rows(mut self, is_complete: bool) -> Vec<Row> {
        // Datagrams that were late for ever, in executions that never end.
        for &late in &self.late {
            let fates = [Did::Overtaken, Did::Lost].map(|did| Fault { did, ..self.faults[late.0 as usize].clone() });
            if !self.happened.iter().any(|fault| fates.contains(&self.faults[fault.0 as usize])) {
                self.happened.insert(late);
            }
        }
        let mut rows: Vec<Row> = self.happened.iter().map(|&fault| self.row(fault, is_complete)).collect();
        rows.sort_by_key(|row| self.order(&row.fault));
        rows
    }

    /// By process, source line, and then what happened.
    fn order(&self, fault: &Fault) -> (Option<usize>, String, u32, Fault) {
        let process = self.reference.iter().position(|process| process.name == fault.process);
        let (file, line) = fault.location.rsplit_once(':').unwrap_or((&fault.location, ""));
        (process, file.to_owned(), line.parse().unwrap_or(0), fault.clone())
    }

    fn row(&self, id: FaultId, is_complete: bool) -> Row {
        let none = Ends::default();
        let Ends { count, correct, endings } = self.ends.get(&Some(id)).unwrap_or(&none);
        let mut effects: BTreeMap<(ProcessId, Mode), Vec<Ending>> = BTreeMap::new();
        for (process, ending) in endings {
            effects.entry((*process, self.mode(*process, ending))).or_default().push(ending.clone());
        }
        let name = |process: ProcessId| self.reference[process.0 as usize].name.clone();
        let effects = effects.into_iter();
        Row {
            fault: self.faults[id.0 as usize].clone(),
            ends: *count,
            correct_ends: *correct,
            masked: is_complete && *count > 0 && correct == count,
            effects: effects
                .map(|((process, mode), endings)| Effect { process: name(process), mode, endings })
                .collect(),
        }
    }

    fn mode(&self, process: ProcessId, ending: &Ending) -> Mode {
        let Some(Reference { endings, .. }) = self.reference.get(process.0 as usize) else {
            return Mode::Correct;
        };
        let is_correct = match ending.is_endless() {
            true => endings.iter().any(Ending::is_endless),
            false => endings.contains(ending),
        };
        match ending {
            _ if is_correct => Mode::Correct,
            Ending::Output(value) if value.starts_with("Err(") => Mode::Error,
            Ending::Output(_) => Mode::Wrong,
            Ending::Panicked(_) => Mode::Crash,
            Ending::Waits(_) => Mode::Omission,
            Ending::Blocked(_) => Mode::Deadlock,
        }
    }

    /// The memory after a step; `None`: the same as before it.
    fn after(
        &mut self,
        system: &mut System,
        state: &[u32],
        transition: &Transition,
        next: &[u32],
        known: u32,
    ) -> Option<Memory> {
        match self.memories.get(known).clone() {
            Memory::Faulty(_) => None,
            Memory::Clean(_) if transition.is_failure() => {
                let operation = self.operation(system, state, transition);
                let fault = self.fault_at(operation, failure(system, transition));
                self.happened.insert(fault);
                Some(Memory::Faulty(fault))
            }
            Memory::Clean(mut datagrams) => {
                let event = self.follow(system, state, transition, &mut datagrams);
                let goes_on = datagrams.redirect(system, (state, next), transition);
                if transition.faults == 0 && matches!(event, Event::Nothing) && !goes_on && datagrams.is_as(next) {
                    return None;
                }
                datagrams.forget(next);
                Some(if transition.faults == 0 { Memory::Clean(datagrams) } else { self.first(event, datagrams) })
            }
            Memory::Late { datagram, mut datagrams } => {
                let event = self.follow(system, state, transition, &mut datagrams);
                datagrams.redirect(system, (state, next), transition);
                datagrams.forget(next);
                let fate = match event {
                    Event::GivenUp(lost) if lost.contains(&datagram) => Some(Did::Lost),
                    Event::Arrived { passed, .. } if passed.contains(&Passed::Lost(datagram)) => Some(Did::Lost),
                    Event::Arrived { number, .. } if number == datagram => Some(Did::Overtaken),
                    _ => None,
                };
                Some(match fate {
                    Some(did) => self.faulty(datagram, did),
                    None => self.late(datagram, datagrams),
                })
            }
        }
    }

    /// The first fault: that of the datagram that was sent first, if a step shows several.
    fn first(&mut self, event: Event, datagrams: Datagrams) -> Memory {
        match event {
            Event::Arrived { number, passed } => match passed.first() {
                Some(&Passed::Lost(lost)) => self.faulty(lost, Did::Lost),
                Some(&Passed::Overtaken(late)) => self.late(late, datagrams),
                None => self.faulty(number, Did::Duplicated),
            },
            Event::GivenUp(lost) => {
                // On several channels, the order of the losses is not known.
                let sent = |number: &u32| &self.faults[self.parcels[*number as usize].sent.0 as usize];
                let first = lost.iter().copied().min_by_key(sent).expect("something is lost if there is a fault");
                self.faulty(first, Did::Lost)
            }
            Event::Nothing | Event::Sent => unreachable!("datagrams have faults when they arrive, or do not"),
        }
    }

    fn faulty(&mut self, datagram: u32, did: Did) -> Memory {
        let fault = self.fault_of(datagram, did);
        self.happened.insert(fault);
        Memory::Faulty(fault)
    }

    /// The memory after a datagram was overtaken, which may still arrive if it is there.
    fn late(&mut self, datagram: u32, mut datagrams: Datagrams) -> Memory {
        datagrams.keep_only(datagram);
        if datagrams.is_empty() {
            return self.faulty(datagram, Did::Overtaken);
        }
        let fault = self.fault_of(datagram, Did::Overtaken);
        self.late.insert(fault);
        Memory::Late { datagram, datagrams }
    }

    /// Follows the datagrams through a step.
    fn follow(
        &mut self,
        system: &mut System,
        state: &[u32],
        transition: &Transition,
        datagrams: &mut Datagrams,
    ) -> Event {
        let (node, input) = match &transition.step {
            Move::LoseInFlight => {
                let lost = datagrams.lost_in_flight(system, transition);
                return Event::GivenUp(lost.into_iter().map(|(_, number)| number).collect());
            }
            Move::Cut { .. } => {
                let lost = datagrams.lost_in_flight(system, transition);
                datagrams.stay(system, transition);
                return Event::GivenUp(lost.into_iter().map(|(_, number)| number).collect());
            }
            Move::Unit { node, input, .. } => (*node, *input),
            Move::Hang { .. }
            | Move::Heal { .. }
            | Move::Pass { .. }
            | Move::Park(_)
            | Move::Part { .. }
            | Move::Forget
            | Move::Arrive { .. }
            | Move::Dial { .. }
            | Move::Reach { .. }
            | Move::Delay { .. }
            | Move::Settle { .. } => {
                return Event::Nothing;
            }
        };
        let offers = system.prepared_offers(node);
        let prepared = offers.iter().find(|offer| offer.key == input.key).map(|offer| &offer.prepared);
        if let Some(datagram) = prepared.and_then(Prepared::sent_datagram)
            && !transition.writes.is_empty()
        {
            let sent = self.operation(system, state, transition);
            let number = self.number(datagrams, sent, datagram);
            datagrams.send(system, transition, number);
            return Event::Sent;
        }
        match prepared {
            Some(Prepared::Udp(udp::Prepared::Receive { .. })) => match datagrams.receive(system, transition) {
                Some(Arrived { number, passed }) => Event::Arrived { number, passed },
                None => Event::Nothing,
            },
            // With `delay`: some of the datagrams that have come to an unbound address came out of order.
            Some(Prepared::Udp(udp::Prepared::Bind { .. })) if transition.faults > 0 => {
                Event::GivenUp(datagrams.numbers().collect())
            }
            _ => Event::Nothing,
        }
    }

    /// The operation that a step answers, as one of its faults.
    fn operation(&mut self, system: &mut System, state: &[u32], transition: &Transition) -> FaultId {
        let (unit, node, key) = match transition.step {
            Move::Unit { unit, node, input, .. } => (unit, node, input.key),
            Move::Hang { unit, node, key } | Move::Cut { unit, node, key, .. } => (unit, node, key),
            Move::LoseInFlight
            | Move::Heal { .. }
            | Move::Pass { .. }
            | Move::Park(_)
            | Move::Part { .. }
            | Move::Forget
            | Move::Arrive { .. }
            | Move::Dial { .. }
            | Move::Reach { .. }
            | Move::Delay { .. }
            | Move::Settle { .. } => {
                unreachable!("what no unit does answers no operation")
            }
        };
        if let Some(&known) = self.operations.get(&(node, key)) {
            return known;
        }
        let peer = describe(system, state, transition).and_then(|step| step.peer);
        let offers = &system.learner.automata.node(node).offers;
        // A crash befalls whatever the process waits for, if that is anything.
        let offer = match key {
            OperationKey::CRASH => offers.first(),
            _ => Some(offers.iter().find(|offer| offer.key == key).expect("what is answered was asked for")),
        };
        let process = system.shared().process_of(unit);
        let fault = self.fault(Fault {
            process: system.shared().hosts[process.0 as usize].name.clone(),
            operation: offer.map_or_else(|| "wait".to_owned(), |offer| wording::kind(&offer.operation)),
            location: offer.map(|offer| wording::line(offer, system.shared())).unwrap_or_default(),
            peer,
            did: Did::default(),
        });
        self.operations.insert((node, key), fault);
        fault
    }

    /// A number for a datagram, which no other one under way has.
    fn number(&mut self, datagrams: &Datagrams, sent: FaultId, content: OutcomeId) -> u32 {
        for ordinal in 0.. {
            let parcel = Parcel { sent, content, ordinal };
            let known = self.parcels.iter().position(|other| *other == parcel);
            let number = known.unwrap_or(self.parcels.len()) as u32;
            if known.is_none() {
                self.parcels.push(parcel);
            }
            if !datagrams.numbers().any(|other| other == number) {
                return number;
            }
        }
        unreachable!("there are fewer datagrams than numbers")
    }

    fn fault_of(&mut self, datagram: u32, did: Did) -> FaultId {
        self.fault_at(self.parcels[datagram as usize].sent, did)
    }

    /// A fault of the same operation as another one.
    fn fault_at(&mut self, other: FaultId, did: Did) -> FaultId {
        self.fault(Fault { did, ..self.faults[other.0 as usize].clone() })
    }

    fn fault(&mut self, fault: Fault) -> FaultId {
        let known = self.faults.iter().position(|other| *other == fault);
        let id = FaultId(known.unwrap_or(self.faults.len()) as u32);
        if known.is_none() {
            self.faults.push(fault);
        }
        id
    }
}

/// How a process has ended in a state in which no step is possible.
fn ending(system: &System, state: &[u32], process: ProcessId, is_deadlock: bool) -> Ending {
    match &system.learner.automata.node(root(system, state, process)).kind {
        NodeKind::Ended { output } => Ending::Output(system.shared().output(*output).text.to_string()),
        NodeKind::Panicked(panic) => Ending::Panicked(format!("at {}: {}", panic.location, panic.message)),
        NodeKind::Gone => Ending::Waits("stays down".to_owned()),
        _ => {
            let what = waits_for(system, state, process);
            let is_blocked = is_deadlock && !system.processes[process.0 as usize].daemon;
            if is_blocked { Ending::Blocked(what) } else { Ending::Waits(what) }
        }
    }
}

/// How a call fails.
fn failure(system: &System, transition: &Transition) -> Did {
    let input = match transition.step {
        Move::Unit { input, .. } => input,
        Move::Cut { .. } => return Did::Cut,
        _ => return Did::Hung,
    };
    if system.told(transition).iter().any(|happened| happened.events.contains(&NetworkEvent::Reset)) {
        return Did::Reset;
    }
    let outcome = system.learner.automata.outcome(input.outcome);
    match outcome {
        Outcome::Crashed { cause: Cause::Kill, .. } => Did::Killed,
        Outcome::Crashed { cause: Cause::Power, .. } => Did::Silenced,
        _ => Did::Failed { error: wording::outcome(outcome, system.shared()) },
    }
}
