//! Datagrams: names and peers, sending and receiving.

use super::{Trouble, path, shown, text, tokio, told, trouble};
use std::io;
use std::net::Shutdown;
use tokio::io::Interest;
use tokio::net::{UnixDatagram, UnixSocket};
use tokio::time::{Duration, timeout};

/// A datagram, and the name of its sender.
async fn received(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 64];
    let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
    format!("{} from {}", text(&buffer[..length]), shown(&from))
}

/// A socket that is bound to a path.
fn bound(path: &std::path::Path) -> UnixDatagram {
    UnixDatagram::bind(path).unwrap()
}

pub(crate) async fn a_datagram_tells_its_sender() -> Vec<String> {
    let at = path();
    let own = path();
    let (server, client, other) = (bound(&at), bound(&own), UnixDatagram::unbound().unwrap());
    client.send_to(b"named", &at).await.unwrap();
    other.send_to(b"unnamed", &at).await.unwrap();
    let seen = vec![received(&server).await, received(&server).await];
    let names = [server.local_addr(), client.local_addr(), other.local_addr()].map(|name| shown(&name.unwrap()));
    _ = std::fs::remove_file(at);
    _ = std::fs::remove_file(own);
    seen.into_iter().chain(names).collect()
}

pub(crate) async fn datagrams_of_several_senders_keep_their_order() -> Vec<String> {
    let at = path();
    let server = bound(&at);
    let clients = [UnixDatagram::unbound().unwrap(), UnixDatagram::unbound().unwrap()];
    for (number, client) in [0, 1, 1, 0].into_iter().enumerate() {
        clients[client].send_to(&[b'0' + number as u8], &at).await.unwrap();
    }
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(received(&server).await);
    }
    _ = std::fs::remove_file(at);
    seen
}

pub(crate) async fn names_that_nobody_holds_are_errors() -> Vec<Result<(), Trouble>> {
    let never = path();
    let gone = path();
    drop(bound(&gone));
    let socket = UnixDatagram::unbound().unwrap();
    let results = vec![
        told(socket.send_to(b"x", &never).await),
        told(socket.connect(&never)),
        told(socket.send_to(b"x", &gone).await),
        told(socket.connect(&gone)),
        told(socket.send_to(b"x", "\0netcheck-nobody-has-this").await),
        told(socket.send(b"x").await),
        told(socket.peer_addr()),
    ];
    _ = std::fs::remove_file(gone);
    results
}

pub(crate) async fn a_taken_name_is_an_address_in_use() -> Result<(), Trouble> {
    let at = path();
    let _holder = bound(&at);
    let taken = told(UnixDatagram::bind(&at));
    _ = std::fs::remove_file(at);
    taken
}

pub(crate) async fn a_connected_socket_takes_datagrams_of_its_peer_only() -> Vec<String> {
    let at = path();
    let own = path();
    let (server, client) = (bound(&at), bound(&own));
    let stranger = UnixDatagram::unbound().unwrap();
    stranger.send_to(b"before", &own).await.unwrap();
    client.connect(&at).unwrap();
    let refused = told(stranger.send_to(b"x", &own).await);
    let connects = told(stranger.connect(&own));
    client.send(b"ask").await.unwrap();
    let asked = received(&server).await;
    server.send_to(b"answer", &own).await.unwrap();
    let seen = [received(&client).await, received(&client).await];
    let peer = client.peer_addr().unwrap().as_pathname() == Some(&at);
    _ = std::fs::remove_file(at);
    _ = std::fs::remove_file(own);
    vec![format!("{refused:?} {connects:?}"), asked, format!("{seen:?} {peer}")]
}

pub(crate) async fn a_pair_talks() -> Vec<String> {
    let (one, two) = UnixDatagram::pair().unwrap();
    one.send(b"ping").await.unwrap();
    one.send(b"").await.unwrap();
    let seen = [received(&two).await, received(&two).await];
    let mut buffer = Vec::with_capacity(8);
    two.send(b"pong").await.unwrap();
    let length = one.recv_buf(&mut buffer).await.unwrap();
    vec![format!("{seen:?}"), format!("{length} {}", text(&buffer)), shown(&one.peer_addr().unwrap())]
}

pub(crate) async fn a_peer_that_is_gone_refuses_once() -> Vec<Result<(), Trouble>> {
    let (one, two) = UnixDatagram::pair().unwrap();
    drop(two);
    let sent = told(one.send(b"x").await);
    vec![sent, told(one.send(b"y").await)]
}

pub(crate) async fn a_long_datagram_is_cut_off() -> Vec<String> {
    let (one, two) = UnixDatagram::pair().unwrap();
    one.send(b"too long").await.unwrap();
    one.send(b"next").await.unwrap();
    let mut buffer = [0; 3];
    let length = two.recv(&mut buffer).await.unwrap();
    vec![text(&buffer[..length]), received(&two).await]
}

pub(crate) async fn a_datagram_that_is_too_long_is_refused() -> Vec<Result<(), Trouble>> {
    let (one, two) = UnixDatagram::pair().unwrap();
    let longest = told(one.send(&vec![0; 212_960]).await);
    two.recv(&mut [0; 8]).await.unwrap();
    vec![longest, told(one.send(&vec![0; 212_961]).await)]
}

