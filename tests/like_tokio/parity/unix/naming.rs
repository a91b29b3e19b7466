//! Names: binding, connecting, and the addresses that sockets tell.

use super::{Trouble, at_once, path, read, shown, text, tokio, told, write};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::SocketAddr;
use tokio::net::{UnixListener, UnixSocket, UnixStream};
use tokio::time::{Duration, timeout};

pub(crate) async fn ends_know_their_names() -> Vec<String> {
    let path = path();
    let listener = UnixListener::bind(&path).unwrap();
    let client = UnixStream::connect(&path).await.unwrap();
    let (server, from) = listener.accept().await.unwrap();
    let is_it = client.peer_addr().unwrap().as_pathname() == Some(&path);
    let all = [
        listener.local_addr().unwrap(),
        client.local_addr().unwrap(),
        client.peer_addr().unwrap(),
        server.local_addr().unwrap(),
        server.peer_addr().unwrap(),
        from,
    ];
    _ = std::fs::remove_file(path);
    all.iter().map(shown).chain([is_it.to_string()]).collect()
}

pub(crate) async fn an_abstract_name_is_bound_and_connected_to() -> Vec<String> {
    let name = format!("\0netcheck-abstract-{}", std::process::id());
    let listener = UnixListener::bind(&name).unwrap();
    let client = UnixStream::connect(&name).await.unwrap();
    let (server, _) = listener.accept().await.unwrap();
    let all = [listener.local_addr(), client.local_addr(), client.peer_addr(), server.local_addr(), server.peer_addr()];
    let own = text(&name.as_bytes()[1..]);
    all.map(|address| shown(&address.unwrap()).replace(&own, "it")).to_vec()
}

pub(crate) async fn a_pair_has_no_names() -> Vec<String> {
    let (one, two) = UnixStream::pair().unwrap();
    [one.local_addr(), one.peer_addr(), two.local_addr(), two.peer_addr()].map(|name| shown(&name.unwrap())).to_vec()
}

pub(crate) async fn a_path_that_nobody_has_bound_is_not_found() -> Result<(), Trouble> {
    told(UnixStream::connect(path()).await)
}

pub(crate) async fn a_path_that_nobody_has_bound_is_not_found_at_once() -> Option<Result<(), Trouble>> {
    at_once(UnixStream::connect(path())).await.map(told)
}

pub(crate) async fn a_connect_is_not_done_at_once() -> (bool, bool) {
    let path = path();
    let listener = UnixListener::bind(&path).unwrap();
    let done = at_once(UnixStream::connect(&path)).await.is_some();
    let is_there = timeout(Duration::from_millis(50), listener.accept()).await.is_ok();
    _ = std::fs::remove_file(path);
    (done, is_there)
}

pub(crate) async fn an_abstract_name_that_nobody_has_bound_refuses() -> Result<(), Trouble> {
    told(UnixStream::connect("\0netcheck-nobody-has-this").await)
}

pub(crate) async fn a_path_refuses_when_its_listener_is_gone() -> Result<(), Trouble> {
    let path = path();
    drop(UnixListener::bind(&path).unwrap());
    let refused = told(UnixStream::connect(&path).await);
    _ = std::fs::remove_file(path);
    refused
}

pub(crate) async fn a_bound_socket_that_does_not_listen_refuses() -> Result<(), Trouble> {
    let path = path();
    let socket = UnixSocket::new_stream().unwrap();
    socket.bind(&path).unwrap();
    let refused = told(UnixStream::connect(&path).await);
    _ = std::fs::remove_file(path);
    refused
}

pub(crate) async fn a_path_is_bound_again_once_it_is_removed() -> Vec<Result<(), Trouble>> {
    let path = path();
    let first = UnixListener::bind(&path).unwrap();
    let taken = told(UnixListener::bind(&path));
    drop(first);
    _ = std::fs::remove_file(&path);
    let again = UnixListener::bind(&path);
    let client = told(UnixStream::connect(&path).await);
    _ = std::fs::remove_file(&path);
    vec![taken, told(again), client]
}

pub(crate) async fn an_abstract_name_is_free_when_its_socket_is_gone() -> Vec<Result<(), Trouble>> {
    let name = format!("\0netcheck-free-{}", std::process::id());
    let first = UnixListener::bind(&name).unwrap();
    let taken = told(UnixListener::bind(&name));
    drop(first);
    vec![taken, told(UnixStream::connect(&name).await), told(UnixListener::bind(&name))]
}

pub(crate) async fn a_name_that_is_too_long_is_an_invalid_input() -> Vec<Result<(), io::ErrorKind>> {
    let long = "/".to_owned() + &"x".repeat(200);
    let kind = |error: io::Error| error.kind();
    vec![
        UnixListener::bind(&long).map(drop).map_err(kind),
        UnixStream::connect(&long).await.map(drop).map_err(kind),
        UnixStream::connect("a\0b").await.map(drop).map_err(kind),
    ]
}

