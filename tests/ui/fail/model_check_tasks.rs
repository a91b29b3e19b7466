#[netcheck::model_check(tasks = traced)]
fn unknown_kind(net: &mut netcheck::Network) {
    net.process("it", || async {});
}

fn main() {}
