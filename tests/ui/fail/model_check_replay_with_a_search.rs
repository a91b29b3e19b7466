#[netcheck::model_check(replay = "trace.json", max_states = 10, search = dfs, expect = panic, snapshot)]
#[netcheck::model_check(replay = "trace.json", reduction = false, expect = inconclusive)]
#[netcheck::model_check(replay = "trace.json", name = small, store = fingerprint, max_memory = 1_000)]
fn check(net: &mut netcheck::Network) {}

fn main() {}
