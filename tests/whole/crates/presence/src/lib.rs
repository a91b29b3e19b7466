//! Who is present: clients say each second that they are alive, and a server forgets a client of which it has heard nothing
//! for some time. Nothing here ever ends.

pub mod leases;

use futures_util::{SinkExt, StreamExt};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, Instant, interval, sleep};
use tokio_util::codec::{Framed, LinesCodec};

/// The port of the server.
const PORT: u16 = 4000;

/// When each client was heard of last.
type Seen = Arc<Mutex<BTreeMap<String, Instant>>>;

type Lines = Framed<TcpStream, LinesCodec>;

/// Answers `alive NAME` and `who`, and forgets clients of which it has heard nothing for so long.
pub async fn server(forgets_after: Duration) -> io::Result<()> {
    let seen = Seen::default();
    tokio::spawn(forget(Arc::clone(&seen), forgets_after));
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(Framed::new(stream, LinesCodec::new()), Arc::clone(&seen)));
    }
}

async fn forget(seen: Seen, after: Duration) {
    let mut ticks = interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
        seen.lock().unwrap().retain(|_, at| at.elapsed() < after);
    }
}

async fn serve(mut lines: Lines, seen: Seen) {
    while let Some(Ok(line)) = lines.next().await {
        let answer = match line.split_once(' ') {
            Some(("alive", name)) => {
                seen.lock().unwrap().insert(name.to_owned(), Instant::now());
                "welcome".to_owned()
            }
            _ => seen.lock().unwrap().keys().cloned().collect::<Vec<_>>().join(" "),
        };
        if lines.send(answer).await.is_err() {
            return;
        }
    }
}

async fn connect() -> io::Result<Lines> {
    Ok(Framed::new(TcpStream::connect(("server", PORT)).await?, LinesCodec::new()))
}

async fn ask(lines: &mut Lines, request: &str) -> io::Result<String> {
    lines.send(request).await.map_err(io::Error::other)?;
    let answer = lines.next().await.ok_or(io::ErrorKind::UnexpectedEof)?;
    answer.map_err(io::Error::other)
}

/// Says each second that a client is alive.
pub async fn stays_alive(name: &str) -> io::Result<()> {
    let mut lines = connect().await?;
    loop {
        ask(&mut lines, &format!("alive {name}")).await?;
        sleep(Duration::from_secs(1)).await;
    }
}

/// Waits until a client is present, and asks once more two seconds later.
pub async fn stays_present(name: &str) -> io::Result<bool> {
    let mut lines = connect().await?;
    while ask(&mut lines, "who").await? != name {
        sleep(Duration::from_secs(1)).await;
    }
    sleep(Duration::from_secs(2)).await;
    Ok(ask(&mut lines, "who").await? == name)
}
