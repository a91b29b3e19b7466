#[netcheck::model_check(max_states = 10, expect = inconclusive, snapshot)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
