//! UDP on the loopback interface. An output says what was observed, without port numbers.

use super::tokio;
use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::io::ReadBuf;
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

/// The kind of an error and the number that the OS gives it.
type Trouble = (io::ErrorKind, Option<i32>);

fn trouble(error: &io::Error) -> Trouble {
    (error.kind(), error.raw_os_error())
}

fn kind(error: &io::Error) -> io::ErrorKind {
    error.kind()
}

async fn loopback() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").await.unwrap()
}

fn address(socket: &UdpSocket) -> SocketAddr {
    socket.local_addr().unwrap()
}

fn on_wildcard(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))
}

async fn received(socket: &UdpSocket) -> Vec<u8> {
    let mut buffer = [0; 64];
    let length = socket.recv(&mut buffer).await.unwrap();
    buffer[..length].to_vec()
}

/// Nothing comes within a time that is long for the loopback interface.
async fn nothing_comes(socket: &UdpSocket) -> bool {
    timeout(Duration::from_millis(50), received(socket)).await.is_err()
}

pub(crate) async fn a_taken_port_is_an_address_in_use() -> [Result<(), io::ErrorKind>; 4] {
    let first = loopback().await;
    let port = address(&first).port();
    let again = |ip: [u8; 4]| async move {
        UdpSocket::bind((Ipv4Addr::from(ip), port)).await.map(|_| ()).map_err(|error| kind(&error))
    };
    let ips = [[127, 0, 0, 1], [0, 0, 0, 0], [127, 0, 0, 2]];
    let [same, wildcard, other] = ips.map(again);
    let taken = [same.await, wildcard.await, other.await];
    drop(first);
    [taken[0], taken[1], taken[2], again([127, 0, 0, 1]).await]
}

pub(crate) async fn the_errors_of_bind_have_the_numbers_of_the_os() -> [Trouble; 2] {
    let first = loopback().await;
    let in_use = UdpSocket::bind(address(&first)).await.unwrap_err();
    let not_mine = UdpSocket::bind("192.0.2.1:0").await.unwrap_err();
    [trouble(&in_use), trouble(&not_mine)]
}

pub(crate) async fn a_foreign_address_can_not_be_bound() -> io::ErrorKind {
    kind(&UdpSocket::bind("192.0.2.1:0").await.unwrap_err())
}

pub(crate) async fn ephemeral_ports_differ() -> bool {
    let sockets = [loopback().await, loopback().await, loopback().await];
    let [a, b, c] = sockets.each_ref().map(|socket| address(socket).port());
    a != 0 && a != b && b != c && a != c
}

pub(crate) async fn localhost_is_the_process_itself() -> (bool, Vec<bool>) {
    let socket = UdpSocket::bind("localhost:0").await.unwrap();
    let looked_up = tokio::net::lookup_host(("127.0.0.1", 80)).await.unwrap();
    let expected = SocketAddr::from((Ipv4Addr::LOCALHOST, 80));
    (address(&socket).ip().is_loopback(), looked_up.map(|found| found == expected).collect())
}

pub(crate) async fn an_address_that_is_none_is_an_invalid_input() -> [(io::ErrorKind, String); 2] {
    let told = |error: io::Error| (kind(&error), error.to_string());
    let socket = loopback().await;
    [
        told(UdpSocket::bind("no-port").await.unwrap_err()),
        told(socket.send_to(b"x", "127.0.0.1:99999").await.unwrap_err()),
    ]
}

pub(crate) async fn a_datagram_arrives_with_the_address_of_its_sender() -> (usize, usize, Vec<u8>, bool) {
    let (a, b) = (loopback().await, loopback().await);
    let sent = a.send_to(b"hello", address(&b)).await.unwrap();
    let mut buffer = [0; 8];
    let (length, from) = b.recv_from(&mut buffer).await.unwrap();
    (sent, length, buffer[..length].to_vec(), from == address(&a))
}

pub(crate) async fn a_socket_on_all_addresses_sends_from_loopback_to_loopback() -> [bool; 3] {
    let all = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let receiver = loopback().await;
    all.send_to(b"x", address(&receiver)).await.unwrap();
    let (_, from) = receiver.recv_from(&mut [0; 8]).await.unwrap();
    let bound = address(&all);
    [bound.ip().is_unspecified(), from.ip() == Ipv4Addr::LOCALHOST, from.port() == bound.port()]
}

