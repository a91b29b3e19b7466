//! The traits and adaptors of `tokio::io`, over memory.

use super::tokio;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, BufWriter, copy_bidirectional, duplex, split,
};

pub(crate) async fn a_buffered_writer_writes_when_it_is_flushed() -> (Vec<u8>, usize) {
    let (near, mut far) = duplex(64);
    let mut writer = BufWriter::new(near);
    writer.write_u8(3).await.unwrap();
    writer.write_all(b"abc").await.unwrap();
    let held = writer.buffer().len();
    writer.flush().await.unwrap();
    let mut read = [0; 4];
    far.read_exact(&mut read).await.unwrap();
    (read.to_vec(), held)
}

pub(crate) async fn a_buffered_writer_reads_through() -> (usize, Vec<u8>) {
    let (near, mut far) = duplex(64);
    far.write_all(b"hello").await.unwrap();
    let mut stream = BufWriter::new(near);
    let mut buffer = Vec::with_capacity(16);
    (stream.read_buf(&mut buffer).await.unwrap(), buffer)
}

pub(crate) async fn bytes_are_copied_both_ways() -> ((u64, u64), Vec<u8>, Vec<u8>) {
    let (mut client, mut near) = duplex(8);
    let (mut far, mut server) = duplex(8);
    let copied = tokio::spawn(async move { copy_bidirectional(&mut near, &mut far).await.unwrap() });
    client.write_all(b"request").await.unwrap();
    client.shutdown().await.unwrap();
    let mut request = Vec::new();
    server.read_to_end(&mut request).await.unwrap();
    server.write_all(b"answer").await.unwrap();
    drop(server);
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await.unwrap();
    (copied.await.unwrap(), request, answer)
}

pub(crate) async fn lines_are_read_from_a_half() -> Vec<String> {
    let (near, far) = duplex(64);
    let (reading, _writing) = split(near);
    let mut far = far;
    far.write_all(b"one\ntwo\n").await.unwrap();
    drop(far);
    let mut lines = BufReader::new(reading).lines();
    let mut read = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        read.push(line);
    }
    read
}
