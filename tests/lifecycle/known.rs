//! Systems written by hand: what was wrong once, and what is easily wrong.

use crate::engine::{Configuration, differences};
use crate::naive::{Findings, Reading, explore};
use crate::observed;
use crate::program::{ELAPSED, Instruction, Network, Process, Shared, System, Task, Value};
use netcheck::check::Search;
use std::sync::Arc;

/// The findings of the naive explorer. The engine finds the same in each of some configurations. What there is with the
/// order that a `JoinSet` has on tokio is among it, and what tokio does is among that.
fn agreed(system: &System) -> Findings {
    let [tokio, findings] =
        [Reading::TOKIO, Reading::ENGINE].map(|reading| explore(system, 100_000, reading).expect("a small system").0);
    assert!(tokio.outputs[0].is_subset(&findings.outputs[0]), "{tokio:?} is not in {findings:?}");
    if tokio.panics.is_empty() && !system.any(|instruction| matches!(instruction, Instruction::Bind { .. })) {
        let output = observed(&Shared(Arc::new(system.clone())));
        assert!(tokio.outputs[0].contains(&output), "tokio ends with {output}, not in {:?}", tokio.outputs[0]);
    }
    let mut configurations = Vec::new();
    for tracked in [false, true] {
        for reduction in [true, false] {
            let plain = Configuration { reduction, tracked, ..Configuration::DEFAULT };
            let other = Configuration { search: Search::Dfs, symmetry: true, capture: false, ..plain };
            configurations.extend([plain, other, Configuration { subsumption: true, threads: 2, ..plain }]);
        }
    }
    let differences = differences(system, &findings, &configurations);
    let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{system}{} disagreements:\n{}", told.len(), told.join("\n"));
    findings
}

fn panics(findings: &Findings) -> bool {
    !findings.panics.is_empty()
}

/// The outputs of the first process.
fn ends(findings: &Findings) -> Vec<&str> {
    findings.outputs[0].iter().map(String::as_str).collect()
}

/// Processes on a reliable network.
fn system(processes: Vec<Process>) -> System {
    System { processes, network: Network::reliable() }
}

fn daemon(routines: Vec<Vec<Instruction>>) -> Process {
    Process { daemon: true, routines }
}

fn process(routines: Vec<Vec<Instruction>>) -> Process {
    Process { daemon: false, routines }
}

fn isolated(routine: usize) -> Task {
    Task { routine, isolated: true, argument: Value::Constant(routine as u8) }
}

fn ordinary(routine: usize) -> Task {
    Task { isolated: false, ..isolated(routine) }
}

fn spawn(task: Task, handle: usize) -> Instruction {
    Instruction::Spawn { task, handle }
}

fn set(task: Task) -> Instruction {
    Instruction::SetSpawn { task }
}

fn sleep(ms: u16) -> Instruction {
    Instruction::Sleep { ms }
}

fn join(handle: usize, into: usize) -> Instruction {
    Instruction::Await { handle, into, keeps: true }
}

fn select(which: usize, into: usize) -> Instruction {
    Instruction::Select { handles: [0, 1], limit_ms: None, which, into }
}

fn assert_not(register: usize, value: u8) -> Instruction {
    Instruction::AssertNot { register, value, line: 1 }
}

fn bind(port: u16) -> Instruction {
    Instruction::Bind { socket: 0, port: Some(port) }
}

fn send(to: usize, value: u8) -> Instruction {
    Instruction::Send { socket: 0, to, port: 4000, value: Value::Constant(value) }
}

const RECEIVE: Instruction = Instruction::Recv { socket: 0, into: 1 };
const ABORT: Instruction = Instruction::Abort { handle: 0 };

#[test]
fn a_daemon_waits_for_an_isolated_task_that_sleeps_and_panics() {
    let root = vec![spawn(isolated(1), 0), join(0, 0), assert_not(0, 1)];
    assert!(panics(&agreed(&system(vec![daemon(vec![root, vec![sleep(20)]])]))));
}

