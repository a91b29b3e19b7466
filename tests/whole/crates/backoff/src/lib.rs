//! A client that tries again after exponential back-off with jitter, and tokens that expire by the date.

use futures_util::{SinkExt, StreamExt};
use std::io;
use std::time::SystemTime;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, sleep};
use tokio_util::codec::{Framed, LinesCodec};

/// The port of the server.
const PORT: u16 = 4000;

/// How long a client waits after the first failure, and at the most.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(2);

/// How long a token is valid.
const VALID: Duration = Duration::from_secs(3);

type Lines = Framed<TcpStream, LinesCodec>;

/// Gives tokens, and works for those whose token has not expired.
pub async fn server() -> io::Result<()> {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    loop {
        // One that was aborted before it was accepted is none of the server's business.
        let Ok((stream, _)) = listener.accept().await else { continue };
        tokio::spawn(serve(Framed::new(stream, LinesCodec::new())));
    }
}

async fn serve(mut lines: Lines) {
    let mut token: Option<(u8, SystemTime)> = None;
    while let Some(Ok(line)) = lines.next().await {
        let now = SystemTime::now();
        let answer = match (line.strip_prefix("work "), &token) {
            (Some(number), Some((valid, until))) if number.parse() == Ok(*valid) && now < *until => "done".to_owned(),
            (Some(_), _) => "expired".to_owned(),
            (None, before) => {
                let number = before.map_or(0, |(number, _)| (number + 1) % 4);
                token = Some((number, now + VALID));
                number.to_string()
            }
        };
        if lines.send(answer).await.is_err() {
            return;
        }
    }
}

async fn ask(lines: &mut Lines, request: &str) -> io::Result<String> {
    lines.send(request).await.map_err(io::Error::other)?;
    let answer = lines.next().await.ok_or(io::ErrorKind::UnexpectedEof)?;
    answer.map_err(io::Error::other)
}

/// How often a client has failed since it last had success.
struct Backoff(u32);

impl Backoff {
    /// How long to wait after one failure more: at least half of the time that has doubled each time.
    fn next(&mut self) -> Duration {
        let longest = LONGEST.min(FIRST * 2_u32.pow(self.0.min(10)));
        self.0 += 1;
        longest / 2 + longest.mul_f64(f64::from(fastrand::u8(..)) / 512.0)
    }
}

/// Works once a second over one connection, with a new token when the old one has expired.
async fn works_once_a_second(jobs: &mut Option<u32>, backoff: &mut Backoff) -> io::Result<()> {
    let mut lines = Framed::new(TcpStream::connect(("server", PORT)).await?, LinesCodec::new());
    let mut token = None;
    while *jobs != Some(0) {
        let Some(number) = &token else {
            token = Some(ask(&mut lines, "token").await?);
            continue;
        };
        match &*ask(&mut lines, &format!("work {number}")).await? {
            "done" => {
                backoff.0 = 0;
                *jobs = jobs.map(|jobs| jobs - 1);
                sleep(Duration::from_secs(1)).await;
            }
            "expired" => token = None,
            other => panic!("what is {other}?"),
        }
    }
    Ok(())
}

/// Does so many jobs, or jobs for ever, however often it fails.
pub async fn client(mut jobs: Option<u32>) {
    let mut backoff = Backoff(0);
    while works_once_a_second(&mut jobs, &mut backoff).await.is_err() {
        let wait = backoff.next();
        assert!(wait <= LONGEST, "{wait:?}");
        sleep(wait).await;
    }
}
