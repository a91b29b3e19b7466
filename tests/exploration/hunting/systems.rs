//! Systems with a bug that lies deep: behind several faults, long executions, or a certain order of many processes.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Tcp, Udp};
use std::collections::BTreeMap;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{Duration, timeout};

/// A system with its bug, and what is declared for it. States by history: the figures are the same on every machine.
pub struct Hunt {
    pub name: &'static str,
    pub checker: fn() -> Checker,
    pub network: fn(&mut Network),
}

pub const HUNTS: [Hunt; 10] = [
    Hunt { name: "reservation", checker: reliable, network: |net| reservation(net, 7, 6) },
    Hunt { name: "go back n", checker: || udp(Udp::new().loss(), 6), network: |net| go_back_n(net, 5, 12) },
    Hunt { name: "two-phase commit", checker: || udp(Udp::new().loss(), 3), network: |net| commit(net, 6) },
    Hunt {
        name: "transfers",
        checker: || tcp(Tcp::new().fail_read().fail_write(), 2),
        network: |net| transfers(net, 2, 2),
    },
    Hunt { name: "membership", checker: || udp(Udp::new().loss(), 4), network: |net| membership(net, 3, 3) },
    Hunt { name: "ring", checker: || udp(Udp::new().duplication(), 2), network: |net| ring(net, 6) },
    Hunt {
        name: "cache",
        checker: || udp(Udp::new().loss().duplication().reorder(2), 3),
        network: |net| cache(net, 2, 5),
    },
    Hunt { name: "queue", checker: || tcp(Tcp::new().reset(), 3), network: |net| queue(net, 2, 3) },
    Hunt { name: "order", checker: reliable, network: |net| order(net, 5) },
    Hunt { name: "dice", checker: reliable, network: dice },
];

fn reliable() -> Checker {
    Checker::new().identity(Identity::History)
}

fn udp(udp: Udp, faults: usize) -> Checker {
    reliable().udp(udp).at_most(faults)
}

fn tcp(tcp: Tcp, faults: usize) -> Checker {
    reliable().tcp(tcp).at_most(faults)
}

async fn bound(port: u16) -> UdpSocket {
    UdpSocket::bind(("0.0.0.0", port)).await.unwrap()
}

/// Workers reserve a slot early and use it late. The reservation is lost if another one comes between.
fn reservation(net: &mut Network, steps: usize, workers: u8) {
    net.daemon("slot", || async {
        let socket = bound(4000).await;
        let (mut owner, mut buffer, mut stolen) = (0, [0; 2], 0);
        loop {
            socket.recv_from(&mut buffer).await.unwrap();
            match buffer {
                [b'r', worker] => owner = worker,
                [_, worker] => stolen += u8::from(owner != worker),
            }
            assert!(stolen < 3, "three reservations were lost");
        }
    });
    for worker in 0..workers {
        let work = move || async move {
            let socket = bound(0).await;
            for step in 0..steps {
                match step {
                    2 => drop(socket.send_to(&[b'r', worker], "slot:4000").await.unwrap()),
                    4 => drop(socket.send_to(&[b'u', worker], "slot:4000").await.unwrap()),
                    _ => tokio::task::yield_now().await,
                }
            }
        };
        net.process(format!("worker-{worker}"), work).after("slot");
    }
}

/// With as many numbers as the window is long, a window whose acknowledgements are all lost is taken for the next one.
fn go_back_n(net: &mut Network, window: usize, length: usize) {
    net.daemon("receiver", move || async move {
        let socket = bound(4000).await;
        let (mut taken, mut packet) = (0, [0; 2]);
        loop {
            let (_, from) = socket.recv_from(&mut packet).await.unwrap();
            if usize::from(packet[0]) == taken % window {
                assert_eq!(usize::from(packet[1]), taken, "an old packet is taken for a new one");
                taken += 1;
            }
            socket.send_to(&[taken as u8], from).await.unwrap();
        }
    });
    let sender = move || async move {
        let socket = bound(0).await;
        let (mut acknowledged, mut sent, mut silent) = (0, 0, 0);
        while acknowledged < length && silent < 3 {
            while sent < length.min(acknowledged + window) {
                socket.send_to(&[(sent % window) as u8, sent as u8], "receiver:4000").await.unwrap();
                sent += 1;
            }
            let mut next = [0];
            match timeout(Duration::from_secs(1), socket.recv(&mut next)).await {
                Ok(_) => acknowledged = acknowledged.max(usize::from(next[0])),
                Err(_) => (sent, silent) = (acknowledged, silent + 1),
            }
        }
    };
    net.process("sender", sender).after("receiver");
}

