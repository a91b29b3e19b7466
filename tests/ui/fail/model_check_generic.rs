#[netcheck::model_check]
fn check<T: Clone>(net: &mut netcheck::Network, value: T) {}

fn main() {}