#[test]
fn a_daemon_waits_for_an_isolated_task_that_waits_for_a_datagram_and_panics() {
    let root = vec![spawn(isolated(1), 0), join(0, 0), assert_not(0, 1)];
    let sender = vec![bind(4000), sleep(5), send(0, 1)];
    assert!(panics(&agreed(&system(vec![daemon(vec![root, vec![bind(4000), RECEIVE]]), process(vec![sender])]))));
}

#[test]
fn a_daemon_selects_the_isolated_task_that_ends_first_and_waits_for_ever() {
    let root = vec![spawn(isolated(1), 0), spawn(isolated(2), 1), select(0, 1), assert_not(0, 1), Instruction::Pending];
    assert!(panics(&agreed(&system(vec![daemon(vec![root, vec![sleep(20)], vec![sleep(10)]])]))));
}

#[test]
fn the_one_of_two_isolated_tasks_that_sleeps_longer_never_ends_first() {
    let root = vec![spawn(isolated(1), 0), spawn(isolated(2), 1), select(0, 1), assert_not(0, 0), select(2, 3)];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(20)], vec![sleep(10)]])]));
    assert_eq!((panics(&findings), ends(&findings)), (false, vec!["[1, 2, 0, 1]"]));
}

#[test]
fn a_join_set_gives_isolated_tasks_in_the_order_in_which_they_end() {
    let next = |into| Instruction::JoinNext { into };
    let root = vec![set(isolated(1)), set(isolated(2)), next(0), next(1), next(2)];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(20)], vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[2, 1, 253, 0]"]);
}

#[test]
fn an_isolated_task_that_sleeps_is_not_finished_before_it_wakes() {
    let asks = |into| Instruction::IsFinished { handle: 0, into };
    let root = vec![spawn(isolated(1), 0), sleep(5), asks(0), sleep(10), asks(1)];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[0, 1, 0, 0]"]);
}

#[test]
fn an_isolated_task_is_aborted_after_another_one_was_joined() {
    let root = vec![spawn(isolated(1), 0), spawn(isolated(2), 1), join(1, 1), ABORT, join(0, 0)];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(20)], vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[254, 2, 0, 0]"]);
}

#[test]
fn an_isolated_task_panics_before_its_process_ends() {
    let root = vec![spawn(isolated(1), 0), sleep(10)];
    assert!(panics(&agreed(&system(vec![process(vec![root, vec![sleep(5), assert_not(0, 1)]])]))));
}

#[test]
fn ordinary_tasks_that_were_selected_from_are_joined_later() {
    let root = vec![spawn(ordinary(1), 0), spawn(ordinary(2), 1), select(0, 1), select(2, 3)];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(20)], vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[1, 2, 0, 1]"]);
}

