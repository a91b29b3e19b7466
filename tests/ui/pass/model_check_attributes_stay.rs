//! Other attributes, the visibility and names of the function stay as they are.

#![allow(unused_imports)]

use netcheck::{Network, model_check};

/// Documented.
#[model_check(udp(loss))]
#[cfg(not(miri))]
#[allow(unused_variables)]
pub fn documented(net: &mut Network) {
    let unused = 1;
    net.process("client", || async {});
}

#[model_check]
#[ignore = "would fail"]
fn ignored(_net: &mut Network) {
    panic!("this check is ignored");
}

#[model_check(udp(loss))]
fn r#match(net: &mut Network) -> () {
    #![allow(clippy::unused_unit)]
    net.process("client", || async {});
}

#[model_check]
fn mutable_pattern(mut net: &mut Network) {
    let net = &mut net;
    net.process("client", || async {});
}

pub fn main() {}
