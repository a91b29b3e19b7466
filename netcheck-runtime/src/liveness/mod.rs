//! Executions that never come to an end, although everything in them gets its turn.
//!
//! A search that finds no violation has seen all states. Here those are walked once more from which a loop may come
//! ([`recurring`]), without stubborn sets, and a *lasso* is looked for: a way to a state (the stem), and a way from there
//! back to it (the loop) on which a process that has to end has not ended, or a monitor stays in states that it has to
//! leave. The graph is finite, so there is such an execution, and a fair one, if and only if there is a fair lasso
//! ([`fair`]).
//!
//! - *Parts and clocks* (rule 1, [`parts`](crate::reduction::parts)). Each part is walked by itself, and movers that never
//!   meet have clocks of their own. Each demand of fairness is about one unit or one channel, each of which is in one part.
//!   So the fair executions of the whole are the interleavings of those of the parts: a process goes on for ever in one of
//!   the whole if it does so in one of its part. No step leads back from a part, so a loop lies within one.
//! - *Timers that only strangers hold up* ([`failures`](crate::reduction::failures)) are put off, until there is a fair way
//!   round in which one is held up and no time passes. Then the walk begins anew, and time passes for each set of movers by
//!   itself. So no stranger keeps a process from giving up, and what the process does afterwards is walked, too. Where the
//!   strangers go round for ever and let time pass, the timers fire with theirs.
//! - *Stubborn sets* are left out: which steps they put off along a cycle matters to what is fair there.
//! - *Tasks, weakly*: a task that has a possible step at all times from some point on takes one at last. That is what a
//!   runtime and a network with some speed do, and not more than that: which of several processes is faster stays open for
//!   ever. A task alone, and not its unit: tokio polls all that are woken. While another task of the unit is in the middle
//!   of a poll, nothing is offered to it, and nothing is over for it: the demand is held. A start after a crash is a step
//!   of this kind.
//! - *Operations, strongly*: in a local state to which a unit comes again and again, an operation that could complete each
//!   time completes at last. The branches of a `select!` are polled in random order, and of several that are ready none is
//!   passed by for ever. Where the order is certain (`biased`, a call that is known to complete), the world does not offer
//!   the other step, so nothing is demanded. What an operation completes *with* (which choice, how many bytes) stays open.
//! - *Datagrams, strongly*: one that can be delivered again and again, by its bytes and its channel, is delivered at last. So
//!   loss without a bound loses only finitely many in a row (fair loss).
//! - *Channels, weakly*: what is under way to a socket on which somebody waits does not stay so; it comes, or is lost.
//! - *Heals, strongly*: links that are cut and need not stay so heal at last. A heal is possible at any time, and offered late,
//!   where something goes over the links; so one that is offered again and again would have come before.
//! - *Faults are never demanded*: a step with one (a further copy, an overtaking) meets demands and raises none.
//! - *Failures stop*: no loop has a call that fails although it need not, nor a crash. With a bound (`at_most`, `times`), the
//!   faults that were used are part of the state and never decrease, so that no cycle has one either.
//! - *Timers* need no demand of their own: where time passes, each armed timer is nearer in each state, so that no state
//!   comes again before it has fired. Where no time passes in a loop, its units keep their own clock from going on, and the
//!   timers of those that they meet: that is a livelock. Where daemons alone go round so, the walk says who does
//!   ([`Walked::standing_still`]): without `delay` the network takes no time, so it need not be a mistake.
//! - *A state in the middle of a poll that cannot go on* is none that anybody sees (`View::is_dead_end`); no loop has one.
//!   States in which nothing is possible but failures are judged where executions end: staying there for ever is no loop.

mod demands;
mod fair;
mod recurring;
mod space;

use crate::property::{Properties, waits_for};
use crate::reduction::footprint::{Footprints, Uses};
use crate::reduction::successors::PathStep;
use crate::search::plan::{Limit, Limits};
use crate::search::progress::Progress;
use crate::violation::{Found, ViolationKind};
use crate::world::components::StateVector;
use crate::world::step::{Move, Transition};
use crate::world::system::{Interrupt, System};
use demands::{Labelled, Owing};
use recurring::Recurring;
use space::{Expander, Space};

