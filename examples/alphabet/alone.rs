//! The paper's Table 2: the client run by itself, as a program of its own against servers on loopback sockets, with no
//! check.

use crate::real;
use comfy_table::{CellAlignment, Table, presets};
use std::env;
use std::net::{TcpStream, UdpSocket};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

const CONNECTIONS: u16 = 3;

/// Requests, whether over TCP, and what the paper says: the time in seconds, the heap in MB, and the I/O operations.
const TABLE_2: [(u8, bool, [&str; 3]); 6] = [
    (1, true, ["0.082", "2.6", "15"]),
    (1, false, ["0.078", "2.6", "15"]),
    (2, true, ["0.082", "2.6", "21"]),
    (2, false, ["0.079", "2.6", "21"]),
    (3, true, ["0.083", "2.6", "27"]),
    (3, false, ["0.080", "2.6", "27"]),
];

/// How long a server that does not listen yet is waited for before it is asked again.
const PATIENCE: Duration = Duration::from_millis(20);

pub fn print() {
    // Ports that other examples, and this one beside it, hardly use.
    let port = 20_000 + (std::process::id() % 20_000) as u16;
    for tcp in [false, true] {
        thread::spawn(move || real::serve(port, CONNECTIONS, tcp));
    }
    (0..CONNECTIONS).for_each(|connection| wait_for(&real::address(port, connection)));
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header([
        "paper's",
        "requests",
        "protocol",
        "fault found",
        "time [s]",
        "memory [MB]",
        "I/O",
        "paper: time [s]",
        "paper: heap [MB]",
        "paper: I/O",
    ]);
    for column in table.column_iter_mut().skip(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for (requests, tcp, paper) in TABLE_2 {
        let (is_right, seconds, memory) = run(port, requests, tcp);
        let ours = [
            "Table 2".to_owned(),
            requests.to_string(),
            if tcp { "TCP" } else { "UDP" }.to_owned(),
            if is_right { "no" } else { "yes" }.to_owned(),
            format!("{seconds:.3}"),
            memory.unwrap_or_default(),
            operations(requests).to_string(),
        ];
        table.add_row(ours.into_iter().chain(paper.map(str::to_owned)));
    }
    println!("{table}");
    println!(
        "The client of {CONNECTIONS} connections by itself, for real; paper: on the Oracle JVM. time: with the start of the program."
    );
    println!(
        "memory: the most that was resident, on Linux. I/O: sockets that are made, connected and closed, and messages."
    );
}

/// Waits until the servers of both protocols at an address answer.
fn wait_for(address: &str) {
    while TcpStream::connect(address).is_err() {
        thread::yield_now();
    }
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port is free");
    socket.set_read_timeout(Some(PATIENCE)).expect("it is longer than no time");
    // An error says that nothing was bound there.
    while socket.send_to(b"0", address).and_then(|_| socket.recv(&mut [0])).is_err() {}
}

/// The client's operations on its sockets: each is made, connected and closed; each request is sent, and its response received.
fn operations(requests: u8) -> u16 {
    CONNECTIONS * (3 + 2 * u16::from(requests))
}

/// Runs the client as a program of its own: whether all responses were right, the seconds, and the memory in MB.
fn run(port: u16, requests: u8, tcp: bool) -> (bool, f64, Option<String>) {
    let mut client = Command::new(env::current_exe().expect("this program has a file"));
    client.arg("run").args(["--port", &port.to_string()]).args(["--requests", &requests.to_string()]);
    client.args(["--connections", &CONNECTIONS.to_string()]).args(tcp.then_some("--tcp"));
    let start = Instant::now();
    let output = client.output().expect("the client can be started");
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let memory = text.lines().find_map(|line| line.strip_prefix(real::MEMORY)?.strip_suffix(" kB"));
    let memory = memory.and_then(|kilobytes| kilobytes.parse::<f64>().ok());
    (output.status.success(), seconds, memory.map(|kilobytes| format!("{:.1}", kilobytes / 1000.0)))
}