pub(crate) async fn a_socket_on_all_addresses_has_one_source_on_loopback() -> std::net::IpAddr {
    let all = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let receiver = UdpSocket::bind("127.0.0.2:0").await.unwrap();
    all.send_to(b"x", address(&receiver)).await.unwrap();
    receiver.recv_from(&mut [0; 8]).await.unwrap().1.ip()
}

pub(crate) async fn datagrams_of_one_sender_arrive_in_order() -> Vec<u8> {
    let (a, b) = (loopback().await, loopback().await);
    for datagram in [b"1", b"2", b"3"] {
        a.send_to(datagram, address(&b)).await.unwrap();
    }
    [received(&b).await, received(&b).await, received(&b).await].concat()
}

pub(crate) async fn datagrams_of_two_senders_arrive_in_some_order() -> Vec<u8> {
    let (a, b, receiver) = (loopback().await, loopback().await, loopback().await);
    a.send_to(b"a", address(&receiver)).await.unwrap();
    b.send_to(b"b", address(&receiver)).await.unwrap();
    [received(&receiver).await, received(&receiver).await].concat()
}

pub(crate) async fn a_datagram_longer_than_the_buffer_is_cut_off() -> (usize, [u8; 4], Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(b"truncated", address(&b)).await.unwrap();
    a.send_to(b"next", address(&b)).await.unwrap();
    let mut buffer = [0; 4];
    let length = b.recv(&mut buffer).await.unwrap();
    (length, buffer, received(&b).await)
}

pub(crate) async fn an_empty_datagram_is_a_datagram() -> (usize, Vec<u8>, Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    let sent = a.send_to(b"", address(&b)).await.unwrap();
    a.send_to(b"next", address(&b)).await.unwrap();
    (sent, received(&b).await, received(&b).await)
}

pub(crate) async fn an_empty_buffer_takes_a_datagram() -> (usize, Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(b"lost", address(&b)).await.unwrap();
    a.send_to(b"next", address(&b)).await.unwrap();
    let taken = b.recv(&mut []).await.unwrap();
    (taken, received(&b).await)
}

pub(crate) async fn a_datagram_has_at_most_65507_bytes() -> (usize, usize, Trouble) {
    let (a, b) = (loopback().await, loopback().await);
    let sent = a.send_to(&[7; 65_507], address(&b)).await.unwrap();
    let mut buffer = vec![0; 70_000];
    let length = b.recv(&mut buffer).await.unwrap();
    (sent, length, trouble(&a.send_to(&[7; 65_508], address(&b)).await.unwrap_err()))
}

pub(crate) async fn send_without_connect_has_no_destination() -> (Trouble, Trouble) {
    let socket = loopback().await;
    let peer = trouble(&socket.peer_addr().unwrap_err());
    (trouble(&socket.send(b"x").await.unwrap_err()), peer)
}

pub(crate) async fn a_destination_of_the_other_family_is_refused() -> [Trouble; 2] {
    let socket = loopback().await;
    let sent = socket.send_to(b"x", "[::1]:9").await.unwrap_err();
    [trouble(&sent), trouble(&socket.connect("[::1]:9").await.unwrap_err())]
}

pub(crate) async fn nothing_can_be_sent_to_port_zero() -> Result<usize, Trouble> {
    loopback().await.send_to(b"x", "127.0.0.1:0").await.map_err(|error| trouble(&error))
}

pub(crate) async fn a_broadcast_needs_permission() -> Result<usize, Trouble> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"x", "255.255.255.255:9").await.map_err(|error| trouble(&error))
}

pub(crate) async fn the_permission_to_broadcast_is_remembered() -> [bool; 3] {
    let socket = loopback().await;
    let before = socket.broadcast().unwrap();
    socket.set_broadcast(true).unwrap();
    let on = socket.broadcast().unwrap();
    socket.set_broadcast(false).unwrap();
    [before, on, socket.broadcast().unwrap()]
}

