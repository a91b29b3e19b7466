//! Checks of a client that tries again: it does all of its jobs, or goes on for ever.

use backoff_program::{client, server};
use netcheck::Network;

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(open, read, write), at_most = 3, name = three_failures)]
fn all_jobs_are_done(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || client(Some(2))).after("server");
}

/// Its tokens expire by the date, and are renewed.
#[netcheck::model_check(whole, dates = relative)]
#[netcheck::model_check(whole, dates = relative, tcp(open, read, write), at_most = 1, name = one_failure)]
fn a_client_goes_on_for_ever(net: &mut Network) {
    net.daemon("server", server);
    net.daemon("client", || client(None)).after("server");
}
