//! Ports and options.

use super::{
    Read, Trouble, accept, address, bound, connect, connected, kind, listening, on_loopback, on_wildcard, read,
    read_all, tokio, told, trouble,
};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use tokio::time::Duration;

pub(crate) async fn a_taken_port_is_an_address_in_use() -> [Result<(), io::ErrorKind>; 4] {
    let first = listening().await;
    let port = address(&first).port();
    let again = |ip: [u8; 4]| async move { told(TcpListener::bind((Ipv4Addr::from(ip), port)).await) };
    let taken = [again([127, 0, 0, 1]).await, again([0, 0, 0, 0]).await, again([127, 0, 0, 2]).await];
    drop(first);
    [taken[0], taken[1], taken[2], again([127, 0, 0, 1]).await]
}

pub(crate) async fn a_port_taken_on_all_addresses_is_taken_on_each() -> io::ErrorKind {
    let all = TcpListener::bind("0.0.0.0:0").await.unwrap();
    kind(&TcpListener::bind(on_loopback(address(&all).port())).await.unwrap_err())
}

pub(crate) async fn the_errors_of_bind_have_the_numbers_of_the_os() -> [Trouble; 2] {
    let first = listening().await;
    let in_use = TcpListener::bind(address(&first)).await.unwrap_err();
    let not_mine = TcpListener::bind("192.0.2.1:0").await.unwrap_err();
    [trouble(&in_use), trouble(&not_mine)]
}

pub(crate) async fn ephemeral_ports_differ() -> bool {
    let listeners = [listening().await, listening().await, listening().await];
    let [a, b, c] = listeners.each_ref().map(|listener| address(listener).port());
    a != 0 && a != b && b != c && a != c
}

pub(crate) async fn tcp_and_udp_have_ports_of_their_own() -> bool {
    let listener = listening().await;
    UdpSocket::bind(address(&listener)).await.is_ok()
}

pub(crate) async fn a_port_is_shared_only_if_both_sockets_allow_it() -> [Result<(), io::ErrorKind>; 4] {
    [(false, false), (false, true), (true, false), (true, true)].map(|(first, second)| {
        let [a, b] = [first, second].map(|reuse| {
            let socket = TcpSocket::new_v4().unwrap();
            socket.set_reuseaddr(reuse).unwrap();
            socket
        });
        a.bind(on_loopback(0)).unwrap();
        told(b.bind(a.local_addr().unwrap()))
    })
}

pub(crate) async fn of_two_sockets_that_share_a_port_one_can_listen() -> (bool, Trouble) {
    let [a, b] = [TcpSocket::new_v4().unwrap(), TcpSocket::new_v4().unwrap()];
    a.set_reuseaddr(true).unwrap();
    b.set_reuseaddr(true).unwrap();
    a.bind(on_loopback(0)).unwrap();
    b.bind(a.local_addr().unwrap()).unwrap();
    let listener = a.listen(8);
    (listener.is_ok(), trouble(&b.listen(8).unwrap_err()))
}

pub(crate) async fn a_listeners_port_can_not_be_shared() -> [Result<(), io::ErrorKind>; 2] {
    let listener = listening().await;
    [false, true].map(|reuse| {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(reuse).unwrap();
        told(socket.bind(address(&listener)))
    })
}

pub(crate) async fn listeners_that_allow_it_share_a_port() -> [Result<(), io::ErrorKind>; 2] {
    let [a, b, c] = [true, true, false].map(|reuse| {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseport(reuse).unwrap();
        socket
    });
    a.bind(on_loopback(0)).unwrap();
    let first = a.listen(8).unwrap();
    let second = b.bind(address(&first)).and_then(|()| b.listen(8));
    [told(second), told(c.bind(address(&first)))]
}

pub(crate) async fn a_listener_can_be_bound_anew_while_its_connections_live() -> (Result<(), io::ErrorKind>, String) {
    let listener = listening().await;
    let at = address(&listener);
    let mut client = connect(&listener).await;
    let mut server = accept(&listener).await;
    drop(listener);
    let again = told(TcpListener::bind(at).await);
    client.write_all(b"alive").await.unwrap();
    drop(client);
    (again, read_all(&mut server).await)
}

