//! The words of `tcp(…)`.

mod buffer_not_a_literal {
    #[netcheck::model_check(tcp(buffer = 4 * KIB))]
    fn check(net: &mut netcheck::Network) {}

    const KIB: usize = 1024;
}

mod buffer_without_number {
    #[netcheck::model_check(tcp(buffer))]
    fn check(net: &mut netcheck::Network) {}
}

mod buffer_zero {
    #[netcheck::model_check(tcp(buffer = 0))]
    fn check(net: &mut netcheck::Network) {}
}

mod failure_with_value {
    #[netcheck::model_check(tcp(read = 2, hang(often)))]
    fn check(net: &mut netcheck::Network) {}
}

mod first_with_suffix {
    #[netcheck::model_check(tcp(read, first = 2u32))]
    fn check(net: &mut netcheck::Network) {}
}

mod first_zero {
    #[netcheck::model_check(tcp(read, first = 0))]
    fn check(net: &mut netcheck::Network) {}
}

mod limits_without_failure {
    #[netcheck::model_check(tcp(split, processes = ["client"], side = client, first = 2))]
    fn check(net: &mut netcheck::Network) {}
}

mod process_and_processes {
    #[netcheck::model_check(tcp(read, process = "client", processes = ["server"]))]
    fn check(net: &mut netcheck::Network) {}
}

mod processes_repeated {
    #[netcheck::model_check(tcp(read, processes = ["client", "client", ""]))]
    fn check(net: &mut netcheck::Network) {}
}

mod repeated_word {
    #[netcheck::model_check(tcp(read, side = client, read, side = server), tcp(write))]
    fn check(net: &mut netcheck::Network) {}
}

mod side {
    #[netcheck::model_check(tcp(read, side = sever))]
    fn check(net: &mut netcheck::Network) {}
}

mod side_in_quotes {
    #[netcheck::model_check(tcp(read, side = "client"))]
    fn check(net: &mut netcheck::Network) {}
}

mod transient_without_failure {
    #[netcheck::model_check(tcp(reset, transient))]
    fn check(net: &mut netcheck::Network) {}
}

mod transient_with_value {
    #[netcheck::model_check(tcp(write, transient = true))]
    fn check(net: &mut netcheck::Network) {}
}

mod unknown_word {
    #[netcheck::model_check(tcp(opne, latency = 3))]
    fn check(net: &mut netcheck::Network) {}
}

mod without_parentheses {
    #[netcheck::model_check(tcp)]
    fn check(net: &mut netcheck::Network) {}
}

mod without_words {
    #[netcheck::model_check(tcp())]
    fn check(net: &mut netcheck::Network) {}
}

mod word_in_the_wrong_list {
    #[netcheck::model_check(read, process = "client", udp(loss, reset), tcp(write, loss, at_most = 1))]
    fn check(net: &mut netcheck::Network) {}
}

fn main() {}