pub(crate) async fn options_of_a_socket_are_remembered() -> ([[u32; 3]; 2], [bool; 2], [bool; 2], bool) {
    let socket = loopback().await;
    let numbers = || [socket.ttl().unwrap(), socket.multicast_ttl_v4().unwrap(), socket.tos_v4().unwrap()];
    let before = (numbers(), socket.multicast_loop_v4().unwrap());
    socket.set_ttl(7).unwrap();
    socket.set_multicast_ttl_v4(8).unwrap();
    socket.set_tos_v4(0x110).unwrap();
    socket.set_multicast_loop_v4(false).unwrap();
    let refused = [socket.set_ttl(0), socket.set_multicast_ttl_v4(256)];
    let refused = refused.map(|set| set.unwrap_err().kind() == std::io::ErrorKind::InvalidInput);
    let loops = [before.1, socket.multicast_loop_v4().unwrap()];
    ([before.0, numbers()], loops, refused, socket.take_error().unwrap().is_none())
}

pub(crate) async fn a_connected_socket_ignores_datagrams_of_others() -> (Vec<u8>, bool) {
    let (socket, peer, other) = (loopback().await, loopback().await, loopback().await);
    socket.connect(address(&peer)).await.unwrap();
    other.send_to(b"other", address(&socket)).await.unwrap();
    peer.send_to(b"peer", address(&socket)).await.unwrap();
    (received(&socket).await, nothing_comes(&socket).await)
}

pub(crate) async fn what_came_before_connect_is_still_received() -> [Vec<u8>; 2] {
    let (socket, peer, other) = (loopback().await, loopback().await, loopback().await);
    other.send_to(b"before", address(&socket)).await.unwrap();
    let mut buffer = [0; 16];
    let peeked = socket.peek(&mut buffer).await.unwrap();
    socket.connect(address(&peer)).await.unwrap();
    [buffer[..peeked].to_vec(), received(&socket).await]
}

pub(crate) async fn a_connected_socket_can_be_connected_anew() -> (bool, Vec<u8>) {
    let (socket, first, second) = (loopback().await, loopback().await, loopback().await);
    socket.connect(address(&first)).await.unwrap();
    socket.connect(address(&second)).await.unwrap();
    first.send_to(b"first", address(&socket)).await.unwrap();
    second.send_to(b"second", address(&socket)).await.unwrap();
    (socket.peer_addr().unwrap() == address(&second), received(&socket).await)
}

pub(crate) async fn a_connected_socket_can_send_to_others() -> [Vec<u8>; 2] {
    let (socket, peer, other) = (loopback().await, loopback().await, loopback().await);
    socket.connect(address(&peer)).await.unwrap();
    socket.send_to(b"other", address(&other)).await.unwrap();
    socket.send(b"peer").await.unwrap();
    [received(&other).await, received(&peer).await]
}

pub(crate) async fn connect_chooses_the_local_address() -> [bool; 4] {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let peer = loopback().await;
    let before = address(&socket);
    socket.connect(address(&peer)).await.unwrap();
    let after = address(&socket);
    [
        before.ip().is_unspecified(),
        after.ip() == Ipv4Addr::LOCALHOST,
        after.port() == before.port(),
        socket.peer_addr().unwrap() == address(&peer),
    ]
}

pub(crate) async fn two_connected_sockets_talk() -> [Vec<u8>; 2] {
    let (a, b) = (loopback().await, loopback().await);
    a.connect(address(&b)).await.unwrap();
    b.connect(address(&a)).await.unwrap();
    a.send(b"ping").await.unwrap();
    let ping = received(&b).await;
    b.send(b"pong").await.unwrap();
    [ping, received(&a).await]
}

pub(crate) async fn a_socket_can_send_to_itself() -> Vec<u8> {
    let socket = loopback().await;
    socket.send_to(b"self", address(&socket)).await.unwrap();
    received(&socket).await
}

pub(crate) async fn the_unspecified_destination_is_loopback() -> (Vec<u8>, bool, Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    let wildcard = on_wildcard(address(&b).port());
    a.send_to(b"to", wildcard).await.unwrap();
    let to = received(&b).await;
    a.connect(wildcard).await.unwrap();
    let peer = a.peer_addr().unwrap();
    a.send(b"connected").await.unwrap();
    (to, peer == address(&b), received(&b).await)
}

pub(crate) async fn a_datagram_to_an_unbound_port_is_dropped() -> (usize, usize, bool) {
    let (a, b) = (loopback().await, loopback().await);
    let nobody = address(&b);
    drop(b);
    let first = a.send_to(b"first", nobody).await.unwrap();
    let second = a.send_to(b"second", nobody).await.unwrap();
    (first, second, nothing_comes(&a).await)
}

