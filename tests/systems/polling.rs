//! Programs that poll and read the clock, as they are written at work: a presence server with a reaper, a rate limiter, a
//! client with exponential back-off and jitter. None of them ever ends, and each check does.

use netcheck::check::{Checker, Report, Tcp, Udp, Verdict, ViolationKind};

/// A program is verified, and with the mistake that is seeded in it, it panics with these words.
#[track_caller]
fn holds_unless_faulty(check: fn(bool) -> Report, words: &str) {
    let report = check(false);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let report = check(true);
    let found = report.counterexample().expect("the seeded mistake");
    assert_eq!(found.kind(), ViolationKind::Panic);
    assert!(found.message().contains(words), "{report}");
}

/// Who is there: clients say so each second, a reaper forgets those that have not for a while.
#[netcheck::program]
mod presence {
    use std::collections::BTreeMap;
    use std::net::SocketAddr;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;
    use tokio::net::UdpSocket;
    use tokio::time::{Instant, interval, timeout};

    const SILENCE: Duration = Duration::from_secs(3);

    type Seen = Arc<Mutex<BTreeMap<SocketAddr, Instant>>>;

    /// `late`: the reaper looks only as often as clients may be silent, so one that is gone is seen for twice as long.
    pub async fn serve(late: bool) {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let seen = Seen::default();
        tokio::spawn(reap(Arc::clone(&seen), if late { SILENCE } else { Duration::from_secs(1) }));
        let mut buffer = [0; 16];
        loop {
            let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
            match &buffer[..length] {
                b"here" => _ = seen.lock().unwrap().insert(from, Instant::now()),
                _ => {
                    let oldest = seen.lock().unwrap().values().map(Instant::elapsed).max().unwrap_or_default();
                    assert!(
                        oldest <= SILENCE + Duration::from_secs(1),
                        "somebody is shown who was silent for {oldest:?}"
                    );
                    socket.send_to(b"shown", from).await.unwrap();
                }
            }
        }
    }

    async fn reap(seen: Seen, every: Duration) {
        let mut ticks = interval(every);
        loop {
            ticks.tick().await;
            let now = Instant::now();
            seen.lock().unwrap().retain(|_, last| now.duration_since(*last) <= SILENCE);
        }
    }

    pub async fn client() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        let mut ticks = interval(Duration::from_secs(2));
        loop {
            ticks.tick().await;
            socket.send_to(b"here", "server:4000").await.unwrap();
        }
    }

    pub async fn page() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        let mut ticks = interval(Duration::from_secs(5));
        loop {
            ticks.tick().await;
            socket.send_to(b"who?", "server:4000").await.unwrap();
            let _ = timeout(Duration::from_secs(1), socket.recv(&mut [0; 16])).await;
        }
    }
}

fn check_presence(late: bool) -> Report {
    Checker::new().udp(Udp::new().loss()).check(|net| {
        net.daemon("server", move || presence::serve(late));
        net.daemon("client", presence::client).after("server");
        net.daemon("page", presence::page).after("server");
    })
}

#[test]
fn clients_that_are_silent_are_forgotten_in_time() {
    holds_unless_faulty(check_presence, "who was silent for");
}

/// A server that answers at most three requests in a second, and a client that asks more often.
#[netcheck::program]
mod limiter {
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::{Instant, sleep};

    const BURST: u32 = 3;
    const EVERY: Duration = Duration::from_millis(500);

    struct Bucket {
        tokens: u32,
        filled: Instant,
        /// The last answers, for the claim.
        answered: Vec<Instant>,
    }

    impl Bucket {
        /// `careless`: what is left of a period is lost when tokens are filled in, and one more is given.
        fn take(&mut self, careless: bool) -> bool {
            let now = Instant::now();
            let periods = (now.duration_since(self.filled).as_millis() / EVERY.as_millis()) as u32;
            self.tokens = BURST.min(self.tokens + periods + u32::from(careless && periods > 0));
            self.filled += EVERY * periods;
            let is_taken = self.tokens > 0;
            self.tokens -= u32::from(is_taken);
            is_taken
        }
    }

    pub async fn serve(careless: bool) {
        let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let Ok((mut stream, _)) = listener.accept().await else { continue };
            let mut bucket = Bucket { tokens: BURST, filled: Instant::now(), answered: Vec::new() };
            let mut request = [0];
            while let Ok(1) = stream.read(&mut request).await {
                let is_taken = bucket.take(careless);
                if is_taken {
                    let now = Instant::now();
                    bucket.answered.retain(|at| now.duration_since(*at) < 2 * EVERY);
                    bucket.answered.push(now);
                    assert!(bucket.answered.len() as u32 <= BURST + 1, "{} in a second", bucket.answered.len());
                }
                if stream.write_all(&[u8::from(is_taken)]).await.is_err() {
                    break;
                }
            }
        }
    }

    pub async fn ask() {
        loop {
            if let Ok(mut stream) = TcpStream::connect("server:4000").await {
                while stream.write_all(b"?").await.is_ok() && stream.read_u8().await.is_ok() {
                    sleep(Duration::from_millis(100)).await;
                }
            }
            sleep(EVERY).await;
        }
    }
}

fn check_limiter(careless: bool) -> Report {
    Checker::new().tcp(Tcp::new().fail_read().fail_write()).at_most(1).check(|net| {
        net.daemon("server", move || limiter::serve(careless));
        net.daemon("client", limiter::ask).after("server");
    })
}

#[test]
fn no_more_is_answered_in_a_second_than_the_bucket_allows() {
    holds_unless_faulty(check_limiter, "in a second");
}

/// A client that asks again later and later, up to a limit, each time a little earlier or later than the others would.
#[netcheck::program]
mod back_off {
    use std::time::Duration;
    use tokio::net::UdpSocket;
    use tokio::time::{Instant, timeout};

    const FIRST: Duration = Duration::from_millis(100);
    const LONGEST: Duration = Duration::from_millis(1_600);

    pub async fn serve() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
            socket.send_to(b"done", from).await.unwrap();
        }
    }

    /// Asks for ever. `unlimited`: nobody has thought of a limit.
    pub async fn ask(unlimited: bool) {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.connect("server:4000").await.unwrap();
        loop {
            let mut wait = FIRST;
            loop {
                let asked = Instant::now();
                socket.send(b"do").await.unwrap();
                let jitter = wait / 10 * netcheck::choose([0, 1]).await;
                if timeout(wait + jitter, socket.recv(&mut [0; 8])).await.is_ok() {
                    break;
                }
                assert!(asked.elapsed() <= LONGEST + LONGEST / 10, "nobody has asked for {:?}", asked.elapsed());
                wait = if unlimited { wait * 2 } else { LONGEST.min(wait * 2) };
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

fn check_back_off(unlimited: bool) -> Report {
    Checker::new().udp(Udp::new().loss()).check(|net| {
        net.daemon("server", back_off::serve);
        net.daemon("client", move || back_off::ask(unlimited)).after("server");
    })
}

#[test]
fn a_client_asks_again_before_long_whatever_is_lost() {
    holds_unless_faulty(check_back_off, "nobody has asked for 3.2");
}
