//! A greeting as a service of tarpc, JSON over TCP, and a client of it.

use futures::StreamExt;
use std::io;
use tarpc::client::{self, RpcError};
use tarpc::context;
use tarpc::serde_transport::tcp;
use tarpc::server::{BaseChannel, Channel};
use tarpc::tokio_serde::formats::Json;

/// The service: one method.
#[tarpc::service]
pub trait World {
    /// Greets somebody.
    async fn hello(name: String) -> String;
}

#[derive(Clone)]
struct Greeter;

impl World for Greeter {
    async fn hello(self, _: context::Context, name: String) -> String {
        format!("hello, {name}")
    }
}

/// Serves on port 7000, each connection and each request in a task of its own.
pub async fn server() -> io::Result<()> {
    let mut connections = tcp::listen("0.0.0.0:7000", Json::default).await?;
    while let Some(transport) = connections.next().await {
        let requests = BaseChannel::with_defaults(transport?).execute(Greeter.serve());
        tokio::spawn(requests.for_each(|response| async { _ = tokio::spawn(response) }));
    }
    Ok(())
}

/// Why there is no greeting.
#[derive(Debug)]
pub enum Error {
    /// There is no connection.
    Connect(io::Error),
    /// The call has failed.
    Call(RpcError),
}

/// Lets the server greet somebody.
pub async fn greet(name: &str) -> Result<String, Error> {
    let transport = tcp::connect("server:7000", Json::default).await.map_err(Error::Connect)?;
    let client = WorldClient::new(client::Config::default(), transport).spawn();
    client.hello(context::current(), name.to_owned()).await.map_err(Error::Call)
}
