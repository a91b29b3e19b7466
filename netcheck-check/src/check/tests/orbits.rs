//! Symmetry against all states, one by one: how many there are up to exchanging like processes, and whether the steps
//! of a state are possible in its images.
//!
//! Here processes are exchanged by their names in a text that describes the state: this shares no code with the search.

use crate::check::setup::Job;
use crate::check::{Checker, Identity, Tcp, Udp};
use crate::network::Network;
use crate::report::Verdict;
use netcheck_runtime::id::{ConnectionId, NodeId, OutcomeId, SocketId, UnitId};
use netcheck_runtime::isolated;
use netcheck_runtime::net::{TcpListener, TcpStream, UdpSocket};
use netcheck_runtime::operation::Side;
use netcheck_runtime::reduction::successors::Successors;
use netcheck_runtime::reduction::symmetry::Symmetry;
use netcheck_runtime::select::choose;
use netcheck_runtime::task::spawn;
use netcheck_runtime::time::timeout;
use netcheck_runtime::unit::automaton::NodeKind;
use netcheck_runtime::world::components::{Component, StateVector, connection_dialed};
use netcheck_runtime::world::system::{Interrupt, System};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn job(checker: &Checker, register: impl Fn(&mut Network) + Copy) -> Job {
    let mut network = Network::default();
    register(&mut network);
    // As symmetry does, unless it is said otherwise.
    Job::new(checker.clone().identity(Identity::History), network, Arc::default(), Arc::default())
        .expect("it can be checked")
}

/// The states that the steps from a state lead to.
fn successors(system: &mut System, state: &[u32]) -> Result<BTreeSet<StateVector>, Interrupt> {
    let mut next = Vec::new();
    let mut all = BTreeSet::new();
    for step in Successors::default().within(system, state, None)?.to_vec() {
        system.apply(state, &step, &mut next).unwrap();
        all.insert(StateVector::from_slice(&next));
    }
    Ok(all)
}

/// All states of the full space, with the states that they lead to.
fn all(system: &mut System, initial: &StateVector) -> Result<Vec<(StateVector, BTreeSet<StateVector>)>, Interrupt> {
    let mut met = BTreeSet::from([initial.clone()]);
    let mut open = VecDeque::from([initial.clone()]);
    let mut states = Vec::new();
    while let Some(state) = open.pop_front() {
        let next = successors(system, &state)?;
        open.extend(next.iter().filter(|next| met.insert((*next).clone())).cloned());
        states.push((state, next));
    }
    Ok(states)
}

/// A state as text, with everything by name.
fn described(system: &System, state: &[u32]) -> BTreeSet<String> {
    let there = system.components.iter().filter(|(id, _)| id.of(state) != 0);
    there
        .map(|(id, component)| {
            format!("{} = {}", place_in_words(system, component), value(system, component, id.of(state)))
        })
        .collect()
}

fn place_in_words(system: &System, component: Component) -> String {
    match component {
        Component::Connection(id) => {
            format!("{:?}", [Side::Client, Side::Server].map(|side| system.connections.end(id, side)))
        }
        component => format!("{component:?}"),
    }
}

fn value(system: &System, component: Component, value: u32) -> String {
    let outcome = |id: u32| format!("{:?}", system.learner.automata.outcome(OutcomeId(id)));
    match component {
        Component::Unit(_) => node(system, NodeId(value)),
        Component::Port(..) => format!("{:?}", system.ports.get(value)),
        Component::Channel { .. } => {
            let link = system.links.get(value);
            format!("{:?} {:?}", link.renumbered(|_| 0), link.packets().map(outcome).collect::<Vec<_>>())
        }
        Component::Head(_) => outcome(value - 1),
        Component::StreamPort(..) => {
            let bound = system.stream_ports.get(value);
            let backlogs = bound.iter().flat_map(|binding| &binding.backlog).flat_map(|backlog| backlog.waiting());
            let waiting = backlogs.map(|&id| place_in_words(system, Component::Connection(ConnectionId(id))));
            let waiting: Vec<String> = waiting.collect();
            let ports: Vec<_> = bound.iter().map(|binding| (binding.ip, binding.socket, binding.holder)).collect();
            format!("{ports:?} {waiting:?}")
        }
        Component::Connection(_) => format!("{:?}", system.held.get(value)),
        Component::Dialed(_) => match connection_dialed(value) {
            Some(made) => place_in_words(system, Component::Connection(made)),
            None => "refused".to_owned(),
        },
        Component::Timers(_) => format!("{:?}", system.timers.get(value)),
        _ => value.to_string(),
    }
}

