//! How connections end: in order, or by a reset.

use super::{
    Read, Trouble, Written, connect, connected, drain, fill, kind, listening, ms, read, read_all, reset_after, text,
    tokio, told, trouble, write,
};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;

pub(crate) async fn one_way_can_be_closed_before_the_other() -> [String; 2] {
    let (mut client, mut server) = connected().await;
    client.write_all(b"question").await.unwrap();
    client.shutdown().await.unwrap();
    let question = read_all(&mut server).await;
    server.write_all(b"answer").await.unwrap();
    drop(server);
    [question, read_all(&mut client).await]
}

pub(crate) async fn shutdown_comes_after_all_that_was_written() -> bool {
    let (mut client, mut server) = connected().await;
    let written = fill(&client).await;
    client.shutdown().await.unwrap();
    written == drain(&mut server).await.0
}

pub(crate) async fn what_was_written_arrives_after_its_writer_is_gone() -> (bool, Read) {
    let (client, mut server) = connected().await;
    let written = fill(&client).await;
    drop(client);
    let (read, end) = drain(&mut server).await;
    (written == read, end)
}

pub(crate) async fn writing_after_shutdown_is_a_broken_pipe() -> Trouble {
    let (mut client, _server) = connected().await;
    client.shutdown().await.unwrap();
    trouble(&client.write(b"x").await.unwrap_err())
}

pub(crate) async fn an_empty_write_after_shutdown_is_a_broken_pipe() -> Written {
    let (mut client, _server) = connected().await;
    client.shutdown().await.unwrap();
    write(&mut client, b"").await
}

pub(crate) async fn shutdown_always_succeeds() -> [Result<(), io::ErrorKind>; 4] {
    let (mut client, server) = connected().await;
    let first = told(client.shutdown().await);
    let second = told(client.shutdown().await);
    drop(server);
    let of_a_closed_one = told(client.shutdown().await);
    let mut broken = reset_after("").await;
    [first, second, of_a_closed_one, told(broken.shutdown().await)]
}

pub(crate) async fn shutdown_does_not_take_the_error() -> [Read; 2] {
    let mut client = reset_after("").await;
    client.shutdown().await.unwrap();
    [read(&mut client).await, read(&mut client).await]
}

pub(crate) async fn the_second_write_to_a_closed_peer_is_a_broken_pipe() -> (Written, [Trouble; 2]) {
    let (mut client, server) = connected().await;
    drop(server);
    let first = write(&mut client, b"first").await;
    let second = client.write(b"second").await.unwrap_err();
    let third = client.write(b"third").await.unwrap_err();
    (first, [trouble(&second), trouble(&third)])
}

pub(crate) async fn a_writer_does_not_mind_the_end_that_it_read() -> (Read, [Written; 2]) {
    let (mut client, server) = connected().await;
    drop(server);
    let end = read(&mut client).await;
    (end, [write(&mut client, b"first").await, write(&mut client, b"second").await])
}

pub(crate) async fn the_last_words_of_a_closed_peer_are_read_after_writing_to_it() -> (Written, [Read; 3], Written) {
    let (mut client, mut server) = connected().await;
    server.write_all(b"last words").await.unwrap();
    drop(server);
    let first = write(&mut client, b"first").await;
    let reads = [read(&mut client).await, read(&mut client).await, read(&mut client).await];
    (first, reads, write(&mut client, b"second").await)
}

pub(crate) async fn the_error_of_a_write_to_a_closed_peer_can_be_taken() -> ([Option<Trouble>; 3], Written) {
    let (mut client, server) = connected().await;
    let mut errors = [client.take_error().unwrap(), None, None];
    drop(server);
    client.write_all(b"first").await.unwrap();
    errors[1] = client.take_error().unwrap();
    errors[2] = client.take_error().unwrap();
    (errors.map(|error| error.as_ref().map(trouble)), write(&mut client, b"second").await)
}

pub(crate) async fn a_peer_that_shut_down_still_reads() -> (Read, Read) {
    let (mut client, mut server) = connected().await;
    server.shutdown().await.unwrap();
    let end = read(&mut client).await;
    client.write_all(b"still").await.unwrap();
    (end, read(&mut server).await)
}

