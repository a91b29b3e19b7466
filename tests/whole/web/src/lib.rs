//! A counter as a web service, and clients of it.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Router, serve};
use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;

type Counter = State<Arc<Mutex<u32>>>;

async fn count(State(counter): Counter) -> String {
    counter.lock().unwrap().to_string()
}

async fn increment(State(counter): Counter) -> String {
    let mut counter = counter.lock().unwrap();
    *counter += 1;
    counter.to_string()
}

/// Serves `GET /`, the count, and `POST /increment`, which adds one.
pub async fn server() -> std::io::Result<()> {
    let app = Router::new().route("/", get(count)).route("/increment", post(increment)).with_state(Arc::default());
    serve(TcpListener::bind("0.0.0.0:80").await?, app).await
}

/// What a server does with requests that it has accepted when it is told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopping {
    /// It answers them first.
    Answers,
    /// It forgets them.
    Forgets,
}

/// Serves `POST /increment` until there is a `POST /stop`, and returns the count.
pub async fn server_that_stops(stopping: Stopping) -> std::io::Result<u32> {
    let (counter, stop) = (Counter::default(), Arc::new(Notify::new()));
    let stopped = Arc::clone(&stop);
    let app = Router::new()
        .route("/increment", post(increment))
        .with_state(Arc::clone(&counter.0))
        .route("/stop", post(async move || stop.notify_one()));
    let stopped = async move { stopped.notified().await };
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    match stopping {
        Stopping::Answers => serve(listener, app).with_graceful_shutdown(stopped).await?,
        Stopping::Forgets => tokio::select! {
            served = serve(listener, app).into_future() => served?,
            () = stopped => {}
        },
    }
    Ok(*counter.0.lock().unwrap())
}

/// Tells the server to stop.
pub async fn stops() {
    _ = reqwest::Client::new().post("http://server/stop").send().await;
}

/// What a client does if a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// It sends the request once more.
    Repeat,
    /// It reports the error.
    GiveUp,
}

/// Asks for the count.
pub async fn ask() -> reqwest::Result<String> {
    reqwest::get("http://server/").await?.text().await
}

/// Increments by one, and returns the count afterwards.
pub async fn increments(failed: Failed) -> reqwest::Result<String> {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(5)).build()?;
    let mut answer = client.post("http://server/increment").send().await;
    if answer.is_err() && failed == Failed::Repeat {
        answer = client.post("http://server/increment").send().await;
    }
    answer?.text().await?;
    client.get("http://server/").send().await?.text().await
}

/// Increments by one, and returns what the server has answered.
pub async fn increments_once() -> reqwest::Result<String> {
    reqwest::Client::new().post("http://server/increment").send().await?.text().await
}