pub(crate) async fn a_connected_peer_that_is_gone_refuses() -> [Result<usize, io::ErrorKind>; 2] {
    let (a, b) = (loopback().await, loopback().await);
    a.connect(address(&b)).await.unwrap();
    drop(b);
    let first = a.send(b"first").await.map_err(|error| kind(&error));
    let next = timeout(Duration::from_millis(50), a.recv(&mut [0; 8])).await;
    let next = next.unwrap_or(Ok(0)).map_err(|error| kind(&error));
    [first, next]
}

pub(crate) async fn closing_frees_the_port_and_its_datagrams() -> (bool, bool) {
    let (a, b) = (loopback().await, loopback().await);
    let at = address(&b);
    a.send_to(b"old", at).await.unwrap();
    drop(b);
    let again = UdpSocket::bind(at).await.unwrap();
    (address(&again) == at, nothing_comes(&again).await)
}

pub(crate) async fn a_peeked_datagram_is_received_next() -> (Vec<u8>, [bool; 2], Vec<u8>, Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(b"first", address(&b)).await.unwrap();
    a.send_to(b"second", address(&b)).await.unwrap();
    let mut buffer = [0; 16];
    let (length, from) = b.peek_from(&mut buffer).await.unwrap();
    let sender = b.peek_sender().await.unwrap();
    let same = [from == address(&a), sender == address(&a)];
    (buffer[..length].to_vec(), same, received(&b).await, received(&b).await)
}

pub(crate) async fn peek_cuts_off_and_keeps_the_whole() -> (usize, Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(b"whole", address(&b)).await.unwrap();
    (b.peek(&mut [0; 2]).await.unwrap(), received(&b).await)
}

pub(crate) async fn try_recv_would_block_when_nothing_was_sent() -> [io::ErrorKind; 3] {
    let socket = loopback().await;
    let mut buffer = [0; 8];
    [
        kind(&socket.try_recv(&mut buffer).unwrap_err()),
        kind(&socket.try_recv_from(&mut buffer).unwrap_err()),
        kind(&socket.try_peek_from(&mut buffer).unwrap_err()),
    ]
}

pub(crate) async fn try_peek_leaves_the_datagram() -> (io::ErrorKind, usize, [u8; 2], Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    let mut buffer = [0; 2];
    let nothing = kind(&b.try_peek(&mut buffer).unwrap_err());
    a.send_to(b"whole", address(&b)).await.unwrap();
    b.readable().await.unwrap();
    let length = b.try_peek(&mut buffer).unwrap();
    (nothing, length, buffer, received(&b).await)
}

pub(crate) async fn what_is_there_can_be_appended_at_once() -> ([io::ErrorKind; 3], bool, Vec<u8>, bool) {
    let (a, b) = (loopback().await, loopback().await);
    let mut buffer = Vec::with_capacity(16);
    let nothing = [
        kind(&b.try_recv_buf(&mut buffer).unwrap_err()),
        kind(&b.try_recv_buf_from(&mut buffer).unwrap_err()),
        kind(&b.try_peek_sender().unwrap_err()),
    ];
    a.send_to(b"one ", address(&b)).await.unwrap();
    b.readable().await.unwrap();
    let sender = b.try_peek_sender().unwrap() == address(&a);
    let first = b.try_recv_buf(&mut buffer).unwrap();
    a.send_to(b"other", address(&b)).await.unwrap();
    b.readable().await.unwrap();
    let (second, from) = b.try_recv_buf_from(&mut buffer).unwrap();
    (nothing, sender, buffer, (first, second) == (4, 5) && from == address(&a))
}

pub(crate) async fn try_recv_may_get_what_was_sent() -> Result<usize, io::ErrorKind> {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(b"x", address(&b)).await.unwrap();
    b.try_recv(&mut [0; 8]).map_err(|error| kind(&error))
}

pub(crate) async fn a_readable_socket_has_a_datagram() -> usize {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(b"ready", address(&b)).await.unwrap();
    b.readable().await.unwrap();
    b.try_recv(&mut [0; 8]).unwrap()
}

pub(crate) async fn a_writable_socket_takes_datagrams() -> (usize, usize, Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    a.connect(address(&b)).await.unwrap();
    a.writable().await.unwrap();
    let sent = (a.try_send(b"1").unwrap(), a.try_send_to(b"2", address(&b)).unwrap());
    (sent.0, sent.1, [received(&b).await, received(&b).await].concat())
}

