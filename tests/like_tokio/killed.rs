//! What a client sees of a server that is killed: a real one, as a process of its own that gets a `SIGKILL` at each of its
//! awaits, is among the servers that `crash(kill)` explores.
//!
//! The programs are compiled twice, against tokio and against netcheck. The real server is this test program again: it comes to
//! an await and stays there; it is killed when the client has come to one of its own, or waits.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the programs are for")]

mod checked;
mod real;

use netcheck::check::{Checker, Crash, Verdict};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Awaits of the server, and of the client.
const POINTS: usize = 6;
const PHASES: usize = 5;

/// The await at which the real server stays.
const STAYS_AT: &str = "NETCHECK_KILLED_AT";

/// A client that waits so long for a server that stays where it is would wait for ever.
const PATIENCE: Duration = Duration::from_millis(500);

#[test]
#[cfg(unix)]
fn a_client_sees_of_a_killed_process_what_is_explored() {
    let mut explored = BTreeSet::new();
    let report = Checker::new().crash(Crash::kill().process("server").stays_down()).check(|net| {
        net.daemon("server", || checked::program::server("0.0.0.0:4000".to_owned(), |_| {}, usize::MAX));
        net.process("client", || checked::program::client("server:4000".to_owned(), async |_| {})).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    explored.extend(report.outputs("client").iter().cloned());
    let mut met = BTreeSet::new();
    for point in 1..POINTS {
        for phase in 0..PHASES {
            let seen = run(point, phase);
            assert!(explored.contains(&seen), "killed at {point}, in {phase}: {seen} is not among {explored:#?}");
            met.insert(seen);
        }
    }
    assert!(met.len() >= 6, "{met:#?}");
}

/// Runs both, the server up to an await; it is killed when the client comes to this phase, or waits.
fn run(point: usize, phase: usize) -> String {
    let test = "killed::the_server_of_another_test";
    let mut server = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .env(STAYS_AT, point.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map_while(Result::ok);
    let address = lines.find_map(|line| line.split_once("listens at ").map(|(_, address)| address.to_owned()));
    let address = address.expect("the server says where it listens");
    let server = Arc::new(Mutex::new(server));
    let kill = {
        let server = Arc::clone(&server);
        move || {
            let mut server = server.lock().unwrap();
            server.kill().unwrap();
            server.wait().unwrap();
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let seen = runtime.block_on(async {
        let on_phase = async |at: usize| {
            // What the server does by itself is done.
            tokio::time::sleep(Duration::from_millis(20)).await;
            if at == phase {
                kill();
            }
        };
        let mut client = std::pin::pin!(real::program::client(address, on_phase));
        match tokio::time::timeout(PATIENCE, &mut client).await {
            Ok(seen) => seen,
            Err(_) => {
                kill();
                client.await
            }
        }
    });
    kill();
    format!("{seen:?}")
}

#[test]
#[ignore = "the other test runs it"]
fn the_server_of_another_test() {
    let Ok(point) = std::env::var(STAYS_AT) else { return };
    let tell = |address: std::net::SocketAddr| println!("\nlistens at {address}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(real::program::server("127.0.0.1:0".to_owned(), tell, point.parse().unwrap()));
}
