#[netcheck::model_check(lossy)]
fn check(net: &mut netcheck::Network) {}

fn other(net: &mut netcheck::Network) {
    // One mistake gives one error: this call gives none.
    check(net);
}

#[allow(dead_code)]
const USED: fn(&mut netcheck::Network) = other;

fn main() {}