/// A manager that is prepared, and hears nothing for long, aborts; an auditor compares.
fn commit(net: &mut Network, managers: usize) {
    let coordinator = move || async move {
        let socket = bound(4000).await;
        let mut voted = Vec::new();
        while voted.len() < managers {
            let received = timeout(Duration::from_secs(3), socket.recv_from(&mut [0; 8])).await;
            let Ok(received) = received else { break };
            voted.push(received.unwrap().1);
        }
        let decision = if voted.len() == managers { b"c" } else { b"a" };
        for manager in voted {
            socket.send_to(decision, manager).await.unwrap();
        }
    };
    net.process("coordinator", coordinator);
    for number in 0..managers {
        let manager = move || async move {
            let socket = bound(4000).await;
            socket.send_to(b"prepared", "coordinator:4000").await.unwrap();
            let mut decision = [b'a'];
            for _ in 0..2 {
                if timeout(Duration::from_secs(2), socket.recv_from(&mut decision)).await.is_ok() {
                    break;
                }
            }
            decision[0] == b'c'
        };
        net.process(format!("manager-{number}"), manager).after("coordinator");
    }
    net.finally(move |end| {
        let committed = |number| end.output(&format!("manager-{number}")) == Some("true");
        let count = (0..managers).filter(|number| committed(*number)).count();
        assert!(count == 0 || count == managers, "{count} of {managers} have committed");
    });
}

/// A transfer that failed is tried again, although it may have been made.
fn transfers(net: &mut Network, clients: usize, amount: usize) {
    net.daemon("bank", move || async move {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        let mut balance = clients * amount + 1;
        loop {
            let Ok((mut stream, _)) = listener.accept().await else { continue };
            let mut order = [0];
            if stream.read_exact(&mut order).await.is_ok() {
                balance = balance.checked_sub(1).expect("an overdraft: a transfer was made twice, and another one too");
                let _ = stream.write_all(b"!").await;
            }
        }
    });
    for number in 0..clients {
        let client = move || async move {
            for _ in 0..amount {
                while transfer().await.is_err() {}
            }
        };
        net.process(format!("client-{number}"), client).after("bank");
    }
}

async fn transfer() -> io::Result<()> {
    let mut stream = TcpStream::connect("bank:4000").await?;
    stream.write_all(b"-").await?;
    stream.read_exact(&mut [0]).await?;
    Ok(())
}

/// Nodes ask each other whether they are alive, and tell the others who seems not to be.
fn membership(net: &mut Network, nodes: usize, rounds: usize) {
    for number in 0..nodes {
        net.daemon(format!("answer-{number}"), || async {
            let socket = bound(4000).await;
            loop {
                let (_, from) = socket.recv_from(&mut [0]).await.unwrap();
                socket.send_to(b"!", from).await.unwrap();
            }
        });
    }
    for number in 0..nodes {
        let node = move || async move {
            let socket = bound(0).await;
            let mut missed = BTreeMap::new();
            for round in 0..rounds {
                let other = (number + 1 + round % (nodes - 1)) % nodes;
                socket.send_to(b"?", format!("answer-{other}:4000")).await.unwrap();
                if timeout(Duration::from_secs(1), socket.recv(&mut [0])).await.is_err() {
                    *missed.entry(other).or_insert(0) += 1;
                }
            }
            missed.values().any(|&missed| missed > 1)
        };
        let node = net.process(format!("node-{number}"), node);
        for other in 0..nodes {
            node.after(format!("answer-{other}"));
        }
    }
    net.finally(move |end| {
        let suspects = (0..nodes).filter(|number| end.output(&format!("node-{number}")) == Some("true")).count();
        assert!(suspects < 2, "two nodes think that another one is dead");
    });
}

