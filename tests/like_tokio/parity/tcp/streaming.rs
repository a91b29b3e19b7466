//! Reading and writing, and what is built on top of it.

use super::{LARGE, Read, Written, at_once, connected, kind, ms, nothing_comes, read, read_all, text, tokio, write};
use std::io::{self, IoSlice};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, BufWriter, copy, copy_bidirectional,
};
use tokio::time::{sleep, timeout};

pub(crate) async fn the_end_comes_after_the_last_byte() -> [Read; 3] {
    let (mut client, mut server) = connected().await;
    client.write_all(b"all").await.unwrap();
    drop(client);
    [read(&mut server).await, read(&mut server).await, read(&mut server).await]
}

pub(crate) async fn a_read_takes_no_more_than_its_buffer() -> [String; 2] {
    let (mut client, mut server) = connected().await;
    client.write_all(b"too much").await.unwrap();
    drop(client);
    let mut buffer = [0; 3];
    let length = server.read(&mut buffer).await.unwrap();
    [text(&buffer[..length]), read_all(&mut server).await]
}

pub(crate) async fn writes_have_no_borders() -> Read {
    let (mut client, mut server) = connected().await;
    for part in ["one", "two", "three"] {
        client.write_all(part.as_bytes()).await.unwrap();
    }
    client.shutdown().await.unwrap();
    server.readable().await.unwrap();
    sleep(ms(50)).await;
    read(&mut server).await
}

pub(crate) async fn a_read_gets_what_has_come_by_then() -> Read {
    let (mut client, mut server) = connected().await;
    let writer = tokio::spawn(async move {
        client.write_all(b"a").await.unwrap();
        tokio::task::yield_now().await;
        client.write_all(b"b").await.unwrap();
    });
    let first = read(&mut server).await;
    writer.await.unwrap();
    first
}

pub(crate) async fn bytes_keep_their_order_and_their_way() -> [String; 2] {
    let (mut client, mut server) = connected().await;
    client.write_all(b"up").await.unwrap();
    server.write_all(b"down").await.unwrap();
    client.write_all(b"ward").await.unwrap();
    client.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
    [read_all(&mut server).await, read_all(&mut client).await]
}

pub(crate) async fn an_end_before_the_last_byte_is_unexpected() -> io::ErrorKind {
    let (mut client, mut server) = connected().await;
    client.write_all(b"abc").await.unwrap();
    drop(client);
    kind(&server.read_exact(&mut [0; 4]).await.unwrap_err())
}

pub(crate) async fn an_empty_buffer_reads_nothing() -> (usize, Read) {
    let (mut client, mut server) = connected().await;
    client.write_all(b"kept").await.unwrap();
    (server.read(&mut []).await.unwrap(), read(&mut server).await)
}

pub(crate) async fn an_empty_buffer_waits_for_data_too() -> bool {
    let (_client, mut server) = connected().await;
    timeout(ms(50), server.read(&mut [])).await.is_err()
}

pub(crate) async fn an_empty_write_sends_nothing() -> (usize, bool) {
    let (mut client, mut server) = connected().await;
    (client.write(b"").await.unwrap(), nothing_comes(&mut server).await)
}

pub(crate) async fn an_empty_write_does_not_find_out_that_the_peer_is_gone() -> [Written; 4] {
    let (mut client, server) = connected().await;
    drop(server);
    let empty = [write(&mut client, b"").await, write(&mut client, b"").await];
    [empty[0], empty[1], write(&mut client, b"x").await, write(&mut client, b"y").await]
}

pub(crate) async fn slices_are_written_as_one() -> (bool, usize, Read) {
    let (mut client, mut server) = connected().await;
    let slices = ["one", "", "two"].map(|slice| IoSlice::new(slice.as_bytes()));
    let written = client.write_vectored(&slices).await.unwrap();
    (client.is_write_vectored(), written, read(&mut server).await)
}

pub(crate) async fn a_write_is_done_at_once_where_there_is_room() -> (bool, Read) {
    let (mut client, mut server) = connected().await;
    let done = at_once(client.write(b"x")).await.is_some();
    drop(client);
    (done, read(&mut server).await)
}

pub(crate) async fn read_buf_appends() -> (usize, String) {
    let (mut client, mut server) = connected().await;
    client.write_all(b"more").await.unwrap();
    let mut buffer = Vec::with_capacity(64);
    buffer.extend_from_slice(b"some ");
    (server.read_buf(&mut buffer).await.unwrap(), text(&buffer))
}

pub(crate) async fn a_peek_takes_nothing() -> (String, Read, usize) {
    let (mut client, mut server) = connected().await;
    client.write_all(b"whole").await.unwrap();
    client.shutdown().await.unwrap();
    let mut buffer = [0; 3];
    let length = server.peek(&mut buffer).await.unwrap();
    (text(&buffer[..length]), read(&mut server).await, server.peek(&mut buffer).await.unwrap())
}

pub(crate) async fn a_peek_waits_for_data() -> bool {
    let (_client, server) = connected().await;
    timeout(ms(50), server.peek(&mut [0; 8])).await.is_err()
}