#[test]
fn an_ordinary_task_that_sleeps_longer_is_not_finished_when_another_one_is_joined() {
    let asks = Instruction::IsFinished { handle: 0, into: 0 };
    let root = vec![spawn(ordinary(1), 0), spawn(ordinary(2), 1), join(1, 1), asks];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(20)], vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[0, 2, 0, 0]"]);
    let asks = Instruction::IsFinished { handle: 1, into: 0 };
    let root = vec![spawn(ordinary(2), 0), spawn(ordinary(1), 1), join(0, 1), asks.clone()];
    let findings = agreed(&system(vec![process(vec![root.clone(), vec![sleep(20)], vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[0, 2, 0, 0]"]);
    let root = [root, vec![sleep(5), asks]].concat();
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(12)], vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[1, 2, 0, 0]"]);
}

#[test]
fn an_ordinary_task_may_have_finished_when_another_one_is_joined_and_is_joined_later() {
    let asks = Instruction::IsFinished { handle: 1, into: 1 };
    let root = vec![spawn(ordinary(1), 0), spawn(ordinary(1), 1), join(0, 0), asks, join(1, 2)];
    let findings = agreed(&system(vec![process(vec![root, Vec::new()])]));
    assert_eq!(ends(&findings), ["[1, 0, 1, 0]", "[1, 1, 1, 0]"]);
}

/// Both happen at one instant.
#[test]
fn a_datagram_of_an_isolated_task_may_arrive_when_the_time_is_over() {
    let port = Instruction::Bind { socket: 0, port: None };
    let limited = Instruction::Timeout { ms: 5, into: 1, body: vec![RECEIVE] };
    let root = vec![bind(4000), spawn(isolated(1), 0), limited];
    let findings = agreed(&system(vec![process(vec![root, vec![port, sleep(5), send(0, 1)]])]));
    assert_eq!(ends(&findings), ["[0, 1, 0, 0]", "[0, 255, 0, 0]"]);
}

#[test]
fn an_isolated_task_that_is_aborted_in_a_scope_leaves_no_faults_on() {
    let scoped = vec![Instruction::Scope { body: vec![Instruction::Pending] }];
    let root = vec![bind(4001), spawn(isolated(1), 0), sleep(5), ABORT, sleep(5), send(1, 1)];
    let receiver =
        vec![bind(4000), Instruction::Timeout { ms: 20, into: 1, body: vec![RECEIVE] }, assert_not(1, ELAPSED)];
    let network = Network { copies: vec![1, 0], ..Network::reliable() };
    let system = System { processes: vec![process(vec![root, scoped]), process(vec![receiver])], network };
    assert!(!panics(&agreed(&system)));
}

#[test]
fn an_isolated_task_binds_an_ephemeral_port_beside_isolated_tasks_of_another_process() {
    let port = Instruction::Bind { socket: 0, port: None };
    let child = vec![port, send(1, 2), Instruction::Timeout { ms: 10, into: 1, body: vec![RECEIVE] }];
    let child = [child, vec![Instruction::Return { value: Value::Register(1) }]].concat();
    let asks = vec![sleep(5), spawn(isolated(1), 0), join(0, 0)];
    let answer = Instruction::Reply { socket: 0, value: Value::Register(1) };
    let answers = vec![bind(4000), RECEIVE, answer, Instruction::Return { value: Value::Register(1) }];
    let root = vec![spawn(isolated(1), 0), join(0, 0)];
    let findings = agreed(&system(vec![process(vec![asks, child]), process(vec![root, answers])]));
    assert_eq!(ends(&findings), ["[2, 0, 0, 0]"]);
}

#[test]
fn a_panic_is_found_beside_an_isolated_task_that_binds_an_ephemeral_port() {
    let port = Instruction::Bind { socket: 0, port: None };
    let asks = vec![Instruction::Yield, Instruction::Yield, spawn(isolated(1), 0), join(0, 0), assert_not(0, 1)];
    let root = vec![Instruction::Yield, spawn(isolated(1), 0), join(0, 0)];
    let findings =
        agreed(&system(vec![process(vec![root, vec![sleep(5)]]), process(vec![asks, vec![port, send(0, 1)]])]));
    assert!(panics(&findings));
}

/// As on tokio, where a `select!` begins with any branch.
#[test]
fn a_select_of_an_ordinary_and_an_isolated_task_that_have_ended_takes_either() {
    for tasks in [[ordinary(1), isolated(1)], [isolated(1), ordinary(1)]] {
        let root = vec![spawn(tasks[0], 0), spawn(tasks[1], 1), sleep(5), select(0, 1)];
        let findings = agreed(&system(vec![process(vec![root, Vec::new()])]));
        assert_eq!(ends(&findings), ["[0, 1, 0, 0]", "[1, 1, 0, 0]"]);
    }
}

/// On tokio it is dropped when it would run next.
#[test]
fn an_isolated_task_that_was_just_aborted_need_not_be_finished() {
    let root = vec![spawn(isolated(1), 0), ABORT, Instruction::IsFinished { handle: 0, into: 0 }];
    let findings = agreed(&system(vec![process(vec![root, Vec::new()])]));
    assert_eq!(ends(&findings), ["[0, 0, 0, 0]", "[1, 0, 0, 0]"]);
}

/// On tokio, in the order in which they ended.
#[test]
fn a_join_set_gives_an_isolated_and_an_ordinary_task_that_have_both_ended_in_either_order() {
    for (first, second) in [(isolated(1), ordinary(2)), (ordinary(1), isolated(2))] {
        let next = |into| Instruction::JoinNext { into };
        let root = vec![set(first), set(second), sleep(15), next(0), next(1)];
        let system = system(vec![process(vec![root, vec![sleep(5)], vec![sleep(10)]])]);
        assert_eq!(ends(&agreed(&system)), ["[1, 2, 0, 0]", "[2, 1, 0, 0]"]);
        assert_eq!(observed(&Shared(Arc::new(system))), "[1, 2, 0, 0]");
    }
}

/// On tokio, in the order in which they ended.
#[test]
fn a_join_set_gives_isolated_tasks_that_have_all_ended_in_either_order() {
    let next = |into| Instruction::JoinNext { into };
    let root = vec![set(isolated(1)), set(isolated(2)), sleep(15), next(0), next(1)];
    let system = system(vec![process(vec![root, vec![sleep(10)], vec![sleep(5)]])]);
    assert_eq!(ends(&agreed(&system)), ["[1, 2, 0, 0]", "[2, 1, 0, 0]"]);
    assert_eq!(observed(&Shared(Arc::new(system))), "[2, 1, 0, 0]");
}

#[test]
fn a_join_set_gives_ordinary_tasks_in_the_order_in_which_they_ended_among_isolated_ones() {
    let next = |into| Instruction::JoinNext { into };
    let root = vec![set(ordinary(1)), set(isolated(2)), set(ordinary(3)), sleep(20), next(0), next(1), next(2)];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(10)], vec![sleep(15)], vec![sleep(5)]])]));
    assert_eq!(ends(&findings), ["[2, 3, 1, 0]", "[3, 1, 2, 0]", "[3, 2, 1, 0]"]);
}

