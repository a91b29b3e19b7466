//! Captured loops: endless programs that are explored to the end, and others that look as if
//! they could be.

mod adversarial;

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Udp, Verdict};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{Duration, timeout};

/// Everything is explored: the reduction knows nothing of cycles.
fn checker() -> Checker {
    Checker::new().identity(Identity::History).reduction(false).max_states(5_000)
}

fn figures(report: &Report) -> (Verdict, usize, u64) {
    (report.verdict(), report.states(), report.transitions())
}

/// The same programs with captured loops and without.
macro_rules! programs {
    ($name:ident, $($words:tt)*) => {
        mod $name {
            use super::*;

            #[netcheck::process($($words)*)]
            async fn serve() -> () {
                let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
                let mut buffer = [0; 4];
                loop {
                    let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
                    socket.send_to(&buffer[..length], from).await.unwrap();
                }
            }

            #[netcheck::process($($words)*)]
            async fn ask_for_ever() -> () {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                socket.connect("server:4000").await.unwrap();
                let mut buffer = [0; 4];
                loop {
                    socket.send(b"ping").await.unwrap();
                    while timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await.is_err() {
                        socket.send(b"ping").await.unwrap();
                    }
                    assert_eq!(&buffer, b"ping");
                }
            }

            #[netcheck::process($($words)*)]
            async fn ask(times: u32) -> u32 {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                socket.connect("server:4000").await.unwrap();
                let mut answers = 0;
                while answers < times {
                    socket.send(b"ping").await.unwrap();
                    let mut buffer = [0; 4];
                    socket.recv(&mut buffer).await.unwrap();
                    answers += 1;
                }
                answers
            }

            pub fn endless(net: &mut Network) {
                net.daemon("server", serve);
                net.daemon("client", ask_for_ever).after("server");
            }

            pub fn counted(net: &mut Network) {
                net.daemon("server", serve);
                net.process("client", || ask(3)).after("server");
            }
        }
    };
}

programs!(captured,);
programs!(kept, capture = false);

#[test]
fn an_endless_server_and_an_endless_client_are_explored_to_the_end() {
    let report = checker().udp(Udp::new().loss()).check(captured::endless);
    assert_eq!(report.uncaptured_loops(), &[] as &[String], "{report}");
    assert_eq!(figures(&report), (Verdict::Verified, 21, 26), "{report}");
}

#[test]
fn without_captures_they_never_close() {
    let report = checker().udp(Udp::new().loss()).check(kept::endless);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
}

#[test]
fn a_client_that_counts_is_told_apart_by_its_count() {
    for register in [captured::counted, kept::counted] {
        let report = checker().check(register);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("client"), ["3"], "{report}");
    }
}

/// Sends one datagram and ends.
async fn knock() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"knock", "server:4000").await.unwrap();
}

async fn bound() -> UdpSocket {
    UdpSocket::bind("0.0.0.0:4000").await.unwrap()
}

#[netcheck::process]
async fn knocks_for_ever() -> () {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    loop {
        socket.send(b"knock").await.unwrap();
        socket.recv(&mut [0; 8]).await.unwrap();
    }
}

#[derive(Clone, netcheck::Isolated)]
struct Server {
    port: u16,
    answered: bool,
}

impl Server {
    const ANYWHERE: &str = "0.0.0.0";

    #[netcheck::process]
    async fn run(mut self) -> () {
        let socket = Arc::new(UdpSocket::bind((Self::ANYWHERE, self.port)).await.unwrap());
        loop {
            Self::answer(Arc::clone(&socket)).await;
            self.answered = true;
        }
    }

    #[netcheck::process]
    async fn answer(socket: Arc<UdpSocket>) {
        let mut buffer = [0; 8];
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        for part in buffer[..length].chunks(5) {
            socket.send_to(part, from).await.unwrap();
        }
    }
}

#[test]
fn loops_of_methods_and_of_what_they_call_are_captured() {
    let report = checker().check(|net| {
        net.daemon("server", || Server { port: 4000, answered: false }.run());
        net.daemon("client", knocks_for_ever).after("server");
    });
    assert_eq!(report.uncaptured_loops(), &[] as &[String], "{report}");
    assert_eq!(figures(&report), (Verdict::Verified, 13, 13), "{report}");
}

#[netcheck::process]
async fn serve_connections() -> () {
    let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
    let mut served = 0;
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut byte = [0];
        while stream.read(&mut byte).await.unwrap() > 0 {
            served = (served + 1) % 3;
            stream.write_all(&[served]).await.unwrap();
        }
    }
}

#[netcheck::process]
async fn connect_for_ever() -> () {
    loop {
        let mut stream = TcpStream::connect("server:4000").await.unwrap();
        for round in [0, 1] {
            stream.write_all(&[round]).await.unwrap();
            assert!(stream.read_u8().await.unwrap() < 3);
        }
        stream.shutdown().await.unwrap();
        assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
    }
}

#[test]
fn connections_come_and_go_for_ever() {
    let report = checker().check(|net| {
        net.daemon("server", serve_connections);
        net.daemon("client", connect_for_ever).after("server");
    });
    assert_eq!(report.uncaptured_loops(), &[] as &[String], "{report}");
    assert_eq!(figures(&report), (Verdict::Verified, 67, 75), "{report}");
}

