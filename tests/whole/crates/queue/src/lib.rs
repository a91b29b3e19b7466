//! A queue of jobs: clients submit a job and wait for its result, workers lease jobs, renew their leases while they work, and
//! report what they have done. A job whose lease has expired is given to another worker.

use futures_util::{SinkExt, StreamExt};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{Duration, Instant, interval_at, sleep};
use tokio_util::codec::{Framed, LinesCodec};

/// The port of the server.
const PORT: u16 = 4000;

/// How long a lease is valid.
const LEASE: Duration = Duration::from_secs(3);
const RENEWS_EVERY: Duration = Duration::from_secs(1);

/// How long a worker waits when there was no job, or its connection was lost.
const ASKS_EVERY: Duration = Duration::from_millis(500);

type Lines = Framed<TcpStream, LinesCodec>;

#[derive(Default)]
struct Job {
    lease: Option<(String, Instant)>,
    result: Option<String>,
}

#[derive(Default)]
struct State {
    jobs: BTreeMap<String, Job>,
    waiting: VecDeque<String>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    is_done: Notify,
}

impl Queue {
    fn submit(&self, job: &str) {
        let mut state = self.state.lock().unwrap();
        state.jobs.insert(job.to_owned(), Job::default());
        state.waiting.push_back(job.to_owned());
    }

    /// A job for a worker.
    fn lease(&self, worker: &str) -> Option<String> {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap();
        let State { jobs, waiting } = &mut *state;
        let expired = jobs.iter().find(|(_, job)| job.lease.as_ref().is_some_and(|(_, until)| *until <= now));
        let name = expired.map(|(name, _)| name.clone()).or_else(|| waiting.pop_front())?;
        jobs.get_mut(&name)?.lease = Some((worker.to_owned(), now + LEASE));
        Some(name)
    }

    fn renew(&self, worker: &str, name: &str) -> bool {
        let mut state = self.state.lock().unwrap();
        let lease = state.jobs.get_mut(name).and_then(|job| job.lease.as_mut()).filter(|(of, _)| of == worker);
        lease.map(|(_, until)| *until = Instant::now() + LEASE).is_some()
    }

    /// Takes a result; `checks`: only of a worker who has the lease.
    fn finish(&self, worker: &str, name: &str, result: &str, checks: bool) -> bool {
        let mut state = self.state.lock().unwrap();
        let Some(job) = state.jobs.get_mut(name) else { return false };
        if checks && job.lease.as_ref().is_none_or(|(of, _)| of != worker) {
            return false;
        }
        assert!(job.result.is_none(), "{name} was done twice");
        (job.lease, job.result) = (None, Some(result.to_owned()));
        self.is_done.notify_waiters();
        true
    }

    async fn result(&self, name: &str) -> String {
        loop {
            let mut is_done = std::pin::pin!(self.is_done.notified());
            is_done.as_mut().enable();
            let result = self.state.lock().unwrap().jobs.get(name).and_then(|job| job.result.clone());
            match result {
                Some(result) => return result,
                None => is_done.await,
            }
        }
    }
}

/// Serves clients and workers. `checks`: a result is taken only of a worker who has the lease.
pub async fn server(checks: bool) -> io::Result<()> {
    let queue = Arc::new(Queue::default());
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(Framed::new(stream, LinesCodec::new()), Arc::clone(&queue), checks));
    }
}

async fn serve(mut lines: Lines, queue: Arc<Queue>, checks: bool) {
    while let Some(Ok(line)) = lines.next().await {
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            ["submit", job] => {
                queue.submit(job);
                "ok".to_owned()
            }
            ["wait", job] => queue.result(job).await,
            ["lease", worker] => queue.lease(worker).unwrap_or_default(),
            ["renew", worker, job] => queue.renew(worker, job).to_string(),
            ["done", worker, job, result] => queue.finish(worker, job, result, checks).to_string(),
            _ => "what?".to_owned(),
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

/// A client that submits a job and waits for its result.
pub async fn submits(job: &str) -> io::Result<String> {
    let mut lines = connect().await?;
    ask(&mut lines, &format!("submit {job}")).await?;
    ask(&mut lines, &format!("wait {job}")).await
}

/// A worker that takes so long for a job, and goes on for ever.
pub async fn works(name: &str, takes: Duration) {
    let mut unreported = None;
    loop {
        // What could not be reported is reported over the next connection.
        let _ = works_over_a_connection(name, takes, &mut unreported).await;
        sleep(ASKS_EVERY).await;
    }
}

async fn works_over_a_connection(name: &str, takes: Duration, unreported: &mut Option<String>) -> io::Result<()> {
    let mut lines = connect().await?;
    loop {
        if let Some(report) = unreported {
            ask(&mut lines, report).await?;
            *unreported = None;
        }
        let job = ask(&mut lines, &format!("lease {name}")).await?;
        if job.is_empty() {
            sleep(ASKS_EVERY).await;
            continue;
        }
        let mut work = std::pin::pin!(sleep(takes));
        let mut renews = interval_at(Instant::now() + RENEWS_EVERY, RENEWS_EVERY);
        loop {
            tokio::select! {
                () = &mut work => break,
                // A worker that can't renew its lease goes on with the job.
                _ = renews.tick() => _ = ask(&mut lines, &format!("renew {name} {job}")).await,
            }
        }
        *unreported = Some(format!("done {name} {job} {}", job.to_uppercase()));
    }
}
