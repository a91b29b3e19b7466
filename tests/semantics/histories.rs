//! Calls on objects that programs share: the answers that some order of the calls explains, and how others are shown.

use netcheck::Network;
use netcheck::check::{Checker, Crash, Identity, Report, Udp, Verdict, ViolationKind};
use netcheck::fs;
use netcheck::history::{
    Call, Queue, QueueOperation, Register, RegisterAnswer, RegisterOperation, Sequential, invoke, invoke_on,
};
use netcheck::monitor::{Monitor, Observer, Seen};
use netcheck::net::UdpSocket;
use netcheck::task::yield_now;
use netcheck::time::{sleep, timeout};
use std::future::pending;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(1);

type Operation = RegisterOperation<u8>;
type Answer = RegisterAnswer<u8>;

/// Sends a request from a socket of its own; the answer, unless none comes.
async fn ask<const N: usize>(server: &str, request: [u8; N]) -> Option<[u8; 2]> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(&request, server).await.unwrap();
    let mut answer = [0; 2];
    timeout(PATIENCE, socket.recv(&mut answer)).await.ok()?.unwrap();
    Some(answer)
}

/// Writes a value at one of the servers; `None` if it is not known whether it is written.
async fn write(servers: &[&str], value: u8) -> Option<()> {
    let call = invoke(Operation::Write(value));
    for server in servers {
        if ask(server, [b'w', value]).await.is_some() {
            call.returned(Answer::Written);
            return Some(());
        }
    }
    None
}

/// Reads the value at the first of the servers that answers.
async fn read(servers: &[&str]) -> Option<u8> {
    let call = invoke(Operation::Read);
    for server in servers {
        if let Some([_, value]) = ask(server, [b'r', 0]).await {
            call.returned(Answer::Value(value));
            return Some(value);
        }
    }
    None
}

/// A server with one register.
async fn register() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut value = 0;
    loop {
        let mut request = [0; 2];
        let (_, from) = socket.recv_from(&mut request).await.unwrap();
        if request[0] == b'w' {
            value = request[1];
        }
        socket.send_to(&[b'v', value], from).await.unwrap();
    }
}

