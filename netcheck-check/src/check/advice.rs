//! Advice that may make a check smaller, in sentences. A word of the attribute is tried before it is advised ([`super::trial`]),
//! where a check is too big: what saves nothing is not said.

use super::gain::{Gain, Trial, Word};
use super::setup::Job;
use super::{Dates, Identity, Search, Tasks};
use crate::network::Registered;
use crate::profile::{Cause, ComponentProfile, Differences, ProcessProfile};
use netcheck_runtime::id::SocketId;
use netcheck_runtime::operation::{Offer, Operation};
use netcheck_runtime::search::plan::Advisor;
use netcheck_runtime::world::components::{Component, ComponentId};
use netcheck_runtime::world::store::Store;
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::udp;
use std::time::Duration;

/// Local states of a process for each set of operations that it waits for, from which on its channels are worth a word.
const COUNTED_MIN: usize = 4;

/// Different values of what is under way to a socket from which they are worth a word.
const PILED_MIN: usize = 50;

/// An instant so long ago is worth a word.
const LONG_AGO: Duration = Duration::from_secs(60);

/// Local states of a process from which on it is worth a word.
const LOCAL_STATES_MIN: usize = 100;

/// Horizons in seconds, of which the first is advised within which a search ends.
const HORIZONS: [u64; 2] = [10, 1];

/// Steps out of turn, of which the first number is advised with which a search ends.
const DEVIATIONS: [(usize, &str); 2] = [(1, "at most one step comes"), (0, "no step comes")];

/// Faults of an execution, where any number of them may happen.
const FAULTS: usize = 2;

/// A check, and where its size comes from.
pub(super) struct Measured<'a> {
    pub(super) system: &'a System,
    pub(super) store: &'a Store,
    /// How many values each component has.
    pub(super) values: &'a [usize],
    /// Processes, those with the most local states first.
    pub(super) processes: &'a [ProcessProfile],
    pub(super) components: &'a [ComponentProfile],
}

/// One piece of advice.
enum Piece {
    /// Nothing that could be tried.
    Said(String),
    /// Words, each with its sentence; the first that saves something is advised.
    Words(Vec<(Word, String)>),
}

impl Piece {
    fn word(word: Word, sentence: String) -> Piece {
        Piece::Words(vec![(word, sentence)])
    }
}

/// The advice for local states that differ in the buffers of the crate `bytes` of the registry. In a whole build, that crate
/// lies in a folder without a version.
pub(super) fn about_buffers(differences: &Differences) -> Option<String> {
    let mut places = differences.causes().iter().flat_map(Cause::places);
    places.any(|place| place.contains(" in bytes-1.")).then(|| {
        "positions in buffers of the crate `bytes` go on with what has passed: `cargo netcheck test` takes buffers that \
         begin at the front again when they are empty, and needs no edit"
            .to_owned()
    })
}

impl Advisor for Job {
    fn advice(&self, system: &System, store: &Store) -> Vec<String> {
        self.profile(system, store, true).advice
    }

    fn hunts(&self) -> bool {
        self.hunt()
    }
}

impl Job {
    /// Advice that may make the check smaller, the most promising first; `is_too_big`: whether it goes on, or was cut off.
    pub(super) fn advice_about(&self, measured: &Measured<'_>, is_too_big: bool) -> Vec<String> {
        let (mut gained, mut untried) = (Vec::new(), Vec::new());
        for piece in self.pieces(measured) {
            match piece {
                Piece::Said(sentence) => untried.push(sentence),
                Piece::Words(words) => {
                    for (word, sentence) in words {
                        let trial = if is_too_big { self.trial(&[word], measured.store) } else { Trial::Untried };
                        match trial {
                            Trial::Nothing => continue,
                            Trial::Gained(gain) => gained.push((word, gain, sentence)),
                            Trial::Untried => untried.push(sentence),
                        }
                        break;
                    }
                }
            }
        }
        let together = self.together(&gained, measured.store);
        // A `#[tokio::test]` has no attribute in which the word could stand.
        let by = if self.properties.closed { " (a word for `NETCHECK_FAULTS`)" } else { "" };
        let gained = gained.into_iter().map(|(_, gain, sentence)| format!("{sentence}{by}: {}", gain.in_words()));
        let hunt =
            "`search = simulate(time = 30)` runs random executions instead: it hunts for bugs, and proves nothing"
                .to_owned();
        self.causes(measured).chain(together).chain(gained).chain(untried).chain([hunt]).collect()
    }

