//! A transition, and the states around it, as a step in words.

mod partition;
mod segments;

use crate::trace::asked::{Answered, Asked, Datagram, PAYLOAD_BYTES_MAX};
use crate::trace::dates::Dates;
use crate::trace::left::left_behind;
use crate::trace::step::{Channel, Doing, Happening, Kind, Step};
use netcheck_models::event::Event;
use netcheck_runtime::id::{NodeId, OutcomeId, ProcessId, SocketId, UnitId};
use netcheck_runtime::operation::{Effect, Failure, Operation, OperationKey, Outcome, ReceiveMode};
use netcheck_runtime::unit::payload::Payloads;
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::components::{Component, ComponentId, REFUSED};
use netcheck_runtime::world::events::Happened;
use netcheck_runtime::world::step::{Move, Transition};
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::{mailboxes, tasks, tcp, time, udp};
use std::time::Duration;

/// Puts a transition from `state` into words. Arrivals are not traced to the steps that sent them: that takes the whole
/// execution.
pub(crate) fn describe(system: &mut System, state: &[u32], transition: &Transition) -> Option<Step> {
    match &transition.step {
        // A step of the reduction, not of any process.
        Move::Park(_) | Move::Part { .. } | Move::Forget => None,
        Move::LoseInFlight => Some(lose_in_flight(system, state, transition)),
        Move::Pass { ns } => Some(Step {
            events: happenings(system, state, transition),
            asked: Asked::Pass,
            ..of_network(format!("let {:?} pass", Duration::from_nanos(*ns)))
        }),
        Move::Arrive { channel, position } => Some(arrive(system, state, transition, (*channel, *position))),
        Move::Reach { connection, from, part } => {
            Some(segments::reach(system, state, transition, (*connection, *from), *part))
        }
        &Move::Delay { connection, from, ns, follows } => {
            Some(segments::delay(system, state, transition, (connection, from), (ns, follows)))
        }
        &Move::Cut { cut, .. } => Some(partition::cut(system, state, transition, cut)),
        &Move::Heal { cut, .. } => Some(partition::heal(system, state, transition, cut)),
        Move::Dial { unit, node, key } => dial(system, state, transition, (*unit, *node, *key)),
        Move::Settle { unit, is_over, .. } => {
            let unit = system.shared().unit(*unit).name;
            let when = if *is_over { "is over" } else { "has yet to come" };
            Some(Step {
                asked: Asked::Settle { unit: unit.clone(), is_over: *is_over },
                ..of_network(format!("the time that {unit} waits for {when}"))
            })
        }
        Move::Hang { unit, node, key } => {
            let name = system.shared().unit(*unit).name;
            let offer = system.learner.automata.node(*node).offers.iter().find(|offer| offer.key == *key)?;
            let operation = wording::operation_of(&offer.operation, system.shared());
            let peer = peer(system, system.shared().process_of(*unit), &offer.operation, &Outcome::Done);
            Some(Step {
                location: Some(wording::line(offer, system.shared())),
                library: wording::line_of_library(offer),
                peer,
                network: vec![Doing::Hung],
                events: happenings(system, state, transition),
                asked: Asked::Hang {
                    unit: name.clone(),
                    task: offer.task.0,
                    asked: Box::new(Asked::of(&offer.operation, system.shared())),
                },
                ..of_network(format!("never answer {operation} of {name}"))
            })
        }
        Move::Unit { .. } => of_unit(system, state, transition),
    }
}

fn of_network(operation: String) -> Step {
    Step {
        process: "network".to_owned(),
        kind: Kind::Network,
        operation,
        outcome: "done".to_owned(),
        answered: Some(Answered::Done),
        ..Step::default()
    }
}

fn arrive(system: &System, state: &[u32], transition: &Transition, (channel, position): (ComponentId, u32)) -> Step {
    let packet = system.links.get(channel.of(state)).packets().nth(position as usize);
    let packet = OutcomeId(packet.expect("a packet arrives that was under way"));
    let ends = system.told(transition).iter().flat_map(|happened| &happened.events).filter_map(|event| match event {
        Event::Unheard { .. } => Some(Doing::Unbound),
        Event::Lost { .. } => Some(Doing::CutOff),
        _ => None,
    });
    let network = ends.collect();
    Step {
        network,
        events: happenings(system, state, transition),
        asked: Asked::Arrive { datagram: Datagram::of(system.learner.automata.outcome(packet), system.shared()) },
        ..of_network(format!("deliver {}", lost_datagram(system, channel, packet)))
    }
}

