#[netcheck::model_check(read, process = "client", udp(loss, reset), tcp(write, loss, at_most = 1))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
