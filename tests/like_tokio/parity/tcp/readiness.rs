//! Waiting without reading or writing, and trying without waiting.

use super::{Read, Written, connected, drain, fill, kind, ms, read, read_all, reset_after, text, tokio, told};
use std::future::poll_fn;
use std::io::{self, IoSlice, IoSliceMut};
use tokio::io::{AsyncWriteExt, Interest, ReadBuf};
use tokio::time::timeout;

pub(crate) async fn try_read_would_block_on_an_empty_stream() -> [io::ErrorKind; 3] {
    let (client, _server) = connected().await;
    let mut buffer = [0; 8];
    [
        kind(&client.try_read(&mut buffer).unwrap_err()),
        kind(&client.try_read_buf(&mut Vec::with_capacity(8)).unwrap_err()),
        kind(&client.try_read_vectored(&mut [IoSliceMut::new(&mut buffer)]).unwrap_err()),
    ]
}

pub(crate) async fn try_read_may_get_what_was_written() -> Written {
    let (mut client, server) = connected().await;
    client.write_all(b"x").await.unwrap();
    server.try_read(&mut [0; 8]).map_err(|error| kind(&error))
}

pub(crate) async fn a_readable_stream_may_be_read_at_once() -> Written {
    let (mut client, server) = connected().await;
    client.write_all(b"ready").await.unwrap();
    server.readable().await.unwrap();
    server.try_read(&mut [0; 8]).map_err(|error| kind(&error))
}

pub(crate) async fn a_stream_with_data_is_readable() -> Read {
    let (mut client, mut server) = connected().await;
    client.write_all(b"ready").await.unwrap();
    server.readable().await.unwrap();
    read(&mut server).await
}

pub(crate) async fn a_stream_is_readable_at_the_end() -> Read {
    let (client, mut server) = connected().await;
    drop(client);
    server.readable().await.unwrap();
    read(&mut server).await
}

pub(crate) async fn a_reset_stream_is_readable_and_writable() -> (Read, io::ErrorKind, Read) {
    let mut client = reset_after("").await;
    client.readable().await.unwrap();
    client.writable().await.unwrap();
    let first = read(&mut client).await;
    (first, kind(&client.try_write(b"x").unwrap_err()), read(&mut client).await)
}

pub(crate) async fn an_empty_stream_is_not_readable() -> bool {
    let (client, _server) = connected().await;
    timeout(ms(50), client.readable()).await.is_err()
}

pub(crate) async fn slices_may_be_read_in_turn() -> (Written, String, String) {
    let (mut client, server) = connected().await;
    client.write_all(b"abcde").await.unwrap();
    server.readable().await.unwrap();
    let (mut first, mut second) = ([b'-'; 3], [b'-'; 4]);
    let read = server.try_read_vectored(&mut [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)]);
    (read.map_err(|error| kind(&error)), text(&first), text(&second))
}

pub(crate) async fn try_read_buf_may_append() -> (Written, String) {
    let (mut client, server) = connected().await;
    client.write_all(b"more").await.unwrap();
    server.readable().await.unwrap();
    let mut buffer = Vec::with_capacity(64);
    buffer.extend_from_slice(b"some ");
    let read = server.try_read_buf(&mut buffer).map_err(|error| kind(&error));
    (read, text(&buffer))
}

pub(crate) async fn a_new_stream_is_writable() -> (usize, usize, Read) {
    let (client, mut server) = connected().await;
    client.writable().await.unwrap();
    let one = client.try_write(b"one").unwrap();
    let rest = ["two", "three"].map(|slice| IoSlice::new(slice.as_bytes()));
    let two = client.try_write_vectored(&rest).unwrap();
    drop(client);
    (one, two, Ok(read_all(&mut server).await))
}

pub(crate) async fn try_write_after_shutdown_is_a_broken_pipe() -> io::ErrorKind {
    let (mut client, _server) = connected().await;
    client.shutdown().await.unwrap();
    client.writable().await.unwrap();
    kind(&client.try_write(b"x").unwrap_err())
}

pub(crate) async fn a_full_stream_is_writable_once_it_was_read() -> (io::ErrorKind, bool, bool) {
    let (client, mut server) = connected().await;
    let written = fill(&client).await;
    let full = kind(&client.try_write(b"x").unwrap_err());
    let (read, _) = drain(&mut server).await;
    (full, written == read, timeout(ms(300), client.writable()).await.is_ok())
}

pub(crate) async fn ready_tells_what_can_be_done() -> [bool; 2] {
    let (client, _server) = connected().await;
    let ready = client.ready(Interest::READABLE | Interest::WRITABLE).await.unwrap();
    [ready.is_readable(), ready.is_writable()]
}

pub(crate) async fn a_stream_can_be_ready_for_both() -> bool {
    let (client, mut server) = connected().await;
    server.write_all(b"x").await.unwrap();
    client.readable().await.unwrap();
    let ready = client.ready(Interest::READABLE | Interest::WRITABLE).await.unwrap();
    ready.is_readable() && ready.is_writable()
}

pub(crate) async fn ready_tells_of_the_end() -> bool {
    let (client, server) = connected().await;
    drop(server);
    let ready = client.ready(Interest::READABLE).await.unwrap();
    ready.is_readable()
}

pub(crate) async fn streams_can_be_polled() -> (String, Read) {
    let (client, mut server) = connected().await;
    poll_fn(|cx| client.poll_write_ready(cx)).await.unwrap();
    client.try_write(b"polled").unwrap();
    poll_fn(|cx| server.poll_read_ready(cx)).await.unwrap();
    let mut memory = [0; 3];
    let mut buffer = ReadBuf::new(&mut memory);
    poll_fn(|cx| server.poll_peek(cx, &mut buffer)).await.unwrap();
    (text(buffer.filled()), read(&mut server).await)
}

pub(crate) async fn operations_of_ones_own_are_called_when_ready() -> [u32; 2] {
    let (client, _server) = connected().await;
    client.writable().await.unwrap();
    let tried = client.try_io(Interest::WRITABLE, || Ok(1)).unwrap();
    [tried, client.async_io(Interest::WRITABLE, || Ok(2)).await.unwrap()]
}

pub(crate) async fn operations_of_ones_own_are_not_called_before() -> Result<(), io::ErrorKind> {
    let (client, _server) = connected().await;
    told(client.try_io(Interest::READABLE, || Ok(())))
}
pub(crate) async fn a_reader_tries_again_until_data_is_there() -> Written {
    let (mut client, server) = connected().await;
    client.write_all(b"ready").await.unwrap();
    loop {
        server.readable().await.unwrap();
        match server.try_read(&mut [0; 8]) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            done => return done.map_err(|error| kind(&error)),
        }
    }
}
