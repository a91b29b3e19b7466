#[netcheck::model_check(udp(loss), expect = panic)]
#[netcheck::model_check(udp(delay))]
#[should_panic(expected = "an answer")]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
