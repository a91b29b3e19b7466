//! A client of the web by hyper: gets a page twice on one connection, from any server.

use super::http::HyperStream;
use super::tokio;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use tokio::net::TcpStream;

/// The page's text, each time, or what was wrong.
pub(crate) async fn get_twice(server: &str, page: &'static str) -> Result<Vec<Result<String, String>>, String> {
    let stream = TcpStream::connect(server).await.map_err(|error| error.to_string())?;
    let (mut sender, connection) = handshake(HyperStream(stream)).await.map_err(|error| error.to_string())?;
    let connection = tokio::spawn(connection);
    let mut pages = Vec::new();
    for _ in 0..2 {
        pages.push(get(&mut sender, page).await.map_err(|error| error.to_string()));
    }
    drop(sender);
    // What is wrong with the connection is what its requests were told.
    let _ = connection.await;
    Ok(pages)
}

async fn get(sender: &mut SendRequest<Empty<Bytes>>, page: &'static str) -> hyper::Result<String> {
    sender.ready().await?;
    let request = Request::get(page).header("host", "web").body(Empty::new()).expect("a request");
    let response = sender.send_request(request).await?;
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await?.to_bytes();
    Ok(format!("{status} {}", String::from_utf8_lossy(&bytes)))
}