/// Rounds after which footprints are taken to grow for ever; the walk goes on with one clock for all.
const ROUNDS_MAX: usize = 48;

/// Work for short loops: a loop is looked for from so many states, divided by the size of the graph.
const STARTS_MAX: usize = 1 << 16;

/// The sentence on what is assumed of a loop.
const FAIRNESS: &str = "fair: every task that can go on does so at last, a datagram that is sent again and again arrives \
                        again and again, and no call fails that need not";

/// An execution that goes on for ever.
pub struct Lasso {
    /// The steps before those that are repeated.
    pub stem: Vec<PathStep>,
    /// The steps that are repeated, at least one.
    pub cycle: Vec<PathStep>,
    pub found: Found,
}

/// The end of a walk.
pub struct Walked {
    /// The execution with the fewest steps among those that were looked at.
    pub lasso: Option<Lasso>,
    /// The limit at which the walk was given up.
    pub limit: Option<Limit>,
    /// The states that were walked.
    pub states: usize,
    /// The units that go round without any time that passes, in an execution in which everything gets its turn.
    pub standing_still: Vec<String>,
}

impl Walked {
    fn of(states: usize, limit: Option<Limit>) -> Walked {
        Walked { lasso: None, limit, states, standing_still: Vec::new() }
    }
}

/// The bounds of a walk.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// The limits of states and memory.
    pub limits: Limits,
    /// Whether the search has learned all that the programs do, and took no process or local state for another.
    pub knows_all: bool,
    /// Whether loops are looked for in which no time passes, also of daemons alone.
    pub looks_at_daemons: bool,
    pub progress: &'a Progress,
}

/// Walks all states from `initial`, of a system in which a search has found no violation, and looks for a lasso. `reduces`:
/// parts that never meet are walked each by itself, and datagrams that nobody will receive are forgotten.
pub fn walk(
    system: &mut System,
    initial: &StateVector,
    properties: &Properties,
    reduces: bool,
    bounds: Bounds<'_>,
) -> Result<Walked, Interrupt> {
    // A part that a monitor does not watch says nothing of it. The timers of a tracked task may be used by others after its end.
    let splits = reduces && !system.view().has_hot_monitors() && !system.view().modes.tracks;
    let uses = Uses { splits, clocks: true, forgets: reduces, ..Uses::default() };
    // Where orders are bounded, the turns are those of all.
    let has_clocks = system.declared.deviations.is_none();
    let mut expander = Expander::new(has_clocks.then(|| Footprints::new(uses)));
    let mut rounds = 0;
    let (mut space, labelled) = loop {
        rounds += 1;
        expander.begin_round(system);
        let is_exact = bounds.knows_all && rounds < ROUNDS_MAX;
        let recurring = match is_exact {
            true => Recurring::of(system, bounds.looks_at_daemons),
            false => Recurring::all(bounds.looks_at_daemons),
        };
        if !recurring.leads_on(system, initial) {
            return Ok(Walked::of(0, None));
        }
        let mut space = match Space::explore(system, initial, properties, (&mut expander, &recurring), bounds)? {
            Ok(space) => space,
            Err((limit, states)) => return Ok(Walked::of(states, Some(limit))),
        };
        if expander.has_grown(system, &space)? || recurring.has_grown(system) {
            if rounds >= ROUNDS_MAX {
                expander = Expander::new(None);
            }
            continue;
        }
        let cyclic = space.on_cycles();
        if cyclic.is_empty() {
            return Ok(Walked::of(space.len(), None));
        }
        let labelled = Labelled::of(system, properties, &mut space, &mut expander, cyclic)?;
        if !labelled.puts_off_for_ever() {
            break (space, labelled);
        }
        expander.hold_nobody_up();
    };
    let states = space.len();
    let found = labelled.owing().filter_map(|(owing, among)| Some((owing, shortest(&labelled, among)?)));
    let Some((owing, (start, edges))) = found.min_by_key(|(_, (start, edges))| labelled.length(*start, edges)) else {
        let standing_still = match bounds.looks_at_daemons {
            true => labelled.standing_still(system, &space, &mut expander)?,
            false => Vec::new(),
        };
        return Ok(Walked { standing_still, ..Walked::of(states, None) });
    };
    let stem = space.way_to(system, &mut expander, labelled.states[start as usize])?;
    let mut cycle = Vec::new();
    for (state, edge) in edges {
        let step = labelled.steps[edge as usize];
        cycle.push(space.step(system, &mut expander, labelled.states[state as usize], step)?);
    }
    let found = stays(system, owing, &cycle[0].state, cycle.iter().map(|step| &step.transition));
    Ok(Walked { lasso: Some(Lasso { stem, cycle, found }), ..Walked::of(states, None) })
}

