//! The words of `udp(…)`.

mod copies_empty {
    #[netcheck::model_check(udp(copies = []))]
    fn check(net: &mut netcheck::Network) {}
}

mod copies_not_numbers {
    #[netcheck::model_check(udp(copies = [1, "0", N]))]
    fn check(net: &mut netcheck::Network) {}
}

mod copies_repeated {
    #[netcheck::model_check(udp(copies = [1, 0, 1]))]
    fn check(net: &mut netcheck::Network) {}
}

mod copies_with_loss {
    #[netcheck::model_check(udp(loss, duplication, copies = [1, 0, 2]))]
    fn check(net: &mut netcheck::Network) {}
}

mod delay_half_open {
    #[netcheck::model_check(udp(delay = 1ms..200ms))]
    fn check(net: &mut netcheck::Network) {}
}

mod delay_of_streams {
    #[netcheck::model_check(tcp(delay = 200ms..=1ms))]
    fn check(net: &mut netcheck::Network) {}
}

mod delay_units {
    #[netcheck::model_check(udp(delay = [5, 5sec, 0.5s, 1000us, 1ms], window = 2))]
    fn check(net: &mut netcheck::Network) {}
}

mod direction {
    #[netcheck::model_check(udp(loss, direction = recieve))]
    fn check(net: &mut netcheck::Network) {}
}

mod loss_with_value {
    #[netcheck::model_check(udp(loss = true))]
    fn check(net: &mut netcheck::Network) {}
}

mod process_and_processes {
    #[netcheck::model_check(udp(loss, process = "client", processes = ["server"]))]
    fn check(net: &mut netcheck::Network) {}
}

mod process_not_a_string {
    #[netcheck::model_check(udp(loss, process = client))]
    fn check(net: &mut netcheck::Network) {}
}

mod processes_repeated {
    #[netcheck::model_check(udp(loss, processes = ["client", "client", ""]))]
    fn check(net: &mut netcheck::Network) {}
}

mod reorder_not_a_literal {
    #[netcheck::model_check(udp(reorder = REORDER))]
    fn check(net: &mut netcheck::Network) {}

    const REORDER: usize = 2;
}

mod reorder_with_window {
    #[netcheck::model_check(udp(reorder = 2, window = 2))]
    fn check(net: &mut netcheck::Network) {}
}

mod reorder_without_number {
    #[netcheck::model_check(udp(reorder))]
    fn check(net: &mut netcheck::Network) {}
}

mod reorder_zero {
    #[netcheck::model_check(udp(reorder = 0))]
    fn check(net: &mut netcheck::Network) {}
}

mod repeated_word {
    #[netcheck::model_check(udp(loss, delay, loss), at_most = 1, at_most = 2)]
    fn check(net: &mut netcheck::Network) {}
}

mod without_fault {
    #[netcheck::model_check(udp(direction = send))]
    fn check(net: &mut netcheck::Network) {}
}

mod without_parentheses {
    #[netcheck::model_check(udp)]
    fn check(net: &mut netcheck::Network) {}
}

mod unknown_udp_word {
    #[netcheck::model_check(udp(duplicate, corruption))]
    fn check(net: &mut netcheck::Network) {}
}

mod window_with_suffix {
    #[netcheck::model_check(udp(window = 2u8))]
    fn check(net: &mut netcheck::Network) {}
}

mod window_zero {
    #[netcheck::model_check(udp(window = 0))]
    fn check(net: &mut netcheck::Network) {}
}

mod word_in_the_wrong_list {
    #[netcheck::model_check(loss, udp(delay, at_most = 1))]
    fn check(net: &mut netcheck::Network) {}
}

fn main() {}
