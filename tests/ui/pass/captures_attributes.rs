//! Attributes of loops stay; `keep` is taken off.

#![deny(warnings)]

#[netcheck::process]
#[allow(clippy::never_loop)]
pub async fn client(max: u32) -> u32 {
    let mut count = 0;
    #[netcheck::keep]
    'outer: while count < max {
        #[allow(unused_variables)]
        for unused in 0..2 {
            count += one().await;
        }
        #[allow(unreachable_code)]
        #[netcheck::keep]
        loop {
            one().await;
            break 'outer;
            count += 1;
        }
    }
    #[cfg(any())]
    loop {
        one().of_another_kind().await;
    }
    let done = async {
        #[netcheck::keep]
        loop {
            if one().await == 1 {
                break count;
            }
        }
    };
    done.await
}

#[netcheck::process(capture = false)]
pub async fn other() {
    #[netcheck::keep]
    for _ in 0..3 {
        one().await;
    }
}

async fn one() -> u32 {
    1
}

pub fn main() {
    let _ = (client(1), other());
}
