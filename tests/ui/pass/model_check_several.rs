//! Several attributes on one function are several tests.

#![allow(unused_imports)]

use netcheck::{Network, model_check};

mod limits {
    pub(crate) const STATES: usize = 1_000;
}

/// Documented.
#[model_check]
#[model_check(udp(loss), at_most = self::limits::STATES)]
#[netcheck::model_check(search = dfs, max_states = limits::STATES, name = deep)]
#[allow(unused_variables)]
pub fn several(net: &mut Network) {
    let unused = 1;
    net.process("client", || async {});
}

#[model_check(name = r#fn)]
#[model_check(udp(copies = [1, 0, 2], window = 2, processes = ["client"]))]
fn r#match(net: &mut Network) {
    net.process("client", || async {});
}

#[model_check(udp(loss))]
#[cfg_attr(all(), model_check(udp(delay)))]
#[cfg_attr(any(), model_check(udp(not_even_a_word)))]
#[ignore = "would fail"]
fn ignored(_net: &mut Network) {
    panic!("this check is ignored");
}

#[model_check(expect = panic)]
#[model_check(expect = any, reduction = false)]
fn each_fails(net: &mut Network) {
    net.process("client", || async { panic!("as expected") });
}

#[model_check(search = bfs)]
#[model_check(search = dfs)]
#[should_panic(expected = "not expected")]
fn each_panics(net: &mut Network) {
    net.process("client", || async { panic!("not expected") });
}

macro_rules! checks {
    ($($name:ident: $test:ident, $limit:expr;)*) => {
        $(
            #[model_check(max_states = $limit)]
            #[model_check(max_states = $limit, name = $test)]
            fn $name(net: &mut Network) {
                net.process("client", || async {});
            }
        )*
    };
}

checks! {
    small: chosen, 10 + 1;
    large: chosen, limits::STATES;
}

pub fn main() {}
