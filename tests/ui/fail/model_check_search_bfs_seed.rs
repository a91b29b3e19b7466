#[netcheck::model_check(search = bfs(seed = 7))]
fn check(net: &mut netcheck::Network) {}

fn main() {}
