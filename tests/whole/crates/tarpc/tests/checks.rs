//! Checks of the greeting, with every crate that it uses.

use netcheck::Network;
use tarpc_program::{greet, server};

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn a_greeting_comes_or_the_call_fails(net: &mut Network) {
    net.daemon("server", server);
    let greets = || async {
        match greet("world").await {
            Ok(greeting) => assert_eq!(greeting, "hello, world"),
            Err(_) => netcheck::sometimes!(true, "a call fails"),
        }
    };
    net.process("client", greets).after("server");
}