/// A connect has its connection or is refused; where segments take delays, it is under way from now on.
fn dial(
    system: &mut System,
    state: &[u32],
    transition: &Transition,
    (unit, node, key): (UnitId, NodeId, OperationKey),
) -> Option<Step> {
    let offer = system.learner.automata.node(node).offers.iter().find(|offer| offer.key == key)?.clone();
    let process = system.shared().process_of(unit);
    let is_dialed = |id| matches!(system.components.component(id), Component::Dialed(_));
    let is_refused = transition.writes.iter().any(|&(id, value)| is_dialed(id) && value == REFUSED);
    let outcome = match (system.has_segments(), is_refused) {
        (true, _) => "under way",
        (false, true) => "refused",
        (false, false) => "established",
    };
    Some(Step {
        process: system.shared().unit(unit).name,
        task: (offer.task.0 > 0).then_some(offer.task.0),
        location: Some(wording::line(&offer, system.shared())),
        library: wording::line_of_library(&offer),
        kind: Kind::Connect,
        operation: wording::operation_of(&offer.operation, system.shared()),
        outcome: outcome.to_owned(),
        peer: peer(system, process, &offer.operation, &Outcome::Done),
        events: happenings(system, state, transition),
        asked: Asked::Dial { asked: Box::new(Asked::of(&offer.operation, system.shared())) },
        answered: Some(Answered::Done),
        ..Step::default()
    })
}

fn lose_in_flight(system: &System, state: &[u32], transition: &Transition) -> Step {
    let mut lost: Vec<String> =
        system.told(transition).iter().flat_map(|happened| lost(system, state, transition, happened)).collect();
    // Components are numbered as they are met, which differs from run to run.
    lost.sort();
    let network = lost.into_iter().map(|datagram| Doing::Lost { datagram, sent: None });
    let mut events = happenings(system, state, transition);
    // So are outcomes, and packets stand in a channel by their outcomes' numbers.
    events.sort_by(|one, other| (&one.channel, &one.datagram).cmp(&(&other.channel, &other.datagram)));
    Step {
        network: network.collect(),
        events,
        asked: Asked::LoseInFlight,
        ..of_network("lose what is under way".to_owned())
    }
}

fn of_unit(system: &mut System, state: &[u32], transition: &Transition) -> Option<Step> {
    let Move::Unit { unit, node, input, edge, .. } = transition.step else { return None };
    let offer = system.learner.automata.node(node).offer(input)?.clone();
    let answer = system.learner.automata.outcome(input.outcome).clone();
    let mut outcome = wording::outcome(&answer, system.shared());
    for event in system.told(transition).iter().flat_map(|happened| &happened.events) {
        if let Event::Fired { after_ns: after_ns @ 1.. } = *event {
            outcome = format!("elapsed after {:?}", Duration::from_nanos(after_ns));
        }
    }
    let is_ready = matches!(offer.operation, Operation::Udp(udp::Operation::Receive { mode: ReceiveMode::Ready, .. }));
    if answer == Outcome::Done && is_ready {
        outcome = "readable".to_owned();
    }
    let mut network = match offer.operation.itself() {
        // An arrival at an unbound address concerns no process.
        Operation::Udp(udp::Operation::Bind { .. }) => Vec::new(),
        _ => doings(system, state, transition, &answer),
    };
    let operation = offer.operation.itself();
    let is_lost =
        |happened: &Happened| happened.events.iter().any(|event| matches!(event, Event::Multiplied { copies: 0, .. }));
    if let Operation::Udp(udp::Operation::Send { from, payload, .. }) = operation
        && system.told(transition).iter().any(is_lost)
    {
        let sent = Outcome::Datagram { from: *from, payload: payload.clone() };
        network.push(Doing::Lost { datagram: wording::outcome(&sent, system.shared()), sent: None });
    }
    let process = system.shared().process_of(unit);
    let remarks = system.learner.remarks(edge).iter().map(|remark| wording::remark(remark, system.shared()));
    let remarks = remarks.chain(left_behind(system, state, process, operation, &answer)).collect();
    Some(Step {
        process: system.shared().unit(unit).name,
        task: (offer.task.0 > 0).then_some(offer.task.0),
        location: (!matches!(
            operation,
            Operation::Tasks(tasks::Operation::Run(_) | tasks::Operation::Cancel | tasks::Operation::Crash)
        ))
        .then(|| wording::line(&offer, system.shared())),
        library: wording::line_of_library(&offer),
        kind: kind(operation),
        operation: wording::operation_of(&offer.operation, system.shared()),
        outcome,
        failed: matches!(answer, Outcome::Failed(_)),
        peer: peer(system, process, operation, &answer),
        payload: payload(operation, &answer, &system.shared().payloads),
        network,
        remarks,
        events: happenings(system, state, transition),
        asked: Asked::of(operation, system.shared()),
        answered: Some(Answered::of(&answer, system.shared())),
        ..Step::default()
    })
}

