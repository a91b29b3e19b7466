//! What is durable and what is pending, as states know it, against what programs see: in each state, the pending operations
//! applied to the durable files are the files that the program sees.

use crate::check::Checker;
use crate::check::setup::Job;
use crate::network::Network;
use netcheck_runtime::fs::std as fs;
use netcheck_runtime::id::ProcessId;
use netcheck_runtime::operation::Cause;
use netcheck_runtime::operation::files::{Policy, Storage, Tree};
use netcheck_runtime::property::files;
use netcheck_runtime::reduction::successors::Successors;
use netcheck_runtime::select::choose;
use netcheck_runtime::task::yield_now;
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::declared::Crashes;
use netcheck_runtime::world::storage::storage;
use netcheck_runtime::world::system::{Interrupt, System};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

const STORE: ProcessId = ProcessId(0);

/// A call of a store that its reader finds again; those that fail change nothing.
fn call(number: usize) {
    let append = || fs::OpenOptions::new().append(true).create(true).open("data/log");
    let _ = match number {
        0 => append().and_then(|mut file| file.write_all(b"ab")),
        1 => append().and_then(|file| file.sync_all()),
        2 => fs::write("data/new", "x"),
        3 => fs::rename("data/new", "data/log"),
        4 => fs::File::open("data").and_then(|directory| directory.sync_all()),
        5 => fs::hard_link("data/log", "old"),
        6 => fs::remove_file("data/log"),
        _ => fs::create_dir_all("data/more"),
    };
}

#[derive(Default)]
struct Seen {
    states: BTreeSet<Vec<u32>>,
    storages: BTreeSet<Storage>,
    trees: BTreeSet<Tree>,
}

fn go_on(system: &mut System, state: &[u32], seen: &mut Seen) -> Result<(), Interrupt> {
    if !seen.states.insert(state.to_vec()) {
        return Ok(());
    }
    let possible = Successors::default().within(system, state, None)?.to_vec();
    if possible.is_empty() {
        return Ok(());
    }
    let kept = storage(system, STORE, state);
    let tree = files(system, state, STORE);
    assert_eq!(kept.seen(), *tree);
    seen.storages.insert(kept);
    seen.trees.insert(Tree::clone(&tree));
    for transition in possible {
        let mut next = Vec::new();
        system.apply(state, &transition, &mut next).unwrap();
        go_on(system, &next, seen)?;
    }
    Ok(())
}

fn explored(cause: Option<Cause>) -> Seen {
    let mut network = Network::default();
    let program = || async {
        for _ in 0..4 {
            call(choose(0..8).await);
            yield_now().await;
        }
    };
    network.process("store", program).files([("data/log", "0")]);
    let mut job = Job::new(Checker::new(), network, Arc::default(), Arc::default()).expect("it can be checked");
    // No crash happens, but states are kept as if one might.
    let crashes = |cause| Crashes { processes: vec![STORE], times: 0, stays_down: false, down: None, cause };
    job.declared.crashes = cause.into_iter().map(crashes).collect();
    let explore = |_: &Job, system: &mut System, initial: &StateVector| {
        let mut seen = Seen::default();
        match cause {
            Some(_) => go_on(system, initial, &mut seen)?,
            None => count(system, initial, &mut seen.states)?,
        }
        Ok(seen)
    };
    job.attempt(explore).expect("all states").0
}

fn count(system: &mut System, state: &[u32], states: &mut BTreeSet<Vec<u32>>) -> Result<(), Interrupt> {
    if states.insert(state.to_vec()) {
        for transition in Successors::default().within(system, state, None)?.to_vec() {
            let mut next = Vec::new();
            system.apply(state, &transition, &mut next).unwrap();
            count(system, &next, states)?;
        }
    }
    Ok(())
}

#[test]
fn a_program_sees_what_is_pending_applied_to_what_is_durable() {
    let durable = explored(Some(Cause::Power));
    let most = durable.storages.iter().map(Storage::pending).max();
    assert!(most > Some(6), "{most:?}");
    assert!(durable.storages.len() > durable.trees.len(), "one tree is durable to several degrees");
    // What a failure of power leaves, a program sees after it: the least and the most among it.
    for storage in durable.storages.iter().filter(|storage| storage.pending() <= 5) {
        let images = storage.images(Policy::default()).expect("few operations are pending");
        assert!(images.contains(&storage.durable()) && images.contains(&storage.seen()));
        assert!(images.iter().all(|image| Storage::new(image).seen() == *image));
    }
}

#[test]
fn where_a_kill_is_all_that_happens_nothing_is_pending() {
    let seen = explored(Some(Cause::Kill));
    assert!(seen.storages.iter().all(|storage| storage.pending() == 0));
    assert_eq!(seen.storages.len(), seen.trees.len());
}

#[test]
fn where_nothing_is_lost_states_know_no_more_than_the_program() {
    let [without, seen, durable] =
        [None, Some(Cause::Kill), Some(Cause::Power)].map(|cause| explored(cause).states.len());
    assert_eq!(without, seen);
    assert!(durable > seen, "{durable} {seen}");
}
