#[netcheck::model_check(at_most = 1, tasks = tracked)]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
