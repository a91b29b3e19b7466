#[netcheck::model_check(capture = off)]
#[netcheck::model_check(capture)]
#[netcheck::model_check(capture = true, capture = false)]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