/// The highest number becomes the leader; a node takes a second message about it for a second election.
fn ring(net: &mut Network, nodes: u8) {
    for own in 0..nodes {
        let node = move || async move {
            let socket = bound(4000).await;
            let neighbour = format!("node-{}:4000", (own + 1) % nodes);
            socket.send_to(&[b'c', own], &neighbour).await.unwrap();
            let (mut word, mut leaders) = ([0; 2], 0);
            loop {
                socket.recv(&mut word).await.unwrap();
                match word {
                    [b'c', number] if number == own => {
                        leaders += 1;
                        assert!(leaders < 3, "elected three times");
                        socket.send_to(&[b'l', own], &neighbour).await.unwrap();
                    }
                    [b'c', number] if number > own => drop(socket.send_to(&word, &neighbour).await.unwrap()),
                    _ => {}
                }
            }
        };
        net.daemon(format!("node-{own}"), node);
    }
}

/// Answers carry no number, so that an old one is taken for that of a later question.
fn cache(net: &mut Network, clients: usize, questions: u8) {
    net.daemon("origin", || async {
        let socket = bound(4000).await;
        let mut word = [0];
        loop {
            let (_, from) = socket.recv_from(&mut word).await.unwrap();
            socket.send_to(&word, from).await.unwrap();
        }
    });
    for number in 0..clients {
        let client = move || async move {
            let socket = bound(0).await;
            let mut wrong = 0;
            for question in 0..questions {
                let mut answer = [question];
                socket.send_to(&[question], "origin:4000").await.unwrap();
                let _ = timeout(Duration::from_secs(1), socket.recv(&mut answer)).await;
                wrong += usize::from(answer[0] != question);
            }
            assert!(wrong < 4, "four answers were old ones");
        };
        net.process(format!("client-{number}"), client).after("origin");
    }
}

/// A job whose answer got lost is given out again, although it may have been done.
fn queue(net: &mut Network, workers: usize, jobs: u8) {
    net.daemon("dispatcher", move || async move {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        let (mut open, mut done): (Vec<u8>, Vec<u8>) = ((0..jobs).collect(), Vec::new());
        while let Some(job) = open.pop() {
            match listener.accept().await {
                Ok((stream, _)) => match give(stream, job).await {
                    Ok(()) => done.push(job),
                    Err(_) => open.push(job),
                },
                Err(_) => open.push(job),
            }
        }
    });
    net.daemon("log", || async {
        let socket = bound(4000).await;
        let (mut counts, mut job) = (BTreeMap::new(), [0]);
        loop {
            socket.recv_from(&mut job).await.unwrap();
            let count = counts.entry(job[0]).or_insert(0);
            *count += 1;
            assert!(*count < 3, "a job was done three times");
        }
    });
    for number in 0..workers {
        net.daemon(format!("worker-{number}"), work).after("dispatcher").after("log");
    }
}

async fn give(mut stream: TcpStream, job: u8) -> io::Result<()> {
    stream.write_all(&[job]).await?;
    stream.read_exact(&mut [0]).await?;
    Ok(())
}

async fn work() {
    let log = bound(0).await;
    for _ in 0..4 {
        let Ok(mut stream) = TcpStream::connect("dispatcher:4000").await else { return };
        let mut job = [0];
        if stream.read_exact(&mut job).await.is_ok() {
            log.send_to(&job, "log:4000").await.unwrap();
            let _ = stream.write_all(b"!").await;
        }
    }
}

/// A log believes that entries come in the order of their processes, or at least not in the opposite one.
fn order(net: &mut Network, writers: u8) {
    net.daemon("log", move || async move {
        let socket = bound(4000).await;
        let (mut entries, mut entry) = (Vec::new(), [0]);
        loop {
            socket.recv_from(&mut entry).await.unwrap();
            entries.push(entry[0]);
            let opposite: Vec<u8> = (0..writers).rev().flat_map(|writer| [writer, writer]).collect();
            assert!(entries != opposite, "the last one came first");
        }
    });
    for writer in 0..writers {
        let write = move || async move {
            let socket = bound(0).await;
            for _ in 0..2 {
                socket.send_to(&[writer], "log:4000").await.unwrap();
            }
        };
        net.process(format!("writer-{writer}"), write).after("log");
    }
}

/// A needle in a haystack: only one of the executions shows it.
fn dice(net: &mut Network) {
    for number in 0..3 {
        net.process(format!("die-{number}"), move || async move {
            let mut sum = 0;
            for _ in 0..5 {
                sum += netcheck::choose(1..=4).await;
            }
            sum
        });
    }
    net.finally(|end| {
        let is_highest = |number| end.output(&format!("die-{number}")) == Some("20");
        assert!(!(0..3).all(is_highest), "all dice have shown nothing but fours");
    });
}
