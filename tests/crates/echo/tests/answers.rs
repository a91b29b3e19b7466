//! The library as others see it: `cargo test -p echo --features netcheck`.

#[netcheck::model_check(udp(duplication))]
fn a_request_that_comes_twice_is_answered(net: &mut netcheck::Network) {
    net.daemon("server", || echo::serve(4000));
    net.process("client", || async { echo::ask("server:4000", b"ask").await.unwrap() }).after("server");
    net.finally(|end| end.output("client") == Some("[97, 115, 107]"));
}
