#[netcheck::model_check(search = pct(7, depth = 0, seeds = 1))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
