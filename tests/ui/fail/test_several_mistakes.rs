#[netcheck::test(flavor = "single", worker_threads = "2", udp(loss))]
fn several(port: u16) {}

fn main() {}