pub(crate) async fn sockets_can_be_polled() -> (usize, Vec<u8>, bool) {
    let (a, b) = (loopback().await, loopback().await);
    poll_fn(|cx| a.poll_send_ready(cx)).await.unwrap();
    let sent = poll_fn(|cx| a.poll_send_to(cx, b"polled", address(&b))).await.unwrap();
    let mut memory = [0; 8];
    let mut buffer = ReadBuf::new(&mut memory);
    let from = poll_fn(|cx| b.poll_recv_from(cx, &mut buffer)).await.unwrap();
    (sent, buffer.filled().to_vec(), from == address(&a))
}

pub(crate) async fn recv_buf_appends() -> (usize, Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(b"more", address(&b)).await.unwrap();
    let mut buffer = Vec::with_capacity(64);
    buffer.extend_from_slice(b"some ");
    (b.recv_buf(&mut buffer).await.unwrap(), buffer)
}

pub(crate) async fn recv_buf_cuts_off_at_the_capacity() -> (usize, usize) {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(&[7; 100], address(&b)).await.unwrap();
    let mut buffer = Vec::new();
    (b.recv_buf(&mut buffer).await.unwrap(), buffer.len())
}

pub(crate) async fn recv_buf_from_tells_the_sender() -> (usize, Vec<u8>, bool) {
    let (a, b) = (loopback().await, loopback().await);
    a.send_to(b"more", address(&b)).await.unwrap();
    let mut buffer = Vec::with_capacity(64);
    buffer.extend_from_slice(b"some ");
    let (length, from) = b.recv_buf_from(&mut buffer).await.unwrap();
    (length, buffer, from == address(&a))
}

pub(crate) async fn a_dropped_receive_loses_nothing() -> (bool, Vec<u8>) {
    let (a, b) = (loopback().await, loopback().await);
    let nothing = nothing_comes(&b).await;
    a.send_to(b"later", address(&b)).await.unwrap();
    (nothing, received(&b).await)
}

pub(crate) async fn two_tasks_share_a_socket() -> Vec<Vec<u8>> {
    let (a, b) = (loopback().await, Arc::new(loopback().await));
    let receivers = [0, 1].map(|_| {
        let b = Arc::clone(&b);
        tokio::spawn(async move { received(&b).await })
    });
    for datagram in [b"1", b"2"] {
        a.send_to(datagram, address(&b)).await.unwrap();
    }
    let mut both = Vec::new();
    for receiver in receivers {
        both.push(receiver.await.unwrap());
    }
    both.sort();
    both
}

// `None` where the machine has no IPv6.
pub(crate) async fn a_socket_of_ip_version_6_reads_its_own_family() -> Option<(bool, Vec<u8>)> {
    let a = UdpSocket::bind("[::1]:0").await.ok()?;
    let b = UdpSocket::bind("[::]:0").await.ok()?;
    let to = SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, address(&b).port()));
    a.send_to(b"six", to).await.unwrap();
    let mut buffer = [0; 8];
    let (length, from) = b.recv_from(&mut buffer).await.unwrap();
    Some((from == address(&a), buffer[..length].to_vec()))
}

pub(crate) async fn all_addresses_of_version_6_are_all_of_version_4_too() -> Option<(io::ErrorKind, bool)> {
    let all = UdpSocket::bind("[::]:0").await.ok()?;
    let port = address(&all).port();
    let taken = UdpSocket::bind(on_wildcard(port)).await.err();
    let four = loopback().await;
    four.send_to(b"four", (Ipv4Addr::LOCALHOST, port)).await.unwrap();
    Some((taken.map_or(io::ErrorKind::Other, |error| kind(&error)), nothing_comes(&all).await))
}

pub(crate) async fn the_debug_text_of_a_socket_names_its_type() -> bool {
    format!("{:?}", loopback().await).contains("UdpSocket")
}

/// Two groups that no other case has: whatever a machine has joined comes to all of its sockets.
fn groups(case: u8) -> [Ipv4Addr; 2] {
    let [.., program, this] = std::process::id().to_be_bytes();
    [2 * case, 2 * case + 1].map(|last| Ipv4Addr::new(239, program, this, last))
}

async fn bound(ip: Ipv4Addr, port: u16) -> UdpSocket {
    UdpSocket::bind((ip, port)).await.unwrap()
}