/// The inputs that a unit has been fed.
fn node(system: &System, id: NodeId) -> String {
    let automata = &system.learner.automata;
    match &automata.node(id).kind {
        NodeKind::Live | NodeKind::Panicked(_) => {
            let (_, steps) = automata.history(id);
            let told = steps.iter().map(|(_, input)| (input.key, automata.outcome(input.outcome)));
            format!("{:?}", told.collect::<Vec<_>>())
        }
        NodeKind::Ended { output } => format!("ended with {}", system.shared().output(*output).text),
        kind => format!("{kind:?}"),
    }
}

/// The same with two processes exchanged, wherever one is named. Each has one socket that asks for any port.
fn exchanged(text: &BTreeSet<String>, [a, b]: [usize; 2], ports: &[u16]) -> BTreeSet<String> {
    let names = |process: usize| {
        let (address, port) = (format!("10.0.0.{}", process + 1), ports[process].to_string());
        [format!("UnitId({process})"), format!("ProcessId({process})"), address, port]
    };
    let pairs: Vec<(String, String)> = names(a).into_iter().zip(names(b)).collect();
    let exchange = |line: &String| {
        let mut line = line.clone();
        for (index, (a, b)) in pairs.iter().enumerate() {
            line = line.replace(a, &format!("<{index}>")).replace(b, a).replace(&format!("<{index}>"), b);
        }
        line
    };
    text.iter().map(exchange).collect()
}

/// All texts that exchanging processes of the classes makes of one.
fn orbit(text: BTreeSet<String>, classes: &[&[usize]], ports: &[u16]) -> BTreeSet<BTreeSet<String>> {
    let mut orbit = BTreeSet::from([text.clone()]);
    let mut open = vec![text];
    while let Some(text) = open.pop() {
        let swaps = classes.iter().flat_map(|class| class.windows(2));
        for image in swaps.map(|pair| exchanged(&text, [pair[0], pair[1]], ports)) {
            if orbit.insert(image.clone()) {
                open.push(image);
            }
        }
    }
    orbit
}

/// Whether the steps of each state are possible in its images; returns how many states there are, and the job with its
/// classes.
fn is_equivariant_with(checker: &Checker, register: impl Fn(&mut Network) + Copy) -> (usize, Job) {
    let compare = |job: &Job, system: &mut System, initial: &StateVector| {
        let mut symmetry = Symmetry::new(system, &job.like_processes().expect("symmetry is asked for"), initial);
        let states = all(system, initial)?;
        for (state, next) in &states {
            let images = symmetry.images(system, state)?;
            for (permutation, image) in images {
                let mut expected = BTreeSet::new();
                for next in next {
                    expected.insert(symmetry.image(system, permutation, next)?);
                }
                assert_eq!(successors(system, &image)?, expected, "{permutation:?} of {:?}", described(system, state));
            }
        }
        Ok(states.len())
    };
    let mut job = job(&checker.clone().symmetry(true), register);
    let (states, _) = job.attempt(compare).expect("all states");
    (states, job)
}

/// As [`is_equivariant_with`], for processes or tasks that are alike.
fn is_equivariant(checker: &Checker, register: impl Fn(&mut Network) + Copy) -> usize {
    let (states, job) = is_equivariant_with(checker, register);
    let are_alike = job.like_processes().is_some_and(|like| !like.are_empty());
    assert!(are_alike && job.asymmetries.is_empty(), "{:?}", job.asymmetries);
    states
}

/// Compares the search with all states; returns how many there are, and how many up to exchanging processes.
fn counted(checker: &Checker, register: impl Fn(&mut Network) + Copy, classes: &[&[usize]]) -> (usize, usize) {
    let checker = checker.clone().reduction(false);
    let each = |_: &Job, system: &mut System, initial: &StateVector| {
        let states = all(system, initial)?;
        let mut standing: BTreeSet<BTreeSet<String>> = BTreeSet::new();
        let first_socket = |unit: usize| SocketId { unit: UnitId(unit as u32), index: 0 };
        let ports: Vec<u16> =
            (0..system.units.len()).map(|unit| system.first_ephemeral_port(first_socket(unit))).collect();
        for (state, _) in &states {
            let orbit = orbit(described(system, state), classes, &ports);
            standing.extend(orbit.into_iter().min());
        }
        Ok((states.len(), standing.len()))
    };
    let ((states, orbits), _) = job(&checker, register).attempt(each).expect("all states");
    is_equivariant(&checker, register);
    let count = |symmetry: bool| {
        let report = job(&checker.clone().symmetry(symmetry), register).check().expect("a report");
        assert_eq!((report.verdict(), report.asymmetries()), (Verdict::Verified, &[][..]), "{report}");
        report.states()
    };
    assert_eq!((count(false), count(true)), (states, orbits));
    (states, orbits)
}