/// Which timer is due with the last step of a path, if that cannot be seen from the time that passes before it.
pub(crate) fn due(system: &System, path: &[Transition], dates: &Dates) -> Option<String> {
    let (last, before) = path.split_last()?;
    let Move::Unit { unit, node, input, .. } = last.step else { return None };
    let asked = &system.learner.automata.node(node).offer(input)?.operation;
    let Operation::Time(time::Operation::Timer { timer, .. } | time::Operation::Try { timer, .. }) = *asked.itself()
    else {
        return None;
    };
    let passed_ns = system.told(last).iter().flat_map(|happened| &happened.events).find_map(|event| match *event {
        Event::Fired { after_ns } => Some(after_ns),
        _ => None,
    })?;
    let set = before.iter().rev().find_map(|transition| match transition.step {
        Move::Unit { unit: other, edge, .. } if other == unit => {
            let effects = system.learner.automata.edge(edge).effects.iter().rev();
            effects.filter_map(|effect| if let Effect::Time(effect) = effect { Some(effect) } else { None }).find(
                |effect| match **effect {
                    time::Effect::Arm { timer: of, .. }
                    | time::Effect::ArmAt { timer: of, .. }
                    | time::Effect::Rearm { timer: of, .. } => of == timer,
                    time::Effect::Await { .. }
                    | time::Effect::Disarm { .. }
                    | time::Effect::Latest { .. }
                    | time::Effect::Marks { .. }
                    | time::Effect::Reach { .. }
                    | time::Effect::Number => false,
                },
            )
        }
        _ => None,
    })?;
    match *set {
        time::Effect::Arm { after_ns, .. } => {
            (after_ns != passed_ns).then(|| format!("the timer of {:?} is due", Duration::from_nanos(after_ns)))
        }
        time::Effect::Rearm { period_ns, .. } => {
            (period_ns != passed_ns).then(|| format!("the interval of {:?} is due", Duration::from_nanos(period_ns)))
        }
        time::Effect::ArmAt { .. } => {
            let at = dates.of_timer(unit, timer)?.since_start()?;
            Some(format!("the timer that was set to {at} is due"))
        }
        time::Effect::Await { .. }
        | time::Effect::Disarm { .. }
        | time::Effect::Latest { .. }
        | time::Effect::Marks { .. }
        | time::Effect::Reach { .. }
        | time::Effect::Number => None,
    }
}

