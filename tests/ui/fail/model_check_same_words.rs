#[netcheck::model_check(udp(loss))]
#[netcheck::model_check(udp(loss))]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}

#[netcheck::model_check]
#[netcheck::model_check()]
fn without_words(net: &mut netcheck::Network) {
    net.process("client", || async {});
}
