//! Every word, at least once.

#[netcheck::model_check]
fn no_words(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check()]
fn empty_words(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check(
    udp(loss, duplication, reorder = 2, direction = send, delay, process = "client"),
    at_most = 1,
    search = bfs,
    max_states = 1_000_000,
    max_depth = 500,
    max_messages = 200,
    max_memory = 2 << 30,
    reduction = true,
    subsumption = false,
    symmetry = false,
    store = exact,
    threads = 2
)]
fn faults_by_name(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check(
    udp(copies = [1, 0, 2], window = 2, direction = receive, processes = ["client", "server"]),
    search = dfs,
    reduction = false,
    store = fingerprint,
)]
fn faults_by_number(net: &mut netcheck::Network) {
    net.process("client", || async {});
    net.process("server", || async {});
}

#[netcheck::model_check(udp(loss), subsumption = true, symmetry = true, tasks = tracked, capture = false, deadlocks = paper, audit = false)]
fn fewer_states(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check(udp(delay, direction = both), search = random)]
fn random(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check(udp(delay), search = random(seed = 7))]
fn random_from_a_seed(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check(search = joint, max_messages = 3 + 4)]
fn fewest_messages(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check(udp(loss), at_most = 2, search = faults)]
fn fewest_faults(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

const SEED: u64 = 7;

#[netcheck::model_check(search = random, seed = SEED)]
fn random_from_a_seed_beside_it(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check(search = pct, seed = SEED + 1)]
fn priorities(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

#[netcheck::model_check(search = pct(seed = SEED, depth = 2))]
fn priorities_in_full(net: &mut netcheck::Network) {
    net.process("client", || async {});
}

pub fn main() {}