fn verified(report: &Report) {
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

fn rejected(report: &Report) -> String {
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(found.kind(), ViolationKind::Monitor);
    found.without_lines()
}

#[test]
fn one_server_is_linearizable() {
    let report = Checker::new().check(|net| {
        net.linearizable(Register::new(0_u8));
        net.daemon("server", register);
        net.process("a", || async {
            write(&["server:4000"], 1).await;
            read(&["server:4000"]).await
        })
        .after("server");
        net.process("b", || async { [read(&["server:4000"]).await, read(&["server:4000"]).await] }).after("server");
    });
    verified(&report);
    assert_eq!(report.states(), 243);
}

/// The ways of a server that has a backup.
#[derive(Clone, Copy, PartialEq)]
enum Primary {
    /// It acknowledges a write, and then tells its backup of it.
    AcknowledgesFirst,
    /// It tells its backup first.
    Waits,
    /// It tells its backup first, and when it was killed it comes back with what its backup has.
    ComesBack,
}

async fn primary(kind: Primary) {
    if kind != Primary::ComesBack {
        // Its host goes on, and so it knows that it was killed.
        if fs::try_exists("started").await.unwrap() {
            return pending().await;
        }
        fs::write("started", b"").await.unwrap();
    }
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let backup = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
    backup.connect("backup:4000").await.unwrap();
    let mut value = 0;
    let mut answer = [0; 2];
    if kind == Primary::ComesBack {
        backup.send(b"r0").await.unwrap();
        backup.recv(&mut answer).await.unwrap();
        value = answer[1];
    }
    loop {
        let mut request = [0; 2];
        let (_, from) = socket.recv_from(&mut request).await.unwrap();
        let answers_first = request[0] == b'r' || kind == Primary::AcknowledgesFirst;
        if answers_first {
            value = if request[0] == b'w' { request[1] } else { value };
            socket.send_to(&[b'v', value], from).await.unwrap();
        }
        if request[0] == b'w' {
            backup.send(&request).await.unwrap();
            backup.recv(&mut answer).await.unwrap();
            value = request[1];
        }
        if !answers_first {
            socket.send_to(&[b'v', value], from).await.unwrap();
        }
    }
}

const BOTH: [&str; 2] = ["primary:4000", "backup:4000"];

/// Two clients, of which one goes to the backup where the primary does not answer.
fn replicated(kind: Primary) -> Report {
    Checker::new().crash(Crash::kill().process("primary").times(1)).check(move |net| {
        net.linearizable(Register::new(0_u8));
        net.daemon("backup", register);
        net.daemon("primary", move || primary(kind)).after("backup");
        net.process("a", || async {
            write(&["primary:4000"], 1).await;
            read(&BOTH).await
        })
        .after("primary");
        net.process("b", || async { [read(&BOTH).await, read(&BOTH).await] }).after("primary");
    })
}

#[test]
fn a_primary_that_acknowledges_before_its_backup_has_the_value_is_not_linearizable() {
    let report = replicated(Primary::AcknowledgesFirst);
    let found = report.counterexample().unwrap();
    let history = found.history().unwrap();
    let text = rejected(&report);
    assert!(
        text.starts_with(
            "monitor: Register<u8> is not linearizable: Read by b returned Value(0) at tests/semantics/histories.rs\n  \
             no order of the calls explains this answer; it could have been Value(1)\n\
             faults: crash(kill, process = \"primary\")\n"
        ),
        "{text}"
    );
    assert_eq!(history.property, "linearizable");
    assert_eq!(history.order, [0]);
    assert_eq!(history.calls[history.unexplained].answer.as_deref(), Some("Value(0)"));
    assert_eq!(
        history.to_string(),
        "a  ├─┤           Write(1) → Written  (#11 to #17)\n\
         a      ├───── …  Read  (from #17 on)\n\
         b        ├─┤     Read → Value(0)  (#20 to #28)  ✗ no order explains this answer\n\
         in order before that answer: Write(1) → Written by a"
    );
    assert!(text.contains("\n  a  ├─┤           Write(1) → Written  (#11 to #17)\n"), "{text}");
    assert!(found.html().contains("a  ├─┤           Write(1) → Written  (#11 to #17)"));
    let again = netcheck::check::Counterexample::from_json(&found.to_json()).unwrap();
    assert_eq!(again.history(), Some(history));
}

#[test]
fn a_primary_that_waits_for_its_backup_is_linearizable() {
    let report = replicated(Primary::Waits);
    verified(&report);
    assert_eq!(report.states(), 3_279);
}

#[test]
fn a_primary_that_comes_back_takes_an_old_answer_for_that_to_its_write() {
    let text = rejected(&replicated(Primary::ComesBack));
    assert!(text.contains("returned Value(0)") && text.contains("it could have been Value(1)"), "{text}");
    assert!(text.contains("start again"), "{text}");
}

/// A server that tells a cache of what is written, after it has acknowledged that.
async fn told_later() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let cache = UdpSocket::bind("0.0.0.0:4001").await.unwrap();
    loop {
        let mut request = [0; 2];
        let (_, from) = socket.recv_from(&mut request).await.unwrap();
        socket.send_to(b"v0", from).await.unwrap();
        cache.send_to(&request, "cache:4000").await.unwrap();
    }
}

/// One process writes, and others read the cache.
fn cached(net: &mut Network) {
    net.daemon("cache", register);
    net.daemon("server", told_later).after("cache");
    net.process("a", || write(&["server:4000"], 1)).after("server");
    for reader in ["b", "c"] {
        net.process(reader, || async { [read(&["cache:4000"]).await, read(&["cache:4000"]).await] }).after("server");
    }
}

#[test]
fn a_cache_is_sequentially_consistent_but_not_linearizable() {
    let report = Checker::new().check(|net| {
        net.sequentially_consistent(Register::new(0_u8));
        cached(net);
    });
    verified(&report);
    assert_eq!(report.states(), 1_783);
    let text = rejected(&Checker::new().check(|net| {
        net.linearizable(Register::new(0_u8));
        cached(net);
    }));
    assert!(text.contains("not linearizable: Read by "), "{text}");
}

