#[netcheck::process]
struct Client;

fn main() {}
