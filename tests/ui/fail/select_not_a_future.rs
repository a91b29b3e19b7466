async fn run() {
    netcheck::select! {
        _ = 1 => {}
        _ = one() => {}
    }
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