    /// Words of which none is enough may be enough together.
    fn together(&self, gained: &[(Word, Gain, String)], store: &Store) -> Option<String> {
        if gained.len() < 2 || gained.iter().any(|(_, gain, _)| gain.is_end()) {
            return None;
        }
        let words: Vec<Word> = gained.iter().map(|(word, ..)| *word).collect();
        let Trial::Gained(gain) = self.trial(&words, store) else { return None };
        let words: Vec<String> = words.iter().map(|word| format!("`{}`", word.in_words())).collect();
        gain.is_end().then(|| format!("{} together: {}", words.join(" and "), gain.in_words()))
    }

    /// Causes that keep a program from coming back to where it was.
    fn causes(&self, measured: &Measured<'_>) -> impl Iterator<Item = String> {
        let channels = largest(measured).and_then(|process| self.about_channels(process));
        [about_unread(measured), self.about_old_instants(measured.system), channels].into_iter().flatten()
    }

    fn pieces(&self, measured: &Measured<'_>) -> Vec<Piece> {
        let largest = largest(measured);
        let pieces = [
            self.about_the_horizon(),
            self.about_turns(),
            largest.and_then(|process| self.about_the_order_of_tasks(process)),
            self.about_identity(),
            self.about_likeness(),
            self.about_order(),
            self.about_faults(),
            self.about_the_clock(measured.components),
            largest.and_then(|process| self.about_tasks(process)).map(Piece::Said),
        ];
        pieces.into_iter().flatten().collect()
    }

    /// A program asks how long ago an instant is that it has kept for long.
    fn about_old_instants(&self, system: &System) -> Option<String> {
        let asked = Duration::from_nanos(system.demands.reach_ns.unsigned_abs());
        (asked >= LONG_AGO && system.demands.clock && !system.demands.start && self.checker.duration.is_none()).then(|| {
            format!(
                "a program asks how long ago an instant is that it keeps, up to {} s, and states differ by that: renew what \
                 is asked for",
                asked.as_secs()
            )
        })
    }

    /// The time since the start tells states apart.
    fn about_the_clock(&self, components: &[ComponentProfile]) -> Option<Piece> {
        let reads = "a program reads the clock, so states differ by the time since the start";
        let is_absolute = self.checker.remembers() && self.checker.dates == Dates::Absolute;
        components.iter().any(|component| component.is_clock).then(|| match is_absolute {
            true => Piece::word(
                Word::RelativeDates,
                format!("{reads}: `dates = relative`, if only matters how far dates lie apart, and from now"),
            ),
            false => Piece::Said(format!("{reads}: keep only differences of instants that decide something")),
        })
    }

    fn about_the_horizon(&self) -> Option<Piece> {
        let words = HORIZONS.map(|seconds| {
            let (word, first) =
                (Word::Duration(seconds), if seconds == 1 { "second" } else { &format!("{seconds} seconds") });
            (word, format!("`{}` explores the first {first} of the programs' time", word.in_words()))
        });
        self.checker.duration.is_none().then(|| Piece::Words(words.into()))
    }

    fn about_turns(&self) -> Option<Piece> {
        let words = DEVIATIONS.map(|(steps, which)| {
            let word = Word::Deviations(steps);
            (word, format!("`{}` explores executions in which {which} out of turn", word.in_words()))
        });
        let may = self.checker.deviations.is_none() && !self.is_dense() && self.checker.tasks != Tasks::Tracked;
        may.then(|| Piece::Words(words.into()))
    }

    fn about_the_order_of_tasks(&self, process: &ProcessProfile) -> Option<Piece> {
        let ProcessProfile { name, tasks, .. } = process;
        (*tasks >= 2 && self.checker.tasks == Tasks::Shared).then(|| {
            let sentence = format!(
                "\"{name}\" has up to {tasks} tasks at a time, in any order: `tasks = fifo`, if tokio's order of one thread is \
                 enough"
            );
            Piece::word(Word::Fifo, sentence)
        })
    }

    fn about_tasks(&self, process: &ProcessProfile) -> Option<String> {
        let ProcessProfile { name, tasks, spawned_at, .. } = process;
        if *tasks < 2 || self.checker.tasks != Tasks::Shared {
            return None;
        }
        let lines = spawned_at.join(", ");
        let at = if lines.is_empty() { String::new() } else { format!(" (spawned at {lines})") };
        Some(format!(
            "\"{name}\" has up to {tasks} tasks at a time{at}, in any order: `#[netcheck::process]` on a function that is \
             spawned and shares no memory; else `tasks = tracked`, if tasks share only through `netcheck::tracked`"
        ))
    }

