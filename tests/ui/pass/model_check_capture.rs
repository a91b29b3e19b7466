//! `capture`, alone and with other words.

#[netcheck::model_check(capture = false)]
#[netcheck::model_check(capture = true, tasks = tracked)]
#[netcheck::model_check(udp(loss), capture = false, reduction = false, at_most = 1)]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

pub fn main() {}
