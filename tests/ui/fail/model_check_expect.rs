#[netcheck::model_check(expect = panics)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
