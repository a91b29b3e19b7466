#[netcheck::process]
fn client(server: String) {}

fn main() {}
