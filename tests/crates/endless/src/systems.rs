//! What is checked: clients that end and clients that do not, in processes of their own or in one process with the
//! server.

use super::{tcp_lines, udp_echo, udp_key_value};
use netcheck::Network;
use netcheck::check::{Checker, Udp};
use std::io;
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

/// A name, how it is checked, and what is checked.
pub type System = (&'static str, Checker, fn(&mut Network));

/// All of them. Those that never end, or are too big, have a limit of states; not to end is no violation.
pub fn systems() -> Vec<System> {
    let calm = || Checker::new().liveness(false);
    let lossy = || calm().udp(Udp::new().loss());
    const MANY: usize = 1_000_000;
    vec![
        ("udp echo, two requests", calm(), udp_echo_two_requests),
        ("udp echo, endless", lossy().max_states(MANY), udp_echo_endless),
        ("udp echo, two endless clients", lossy().max_states(MANY), udp_echo_two_endless_clients),
        ("udp echo, one client in one process", calm(), udp_echo_one_in_one_process),
        ("udp echo, two clients in one process", calm().max_states(MANY), udp_echo_two_in_one_process),
        ("udp echo, two clients in one process, loss", lossy().max_states(MANY), udp_echo_two_in_one_process),
        ("udp echo, endless in one process", lossy().max_states(MANY), udp_echo_endless_in_one_process),
        ("udp key/value, one value", calm(), udp_key_value_one_value),
        ("udp key/value, endless", lossy().max_states(MANY), udp_key_value_endless),
        ("udp key/value, two endless clients", lossy().max_states(MANY), udp_key_value_two_endless_clients),
        ("tcp lines, one client", calm(), tcp_lines_one_client),
        ("tcp lines, two clients", calm().max_states(MANY), tcp_lines_two_clients),
        ("tcp lines, endless", calm().max_states(MANY), tcp_lines_endless),
        ("tcp lines, two endless clients", calm().max_states(MANY), tcp_lines_two_endless_clients),
        ("tcp lines, endless connections", calm().max_states(MANY), tcp_lines_endless_connections),
        ("tcp lines, one client in one process", calm(), tcp_lines_one_in_one_process),
        ("tcp lines, two clients in one process", calm().max_states(MANY), tcp_lines_two_in_one_process),
    ]
}

fn udp_echo_server(net: &mut Network) {
    net.daemon("server", || async { udp_echo::serve(UdpSocket::bind("0.0.0.0:4000").await?).await });
}

/// A client with two requests.
pub fn udp_echo_two_requests(net: &mut Network) {
    udp_echo_server(net);
    let client = || async { udp_echo_requests("server:4000").await };
    net.process("client", client).after("server");
}

async fn udp_echo_requests(server: &str) -> io::Result<()> {
    let socket = udp_echo::connect(server).await?;
    for number in 0..2 {
        assert_eq!(udp_echo::ask(&socket, number).await?, number, "the answer to another request");
    }
    Ok(())
}

/// A client that never ends.
pub fn udp_echo_endless(net: &mut Network) {
    udp_echo_server(net);
    net.daemon("client", || udp_echo::ask_for_ever("server:4000")).after("server");
}

/// Two clients that never end.
pub fn udp_echo_two_endless_clients(net: &mut Network) {
    udp_echo_endless(net);
    net.daemon("client-2", || udp_echo::ask_for_ever("server:4000")).after("server");
}

/// The server and a client with one request are tasks of one process.
pub fn udp_echo_one_in_one_process(net: &mut Network) {
    net.process("test", || udp_echo_in_one_process(1));
}

/// The server and two clients with one request each are tasks of one process.
pub fn udp_echo_two_in_one_process(net: &mut Network) {
    net.process("test", || udp_echo_in_one_process(2));
}

async fn udp_echo_in_one_process(clients: u8) -> io::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let server = socket.local_addr()?;
    tokio::spawn(udp_echo::serve(socket));
    let mut tasks = JoinSet::new();
    for number in 0..clients {
        tasks.spawn(async move {
            let socket = udp_echo::connect(server).await?;
            assert_eq!(udp_echo::ask(&socket, number).await?, number, "the answer to another request");
            io::Result::Ok(())
        });
    }
    tasks.join_all().await.into_iter().collect()
}

/// The server and a client that never end are tasks of one process.
pub fn udp_echo_endless_in_one_process(net: &mut Network) {
    let test = || async {
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        let server = socket.local_addr()?;
        tokio::spawn(udp_echo::serve(socket));
        udp_echo::ask_for_ever(server).await
    };
    net.daemon("test", test);
}

fn udp_key_value_server(net: &mut Network) {
    net.daemon("server", || async { udp_key_value::serve(UdpSocket::bind("0.0.0.0:4000").await?).await });
}

/// A client that stores a value, and reads it back.
pub fn udp_key_value_one_value(net: &mut Network) {
    udp_key_value_server(net);
    let client = || async {
        let socket = udp_echo::connect("server:4000").await?;
        udp_key_value::store_and_read(&socket, 0, 1).await
    };
    net.process("client", client).after("server");
}

/// A client that never ends.
pub fn udp_key_value_endless(net: &mut Network) {
    udp_key_value_server(net);
    net.daemon("client", || udp_key_value::count_for_ever("server:4000", 0)).after("server");
}

/// Two clients that never end, with a key each.
pub fn udp_key_value_two_endless_clients(net: &mut Network) {
    udp_key_value_endless(net);
    net.daemon("client-2", || udp_key_value::count_for_ever("server:4000", 1)).after("server");
}

fn tcp_lines_server(net: &mut Network) {
    net.daemon("server", || async { tcp_lines::serve(TcpListener::bind("0.0.0.0:4000").await?).await });
}

/// A client with one line.
pub fn tcp_lines_one_client(net: &mut Network) {
    tcp_lines_server(net);
    net.process("client", || tcp_lines::ask_once("server:4000", "one\n")).after("server");
}

/// Two clients with one line each.
pub fn tcp_lines_two_clients(net: &mut Network) {
    tcp_lines_one_client(net);
    net.process("client-2", || tcp_lines::ask_once("server:4000", "two\n")).after("server");
}

/// A client that never ends, on one connection.
pub fn tcp_lines_endless(net: &mut Network) {
    tcp_lines_server(net);
    net.daemon("client", || tcp_lines::ask_for_ever("server:4000")).after("server");
}

/// Two clients that never end, on a connection each.
pub fn tcp_lines_two_endless_clients(net: &mut Network) {
    tcp_lines_endless(net);
    net.daemon("client-2", || tcp_lines::ask_for_ever("server:4000")).after("server");
}

/// A client that never ends, with a connection for each line.
pub fn tcp_lines_endless_connections(net: &mut Network) {
    tcp_lines_server(net);
    net.daemon("client", || tcp_lines::connect_for_ever("server:4000")).after("server");
}

/// The server and a client with one line are tasks of one process.
pub fn tcp_lines_one_in_one_process(net: &mut Network) {
    net.process("test", || tcp_lines_in_one_process(1));
}

/// The server and two clients with one line each are tasks of one process.
pub fn tcp_lines_two_in_one_process(net: &mut Network) {
    net.process("test", || tcp_lines_in_one_process(2));
}

async fn tcp_lines_in_one_process(clients: usize) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = listener.local_addr()?;
    tokio::spawn(tcp_lines::serve(listener));
    let mut tasks = JoinSet::new();
    for line in &["one\n", "two\n"][..clients] {
        tasks.spawn(tcp_lines::ask_once(server, line));
    }
    tasks.join_all().await.into_iter().collect()
}
