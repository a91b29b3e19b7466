#[netcheck::model_check(name = "lossy", udp(loss))]
#[netcheck::model_check(name = lossy::slow)]
#[netcheck::model_check(name = self)]
#[netcheck::model_check(name = 2)]
#[netcheck::model_check(name)]
#[netcheck::model_check(name = fn)]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
