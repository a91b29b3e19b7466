//! A small server of the PostgreSQL protocol with one table, and clients of it on tokio-postgres.

use std::io;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_postgres::{Client, Error, NoTls, SimpleQueryMessage};

type Table = Arc<Mutex<Vec<String>>>;

/// Serves the table `visits` on port 5432.
pub async fn server() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:5432").await?;
    let visits = Table::default();
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(stream, visits.clone()));
    }
}

/// The startup without a password, and simple queries until the client terminates.
async fn serve(stream: TcpStream, visits: Table) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    body(&mut stream).await?;
    stream.write_all(&[message(b'R', &0_u32.to_be_bytes()), message(b'Z', b"I")].concat()).await?;
    while stream.read_u8().await? == b'Q' {
        let query = body(&mut stream).await?;
        let answer = execute(String::from_utf8_lossy(&query).trim_end_matches('\0'), &visits);
        stream.write_all(&[answer, message(b'Z', b"I")].concat()).await?;
    }
    Ok(())
}

/// What follows the type of a message: its length, which counts itself, and so many bytes.
async fn body(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = vec![0; stream.read_u32().await? as usize - 4];
    stream.read_exact(&mut body).await?;
    Ok(body)
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind], &(body.len() as u32 + 4).to_be_bytes()[..], body].concat()
}

/// Knows `INSERT INTO visits VALUES (…)`, with and without `ON CONFLICT DO NOTHING`, and the number of rows.
fn execute(query: &str, visits: &Table) -> Vec<u8> {
    let mut visits = visits.lock().unwrap();
    if let Some(values) = query.strip_prefix("INSERT INTO visits VALUES ") {
        let (visit, ignored) = match values.strip_suffix(" ON CONFLICT DO NOTHING") {
            Some(visit) => (visit, visits.iter().any(|known| known == visit)),
            None => (values, false),
        };
        if !ignored {
            visits.push(visit.to_owned());
        }
        return message(b'C', if ignored { b"INSERT 0 0\0" } else { b"INSERT 0 1\0" });
    }
    let count = visits.len().to_string();
    // One column of the type int8 in text: no table, no attribute, its type, its size, no modifier, its format.
    let column = [&[0, 1][..], b"count\0", &[0; 6], &[0, 0, 0, 20], &[0, 8], &[255; 4], &[0, 0]].concat();
    let row = [&[0, 1], &(count.len() as u32).to_be_bytes()[..], count.as_bytes()].concat();
    [message(b'T', &column), message(b'D', &row), message(b'C', b"SELECT 1\0")].concat()
}

/// What a client does if an insertion fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// It inserts once more, on a new connection.
    Repeat,
    /// It reports the error.
    GiveUp,
}

async fn connect() -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect("host=server user=visitor", NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn count_with(client: &Client) -> Result<String, Error> {
    let answer = client.simple_query("SELECT count(*) FROM visits").await?;
    let count = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(count.expect("a row with the count").to_owned())
}

/// Returns the number of visits.
pub async fn count() -> Result<String, Error> {
    count_with(&connect().await?).await
}

/// Inserts one visit with this statement, and returns the number of visits afterwards.
pub async fn visit(insert: &str, failed: Failed) -> Result<String, Error> {
    let mut client = connect().await?;
    let inserted = client.batch_execute(insert).await;
    if inserted.is_err() && failed == Failed::Repeat {
        client = connect().await?;
        client.batch_execute(insert).await?;
    } else {
        inserted?;
    }
    count_with(&client).await
}
