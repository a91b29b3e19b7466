//! Connecting and accepting, and the addresses of both ends.

use super::{
    Read, Trouble, accept, address, at_once, bound, connect, connected, kind, listening, listening_for_two, ms,
    nobody_comes, on_loopback, on_wildcard, read, read_all, tokio, told, trouble,
};
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

pub(crate) async fn connecting_is_refused_where_nobody_listens() -> Trouble {
    let silent = bound();
    trouble(&TcpStream::connect(silent.local_addr().unwrap()).await.unwrap_err())
}

pub(crate) async fn a_client_that_is_refused_can_connect_once_somebody_listens() -> [Result<(), io::ErrorKind>; 2] {
    let socket = bound();
    let at = socket.local_addr().unwrap();
    let early = told(TcpStream::connect(at).await);
    let _listener = socket.listen(8).unwrap();
    [early, told(TcpStream::connect(at).await)]
}

pub(crate) async fn connecting_is_refused_when_the_listener_is_gone() -> io::ErrorKind {
    let listener = listening().await;
    let at = address(&listener);
    drop(listener);
    kind(&TcpStream::connect(at).await.unwrap_err())
}

pub(crate) async fn connecting_is_done_before_accept() -> bool {
    let listener = listening().await;
    connect(&listener).await.peer_addr().unwrap() == address(&listener)
}

pub(crate) async fn both_ends_know_both_addresses() -> [bool; 4] {
    let listener = listening().await;
    let client = connect(&listener).await;
    let (server, from) = listener.accept().await.unwrap();
    let (near, far) = (client.local_addr().unwrap(), client.peer_addr().unwrap());
    [
        far == address(&listener),
        server.local_addr().unwrap() == far,
        server.peer_addr().unwrap() == near,
        from == near && near.ip().is_loopback() && near.port() != 0,
    ]
}

pub(crate) async fn clients_are_accepted_in_the_order_in_which_they_connected() -> Vec<usize> {
    let listener = listening().await;
    let mut clients = Vec::new();
    for _ in 0..4 {
        clients.push(connect(&listener).await.local_addr().unwrap());
    }
    let mut order = Vec::new();
    for _ in 0..4 {
        let (_, from) = listener.accept().await.unwrap();
        order.push(clients.iter().position(|client| *client == from).unwrap());
    }
    order
}

pub(crate) async fn a_queue_takes_one_client_more_than_its_backlog() -> [bool; 3] {
    let listener = listening_for_two();
    let attempt = || timeout(ms(300), TcpStream::connect(address(&listener)));
    let clients = [attempt().await, attempt().await, attempt().await];
    clients.map(|client| client.is_ok_and(|client| client.is_ok()))
}

pub(crate) async fn a_client_that_waits_gets_in_when_another_is_accepted() -> (bool, bool) {
    let listener = listening_for_two();
    let at = address(&listener);
    let _queued = [connect(&listener).await, connect(&listener).await];
    let third = tokio::spawn(TcpStream::connect(at));
    sleep(ms(50)).await;
    let waits = !third.is_finished();
    let _server = accept(&listener).await;
    (waits, third.await.unwrap().is_ok())
}

pub(crate) async fn a_client_that_waits_is_refused_when_the_listener_goes() -> (bool, io::ErrorKind) {
    let listener = listening_for_two();
    let at = address(&listener);
    let _queued = [connect(&listener).await, connect(&listener).await];
    let third = tokio::spawn(TcpStream::connect(at));
    sleep(ms(50)).await;
    let waits = !third.is_finished();
    drop(listener);
    (waits, kind(&third.await.unwrap().unwrap_err()))
}

pub(crate) async fn a_client_that_gave_up_waiting_is_never_accepted() -> (bool, bool) {
    let listener = listening_for_two();
    let _queued = [connect(&listener).await, connect(&listener).await];
    let gave_up = timeout(ms(50), TcpStream::connect(address(&listener))).await.is_err();
    let _servers = [accept(&listener).await, accept(&listener).await];
    (gave_up, nobody_comes(&listener).await)
}

pub(crate) async fn clients_that_left_keep_their_places_in_the_queue() -> (bool, bool) {
    let listener = listening_for_two();
    drop([connect(&listener).await, connect(&listener).await]);
    let waits = timeout(ms(50), TcpStream::connect(address(&listener))).await.is_err();
    let _servers = [accept(&listener).await, accept(&listener).await];
    (waits, TcpStream::connect(address(&listener)).await.is_ok())
}

pub(crate) async fn data_sent_before_accept_is_read_after_it() -> Read {
    let listener = listening().await;
    let mut client = connect(&listener).await;
    client.write_all(b"early").await.unwrap();
    read(&mut accept(&listener).await).await
}

