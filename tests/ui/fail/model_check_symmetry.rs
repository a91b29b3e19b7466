#[netcheck::model_check(symmetry = on)]
#[netcheck::model_check(symmetry)]
#[netcheck::model_check(udp(loss, symmetry = true))]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
