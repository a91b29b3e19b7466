//! A server that echoes the messages of a websocket, and a client of it.

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{accept_async, connect_async};

/// Serves on port 9000.
pub async fn server() -> std::io::Result<()> {
    serve(TcpListener::bind("0.0.0.0:9000").await?).await
}

/// Echoes what each connection says, until that is closed.
pub async fn serve(listener: TcpListener) -> std::io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            let mut socket = accept_async(stream).await?;
            while let Some(message) = socket.next().await {
                match message? {
                    message if message.is_text() => socket.send(message).await?,
                    _ => {}
                }
            }
            Ok::<(), Error>(())
        });
    }
}

/// Says something to a server, and returns the answer, once the connection is closed on both sides.
pub async fn talk(host: &str, words: &str) -> Result<String, Error> {
    let (mut socket, _) = connect_async(format!("ws://{host}:9000/")).await?;
    socket.send(Message::text(words)).await?;
    let answer = socket.next().await.ok_or(Error::ConnectionClosed)??;
    socket.close(None).await?;
    while let Some(message) = socket.next().await {
        message?;
    }
    Ok(answer.into_text()?.to_string())
}
