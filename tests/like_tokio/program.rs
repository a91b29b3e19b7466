//! Modules written on tokio and std, prepared by `#[netcheck::program]`: they do what their twins do
//! that were written for netcheck.

use netcheck::check::{Checker, Identity, Report, Tasks, Tcp, Udp, Verdict};
use std::future::Future;

/// The same items twice, prepared by the attribute and compiled against netcheck by hand.
macro_rules! twins {
    ($($item:item)*) => {
        #[cfg_attr(test, netcheck::program)]
        pub mod prepared {
            $($item)*
        }

        pub mod twin {
            use netcheck as tokio;
            $($item)*
        }
    };
}

mod datagrams {
    twins! {
        use std::{fmt::Debug, io, net::SocketAddr, time::Duration};
        use tokio::net::UdpSocket;

        #[derive(Debug)]
        pub struct Client {
            socket: UdpSocket,
            patience: Duration,
            missing: u32,
        }

        impl Client {
            pub async fn new(patience: Duration) -> io::Result<Client> {
                Ok(Client { socket: UdpSocket::bind("0.0.0.0:0").await?, patience, missing: 0 })
            }

            pub async fn ask<'a>(&mut self, server: &str, question: u8, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
                self.socket.send_to(&[question], server).await?;
                loop {
                    tokio::select! {
                        answer = self.socket.recv(buffer) => {
                            let length = answer?;
                            if buffer[0] == question {
                                return Ok(&buffer[..length]);
                            }
                        }
                        _ = tokio::time::sleep(self.patience) => {
                            self.missing += 1;
                            return Ok(&[]);
                        }
                    }
                }
            }
        }

        pub async fn client() -> io::Result<(Vec<u8>, u32)> {
            let mut client = Client::new(Duration::from_secs(1)).await?;
            let (mut answers, mut buffer) = (Vec::new(), [0; 4]);
            for question in [1, 2] {
                answers.extend_from_slice(client.ask("server:4000", question, &mut buffer).await?);
            }
            Ok((answers, client.missing))
        }

        async fn answer<T: AsRef<[u8]> + Debug>(socket: &UdpSocket, to: SocketAddr, answer: T) -> io::Result<()> {
            match tokio::time::timeout(Duration::from_secs(1), socket.send_to(answer.as_ref(), to)).await {
                Ok(sent) => sent.map(drop),
                Err(late) => Err(io::Error::other(std::format!("{answer:?}: {late}"))),
            }
        }

        pub async fn server() -> io::Result<()> {
            let socket = tokio::net::UdpSocket::bind("0.0.0.0:4000").await?;
            let mut buffer = [0; 4];
            loop {
                let (length, from) = socket.recv_from(&mut buffer).await?;
                answer(&socket, from, &buffer[..length]).await?;
            }
        }
    }
}

mod streams {
    twins! {
        use std::io;
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        use tokio::net::{TcpListener, TcpStream};

        #[derive(Default)]
        pub struct Echo {
            bytes: usize,
        }

        impl Echo {
            async fn serve(&mut self, mut stream: TcpStream) -> io::Result<()> {
                let mut buffer = [0; 2];
                loop {
                    let length = stream.read(&mut buffer).await?;
                    if length == 0 {
                        return Ok(());
                    }
                    stream.write_all(&buffer[..length]).await?;
                    self.bytes += length;
                }
            }
        }

        pub async fn server() -> io::Result<usize> {
            let listener = TcpListener::bind("0.0.0.0:80").await?;
            let mut echo = Echo::default();
            for _ in 0..2 {
                let (stream, _) = listener.accept().await?;
                echo.serve(stream).await?;
            }
            Ok(echo.bytes)
        }

        pub async fn client(request: &'static [u8]) -> io::Result<Vec<u8>> {
            let mut stream = TcpStream::connect("server:80").await?;
            let mut answer = vec![0; request.len()];
            stream.write_all(request).await?;
            stream.read_exact(&mut answer).await?;
            Ok(answer)
        }
    }
}

#[netcheck::program]
mod clock {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;
    use std::time::{self, Duration};