pub(crate) async fn a_connection_holds_its_port_against_those_that_do_not_share() -> [Result<(), io::ErrorKind>; 2] {
    let (_client, server) = connected().await;
    [false, true].map(|reuse| {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(reuse).unwrap();
        told(socket.bind(server.local_addr().unwrap()))
    })
}

pub(crate) async fn who_closes_first_holds_the_port_for_a_while() -> Result<(), io::ErrorKind> {
    let (mut client, server) = connected().await;
    let at = server.local_addr().unwrap();
    drop(server);
    read(&mut client).await.unwrap();
    drop(client);
    told(TcpSocket::new_v4().unwrap().bind(at))
}

pub(crate) async fn a_socket_is_bound_once() -> Trouble {
    let socket = bound();
    trouble(&socket.bind(on_loopback(0)).unwrap_err())
}

pub(crate) async fn listening_without_an_address_is_listening_on_all() -> [bool; 2] {
    let listener = TcpSocket::new_v4().unwrap().listen(8).unwrap();
    let at = address(&listener);
    [at.ip().is_unspecified() && at.port() != 0, TcpStream::connect(at).await.is_ok()]
}

pub(crate) async fn a_bound_socket_connects_from_its_port() -> [bool; 2] {
    let listener = listening().await;
    let socket = bound();
    let near = socket.local_addr().unwrap();
    let client = socket.connect(address(&listener)).await.unwrap();
    let (_, from) = listener.accept().await.unwrap();
    [client.local_addr().unwrap() == near, from == near]
}

pub(crate) async fn a_socket_on_all_addresses_connects_from_one() -> [bool; 3] {
    let listener = listening().await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(on_wildcard(0)).unwrap();
    let near = socket.local_addr().unwrap();
    let client = socket.connect(address(&listener)).await.unwrap().local_addr().unwrap();
    [near.ip().is_unspecified(), client.ip() == Ipv4Addr::LOCALHOST, client.port() == near.port()]
}

pub(crate) async fn a_socket_connects_from_the_address_that_it_is_bound_to() -> IpAddr {
    let listener = listening().await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, 2], 0))).unwrap();
    let _client = socket.connect(address(&listener)).await.unwrap();
    accept(&listener).await.peer_addr().unwrap().ip()
}

pub(crate) async fn two_connections_differ_in_an_address() -> Trouble {
    let listener = listening().await;
    let [a, b] = [TcpSocket::new_v4().unwrap(), TcpSocket::new_v4().unwrap()];
    a.set_reuseaddr(true).unwrap();
    b.set_reuseaddr(true).unwrap();
    a.bind(on_loopback(0)).unwrap();
    b.bind(a.local_addr().unwrap()).unwrap();
    let _first = a.connect(address(&listener)).await.unwrap();
    trouble(&b.connect(address(&listener)).await.unwrap_err())
}

pub(crate) async fn a_process_can_connect_to_itself() -> [Read; 2] {
    let listener = listening().await;
    let (client, server) = tokio::join!(connect(&listener), accept(&listener));
    let (mut client, mut server) = (client, server);
    client.write_all(b"ping").await.unwrap();
    let ping = read(&mut server).await;
    server.write_all(b"pong").await.unwrap();
    [ping, read(&mut client).await]
}

pub(crate) async fn a_socket_can_connect_to_itself() -> Result<(bool, Read), io::ErrorKind> {
    let socket = bound();
    let at = socket.local_addr().unwrap();
    let mut stream = socket.connect(at).await.map_err(|error| kind(&error))?;
    stream.write_all(b"self").await.unwrap();
    Ok((stream.peer_addr().unwrap() == at, read(&mut stream).await))
}

pub(crate) async fn options_of_a_stream_are_remembered() -> ([bool; 2], [Option<Duration>; 2]) {
    let (client, _server) = connected().await;
    let before = (client.nodelay().unwrap(), client.linger().unwrap());
    client.set_nodelay(true).unwrap();
    client.set_zero_linger().unwrap();
    ([before.0, client.nodelay().unwrap()], [before.1, client.linger().unwrap()])
}

