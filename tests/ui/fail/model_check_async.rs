#[netcheck::model_check]
async fn check(net: &mut netcheck::Network) {}

fn main() {}