fn kind(operation: &Operation) -> Kind {
    match operation {
        Operation::Tasks(tasks::Operation::Crash) => Kind::Crash,
        Operation::Tasks(tasks::Operation::Start | tasks::Operation::Restart)
        | Operation::Tasks(tasks::Operation::Run(_))
        | Operation::Tasks(tasks::Operation::Cancel) => Kind::Run,
        Operation::Udp(udp::Operation::Bind { .. })
        | Operation::Udp(udp::Operation::Connect { .. })
        | Operation::Udp(udp::Operation::Join { .. } | udp::Operation::Leave { .. })
        | Operation::Tcp(tcp::Operation::BindStream { .. })
        | Operation::Tcp(tcp::Operation::Listen { .. }) => Kind::Bind,
        Operation::Udp(udp::Operation::Send { .. }) | Operation::Mailboxes(mailboxes::Operation::Send { .. }) => {
            Kind::Send
        }
        Operation::Mailboxes(mailboxes::Operation::Bind { .. } | mailboxes::Operation::Connect { .. }) => Kind::Bind,
        Operation::Mailboxes(mailboxes::Operation::Receive { .. }) => Kind::Receive,
        Operation::Udp(udp::Operation::Receive { .. }) | Operation::Udp(udp::Operation::TryReceive { .. }) => {
            Kind::Receive
        }
        Operation::Tcp(tcp::Operation::Open { .. } | tcp::Operation::Dial { .. }) => Kind::Connect,
        Operation::Tcp(tcp::Operation::Accept { .. }) => Kind::Accept,
        Operation::Tcp(tcp::Operation::Read { .. }) => Kind::Read,
        Operation::Tcp(tcp::Operation::Write { .. }) => Kind::Write,
        Operation::Tcp(tcp::Operation::Shutdown { .. }) => Kind::Shutdown,
        Operation::Time(time::Operation::Timer { .. } | time::Operation::Try { .. }) => Kind::Timer,
        _ => Kind::Other,
    }
}

/// The process at the other end.
fn peer(system: &System, process: ProcessId, operation: &Operation, outcome: &Outcome) -> Option<String> {
    let address = match (operation, outcome) {
        (Operation::Udp(udp::Operation::Send { to, .. }), _) => *to,
        (Operation::Tcp(tcp::Operation::Open { peer, .. } | tcp::Operation::Dial { peer, .. }), _) => *peer,
        (
            Operation::Tcp(tcp::Operation::Read { stream, .. })
            | Operation::Tcp(tcp::Operation::Write { stream, .. })
            | Operation::Tcp(tcp::Operation::Ready { stream, .. })
            | Operation::Tcp(tcp::Operation::TakeError { stream })
            | Operation::Tcp(tcp::Operation::Shutdown { stream }),
            _,
        ) => stream.peer,
        (_, Outcome::Accepted { peer, .. }) => *peer,
        (_, Outcome::Datagram { from, .. }) => *from,
        _ => return None,
    };
    let peer = system.process_at(process, address)?;
    Some(system.shared().hosts[peer.0 as usize].name.clone())
}

/// The payload that is sent or has arrived; the end of a stream has none.
fn payload(operation: &Operation, outcome: &Outcome, payloads: &Payloads) -> Option<String> {
    let bytes = match (operation, outcome) {
        (_, Outcome::Bytes(bytes)) if bytes.is_empty() => return None,
        (
            Operation::Udp(udp::Operation::Send { payload: bytes, .. })
            | Operation::Mailboxes(mailboxes::Operation::Send { payload: bytes, .. })
            | Operation::Tcp(tcp::Operation::Write { bytes, .. }),
            _,
        )
        | (_, Outcome::Datagram { payload: bytes, .. } | Outcome::Bytes(bytes)) => bytes,
        _ => return None,
    };
    Some(payloads.up_to(PAYLOAD_BYTES_MAX, bytes))
}

/// A datagram in words.
pub(super) fn datagram(system: &System, packet: OutcomeId) -> String {
    wording::outcome(system.learner.automata.outcome(packet), system.shared())
}