/// Only the end of a process ends its tasks: it goes on, on tokio, and the engine ends with a diagnostic.
#[test]
fn an_isolated_task_that_ends_or_is_aborted_leaves_an_ordinary_task_behind() {
    let grandchild = vec![sleep(5), assert_not(0, 2)];
    let root = vec![spawn(isolated(1), 0), join(0, 1), sleep(10)];
    let findings = agreed(&system(vec![process(vec![root, vec![spawn(ordinary(2), 0)], grandchild.clone()])]));
    assert!(findings.met.left_behind && panics(&findings));
    let root = vec![spawn(isolated(1), 0), sleep(2), ABORT, sleep(10)];
    let child = vec![spawn(ordinary(2), 0), Instruction::Pending];
    let findings = agreed(&system(vec![process(vec![root, child, vec![sleep(5)]])]));
    assert!(findings.met.left_behind && findings.is_clean());
}

#[test]
fn an_isolated_task_that_aborts_its_ordinary_task_leaves_none_behind() {
    let child = vec![spawn(ordinary(2), 0), ABORT];
    let root = vec![spawn(isolated(1), 0), join(0, 1), sleep(10)];
    let findings = agreed(&system(vec![process(vec![root.clone(), child, vec![sleep(5)]])]));
    assert!(!findings.met.left_behind && findings.is_clean());
    let child = vec![set(ordinary(2))];
    let findings = agreed(&system(vec![process(vec![root, child, vec![sleep(5), assert_not(0, 2)]])]));
    assert!(!findings.met.left_behind && findings.is_clean());
}

#[test]
fn the_isolated_tasks_of_an_isolated_task_go_on_when_it_has_ended_or_was_aborted() {
    let child = vec![spawn(isolated(2), 0), Instruction::Detach { handle: 0 }];
    let grandchild = vec![sleep(10), assert_not(0, 2)];
    let root = vec![spawn(isolated(1), 0), join(0, 1), sleep(15)];
    assert!(panics(&agreed(&system(vec![process(vec![root, child, grandchild.clone()])]))));
    let child = vec![spawn(isolated(2), 0), Instruction::Pending];
    let root = vec![spawn(isolated(1), 0), sleep(5), ABORT, sleep(15)];
    assert!(panics(&agreed(&system(vec![process(vec![root, child, grandchild])]))));
}

