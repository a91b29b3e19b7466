#[netcheck::model_check]
struct Check;

fn main() {}
