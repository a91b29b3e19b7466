async fn run() {
    let _: u32 = netcheck::select! {
        x = one() => x,
        _ = one() => "two",
    };
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