#[test]
fn a_join_set_of_an_isolated_task_that_is_aborted_aborts_its_tasks() {
    let child = vec![set(isolated(2)), Instruction::JoinNext { into: 0 }];
    let grandchild = vec![sleep(10), assert_not(0, 2)];
    let root = vec![spawn(isolated(1), 0), sleep(5), ABORT, join(0, 1), sleep(15)];
    let findings = agreed(&system(vec![process(vec![root, child, grandchild])]));
    assert_eq!((panics(&findings), ends(&findings)), (false, vec!["[0, 254, 0, 0]"]));
}

#[test]
fn a_port_of_an_isolated_task_that_was_just_aborted_may_still_be_taken() {
    let child = vec![bind(4000), Instruction::Pending];
    let send = send(0, 7);
    let root = vec![spawn(isolated(1), 0), sleep(5), ABORT, bind(4000), send];
    let root = [root, vec![Instruction::Timeout { ms: 5, into: 1, body: vec![RECEIVE] }]].concat();
    let findings = agreed(&system(vec![process(vec![root, child])]));
    assert_eq!(ends(&findings), ["[0, 0, 0, 0]", "[0, 7, 0, 0]"]);
}

#[test]
fn a_timeout_of_a_handle_leaves_the_task_alone() {
    let limited = Instruction::Timeout { ms: 5, into: 0, body: vec![join(0, 0)] };
    let root = vec![spawn(isolated(1), 0), limited, join(0, 1)];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[255, 1, 0, 0]"]);
}

/// Both sleep equally long: either may end first, and the other one before anybody asks.
#[test]
fn an_isolated_task_may_have_finished_when_a_like_one_is_joined() {
    let asks = Instruction::IsFinished { handle: 1, into: 3 };
    let root = vec![spawn(isolated(1), 0), spawn(isolated(1), 1), join(0, 2), asks];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[0, 0, 1, 0]", "[0, 0, 1, 1]"]);
}