#[test]
fn who_reads_a_cache_after_its_own_write_is_not_sequentially_consistent() {
    let text = rejected(&Checker::new().check(|net| {
        net.sequentially_consistent(Register::new(0_u8));
        net.daemon("cache", register);
        net.daemon("server", told_later).after("cache");
        net.process("a", || async {
            write(&["server:4000"], 1).await;
            read(&["cache:4000"]).await
        })
        .after("server");
    }));
    assert!(text.contains("Register<u8> is not sequentially consistent: Read by a returned Value(0)"), "{text}");
    assert!(text.contains("it could have been Value(1)"), "{text}");
}

/// A process that writes one key and then reads the other one, which another process writes.
async fn writes_and_reads(own: &'static str, other: &'static str) -> u8 {
    let call = invoke_on(own, Operation::Write(1));
    yield_now().await;
    call.returned(Answer::Written);
    let call = invoke_on(other, Operation::Read);
    yield_now().await;
    call.returned(Answer::Value(0));
    0
}

/// Linearizable objects may be judged one by one, and sequentially consistent ones may not: each of these registers alone is.
#[test]
fn keys_are_judged_together_where_they_have_to_be() {
    let pair = |net: &mut Network| {
        net.process("a", || writes_and_reads("x", "y"));
        net.process("b", || writes_and_reads("y", "x"));
    };
    let text = rejected(&Checker::new().check(|net| {
        net.sequentially_consistent(Register::new(0_u8));
        pair(net);
    }));
    assert!(text.contains("it could have been Value(1)"), "{text}");
    assert!(text.contains("  a  ") && text.contains("\"x\": Write(1) → Written"), "{text}");
    let text = rejected(&Checker::new().check(|net| {
        net.linearizable(Register::new(0_u8));
        pair(net);
    }));
    // Only the calls on the register in question are shown.
    assert_eq!(
        [text.contains("\"x\": Read → Value(0)  ("), text.contains("\"y\": Read → Value(0)  (")],
        [true, false],
        "{text}"
    );
}

#[test]
fn an_endless_loop_of_calls_on_a_linearizable_object_is_explored_to_the_end() {
    let report = Checker::new().check(|net| {
        net.linearizable(Register::new(0_u8));
        net.daemon("server", register);
        for client in ["a", "b"] {
            net.daemon(client, || async {
                loop {
                    for value in [1, 2] {
                        write(&["server:4000"], value).await;
                        read(&["server:4000"]).await;
                    }
                }
            })
            .after("server");
        }
    });
    verified(&report);
    assert_eq!(report.states(), 1_887);
}

/// A loop whose head is passed while a call is open.
#[netcheck::process]
async fn writes_for_ever() {
    let mut call = invoke(Operation::Write(0));
    loop {
        sleep(PATIENCE).await;
        call.returned(Answer::Written);
        call = invoke(Operation::Write(0));
    }
}

#[test]
fn loops_that_hold_a_call_are_captured() {
    for identity in [Identity::History, Identity::Memory] {
        let report = Checker::new().identity(identity).check(|net| {
            net.linearizable(Register::new(0_u8));
            net.daemon("a", writes_for_ever);
            net.daemon("b", writes_for_ever);
        });
        verified(&report);
        assert_eq!(report.states(), 6);
    }
}

#[test]
fn a_call_whose_answer_was_lost_may_have_taken_effect_or_not() {
    let report = Checker::new().udp(Udp::new().loss()).check(|net| {
        net.linearizable(Register::new(0_u8));
        net.daemon("server", register);
        net.process("a", || async {
            write(&["server:4000"], 1).await;
            [read(&["server:4000"]).await, read(&["server:4000"]).await]
        })
        .after("server");
    });
    verified(&report);
    let outputs = report.outputs("a");
    assert_eq!(outputs.len(), 7, "{outputs:?}");
    assert!(outputs.contains(&"[Some(0), Some(0)]".to_owned()) && outputs.contains(&"[Some(1), Some(1)]".to_owned()));
}

