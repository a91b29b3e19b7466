#[netcheck::model_check(reduction = off)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
