#[netcheck::model_check]
fn check(net: &mut netcheck::Network) -> impl std::process::Termination {
    net.process("client", || async {});
}

#[netcheck::model_check]
fn never(net: &mut netcheck::Network) -> ! {
    panic!("registers nothing")
}

fn main() {}