#[test]
fn an_item_of_a_queue_is_taken_once() {
    let queue = |puts_back: bool| {
        Checker::new().check(move |net| {
            net.linearizable(Queue::<u8>::default());
            net.process("queue", move || async move {
                let mut items = std::collections::VecDeque::new();
                for item in 1..=3_u8 {
                    let call = invoke(QueueOperation::Enqueue(item));
                    items.push_back(item);
                    call.returned(None::<u8>);
                }
                let mut taken = Vec::new();
                for _ in 0..4 {
                    let call = invoke(QueueOperation::<u8>::Dequeue);
                    yield_now().await;
                    let item = if puts_back { items.front().copied() } else { items.pop_front() };
                    call.returned(item);
                    taken.extend(item);
                }
                taken
            });
        })
    };
    let report = queue(false);
    verified(&report);
    assert_eq!(report.outputs("queue"), ["[1, 2, 3]"]);
    let text = rejected(&queue(true));
    assert!(text.contains("Queue<u8> is not linearizable: Dequeue by queue returned Some(1)"), "{text}");
    assert!(text.contains("it could have been Some(2)"), "{text}");
}

#[test]
fn tasks_of_one_process_have_calls_at_the_same_time() {
    let both = |is_shared: bool| {
        Checker::new().check(move |net| {
            net.linearizable(Register::new(0_u8));
            net.process("a", move || async move {
                let first = invoke(Operation::CompareAndSwap(0, 1));
                let second = invoke(Operation::CompareAndSwap(0, 2));
                second.returned(Answer::Swapped(true));
                first.returned(Answer::Swapped(is_shared));
            });
        })
    };
    verified(&both(false));
    let text = rejected(&both(true));
    assert!(text.contains("it could have been Swapped(false)"), "{text}");
}

/// An object of the user's own, which can't divide by zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Quotient(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash, netcheck::Isolated)]
struct Divide(u32);

impl Sequential for Quotient {
    type Operation = Divide;
    type Answer = u32;

    fn apply(&mut self, operation: &Divide) -> u32 {
        self.0 /= operation.0;
        self.0
    }
}

fn divided(by: u32, answer: impl Fn(Call<Divide>) + Clone + Send + Sync + 'static) -> Result<Report, String> {
    let check = Checker::new().try_check(move |net| {
        net.linearizable(Quotient(12));
        net.process("a", move || {
            let answer = answer.clone();
            async move { answer(invoke(Divide(by))) }
        });
    });
    check.map_err(|error| error.to_string())
}

#[test]
fn an_object_of_the_users_own_is_judged() {
    verified(&divided(4, |call| call.returned(3_u32)).unwrap());
    rejected(&divided(4, |call| call.returned(4_u32)).unwrap());
}

#[test]
fn an_answer_of_another_type_is_a_mistake() {
    let error = divided(4, |call| call.returned(3)).unwrap_err();
    assert!(
        error.contains("Quotient is told the answer 3 of type i32 at tests/semantics/histories.rs:")
            && error.contains("its answers are of type u32"),
        "{error}"
    );
}

#[test]
fn an_object_that_panics_is_a_mistake() {
    let error = divided(0, |call| call.returned(3_u32)).unwrap_err();
    assert!(error.contains("the monitor `Quotient` panicked: attempt to divide by zero"), "{error}");
}

#[test]
fn monitors_see_calls() {
    let seen_as = |seen: &Seen<'_>| match seen {
        Seen::Invoked { process, key, operation, .. } => Some(format!("{process} invokes {operation:?} on {key:?}")),
        Seen::Returned { process, answer, .. } => Some(format!("{process} returns {answer:?}")),
        Seen::Abandoned { process, .. } => Some(format!("{process} abandons")),
        _ => None,
    };
    let said = |words: &'static str| {
        let monitor = Monitor::never("never", move |line: &String| line == words);
        let report = Checker::new().check(|net| {
            net.monitor(Observer::new(monitor, seen_as));
            net.process("a", || async {
                invoke(Operation::Write(1)).returned(Answer::Written);
                drop(invoke_on('x', Operation::Read));
            });
        });
        report.verdict() == Verdict::Violated
    };
    assert!(said("a invokes Write(1) on ()"));
    assert!(said("a returns Written"));
    assert!(said("a invokes Read on 'x'"));
    assert!(said("a abandons"));
    assert!(!said("a returns Value(0)"));
}

#[test]
fn outside_of_a_check_nothing_happens() {
    invoke(Operation::Read).returned(Answer::Value(7));
    drop(invoke_on("x", Operation::Read));
}
