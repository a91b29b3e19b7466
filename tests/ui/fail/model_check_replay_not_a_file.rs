#[netcheck::model_check(replay = trace)]
#[netcheck::model_check(replay = "", name = empty)]
#[netcheck::model_check(replay)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