    /// Local states by memory that wait for the same, of a process that counts what it sends.
    fn about_channels(&self, process: &ProcessProfile) -> Option<String> {
        let ProcessProfile { name, local_states, channels_at, waits, .. } = process;
        let is_by_memory = self.checker.tasks != Tasks::Tracked && self.about_identity().is_none();
        if !is_by_memory || channels_at.is_empty() || *local_states < COUNTED_MIN * waits {
            return None;
        }
        Some(format!(
            "\"{name}\" makes channels of tokio's own (at {}), which number what is sent, so local states that differ by \
             nothing else are told apart: of {local_states} there are only {waits} that wait for something else. Those of \
             `netcheck::tracked::sync` have no numbers (`extern crate netcheck_tracked as tokio`, or \
             `use netcheck::tracked as tokio`)",
            channels_at.join(", ")
        ))
    }

    fn about_identity(&self) -> Option<Piece> {
        let is_history = self.checker.identity == Some(Identity::History);
        let why = "local states are told apart by their whole pasts";
        let sentence = match (is_history, self.checker.symmetry, self.checker.identity) {
            (true, ..) => format!("{why}: leave `identity = history` out"),
            (_, true, None) => format!("{why} where `symmetry` is used: `identity = memory` with it"),
            _ => return None,
        };
        Some(Piece::word(Word::ByMemory, sentence))
    }

    fn about_likeness(&self) -> Option<Piece> {
        let processes = &self.registered.processes;
        let are_alike = |[a, b]: [&Registered; 2]| a.kind() == b.kind() && a.after == b.after;
        let pairs =
            processes.iter().enumerate().flat_map(|(index, a)| processes[index + 1..].iter().map(move |b| [a, b]));
        let [a, b] = pairs.into_iter().find(|pair| are_alike(*pair))?;
        (!self.checker.symmetry && !self.has_monitors() && self.checker.tasks != Tasks::Tracked).then(|| {
            let sentence = format!(
                "\"{}\" and \"{}\" are registered with one function: with `symmetry = true`, a state counts once however \
                 such processes are exchanged",
                a.name, b.name
            );
            Piece::word(Word::Symmetry, sentence)
        })
    }

    fn about_order(&self) -> Option<Piece> {
        let is_plain = matches!(self.checker.search, Some(Search::Bfs | Search::Dfs));
        (self.is_dense() && is_plain).then(|| {
            let sentence = "`search = reads`, the order with `delay` unless another one is asked for, puts reads off: more \
                            states are covered by others then, and left out";
            Piece::word(Word::Reads, sentence.to_owned())
        })
    }

    fn about_faults(&self) -> Option<Piece> {
        let faults = self.faults_in_words();
        (!faults.is_empty() && self.checker.at_most.is_none()).then(|| {
            let word = Word::AtMost(FAULTS);
            let sentence = format!(
                "`{faults}` may happen at every packet or call: `{}` bounds the faults of an execution",
                word.in_words()
            );
            Piece::word(word, sentence)
        })
    }
}

/// The process with the most local states, if they are many.
fn largest<'a>(measured: &Measured<'a>) -> Option<&'a ProcessProfile> {
    measured.processes.first().filter(|process| process.local_states >= LOCAL_STATES_MIN)
}

/// Datagrams pile up that are sent to a socket from which the program, as far as it is known, never receives.
fn about_unread(&Measured { system, values, .. }: &Measured<'_>) -> Option<String> {
    let shared = system.shared();
    let receives = |offer: &Offer, socket: SocketId| match offer.operation.itself() {
        Operation::Udp(
            udp::Operation::Receive { socket: from, .. } | udp::Operation::TryReceive { socket: from, .. },
        ) => *from == socket,
        _ => false,
    };
    let many = |component: ComponentId| values.get(component.0 as usize).is_some_and(|&values| values >= PILED_MIN);
    let mut channels = system.components.iter().filter(|&(id, _)| many(id));
    let (from, to) = channels.find_map(|(_, component)| match component {
        Component::Channel { from, to } => {
            let mut offers = system.learner.automata.nodes.iter().flat_map(|node| &node.offers);
            (!offers.any(|offer| receives(offer, to))).then_some((from, to))
        }
        _ => None,
    })?;
    let [from, to] = [from, to].map(|socket| shared.unit(socket.unit).name);
    Some(format!(
        "\"{to}\" has not received anything from a socket to which \"{from}\" sends, and what is under way to it piles up: let \
         it receive, or the other stop"
    ))
}