/// A loop among some states, as its first state and its edges with their sources: of those that were looked at, the one
/// whose stem and loop have the fewest steps.
fn shortest(labelled: &Labelled, among: Vec<u32>) -> Option<(u32, Vec<(u32, u32)>)> {
    let graph = &labelled.graph;
    let mut components = graph.fair_components(among);
    components.iter_mut().for_each(|component| component.sort_unstable());
    let starts = (STARTS_MAX / graph.len()).max(1);
    let all = components.iter().flat_map(|component| {
        let walks = component.iter().take(starts);
        walks.map(|&start| (start, graph.loop_in(component, start)))
    });
    all.min_by_key(|(start, edges)| labelled.length(*start, edges))
}

/// The violation of what stays for ever as it is in an execution that comes to a state again by some steps.
fn stays<'a>(system: &System, owing: Owing, state: &[u32], cycle: impl Iterator<Item = &'a Transition>) -> Found {
    let time = if passes_time(cycle) { "" } else { "\n  no time passes, so that no timer fires" };
    let (units, what) = match owing {
        Owing::Process(process) => {
            let units = system.live_units(state).filter(|&(unit, _)| system.process_of(unit) == process);
            let name = &system.shared().hosts[process.0 as usize].name;
            let waits = waits_for(system, state, process);
            let what = format!("{name} never ends: what happens can go on for ever\n  {name} {waits}");
            (units.map(|(unit, _)| system.shared().unit(unit).name).collect(), what)
        }
        Owing::Monitor(number) => {
            let is_in = system.view().monitor_in_words(state, number);
            (Vec::new(), format!("{is_in} for ever, and has to leave it: what happens can go on for ever"))
        }
    };
    let message = format!("{what}{time}\n  {FAIRNESS}");
    Found { kind: ViolationKind::Liveness, message, units, at_rest: Vec::new(), is_error: false }
}

/// Whether time passes in some steps.
fn passes_time<'a>(mut steps: impl Iterator<Item = &'a Transition>) -> bool {
    steps.any(takes_time)
}

/// Whether time passes in a step.
fn takes_time(step: &Transition) -> bool {
    match step.step {
        Move::Pass { ns } => ns > 0,
        Move::Unit { class, .. } => class.advance_ns() > 0,
        _ => false,
    }
}

/// Judges an execution that has come to `state` again by some steps: the violation of the process that it is about, by its
/// units, or of a monitor, if it is about none. `None` if nothing stays there that must not.
pub fn judged(
    system: &System,
    properties: &Properties,
    state: &[u32],
    cycle: &[Transition],
    units: &[String],
) -> Option<Found> {
    let is_it = |owing: &Owing| match owing {
        Owing::Process(process) => units.contains(&system.shared().hosts[process.0 as usize].name),
        Owing::Monitor(_) => units.is_empty(),
    };
    let owing = Owing::all(system, properties, state).into_iter().find(is_it)?;
    Some(stays(system, owing, state, cycle.iter()))
}
