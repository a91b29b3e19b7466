//! Pipes.

use super::{LARGE, Trouble, at_once, read, text, tokio, told, write};
use std::io::{IoSlice, IoSliceMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::unix::pipe::pipe;
use tokio::time::Duration;

pub(crate) async fn a_pipe_ends_behind_what_was_written() -> Vec<String> {
    let (mut sender, mut receiver) = pipe().unwrap();
    for part in ["a", "bc", "def"] {
        sender.write_all(part.as_bytes()).await.unwrap();
    }
    drop(sender);
    let mut first = [0; 4];
    receiver.read_exact(&mut first).await.unwrap();
    let rest = read(&mut receiver).await.unwrap();
    vec![text(&first), rest, read(&mut receiver).await.unwrap(), read(&mut receiver).await.unwrap()]
}

pub(crate) async fn a_pipe_is_not_shut_down() -> (Result<(), Trouble>, Result<usize, Trouble>, String) {
    let (mut sender, mut receiver) = pipe().unwrap();
    let shut = told(sender.shutdown().await);
    let written = write(&mut sender, b"more").await;
    (shut, written, read(&mut receiver).await.unwrap())
}

/// Whether or not it has left something unread.
pub(crate) async fn a_pipe_without_reader_is_broken() -> Vec<[Result<usize, Trouble>; 4]> {
    let mut all = Vec::new();
    for unread in [b"".as_slice(), b"unread"] {
        let (mut sender, receiver) = pipe().unwrap();
        sender.write_all(unread).await.unwrap();
        drop(receiver);
        sender.writable().await.unwrap();
        let tried = sender.try_write(b"t").map_err(|error| super::trouble(&error));
        all.push([
            write(&mut sender, b"x").await,
            write(&mut sender, b"").await,
            tried,
            write(&mut sender, b"y").await,
        ]);
    }
    all
}

pub(crate) async fn an_end_of_a_pipe_can_be_tried() -> Vec<String> {
    let (sender, receiver) = pipe().unwrap();
    let mut seen = vec![format!("{:?}", receiver.try_read(&mut [0; 4]).map_err(|error| error.kind()))];
    let before = at_once(receiver.readable()).await.is_some();
    sender.writable().await.unwrap();
    let written = sender.try_write_vectored(&[IoSlice::new(b"one"), IoSlice::new(b"two")]).unwrap();
    receiver.readable().await.unwrap();
    let (mut first, mut second) = ([0; 2], [0; 2]);
    let read = receiver.try_read_vectored(&mut [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)]).unwrap();
    let mut rest = Vec::with_capacity(8);
    let appended = receiver.try_read_buf(&mut rest).unwrap();
    seen.push(format!("{before} {written} {read} {} {} {appended} {}", text(&first), text(&second), text(&rest)));
    drop(sender);
    receiver.readable().await.unwrap();
    seen.push(format!("{:?}", receiver.try_read(&mut [0; 4]).map_err(|error| error.kind())));
    seen
}

pub(crate) async fn ends_of_a_pipe_say_what_they_are_ready_for() -> Vec<bool> {
    let (sender, receiver) = pipe().unwrap();
    let room = sender.ready(Interest::WRITABLE).await.unwrap().is_writable();
    sender.try_write(b"x").unwrap();
    let bytes = receiver.ready(Interest::READABLE).await.unwrap().is_readable();
    drop(sender);
    tokio::time::sleep(Duration::from_millis(5)).await;
    vec![room, bytes, receiver.ready(Interest::READABLE).await.unwrap().is_readable()]
}

pub(crate) async fn a_pipe_is_full_until_it_is_read() -> (bool, bool, bool) {
    let (mut sender, mut receiver) = pipe().unwrap();
    let writer = tokio::spawn(async move { sender.write_all(&vec![b'x'; LARGE]).await.is_ok() });
    tokio::time::sleep(Duration::from_millis(5)).await;
    let waits = !writer.is_finished();
    let mut count = 0;
    let mut buffer = vec![0; 1 << 16];
    while count < LARGE {
        count += receiver.read(&mut buffer).await.unwrap();
    }
    (waits, writer.await.unwrap(), count == LARGE)
}

pub(crate) async fn a_waiting_reader_of_a_pipe_is_woken() -> [String; 2] {
    let (mut sender, mut receiver) = pipe().unwrap();
    let reader = tokio::spawn(async move {
        let first = read(&mut receiver).await.unwrap();
        [first, read(&mut receiver).await.unwrap()]
    });
    tokio::task::yield_now().await;
    sender.write_all(b"now").await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    drop(sender);
    reader.await.unwrap()
}

pub(crate) async fn a_waiting_writer_to_a_pipe_is_woken_when_its_reader_goes() -> Result<(), Trouble> {
    let (mut sender, receiver) = pipe().unwrap();
    let writer = tokio::spawn(async move { told(sender.write_all(&vec![b'x'; LARGE]).await) });
    tokio::time::sleep(Duration::from_millis(5)).await;
    drop(receiver);
    writer.await.unwrap()
}
