//! A counter on hyper, and a client made of tower's layers around hyper-util's pooled client.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tower::retry::Policy;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt};

/// How long the server keeps a connection that nobody uses.
const IDLE: Duration = Duration::from_secs(30);

/// The count, and what was answered to each request that has a key.
#[derive(Default)]
struct Counter {
    count: u32,
    answered: BTreeMap<Bytes, u32>,
}

impl Counter {
    /// Counts a POST, but not one whose key has been counted. Returns the count.
    fn answer<B>(&mut self, request: &Request<B>) -> u32 {
        if request.method() != Method::POST {
            return self.count;
        }
        let key = request.headers().get("idempotency-key").map(|key| Bytes::copy_from_slice(key.as_bytes()));
        if let Some(count) = key.as_ref().and_then(|key| self.answered.get(key)) {
            return *count;
        }
        self.count += 1;
        if let Some(key) = key {
            self.answered.insert(key, self.count);
        }
        self.count
    }
}

/// Serves `GET`, the count, and `POST`, which adds one. A connection without a request for [`IDLE`] is closed.
pub async fn server() -> std::io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    let counter = Arc::new(Mutex::new(Counter::default()));
    loop {
        let (stream, _) = listener.accept().await?;
        let counter = counter.clone();
        let answer = service_fn(move |request| {
            let count = counter.lock().unwrap().answer(&request).to_string();
            ready(Ok::<_, Infallible>(Response::new(Full::<Bytes>::from(count))))
        });
        tokio::spawn(async move {
            let mut connection = pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            tokio::select! {
                _ = &mut connection => {}
                () = sleep(IDLE) => {
                    connection.as_mut().graceful_shutdown();
                    _ = connection.await;
                }
            }
        });
    }
}

/// Which failed requests are sent once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// None.
    Nothing,
    /// All.
    Everything,
    /// Those that have the same effect if they arrive twice: of a safe method, or with a key.
    Idempotent,
}

/// Repeats a request at most once.
#[derive(Clone, Copy, Debug)]
struct Once {
    repeat: Repeat,
    left: bool,
}

impl<T> Policy<Request<Full<Bytes>>, T, BoxError> for Once {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut Request<Full<Bytes>>, result: &mut Result<T, BoxError>) -> Option<Ready<()>> {
        (result.is_err() && std::mem::take(&mut self.left)).then(|| ready(()))
    }

    fn clone_request(&mut self, request: &Request<Full<Bytes>>) -> Option<Request<Full<Bytes>>> {
        let idempotent = request.method().is_safe() || request.headers().contains_key("idempotency-key");
        match self.repeat {
            Repeat::Nothing => None,
            Repeat::Everything => Some(request.clone()),
            Repeat::Idempotent => idempotent.then(|| request.clone()),
        }
    }
}

/// The pooled client. It keeps `idle` connections that are not in use.
fn http(idle: usize) -> Client<HttpConnector, Full<Bytes>> {
    Client::builder(TokioExecutor::new()).pool_max_idle_per_host(idle).build_http()
}

/// A request to the server.
fn request(method: Method, key: Option<&'static str>) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri("http://server/");
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    request.body(Full::default()).unwrap()
}

/// Sends a request through `service`, and returns the text of the answer.
async fn send<S>(service: &mut S, request: Request<Full<Bytes>>) -> Result<String, BoxError>
where
    S: Service<Request<Full<Bytes>>, Response = Response<Incoming>>,
    S::Error: Into<BoxError>,
{
    let answer = service.ready().await.map_err(Into::into)?.call(request).await.map_err(Into::into)?;
    Ok(String::from_utf8(answer.into_body().collect().await?.to_bytes().to_vec())?)
}

/// Sends one request through a time-out and a retry, and returns the answer.
pub async fn asks(method: Method, key: Option<&'static str>, repeat: Repeat) -> Result<String, BoxError> {
    let mut service =
        ServiceBuilder::new().retry(Once { repeat, left: true }).timeout(Duration::from_secs(5)).service(http(1));
    send(&mut service, request(method, key)).await
}

/// Asks for the count through a buffer, which has a task of its own, and a time-out.
pub async fn asks_through_a_buffer() -> Result<String, BoxError> {
    let mut service = ServiceBuilder::new().buffer(2).timeout(Duration::from_secs(5)).service(http(1));
    send(&mut service, request(Method::GET, None)).await
}

/// Counts, waits for as long as the server keeps a connection, and counts again. Returns the second answer. The client
/// keeps `idle` connections meanwhile.
pub async fn counts_again_after_a_while(idle: usize) -> Result<String, BoxError> {
    let mut service = http(idle);
    send(&mut service, request(Method::POST, None)).await?;
    sleep(IDLE).await;
    send(&mut service, request(Method::POST, None)).await
}
