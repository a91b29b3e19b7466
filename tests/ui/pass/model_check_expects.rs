//! Each kind of violation can be expected.

#[netcheck::model_check(expect = panic)]
fn a_panic(net: &mut netcheck::Network) {
    net.process("client", || async { panic!("as expected") });
}

#[netcheck::model_check(expect = any)]
fn any_violation(net: &mut netcheck::Network) {
    net.process("client", || async { panic!("as expected") });
}

#[netcheck::model_check(expect = deadlock)]
fn a_deadlock(net: &mut netcheck::Network) {
    net.process("client", || async { std::future::pending::<()>().await });
}

#[netcheck::model_check(liveness = on, expect = liveness)]
fn an_execution_that_never_ends(net: &mut netcheck::Network) {
    net.process("client", || async {
        loop {
            netcheck::task::yield_now().await;
        }
    });
}

#[netcheck::model_check]
#[should_panic]
fn a_panic_that_was_not_expected(net: &mut netcheck::Network) {
    net.process("client", || async { panic!("not expected") });
}

pub fn main() {}
