#[netcheck::model_check(udp(loss, name = lossy))]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
