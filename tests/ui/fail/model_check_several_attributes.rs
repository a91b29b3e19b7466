//! The mistakes of all attributes are reported at once.

#[netcheck::model_check(udp(los))]
#[netcheck::model_check(tcp(), search = bsf)]
#[netcheck::model_check = "udp"]
#[netcheck::model_check(udp(loss) at_most = 1)]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
