//! Checks of a server whose clients have to stay present while they are alive.

use netcheck::Network;
use netcheck::check::Checker;
use presence_program::{server, stays_alive, stays_present};
use std::time::Duration;

/// A server that forgets clients after so long, a client, and somebody who asks for it.
fn network(net: &mut Network, forgets_after: Duration) {
    net.daemon("server", move || server(forgets_after));
    net.daemon("client", || stays_alive("client")).after("server");
    let asks = || async { assert!(stays_present("client").await.unwrap(), "a client that is alive was forgotten") };
    net.process("asks", asks).after("server");
}

#[netcheck::model_check(whole)]
fn a_client_that_is_alive_stays_present(net: &mut Network) {
    network(net, Duration::from_secs(3));
}

/// The client is just about to say so when it is forgotten.
#[netcheck::model_check(whole, expect = panic)]
fn a_client_is_forgotten_too_early(net: &mut Network) {
    network(net, Duration::from_secs(1));
}

/// The build has a copy of its own of the crate that writes lines.
#[test]
fn a_counterexample_tells_the_line_of_the_program_and_that_of_the_crate() {
    if option_env!("NETCHECK_WHOLE").is_none() {
        println!("left out: run it with `cargo netcheck test`");
        return;
    }
    let report = Checker::new().check(|net| network(net, Duration::from_secs(1)));
    let text = report.counterexample().expect("it is found").to_string();
    let writes =
        text.lines().find(|line| line.contains(r#"write "alive client\n""#)).unwrap_or_else(|| panic!("{text}"));
    assert!(writes.contains("(presence/src/lib.rs:") && writes.contains(", in tokio-util-0.7."), "{text}");
}

/// Two loops that never end, and nothing else.
#[netcheck::model_check(whole)]
fn a_client_and_its_server_go_on_for_ever(net: &mut Network) {
    net.daemon("server", || server(Duration::from_secs(3)));
    net.daemon("client", || stays_alive("client")).after("server");
}
