//! What is checked: the server and its clients, each a process.

use super::*;
use netcheck::Network;
use netcheck::check::{Checker, Tcp};
use tokio::time::{sleep, timeout};

/// A name, how it is checked, and what is checked.
pub type System = (&'static str, Checker, fn(&mut Network));

/// All of them. Those that are too big have a limit of states.
pub fn systems() -> Vec<System> {
    let calm = Checker::new;
    let failing = || Checker::new().tcp(Tcp::new().fail_read().fail_write()).at_most(1);
    const MANY: usize = 1_000_000;
    vec![
        ("one client, no failure", calm(), one_client),
        ("one client", failing().max_states(MANY), one_client),
        ("expiry, no failure", calm(), expiry),
        ("expiry", failing().max_states(MANY), expiry),
        ("shutdown, no failure", calm(), shutdown),
        ("shutdown", failing().max_states(MANY), shutdown),
        ("two connections in turn", failing(), in_turn),
        ("two connections in turn, a seat is lost", failing(), in_turn_a_seat_is_lost),
        ("two clients, no failure", calm().max_states(MANY), two_clients),
        ("two clients", failing().max_states(MANY), two_clients),
        ("two clients, one seat", failing().max_states(MANY), two_clients_one_seat),
        ("own messages, no failure", calm().max_states(MANY), own_messages),
        ("own messages", failing().max_states(MANY), own_messages),
        ("publisher and subscriber, no failure", calm().max_states(MANY), publisher_and_subscriber),
        ("publisher and subscriber", failing().max_states(MANY), publisher_and_subscriber),
        ("three clients, no failure", calm().max_states(MANY), three_clients),
    ]
}

/// A client that reads back what it has stored, and no more once it has deleted it.
pub fn one_client(net: &mut Network) {
    server(net, 2, Version::Corrected);
    client(net, "client", async |client| {
        assert_eq!(client.ask("SET key 1").await?, "OK");
        assert_eq!(client.ask("GET key").await?, "1");
        assert_eq!(client.ask("DEL key").await?, "1");
        assert_eq!(client.ask("GET key").await?, "nil");
        Ok(())
    });
}

/// A value expires, and one that replaces it in time does not.
pub fn expiry(net: &mut Network) {
    server(net, 2, Version::Corrected);
    client(net, "client", async |client| {
        assert_eq!(client.ask("SET key 1").await?, "OK");
        assert_eq!(client.ask("EXPIRE key 10").await?, "1");
        sleep(Duration::from_secs(11)).await;
        assert_eq!(client.ask("GET key").await?, "nil");
        assert_eq!(client.ask("SET key 2").await?, "OK");
        assert_eq!(client.ask("EXPIRE key 10").await?, "1");
        assert_eq!(client.ask("SET key 3").await?, "OK");
        sleep(Duration::from_secs(11)).await;
        assert_eq!(client.ask("GET key").await?, "3", "a new value expires with the old one");
        Ok(())
    });
}

/// The server ends once it is told to, and whoever told it has left.
pub fn shutdown(net: &mut Network) {
    net.process("server", || serving(2, Version::Corrected));
    client(net, "client", async |client| {
        assert_eq!(client.ask("SHUTDOWN").await?, "OK");
        Ok(())
    });
}

/// One seat, and a client that comes twice.
pub fn in_turn(net: &mut Network) {
    coming_twice(net, Version::Corrected);
}

/// As [`in_turn`], with the mistake.
pub fn in_turn_a_seat_is_lost(net: &mut Network) {
    coming_twice(net, Version::SeatIsLost);
}

fn coming_twice(net: &mut Network, version: Version) {
    server(net, 1, version);
    let get = async || Client::connect("server:4000").await?.ask("GET key").await;
    let twice = move || async move {
        let (first, second) = (get().await, get().await);
        assert!(first.is_ok() || second.is_ok(), "one failure ends both conversations");
        assert!([first, second].iter().flatten().all(|answer| answer == "nil"));
    };
    net.process("client", twice).after("server");
}

/// Two clients that store under one key, and read.
pub fn two_clients(net: &mut Network) {
    two_writers(net, 2);
}

/// As [`two_clients`], one after the other.
pub fn two_clients_one_seat(net: &mut Network) {
    two_writers(net, 1);
}

/// As [`two_clients`], with a third one, of another key.
pub fn three_clients(net: &mut Network) {
    two_writers(net, 3);
    client(net, "client-3", async |client| {
        assert_eq!(client.ask("SET other 3").await?, "OK");
        assert_eq!(client.ask("GET other").await?, "3");
        Ok(())
    });
}

fn two_writers(net: &mut Network, seats: usize) {
    server(net, seats, Version::Corrected);
    writer(net, "client-1", "SET key 1");
    writer(net, "client-2", "SET key 2");
    net.finally(|end| {
        let read = |client| end.output(client).unwrap_or_default().to_owned();
        let (first, second) = (read("client-1"), read("client-2"));
        assert!(!(first == r#"Ok("2")"# && second == r#"Ok("1")"#), "each was stored after the other");
    });
}

fn writer(net: &mut Network, name: &str, set: &'static str) {
    client(net, name, async move |client| {
        assert_eq!(client.ask(set).await?, "OK");
        let value = client.ask("GET key").await?;
        assert!(["1", "2"].contains(&value.as_str()), "nobody has stored {value}");
        Ok(value)
    });
}

/// A client that subscribes on one connection, and publishes on another one.
pub fn own_messages(net: &mut Network) {
    server(net, 2, Version::Corrected);
    client(net, "client", async |subscriber| {
        assert_eq!(subscriber.ask("SUBSCRIBE news").await?, "OK");
        let mut publisher = Client::connect("server:4000").await?;
        let mut heard = 0;
        for message in ["one", "two"] {
            if publisher.ask(&format!("PUBLISH news {message}")).await? == "1" {
                assert_eq!(subscriber.next().await?, message, "lost, or delivered twice");
                heard += 1;
            }
        }
        Ok(heard)
    });
}

/// A client that subscribes, and one that publishes until somebody has got it.
pub fn publisher_and_subscriber(net: &mut Network) {
    server(net, 2, Version::Corrected);
    client(net, "subscriber", async |client| {
        assert_eq!(client.ask("SUBSCRIBE news").await?, "OK");
        // The publisher may have failed.
        if let Ok(message) = timeout(Duration::from_secs(60), client.next()).await {
            assert_eq!(message?, "one");
        }
        Ok(())
    });
    client(net, "publisher", async |client| {
        for _ in 0..2 {
            let receivers = client.ask("PUBLISH news one").await?;
            assert!(["0", "1"].contains(&receivers.as_str()), "{receivers} have got it");
            if receivers == "1" {
                break;
            }
            sleep(Duration::from_secs(1)).await;
        }
        Ok(())
    });
}

async fn serving(seats: usize, version: Version) -> Result<(), ErrorKind> {
    let listener = TcpListener::bind("0.0.0.0:4000").await.expect("the port is free");
    serve(listener, seats, version).await.map_err(|error| error.kind())
}

fn server(net: &mut Network, seats: usize, version: Version) {
    net.daemon("server", move || serving(seats, version));
}

/// Once its connection fails, a client gives up.
fn client<T: std::fmt::Debug + 'static>(
    net: &mut Network,
    name: &str,
    speak: impl AsyncFn(&mut Client) -> io::Result<T> + Clone + Send + Sync + 'static,
) {
    let run = move || {
        let speak = speak.clone();
        async move {
            let spoken = async { speak(&mut Client::connect("server:4000").await?).await };
            spoken.await.map_err(|error| error.kind())
        }
    };
    net.process(name, run).after("server");
}
