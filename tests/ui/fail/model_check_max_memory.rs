#[netcheck::model_check(max_memory)]
#[netcheck::model_check(max_memory = 2 << 30, max_memory = 9)]
#[netcheck::model_check(udp(loss, max_memory = 9))]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
