//! What is checked: the proxy between clients and a server, each a process.

use super::*;
use netcheck::Network;
use netcheck::check::{Checker, Tcp};

/// A name, how it is checked, and what is checked.
pub type System = (&'static str, Checker, fn(&mut Network));

/// All of them. Those of two clients have a limit of states.
pub fn systems() -> Vec<System> {
    let open = || Checker::new().tcp(Tcp::new().fail_open()).at_most(1);
    vec![
        ("one client, no failure", Checker::new(), one_client),
        ("one client", open(), one_client),
        ("two clients, no failure", Checker::new().max_states(1_000_000), two_clients),
        ("two clients", open().max_states(1_000_000), two_clients),
        ("two clients, one after the other", open().max_states(1_000_000), one_after_the_other),
        ("two clients, one after the other, one failure ends all", open(), one_failure_ends_all),
        ("two clients, one failure ends all", open().max_states(1_000_000), two_clients_one_failure_ends_all),
    ]
}

/// A client with one request.
pub fn one_client(net: &mut Network) {
    proxy_and_server(net, Version::Corrected);
    client(net, "client-1").after("proxy");
}

/// Two clients at the same time, with one request each.
pub fn two_clients(net: &mut Network) {
    proxy_and_server(net, Version::Corrected);
    both_clients(net);
}

/// As [`two_clients`], with the mistake.
pub fn two_clients_one_failure_ends_all(net: &mut Network) {
    proxy_and_server(net, Version::OneFailureEndsAll);
    both_clients(net);
}

/// A client with two requests, on a connection each.
pub fn one_after_the_other(net: &mut Network) {
    proxy_and_server(net, Version::Corrected);
    patient_client(net);
}

/// As [`one_after_the_other`], with the mistake.
pub fn one_failure_ends_all(net: &mut Network) {
    proxy_and_server(net, Version::OneFailureEndsAll);
    patient_client(net);
}

fn proxy_and_server(net: &mut Network, version: Version) {
    net.daemon("server", || async { serve(TcpListener::bind("0.0.0.0:5000").await?).await });
    let run = move || async move {
        let listener = TcpListener::bind("0.0.0.0:4000").await?;
        proxy(listener, "server:5000".to_owned(), version).await
    };
    let proxy = net.daemon("proxy", run).after("server");
    if version == Version::OneFailureEndsAll {
        // What its end costs others is looked for.
        proxy.may_fail();
    }
}

/// An answer belongs to its request, or there is none.
async fn request(number: u32) -> Result<(), ErrorKind> {
    let request = format!("request {number}");
    let answer = ask("proxy:4000".to_owned(), &request).await.map_err(|error| error.kind())?;
    assert_eq!(answer, format!("answer to {request}"), "the answer to another request");
    Ok(())
}

fn client<'net>(net: &'net mut Network, name: &str) -> &'net mut netcheck::check::Registered {
    let number = name.bytes().last().map_or(0, |digit| u32::from(digit - b'0'));
    net.process(name, move || request(number))
}

fn both_clients(net: &mut Network) {
    client(net, "client-1").after("proxy");
    client(net, "client-2").after("proxy");
    net.finally(|end| {
        let answered = end.outputs().filter(|(_, output)| *output == Some("Ok(())")).count();
        assert!(answered >= 1, "one failure costs both clients their answers");
    });
}

fn patient_client(net: &mut Network) {
    let both = || async {
        let first = request(1).await;
        let second = request(2).await;
        assert!(first.is_ok() || second.is_ok(), "one failure costs both requests their answers");
    };
    net.process("client", both).after("proxy");
}