pub(crate) async fn a_dropped_read_loses_nothing() -> (bool, Read) {
    let (mut client, mut server) = connected().await;
    let mut buffer = [0; 8];
    let nothing = tokio::select! {
        _ = server.read(&mut buffer) => false,
        () = sleep(ms(5)) => true,
    };
    client.write_all(b"later").await.unwrap();
    (nothing, read(&mut server).await)
}

pub(crate) async fn a_waiting_reader_is_woken_by_data() -> Read {
    let (mut client, mut server) = connected().await;
    let reader = tokio::spawn(async move { read(&mut server).await });
    sleep(ms(5)).await;
    client.write_all(b"morning").await.unwrap();
    reader.await.unwrap()
}

pub(crate) async fn a_waiting_reader_is_woken_by_the_end() -> Read {
    let (client, mut server) = connected().await;
    let reader = tokio::spawn(async move { read(&mut server).await });
    sleep(ms(5)).await;
    drop(client);
    reader.await.unwrap()
}

pub(crate) async fn a_waiting_reader_is_woken_by_a_reset() -> Read {
    let (client, mut server) = connected().await;
    let reader = tokio::spawn(async move { read(&mut server).await });
    sleep(ms(5)).await;
    client.set_zero_linger().unwrap();
    drop(client);
    reader.await.unwrap()
}

pub(crate) async fn a_writer_waits_for_its_reader() -> (bool, bool) {
    let (mut client, mut server) = connected().await;
    let writer = tokio::spawn(async move { client.write_all(&vec![7; LARGE]).await.unwrap() });
    sleep(ms(50)).await;
    let waits = !writer.is_finished();
    let mut read = vec![0; LARGE];
    server.read_exact(&mut read).await.unwrap();
    writer.await.unwrap();
    (waits, read.iter().all(|byte| *byte == 7))
}

pub(crate) async fn a_waiting_writer_is_woken_by_a_reset() -> io::ErrorKind {
    let (mut client, server) = connected().await;
    let writer = tokio::spawn(async move { client.write_all(&vec![7; LARGE]).await });
    sleep(ms(50)).await;
    drop(server);
    kind(&writer.await.unwrap().unwrap_err())
}

pub(crate) async fn a_large_write_is_short() -> [bool; 2] {
    let (mut client, _server) = connected().await;
    let written = client.write(&vec![7; LARGE]).await.unwrap();
    [written > 0, written < LARGE]
}

pub(crate) async fn two_that_only_write_wait_for_each_other() -> [bool; 2] {
    let (mut client, mut server) = connected().await;
    let large = vec![7; LARGE];
    let (up, down) =
        tokio::join!(timeout(ms(300), client.write_all(&large)), timeout(ms(300), server.write_all(&large)),);
    [up.is_err(), down.is_err()]
}

pub(crate) async fn lines_are_read_from_a_stream() -> Vec<String> {
    let (mut client, server) = connected().await;
    client.write_all(b"one\ntwo\nrest").await.unwrap();
    drop(client);
    let mut lines = BufReader::new(server).lines();
    let mut read = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        read.push(line);
    }
    read
}

pub(crate) async fn a_buffered_writer_writes_when_it_is_flushed() -> (bool, Read) {
    let (client, mut server) = connected().await;
    let mut writer = BufWriter::new(client);
    writer.write_all(b"buf").await.unwrap();
    writer.write_all(b"fer").await.unwrap();
    let nothing = nothing_comes(&mut server).await;
    writer.flush().await.unwrap();
    (nothing, read(&mut server).await)
}

pub(crate) async fn a_proxy_copies_both_ways() -> ((u64, u64), String, String) {
    let ((mut client, mut near), (mut far, mut server)) = (connected().await, connected().await);
    let proxy = tokio::spawn(async move { copy_bidirectional(&mut near, &mut far).await.unwrap() });
    client.write_all(b"question").await.unwrap();
    client.shutdown().await.unwrap();
    let question = read_all(&mut server).await;
    server.write_all(b"answer!").await.unwrap();
    drop(server);
    let answer = read_all(&mut client).await;
    (proxy.await.unwrap(), question, answer)
}

pub(crate) async fn an_echo_copies_to_the_end() -> (u64, String) {
    let (mut client, mut server) = connected().await;
    client.write_all(b"to be heard").await.unwrap();
    client.shutdown().await.unwrap();
    let (mut reading, mut writing) = server.split();
    let copied = copy(&mut reading, &mut writing).await.unwrap();
    drop(server);
    (copied, read_all(&mut client).await)
}

pub(crate) async fn a_frame_is_read_in_parts() -> (u16, String) {
    let (mut client, mut server) = connected().await;
    client.write_u16(5).await.unwrap();
    client.write_all(b"frame").await.unwrap();
    let length = server.read_u16().await.unwrap();
    let mut frame = vec![0; length.into()];
    server.read_exact(&mut frame).await.unwrap();
    (length, text(&frame))
}