#[test]
fn an_isolated_task_may_have_finished_when_a_like_one_is_joined_where_tasks_of_theirs_sleep() {
    let asks = Instruction::IsFinished { handle: 1, into: 3 };
    let root = vec![spawn(isolated(1), 0), spawn(isolated(1), 1), join(0, 2), asks];
    let child = vec![spawn(isolated(2), 0), join(0, 3)];
    let findings = agreed(&system(vec![process(vec![root, child, vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[0, 0, 1, 0]", "[0, 0, 1, 1]"]);
}

/// Until then there are faults everywhere: both processes wait for ever if the first datagram is lost.
#[test]
fn a_deadlock_by_a_fault_may_be_found_before_a_scope_is_entered() {
    let answer = Instruction::Reply { socket: 0, value: Value::Constant(1) };
    let asks = vec![bind(4001), sleep(5), send(1, 1), RECEIVE, Instruction::Scope { body: Vec::new() }];
    let network = Network { copies: vec![1, 0], ..Network::reliable() };
    let processes = vec![process(vec![asks]), process(vec![vec![bind(4000), RECEIVE, answer]])];
    let findings = agreed(&System { processes, network });
    assert!(findings.is_clean() && findings.unscoped.is_some_and(|unscoped| unscoped.deadlock));
}

#[test]
fn there_are_no_faults_once_a_scope_was_entered() {
    let asks = vec![Instruction::Scope { body: Vec::new() }, bind(4001), sleep(5), send(0, 1)];
    let network = Network { copies: vec![1, 0], ..Network::reliable() };
    let receives = vec![bind(4000), Instruction::Timeout { ms: 20, into: 1, body: vec![RECEIVE] }];
    let findings = agreed(&System { processes: vec![process(vec![receives]), process(vec![asks])], network });
    assert_eq!(ends(&findings), ["[0, 1, 0, 0]"]);
    assert!(findings.unscoped.is_some());
}

/// Time passes only when nothing else can happen.
#[test]
fn an_ordinary_task_that_does_not_wait_ends_before_the_isolated_task_that_spawned_it_has_slept() {
    let child = vec![spawn(ordinary(2), 0), sleep(15)];
    let root = vec![spawn(isolated(1), 0), join(0, 0)];
    let findings = agreed(&system(vec![process(vec![root, child, Vec::new()])]));
    assert!(!findings.met.left_behind && findings.is_clean());
}

#[test]
fn a_daemon_ends_that_awaits_an_isolated_task_that_has_found_its_port_taken() {
    let child = vec![bind(4000), RECEIVE];
    let root = vec![bind(4000), spawn(isolated(1), 0), join(0, 2)];
    let findings = agreed(&system(vec![daemon(vec![root, child])]));
    assert_eq!(ends(&findings), ["[0, 0, 1, 0]"]);
}

/// When the patience of the root is over, both have ended a while ago.
#[test]
fn an_isolated_task_whose_ordinary_task_has_ended_in_time_is_not_aborted_before() {
    let next = |into| Instruction::JoinNext { into };
    let limited = Instruction::Timeout { ms: 5, into: 1, body: vec![next(1)] };
    let root = vec![set(ordinary(2)), set(isolated(1)), next(0), limited, Instruction::DropSet, sleep(20)];
    let child = vec![spawn(ordinary(2), 0), join(0, 2)];
    let findings = agreed(&system(vec![process(vec![root, child, vec![sleep(15)]])]));
    assert!(!findings.met.left_behind && findings.is_clean());
}

/// In one poll, the root finds the end of the ordinary task and asks whether the other one has ended.
#[test]
fn a_time_out_is_not_over_in_the_middle_of_a_poll() {
    let body = vec![join(0, 0), Instruction::IsFinished { handle: 1, into: 1 }];
    let limited = Instruction::Timeout { ms: 5, into: 3, body };
    let root = vec![spawn(ordinary(1), 0), spawn(isolated(1), 1), sleep(5), limited];
    let findings = agreed(&system(vec![process(vec![root, vec![sleep(10)]])]));
    assert_eq!(ends(&findings), ["[0, 0, 0, 255]", "[1, 0, 0, 0]", "[1, 1, 0, 0]"]);
}

/// A datagram that is lost has its receiver panic before the sender enters a scope.
#[test]
fn a_panic_by_a_fault_may_be_found_before_a_scope_is_entered() {
    let limited = |into| Instruction::Timeout { ms: 10, into, body: vec![Instruction::Recv { socket: 0, into }] };
    let receives = vec![bind(4000), limited(1), assert_not(1, ELAPSED)];
    let root = vec![spawn(ordinary(1), 0), join(0, 0)];
    let sends = vec![bind(4001), sleep(5), send(0, 3), limited(0), Instruction::Scope { body: Vec::new() }];
    let network = Network { copies: vec![1, 0], ..Network::reliable() };
    let findings = agreed(&System { processes: vec![process(vec![root, receives]), process(vec![sends])], network });
    assert!(findings.is_clean() && findings.unscoped.is_some_and(|unscoped| !unscoped.panics.is_empty()));
}

/// A daemon that nothing can wake is left out of the search; it has not ended.
#[test]
fn an_isolated_task_that_waits_for_ever_has_not_ended() {
    let bind = || Instruction::Bind { socket: 0, port: Some(4000) };
    let receive = || Instruction::Recv { socket: 0, into: 0 };
    let asks = Instruction::IsFinished { handle: 1, into: 1 };
    let check = Instruction::AssertNot { register: 1, value: 1, line: 1 };
    let server = || daemon(vec![vec![bind(), receive()]]);
    let parent = vec![spawn(isolated(1), 1), asks, check, Instruction::Pending];
    assert!(agreed(&system(vec![server(), daemon(vec![parent, vec![bind(), receive()]])])).is_clean());
}

/// … and goes on to hold its port when nobody holds its handle any more.
#[test]
fn an_isolated_task_that_waits_for_ever_keeps_its_port_without_its_handle() {
    let receive = || Instruction::Recv { socket: 0, into: 0 };
    let bind = || Instruction::Bind { socket: 0, port: Some(4000) };
    let parent = vec![spawn(isolated(1), 1), sleep(5), Instruction::Detach { handle: 1 }, sleep(5), bind(), receive()];
    agreed(&system(vec![daemon(vec![parent, vec![bind(), receive()]])]));
}
