#[netcheck::model_check(udb(loss), bandwidth = 3)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
