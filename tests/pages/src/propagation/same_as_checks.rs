//! The tables against ordinary checks of the same systems. For each process and each kind of fault, a check under
//! this kind alone says whether every process ends as it does without faults: then, and only then, the rows of this
//! kind are masked. And a check under all of them comes to the values that the rows have together.

use super::{asking, connection, letters, patient, pipeline, race};
use netcheck::Network;
use netcheck::check::{
    Checker, Did, Direction, Effect, Fault, Mode, Propagation, Report, Row, Tcp, Udp, Verdict, ViolationKind,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

#[path = "../../../../examples/alphabet/checked.rs"]
mod alphabet;
#[path = "../../../../examples/chat/checked.rs"]
#[expect(dead_code, reason = "its check is not used here")]
mod chat;
#[path = "../../../../examples/echo/checked.rs"]
#[expect(dead_code, reason = "its check is not used here")]
mod echo;
#[path = "../../../../examples/file_transfer/checked.rs"]
#[expect(dead_code, reason = "its check is not used here")]
mod file_transfer;

/// By process: how it ends; `None` if it does not.
type Ends = BTreeMap<String, BTreeSet<Option<String>>>;

/// A kind of fault: how to declare it for one process, and which rows it has.
struct Kind {
    declare: fn(Checker, &str) -> Checker,
    is_of: fn(&Fault) -> bool,
}

const LOSS: Kind = Kind {
    declare: |checker, process| checker.udp(Udp::new().loss().direction(Direction::Send).process(process)),
    is_of: |fault| fault.did == Did::Lost,
};
const DUPLICATION: Kind = Kind {
    declare: |checker, process| checker.udp(Udp::new().duplication().direction(Direction::Send).process(process)),
    is_of: |fault| fault.did == Did::Duplicated,
};
const REORDER: Kind = Kind {
    declare: |checker, process| checker.udp(Udp::new().reorder(2).direction(Direction::Send).process(process)),
    is_of: |fault| fault.did == Did::Overtaken,
};
const OPEN: Kind = Kind {
    declare: |checker, process| checker.tcp(Tcp::new().fail_open().process(process)),
    is_of: |fault| fault.did != Did::Hung && ["connect", "accept"].contains(&fault.operation.as_str()),
};
const CLOSE: Kind = Kind {
    declare: |checker, process| checker.tcp(Tcp::new().fail_close().process(process)),
    is_of: |fault| fault.operation == "shutdown",
};
const READ: Kind = Kind {
    declare: |checker, process| checker.tcp(Tcp::new().fail_read().process(process)),
    is_of: |fault| fault.operation == "read" && fault.did != Did::Reset,
};
const WRITE: Kind = Kind {
    declare: |checker, process| checker.tcp(Tcp::new().fail_write().process(process)),
    is_of: |fault| fault.operation == "write" && fault.did != Did::Reset,
};
const HANG: Kind = Kind {
    declare: |checker, process| checker.tcp(Tcp::new().hang().process(process)),
    is_of: |fault| fault.did == Did::Hung,
};

/// How processes end in a check, as `finally` sees it.
fn ends(checker: &Checker, system: &dyn Fn(&mut Network)) -> (Report, Ends) {
    let ends = Arc::new(Mutex::new(Ends::new()));
    let seen = Arc::clone(&ends);
    let report = checker.check(|net| {
        system(net);
        net.finally(move |end| {
            let mut seen = seen.lock().unwrap();
            for (name, output) in end.outputs() {
                seen.entry(name.to_owned()).or_default().insert(output.map(str::to_owned));
            }
        });
    });
    let ends = ends.lock().unwrap().clone();
    (report, ends)
}

/// A check that holds if every process ends as it does without faults.
fn check(checker: &Checker, reference: &Ends, system: &dyn Fn(&mut Network)) -> Report {
    let reference = reference.clone();
    checker.check(|net| {
        system(net);
        net.finally(move |end| {
            end.outputs().all(|(name, output)| reference[name].contains(&output.map(str::to_owned)))
        });
    })
}

/// Holds a table against unreduced checks; `checker` has what is no fault, `declare` all kinds at once.
#[track_caller]
fn agrees(
    checker: &Checker,
    declare: impl Fn(Checker) -> Checker,
    kinds: &[Kind],
    system: &dyn Fn(&mut Network),
) -> Propagation {
    let checker = checker.clone().reduction(false);
    let (report, reference) = ends(&checker, system);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let checker = checker.at_most(1);
    let table = declare(checker.clone()).propagation(system);
    assert!(table.is_complete(), "{table}");
    let mut rows = 0;
    for name in reference.keys() {
        for Kind { declare, is_of } in kinds {
            let is_of_kind = |row: &&Row| row.fault.process == *name && is_of(&row.fault);
            let of_kind: Vec<&Row> = table.rows().iter().filter(is_of_kind).collect();
            rows += of_kind.len();
            let report = check(&declare(checker.clone(), name), &reference, system);
            assert_ne!(report.verdict(), Verdict::Inconclusive, "{report}");
            let is_masked = of_kind.iter().all(|row| row.masked);
            // A check says nothing of who waits while somebody else waits for a next client.
            let is_suppressed = |effect: &Effect| effect.mode == Mode::Omission;
            if is_masked || !of_kind.iter().flat_map(|row| row.failures()).all(is_suppressed) {
                assert_eq!(report.verdict() == Verdict::Verified, is_masked, "{name}: {table}\n{report}");
            }
            agrees_in_kind(&of_kind, &report, &table);
        }
    }
    assert_eq!(rows, table.rows().len(), "each row is of one kind: {table}");
    let report = declare(checker).check(system);
    if report.verdict() == Verdict::Verified {
        for name in reference.keys() {
            let without = reference[name].iter().flatten().map(String::as_str);
            let with = table.rows().iter().flat_map(|row| row.outputs(name));
            let values: BTreeSet<&str> = without.chain(with).collect();
            assert_eq!(Vec::from_iter(values), report.outputs(name), "{table}\n{report}");
        }
    } else {
        assert!(table.seen().count() > 0, "{table}\n{report}");
    }
    table
}

/// The kind of violation that is found must be among those of the rows.
#[track_caller]
fn agrees_in_kind(rows: &[&Row], report: &Report, table: &Propagation) {
    let Some(found) = report.counterexample() else { return };
    let modes = match found.kind() {
        ViolationKind::Panic => &[Mode::Crash][..],
        ViolationKind::Deadlock => &[Mode::Deadlock],
        _ => &[Mode::Wrong, Mode::Error, Mode::Omission],
    };
    let is_there = rows.iter().flat_map(|row| row.failures()).any(|effect| modes.contains(&effect.mode));
    assert!(is_there, "{table}\n{report}");
}

#[test]
fn datagrams() {
    let systems: &[&dyn Fn(&mut Network)] =
        &[&pipeline, &|net| asking(net, 1), &|net| asking(net, 2), &patient, &race, &|net| letters(net, "aba")];
    for system in systems {
        let checker = Checker::new();
        agrees(&checker, |checker| checker.udp(Udp::new().loss()), &[LOSS], system);
        agrees(&checker, |checker| checker.udp(Udp::new().duplication()), &[DUPLICATION], system);
        agrees(&checker, |checker| checker.udp(Udp::new().reorder(2)), &[REORDER], system);
        // A packet that arrives once and is not overtaken is the same with one fault of either kind.
        agrees(&checker, |checker| checker.udp(Udp::new().loss().reorder(2)), &[LOSS, REORDER], system);
    }
}

#[test]
fn connections() {
    for panics in [false, true] {
        let declare = |checker: Checker| checker.tcp(Tcp::new().fail_open().fail_read().fail_write().hang());
        let kinds = [OPEN, READ, WRITE, HANG];
        agrees(&Checker::new(), declare, &kinds, &|net| connection(net, panics));
    }
}

#[test]
fn the_alphabet() {
    let system = |net: &mut Network| alphabet::Sessions { connections: 1, requests: 2, asserting: true }.register(net);
    let table = agrees(&Checker::new(), |checker| checker.udp(Udp::new().loss()), &[LOSS], &system);
    assert!(table.seen().count() > 0, "{table}");
}

#[test]
fn the_file_transfer() {
    use file_transfer::program::Version;
    for version in [Version::Seeded, Version::Corrected] {
        let declare = |checker: Checker| checker.udp(Udp::new().loss());
        let table = agrees(&Checker::new(), declare, &[LOSS], &|net| file_transfer::register(net, version));
        assert_eq!(table.masked().count(), 2, "it asks again: {table}");
    }
}

#[test]
fn the_echo_server() {
    let declare = |checker: Checker| checker.tcp(Tcp::new().fail_open().fail_close().fail_read().fail_write());
    let system = |net: &mut Network| echo::register(net, echo::program::Version::Seeded);
    let table = agrees(&Checker::new(), declare, &[OPEN, CLOSE, READ, WRITE], &system);
    let crashes = table.seen().filter(|row| row.failures().any(|effect| effect.mode == Mode::Crash));
    assert!(crashes.count() == 2 && table.masked().count() == 2, "{table}");
}

fn chat_server(version: chat::program::Version) {
    let declare = |checker: Checker| checker.tcp(Tcp::new().fail_close().fail_write());
    let system = |net: &mut Network| chat::Chat::of_two(version).register(net);
    let table = agrees(&chat::Chat::checker(), declare, &[CLOSE, WRITE], &system);
    assert!(table.seen().count() > 0, "{table}");
}

#[test]
fn the_chat_server_that_removes_a_peer_twice() {
    chat_server(chat::program::Version::DoubleRemoval);
}

#[test]
fn the_chat_server_whose_send_may_halt() {
    chat_server(chat::program::Version::HaltedSend);
}

#[test]
fn the_corrected_chat_server() {
    chat_server(chat::program::Version::Corrected);
}
