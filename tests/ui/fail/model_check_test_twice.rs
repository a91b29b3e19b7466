#[netcheck::model_check]
#[test]
fn check(net: &mut netcheck::Network) {}

fn main() {}