/// A member of the group at the loopback interface; `None` where the machine has no groups there.
async fn member(group: Ipv4Addr) -> Option<UdpSocket> {
    let socket = bound(Ipv4Addr::UNSPECIFIED, 0).await;
    socket.join_multicast_v4(group, Ipv4Addr::LOCALHOST).ok()?;
    Some(socket)
}

/// A member of the group on the network; `None` where the machine has none.
async fn member_on_the_network(group: Ipv4Addr) -> Option<UdpSocket> {
    let socket = bound(Ipv4Addr::UNSPECIFIED, 0).await;
    socket.join_multicast_v4(group, Ipv4Addr::UNSPECIFIED).ok()?;
    Some(socket)
}

/// Sends to a group and reports whether the datagram comes to the socket.
async fn comes(from: &UdpSocket, group: Ipv4Addr, to: &UdpSocket) -> bool {
    from.send_to(b"g", (group, address(to).port())).await.unwrap();
    !nothing_comes(to).await
}

type Done = Result<(), Trouble>;

fn done(result: io::Result<()>) -> Done {
    result.map_err(|error| trouble(&error))
}

pub(crate) async fn a_group_is_joined_once_and_left_once() -> Option<([Done; 5], [Done; 6])> {
    let [group, other_group] = groups(0);
    let socket = member(group).await?;
    let loopback = Ipv4Addr::LOCALHOST;
    let joined = [
        done(socket.join_multicast_v4(group, loopback)),
        done(socket.join_multicast_v4(other_group, loopback)),
        done(socket.join_multicast_v4(Ipv4Addr::new(10, 0, 0, 9), loopback)),
        done(socket.join_multicast_v4(group, Ipv4Addr::new(203, 0, 113, 9))),
        done(socket.join_multicast_v6(&"ff02::1234".parse().unwrap(), 0)),
    ];
    let left = [
        done(socket.leave_multicast_v4(group, loopback)),
        done(socket.leave_multicast_v4(group, loopback)),
        done(socket.leave_multicast_v4(Ipv4Addr::new(10, 0, 0, 9), loopback)),
        done(socket.leave_multicast_v4(other_group, Ipv4Addr::new(203, 0, 113, 9))),
        done(socket.leave_multicast_v6(&"ff02::1234".parse().unwrap(), 0)),
        done(socket.join_multicast_v4(group, loopback)),
    ];
    Some((joined, left))
}

pub(crate) async fn a_group_of_version_6_is_joined_once_and_left_once() -> Option<[Done; 6]> {
    let socket = UdpSocket::bind("[::1]:0").await.ok()?;
    let group = "ff02::1234".parse().unwrap();
    socket.join_multicast_v6(&group, 1).ok()?;
    Some([
        done(socket.join_multicast_v6(&group, 1)),
        done(socket.join_multicast_v6(&"fd00::1".parse().unwrap(), 1)),
        done(socket.join_multicast_v6(&group, 12_345)),
        done(socket.leave_multicast_v6(&group, 1)),
        done(socket.leave_multicast_v6(&group, 1)),
        done(socket.leave_multicast_v6(&"fd00::1".parse().unwrap(), 1)),
    ])
}

pub(crate) async fn options_of_groups_are_those_of_their_family() -> [Done; 3] {
    let v4 = loopback().await;
    let of_v6 = v4.multicast_loop_v6().map(|_| ());
    [done(of_v6), done(v4.set_multicast_loop_v6(false)), done(v4.set_multicast_loop_v4(false))]
}

/// The source is the address of the sender, and a group that nobody has joined comes to nobody.
pub(crate) async fn a_member_receives_what_is_sent_to_its_group() -> Option<(bool, bool, bool)> {
    let [group, other_group] = groups(1);
    let (member, sender) = (member(group).await?, loopback().await);
    sender.send_to(b"g", (group, address(&member).port())).await.ok()?;
    let (length, from) = member.recv_from(&mut [0; 8]).await.unwrap();
    let other = comes(&sender, other_group, &member).await;
    Some((length == 1, from == address(&sender), other))
}

