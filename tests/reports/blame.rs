//! A deadlock says which of the tasks that wait is probably to blame, and nothing where nothing can be said.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Tcp, Udp, ViolationKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{Barrier, Mutex, Notify, mpsc};

/// The blame, without the lines of who waits.
fn blamed(checker: &Checker, network: impl FnOnce(&mut Network)) -> Option<String> {
    let report = checker.check(network);
    let counterexample = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(counterexample.kind(), ViolationKind::Deadlock, "{counterexample}");
    let said = counterexample.message().lines().filter_map(|line| line.strip_prefix("  probably to blame: "));
    let said: Vec<&str> = said.collect();
    assert!(said.len() <= 1);
    said.first().map(|&said| said.to_owned())
}

async fn answerer() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 8];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

async fn asker() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"one", "server:4000").await.unwrap();
    socket.recv(&mut [0; 8]).await.unwrap();
}

#[test]
fn who_waits_for_a_lost_datagram_has_no_time_out() {
    let said = blamed(&Checker::new().udp(Udp::new().loss()), |net| {
        net.daemon("server", answerer);
        net.process("client", asker).after("server");
    });
    let said = said.expect("a datagram was lost");
    let expected =
        "client, which waits without a time-out for a datagram: \"one\" of step 5 is lost, and nobody sends it again";
    assert_eq!(said, expected);
}

#[test]
fn who_waits_for_an_answer_to_a_port_without_a_socket_is_named() {
    let said = blamed(&Checker::new(), |net| {
        net.process("server", || async {});
        net.process("client", asker);
    });
    let said = said.expect("nobody is bound there");
    assert!(said.starts_with("client, which waits without a time-out for a datagram: \"one\" of step "), "{said}");
    assert!(said.ends_with(" went to a port where nobody was bound, and nobody sends it again"), "{said}");
}

#[test]
fn who_is_never_answered_is_named() {
    let said = blamed(&Checker::new().tcp(Tcp::new().hang()), |net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            listener.accept().await.unwrap();
        });
        net.process("client", || async { TcpStream::connect("server:80").await.is_ok() }).after("server");
    });
    let said = said.expect("a connect hangs");
    assert!(said.starts_with("client, which waits without a time-out for an answer that never comes (step "), "{said}");
}

#[test]
fn two_ends_that_both_read_wait_for_each_other() {
    let said = blamed(&Checker::new(), |net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_exact(&mut [0; 4]).await.unwrap();
        });
        let client = || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            stream.write_all(b"two").await.unwrap();
            assert!(stream.read(&mut [0; 4]).await.unwrap() <= 4);
        };
        net.process("client", client).after("server");
    });
    assert_eq!(said.as_deref(), Some("server and client, which wait for each other"));
}

/// The client waits for the server's task, and that one for a notification: nobody else is there who could give it.
#[test]
fn the_task_that_all_others_wait_for_is_named() {
    let said = blamed(&Checker::new(), |net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (_stream, _) = listener.accept().await.unwrap();
            Notify::new().notified().await;
        });
        let client = || async { TcpStream::connect("server:80").await.unwrap().read(&mut [0; 4]).await.unwrap() };
        net.process("client", client).after("server");
    });
    assert_eq!(said.as_deref(), Some("server, which is the only task left there: nobody else could end the wait"));
}

#[test]
fn three_processes_in_a_ring_are_a_cycle() {
    let member = |next: &'static str| {
        move || async move {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            // All listen by then.
            tokio::time::sleep(Duration::from_secs(1)).await;
            let mut right = TcpStream::connect(format!("{next}:80")).await.unwrap();
            let (_left, _) = listener.accept().await.unwrap();
            assert!(right.read(&mut [0; 1]).await.unwrap() <= 1);
        }
    };
    let said = blamed(&Checker::new(), |net| {
        for (name, next) in [("a", "b"), ("b", "c"), ("c", "a")] {
            net.process(name, member(next));
        }
    });
    let expected = "a cycle: a, b, c, each of which waits for the next, and the last for the first";
    assert_eq!(said.as_deref(), Some(expected));
}

#[test]
fn a_task_that_has_its_lock_already_is_told_so() {
    let said = blamed(&Checker::new(), |net| {
        net.process("p", || async {
            let lock = Mutex::new(());
            let _first = lock.lock().await;
            drop(lock.lock().await);
        });
    });
    assert_eq!(
        said.as_deref(),
        Some("p, which is the only task left there: it has the lock itself, or a guard was kept")
    );
}

#[test]
fn a_channel_whose_sender_is_kept_is_told_so() {
    let said = blamed(&Checker::new(), |net| {
        net.process("p", || async {
            let (sender, mut receiver) = mpsc::channel(1);
            let other = sender.clone();
            tokio::spawn(async move { other.send(1).await.unwrap() });
            while receiver.recv().await.is_some() {}
            drop(sender);
        });
    });
    assert_eq!(said.as_deref(), Some("p, which is the only task left there: a sender is kept, and nobody sends"));
}

/// A connection whose task waits for another one of the server, which holds what it waits for and accepts the next client.
#[test]
fn a_wait_that_only_an_idle_task_could_end_is_told_so() {
    async fn server() {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let (sender, mut receiver) = mpsc::channel::<()>(1);
        tokio::spawn(async move {
            receiver.recv().await;
            drop(stream);
        });
        listener.accept().await.unwrap();
        drop(sender);
    }
    let said = blamed(&Checker::new(), |net| {
        net.daemon("server", server);
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:4000").await.unwrap();
            stream.read_u8().await.ok()
        })
        .after("server");
    });
    let expected =
        "server (task 1), whose wait only server could end, which waits for a connection or a datagram itself";
    assert_eq!(said.as_deref(), Some(expected));
}

/// Three tasks at a barrier for four: each might be waited for by each, and nothing more is known.
#[test]
fn where_nothing_is_known_nothing_is_said() {
    let said = blamed(&Checker::new(), |net| {
        net.process("p", || async {
            let barrier = Arc::new(Barrier::new(4));
            for _ in 0..2 {
                let barrier = Arc::clone(&barrier);
                tokio::spawn(async move { barrier.wait().await });
            }
            barrier.wait().await;
        });
    });
    assert_eq!(said, None);
}