pub(crate) async fn quick_acknowledgement_is_remembered() -> [bool; 3] {
    let (client, _server) = connected().await;
    let before = client.quickack().unwrap();
    client.set_quickack(false).unwrap();
    let off = client.quickack().unwrap();
    client.set_quickack(true).unwrap();
    [before, off, client.quickack().unwrap()]
}

pub(crate) async fn the_type_of_service_is_remembered() -> [u32; 2] {
    let socket = TcpSocket::new_v4().unwrap();
    let before = socket.tos_v4().unwrap();
    socket.set_tos_v4(0x113).unwrap();
    [before, socket.tos_v4().unwrap()]
}

pub(crate) async fn the_ttl_is_remembered() -> [[u32; 2]; 2] {
    let listener = listening().await;
    let client = connect(&listener).await;
    let before = [listener.ttl().unwrap(), client.ttl().unwrap()];
    listener.set_ttl(7).unwrap();
    client.set_ttl(8).unwrap();
    [before, [listener.ttl().unwrap(), client.ttl().unwrap()]]
}

pub(crate) async fn options_of_a_socket_are_remembered() -> ([[bool; 4]; 2], [Option<Duration>; 2]) {
    let socket = TcpSocket::new_v4().unwrap();
    let switches = || {
        let pair = [socket.reuseaddr().unwrap(), socket.reuseport().unwrap()];
        [pair[0], pair[1], socket.keepalive().unwrap(), socket.nodelay().unwrap()]
    };
    let before = (switches(), socket.linger().unwrap());
    socket.set_reuseaddr(true).unwrap();
    socket.set_reuseport(true).unwrap();
    socket.set_keepalive(true).unwrap();
    socket.set_nodelay(true).unwrap();
    socket.set_zero_linger().unwrap();
    ([before.0, switches()], [before.1, socket.linger().unwrap()])
}

pub(crate) async fn a_buffer_is_twice_as_large_as_was_asked_for() -> [u32; 2] {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_send_buffer_size(20_000).unwrap();
    socket.set_recv_buffer_size(30_000).unwrap();
    [socket.send_buffer_size().unwrap(), socket.recv_buffer_size().unwrap()]
}

pub(crate) async fn a_connection_takes_the_options_of_its_socket() -> [(bool, Option<Duration>); 2] {
    let [server, client] = [bound(), bound()];
    for socket in [&server, &client] {
        socket.set_nodelay(true).unwrap();
        socket.set_zero_linger().unwrap();
    }
    let listener = server.listen(8).unwrap();
    let client = client.connect(address(&listener)).await.unwrap();
    let server = accept(&listener).await;
    [client, server].map(|stream| (stream.nodelay().unwrap(), stream.linger().unwrap()))
}

/// A listener that was bound by std, with what crates do to it before they hand it to tokio.
pub(crate) async fn a_listener_of_std_accepts_as_one_of_tokio() -> (bool, bool, String) {
    let bound = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = bound.local_addr().unwrap();
    bound.set_nonblocking(true).unwrap();
    let listener = TcpListener::from_std(bound).unwrap();
    let same = listener.local_addr().unwrap() == address;
    let mut client = TcpStream::connect(address).await.unwrap();
    let (mut server, from) = listener.accept().await.unwrap();
    client.write_all(b"hello").await.unwrap();
    drop(client);
    let mut text = String::new();
    server.read_to_string(&mut text).await.unwrap();
    (address.port() != 0 && same, from.ip() == address.ip(), text)
}

pub(crate) async fn a_listener_of_std_has_its_port_until_it_is_dropped() -> Vec<Result<(), Trouble>> {
    let told = |bound: io::Result<std::net::TcpListener>| bound.map(drop).map_err(|error| trouble(&error));
    let first = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = first.local_addr().unwrap();
    let taken = [std::net::TcpListener::bind(address), std::net::TcpListener::bind("203.0.113.9:0")].map(told);
    drop(first);
    let free = TcpListener::bind(address).await.map(drop).map_err(|error| trouble(&error));
    let by_std = told(std::net::TcpListener::bind(address));
    taken.into_iter().chain([free, by_std]).collect()
}