/// A socket on all addresses receives as a member; one on an address of the host does not; one at the group's address does,
/// and nothing else.
pub(crate) async fn sockets_of_a_member_receive_by_their_addresses() -> Option<[bool; 5]> {
    let [group, _] = groups(2);
    let (_member, sender) = (member(group).await?, loopback().await);
    let on_all = bound(Ipv4Addr::UNSPECIFIED, 0).await;
    let on_one = loopback().await;
    let on_group = bound(group, 0).await;
    let at_group = address(&on_group).ip() == group;
    sender.send_to(b"x", (Ipv4Addr::LOCALHOST, address(&on_group).port())).await.unwrap();
    let other_way = !nothing_comes(&on_group).await;
    Some([
        comes(&sender, group, &on_all).await,
        comes(&sender, group, &on_one).await,
        comes(&sender, group, &on_group).await,
        at_group,
        other_way,
    ])
}

pub(crate) async fn a_connected_member_receives_from_its_peer_alone() -> Option<[bool; 2]> {
    let [group, _] = groups(3);
    let (member, peer, other) = (member(group).await?, loopback().await, loopback().await);
    member.connect(address(&peer)).await.unwrap();
    Some([comes(&peer, group, &member).await, comes(&other, group, &member).await])
}

pub(crate) async fn a_group_is_left_by_a_call_and_by_a_drop() -> Option<[bool; 4]> {
    let [group, _] = groups(4);
    let (member, sender) = (member(group).await?, loopback().await);
    let second = bound(Ipv4Addr::UNSPECIFIED, 0).await;
    second.join_multicast_v4(group, Ipv4Addr::LOCALHOST).unwrap();
    sender.send_to(b"g", (group, address(&member).port())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    member.leave_multicast_v4(group, Ipv4Addr::LOCALHOST).unwrap();
    // A datagram that has come is kept, and the other socket keeps the host a member.
    let kept = !nothing_comes(&member).await;
    let by_other = comes(&sender, group, &member).await;
    second.leave_multicast_v4(group, Ipv4Addr::LOCALHOST).unwrap();
    let left = comes(&sender, group, &member).await;
    second.join_multicast_v4(group, Ipv4Addr::LOCALHOST).unwrap();
    drop(second);
    Some([kept, by_other, left, comes(&sender, group, &member).await])
}

/// At the loopback interface, whatever the options say.
pub(crate) async fn what_is_sent_to_a_group_on_loopback_comes_back() -> Option<[bool; 3]> {
    let [group, _] = groups(5);
    let (member, sender) = (member(group).await?, loopback().await);
    let mut seen = [false; 3];
    for (seen, (comes_back, hops_max)) in seen.iter_mut().zip([(true, 1), (false, 1), (false, 0)]) {
        sender.set_multicast_loop_v4(comes_back).unwrap();
        sender.set_multicast_ttl_v4(hops_max).unwrap();
        *seen = comes(&sender, group, &member).await;
    }
    Some(seen)
}

/// Interfaces are apart: what a socket on all addresses sends goes to the network.
pub(crate) async fn what_is_sent_to_a_group_on_the_network_comes_back_as_the_options_say() -> Option<[bool; 6]> {
    let [group, _] = groups(6);
    let (on_network, on_loopback) = (member_on_the_network(group).await?, member(group).await?);
    let sender = bound(Ipv4Addr::UNSPECIFIED, 0).await;
    sender.send_to(b"g", (group, address(&on_network).port())).await.ok()?;
    let came = !nothing_comes(&on_network).await;
    // A host may have no route for groups, or drop them.
    let (true, from_loopback) = (came, loopback().await) else { return None };
    drop(on_loopback);
    let crossing = comes(&from_loopback, group, &on_network).await;
    sender.set_multicast_loop_v4(false).unwrap();
    let without = comes(&sender, group, &on_network).await;
    sender.set_multicast_loop_v4(true).unwrap();
    sender.set_multicast_ttl_v4(0).unwrap();
    let no_hops = comes(&sender, group, &on_network).await;
    let own = comes(&on_network, group, &on_network).await;
    on_network.leave_multicast_v4(group, Ipv4Addr::UNSPECIFIED).unwrap();
    Some([came, crossing, without, no_hops, own, comes(&on_network, group, &on_network).await])
}

/// A socket at the address of a group sends from an address of its host.
pub(crate) async fn a_socket_at_the_address_of_a_group_sends_as_its_host() -> Option<[bool; 2]> {
    let [group, _] = groups(7);
    let (on_group, receiver) = (bound(group, 0).await, loopback().await);
    on_group.send_to(b"u", address(&receiver)).await.ok()?;
    let (_, from) = receiver.recv_from(&mut [0; 8]).await.unwrap();
    on_group.connect(address(&receiver)).await.unwrap();
    Some([from.ip() == Ipv4Addr::LOCALHOST, address(&on_group).ip() == group])
}

/// Random calls at three sockets: each outcome, and which sockets get what is sent to a group.
pub(crate) async fn random_calls_about_groups_do_what_the_os_does() -> Option<Vec<String>> {
    let both = groups(20);
    let probe = bound(Ipv4Addr::UNSPECIFIED, 0).await;
    probe.join_multicast_v4(both[0], Ipv4Addr::LOCALHOST).ok()?;
    probe.join_multicast_v4(both[0], Ipv4Addr::UNSPECIFIED).ok()?;
    probe.send_to(b"g", (both[0], address(&probe).port())).await.ok()?;
    // A machine may have a network that takes no groups.
    (!nothing_comes(&probe).await).then_some(())?;
    drop(probe);
    let mut all = Vec::new();
    for seed in 1..=16_u64 {
        let mut state = seed;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % bound).unwrap()
        };
        let at = [Ipv4Addr::UNSPECIFIED, Ipv4Addr::UNSPECIFIED, Ipv4Addr::LOCALHOST, both[0]];
        let mut sockets = Vec::new();
        for _ in 0..3 {
            sockets.push(bound(at[below(4)], 0).await);
        }
        let mut seen = String::new();
        for _ in 0..14 {
            let (which, other, group) = (below(3), below(3), both[below(4) / 3]);
            let interface = [Ipv4Addr::UNSPECIFIED, Ipv4Addr::LOCALHOST][below(2)];
            let told = match below(10) {
                0..=2 => format!("{:?}", done(sockets[which].join_multicast_v4(group, interface))),
                3 => format!("{:?}", done(sockets[which].leave_multicast_v4(group, interface))),
                4 => {
                    sockets[which] = bound(at[below(4)], 0).await;
                    "anew".to_owned()
                }
                5 => format!("{:?}", done(sockets[which].set_multicast_loop_v4(below(2) == 0))),
                _ => {
                    let to = (group, address(&sockets[other]).port());
                    let sent = sockets[which].send_to(b"g", to).await.map_err(|error| trouble(&error));
                    let mut come = [false; 3];
                    for (come, socket) in come.iter_mut().zip(&sockets) {
                        *come = timeout(Duration::from_millis(8), received(socket)).await.is_ok();
                    }
                    format!("{sent:?} {come:?}")
                }
            };
            seen += &format!("{told}; ");
        }
        all.push(seen);
    }
    Some(all)
}

