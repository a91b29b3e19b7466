//! A key/value store that is served over TCP, and keeps what it has acknowledged: a log of what was set, and a snapshot
//! that takes the log's place from time to time.
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked.rs` netcheck under that name.

use super::tokio;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::time::Duration;
use tokio::fs::{self, File, OpenOptions};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Records in the log when a snapshot is taken.
const RECORDS_MAX: usize = 2;

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// A store as it should be, and with a mistake each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A record is acknowledged as soon as `write_all` has returned: tokio's `File` may not have written it yet.
    Unflushed,
    /// A record is acknowledged as soon as the OS has it.
    Unsynced,
    /// The log is synced, and not the folder in which it was created.
    LogNameUnsynced,
    /// The log is taken line by line, also a last line of which only the beginning is there.
    TornRecordTaken,
    /// A torn record stays in the log, and the next ones are written behind it.
    TornRecordKept,
    /// The log is emptied before the name of the snapshot that replaces it is synced.
    SnapshotNameUnsynced,
    Corrected,
}

/// A store: the values of its keys, in memory and in a folder.
struct Store {
    folder: String,
    version: Version,
    values: BTreeMap<String, String>,
    log: File,
    records: usize,
}

impl Store {
    /// Reads the snapshot, and the log that was begun after it.
    async fn open(folder: String, version: Version) -> io::Result<Store> {
        let snapshot = read_if_there(&format!("{folder}/snapshot")).await?;
        let mut values: BTreeMap<String, String> = snapshot.lines().filter_map(entry).collect();
        let path = format!("{folder}/log");
        let written = read_if_there(&path).await?;
        let (entries, whole) = match version {
            Version::TornRecordTaken => {
                (written.lines().filter_map(|line| entry(line.get(9..)?)).collect(), written.len())
            }
            _ => whole_records(&written),
        };
        let records = entries.len();
        values.extend(entries);
        let log = OpenOptions::new().append(true).create(true).open(&path).await?;
        if whole < written.len() && version != Version::TornRecordKept {
            log.set_len(whole as u64).await?;
            log.sync_all().await?;
        }
        if version != Version::LogNameUnsynced {
            sync_folder(&folder).await?;
        }
        Ok(Store { folder, version, values, log, records })
    }

    /// Returns once the value is kept, whatever happens to this host.
    async fn set(&mut self, key: &str, value: &str) -> io::Result<()> {
        self.log.write_all(record(key, value).as_bytes()).await?;
        if self.version != Version::Unflushed {
            self.log.flush().await?;
        }
        if !matches!(self.version, Version::Unflushed | Version::Unsynced) {
            self.log.sync_all().await?;
        }
        self.values.insert(key.to_owned(), value.to_owned());
        self.records += 1;
        if self.records >= RECORDS_MAX {
            self.take_snapshot().await?;
        }
        Ok(())
    }

    /// Writes all values into a file of their own, which takes the place of the last snapshot, and begins the log anew.
    async fn take_snapshot(&mut self) -> io::Result<()> {
        let [written, name] = ["snapshot.new", "snapshot"].map(|name| format!("{}/{name}", self.folder));
        let lines: String = self.values.iter().map(|(key, value)| format!("{key} {value}\n")).collect();
        let mut file = File::create(&written).await?;
        file.write_all(lines.as_bytes()).await?;
        file.sync_all().await?;
        drop(file);
        fs::rename(&written, &name).await?;
        if self.version != Version::SnapshotNameUnsynced {
            sync_folder(&self.folder).await?;
        }
        self.log.set_len(0).await?;
        self.log.sync_all().await?;
        self.records = 0;
        Ok(())
    }
}

/// Makes the names of the files in a folder durable.
async fn sync_folder(folder: &str) -> io::Result<()> {
    File::open(folder).await?.sync_all().await
}

async fn read_if_there(path: &str) -> io::Result<String> {
    match fs::read(path).await {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}

/// "color green"
fn entry(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(' ')?;
    Some((key.to_owned(), value.to_owned()))
}

/// "1f0b5c9e color green\n"
fn record(key: &str, value: &str) -> String {
    let entry = format!("{key} {value}");
    format!("{:08x} {entry}\n", checksum(&entry))
}

/// The entries of the records up to the first one that is not whole, and the bytes that these take.
fn whole_records(log: &str) -> (Vec<(String, String)>, usize) {
    let mut entries = Vec::new();
    let mut bytes = 0;
    for line in log.split_inclusive('\n') {
        let kept = line.get(9..).and_then(|rest| entry(rest.strip_suffix('\n')?));
        let Some((key, value)) = kept.filter(|(key, value)| record(key, value) == line) else { break };
        entries.push((key, value));
        bytes += line.len();
    }
    (entries, bytes)
}

/// FNV-1a.
fn checksum(entry: &str) -> u32 {
    entry.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Serves the values that are kept in a folder, for ever, to one client after the other.
pub async fn server(address: String, folder: String, version: Version) {
    let mut store = Store::open(folder, version).await.expect("the folder can be read");
    let listener = TcpListener::bind(address).await.expect("the server's port is free");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection can be accepted");
        // A client that breaks its connection off gets no answer.
        let _ = serve(stream, &mut store).await;
    }
}

/// Answers requests until the client ends.
async fn serve(stream: TcpStream, store: &mut Store) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    while stream.read_line(&mut request).await? > 0 {
        let words: Vec<&str> = request.trim_end().split(' ').collect();
        let answer = match words[..] {
            ["set", key, value] => {
                store.set(key, value).await?;
                "ok\n".to_owned()
            }
            ["get", key] => match store.values.get(key) {
                Some(value) => format!("value {value}\n"),
                None => "none\n".to_owned(),
            },
            _ => "what?\n".to_owned(),
        };
        stream.write_all(answer.as_bytes()).await?;
        request.clear();
    }
    Ok(())
}

/// Asks the server, on a connection of its own. There is an error where the connection fails, or after a second.
async fn ask(server: &str, request: &str) -> io::Result<String> {
    let answered = timeout(PATIENCE, async {
        let mut stream = BufReader::new(TcpStream::connect(server).await?);
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_line(&mut answer).await?;
        match answer.strip_suffix('\n') {
            Some(answer) => Ok(answer.to_owned()),
            None => Err(ErrorKind::UnexpectedEof.into()),
        }
    });
    answered.await?
}

/// Sets a value. After an error, it may be set or not.
pub async fn set(server: &str, key: &str, value: &str) -> io::Result<()> {
    match ask(server, &format!("set {key} {value}\n")).await?.as_str() {
        "ok" => Ok(()),
        other => Err(io::Error::other(format!("refused: {other}"))),
    }
}

/// The value of a key, if it has one.
pub async fn get(server: &str, key: &str) -> io::Result<Option<String>> {
    Ok(ask(server, &format!("get {key}\n")).await?.strip_prefix("value ").map(str::to_owned))
}
