#[netcheck::model_check(store = fingerprints)]
#[netcheck::model_check(store = "exact")]
#[netcheck::model_check(store(fingerprint))]
#[netcheck::model_check(store = exact, store = fingerprint)]
fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
