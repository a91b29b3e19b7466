//! Running one given execution again on fresh futures. Uses no search: each step is looked up among those that are
//! possible.

use crate::trace::dates::Dates;
use crate::trace::describe::{describe, due};
use crate::trace::flow::Flow;
use crate::trace::history::CallHistory;
use crate::trace::left::would_have_prevented;
use crate::trace::refused::unheard;
use crate::trace::situation::{Situations, Watcher};
use crate::trace::step::{Step, Timing};
use netcheck_runtime::id::{Mover, NodeId};
use netcheck_runtime::liveness::judged;
use netcheck_runtime::property::Properties;
use netcheck_runtime::reduction::stubborn::StubbornSet;
use netcheck_runtime::reduction::successors::{PathStep, Successors};
use netcheck_runtime::reduction::unread::without_unread;
use netcheck_runtime::rest::deadlock_of_part;
use netcheck_runtime::unit::perform::Performance;
use netcheck_runtime::violation::Found;
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::monitors::calls::Calls;
use netcheck_runtime::world::step::{Move, Transition};
use netcheck_runtime::world::system::{Interrupt, System};
use netcheck_runtime::world::time::instants::Instants;
use smallvec::SmallVec;

/// How often a loop is taken until the execution has come back to a state.
const ROUNDS_MAX: usize = 8;

/// How far a replay came.
pub(crate) struct Replayed {
    /// The steps that were taken, as they read now.
    pub(crate) steps: Vec<Step>,
    pub(crate) path: Vec<Transition>,
    /// The local states on the way.
    pub(crate) situations: Situations,
    /// The calls, if an answer of one of them is explained by no order.
    pub(crate) history: Option<CallHistory>,
    /// The state after the last step, and what is under way there; `None` if a step was impossible, or violated a
    /// property.
    pub(crate) at: Option<(StateVector, Flow)>,
    pub(crate) end: End,
    /// The number of the steps before its loop, if it never ends.
    pub(crate) loop_from: Option<usize>,
}

impl Replayed {
    fn new(steps: Vec<Step>, path: Vec<Transition>, situations: Situations, end: End) -> Self {
        Replayed { steps, path, situations, history: None, at: None, end, loop_from: None }
    }
}

/// A loop: the number of the steps before it, and the units that a violation is about.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) from: usize,
    pub(crate) units: Vec<String>,
}

/// How a replay ended.
pub(crate) enum End {
    Violated(Found),
    /// Every step was taken, and no property was violated.
    Held,
    /// The step after the taken ones is not possible.
    Diverged {
        expected: Box<Step>,
        possible: Vec<Step>,
    },
}

/// Tells the steps of a path so that [`replay`] can follow them.
pub(crate) fn script(system: &mut System, path_steps: &[PathStep]) -> Result<Vec<Step>, Interrupt> {
    let mut successors = Successors::default();
    let mut steps = Vec::new();
    for PathStep { state, transition, scope } in path_steps {
        let Some(mut step) = describe(system, state, transition) else { continue };
        let possible = successors.within(system, state, scope.as_deref())?.to_vec();
        for other in possible.iter().take_while(|other| !same(other, transition)) {
            if describe(system, state, other).is_some_and(|other| other.is(&step)) {
                step.alternative += 1;
            }
        }
        if let (Some(StubbornSet::Moves(of) | StubbornSet::Component(of)), true) =
            (scope.as_deref(), transition.is_scoped() || system.has_delay())
        {
            step.among = of.iter().map(|&mover| name(system, mover)).collect();
        }
        steps.push(step);
    }
    Ok(steps)
}

fn same(a: &Transition, b: &Transition) -> bool {
    a.step == b.step && a.writes == b.writes
}

