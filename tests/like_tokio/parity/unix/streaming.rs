//! Streams: reading, writing, closing, halves and readiness.

use super::{LARGE, connected, io, read, shown, text, timeout, tokio, told, trouble, write};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest, copy};
use tokio::net::UnixStream;
use tokio::time::Duration;

pub(crate) async fn a_write_is_readable_at_once() -> Vec<String> {
    let (client, server) = connected().await;
    server.writable().await.unwrap();
    let written = server.try_write(b"now").unwrap();
    client.readable().await.unwrap();
    let mut buffer = [0; 8];
    let length = client.try_read(&mut buffer).unwrap();
    vec![written.to_string(), text(&buffer[..length])]
}

pub(crate) async fn writes_have_no_borders() -> Vec<String> {
    let (mut client, mut server) = connected().await;
    for part in ["a", "bc", "def"] {
        server.write_all(part.as_bytes()).await.unwrap();
    }
    drop(server);
    let mut first = [0; 4];
    client.read_exact(&mut first).await.unwrap();
    let rest = read(&mut client).await.unwrap();
    vec![text(&first), rest, read(&mut client).await.unwrap()]
}

pub(crate) async fn a_closed_peer_takes_no_write() -> Vec<String> {
    let (mut client, server) = connected().await;
    drop(server);
    let writes = [write(&mut client, b"").await, write(&mut client, b"x").await, write(&mut client, b"y").await];
    let reads = [read(&mut client).await, read(&mut client).await];
    vec![format!("{writes:?}"), format!("{reads:?}")]
}

pub(crate) async fn closing_with_unread_bytes_resets_behind_the_last_words() -> Vec<String> {
    let (mut client, mut server) = connected().await;
    client.write_all(b"unread").await.unwrap();
    server.write_all(b"last words").await.unwrap();
    drop(server);
    let written = write(&mut client, b"x").await;
    let reads = [read(&mut client).await, read(&mut client).await, read(&mut client).await, read(&mut client).await];
    vec![format!("{written:?}"), format!("{reads:?}")]
}

pub(crate) async fn closing_with_a_rest_unread_resets_after_shutdown_too() -> Vec<String> {
    let (mut client, mut server) = connected().await;
    client.write_all(b"unread").await.unwrap();
    client.shutdown().await.unwrap();
    server.write_all(b"last").await.unwrap();
    server.shutdown().await.unwrap();
    let first = read(&mut client).await;
    let end = read(&mut client).await;
    server.read_exact(&mut [0; 3]).await.unwrap();
    drop(server);
    vec![format!("{:?}", [first, end, read(&mut client).await, read(&mut client).await])]
}

pub(crate) async fn the_error_of_a_reset_can_be_taken() -> Vec<String> {
    let (mut client, server) = connected().await;
    client.write_all(b"unread").await.unwrap();
    drop(server);
    let taken = client.take_error().unwrap().map(|error| trouble(&error));
    let again = client.take_error().unwrap().is_none();
    vec![format!("{taken:?} {again}"), format!("{:?}", read(&mut client).await)]
}

pub(crate) async fn a_shut_down_end_still_reads() -> Vec<String> {
    let (mut client, mut server) = connected().await;
    client.write_all(b"ask").await.unwrap();
    client.shutdown().await.unwrap();
    let writes = [write(&mut client, b"").await, write(&mut client, b"x").await];
    let mut asked = String::new();
    server.read_to_string(&mut asked).await.unwrap();
    server.write_all(b"answer").await.unwrap();
    drop(server);
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    let twice = told(client.shutdown().await);
    vec![asked, answer, format!("{writes:?} {twice:?}")]
}

pub(crate) async fn a_waiting_reader_is_woken_by_the_end() -> String {
    let (mut client, server) = connected().await;
    let reader = tokio::spawn(async move { format!("{:?}", read(&mut client).await) });
    tokio::task::yield_now().await;
    drop(server);
    reader.await.unwrap()
}

pub(crate) async fn a_waiting_writer_is_woken_when_its_peer_goes() -> String {
    let (mut client, server) = connected().await;
    let writer =
        tokio::spawn(async move { client.write_all(&vec![b'x'; LARGE]).await.map_err(|error| trouble(&error)) });
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
    drop(server);
    format!("{:?}", writer.await.unwrap())
}

pub(crate) async fn a_writer_waits_for_its_reader() -> (bool, usize) {
    let (mut client, mut server) = connected().await;
    let writer = tokio::spawn(async move { client.write_all(&vec![b'x'; LARGE]).await.is_ok() });
    let mut count = 0;
    let mut buffer = vec![0; 1 << 16];
    while count < LARGE {
        count += server.read(&mut buffer).await.unwrap();
    }
    (writer.await.unwrap(), count - LARGE)
}

