//! A counter as a web service, and clients of it.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Router, serve};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;

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
