//! Which test is made of a function, and how it is to end.

mod expect {
    #[netcheck::model_check(expect = panics)]
    fn check(net: &mut netcheck::Network) {}
}

mod name_in_a_list {
    #[netcheck::model_check(udp(loss, name = lossy))]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod name_is_still_there {
    #[netcheck::model_check(lossy)]
    fn check(net: &mut netcheck::Network) {}

    fn other(net: &mut netcheck::Network) {
        // One mistake gives one error: this call gives none.
        check(net);
    }

    #[allow(dead_code)]
    const USED: fn(&mut netcheck::Network) = other;
}

mod name_not_a_word {
    #[netcheck::model_check(name = "lossy", udp(loss))]
    #[netcheck::model_check(name = lossy::slow)]
    #[netcheck::model_check(name = self)]
    #[netcheck::model_check(name = 2)]
    #[netcheck::model_check(name)]
    #[netcheck::model_check(name = fn)]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod name_repeated {
    #[netcheck::model_check(name = lossy, udp(loss))]
    #[netcheck::model_check(name = lossy, udp(loss, delay))]
    #[netcheck::model_check(name = udp_delay)]
    #[netcheck::model_check(udp(delay))]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod replay_not_a_file {
    #[netcheck::model_check(replay = trace)]
    #[netcheck::model_check(replay = "", name = empty)]
    #[netcheck::model_check(replay)]
    fn check(net: &mut netcheck::Network) {}
}

mod replay_with_a_search {
    #[netcheck::model_check(replay = "trace.json", max_states = 10, search = dfs, expect = panic, snapshot)]
    #[netcheck::model_check(replay = "trace.json", reduction = false, expect = inconclusive)]
    #[netcheck::model_check(replay = "trace.json", name = small, store = fingerprint, max_memory = 1_000)]
    fn check(net: &mut netcheck::Network) {}
}

mod same_words {
    #[netcheck::model_check(udp(loss))]
    #[netcheck::model_check(udp(loss))]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }

    #[netcheck::model_check]
    #[netcheck::model_check()]
    fn without_words(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

/// The mistakes of all attributes are reported at once.
mod several_attributes {
    #[netcheck::model_check(udp(los))]
    #[netcheck::model_check(tcp(), search = bsf)]
    #[netcheck::model_check = "udp"]
    #[netcheck::model_check(udp(loss) at_most = 1)]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod should_panic_and_expect {
    #[netcheck::model_check(udp(loss), expect = panic)]
    #[netcheck::model_check(udp(delay))]
    #[should_panic(expected = "an answer")]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod snapshot_of_inconclusive {
    #[netcheck::model_check(max_states = 10, expect = inconclusive, snapshot)]
    fn check(net: &mut netcheck::Network) {}
}

mod snapshot_without_expect {
    #[netcheck::model_check(udp(loss), snapshot)]
    fn check(net: &mut netcheck::Network) {}
}

fn main() {}