/// Takes `steps` from the start of a fresh system.
pub(crate) fn replay(
    system: &mut System,
    initial: &StateVector,
    properties: &Properties,
    steps: &[Step],
) -> Result<Replayed, Interrupt> {
    let mut state = initial.clone();
    let mut successors = Successors::default();
    let mut next = initial.to_vec();
    let mut instants = Instants::begin(system, &mut next, steps.len());
    if instants.is_some() {
        state = StateVector::from_slice(&next);
    }
    let mut seen = Vec::new();
    let mut path = Vec::new();
    let mut dates = Dates::default();
    let mut flow = Flow::default();
    let mut watcher = Watcher::default();
    let mut calls = Calls::default();
    watcher.see(system, &state);
    for (number, expected) in (1..).zip(steps) {
        let (taken, mut step) = match look_up(system, &mut successors, &state, expected)? {
            Ok(found) => found,
            Err(possible) => {
                let end = End::Diverged { expected: Box::new(expected.clone()), possible };
                return Ok(Replayed::new(seen, path, watcher.situations(), end));
            }
        };
        path.push(taken.clone());
        calls.see(system, &state, &taken, number);
        dates.step(system, &state, &taken, &mut step);
        // In dense time, each step has its instant.
        if instants.is_none() {
            step.remarks.extend(due(system, &path, &dates));
        }
        step.remarks.extend(unheard(&seen, &step));
        step.remarks.extend(would_have_prevented(system, &path, &state));
        flow.trace(system, &taken, number as u32, &mut step);
        seen.push(step);
        system.apply(&state, &taken, &mut next)?;
        if let Some(instants) = &mut instants {
            instants.step(system, &mut next);
        }
        watcher.see(system, &next);
        if let Some(found) = properties.step(system, &taken) {
            let end = timed(system, &next, instants.as_ref(), &mut seen, steps).unwrap_or(End::Violated(found));
            let history = calls.story(system, &taken).map(CallHistory::from);
            return Ok(Replayed { history, ..Replayed::new(seen, path, watcher.situations(), end) });
        }
        flow.follow(system, (&state, &next), &taken, number as u32);
        state = StateVector::from_slice(&next);
    }
    let ended = ended(system, &mut successors, &state)?;
    let mut found = ended.as_ref().and_then(|ended| properties.violated_at_end(system, ended));
    if let (None, Some(Step { at_rest, .. })) = (&found, steps.last())
        && !at_rest.is_empty()
    {
        found = deadlock_of_part(system, properties, &state, at_rest)?;
    }
    let end = found.map_or(End::Held, End::Violated);
    let end = timed(system, &state, instants.as_ref(), &mut seen, steps).unwrap_or(end);
    Ok(Replayed { at: Some((state, flow)), ..Replayed::new(seen, path, watcher.situations(), end) })
}

/// Whether an execution that takes the steps of its loop for ever comes back to a state: takes those before the loop from the
/// start of a fresh system, then the loop once, twice, and so on. An end before the last step is handed back.
///
/// Of two such states that are the same, what lies between is repeated for ever, and consists of the loop alone. Often they
/// are the first two. By memory they need not be: addresses that a program has left behind are part of a local state, and
/// what it allocates in a further round may lie where it lay two rounds ago, and not where it lay in the last. Datagrams that
/// pile up where the loop never receives make no difference.
pub(crate) fn comes_back(
    system: &mut System,
    initial: &StateVector,
    properties: &Properties,
    steps: &[Step],
    from: usize,
) -> Result<Result<bool, Replayed>, Interrupt> {
    let (stem, cycle) = steps.split_at(from.min(steps.len()));
    if cycle.is_empty() {
        return Ok(Ok(false));
    }
    let mut states = Vec::new();
    let mut taken = stem.to_vec();
    for _ in 0..=ROUNDS_MAX {
        let replayed = replay(system, initial, properties, &taken)?;
        match replayed.at {
            Some((ref state, _)) => {
                let round = &replayed.path[replayed.path.len().saturating_sub(cycle.len())..];
                let state = without_unread(system, state, round);
                if states.contains(&state) {
                    return Ok(Ok(true));
                }
                states.push(state);
            }
            None => return Ok(Err(replayed)),
        }
        taken.extend_from_slice(cycle);
    }
    Ok(Ok(false))
}

/// Takes steps of which the last ones are a loop from the start of a fresh system, and judges the execution in which they are
/// repeated for ever.
pub(crate) fn replay_endless(
    system: &mut System,
    initial: &StateVector,
    properties: &Properties,
    steps: &[Step],
    Loop { from, units }: &Loop,
) -> Result<Replayed, Interrupt> {
    let mut replayed = replay(system, initial, properties, steps)?;
    replayed.loop_from = Some(*from);
    if let (End::Held, Some((state, _))) = (&replayed.end, &replayed.at)
        && let Some(found) = judged(system, properties, state, &replayed.path[*from..], units)
    {
        replayed.end = End::Violated(found);
    }
    Ok(replayed)
}

/// The step that a state offers and that is the stored one, as it reads now; if there is none, all that it offers.
pub(crate) fn look_up(
    system: &mut System,
    successors: &mut Successors,
    state: &StateVector,
    expected: &Step,
) -> Result<Result<(Transition, Step), Vec<Step>>, Interrupt> {
    let scope = (!expected.among.is_empty()).then(|| StubbornSet::Component(movers(system, state, &expected.among)));
    let possible = successors.within(system, state, scope.as_ref())?.to_vec();
    let mut others = Vec::new();
    let mut skip = expected.alternative;
    for transition in possible {
        match describe(system, state, &transition) {
            Some(step) if step.is(expected) && skip == 0 => {
                let Step { alternative, among, at_rest, .. } = expected.clone();
                return Ok(Ok((transition, Step { alternative, among, at_rest, ..step })));
            }
            Some(step) if step.is(expected) => skip -= 1,
            other => others.extend(other),
        }
    }
    Ok(Err(others))
}

