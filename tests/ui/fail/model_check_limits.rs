//! How to search, and how far.

mod at_most_without_faults {
    #[netcheck::model_check(at_most = 1, tasks = tracked)]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod capture {
    #[netcheck::model_check(capture = off)]
    #[netcheck::model_check(capture)]
    #[netcheck::model_check(capture = true, capture = false)]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod max_memory {
    #[netcheck::model_check(max_memory)]
    #[netcheck::model_check(max_memory = 2 << 30, max_memory = 9)]
    #[netcheck::model_check(udp(loss, max_memory = 9))]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod reduction {
    #[netcheck::model_check(reduction = off)]
    fn check(net: &mut netcheck::Network) {}
}

mod search {
    #[netcheck::model_check(search = bestfirst)]
    fn check(net: &mut netcheck::Network) {}
}

mod search_bfs_seed {
    #[netcheck::model_check(search = bfs(seed = 7))]
    fn check(net: &mut netcheck::Network) {}
}

mod search_faults_seed {
    #[netcheck::model_check(search = faults(seed = 7))]
    fn check(net: &mut netcheck::Network) {}
}

mod search_pct {
    #[netcheck::model_check(search = pct(7, depth = 0, seeds = 1))]
    fn check(net: &mut netcheck::Network) {}
}

mod search_random {
    #[netcheck::model_check(search = random(7))]
    fn check(net: &mut netcheck::Network) {}
}

mod seed {
    #[netcheck::model_check(search = random, seed)]
    fn no_value(net: &mut netcheck::Network) {}
}

mod store {
    #[netcheck::model_check(store = fingerprints)]
    #[netcheck::model_check(store = "exact")]
    #[netcheck::model_check(store(fingerprint))]
    #[netcheck::model_check(store = exact, store = fingerprint)]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod subsumption {
    #[netcheck::model_check(subsumption = on)]
    #[netcheck::model_check(subsumption)]
    #[netcheck::model_check(udp(loss, subsumption = true))]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod symmetry {
    #[netcheck::model_check(symmetry = on)]
    #[netcheck::model_check(symmetry)]
    #[netcheck::model_check(udp(loss, symmetry = true))]
    fn check(net: &mut netcheck::Network) {
        net.process("client", || async {});
    }
}

mod tasks {
    #[netcheck::model_check(tasks = traced)]
    fn unknown_kind(net: &mut netcheck::Network) {
        net.process("it", || async {});
    }
}

fn main() {}