pub(crate) async fn a_client_that_left_before_accept_is_accepted() -> (bool, [Read; 2]) {
    let listener = listening().await;
    let mut client = connect(&listener).await;
    let near = client.local_addr().unwrap();
    client.write_all(b"early").await.unwrap();
    drop(client);
    let (mut server, from) = listener.accept().await.unwrap();
    (from == near, [read(&mut server).await, read(&mut server).await])
}

pub(crate) async fn a_client_that_was_reset_before_accept_is_accepted() -> (bool, [Read; 3]) {
    let listener = listening().await;
    let mut client = connect(&listener).await;
    let near = client.local_addr().unwrap();
    client.write_all(b"early").await.unwrap();
    client.set_zero_linger().unwrap();
    drop(client);
    let (mut server, from) = listener.accept().await.unwrap();
    (from == near, [read(&mut server).await, read(&mut server).await, read(&mut server).await])
}

pub(crate) async fn a_dropped_listener_resets_who_is_in_its_queue() -> [Read; 2] {
    let listener = listening().await;
    let mut client = connect(&listener).await;
    client.write_all(b"unread").await.unwrap();
    drop(listener);
    [read(&mut client).await, read(&mut client).await]
}

pub(crate) async fn a_dropped_listener_resets_a_client_that_had_shut_down() -> [Read; 2] {
    let listener = listening().await;
    let mut client = connect(&listener).await;
    client.shutdown().await.unwrap();
    drop(listener);
    [read(&mut client).await, read(&mut client).await]
}

pub(crate) async fn an_accepted_connection_outlives_its_listener() -> Read {
    let (mut client, mut server) = connected().await;
    server.write_all(b"alive").await.unwrap();
    read(&mut client).await
}

pub(crate) async fn a_dropped_accept_loses_nobody() -> (bool, Read) {
    let listener = listening().await;
    let nobody = nobody_comes(&listener).await;
    let mut client = connect(&listener).await;
    client.write_all(b"here").await.unwrap();
    (nobody, read(&mut accept(&listener).await).await)
}

pub(crate) async fn accept_can_be_polled() -> (bool, bool) {
    let listener = listening().await;
    let client = connect(&listener).await;
    let (server, from) = poll_fn(|cx| listener.poll_accept(cx)).await.unwrap();
    (server.peer_addr().unwrap() == from, from == client.local_addr().unwrap())
}

pub(crate) async fn two_tasks_accept_at_one_listener() -> bool {
    let listener = Arc::new(listening().await);
    let servers = [0, 1].map(|_| {
        let listener = Arc::clone(&listener);
        tokio::spawn(async move { listener.accept().await.unwrap().1 })
    });
    let mut clients = Vec::new();
    for _ in 0..2 {
        clients.push(connect(&listener).await.local_addr().unwrap());
    }
    let mut accepted = Vec::new();
    for server in servers {
        accepted.push(server.await.unwrap());
    }
    accepted.sort();
    clients.sort();
    accepted == clients
}

pub(crate) async fn two_clients_at_once_are_accepted_in_some_order() -> String {
    let listener = listening().await;
    let at = address(&listener);
    for name in ["1", "2"] {
        tokio::spawn(async move {
            let mut client = TcpStream::connect(at).await.unwrap();
            client.write_all(name.as_bytes()).await.unwrap();
        });
    }
    let (mut first, mut second) = (accept(&listener).await, accept(&listener).await);
    read_all(&mut first).await + &read_all(&mut second).await
}

pub(crate) async fn connecting_may_come_before_listening() -> Result<(), io::ErrorKind> {
    let socket = bound();
    let at = socket.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let listener = socket.listen(8).unwrap();
        timeout(ms(50), listener.accept()).await.is_ok()
    });
    let connected = told(TcpStream::connect(at).await);
    server.await.unwrap();
    connected
}

pub(crate) async fn a_client_that_gave_up_at_once_was_connected_all_the_same() -> Option<Read> {
    let listener = listening().await;
    let gave_up = at_once(TcpStream::connect(address(&listener))).await;
    let server = timeout(ms(50), listener.accept()).await;
    drop(gave_up);
    match server {
        Ok(accepted) => Some(read(&mut accepted.unwrap().0).await),
        Err(_) => None,
    }
}

pub(crate) async fn the_addresses_of_a_host_are_tried_in_turn() -> (bool, Trouble) {
    let (silent, listener) = (bound(), listening().await);
    let [refuses, answers] = [silent.local_addr().unwrap(), address(&listener)];
    let client = TcpStream::connect(&[refuses, answers][..]).await.unwrap();
    let refused = TcpStream::connect(&[refuses, refuses][..]).await.unwrap_err();
    (client.peer_addr().unwrap() == answers, trouble(&refused))
}

pub(crate) async fn of_several_errors_the_last_is_told() -> io::ErrorKind {
    let silent = bound();
    let broadcast = SocketAddr::from((Ipv4Addr::BROADCAST, 9));
    kind(&TcpStream::connect(&[broadcast, silent.local_addr().unwrap()][..]).await.unwrap_err())
}

