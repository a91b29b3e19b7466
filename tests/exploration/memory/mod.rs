//! Local states by memory: ordinary programs, without any annotation, close and merge.

mod annotated;
mod side_by_side;
mod structures;

use std::collections::BTreeMap;
use std::sync::Arc;

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Udp, Verdict};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{Mutex, Notify};
use tokio::time::{Duration, interval, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

async fn echo() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = vec![0; 16];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

async fn ask_for_ever() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    loop {
        socket.send_to(b"ping", "server:4000").await.unwrap();
        let mut buffer = [0; 16];
        if let Ok(received) = timeout(SECOND, socket.recv_from(&mut buffer)).await {
            let (length, _) = received.unwrap();
            assert_eq!(&buffer[..length], b"ping");
        }
    }
}

fn endless_echo(net: &mut Network) {
    net.daemon("server", echo);
    net.process("client", ask_for_ever).after("server");
}

/// Two clients and a server as tasks of one process.
async fn clients_and_server() {
    let server = UdpSocket::bind("127.0.0.1:4000").await.unwrap();
    tokio::spawn(async move {
        let mut buffer = [0; 16];
        loop {
            let (length, from) = server.recv_from(&mut buffer).await.unwrap();
            server.send_to(&buffer[..length], from).await.unwrap();
        }
    });
    let clients = (0..2u8).map(|number| {
        tokio::spawn(async move {
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            for round in 0..2 {
                socket.send_to(&[number, round], "127.0.0.1:4000").await.unwrap();
                let mut buffer = [0; 16];
                let (length, _) = socket.recv_from(&mut buffer).await.unwrap();
                assert_eq!(&buffer[..length], &[number, round]);
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
}

fn datagrams_in_one_process(net: &mut Network) {
    net.process("all", clients_and_server);
}

async fn stream_and_server() {
    let listener = TcpListener::bind("127.0.0.1:4000").await.unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut byte = [0; 1];
                while stream.read(&mut byte).await.unwrap() == 1 {
                    stream.write_all(&byte).await.unwrap();
                }
            });
        }
    });
    let clients = (0..2u8).map(|number| {
        tokio::spawn(async move {
            let mut stream = TcpStream::connect("127.0.0.1:4000").await.unwrap();
            if number == 0 {
                stream.write_all(&[number]).await.unwrap();
                assert_eq!(stream.read_u8().await.unwrap(), number);
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
}

fn streams_of_one_client(net: &mut Network) {
    net.process("all", stream_and_server);
}

async fn table() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut values = BTreeMap::new();
    loop {
        let mut buffer = [0; 2];
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        match buffer[..length] {
            [key, value] => {
                values.insert(key, vec![value]);
            }
            [key] => {
                let value = values.get(&key).cloned().unwrap_or_default();
                socket.send_to(&value, from).await.unwrap();
            }
            _ => {}
        }
    }
}

async fn set_and_get(key: u8) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    loop {
        for value in 0..2 {
            socket.send_to(&[key, value], "server:4000").await.unwrap();
            socket.send_to(&[key], "server:4000").await.unwrap();
            let mut buffer = [0; 16];
            if let Ok(received) = timeout(SECOND, socket.recv(&mut buffer)).await {
                assert!(received.unwrap() <= 1);
            }
        }
    }
}

fn endless_table(net: &mut Network) {
    net.daemon("server", table);
    net.process("client", || set_and_get(1)).after("server");
}

/// Tasks of one process that share a lock and wake each other, for ever.
async fn shared() {
    let count = Arc::new((Mutex::new(0_u32), Notify::new()));
    let other = Arc::clone(&count);
    tokio::spawn(async move {
        loop {
            other.1.notified().await;
            let mut count = other.0.lock().await;
            *count = (*count + 1) % 3;
        }
    });
    let mut ticks = interval(SECOND);
    loop {
        ticks.tick().await;
        count.1.notify_one();
        sleep(SECOND / 2).await;
        assert!(*count.0.lock().await < 3);
    }
}

fn endless_sharing(net: &mut Network) {
    net.process("shared", shared);
}

/// Registers the processes of a system.
type Build = fn(&mut Network);

fn check(checker: &Checker, identity: Identity, system: Build) -> Report {
    checker.clone().liveness(false).max_states(2_000).identity(identity).check(system)
}

#[test]
fn ordinary_programs_close() {
    let loss = Checker::new().udp(Udp::new().loss());
    let systems: [(&str, &Checker, Build); 3] = [
        ("endless echo", &loss, endless_echo),
        ("endless table", &loss, endless_table),
        ("endless sharing", &Checker::new(), endless_sharing),
    ];
    for (name, checker, system) in systems {
        let by_history = check(checker, Identity::History, system);
        assert_eq!(by_history.verdict(), Verdict::Inconclusive, "{name}");
        assert_eq!(by_history.confusion_probability(), None);
        for reduction in [true, false] {
            let by_memory = check(&checker.clone().reduction(reduction), Identity::Memory, system);
            assert_eq!(by_memory.verdict(), Verdict::Verified, "{name}: {by_memory}");
            let probability = by_memory.confusion_probability().expect("digests were compared");
            assert!(0.0 < probability && probability < 1e-25, "{name}: {probability}");
        }
    }
}

#[test]
fn orders_that_make_no_difference_merge() {
    let systems: [(&str, Build); 2] =
        [("datagrams in one process", datagrams_in_one_process), ("a task for each stream", streams_of_one_client)];
    for (name, system) in systems {
        let by_memory = Checker::new().identity(Identity::Memory).check(system);
        assert_eq!(by_memory.verdict(), Verdict::Verified, "{name}: {by_memory}");
        let checker = Checker::new().identity(Identity::History).max_states(2 * by_memory.states());
        assert_eq!(checker.check(system).verdict(), Verdict::Inconclusive, "{name}: {by_memory}");
    }
}

/// The same in each run, and with any number of threads.
#[test]
fn a_check_by_memory_is_the_same_each_time() {
    let checker = Checker::new().identity(Identity::Memory).udp(Udp::new().loss());
    let figures = |threads| {
        let report = checker.clone().threads(threads).check(endless_table);
        (report.states(), report.transitions(), report.local_states(), report.depth())
    };
    let first = figures(1);
    assert_eq!([figures(1), figures(2)], [first, first]);
}

/// The order in which a `HashMap` is iterated over is the same in each run of a check.
#[test]
#[allow(clippy::disallowed_types, reason = "it is what is tested")]
fn hash_maps_are_the_same_in_each_run() {
    for identity in [Identity::History, Identity::Memory] {
        let report = Checker::new().identity(identity).check(|net| {
            net.process("maps", || async {
                let mut order = Vec::new();
                for _ in 0..3 {
                    let map: std::collections::HashMap<u32, ()> = (0..20).map(|key| (key, ())).collect();
                    order.extend(map.into_keys());
                    netcheck::choose(0..2).await;
                }
                order
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified);
        assert_eq!(report.outputs("maps").len(), 1);
    }
}
