//! Parents and their tasks as async programs: the tasks ordinary ones, or isolated.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use netcheck::check::{Checker, Udp};
use netcheck::net::UdpSocket;
use netcheck::task::{JoinError, JoinHandle, JoinSet};
use netcheck::time::{sleep, timeout};

use crate::families::{Act, Deed, Families};
use crate::run::Outcome;
use oracle::language::program;

/// How children are spawned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Ordinary,
    Isolated,
}

/// The output of a task: which child it is, and each value that it has got.
type Values = (usize, Vec<u8>);

/// An event that a parent has seen; it ends with the texts of all.
enum Seen {
    Ended(Values),
    Cancelled,
    Elapsed,
    Finished(bool),
    Chose(usize),
    /// the set was empty
    Nobody,
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seen::Ended((child, values)) => write!(f, "{child} ended with {values:?}"),
            Seen::Cancelled => write!(f, "cancelled"),
            Seen::Elapsed => write!(f, "elapsed"),
            Seen::Finished(finished) => write!(f, "finished: {finished}"),
            Seen::Chose(number) => write!(f, "chose {number}"),
            Seen::Nobody => write!(f, "nobody"),
        }
    }
}

const ELAPSED: u8 = 255;
const PORT: u16 = 5000;

pub fn check(families: &Families, kind: Kind, checker: Checker) -> Outcome {
    let udp = if families.loss { Udp::new().loss() } else { Udp::new() };
    let ends = Arc::new(Mutex::new(BTreeSet::new()));
    let processes = families.families.len();
    let report = checker.udp(udp).check(|net| {
        for (index, family) in families.families.iter().enumerate() {
            let (deeds, children) = (family.parent.clone(), family.children.clone());
            let factory = move || parent(deeds.clone(), children.clone(), kind);
            if family.daemon {
                net.daemon(program::name(index), factory);
            } else {
                net.process(program::name(index), factory);
            }
        }
        let ends = Arc::clone(&ends);
        net.finally(move |end| {
            let outputs = (0..processes).map(|index| end.output(&program::name(index)).map(str::to_owned));
            ends.lock().expect("no one panics with it").insert(outputs.collect());
        });
    });
    let ends = ends.lock().expect("no one panics with it").clone();
    Outcome::new(&report, (0..processes).map(program::name), ends)
}

async fn parent(deeds: Vec<Deed>, children: Vec<Vec<Act>>, kind: Kind) -> Vec<Seen> {
    let mut unspawned: Vec<Option<Vec<Act>>> = children.into_iter().map(Some).collect();
    let mut handles: Vec<Option<JoinHandle<Values>>> = unspawned.iter().map(|_| None).collect();
    let mut set = JoinSet::new();
    let mut seen = Vec::new();
    for deed in deeds {
        match deed {
            Deed::Spawn { child } => {
                if let Some(acts) = unspawned[child].take() {
                    handles[child] = Some(match kind {
                        Kind::Ordinary => netcheck::spawn(async move { routine(child, acts).await }),
                        Kind::Isolated => netcheck::spawn(isolated(child, acts)),
                    });
                }
            }
            Deed::SpawnIntoSet { child } => {
                if let Some(acts) = unspawned[child].take() {
                    match kind {
                        Kind::Ordinary => set.spawn(async move { routine(child, acts).await }),
                        Kind::Isolated => set.spawn(isolated(child, acts)),
                    };
                }
            }
            Deed::Await { child } => {
                if let Some(handle) = handles[child].take() {
                    seen.push(ended(handle.await));
                }
            }
            Deed::AwaitAtMost { child, ms } => {
                if let Some(handle) = &mut handles[child] {
                    let end = timeout(duration(ms), handle).await;
                    if end.is_ok() {
                        handles[child] = None;
                    }
                    seen.push(end.map_or(Seen::Elapsed, ended));
                }
            }
            Deed::AwaitEither { first, second } => {
                if let (Some(mut one), Some(mut other)) = (handles[first].take(), handles[second].take()) {
                    netcheck::select! {
                        end = &mut one => {
                            seen.push(ended(end));
                            handles[second] = Some(other);
                        }
                        end = &mut other => {
                            seen.push(ended(end));
                            handles[first] = Some(one);
                        }
                    }
                }
            }
            Deed::Abort { child } => {
                if let Some(handle) = &handles[child] {
                    handle.abort();
                }
            }
            Deed::AskFinished { child } => {
                if let Some(handle) = &handles[child] {
                    netcheck::task::yield_now().await;
                    seen.push(Seen::Finished(handle.is_finished()));
                }
            }
            Deed::Detach { child } => drop(handles[child].take()),
            Deed::JoinNext => seen.push(set.join_next().await.map_or(Seen::Nobody, ended)),
            Deed::JoinNextAtMost { ms } => {
                let next = timeout(duration(ms), set.join_next()).await;
                seen.push(next.map_or(Seen::Elapsed, |next| next.map_or(Seen::Nobody, ended)));
            }
            Deed::AbortSet => set.abort_all(),
            Deed::Sleep { ms } => sleep(duration(ms)).await,
            Deed::Choose { among } => seen.push(Seen::Chose(netcheck::choose(0..among).await)),
            Deed::Yield => netcheck::task::yield_now().await,
            Deed::WaitForEver => std::future::pending().await,
        }
    }
    seen
}

fn ended(end: Result<Values, JoinError>) -> Seen {
    end.map_or(Seen::Cancelled, Seen::Ended)
}

fn duration(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[netcheck::process]
async fn isolated(child: usize, acts: Vec<Act>) -> Values {
    routine(child, acts).await
}

async fn routine(child: usize, acts: Vec<Act>) -> Values {
    let mut values = Vec::new();
    let socket = match acts.iter().any(|act| act.needs_socket()) {
        true => Some(UdpSocket::bind(("0.0.0.0", PORT + child as u16)).await.expect("the port is free")),
        false => None,
    };
    let socket = || socket.as_ref().expect("it is bound");
    for act in acts {
        match act {
            Act::Sleep { ms } => sleep(duration(ms)).await,
            Act::SleepAtMost { ms, limit_ms } => {
                let is_up = timeout(duration(limit_ms), sleep(duration(ms))).await.is_err();
                values.push(if is_up { ELAPSED } else { 0 });
            }
            Act::Choose { among } => values.push(netcheck::choose(0..among).await as u8),
            Act::Yield => netcheck::task::yield_now().await,
            Act::Send { process, child, value } => {
                let to = format!("{}:{}", program::name(process), PORT + child as u16);
                socket().send_to(&[value], to).await.expect("a send succeeds");
            }
            Act::Receive => values.push(receive(socket()).await),
            Act::ReceiveAtMost { ms } => {
                values.push(timeout(duration(ms), receive(socket())).await.unwrap_or(ELAPSED));
            }
            Act::AssertNot { value } => assert_ne!(values.last(), Some(&value), "generated assertion"),
            Act::WaitForEver => std::future::pending().await,
        }
    }
    (child, values)
}

async fn receive(socket: &UdpSocket) -> u8 {
    let mut buffer = [0; 8];
    socket.recv_from(&mut buffer).await.expect("a receive succeeds");
    buffer[0]
}
