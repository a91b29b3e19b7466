#[netcheck::model_check(search = random(7))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