/// The acts of the network, in the words that people read.
fn doings(system: &System, state: &[u32], transition: &Transition, answer: &Outcome) -> Vec<Doing> {
    let told = system.told(transition).iter();
    let events = told.flat_map(|happened| happened.events.iter().map(move |event| (happened, *event)));
    let words = |happened: &Happened, position| {
        let (_, packet) = packet(system, state, transition, happened, position);
        datagram(system, packet)
    };
    let doing = |(happened, event): (&Happened, Event)| match event {
        Event::Lost { position, .. } => Some(Doing::Lost { datagram: words(happened, position), sent: None }),
        Event::Overtook { position, .. } => Some(Doing::Overtook { datagram: words(happened, position), sent: None }),
        Event::Duplicated { copy, .. } => Some(Doing::Duplicated { copy }),
        Event::CutOff => Some(Doing::CutOff),
        Event::Unbound | Event::Astray => Some(Doing::Unbound),
        Event::Hung => Some(Doing::Hung),
        Event::Crashed => Some(Doing::Killed),
        Event::Silenced => Some(Doing::Silenced),
        Event::FailedAlone => Some(Doing::FailedAlone),
        Event::Broken | Event::Refused if *answer == Outcome::Failed(Failure::TimedOut) => Some(Doing::GivenUp),
        Event::Failed if *answer != Outcome::Failed(Failure::ConnectionReset) => Some(Doing::Failed),
        Event::Failed | Event::Reset => Some(Doing::Reset),
        Event::Multiplied { copies: 0, .. } => None,
        Event::Multiplied { copies, .. } => Some(Doing::Duplicated { copy: u8::try_from(copies).unwrap_or(u8::MAX) }),
        Event::Departed
        | Event::Arrived { .. }
        | Event::Dialed
        | Event::Came { .. }
        | Event::Waits
        | Event::Delayed { .. }
        | Event::Kept
        | Event::Cut
        | Event::Healed
        | Event::Restarted
        | Event::Unheard { .. }
        | Event::Connected
        | Event::Accepted
        | Event::Refused
        | Event::Read { .. }
        | Event::Wrote { .. }
        | Event::Ended
        | Event::Finished
        | Event::Broken
        | Event::Fired { .. }
        | Event::Passed { .. } => None,
    };
    events.filter_map(doing).collect()
}

/// The events of a step, with names for the channels.
fn happenings(system: &System, state: &[u32], transition: &Transition) -> Vec<Happening> {
    let told = system.told(transition).iter();
    let each = told.flat_map(|happened| {
        let channel = happened.component(&transition.writes).and_then(|component| channel(system, component));
        happened.events.iter().map(move |&event| {
            let datagram = match event {
                Event::Unheard { position } | Event::Lost { position, .. } | Event::Overtook { position, .. } => {
                    let (_, packet) = packet(system, state, transition, happened, position);
                    Datagram::of(system.learner.automata.outcome(packet), system.shared())
                }
                _ => None,
            };
            Happening { event, channel: channel.clone(), datagram }
        })
    });
    each.collect()
}

fn channel(system: &System, component: ComponentId) -> Option<Channel> {
    let socket = |socket: SocketId| format!("socket {} of {}", socket.index, system.shared().unit(socket.unit).name);
    match system.components.component(component) {
        Component::Channel { from, to } => Some(Channel { from: socket(from), to: socket(to) }),
        Component::Astray { from, to: (_, to) } => {
            Some(Channel { from: socket(from), to: wording::address(to, system.shared()) })
        }
        _ => None,
    }
}

/// The packet at a position of a channel, before a step.
fn packet(
    system: &System,
    state: &[u32],
    transition: &Transition,
    happened: &Happened,
    position: u32,
) -> (ComponentId, OutcomeId) {
    let channel = happened.component(&transition.writes).expect("what happens to a packet changes its channel");
    let packet = system.links.get(channel.of(state)).packets().nth(position as usize);
    (channel, OutcomeId(packet.expect("an event speaks of a packet that was under way")))
}

fn lost(system: &System, state: &[u32], transition: &Transition, happened: &Happened) -> Vec<String> {
    let lost = happened.events.iter().filter_map(|event| match *event {
        Event::Lost { position, .. } => Some(packet(system, state, transition, happened, position)),
        _ => None,
    });
    lost.map(|(channel, packet)| lost_datagram(system, channel, packet)).collect()
}

/// A datagram under way on a channel, with where it was to go.
pub(super) fn lost_datagram(system: &System, channel: ComponentId, packet: OutcomeId) -> String {
    let to = match system.components.component(channel) {
        Component::Channel { to, .. } => system.shared().unit(to.unit).name,
        Component::Astray { to: (process, _), .. } => system.shared().unit(UnitId(process.0)).name,
        _ => String::new(),
    };
    format!("{} to {to}", datagram(system, packet))
}
