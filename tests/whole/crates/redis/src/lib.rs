//! A small server that speaks the protocol of Redis, and clients of it on the crate `redis`.

use redis::aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection};
use redis::{AsyncCommands, AsyncConnectionConfig, Client, IntoConnectionInfo, RedisResult};
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

type Store = Arc<Mutex<BTreeMap<String, String>>>;

/// Serves a store of texts on port 6379.
pub async fn server() -> Result<()> {
    let listener = TcpListener::bind("0.0.0.0:6379").await?;
    let store = Store::default();
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(stream, store.clone()));
    }
}

/// Answers the commands of one connection, until it is closed.
async fn serve(stream: TcpStream, store: Store) -> Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(command) = command(&mut stream).await? {
        let answer = answer(&command, &mut store.lock().unwrap());
        stream.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

/// Reads a command: an array of texts, each with its length in front. `None` is the end of the stream.
async fn command(stream: &mut BufReader<TcpStream>) -> Result<Option<Vec<String>>> {
    let Some(words) = length(stream, '*').await? else { return Ok(None) };
    let mut command = Vec::new();
    for _ in 0..words {
        let bytes = length(stream, '$').await?.ok_or(ErrorKind::UnexpectedEof)?;
        let mut word = vec![0; bytes + 2];
        stream.read_exact(&mut word).await?;
        word.truncate(bytes);
        command.push(String::from_utf8(word).map_err(Error::other)?);
    }
    Ok(Some(command))
}

/// Reads a line that begins with `sign` and goes on with a number.
async fn length(stream: &mut BufReader<TcpStream>, sign: char) -> Result<Option<usize>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let number = line.strip_prefix(sign).ok_or(ErrorKind::InvalidData)?;
    number.trim_end().parse().map(Some).map_err(Error::other)
}

/// What a command does, and its answer in the protocol.
fn answer(command: &[String], store: &mut BTreeMap<String, String>) -> String {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    match words[..] {
        ["HELLO", ..] => "%1\r\n+proto\r\n:3\r\n".into(),
        ["CLIENT", "SETINFO", ..] => "+OK\r\n".into(),
        ["PING"] => "+PONG\r\n".into(),
        ["GET", key] => match store.get(key) {
            Some(value) => format!("${}\r\n{value}\r\n", value.len()),
            None => "$-1\r\n".into(),
        },
        ["SET", key, value] => {
            store.insert(key.into(), value.into());
            "+OK\r\n".into()
        }
        ["INCRBY", key, by] => {
            let value = store.entry(key.into()).or_insert_with(|| "0".into());
            match (value.parse::<i64>(), by.parse::<i64>()) {
                (Ok(count), Ok(by)) => {
                    *value = (count + by).to_string();
                    format!(":{value}\r\n")
                }
                _ => "-ERR value is not an integer or out of range\r\n".into(),
            }
        }
        _ => format!("-ERR unknown command '{}'\r\n", words.join(" ")),
    }
}

/// A connection whose clones share one stream.
pub async fn multiplexed() -> RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new().set_response_timeout(Some(Duration::from_secs(5)));
    Client::open("redis://server/")?.get_multiplexed_async_connection_with_config(&config).await
}

/// A connection that is made anew when it is lost, and does not tell the server the name of its library.
pub async fn managed() -> RedisResult<ConnectionManager> {
    let server = "redis://server/".into_connection_info()?;
    let settings = server.redis_settings().clone().set_skip_set_lib_name();
    let config = ConnectionManagerConfig::new().set_number_of_retries(1);
    Client::open(server.set_redis_settings(settings))?.get_connection_manager_with_config(config).await
}

/// Sets a key and asks for it.
pub async fn sets_and_gets() -> RedisResult<String> {
    let mut connection = multiplexed().await?;
    () = connection.set("key", "value").await?;
    connection.get("key").await
}

/// Adds one to `count`, and asks for `other` once that is answered or has been cancelled, which happens at any time.
/// Returns what was answered.
pub async fn cancels_and_asks(mut connection: impl AsyncCommands) -> RedisResult<Option<String>> {
    let cancelled = tokio::spawn(async {});
    tokio::select! {
        _ = connection.incr::<_, _, i64>("count", 1) => {}
        _ = cancelled => {}
    }
    connection.get("other").await
}

/// Adds one to `count`. If that fails, returns the count that is there on a new connection.
pub async fn increments() -> RedisResult<i64> {
    let mut connection = managed().await?;
    match connection.incr("count", 1).await {
        Ok(count) => Ok(count),
        Err(_) => Ok(connection.get::<_, Option<i64>>("count").await?.unwrap_or(0)),
    }
}
