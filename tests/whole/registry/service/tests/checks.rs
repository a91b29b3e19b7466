//! Checks of the service, with the package that it depends on.

use netcheck::Network;

#[netcheck::model_check(whole)]
fn two_is_doubled(net: &mut Network) {
    net.daemon("server", protocol::serve);
    net.process("client", || async { assert_eq!(service::doubled().await.unwrap(), 4) }).after("server");
}

#[netcheck::model_check(whole, tcp(reset), at_most = 1, expect = panic)]
fn a_reset_is_an_error(net: &mut Network) {
    net.daemon("server", protocol::serve);
    net.process("client", || async { _ = service::doubled().await.unwrap() }).after("server");
}
