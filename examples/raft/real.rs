//! Three nodes on tokio, real sockets and files.

pub use ::tokio;
pub use std::fs;

#[path = "kept.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
#[allow(dead_code, reason = "mistakes are only checked")]
pub mod kept;
#[path = "message.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod message;
#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
#[allow(dead_code, reason = "mistakes are only checked")]
pub mod program;

use message::{Entry, Message};
use program::{Settings, Times, Told, Version};
use std::env;
use std::io;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;
use tokio::time::sleep;

const NODES: usize = 3;

/// The deeds of the nodes so far.
static TOLD: Mutex<Vec<(usize, Told)>> = Mutex::new(Vec::new());

fn tell(node: usize, told: Told) {
    match &told {
        Told::Leads { term, entries } => {
            println!("node {}: leads in term {term}, with {} entries", node + 1, entries.len());
        }
        Told::Commits { index, value, .. } => println!("node {}: entry {} is {value}", node + 1, index + 1),
    }
    TOLD.lock().expect("nobody panics").push((node, told));
}

/// The first thing that is looked for among what was told after so many others.
async fn told<T>(after: usize, wanted: impl Fn(usize, &Told) -> Option<T>) -> T {
    loop {
        let found = TOLD.lock().expect("nobody panics").iter().skip(after).find_map(|(node, told)| wanted(*node, told));
        match found {
            Some(found) => return found,
            None => sleep(Duration::from_millis(10)).await,
        }
    }
}

fn number_told() -> usize {
    TOLD.lock().expect("nobody panics").len()
}

/// A leader of a term after `term`, and its term.
async fn leader(after: u64) -> (usize, u64) {
    told(0, |node, told| match told {
        Told::Leads { term, .. } if *term > after => Some((node, *term)),
        _ => None,
    })
    .await
}

/// From 150 to 300 milliseconds, another time for each call: so elections do not go on disturbing each other.
#[expect(clippy::disallowed_methods, reason = "no two calls should wait equally long")]
fn patience() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970");
    Duration::from_millis(150 + u64::from(now.subsec_nanos() / 100 % 150))
}

fn start(own: usize, addresses: &[String]) -> io::Result<JoinHandle<io::Result<()>>> {
    let folder = env::temp_dir().join(format!("netcheck-raft-{}-{own}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let settings = Settings {
        own,
        bind: addresses[own].clone(),
        addresses: addresses.to_vec(),
        folder: folder.display().to_string(),
        times: Some(Times { patience, heartbeat: Duration::from_millis(50) }),
        version: Version::Corrected,
    };
    Ok(tokio::spawn(program::node(settings)))
}

/// Proposes a value until it is committed by the leader of a term.
async fn propose(client: &UdpSocket, leader: usize, addresses: &[String], value: u64) -> io::Result<()> {
    let before = number_told();
    let is_it = |node, told: &Told| {
        (node == leader && matches!(told, Told::Commits { value: committed, .. } if *committed == value)).then_some(())
    };
    loop {
        client.send_to(Message::Propose(value).to_string().as_bytes(), &addresses[leader]).await?;
        if tokio::time::timeout(Duration::from_secs(1), told(before, is_it)).await.is_ok() {
            return Ok(());
        }
    }
}

/// Elects a leader, stops it, elects another one, and lets the first one come back, with a value for each leader.
#[tokio::main]
pub async fn run(port: u16) -> io::Result<()> {
    let addresses: Vec<String> = (port..).take(NODES).map(|port| format!("127.0.0.1:{port}")).collect();
    let mut nodes = (0..NODES).map(|own| start(own, &addresses)).collect::<io::Result<Vec<_>>>()?;
    let client = UdpSocket::bind("127.0.0.1:0").await?;
    let (first, term) = leader(0).await;
    propose(&client, first, &addresses, 10).await?;
    println!("node {}: is stopped", first + 1);
    nodes[first].abort();
    let (second, _) = leader(term).await;
    propose(&client, second, &addresses, 20).await?;
    println!("node {}: starts again", first + 1);
    let before = number_told();
    nodes[first] = start(first, &addresses)?;
    let has_both = |node, told: &Told| (node == first && matches!(told, Told::Commits { value: 20, .. })).then_some(());
    told(before, has_both).await;
    for (own, node) in nodes.into_iter().enumerate() {
        node.abort();
        let folder = env::temp_dir().join(format!("netcheck-raft-{}-{own}", std::process::id()));
        let kept = kept::Kept::read(&folder.display().to_string(), Version::Corrected)?;
        let values: Vec<u64> = kept.entries().iter().map(|Entry { value, .. }| *value).collect();
        println!("node {}: term {}, log {values:?}", own + 1, kept.term);
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}
