//! Checks of a rate limiter: nobody goes on more often than it may.

use limiter_program::{client, server};
use netcheck::Network;

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(open, read, write), at_most = 1, name = one_failure)]
fn a_client_goes_on_as_often_as_it_may(net: &mut Network) {
    net.daemon("server", server);
    net.daemon("client", || client("a")).after("server");
}

#[netcheck::model_check(whole, duration = 3s)]
fn two_clients_share_a_bucket(net: &mut Network) {
    net.daemon("server", server);
    net.daemon("one", || client("a")).after("server");
    net.daemon("other", || client("a")).after("server");
}
