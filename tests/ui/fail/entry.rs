//! `#[netcheck::main]` and `#[netcheck::test]`: their words, and what they may stand on.

mod main_arguments {
    #[netcheck::main(flavor = "multi_thread", start_paused = true, threads = 2)]
    async fn main() {}
}

mod main_function {
    #[netcheck::main]
    fn main() {}

    mod other {
        #[netcheck::main]
        async fn main(port: u16) {}
    }
}

mod test_arguments {
    use netcheck as tokio;

    #[tokio::test(flavour = "current_thread")]
    async fn unknown() {}

    #[tokio::test(flavor = "multi_threaded")]
    async fn no_flavor() {}

    #[tokio::test(flavor = "multi_thread", worker_threads = 0)]
    async fn no_threads() {}

    #[tokio::test(worker_threads = 2)]
    async fn threads_of_one_thread() {}

    #[tokio::test(start_paused = 1)]
    async fn not_a_boolean() {}

    #[tokio::test(unhandled_panic = "abort")]
    async fn no_behaviour() {}

    #[tokio::test(crate = tokio)]
    async fn not_in_quotes() {}

    #[tokio::test(flavor)]
    async fn no_value() {}
}

mod test_function {
    #[netcheck::test]
    fn not_async() {}

    #[netcheck::test]
    async fn parameters(port: u16) {}

    #[netcheck::test]
    async fn generic<T>() {}

    #[netcheck::test]
    #[test]
    async fn twice() {}

    #[netcheck::test]
    struct Server;
}

mod test_several_mistakes {
    #[netcheck::test(flavor = "single", worker_threads = "2", udp(loss))]
    fn several(port: u16) {}
}

fn main() {}