pub(crate) async fn a_pair_is_connected() -> Vec<String> {
    let (mut one, mut two) = UnixStream::pair().unwrap();
    one.write_all(b"ping").await.unwrap();
    let asked = read(&mut two).await;
    two.write_all(b"pong").await.unwrap();
    drop(two);
    vec![format!("{asked:?}"), format!("{:?}", [read(&mut one).await, read(&mut one).await])]
}

pub(crate) async fn pairs_are_made_anew() -> Vec<String> {
    let mut seen = Vec::new();
    for number in 0..3u8 {
        let (mut one, mut two) = UnixStream::pair().unwrap();
        let (mut other, _kept) = UnixStream::pair().unwrap();
        one.write_all(&[b'0' + number]).await.unwrap();
        other.write_all(b"?").await.unwrap();
        seen.push(format!("{:?}", read(&mut two).await));
    }
    seen
}

pub(crate) async fn an_empty_stream_is_not_readable() -> Vec<String> {
    // Linux may say of an accepted stream that it is readable when it is not.
    let (client, _server) = connected().await;
    let kind = client.try_read(&mut [0; 4]).unwrap_err().kind();
    let ready = client.ready(Interest::READABLE | Interest::WRITABLE).await.unwrap();
    vec![format!("{kind:?}"), format!("{} {}", ready.is_readable(), ready.is_writable())]
}

pub(crate) async fn halves_are_used_by_two_tasks() -> Vec<String> {
    let (client, server) = connected().await;
    let (mut reading, mut writing) = server.into_split();
    let echo = tokio::spawn(async move { copy(&mut reading, &mut writing).await.unwrap() });
    let (mut from, mut to) = client.into_split();
    to.write_all(b"echo").await.unwrap();
    drop(to);
    let mut all = String::new();
    from.read_to_string(&mut all).await.unwrap();
    vec![all, echo.await.unwrap().to_string()]
}

pub(crate) async fn halves_are_reunited() -> Vec<String> {
    let (client, mut server) = connected().await;
    let (reading, writing) = client.into_split();
    let (other, _rest) = UnixStream::pair().unwrap().0.into_split();
    let error = other.reunite(writing).unwrap_err();
    let mut client = reading.reunite(error.1).unwrap();
    client.write_all(b"whole").await.unwrap();
    vec![
        format!("{:?}", read(&mut server).await),
        shown(&client.peer_addr().unwrap()),
        error.0.local_addr().unwrap().is_unnamed().to_string(),
    ]
}

pub(crate) async fn borrowed_halves_can_be_tried() -> Vec<String> {
    let (mut client, mut server) = connected().await;
    {
        let (reading, writing) = client.split();
        writing.writable().await.unwrap();
        assert_eq!(writing.try_write(b"half").unwrap(), 4);
        assert_eq!(reading.try_read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }
    vec![format!("{:?}", read(&mut server).await)]
}

pub(crate) async fn dropping_the_write_half_shuts_down() -> Vec<String> {
    let (client, mut server) = connected().await;
    let (mut reading, writing) = client.into_split();
    drop(writing);
    let end = read(&mut server).await;
    server.write_all(b"still").await.unwrap();
    vec![format!("{end:?}"), format!("{:?}", read(&mut reading).await)]
}

pub(crate) async fn forgetting_the_write_half_shuts_nothing_down() -> bool {
    let (client, mut server) = connected().await;
    let (_reading, writing) = client.into_split();
    writing.forget();
    timeout(Duration::from_millis(50), read(&mut server)).await.is_err()
}

pub(crate) async fn a_full_stream_would_block() -> Vec<String> {
    let (client, server) = connected().await;
    client.writable().await.unwrap();
    let piece = vec![0; LARGE];
    let mut count = 0;
    let full = loop {
        match client.try_write(&piece) {
            Ok(more) => count += more,
            Err(error) => break error.kind(),
        }
    };
    drop(server);
    vec![format!("{full:?} {}", count < LARGE)]
}

pub(crate) async fn polls_are_answered() -> Vec<String> {
    let (client, mut server) = connected().await;
    std::future::poll_fn(|cx| client.poll_write_ready(cx)).await.unwrap();
    server.write_all(b"x").await.unwrap();
    std::future::poll_fn(|cx| client.poll_read_ready(cx)).await.unwrap();
    let mut buffer = Vec::with_capacity(4);
    let length = client.try_read_buf(&mut buffer).unwrap();
    let own = client.try_io(Interest::READABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
    vec![format!("{length} {buffer:?}"), format!("{:?}", own.unwrap_err().kind())]
}

pub(crate) async fn a_stream_is_taken_apart_and_put_together() -> Vec<String> {
    let (client, mut server) = connected().await;
    let apart = client.into_std().unwrap();
    let mut client = UnixStream::from_std(apart).unwrap();
    client.write_all(b"again").await.unwrap();
    vec![format!("{:?}", read(&mut server).await)]
}
