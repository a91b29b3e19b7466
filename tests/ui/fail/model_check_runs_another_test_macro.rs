#[netcheck::model_check]
#[netcheck::test]
async fn check(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

fn main() {}
