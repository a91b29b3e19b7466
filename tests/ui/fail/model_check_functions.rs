//! What `#[model_check]` may stand on, and beside what.

mod generic {
    #[netcheck::model_check]
    fn check<T: Clone>(net: &mut netcheck::Network, value: T) {}
}

mod method {
    struct Checks;

    impl Checks {
        #[netcheck::model_check]
        fn check(&self) {}
    }
}

mod no_parameter {
    #[netcheck::model_check]
    fn check() {}
}

mod on_a_struct {
    #[netcheck::model_check]
    struct Check;
}

mod returns_impl_trait {
    #[netcheck::model_check]
    fn check(net: &mut netcheck::Network) -> impl std::process::Termination {
        net.process("client", || async {});
    }

    #[netcheck::model_check]
    fn never(net: &mut netcheck::Network) -> ! {
        panic!("registers nothing")
    }
}

mod runs_another_test_macro {
    #[netcheck::model_check]
    #[netcheck::test]
    async fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod test_twice {
    #[netcheck::model_check]
    #[test]
    fn check(net: &mut netcheck::Network) {}
}

fn main() {}
