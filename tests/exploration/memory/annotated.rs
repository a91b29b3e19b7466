//! Annotated code whose loops are not captured closes and merges by memory as it does without annotations.

use netcheck::check::{Checker, Report, Udp, Verdict};

/// The same code as a module of its own, with annotations and without.
macro_rules! both {
    ($($code:tt)*) => {
        mod plain {
            use netcheck as tokio;

            $($code)*
        }

        #[netcheck::program]
        mod annotated {
            $($code)*
        }
    };
}

both! {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::tcp::OwnedWriteHalf;
    use tokio::net::{TcpListener, TcpStream, UdpSocket};
    use tokio::time::{Duration, timeout};

    type Store = Arc<Mutex<BTreeMap<String, String>>>;

    async fn answer(line: &str, store: &Store, writer: &mut OwnedWriteHalf) {
        let mut words = line.split_whitespace();
        let answer = match (words.next(), words.next(), words.next()) {
            (Some("set"), Some(key), Some(value)) => store.lock().unwrap().insert(key.into(), value.into()),
            (Some("get"), Some(key), _) => store.lock().unwrap().get(key).cloned(),
            _ => Some("?".to_owned()),
        };
        writer.write_all(format!("{answer:?}\n").as_bytes()).await.unwrap();
    }

    async fn handle(stream: TcpStream, store: Store) {
        let (reader, mut writer) = stream.into_split();
        let mut reader = BufReader::new(reader);
        let mut line = String::new();
        while reader.read_line(&mut line).await.unwrap() > 0 {
            answer(&line, &store, &mut writer).await;
            line.clear();
        }
    }

    pub async fn serve() {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        let store = Store::default();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(handle(stream, Arc::clone(&store)));
        }
    }

    async fn exchange(stream: &mut BufReader<TcpStream>) -> String {
        let mut line = String::new();
        stream.write_all(b"set a 1\n").await.unwrap();
        stream.read_line(&mut line).await.unwrap();
        line
    }

    pub async fn ask() {
        let mut stream = BufReader::new(TcpStream::connect("server:80").await.unwrap());
        let mut is_first = true;
        loop {
            assert_eq!(exchange(&mut stream).await.len(), if is_first { 5 } else { 10 });
            is_first = false;
        }
    }

    async fn echo_once(socket: &UdpSocket, heard: &[f64]) {
        let mut buffer = [0; 4];
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        assert!(heard.is_empty());
        socket.send_to(&buffer[..length], from).await.unwrap();
    }

    /// Its numbers have no `Hash`, and it has a task besides.
    pub async fn echo() {
        let socket = UdpSocket::bind("0.0.0.0:80").await.unwrap();
        tokio::spawn(std::future::pending::<()>());
        let mut heard: Vec<f64> = Vec::new();
        loop {
            echo_once(&socket, &heard).await;
            heard.clear();
        }
    }

    pub async fn ping() {
        let socket = UdpSocket::bind("0.0.0.0:90").await.unwrap();
        tokio::spawn(std::future::pending::<()>());
        loop {
            socket.send_to(b"ping", "server:80").await.unwrap();
            let _ = timeout(Duration::from_secs(1), socket.recv(&mut [0; 4])).await;
        }
    }
}

fn stream<S: Future<Output = ()> + 'static, C: Future<Output = ()> + 'static>(
    serve: fn() -> S,
    ask: fn() -> C,
) -> Report {
    Checker::new().liveness(false).check(|net| {
        net.daemon("server", serve);
        net.process("client", ask).after("server");
    })
}

fn datagrams<S: Future<Output = ()> + 'static, C: Future<Output = ()> + 'static>(
    echo: fn() -> S,
    ping: fn() -> C,
) -> Report {
    Checker::new().liveness(false).udp(Udp::new().loss()).check(|net| {
        net.daemon("server", echo);
        net.process("client", ping).after("server");
    })
}

#[test]
fn annotated_loops_that_are_not_captured_close() {
    for (plain, annotated) in [
        (stream(plain::serve, plain::ask), stream(annotated::serve, annotated::ask)),
        (datagrams(plain::echo, plain::ping), datagrams(annotated::echo, annotated::ping)),
    ] {
        assert_eq!((plain.verdict(), annotated.verdict()), (Verdict::Verified, Verdict::Verified), "{annotated}");
        // Stale bytes of the two differ.
        assert!(annotated.states() <= 2 * plain.states(), "{plain}{annotated}");
    }
}
