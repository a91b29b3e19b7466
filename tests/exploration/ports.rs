//! Random programs that ask for any port, and for ports that others are given: with and without reduction they end in the
//! same ways.

use netcheck as tokio;
use netcheck::check::{Checker, Verdict};
use netcheck::net::UdpSocket;
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{Duration, timeout};

/// The most states of a system: others say nothing.
const STATES_MAX: usize = 30_000;

/// Numbers without a pattern: `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// A port: any, or one of the first that the roots of processes prefer.
    fn port(&mut self) -> u16 {
        match self.below(5) {
            0..3 => 0,
            port => FIRST + port as u16 - 3,
        }
    }

    /// An address that a program may be given.
    fn address(&mut self) -> String {
        format!("{}:{}", ["first", "second"][self.below(2) as usize], FIRST + self.below(2) as u16)
    }
}

/// The first port that the root of each process prefers.
const FIRST: u16 = 49_152;

/// How long a program waits for what may never come.
const PATIENCE: Duration = Duration::from_millis(10);

fn any(port: u16) -> SocketAddr {
    ([0, 0, 0, 0], port).into()
}

fn port(address: io::Result<SocketAddr>) -> String {
    address.map_or_else(|error| format!("{:?}", error.kind()), |address| address.port().to_string())
}

/// Some steps that follow from a number, and what came of each.
async fn acts(seed: u64, steps: u64) -> String {
    let random = &mut Random(seed);
    let (mut sockets, mut listeners, mut streams) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = String::new();
    for _ in 0..steps {
        let came = match random.below(11) {
            0 => match UdpSocket::bind(any(random.port())).await {
                Ok(socket) => {
                    let local = port(socket.local_addr());
                    sockets.push(socket);
                    local
                }
                Err(error) => format!("{:?}", error.kind()),
            },
            1..3 => match TcpListener::bind(any(random.port())).await {
                Ok(listener) => {
                    let local = port(listener.local_addr());
                    listeners.push(listener);
                    local
                }
                Err(error) => format!("{:?}", error.kind()),
            },
            3..6 => match timeout(PATIENCE, TcpStream::connect(random.address())).await {
                Ok(Ok(stream)) => {
                    let local = port(stream.local_addr());
                    streams.push(stream);
                    local
                }
                Ok(Err(error)) => format!("{:?}", error.kind()),
                Err(_) => "late".to_owned(),
            },
            6 => match listeners.last() {
                Some(listener) => match timeout(PATIENCE, listener.accept()).await {
                    Ok(Ok((stream, from))) => {
                        streams.push(stream);
                        from.to_string()
                    }
                    Ok(Err(error)) => format!("{:?}", error.kind()),
                    Err(_) => "late".to_owned(),
                },
                None => continue,
            },
            7 => {
                let socket = TcpSocket::new_v4().unwrap();
                match socket.bind(any(random.port())) {
                    Ok(()) => port(socket.local_addr()),
                    Err(error) => format!("{:?}", error.kind()),
                }
            }
            8 => match sockets.last() {
                Some(socket) => match socket.send_to(&[1], random.address()).await {
                    Ok(bytes) => bytes.to_string(),
                    Err(error) => format!("{:?}", error.kind()),
                },
                None => continue,
            },
            9 => match sockets.last() {
                Some(socket) => match timeout(PATIENCE, socket.recv_from(&mut [0; 1])).await {
                    Ok(Ok((_, from))) => from.to_string(),
                    Ok(Err(error)) => format!("{:?}", error.kind()),
                    Err(_) => "late".to_owned(),
                },
                None => continue,
            },
            _ => {
                match random.below(3) {
                    0 => drop(sockets.pop()),
                    1 => drop(listeners.pop()),
                    _ => drop(streams.pop()),
                }
                continue;
            }
        };
        seen = seen + &came + " ";
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
