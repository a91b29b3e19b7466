//! The halves of a stream.

use super::{Read, Written, connected, kind, nothing_comes, read, read_all, text, tokio, write};
use tokio::io::AsyncWriteExt;

pub(crate) async fn a_borrowed_stream_is_read_and_written_at_once() -> (Read, Read) {
    let (mut client, mut server) = connected().await;
    server.write_all(b"down").await.unwrap();
    let (mut reading, mut writing) = client.split();
    let (down, up) = tokio::join!(read(&mut reading), writing.write_all(b"up"));
    up.unwrap();
    (down, read(&mut server).await)
}

pub(crate) async fn borrowed_halves_can_be_tried() -> (usize, String, [bool; 2]) {
    let (mut client, mut server) = connected().await;
    server.write_all(b"down").await.unwrap();
    let (mut reading, writing) = client.split();
    let addresses = [reading.peer_addr().unwrap(), writing.peer_addr().unwrap()];
    let locals = [reading.local_addr().unwrap(), writing.local_addr().unwrap()];
    let mut buffer = [0; 8];
    let length = reading.peek(&mut buffer).await.unwrap();
    writing.writable().await.unwrap();
    let far = server.local_addr().unwrap();
    let agree = [addresses == [far; 2], locals == [server.peer_addr().unwrap(); 2]];
    (writing.try_write(b"up").unwrap(), text(&buffer[..length]), agree)
}

pub(crate) async fn halves_are_used_by_two_tasks() -> (String, String) {
    let (client, mut server) = connected().await;
    let (mut reading, mut writing) = client.into_split();
    let reader = tokio::spawn(async move { read_all(&mut reading).await });
    let writer = tokio::spawn(async move { writing.write_all(b"up").await.unwrap() });
    server.write_all(b"down").await.unwrap();
    server.shutdown().await.unwrap();
    writer.await.unwrap();
    (reader.await.unwrap(), read_all(&mut server).await)
}

pub(crate) async fn halves_of_one_stream_are_reunited() -> (bool, Read) {
    let (client, mut server) = connected().await;
    let near = client.local_addr().unwrap();
    let (reading, writing) = client.into_split();
    let mut client = reading.reunite(writing).unwrap();
    client.write_all(b"whole").await.unwrap();
    (client.local_addr().unwrap() == near, read(&mut server).await)
}

pub(crate) async fn halves_of_two_streams_are_not_reunited() -> (String, String, bool) {
    let (client, server) = connected().await;
    let near = client.local_addr().unwrap();
    let (reading, writing) = client.into_split();
    let (other_reading, other_writing) = server.into_split();
    let first = reading.reunite(other_writing).unwrap_err();
    let second = writing.reunite(other_reading).unwrap_err();
    let texts = (first.to_string(), second.to_string());
    let client = first.0.reunite(second.1).unwrap();
    (texts.0, texts.1, client.local_addr().unwrap() == near)
}

pub(crate) async fn dropping_the_write_half_shuts_down() -> (String, Read) {
    let (client, mut server) = connected().await;
    let (mut reading, mut writing) = client.into_split();
    writing.write_all(b"last words").await.unwrap();
    drop(writing);
    let words = read_all(&mut server).await;
    server.write_all(b"heard").await.unwrap();
    (words, read(&mut reading).await)
}

pub(crate) async fn forgetting_the_write_half_shuts_nothing_down() -> (bool, Read) {
    let (client, mut server) = connected().await;
    let (reading, writing) = client.into_split();
    writing.forget();
    let open = nothing_comes(&mut server).await;
    drop(reading);
    (open, read(&mut server).await)
}

pub(crate) async fn dropping_the_read_half_closes_nothing() -> (bool, Read, Written) {
    let (client, mut server) = connected().await;
    let (reading, mut writing) = client.into_split();
    drop(reading);
    let open = nothing_comes(&mut server).await;
    writing.write_all(b"still").await.unwrap();
    (open, read(&mut server).await, write(&mut server, b"unread").await)
}

pub(crate) async fn dropping_both_halves_closes() -> ([Read; 2], [Written; 2]) {
    let (client, mut server) = connected().await;
    let (reading, mut writing) = client.into_split();
    writing.write_all(b"bye").await.unwrap();
    drop((reading, writing));
    let reads = [read(&mut server).await, read(&mut server).await];
    (reads, [write(&mut server, b"1").await, write(&mut server, b"2").await])
}

pub(crate) async fn dropping_the_write_half_first_makes_a_reset_a_broken_pipe() -> (Read, Written) {
    let (client, mut server) = connected().await;
    server.write_all(b"unread").await.unwrap();
    let (reading, writing) = client.into_split();
    drop(writing);
    drop(reading);
    (read(&mut server).await, write(&mut server, b"x").await)
}

pub(crate) async fn dropping_the_read_half_first_makes_a_reset_a_broken_pipe() -> (Read, Written) {
    let (client, mut server) = connected().await;
    server.write_all(b"unread").await.unwrap();
    let (reading, writing) = client.into_split();
    drop(reading);
    drop(writing);
    (read(&mut server).await, write(&mut server, b"x").await)
}

pub(crate) async fn owned_halves_know_their_stream() -> (usize, Read, [bool; 2]) {
    let (client, mut server) = connected().await;
    let (reading, writing) = client.into_split();
    writing.writable().await.unwrap();
    let written = writing.try_write(b"up").unwrap();
    let far = server.local_addr().unwrap();
    let agree = [reading.peer_addr().unwrap() == far, writing.as_ref().peer_addr().unwrap() == far];
    (written, read(&mut server).await, agree)
}

pub(crate) async fn a_readable_half_may_be_read_at_once() -> Written {
    let (client, mut server) = connected().await;
    server.write_all(b"down").await.unwrap();
    let (reading, _writing) = client.into_split();
    reading.readable().await.unwrap();
    reading.try_read(&mut [0; 8]).map_err(|error| kind(&error))
}