pub(crate) async fn a_peer_that_shut_down_and_closed_takes_one_write() -> [Written; 2] {
    let (mut client, mut server) = connected().await;
    server.shutdown().await.unwrap();
    drop(server);
    [write(&mut client, b"first").await, write(&mut client, b"second").await]
}

pub(crate) async fn a_write_may_come_before_or_after_the_peers_close() -> [Written; 2] {
    let (mut client, server) = connected().await;
    let closer = tokio::spawn(async move { drop(server) });
    let first = write(&mut client, b"first").await;
    tokio::task::yield_now().await;
    let second = write(&mut client, b"second").await;
    closer.await.unwrap();
    [first, second]
}

pub(crate) async fn aborting_a_task_closes_its_streams() -> ([Read; 2], bool) {
    let (mut client, mut server) = connected().await;
    server.write_all(b"last words").await.unwrap();
    let task = tokio::spawn(async move { read(&mut server).await });
    sleep(ms(5)).await;
    task.abort();
    let cancelled = task.await.is_err();
    ([read(&mut client).await, read(&mut client).await], cancelled)
}

pub(crate) async fn a_stream_names_its_type() -> [bool; 2] {
    let listener = listening().await;
    let client = connect(&listener).await;
    [format!("{listener:?}").contains("TcpListener"), format!("{client:?}").contains("TcpStream")]
}

pub(crate) async fn closing_with_unread_data_resets() -> (Trouble, [Read; 2]) {
    let mut client = reset_after("").await;
    let first = client.read(&mut [0; 8]).await.unwrap_err();
    (trouble(&first), [read(&mut client).await, read(&mut client).await])
}

pub(crate) async fn closing_with_a_rest_unread_resets() -> (usize, Read) {
    let (mut client, mut server) = connected().await;
    client.write_all(b"some more").await.unwrap();
    let length = server.read(&mut [0; 4]).await.unwrap();
    drop(server);
    (length, read(&mut client).await)
}

pub(crate) async fn closing_after_a_peek_resets() -> (usize, Read) {
    let (mut client, server) = connected().await;
    client.write_all(b"seen").await.unwrap();
    let length = server.peek(&mut [0; 8]).await.unwrap();
    drop(server);
    (length, read(&mut client).await)
}

pub(crate) async fn closing_with_the_end_unread_resets_nothing() -> ([Read; 2], Option<Trouble>) {
    let (mut client, mut server) = connected().await;
    client.shutdown().await.unwrap();
    server.write_all(b"last words").await.unwrap();
    drop(server);
    let reads = [read(&mut client).await, read(&mut client).await];
    (reads, client.take_error().unwrap().as_ref().map(trouble))
}

pub(crate) async fn what_was_read_before_a_reset_is_kept() -> (io::ErrorKind, String) {
    let mut client = reset_after("last words").await;
    let mut buffer = Vec::new();
    let error = client.read_to_end(&mut buffer).await.unwrap_err();
    (kind(&error), text(&buffer))
}

pub(crate) async fn what_came_before_a_reset_is_read_first() -> [Read; 3] {
    let mut client = reset_after("last words").await;
    [read(&mut client).await, read(&mut client).await, read(&mut client).await]
}

pub(crate) async fn a_reset_reaches_a_peer_that_had_shut_down() -> [Read; 3] {
    let (mut client, mut server) = connected().await;
    client.write_all(b"unread").await.unwrap();
    client.shutdown().await.unwrap();
    server.write_all(b"last words").await.unwrap();
    drop(server);
    [read(&mut client).await, read(&mut client).await, read(&mut client).await]
}

pub(crate) async fn a_reset_after_shutdown_is_no_error_for_a_reader() -> ([Read; 3], [Written; 3]) {
    let (mut client, mut server) = connected().await;
    client.write_all(b"unread").await.unwrap();
    server.write_all(b"last words").await.unwrap();
    server.shutdown().await.unwrap();
    drop(server);
    let reads = [read(&mut client).await, read(&mut client).await, read(&mut client).await];
    (reads, [write(&mut client, b"x").await, write(&mut client, b"y").await, write(&mut client, b"z").await])
}

pub(crate) async fn a_reset_after_shutdown_is_a_broken_pipe() -> [Option<Trouble>; 2] {
    let (mut client, mut server) = connected().await;
    client.write_all(b"unread").await.unwrap();
    server.shutdown().await.unwrap();
    drop(server);
    [client.take_error().unwrap(), client.take_error().unwrap()].map(|error| error.as_ref().map(trouble))
}

