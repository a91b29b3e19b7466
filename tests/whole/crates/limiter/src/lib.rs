//! A rate limiter: a server with a bucket of tokens for each name, that fills again with time, and clients that ask for a token
//! before they go on.

use futures_util::{SinkExt, StreamExt};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, Instant, interval, sleep};
use tokio_util::codec::{Framed, LinesCodec};

/// The port of the server.
const PORT: u16 = 4000;

/// Tokens in a full bucket.
const CAPACITY: f64 = 2.0;

/// Tokens that a bucket gets in a second.
const PER_SECOND: f64 = 1.0;

/// How often buckets are forgotten that are full again.
const FORGETS_EVERY: Duration = Duration::from_secs(5);

struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    fn fill(&mut self, now: Instant) {
        let elapsed = now.duration_since(self.filled).as_secs_f64();
        self.tokens = CAPACITY.min(self.tokens + elapsed * PER_SECOND);
        self.filled = now;
    }
}

#[derive(Clone, Default)]
struct Limiter(Arc<Mutex<HashMap<String, Bucket>>>);

impl Limiter {
    /// Takes a token, or says how long to wait for one.
    fn take(&self, name: &str) -> Result<(), Duration> {
        let now = Instant::now();
        let mut buckets = self.0.lock().unwrap();
        let bucket = buckets.entry(name.to_owned()).or_insert(Bucket { tokens: CAPACITY, filled: now });
        bucket.fill(now);
        if bucket.tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - bucket.tokens) / PER_SECOND));
        }
        bucket.tokens -= 1.0;
        Ok(())
    }

    fn forget(&self) {
        let now = Instant::now();
        self.0.lock().unwrap().retain(|_, bucket| {
            bucket.fill(now);
            bucket.tokens < CAPACITY
        });
    }
}

/// Answers a name by `ok`, or by `wait` and so many milliseconds.
pub async fn server() -> io::Result<()> {
    let limiter = Limiter::default();
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    let mut forgets = interval(FORGETS_EVERY);
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // One that was aborted before it was accepted is none of the server's business.
                let Ok((stream, _)) = accepted else { continue };
                tokio::spawn(serve(Framed::new(stream, LinesCodec::new()), limiter.clone()));
            }
            _ = forgets.tick() => limiter.forget(),
        }
    }
}

async fn serve(mut lines: Framed<TcpStream, LinesCodec>, limiter: Limiter) {
    while let Some(Ok(name)) = lines.next().await {
        let answer = match limiter.take(&name) {
            Ok(()) => "ok".to_owned(),
            Err(wait) => format!("wait {}", wait.as_millis()),
        };
        if lines.send(answer).await.is_err() {
            return;
        }
    }
}

/// The instants at which a client went on in the last two seconds.
#[derive(Default)]
pub struct Recent(Vec<Instant>);

impl Recent {
    /// The client goes on.
    fn add(&mut self) {
        let now = Instant::now();
        self.0.retain(|then| now - *then < Duration::from_secs(2));
        self.0.push(now);
        assert!(self.0.len() <= 4, "{} times in two seconds", self.0.len());
    }
}

/// A client that goes on as often as it may, over one connection.
async fn goes_on(name: &str, recent: &mut Recent) -> io::Result<()> {
    let mut lines = Framed::new(TcpStream::connect(("server", PORT)).await?, LinesCodec::new());
    loop {
        lines.send(name).await.map_err(io::Error::other)?;
        let answer = lines.next().await.ok_or(io::ErrorKind::UnexpectedEof)?.map_err(io::Error::other)?;
        match answer.strip_prefix("wait ") {
            None => recent.add(),
            Some(milliseconds) => sleep(Duration::from_millis(milliseconds.parse().map_err(io::Error::other)?)).await,
        }
    }
}

/// A client that connects again a second after it has lost its connection.
pub async fn client(name: &str) {
    let mut recent = Recent::default();
    loop {
        assert!(goes_on(name, &mut recent).await.is_err());
        sleep(Duration::from_secs(1)).await;
    }
}
