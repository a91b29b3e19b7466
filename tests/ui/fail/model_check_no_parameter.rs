#[netcheck::model_check]
fn check() {}

fn main() {}
