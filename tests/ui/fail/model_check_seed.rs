#[netcheck::model_check(seed = 7)]
fn no_search(net: &mut netcheck::Network) {}

#[netcheck::model_check(search = dfs, seed = 7)]
fn a_search_that_chooses_nothing(net: &mut netcheck::Network) {}

#[netcheck::model_check(search = pct(seed = 7), seed = 8)]
fn two_seeds(net: &mut netcheck::Network) {}

#[netcheck::model_check(search = random, seed)]
fn no_value(net: &mut netcheck::Network) {}

fn main() {}