pub(crate) async fn nobody_can_connect_to_all() -> io::ErrorKind {
    kind(&TcpStream::connect((Ipv4Addr::BROADCAST, 9)).await.unwrap_err())
}

pub(crate) async fn an_address_that_is_none_is_an_invalid_input() -> [(io::ErrorKind, String); 2] {
    let told = |error: io::Error| (kind(&error), error.to_string());
    [
        told(TcpListener::bind("no-port").await.unwrap_err()),
        told(TcpStream::connect("127.0.0.1:99999").await.unwrap_err()),
    ]
}

pub(crate) async fn no_address_at_all_is_an_invalid_input() -> [(io::ErrorKind, String); 2] {
    let told = |error: io::Error| (kind(&error), error.to_string());
    let none: &[SocketAddr] = &[];
    [told(TcpStream::connect(none).await.unwrap_err()), told(TcpListener::bind(none).await.unwrap_err())]
}

pub(crate) async fn a_listener_takes_the_first_address_that_is_free() -> bool {
    let first = listening().await;
    let other = SocketAddr::from(([127, 0, 0, 2], address(&first).port()));
    let second = TcpListener::bind(&[address(&first), other][..]).await.unwrap();
    address(&second) == other
}

pub(crate) async fn the_unspecified_destination_is_loopback() -> [bool; 2] {
    let listener = listening().await;
    let client = TcpStream::connect(on_wildcard(address(&listener).port())).await.unwrap();
    [client.peer_addr().unwrap() == address(&listener), client.local_addr().unwrap().ip() == Ipv4Addr::LOCALHOST]
}

pub(crate) async fn a_listener_on_all_addresses_accepts_on_each() -> Vec<(IpAddr, IpAddr)> {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let mut seen = Vec::new();
    for ip in [[127, 0, 0, 1], [127, 0, 0, 2]] {
        let _client = TcpStream::connect((Ipv4Addr::from(ip), address(&listener).port())).await.unwrap();
        let (server, from) = listener.accept().await.unwrap();
        seen.push((server.local_addr().unwrap().ip(), from.ip()));
    }
    seen
}

pub(crate) async fn a_listener_on_one_address_refuses_at_the_others() -> io::ErrorKind {
    let listener = listening().await;
    let other = SocketAddr::from(([127, 0, 0, 2], address(&listener).port()));
    kind(&TcpStream::connect(other).await.unwrap_err())
}

pub(crate) async fn localhost_is_the_process_itself() -> bool {
    let listener = listening().await;
    let client = TcpStream::connect(("localhost", address(&listener).port())).await.unwrap();
    client.peer_addr().unwrap() == address(&listener)
}

pub(crate) async fn nobody_listens_at_port_zero() -> Trouble {
    trouble(&TcpStream::connect(on_loopback(0)).await.unwrap_err())
}

// `None` where the machine has no IPv6.
pub(crate) async fn version_6_of_ip_has_a_loopback_of_its_own() -> Option<(bool, io::ErrorKind, String)> {
    let listener = TcpListener::bind("[::1]:0").await.ok()?;
    let port = address(&listener).port();
    let mut client = TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await.unwrap();
    client.write_all(b"six").await.unwrap();
    drop(client);
    let (mut server, from) = listener.accept().await.unwrap();
    let four = TcpStream::connect(on_loopback(port)).await.unwrap_err();
    Some((from.is_ipv6(), kind(&four), read_all(&mut server).await))
}

pub(crate) async fn a_listener_on_version_6_accepts_version_4_too() -> Option<(bool, io::ErrorKind)> {
    let listener = TcpListener::bind("[::]:0").await.ok()?;
    let port = address(&listener).port();
    let four = TcpStream::connect(on_loopback(port)).await;
    let taken = TcpListener::bind(on_wildcard(port)).await.err();
    Some((four.is_ok(), taken.map_or(io::ErrorKind::Other, |error| kind(&error))))
}

pub(crate) async fn an_address_of_version_6_is_refused_by_a_socket_of_4() -> [Trouble; 2] {
    let socket = || TcpSocket::new_v4().unwrap();
    let six = SocketAddr::from((Ipv6Addr::LOCALHOST, 9));
    [trouble(&socket().bind(six).unwrap_err()), trouble(&socket().connect(six).await.unwrap_err())]
}

pub(crate) async fn an_address_of_version_4_is_refused_by_a_socket_of_6() -> Option<[Trouble; 2]> {
    let four = on_loopback(9);
    let bound = TcpSocket::new_v6().ok()?.bind(four).unwrap_err();
    let connected = TcpSocket::new_v6().ok()?.connect(four).await.unwrap_err();
    Some([trouble(&bound), trouble(&connected)])
}