/// Bound and set by std, and then handed to tokio.
pub(crate) async fn a_socket_of_std_keeps_its_peer_and_its_options() -> (bool, bool, u32, bool, u32, Vec<u8>, Vec<u8>) {
    let other = loopback().await;
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_nonblocking(true).unwrap();
    socket.set_broadcast(true).unwrap();
    socket.set_ttl(9).unwrap();
    socket.set_multicast_loop_v4(false).unwrap();
    socket.set_multicast_ttl_v4(3).unwrap();
    socket.connect(address(&other)).unwrap();
    let local = socket.local_addr().unwrap();
    let socket = UdpSocket::from_std(socket).unwrap();
    socket.send(b"to").await.unwrap();
    let to = received(&other).await;
    other.send_to(b"fro", local).await.unwrap();
    (
        socket.peer_addr().unwrap() == address(&other) && address(&socket) == local,
        socket.broadcast().unwrap(),
        socket.ttl().unwrap(),
        socket.multicast_loop_v4().unwrap(),
        socket.multicast_ttl_v4().unwrap(),
        to,
        received(&socket).await,
    )
}

/// Joined by std, and left by tokio.
pub(crate) async fn a_socket_of_std_stays_a_member_of_its_group() -> Option<[bool; 2]> {
    let [group, _] = groups(15);
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.set_nonblocking(true).unwrap();
    socket.join_multicast_v4(&group, &Ipv4Addr::LOCALHOST).ok()?;
    let (member, sender) = (UdpSocket::from_std(socket).unwrap(), loopback().await);
    let joined = comes(&sender, group, &member).await;
    member.leave_multicast_v4(group, Ipv4Addr::LOCALHOST).unwrap();
    Some([joined, comes(&sender, group, &member).await])
}
