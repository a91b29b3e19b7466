//! All mistakes are reported at once, those of the function too.

#[netcheck::model_check(
    udp(los, copies = [], loss, window = 0),
    search = bsf,
    max_depth,
    at_most = ,
    snapshot,
)]
async fn check<T>() -> u32 {
    0
}

fn main() {}
