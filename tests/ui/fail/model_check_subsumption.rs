#[netcheck::model_check(subsumption = on)]
#[netcheck::model_check(subsumption)]
#[netcheck::model_check(udp(loss, subsumption = true))]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
