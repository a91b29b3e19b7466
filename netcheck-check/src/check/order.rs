//! Which processes start after which others.

use crate::error::Error;
use crate::network::Registered;
use netcheck_runtime::id::ProcessId;
use netcheck_runtime::unit::source_line;
use std::collections::BTreeSet;

/// For each process, the processes after whose first wait it starts.
pub(super) fn of(processes: &[Registered]) -> Result<Vec<Vec<ProcessId>>, Error> {
    let names: Vec<&str> = processes.iter().map(|process| process.name.as_str()).collect();
    let mut after = Vec::new();
    for process in processes {
        let named = |name: &String| match names.iter().position(|known| known == name) {
            Some(index) => Ok(ProcessId(index as u32)),
            None => Err(Error::unknown_process(&format!("after of \"{}\"", process.name), name, &names)),
        };
        after.push(process.after.iter().map(named).collect::<Result<Vec<_>, _>>()?);
    }
    begin_after_peers(processes, &mut after);
    match circle(&after) {
        Some(circle) => Err(never_starts(&circle, processes)),
        None => Ok(after),
    }
}

/// A real peer is there when a program begins, unless it is said to start after others itself.
fn begin_after_peers(processes: &[Registered], after: &mut [Vec<ProcessId>]) {
    let is_first = |(process, after): (&Registered, &Vec<ProcessId>)| process.peer.is_some() && after.is_empty();
    let all = processes.iter().zip(&*after).enumerate();
    let peers: Vec<ProcessId> =
        all.filter(|&(_, process)| is_first(process)).map(|(index, _)| ProcessId(index as u32)).collect();
    for (process, after) in processes.iter().zip(after) {
        if process.peer.is_none() {
            after.extend(peers.iter().filter(|peer| !process.after.contains(&processes[peer.0 as usize].name)));
        }
    }
}

/// Processes each of which starts after the next one, and the last after the first.
fn circle(after: &[Vec<ProcessId>]) -> Option<Vec<ProcessId>> {
    let mut done = BTreeSet::new();
    (0..after.len() as u32).find_map(|first| circle_from(ProcessId(first), after, &mut Vec::new(), &mut done))
}

/// The first circle on a way that begins with `way` and goes on from `process`.
fn circle_from(
    process: ProcessId,
    after: &[Vec<ProcessId>],
    way: &mut Vec<ProcessId>,
    done: &mut BTreeSet<ProcessId>,
) -> Option<Vec<ProcessId>> {
    if let Some(begin) = way.iter().position(|before| *before == process) {
        return Some(way.split_off(begin));
    }
    if done.contains(&process) {
        return None;
    }
    way.push(process);
    let found = after[process.0 as usize].iter().find_map(|&next| circle_from(next, after, way, done));
    if found.is_none() {
        way.pop();
        done.insert(process);
    }
    found
}

fn never_starts(circle: &[ProcessId], processes: &[Registered]) -> Error {
    let registered = |process: &ProcessId| &processes[process.0 as usize];
    let first = registered(&circle[0]);
    let following = circle.iter().skip(1).chain(&circle[..1]).map(registered);
    let each = circle.iter().map(registered).zip(following).map(|(process, next)| {
        let place = source_line::place(process.location);
        format!("\n    \"{}\" (registered at {place}) starts after \"{}\"", process.name, next.name)
    });
    let each: String = each.collect();
    match circle.len() {
        1 => Error::new(format!("\"{}\" waits for itself to start, and never does:{each}", first.name))
            .with_advice("take out its `.after(…)`, or name the process that has to be there before it"),
        _ => Error::new(format!("processes wait for each other to start, and none ever does:{each}"))
            .with_advice("take out one of these `.after(…)`: the process that others need from the start has none"),
    }
}
