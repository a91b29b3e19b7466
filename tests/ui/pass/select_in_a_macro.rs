//! `select!` can be written by a macro, nested, and meets names of its own.

#![allow(unused_variables)]

use std::future::{pending, ready};

macro_rules! first {
    ($pat:pat, $future:expr, $condition:expr, $handler:expr, $block:block) => {
        netcheck::select! {
            biased;
            $pat = $future, if $condition => { $handler }
            _ = pending::<()>() => $block
        }
    };
}

enum Out {
    Disabled,
}

async fn run() -> u32 {
    let __out = 1;
    let __disabled = 2;
    let disabled = Out::Disabled;
    let x = first!(Some(x @ (1 | 2)), ready(Some(1)), 1 == 1 || false, x + 1, { 0 });
    netcheck::select! {
        y = async { netcheck::select! { z = ready(__out) => z + __disabled } } => {
            netcheck::select! { z = ready(x) => z + y }
        }
    }
}

pub fn main() {
    drop(run());
}