    pub async fn beats() -> (u32, Duration) {
        let begun = time::Instant::now();
        let beats = Arc::new(AtomicU32::new(0));
        let counter = tokio::spawn({
            let beats = beats.clone();
            async move {
                loop {
                    thread::sleep(Duration::from_secs(2));
                    beats.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        tokio::join!(async { std::thread::sleep(std::time::Duration::from_secs(5)) });
        counter.abort();
        (beats.load(Ordering::Relaxed), std::time::Instant::now() - begun)
    }
}

#[netcheck::program]
mod existing {
    use std::io;

    #[tokio::test]
    async fn a_test_for_tokio_becomes_a_check() -> io::Result<()> {
        let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await?;
        let address: std::net::SocketAddr = socket.local_addr()?;
        tokio::spawn(async move { tokio::net::UdpSocket::bind("127.0.0.1:0").await?.send_to(b"a", address).await });
        assert_eq!(socket.recv(&mut [0; 4]).await?, 1);
        Ok(())
    }
}

/// States with and without reduction.
fn states(checker: &Checker, check: impl Fn(Checker) -> Report) -> [usize; 2] {
    [true, false].map(|reduction| check(checker.clone().identity(Identity::History).reduction(reduction)).states())
}

fn datagrams<S, C>(server: fn() -> S, client: fn() -> C) -> impl Fn(Checker) -> Report
where
    S: Future<Output = std::io::Result<()>> + 'static,
    C: Future<Output = std::io::Result<(Vec<u8>, u32)>> + 'static,
{
    move |checker| {
        checker.check(|net| {
            net.daemon("server", server);
            net.process("client", move || async move { client().await.expect("calls do not fail") }).after("server");
        })
    }
}

#[test]
fn a_client_asks_for_datagrams_as_its_twin_does() {
    let checker = Checker::new().udp(Udp::new().loss().duplication());
    let prepared = datagrams(datagrams::prepared::server, datagrams::prepared::client);
    let twin = datagrams(datagrams::twin::server, datagrams::twin::client);
    for check in [&prepared as &dyn Fn(Checker) -> Report, &twin] {
        let report = check(checker.clone());
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("client"), ["([1, 2], 0)", "([1], 1)", "([2], 1)", "([], 2)"]);
    }
    assert_eq!(states(&checker, twin), [120, 149]);
    assert_eq!(states(&checker, prepared), [78, 91]);
}

fn streams<S, C>(server: fn() -> S, client: fn(&'static [u8]) -> C) -> impl Fn(Checker) -> Report
where
    S: Future<Output = std::io::Result<usize>> + 'static,
    C: Future<Output = std::io::Result<Vec<u8>>> + 'static,
{
    move |checker| {
        checker.check(|net| {
            net.process("server", move || async move { server().await.map_err(|error| error.kind()) });
            for (name, request) in [("one", b"abc".as_slice()), ("two", b"d")] {
                let client = move || async move { client(request).await.map_err(|error| error.kind()) };
                net.process(name, client).after("server");
            }
        })
    }
}

#[test]
fn bytes_are_echoed_as_by_the_twin() {
    let checker = Checker::new().tcp(Tcp::new().fail_read());
    let prepared = streams(streams::prepared::server, streams::prepared::client);
    let twin = streams(streams::twin::server, streams::twin::client);
    for check in [&prepared as &dyn Fn(Checker) -> Report, &twin] {
        let report = check(checker.clone());
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("server"), ["Err(ConnectionReset)", "Ok(4)"]);
        for (name, answer) in [("one", "Ok([97, 98, 99])"), ("two", "Ok([100])")] {
            assert_eq!(report.outputs(name), ["Err(ConnectionRefused)", "Err(ConnectionReset)", answer]);
        }
    }
    assert_eq!(states(&checker, twin), [303, 352]);
    assert_eq!(states(&checker, prepared), [303, 352]);
}

#[test]
fn the_clock_of_std_is_that_of_the_check() {
    let report = Checker::new().check(|net| {
        net.process("beats", clock::beats);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("beats"), ["(2, 5s)"]);
    assert_eq!(report.states(), 8);
}

#[netcheck::program]
#[allow(clippy::disallowed_types, reason = "it is what is tested")]
mod tables {
    use std::collections::{HashMap, HashSet};
    use tokio::task::yield_now;

    /// Orders that differ from run to run outside of a check.
    pub async fn orders() -> (Vec<u8>, Vec<u8>) {
        let map: HashMap<u8, ()> = (0..40).map(|key| (key, ())).collect();
        yield_now().await;
        let set: HashSet<u8> = (0..40).collect();
        (map.into_keys().collect(), set.into_iter().collect())
    }
}

/// Each check runs the program several times, and says if it does not do the same.
#[test]
fn hash_maps_have_the_same_order_in_each_run_of_a_program() {
    let check = |seed| {
        let report = Checker::new().seed(seed).check(|net| {
            for name in ["one", "two"] {
                net.process(name, || async {
                    netcheck::choose(0..3).await;
                    tables::orders().await
                });
            }
        });
        if !cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))) {
            return [String::new(), seed.to_string()];
        }
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        ["one", "two"].map(|name| match report.outputs(name) {
            [only] => only.clone(),
            several => panic!("one order, not {several:?}"),
        })
    };
    let ours = check(0);
    assert_eq!(ours, check(0));
    assert_ne!(ours, check(7), "other keys");
}

#[netcheck::program(tracked)]
mod looked_alike {
    use std::time::Duration;
    use tokio::sync::{mpsc, watch};

    pub async fn adds() -> u8 {
        let (sender, mut receiver): (netcheck::tracked::sync::mpsc::UnboundedSender<u8>, _) = mpsc::unbounded_channel();
        let (sum, mut seen) = watch::channel(0);
        tokio::spawn(async move {
            while let Some(value) = receiver.recv().await {
                sum.send_modify(|sum| *sum += value);
            }
        });
        for value in 1..4 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            sender.send(value).unwrap();
        }
        let sum = seen.wait_for(|sum| *sum == 6).await;
        *sum.unwrap()
    }
}

#[test]
fn a_tracked_program_has_the_look_alikes() {
    for tasks in [Tasks::Shared, Tasks::Tracked] {
        let report = Checker::new().tasks(tasks).check(|net| {
            net.process("it", looked_alike::adds);
        });
        assert_eq!((report.verdict(), report.outputs("it")), (Verdict::Verified, &["6".to_owned()][..]), "{report}");
    }
}

#[netcheck::program]
mod own {
    use std::cell::Cell;
    use tokio::task::yield_now;

    tokio::task_local! {
        static COUNT: Cell<u32>;
    }

    async fn counts() -> u32 {
        for _ in 0..3 {
            COUNT.with(|count| count.set(count.get() + 1));
            yield_now().await;
        }
        COUNT.with(Cell::get)
    }

    pub async fn tasks() -> [u32; 2] {
        let first = tokio::spawn(COUNT.scope(Cell::new(0), counts()));
        let second = tokio::spawn(COUNT.scope(Cell::new(10), counts()));
        [first.await.unwrap(), second.await.unwrap()]
    }
}

#[test]
fn values_of_a_tasks_own_stay_its_own() {
    let report = Checker::new().check(|net| {
        net.process("it", own::tasks);
    });
    assert_eq!((report.verdict(), report.outputs("it")), (Verdict::Verified, &["[3, 13]".to_owned()][..]), "{report}");
}
