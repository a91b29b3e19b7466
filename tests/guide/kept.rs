//! The program of mended.rs, with the execution that has failed before as a test of its own.

include!("mended.rs");

#[netcheck::model_check(replay = "tests/guide/late_answer.json")]
fn an_answer_that_comes_twice_is_for_one_request(net: &mut netcheck::Network) {
    net.daemon("server", server);
    net.process("client", client).after("server");
}
