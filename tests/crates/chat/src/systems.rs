//! What is checked: the server and its clients, each a process.

use super::*;
use netcheck::Network;
use netcheck::check::{Checker, Tcp};

/// A name, how it is checked, and what is checked.
pub type System = (&'static str, Checker, fn(&mut Network));

/// All of them. Those of two clients have a limit of states.
pub fn systems() -> Vec<System> {
    let failing = || Checker::new().tcp(Tcp::new().fail_read().fail_write()).at_most(1);
    const MANY: usize = 1_000_000;
    vec![
        ("one client, no failure", Checker::new(), one_client),
        ("one client", failing(), one_client),
        ("two clients, no failure", Checker::new().max_states(MANY), two_clients),
        ("two clients", failing().max_states(MANY), two_clients_that_may_fail),
        ("two clients, welcomed first", Checker::new().max_states(MANY), two_clients_welcomed_first),
    ]
}

/// A client that nobody else comes to.
pub fn one_client(net: &mut Network) {
    server(net, Version::Corrected);
    client(net, "client-1");
    net.finally(|end| end.output("client-1").is_some_and(|heard| heard.starts_with("Err")));
}

/// Two clients that come at the same time: each hears what the other says, once.
pub fn two_clients(net: &mut Network) {
    two(net, Version::Corrected);
    net.finally(each_hears_the_other);
}

/// Two clients that come at the same time; one of them may fail.
pub fn two_clients_that_may_fail(net: &mut Network) {
    two(net, Version::Corrected);
}

/// As [`two_clients`], with the mistake.
pub fn two_clients_welcomed_first(net: &mut Network) {
    two(net, Version::WelcomedFirst);
    net.finally(each_hears_the_other);
}

fn each_hears_the_other(end: &netcheck::End) {
    for client in CLIENTS {
        assert_eq!(end.output(client), Some("Ok(1)"), "{client} has not heard the other");
    }
}

const CLIENTS: [&str; 2] = ["client-1", "client-2"];

fn two(net: &mut Network, version: Version) {
    server(net, version);
    CLIENTS.iter().for_each(|name| client(net, name));
}

fn server(net: &mut Network, version: Version) {
    let run = move || async move { serve(TcpListener::bind("0.0.0.0:4000").await?, version).await };
    net.daemon("server", run);
}

/// Says its name, and tells how many lines it has heard: none of its own, and none twice.
fn client(net: &mut Network, name: &'static str) {
    let run = move || async move {
        let heard = talk("server:4000", name, Duration::from_secs(60)).await.map_err(|error| error.kind())?;
        assert!(
            heard.iter().all(|said| said != name && CLIENTS.contains(&said.as_str())),
            "{name} has heard {heard:?}"
        );
        assert!(heard.len() <= 1, "delivered twice: {heard:?}");
        Ok::<usize, ErrorKind>(heard.len())
    };
    net.process(name, run).after("server");
}