/// The state in which an execution has ended; `None` if it has not.
///
/// In dense time, a search does not ask when a copy arrives that nobody hears, once that may be at any instant. Here its
/// instant depends on those of the steps, so that its arrival is a step still: it is taken.
fn ended(
    system: &mut System,
    successors: &mut Successors,
    state: &StateVector,
) -> Result<Option<StateVector>, Interrupt> {
    let mut state = state.clone();
    let mut next = Vec::new();
    loop {
        let possible = successors.within(system, &state, None)?.to_vec();
        let others: Vec<&Transition> = possible.iter().filter(|step| !step.is_failure()).collect();
        let is_silent = |step: &Transition| match step.step {
            Move::LoseInFlight => system.has_delay(),
            Move::Arrive { .. } => system.is_unheard(step),
            _ => false,
        };
        if others.iter().any(|step| !is_silent(step)) {
            return Ok(None);
        }
        let Some(arrival) = others.iter().find(|step| system.is_unheard(step)) else {
            return Ok(others.is_empty().then_some(state));
        };
        system.apply(&state, arrival, &mut next)?;
        state = StateVector::from_slice(&next);
    }
}

/// Says of each step that was taken when it happens: at the instants that are stored, if there are any. If a stored
/// instant is impossible, the replay ends there.
fn timed(
    system: &System,
    state: &[u32],
    instants: Option<&Instants>,
    seen: &mut Vec<Step>,
    stored: &[Step],
) -> Option<End> {
    let instants = instants?;
    let at = |timing: &Timing| timing.at_ns;
    let wanted: Vec<Option<u64>> = stored.iter().map(|step| step.timing.as_ref().map(at)).collect();
    let (schedule, misfit) = match instants.schedule(system, state, &wanted) {
        Ok(schedule) => (schedule, None),
        Err(misfit) => (instants.schedule(system, state, &wanted[..misfit]).ok()?, Some(misfit)),
    };
    for (step, timed) in seen.iter_mut().zip(&schedule.steps()[1..]) {
        let (at_ns, earliest_ns) = (timed.at_ns, timed.earliest_ns);
        step.timing = Some(Timing { at_ns, earliest_ns, latest_ns: timed.latest_ns });
    }
    misfit.map(|misfit| {
        let possible = vec![seen[misfit].clone()];
        seen.truncate(misfit);
        End::Diverged { expected: Box::new(stored[misfit].clone()), possible }
    })
}

/// Takes the steps of a replay once more, on runs of the programs of its own: each poll happens once, in its place.
/// `show` is called before each step, with its number.
pub(crate) fn perform(
    system: &mut System,
    replayed: &Replayed,
    mut show: impl FnMut(usize, &Step),
) -> Result<(), Interrupt> {
    let mut performance = Performance::default();
    for (index, (step, taken)) in replayed.steps.iter().zip(&replayed.path).enumerate() {
        show(index + 1, step);
        let Move::Unit { unit, node, input, .. } = taken.step else { continue };
        // The poll runs until it asks for an answer that the trace does not contain.
        let mut later = replayed.path[index + 1..].iter().filter(|step| step.unit() == Some(unit));
        let is_answered = later.next().is_some_and(|next| is_answer(system, next));
        performance.take(&system.learner, (unit, node, input), is_answered).map_err(Interrupt::Diagnostic)?;
    }
    Ok(())
}

/// Whether a step answers a poll that is under way.
fn is_answer(system: &System, transition: &Transition) -> bool {
    match transition.step {
        Move::Unit { node, .. } => system.learner.automata.node(node).is_synchronous(),
        _ => false,
    }
}

/// The live movers with these names.
fn movers(system: &System, state: &[u32], names: &[String]) -> SmallVec<[Mover; 8]> {
    let nodes: Vec<NodeId> = system.live_units(state).map(|(_, node)| node).collect();
    let all = nodes.into_iter().flat_map(|node| system.learner.automata.movers(node));
    all.filter(|&mover| names.contains(&name(system, mover))).collect()
}

fn name(system: &System, mover: Mover) -> String {
    let unit = system.shared().unit(mover.unit).name;
    mover.task.map_or_else(|| unit.to_string(), |task| format!("{unit} task {}", task.0))
}