async fn answers(number: usize) {
    let socket = UdpSocket::bind("0.0.0.0:1").await.expect("bound");
    let mut buffer = [0; 4];
    for _ in 0..number {
        let Ok(received) = timeout(Duration::from_millis(30), socket.recv_from(&mut buffer)).await else { continue };
        let (length, from) = received.expect("received");
        socket.send_to(&buffer[..length], from).await.expect("sent");
    }
}

async fn asks() -> Option<u8> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("bound");
    let asked = [b'a' + choose(0..2).await as u8];
    socket.send_to(&asked, "server:1").await.expect("sent");
    let mut buffer = [0; 4];
    let answered = timeout(Duration::from_millis(20), socket.recv(&mut buffer)).await;
    answered.ok().map(|_| buffer[0])
}

#[test]
fn clients_of_a_datagram_server() {
    let two = |net: &mut Network| {
        net.daemon("server", || answers(2));
        net.process("a", asks);
        net.process("b", asks);
    };
    let lossy = Checker::new().udp(Udp::new().loss());
    assert_eq!(counted(&lossy, two, &[&[1, 2]]), (374, 203));
    let three = |net: &mut Network| {
        net.daemon("server", || answers(3));
        for name in ["a", "b", "c"] {
            net.process(name, waits).after("server");
        }
    };
    assert_eq!(counted(&Checker::new(), three, &[&[1, 2, 3]]), (386, 84));
}

async fn echoes(number: usize) {
    let listener = TcpListener::bind("0.0.0.0:1").await.expect("bound");
    for _ in 0..number {
        let Ok((mut stream, _)) = listener.accept().await else { continue };
        spawn(async move {
            if let Ok(byte) = stream.read_u8().await {
                let _ = stream.write_u8(byte).await;
            }
        });
    }
}

async fn talks() -> u8 {
    let Ok(Ok(mut stream)) = timeout(Duration::from_millis(10), TcpStream::connect("server:1")).await else { return 1 };
    let _ = stream.write_u8(7).await;
    stream.read_u8().await.unwrap_or(0)
}

#[test]
fn clients_of_a_stream_server() {
    let network = |clients: usize| {
        move |net: &mut Network| {
            net.daemon("server", move || echoes(clients));
            for client in 0..clients {
                net.process(format!("client-{client}"), talks).after("server");
            }
        }
    };
    assert_eq!(counted(&Checker::new(), network(2), &[&[1, 2]]), (181, 95));
    let failing = Checker::new().tcp(Tcp::new().fail_open().fail_read().hang()).at_most(1);
    assert_eq!(counted(&failing, network(2), &[&[1, 2]]), (533, 272));
}

async fn tells() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("bound");
    socket.send_to(b"a", "server:1").await.expect("sent");
}

async fn waits() -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("bound");
    socket.send_to(b"b", "server:1").await.expect("sent");
    timeout(Duration::from_millis(20), socket.recv(&mut [0])).await.is_ok()
}

#[test]
fn two_classes_at_once() {
    let network = |net: &mut Network| {
        net.daemon("server", || answers(2));
        net.process("a", tells).after("server");
        net.process("b", waits).after("server");
        net.process("c", tells).after("server");
        net.process("d", waits).after("server");
    };
    assert_eq!(counted(&Checker::new(), network, &[&[1, 3], &[2, 4]]), (1_383, 455));
}

async fn looks_twice() -> usize {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("bound");
    socket.send_to(b"a", "server:1").await.expect("sent");
    let mut buffer = [0; 4];
    match timeout(Duration::from_millis(20), socket.peek(&mut buffer)).await {
        Ok(_) => socket.recv(&mut buffer).await.expect("received"),
        Err(_) => 0,
    }
}

#[test]
fn clients_that_peek() {
    let network = |net: &mut Network| {
        net.daemon("server", || answers(2));
        net.process("a", looks_twice).after("server");
        net.process("b", looks_twice).after("server");
    };
    assert_eq!(counted(&Checker::new().udp(Udp::new().loss()), network, &[&[1, 2]]), (90, 52));
}

/// Each process leaves the work to one of two isolated tasks.
async fn leaves_it_to_others() -> Option<bool> {
    let name = ["first", "second"][choose(0..2).await];
    let task = spawn(isolated::process(name, (), |()| waits()));
    timeout(Duration::from_millis(10), task).await.ok()?.ok()
}

#[test]
fn clients_with_isolated_tasks() {
    let network = |net: &mut Network| {
        net.daemon("server", || answers(1));
        net.process("a", leaves_it_to_others).after("server");
        net.process("b", leaves_it_to_others).after("server");
    };
    assert_eq!(is_equivariant(&Checker::new(), network), 270);
}

mod tasks;