pub(crate) async fn calls_that_do_not_wait_would_block() -> Vec<String> {
    let at = path();
    let server = bound(&at);
    let client = UnixDatagram::unbound().unwrap();
    let none = server.try_recv(&mut [0; 4]).map_err(|error| error.kind());
    client.connect(&at).unwrap();
    client.writable().await.unwrap();
    let mut count = 0;
    let full = loop {
        match client.try_send(b"x") {
            Ok(_) => count += 1,
            Err(error) => break error.kind(),
        }
    };
    server.readable().await.unwrap();
    let mut buffer = Vec::with_capacity(4);
    let (length, from) = server.try_recv_buf_from(&mut buffer).unwrap();
    _ = std::fs::remove_file(at);
    vec![format!("{none:?} {full:?} {count}"), format!("{length} {} {}", text(&buffer), shown(&from))]
}

pub(crate) async fn a_send_to_a_full_socket_waits() -> Vec<String> {
    let at = path();
    let server = bound(&at);
    let client = UnixDatagram::unbound().unwrap();
    client.connect(&at).unwrap();
    let sending = tokio::spawn(async move {
        for number in 0..20 {
            client.send(&[b'a' + number]).await.unwrap();
        }
    });
    tokio::task::yield_now().await;
    let mut seen = String::new();
    for _ in 0..20 {
        let mut buffer = [0];
        server.recv(&mut buffer).await.unwrap();
        seen += &text(&buffer);
    }
    sending.await.unwrap();
    _ = std::fs::remove_file(at);
    vec![seen]
}

pub(crate) async fn nothing_comes_of_nothing() -> bool {
    let (one, _two) = UnixDatagram::pair().unwrap();
    timeout(Duration::from_millis(50), one.recv(&mut [0; 4])).await.is_err()
}

pub(crate) async fn a_socket_is_shut_down() -> Vec<String> {
    let (one, two) = UnixDatagram::pair().unwrap();
    two.send(b"last").await.unwrap();
    one.shutdown(Shutdown::Read).unwrap();
    let refused = told(two.send(b"x").await);
    let seen = (received(&one).await, one.try_recv(&mut [0; 4]).map_err(|error| error.kind()));
    one.readable().await.unwrap();
    one.shutdown(Shutdown::Both).unwrap();
    vec![format!("{refused:?} {seen:?}"), format!("{:?}", told(one.send(b"y").await))]
}

pub(crate) async fn sockets_are_made_step_by_step() -> Vec<String> {
    let at = path();
    let socket = UnixSocket::new_datagram().unwrap();
    socket.bind(&at).unwrap();
    let server = socket.datagram().unwrap();
    let client = UnixSocket::new_datagram().unwrap().datagram().unwrap();
    client.send_to(b"hi", &at).await.unwrap();
    let seen = received(&server).await;
    let wrong = [
        UnixSocket::new_stream().unwrap().datagram().map(drop),
        UnixSocket::new_datagram().unwrap().listen(1).map(drop),
        UnixSocket::new_datagram().unwrap().connect(&at).await.map(drop),
    ];
    _ = std::fs::remove_file(at);
    let wrong = wrong.map(|result| result.unwrap_err().to_string());
    vec![seen, format!("{wrong:?}")]
}

pub(crate) async fn datagrams_can_be_polled() -> Vec<String> {
    let (one, two) = UnixDatagram::pair().unwrap();
    std::future::poll_fn(|cx| one.poll_send_ready(cx)).await.unwrap();
    let sent = std::future::poll_fn(|cx| one.poll_send(cx, b"poll")).await.unwrap();
    std::future::poll_fn(|cx| two.poll_recv_ready(cx)).await.unwrap();
    let mut bytes = [0; 8];
    let mut buffer = tokio::io::ReadBuf::new(&mut bytes);
    let from = std::future::poll_fn(|cx| two.poll_recv_from(cx, &mut buffer)).await.unwrap();
    let seen = text(buffer.filled());
    let ready = two.ready(Interest::WRITABLE).await.unwrap();
    let own = two.async_io(Interest::WRITABLE, || Err::<(), _>(io::ErrorKind::Other.into())).await;
    vec![format!("{sent} {seen} {}", shown(&from)), format!("{} {:?}", ready.is_writable(), trouble(&own.unwrap_err()))]
}

pub(crate) async fn a_socket_sends_to_itself() -> Vec<String> {
    let at = path();
    let socket = bound(&at);
    socket.send_to(b"me", &at).await.unwrap();
    let seen = received(&socket).await;
    _ = std::fs::remove_file(at);
    vec![seen]
}

pub(crate) async fn a_socket_is_taken_apart_and_put_together() -> Vec<String> {
    let (one, two) = UnixDatagram::pair().unwrap();
    let one = UnixDatagram::from_std(one.into_std().unwrap()).unwrap();
    one.send(b"again").await.unwrap();
    vec![received(&two).await]
}