pub(crate) async fn nothing_is_reset_after_both_have_shut_down() -> ([Read; 2], Option<Trouble>) {
    let (mut client, mut server) = connected().await;
    client.write_all(b"unread").await.unwrap();
    client.shutdown().await.unwrap();
    server.write_all(b"last words").await.unwrap();
    server.shutdown().await.unwrap();
    drop(server);
    let reads = [read(&mut client).await, read(&mut client).await];
    (reads, client.take_error().unwrap().as_ref().map(trouble))
}

pub(crate) async fn a_write_takes_the_error_of_a_reset() -> ([Trouble; 2], [Read; 2]) {
    let mut client = reset_after("last words").await;
    let first = client.write(b"x").await.unwrap_err();
    let second = client.write(b"y").await.unwrap_err();
    ([trouble(&first), trouble(&second)], [read(&mut client).await, read(&mut client).await])
}

pub(crate) async fn a_read_takes_the_error_of_a_reset() -> (Read, [Written; 2]) {
    let mut client = reset_after("").await;
    let first = read(&mut client).await;
    (first, [write(&mut client, b"x").await, write(&mut client, b"y").await])
}

pub(crate) async fn an_empty_write_takes_the_error_of_a_reset() -> (Written, Read) {
    let mut client = reset_after("").await;
    (write(&mut client, b"").await, read(&mut client).await)
}

pub(crate) async fn a_peek_takes_the_error_of_a_reset() -> ([Written; 2], Read) {
    let mut client = reset_after("").await;
    let mut buffer = [0; 8];
    let peeks = [client.peek(&mut buffer).await, client.peek(&mut buffer).await];
    (peeks.map(|peek| peek.map_err(|error| kind(&error))), read(&mut client).await)
}

pub(crate) async fn the_error_of_a_reset_can_be_taken() -> ([Option<Trouble>; 2], Read, Written) {
    let mut client = reset_after("").await;
    let taken = [client.take_error().unwrap(), client.take_error().unwrap()];
    (taken.map(|error| error.as_ref().map(trouble)), read(&mut client).await, write(&mut client, b"x").await)
}

pub(crate) async fn a_reset_connection_has_no_peer() -> (bool, Result<(), io::ErrorKind>) {
    let client = reset_after("").await;
    client.readable().await.unwrap();
    (client.local_addr().is_ok(), told(client.peer_addr()))
}

pub(crate) async fn a_connection_closed_both_ways_has_no_peer() -> [Result<(), io::ErrorKind>; 3] {
    let (mut client, mut server) = connected().await;
    server.shutdown().await.unwrap();
    read(&mut client).await.unwrap();
    let half = told(client.peer_addr());
    client.shutdown().await.unwrap();
    read(&mut server).await.unwrap();
    [half, told(client.peer_addr()), told(server.peer_addr())]
}

pub(crate) async fn zero_linger_resets_on_drop() -> [Read; 3] {
    let (mut client, mut server) = connected().await;
    server.write_all(b"last words").await.unwrap();
    server.set_zero_linger().unwrap();
    drop(server);
    [read(&mut client).await, read(&mut client).await, read(&mut client).await]
}

pub(crate) async fn zero_linger_loses_what_the_peer_had_no_room_for() -> (bool, Read) {
    let (client, mut server) = connected().await;
    let written = fill(&client).await;
    client.set_zero_linger().unwrap();
    drop(client);
    let (read, end) = drain(&mut server).await;
    (written > read, end)
}

pub(crate) async fn zero_linger_changes_nothing_after_both_have_shut_down() -> ([Read; 2], Option<Trouble>) {
    let (mut client, mut server) = connected().await;
    client.shutdown().await.unwrap();
    server.write_all(b"last words").await.unwrap();
    server.shutdown().await.unwrap();
    server.set_zero_linger().unwrap();
    drop(server);
    let reads = [read(&mut client).await, read(&mut client).await];
    (reads, client.take_error().unwrap().as_ref().map(trouble))
}

pub(crate) async fn zero_linger_after_shutdown_is_a_broken_pipe() -> (Read, Written) {
    let (mut client, mut server) = connected().await;
    server.shutdown().await.unwrap();
    server.set_zero_linger().unwrap();
    drop(server);
    (read(&mut client).await, write(&mut client, b"x").await)
}