pub(crate) async fn a_bound_client_is_known_by_its_name() -> Vec<String> {
    let at = path();
    let own = path();
    let listener = UnixListener::bind(&at).unwrap();
    let socket = UnixSocket::new_stream().unwrap();
    socket.bind(&own).unwrap();
    let client = socket.connect(&at).await.unwrap();
    let (server, from) = listener.accept().await.unwrap();
    let are_it = [client.local_addr().unwrap(), server.peer_addr().unwrap(), from];
    let refused = told(UnixStream::connect(&own).await);
    let outputs = are_it.iter().map(|name| (name.as_pathname() == Some(&own)).to_string());
    let outputs = outputs.chain([format!("{refused:?}")]).collect();
    _ = std::fs::remove_file(at);
    _ = std::fs::remove_file(own);
    outputs
}

pub(crate) async fn a_socket_is_bound_before_it_listens_and_once() -> Vec<Result<(), Trouble>> {
    let one = path();
    let two = path();
    let unbound = told(UnixSocket::new_stream().unwrap().listen(1));
    let socket = UnixSocket::new_stream().unwrap();
    let first = told(socket.bind(&one));
    let second = told(socket.bind(&two));
    let listens = told(socket.listen(1));
    _ = std::fs::remove_file(one);
    vec![unbound, first, second, listens]
}

pub(crate) async fn a_queue_takes_one_client_more_than_its_backlog() -> Vec<Result<(), Trouble>> {
    let path = path();
    let socket = UnixSocket::new_stream().unwrap();
    socket.bind(&path).unwrap();
    let listener = socket.listen(1).unwrap();
    let one = UnixStream::connect(&path).await;
    let two = UnixStream::connect(&path).await;
    let three = UnixStream::connect(&path).await;
    let accepted = listener.accept().await;
    let four = UnixStream::connect(&path).await;
    _ = std::fs::remove_file(path);
    vec![told(one), told(two), told(three), told(accepted), told(four)]
}

pub(crate) async fn addresses_lead_to_names() -> Vec<String> {
    let path = path();
    let address = SocketAddr::from(std::os::unix::net::SocketAddr::from_pathname(&path).unwrap());
    let listener = UnixListener::bind_addr(&address).unwrap();
    let client = UnixStream::connect_addr(&listener.local_addr().unwrap()).await.unwrap();
    let unnamed = client.local_addr().unwrap();
    let nowhere = told(UnixStream::connect_addr(&unnamed).await);
    _ = std::fs::remove_file(path);
    vec![shown(&address), shown(&client.peer_addr().unwrap()), format!("{nowhere:?}")]
}

pub(crate) async fn the_peer_belongs_to_the_same_user_and_process() -> (bool, bool, bool) {
    let (one, two) = UnixStream::pair().unwrap();
    let (one, two) = (one.peer_cred().unwrap(), two.peer_cred().unwrap());
    (one == two, one.pid() == i32::try_from(std::process::id()).ok(), one.uid() == one.gid())
}

pub(crate) async fn a_removed_file_is_no_obstacle() -> Vec<String> {
    let path = path();
    let mut seen = Vec::new();
    for _ in 0..2 {
        _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).unwrap();
        let mut client = UnixStream::connect(&path).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        client.write_all(b"hi").await.unwrap();
        seen.push(format!("{:?}", read(&mut server).await));
    }
    _ = std::fs::remove_file(&path);
    seen
}

pub(crate) async fn a_dropped_listener_resets_who_is_in_its_queue() -> Vec<String> {
    let path = path();
    let listener = UnixListener::bind(&path).unwrap();
    let mut client = UnixStream::connect(&path).await.unwrap();
    drop(listener);
    _ = std::fs::remove_file(&path);
    let written = write(&mut client, b"x").await;
    let reads = [read(&mut client).await, read(&mut client).await];
    vec![format!("{written:?}"), format!("{reads:?}")]
}

pub(crate) async fn clients_are_accepted_in_the_order_in_which_they_connected() -> Vec<String> {
    let path = path();
    let listener = UnixListener::bind(&path).unwrap();
    let mut one = UnixStream::connect(&path).await.unwrap();
    let mut two = UnixStream::connect(&path).await.unwrap();
    two.write_all(b"two").await.unwrap();
    one.write_all(b"one").await.unwrap();
    drop((one, two));
    let mut texts = Vec::new();
    for _ in 0..2 {
        let mut text = String::new();
        listener.accept().await.unwrap().0.read_to_string(&mut text).await.unwrap();
        texts.push(text);
    }
    _ = std::fs::remove_file(path);
    texts
}
