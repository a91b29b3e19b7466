#[netcheck::model_check(name = lossy, udp(loss))]
#[netcheck::model_check(name = lossy, udp(loss, delay))]
#[netcheck::model_check(name = udp_delay)]
#[netcheck::model_check(udp(delay))]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