#[netcheck::process(capture = false)]
async fn serves_by_hand() -> () {
    let socket = bound().await;
    let mut odd = false;
    loop {
        netcheck::checkpoint!(odd, socket);
        let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
        odd = !odd;
        socket.send_to(&[odd.into()], from).await.unwrap();
    }
}

#[test]
fn a_checkpoint_says_by_hand_what_is_left() {
    let report = checker().check(|net| {
        net.daemon("server", serves_by_hand);
        net.daemon("client", knocks_for_ever).after("server");
    });
    assert_eq!(report.uncaptured_loops(), &[] as &[String], "{report}");
    assert_eq!(figures(&report), (Verdict::Verified, 17, 17), "{report}");
}

#[netcheck::process]
async fn kept_by_word() -> () {
    let socket = bound().await;
    #[netcheck::keep]
    loop {
        let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
        socket.send_to(b"answer", from).await.unwrap();
    }
}

#[test]
fn a_loop_that_is_kept_is_told_apart_by_its_history() {
    let report = checker().check(|net| {
        net.daemon("server", kept_by_word);
        net.daemon("client", knocks_for_ever).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    assert_eq!(report.uncaptured_loops(), &[] as &[String], "{report}");
}

mod uncaptured {
    use super::{UdpSocket, bound, timeout};
    use netcheck as tokio;
    use netcheck::Isolated;
    use std::cell::Cell;
    use std::time::Duration;

    #[netcheck::process]
    pub async fn by_type() -> () {
        let socket = bound().await;
        let seen = Cell::new(0);
        loop {
            socket.recv(&mut [0; 8]).await.unwrap();
            seen.set(seen.get() + 1);
        }
    }

    #[netcheck::process]
    pub async fn by_state() -> () {
        let socket = bound().await;
        let mut text = String::new();
        if socket.recv(&mut [0; 8]).await.is_err() {
            drop(text);
        }
        loop {
            let length = socket.recv(&mut [0; 8]).await.unwrap();
            text = length.to_string();
            println!("{text}");
        }
    }

    #[netcheck::process]
    async fn receives(times: u32) -> u32 {
        let socket = bound().await;
        let mut count = 0;
        while count < times {
            socket.recv(&mut [0; 8]).await.unwrap();
            count += 1;
        }
        count
    }

    /// Receives as long as a look at `last` says so.
    async fn awaits_more<T>(last: &T) -> bool {
        let socket: UdpSocket = bound().await;
        socket.recv(&mut [0; 8]).await.unwrap();
        size_of_val(last) > 0
    }

    #[netcheck::process]
    async fn goes_round<T: Isolated + Clone + Send + Sync + 'static>(mut last: T) -> () {
        while awaits_more(&last).await {
            last = last.clone();
        }
    }

    #[netcheck::process]
    async fn goes_round_with<T: Isolated + Clone + Send + Sync + 'static>(mut all: Vec<T>) -> () {
        while awaits_more(&all).await {
            all.reverse();
        }
    }

    #[netcheck::process]
    pub async fn by_bound() -> () {
        goes_round(7_u32).await;
    }

    #[netcheck::process]
    pub async fn by_bound_inside() -> () {
        goes_round_with(vec![7_u32]).await;
    }

    #[netcheck::process]
    pub async fn by_time_out() -> () {
        timeout(Duration::from_secs(1), receives(1)).await.unwrap_err();
    }

    tokio::task_local! {
        static COUNT: Cell<u32>;
    }

    #[netcheck::process]
    pub async fn by_own_value() -> () {
        COUNT.scope(Cell::new(0), receives(1)).await;
    }

    #[netcheck::process]
    pub async fn by_task() -> () {
        let socket: UdpSocket = bound().await;
        tokio::spawn(std::future::pending::<()>());
        loop {
            socket.recv(&mut [0; 8]).await.unwrap();
        }
    }
}

#[test]
fn loops_that_are_not_captured_are_named_with_the_reason() {
    type Register = fn(&mut Network);
    let cases: [(Register, &str); 7] = [
        (
            |net| _ = net.daemon("server", uncaptured::by_type),
            "`seen` is a `core::cell::Cell<i32>`, which has no `Hash`",
        ),
        (
            |net| _ = net.daemon("server", uncaptured::by_bound),
            "`last` is a `T` (here `u32`), and `T` has no bound `Hash`: write `T: std::hash::Hash`",
        ),
        (
            |net| _ = net.daemon("server", uncaptured::by_bound_inside),
            "`all` is a `alloc::vec::Vec<u32>`, which has no `Hash`, or none without a bound `Hash` on `T` (here `u32`)",
        ),
        (|net| _ = net.daemon("server", uncaptured::by_state), "`text` may be moved or not yet assigned"),
        (|net| _ = net.daemon("server", uncaptured::by_time_out), "not awaited directly"),
        (|net| _ = net.daemon("server", uncaptured::by_own_value), "not awaited directly"),
        (|net| _ = net.daemon("server", uncaptured::by_task), "several tasks"),
    ];
    for (server, reason) in cases {
        let report = checker().check(|net| {
            server(net);
            net.process("first", knock).after("server");
            net.process("second", knock).after("server");
        });
        let [only] = report.uncaptured_loops() else { panic!("{reason}: {:?}", report.uncaptured_loops()) };
        assert!(only.starts_with("tests/exploration/captured.rs:") && only.contains(reason), "{only}");
    }
}
