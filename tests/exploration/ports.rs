//! Random programs that ask for any port, and for ports that others are given: with and without reduction they end in the
//! same ways.

use netcheck as tokio;
use netcheck::check::{Checker, Verdict};
use netcheck::net::UdpSocket;
use random::Random;
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{Duration, timeout};

/// The most states of a system: others say nothing.
const STATES_MAX: usize = 30_000;

/// A port: any, or one of the two that the root of the process `first` is given first.
fn port(random: &mut Random) -> u16 {
    match random.below(5) {
        0..3 => 0,
        port => FIRST + port as u16 - 3,
    }
}

/// An address that a program may be given.
fn address(random: &mut Random) -> String {
    format!("{}:{}", random.one_of(&["first", "second"]), FIRST + random.below(2) as u16)
}

/// The first port that the root of the process `first` prefers.
const FIRST: u16 = 49_152;

/// How long a program waits for what may never come.
const PATIENCE: Duration = Duration::from_millis(10);

fn any(port: u16) -> SocketAddr {
    ([0, 0, 0, 0], port).into()
}

/// The sockets that a program has opened.
#[derive(Default)]
struct Opened {
    sockets: Vec<UdpSocket>,
    listeners: Vec<TcpListener>,
    streams: Vec<TcpStream>,
}

/// A step, and what came of it.
async fn act(random: &mut Random, opened: &mut Opened) -> io::Result<String> {
    let Opened { sockets, listeners, streams } = opened;
    let came = match random.below(11) {
        0 => {
            sockets.push(UdpSocket::bind(any(port(random))).await?);
            sockets[sockets.len() - 1].local_addr()?
        }
        1..3 => {
            listeners.push(TcpListener::bind(any(port(random))).await?);
            listeners[listeners.len() - 1].local_addr()?
        }
        3..6 => {
            streams.push(timeout(PATIENCE, TcpStream::connect(address(random))).await??);
            streams[streams.len() - 1].local_addr()?
        }
        6 => {
            let Some(listener) = listeners.last() else { return Ok(String::new()) };
            let (stream, from) = timeout(PATIENCE, listener.accept()).await??;
            streams.push(stream);
            from
        }
        7 => {
            let socket = TcpSocket::new_v4()?;
            socket.bind(any(port(random)))?;
            socket.local_addr()?
        }
        8 => {
            let Some(socket) = sockets.last() else { return Ok(String::new()) };
            socket.send_to(&[1], address(random)).await?;
            socket.local_addr()?
        }
        9 => {
            let Some(socket) = sockets.last() else { return Ok(String::new()) };
            timeout(PATIENCE, socket.recv_from(&mut [0; 1])).await??.1
        }
        _ => {
            match random.below(3) {
                0 => drop(sockets.pop()),
                1 => drop(listeners.pop()),
                _ => drop(streams.pop()),
            }
            return Ok(String::new());
        }
    };
    Ok(came.to_string())
}

/// Some steps that follow from a number, and what came of each.
async fn acts(seed: u64, steps: u64) -> String {
    let (random, opened) = (&mut Random::new(seed), &mut Opened::default());
    let mut seen = String::new();
    for _ in 0..steps {
        seen += &act(random, opened).await.unwrap_or_else(|error| format!("{:?}", error.kind()));
        seen += " ";
    }
    seen
}

#[netcheck::process]
async fn task(seed: u64, steps: u64) -> String {
    acts(seed, steps).await
}

/// The root of a process, which has a task of its own.
async fn root(seed: u64) -> String {
    let task = tokio::spawn(task(seed ^ 0xff, 3));
    let own = acts(seed, 4).await;
    own + "| " + &task.await.unwrap()
}

/// How a system ends; `None` if it is too large.
fn ends(seed: u64, reduction: bool) -> Option<BTreeSet<String>> {
    let ends = Arc::new(Mutex::new(BTreeSet::new()));
    let report = Checker::new().reduction(reduction).max_states(STATES_MAX).check(|net| {
        net.process("first", move || root(seed));
        net.process("second", move || acts(seed ^ 0xff00, 4));
        let ends = Arc::clone(&ends);
        net.finally(move |end| {
            let of = |process| end.output(process).unwrap_or("waits").to_owned();
            ends.lock().unwrap().insert([of("first"), of("second")].join(" / "));
            true
        });
    });
    let ends = std::mem::take(&mut *ends.lock().unwrap());
    (report.verdict() == Verdict::Verified).then_some(ends)
}

fn compare(seeds: std::ops::Range<u64>) {
    let mut compared = 0;
    let mut several = 0;
    for seed in seeds.clone() {
        let Some(all) = ends(seed << 16, false) else { continue };
        assert_eq!(ends(seed << 16, true).as_ref(), Some(&all), "seed {seed}");
        compared += 1;
        several += u32::from(all.len() > 1);
    }
    println!("{compared} systems of {seeds:?}, {several} with several ends");
    assert!(several > compared / 5, "orders matter in {several} of {compared} systems");
}

#[test]
fn programs_on_any_ports_end_as_without_reduction() {
    compare(0..150);
}

mod nightly {
    #[test]
    #[ignore = "takes minutes: for a nightly run, in release"]
    fn programs_on_any_ports_end_as_without_reduction() {
        super::compare(150..10_000);
    }
}
